//! The small machines beside the `regex` crate: what they refuse, and what they find.

use super::small::Expression;
use super::{MAX_BYTES, Refusal};
use proptest::prelude::*;
use std::ops::Range;

fn oracle(pattern: &str) -> Result<regex::Regex, Refusal> {
    let built = regex::RegexBuilder::new(pattern).size_limit(MAX_BYTES).dfa_size_limit(MAX_BYTES).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => Refusal::TooLarge,
        error => {
            let text = error.to_string();
            Refusal::Unreadable(text.lines().last().expect("a line").trim_start_matches("error: ").to_owned())
        }
    })
}

fn compare(pattern: &str, text: &str) {
    let (ours, theirs) = match (Expression::new(pattern), oracle(pattern)) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (ours, theirs) => return assert_eq!(ours.err(), theirs.err(), "{pattern}"),
    };
    assert_eq!(ours.as_str(), pattern);
    assert_eq!(ours.has_place(), theirs.capture_names().any(|name| name == Some("place")));
    let all: Vec<Range<usize>> = theirs.find_iter(text).map(|found| found.range()).collect();
    assert_eq!(ours.find_all(text), all, "{pattern} in {text:?}");
    for (at, _) in text.char_indices() {
        let first = theirs.find_at(text, at).map(|found| found.range());
        assert_eq!(ours.find_at(text, at), first, "{pattern} in {text:?} from {at}");
        let Some(found) = first else { continue };
        let groups = theirs.captures_at(text, found.start).expect("a match");
        let place = groups.name("place").map(|group| group.range());
        assert_eq!(ours.place(text, &found), place, "{pattern} in {text:?} from {at}");
    }
}

/// Patterns of what protocols write, some of them wrong.
fn pattern() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(vec![
        "a",
        "b",
        "ab",
        "é",
        "ß",
        ".",
        "\\w",
        "\\W",
        "\\d",
        "\\s",
        "\\b",
        "\\B",
        "(?-u:\\b)",
        "^",
        "$",
        "\\p{L}",
        "\\p{Lu}",
        "\\p{Greek}",
        "\\p{Nope}",
        "[a-cé]",
        "[^b\\s]",
        "(?i:é)",
        "(?i)k",
        "[[:alpha:]]",
        "\\b{start}",
        "(?m:^)",
        "[",
        "\\q",
        "\\1",
    ]);
    atom.prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 1..5).prop_map(|parts| parts.concat()),
            2 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            1 => inner.clone().prop_map(|inner| format!("({inner})")),
            1 => inner.clone().prop_map(|inner| format!("(?<place>{inner})")),
            3 => (inner, prop::sample::select(vec!["*", "+", "?", "*?", "+?", "{2}", "{0,3}", "{1,2}?", "{3,1}"]))
                .prop_map(|(inner, count)| format!("(?:{inner}){count}")),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec!["a", "b", "ab", "c", " ", "\n", "é", "É", "ß", "k", "\u{212A}", "λ", "1", "٣", "_", "-", "😀", "话"])
            .prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_small_machines_find_what_regex_finds(pattern in pattern(), text in text()) {
        compare(&pattern, &text);
    }
}

#[test]
fn limits_are_those_of_regex() {
    for count in [1, 10, 30, 40, 50, 60, 100, 1000, 5000, 20_000, 60_000] {
        for part in ["a", "[a-z]", "\\w", "(?i:straße)", "(a|b)", "."] {
            let pattern = format!("(?:{part}){{{count}}}");
            assert_eq!(Expression::new(&pattern).err(), oracle(&pattern).err(), "{pattern}");
        }
    }
}

#[test]
fn words_beyond_ascii_have_edges() {
    for text in ["naïve é", "é", "aé bé", "😀é a", "a\u{301} b"] {
        for pattern in ["\\bé\\b", "\\b\\w+\\b", "\\Ba", "(?-u:\\b)\\w", "\\b"] {
            compare(pattern, text);
        }
    }
}
