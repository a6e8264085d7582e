//! Which language a text is in, by the words that the engine has of each.

use sonometer::language::{self, LANGUAGES, Script, TELLTALES};
use sonometer::text::chars::is_letter;
use sonometer::text::{fold::Folded, tokens};
use sonometer::{Interaction, Turn};

/// The language that most words of a text belong to: its telltales and function words. A text of more Han characters than words in other
/// letters is Chinese. `None`: there are no such words, or as many of two languages.
pub(super) fn of_texts<'i>(interactions: impl IntoIterator<Item = &'i Interaction>) -> Option<&'static str> {
    of_turns(interactions.into_iter().flat_map(Interaction::turns))
}

fn of_turns<'i>(turns: impl IntoIterator<Item = &'i Turn>) -> Option<&'static str> {
    let own_script = LANGUAGES.iter().find(|language| language.script == Script::Han)?;
    let mut counts = [0_u64; TELLTALES.len()];
    // Characters of that script, and words in other letters.
    let (mut own, mut other) = (0_u64, 0_u64);
    for turn in turns {
        let folded = Folded::new(&turn.content);
        let text = folded.text();
        for token in tokens(text, None) {
            let word = text[token.range()].to_ascii_lowercase();
            let Some(first) = word.chars().next().filter(|first| is_letter(*first)) else { continue };
            if own_script.script.reads(first) {
                own += 1;
                continue;
            }
            other += 1;
            for (count, told) in counts.iter_mut().zip(TELLTALES) {
                let is_function_word =
                    || language::find(told.code).is_some_and(|language| language.is_function_word(&word));
                *count += u64::from(told.words.contains(&word) || is_function_word());
            }
        }
    }
    if own > other {
        return Some(own_script.code);
    }
    let most = counts.iter().copied().max().filter(|most| *most > 0)?;
    let mut best =
        TELLTALES.iter().zip(counts).filter(|(_, count)| *count == most).map(|(told, _)| told.code);
    best.next().filter(|_| best.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_the_language() {
        for (text, code) in [
            ("Where is my parcel?", Some("en")),
            ("Wo ist denn mein Paket?", Some("de")),
            ("¿Dónde está mi paquete?", Some("es")),
            ("Où est mon colis, s'il vous plaît ?", Some("fr")),
            ("Dov'è il mio pacco? Non è ancora arrivato.", Some("it")),
            ("Waar is mijn pakje? Ik heb het nog niet.", Some("nl")),
            ("Onde está o meu pacote? Ainda não chegou.", Some("pt")),
            ("我的包裹在哪里？", Some("zh")),
            ("我的 iPhone 在哪里 ok", Some("zh")),
            ("荷物はどこですか", None),
            ("Где моя посылка?", None),
            ("parcel 4711", None),
            ("parcel, und, and", None),
            ("", None),
        ] {
            let turn = Turn { role: None, content: text.into(), timestamp: None };
            assert_eq!(of_turns([&turn]), code, "{text}");
        }
    }
}
