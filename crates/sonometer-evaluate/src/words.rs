//! Words of messages.

/// The options that messages and notes may name, without their dashes.
const OPTIONS: [&str; 34] = [
    "alarms",
    "background",
    "balanced",
    "by",
    "errors",
    "explain",
    "fold",
    "folds",
    "graded",
    "group",
    "higher",
    "id",
    "label",
    "language",
    "lower",
    "map",
    "marker",
    "negative",
    "no-likeness",
    "offsets",
    "patterns",
    "positive",
    "prefix",
    "regularisation",
    "size",
    "stop-list",
    "sufficient",
    "support",
    "threshold",
    "turns",
    "unit",
    "weigh",
    "where",
    "words",
];

/// A message in which options have the names of another door: `--positive` becomes what `spell` makes of `positive`. So a caller
/// from Python reads of `positive=`.
pub fn respelled(message: &str, spell: impl Fn(&str) -> String) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find("--") {
        let (before, option) = rest.split_at(at);
        let name = &option[2..];
        let end = name.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(name.len());
        let name = &name[..end];
        text.push_str(before);
        match OPTIONS.contains(&name) {
            true => text.push_str(&spell(name)),
            false => text.push_str(&option[..2 + end]),
        }
        rest = &option[2 + end..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_get_the_names_of_the_door() {
        let python = |text| respelled(text, |name| format!("{}=", name.replace('-', "_")));
        assert_eq!(
            python("say it with --positive or --stop-list; --"),
            "say it with positive= or stop_list=; --"
        );
        assert_eq!(python("a -- b --unknown"), "a -- b --unknown");
    }
}
