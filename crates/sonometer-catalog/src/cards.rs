//! Accuracy cards: what each shipped protocol was measured on, and how well it did. `cargo xtask cards` writes their figures.

/// The card of a protocol, from the file that is named for it.
macro_rules! card {
    ($id:literal) => {
        ($id, include_str!(concat!("../docs/cards/", $id, ".md")))
    };
}

/// Cards by the id of their protocol, each of its newest edition.
static CARDS: &[(&str, &str)] = &[
    card!("abuse"),
    card!("abuse-de"),
    card!("abuse-es"),
    card!("abuse-fr"),
    card!("abuse-it"),
    card!("abuse-pt"),
    card!("abuse-zh"),
    card!("affect"),
    card!("argument"),
    card!("counselling"),
    card!("courtesy"),
    card!("disclosure"),
    card!("escalation"),
    card!("friction"),
    card!("names-and-places"),
    card!("negotiation"),
    card!("personal-attack"),
    card!("personal-data"),
    card!("pressure-tactics"),
    card!("promise"),
    card!("prompt-attack"),
    card!("refusal"),
    card!("uptake"),
];

/// The accuracy card of a protocol, in Markdown; `None` where the catalogue has none of this version. Without the feature `all` it has
/// none at all.
pub fn card(id: &str, version: &str) -> Option<&'static str> {
    let (_, card) = CARDS.iter().find(|(own, _)| *own == id)?;
    // `# Accuracy card: courtesy 2.0`
    card.lines().next().filter(|title| title.ends_with(&format!(" {id} {version}"))).map(|_| *card)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    #[test]
    fn cards_are_of_shipped_protocols() {
        for (id, text) in CARDS {
            let title = text.lines().next().unwrap_or_default();
            let named = title.strip_prefix("# Accuracy card: ").expect(title);
            let (own, version) = named.split_once(' ').expect(title);
            assert_eq!(own, *id);
            assert!(find(id, Some(version)).is_some(), "{title}");
            assert!(card(id, version).is_some() && card(id, "0.0").is_none());
        }
    }
}
