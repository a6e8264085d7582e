//! Patterns as their authors write them.

use super::VOCABULARY;
use crate::language::Language;
use sonometer::protocol::phrase::{Class, Pattern, WordKind, WordTest};

/// The text of a pattern line: reading it gives the same pattern again.
///
/// An inflection is written as the first word of the vocabulary that has its stem, or else as the stem itself.
pub fn print(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Word(test) => word(test),
        Pattern::Exact(exact) => format!("\"{}\"", exact.original),
        Pattern::Phrases(_) => "@listed".into(),
        Pattern::Any => "_".into(),
        Pattern::Gap { max } => format!("..{max}.."),
        Pattern::Sequence(items) => items.iter().map(item).collect::<Vec<_>>().join(" "),
        Pattern::Either(choices) => format!("({})", choices.iter().map(print).collect::<Vec<_>>().join("|")),
        Pattern::Optional(inner) => match &**inner {
            Pattern::Either(_) => format!("{}?", print(inner)),
            _ => format!("({})?", print(inner)),
        },
        Pattern::Near { left, right, within } => format!("{} &{within} {}", side(left), side(right)),
        Pattern::TurnStart => "^".into(),
        Pattern::TurnEnd => "$".into(),
        Pattern::SentenceStart => "<start>".into(),
        Pattern::SentenceEnd => "<end>".into(),
        Pattern::Capture(inner) => format!("{{{}}}", print(inner)),
        Pattern::Mark(mark) if mark.is_ascii() => format!("\\{mark}"),
        Pattern::Mark(mark) => mark.to_string(),
        Pattern::Class(Class::Detected(class)) => format!("<{}>", class.name()),
        Pattern::Class(Class::Shout) => "<shout>".into(),
        Pattern::Question => "<question>".into(),
        Pattern::Regex(regex) => {
            let flag = if regex.ignore_case { "i" } else { "" };
            format!("/{}/{flag}", regex.source.replace('/', "\\/"))
        }
    }
}

/// An item of a sequence: what would run into its neighbours stands in parentheses.
fn item(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Sequence(_) | Pattern::Near { .. } => format!("({})", print(pattern)),
        _ => print(pattern),
    }
}

/// A side of `&n`, which takes a whole sequence but no further `&n`.
fn side(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Near { .. } => format!("({})", print(pattern)),
        _ => print(pattern),
    }
}

fn word(test: &WordTest) -> String {
    match test.kind {
        WordKind::Equal => test.folded.to_string(),
        WordKind::Prefix => format!("{}*", test.folded),
        WordKind::Misspelt => format!("{}%1", test.folded),
        WordKind::Inflection => {
            let english = Language::of(Some("en"));
            let inflected = VOCABULARY.iter().find(|word| *english.stem(word) == *test.folded);
            format!("{}~", inflected.unwrap_or(&&*test.folded))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::print;
    use crate::build::*;
    use sonometer::protocol::phrase::Pattern;

    #[test]
    fn prints_what_an_author_writes() {
        let inner = sequence([word("so"), word("much")]);
        let pattern = sequence([
            Pattern::TurnStart,
            either([words("thank you"), prefix("thank")]),
            Pattern::Optional(Box::new(inner)),
            gap(3),
            near(word("help"), 2, words("my order")),
            exact("US", "us"),
            Pattern::Mark('?'),
            capture(sequence([shout(), word("ok")])),
            Pattern::SentenceEnd,
            Pattern::Question,
        ]);
        let text = r#"^ (thank you|thank*) (so much)? ..3.. (help &2 my order) "US" \? {<shout> ok} <end> <question>"#;
        assert_eq!(print(&pattern), text);
        assert_eq!(print(&inflection("refund")), "refund~");
        assert_eq!(print(&regex("a/b")), "/a\\/b/");
    }
}
