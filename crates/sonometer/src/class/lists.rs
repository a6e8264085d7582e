//! The lists that the grammars of the classes refer to, as they are published in `docs/tables`.

use super::words::{self, OTHER_MONTHS};
use super::{Vocabulary, payment, url};

/// Some words of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The code of the language in which they count; empty for those that count in every language.
    pub language: &'static str,
    /// What the grammar calls them.
    pub name: &'static str,
    /// Folded words, or beginnings of words where the grammar says so; of months the number from 1 stands behind a space.
    pub words: Vec<String>,
}

/// The lists of words, by language; last those of the ends of web addresses.
pub fn words() -> Vec<List> {
    let mut lists = Vec::new();
    for (language, name, words) in [
        ("de", "number unit", &words::UNITS[..]),
        ("de", "number to nineteen", &words::TEENS),
        ("de", "number ten", &words::TENS),
        ("de", "number scale", &words::GERMAN_SCALES),
        ("de", "money scale", &words::GERMAN_SHORT_SCALES),
        ("de", "rank beginning", &words::GERMAN_RANKS),
        ("de", "currency", words::GERMAN_CURRENCIES),
        ("de", "currency, also with s", words::GERMAN_CURRENCIES_S),
        ("en", "number to nineteen", words::ENGLISH_SMALL),
        ("en", "number ten", words::ENGLISH_TENS),
        ("en", "number scale", words::ENGLISH_SCALES),
        ("en", "currency", words::ENGLISH_CURRENCIES),
        ("en", "currency, also with s", words::ENGLISH_CURRENCIES_S),
        ("es", "number", words::SPANISH_SMALL),
        ("es", "number ten", words::SPANISH_TENS),
        ("es", "number scale", words::SPANISH_SCALES),
        ("es", "number beginning", words::SPANISH_HUNDREDS),
        ("es", "rank beginning", words::SPANISH_RANKS),
        ("es", "currency", words::SPANISH_CURRENCIES),
        ("es", "currency, also with s", words::SPANISH_CURRENCIES_S),
    ] {
        lists.push(List { language, name, words: words.iter().map(|word| text(word)).collect() });
    }
    for (language, vocabulary, names, shorts) in [
        ("de", Vocabulary::German, &words::GERMAN_MONTHS, &words::GERMAN_SHORT_MONTHS),
        ("es", Vocabulary::Spanish, &words::SPANISH_MONTHS, &words::SPANISH_SHORT_MONTHS),
    ] {
        let mut months = numbered(names);
        let others = OTHER_MONTHS.iter().filter(|(of, ..)| *of == vocabulary);
        months.extend(others.map(|(_, name, at)| format!("{} {}", text(name), at + 1)));
        lists.push(List { language, name: "month", words: months });
        lists.push(List { language, name: "short month", words: numbered(shorts) });
    }
    lists.push(List { language: "en", name: "month", words: numbered(&words::ENGLISH_MONTHS) });
    lists.sort_by_key(|list| list.language);
    for (name, endings) in [("known last label", url::KNOWN), ("wary last label", url::WARY)] {
        let words = endings.iter().map(str::to_owned).collect();
        lists.push(List { language: "", name, words });
    }
    lists
}

/// The countries of `<iban>`, each with the structure of its account part.
pub fn ibans() -> impl Iterator<Item = (&'static str, &'static str)> {
    payment::IBANS.iter()
}

fn numbered(names: &[&[u8]]) -> Vec<String> {
    let named = names.iter().zip(1..).filter(|(name, _)| !name.is_empty());
    named.map(|(name, number)| format!("{} {number}", text(name))).collect()
}

/// All lists are ASCII.
fn text(word: &[u8]) -> String {
    word.iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::words::{Kind, is_currency, is_rank, month, number};

    /// What is published is what the scanners go by.
    #[test]
    fn the_lists_say_what_the_classes_know() {
        for list in words() {
            let vocabulary = Vocabulary::of(list.language);
            for word in &list.words {
                let known = match list.name {
                    "number unit" => {
                        word == "ein" || number(word.as_bytes(), vocabulary) == Some(Kind::Small)
                    }
                    "number to nineteen" | "number" => {
                        number(word.as_bytes(), vocabulary) == Some(Kind::Small)
                    }
                    "number ten" => number(word.as_bytes(), vocabulary) == Some(Kind::Ten),
                    "number scale" => number(word.as_bytes(), vocabulary) == Some(Kind::Scale),
                    "number beginning" => ["os", "as"].iter().all(|end| {
                        number(format!("{word}{end}").as_bytes(), vocabulary) == Some(Kind::Small)
                    }),
                    "money scale" => words::is_scale(word.as_bytes(), vocabulary),
                    "rank beginning" => {
                        let ending = if vocabulary == Vocabulary::German { "er" } else { "a" };
                        is_rank(format!("{word}{ending}").as_bytes(), vocabulary)
                    }
                    "currency" => is_currency(word.as_bytes(), vocabulary),
                    "currency, also with s" => {
                        ["", "s"].iter().all(|end| is_currency(format!("{word}{end}").as_bytes(), vocabulary))
                    }
                    "month" | "short month" if vocabulary != Vocabulary::English => {
                        let (name, place) = word.split_once(' ').expect("has its number");
                        let short = list.name == "short month";
                        month(name.as_bytes(), vocabulary) == Some((place.parse().expect("is one"), short))
                    }
                    _ => !word.is_empty(),
                };
                assert!(known, "{} {}: {word}", list.language, list.name);
            }
        }
        assert_eq!(ibans().count(), 89);
    }
}
