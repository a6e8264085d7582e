//! The two machines of the small build against the `regex` crate: they refuse and find the same. And what is known of an expression
//! before it is built.

use super::small::Machine;
use super::{Characters, Expression, MAX_BYTES, Refusal, Seen, size};
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
    let (ours, told, theirs) =
        match (Machine::new(pattern, MAX_BYTES), Expression::new(pattern), oracle(pattern)) {
            (Ok(ours), Ok(told), Ok(theirs)) => (ours, told, theirs),
            (ours, told, theirs) => {
                let refusal = theirs.err();
                assert_eq!(ours.err(), refusal, "{pattern}");
                return assert_eq!(told.err(), refusal, "{pattern}");
            }
        };
    assert_eq!(told.as_str(), pattern);
    assert_eq!(told.has_place(), theirs.capture_names().any(|name| name == Some("place")));
    assert_eq!(told.matches_nothing(), theirs.is_match(""), "{pattern}");
    assert!(told.can_match(&Seen::of(text, 0)) || !theirs.is_match(text), "{pattern} in {text:?}");
    let all: Vec<Range<usize>> = theirs.find_iter(text).map(|found| found.range()).collect();
    assert_eq!(ours.find_all(text), all, "{pattern} in {text:?}");
    let characters = Characters::of(text);
    assert_eq!(told.find_all(text, characters), all, "{pattern} in {text:?}");
    let near = told.find_seen(&Seen::of(text, 0), text.len());
    assert!(near.is_none_or(|near| near == all), "{pattern} in {text:?}");
    for (at, _) in text.char_indices() {
        let first = theirs.find_at(text, at).map(|found| found.range());
        assert_eq!(ours.find_at(text, at), first, "{pattern} in {text:?} from {at}");
        let characters = Characters::seen_from(text, at);
        assert_eq!(told.find_at(text, at, characters), first, "{pattern} in {text:?} from {at}");
        let Some(found) = first else { continue };
        let groups = theirs.captures_at(text, found.start).expect("a match");
        let place = groups.name("place").map(|group| group.range());
        assert_eq!(ours.place(text, &found), place, "{pattern} in {text:?} from {at}");
        let characters = Characters::seen_from(text, found.start);
        assert_eq!(told.place(text, &found, characters), place, "{pattern} in {text:?} from {at}");
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

/// A text in which digits are few and lie apart.
fn text_with_few_digits() -> impl Strategy<Value = String> {
    let stretch = (text(), prop::sample::select(vec!["", "1", "a1", "é٣ 22"]), "[ab -]{0,40}");
    prop::collection::vec(
        stretch.prop_map(|(text, digits, rest)| text.replace('1', "") + digits + &rest),
        1..5,
    )
    .prop_map(|stretches| stretches.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_needs_a_digit_is_found_where_digits_stand(
        before in pattern(),
        digit in prop::sample::select(vec!["\\d", "\\d+?", "[1-3]{1,2}", "(?:1|a\\d)"]),
        behind in pattern(),
        text in text_with_few_digits(),
        part in (0..=100_usize, 0..=100_usize),
    ) {
        let pattern = format!("(?:{before}){digit}(?:{behind})");
        let (Ok(ours), Ok(theirs)) = (Expression::new(&pattern), oracle(&pattern)) else { return Ok(()) };
        let all: Vec<Range<usize>> = theirs.find_iter(&text).map(|found| found.range()).collect();
        if let Some(near) = ours.find_seen(&Seen::of(&text, 0), text.len()) {
            prop_assert_eq!(near, all, "{} in {:?}", pattern, text);
        }
        // A part of it.
        let place = |percent: usize| {
            let most = percent * text.len() / 100;
            (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
        };
        let (from, to) = (place(part.0.min(part.1)), place(part.0.max(part.1)));
        if let Some(near) = ours.find_seen(&Seen::of(&text, from), to) {
            let next = |at: usize| theirs.find_at(&text, at).map(|found| found.range());
            let all = std::iter::successors(next(from), |last| next(last.end));
            let all = all.take_while(|found| found.start < to);
            prop_assert_eq!(near, all.collect::<Vec<_>>(), "{} in {:?} from {} to {}", pattern, text, from, to);
        }
    }
}

/// Words, some of which begin others, in texts that are long enough for their places to be noted.
fn text_of_words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "order",
        "ORD",
        "ordé",
        "Été",
        "ÉTÉ",
        "l’été",
        "kiosk",
        "\u{212A}io",
        "ſome",
        "Some",
        "so",
        " ",
        ", ",
        "5",
        "话",
        "a",
    ]);
    let piece = prop_oneof![3 => word.prop_map(str::to_owned), 1 => text()];
    prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_begins_with_words_is_found_where_they_stand(
        look in prop::sample::select(vec!["", "\\b", "(?-u:\\b)", "^", "(?m:^)", "\\B", "\\b{start}"]),
        words in prop::collection::vec(prop::sample::select(vec![
            "(?i:order)", "ord[eé]r?", "(?i:été)", "l['’]été", "(?i)kio", "some", "(?i:so)me*", "o?rde", "(?:or)+der", "(?:orde)+", "a b",
        ]), 1..4),
        behind in pattern(),
        text in text_of_words(),
        part in (0..=100_usize, 0..=100_usize),
    ) {
        let pattern = format!("{look}(?:{})(?:{behind})", words.join("|"));
        let (Ok(ours), Ok(theirs)) = (Expression::new(&pattern), oracle(&pattern)) else { return Ok(()) };
        prop_assert!(ours.can_match(&Seen::of(&text, 0)) || !theirs.is_match(&text), "{} in {:?}", pattern, text);
        let place = |percent: usize| {
            let most = percent * text.len() / 100;
            (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
        };
        for (from, to) in [(0, text.len()), (place(part.0.min(part.1)), place(part.0.max(part.1)))] {
            let Some(near) = ours.find_seen(&Seen::of(&text, from), to) else { continue };
            let next = |at: usize| theirs.find_at(&text, at).map(|found| found.range());
            let all = std::iter::successors(next(from), |last| next(last.end));
            let all: Vec<_> = all.take_while(|found| found.start < to).collect();
            prop_assert_eq!(near, all, "{} in {:?} from {} to {}", pattern, text, from, to);
        }
    }
}

#[cfg(feature = "perf")]
#[test]
fn how_matches_begin_is_known_of_words() {
    use super::heads::Heads;
    for (pattern, is_known) in [
        ("order[^!]{300}!", true),
        ("order[^!]*!", false),
        ("(?i)\\b(?:order|ticket)s? \\d+", true),
        ("(?i)(?:my|your) name", true),
        ("l['’]été", true),
        ("(?:ab)+c", false),
        ("(?:abc){0,3}defg", true),
        ("(?:abc)*defg", false),
        ("a?bcd", true),
        ("ab", false),
        ("[a-z]+ order", false),
        ("\\d{3}", false),
        ("", false),
    ] {
        let parsed = super::parse(pattern).expect("is sound");
        assert_eq!(Heads::of(&parsed).is_some(), is_known, "{pattern}");
    }
}

#[cfg(feature = "perf")]
#[test]
fn long_ways_that_come_to_nothing_are_not_gone_from_many_places() {
    let expression = Expression::new("order[^!]{300}!").expect("is sound");
    let text = "order ".repeat(1_000);
    // From each of the thousand places 300 bytes would be read: the text is searched as a whole.
    assert_eq!(expression.find_seen(&Seen::of(&text, 0), text.len()), None);
    let text = format!("{}order{}!", "a day ".repeat(1_000), " so".repeat(100));
    let found = expression.find_seen(&Seen::of(&text, 0), text.len()).expect("one place is looked at");
    assert_eq!((found.len(), &found[0]), (1, &(6_000..text.len())));
}

#[test]
fn limits_are_those_of_regex() {
    for count in [1, 10, 30, 40, 50, 60, 100, 1000, 5000, 20_000, 60_000] {
        for part in ["a", "[a-z]", "\\w", "(?i:straße)", "(a|b)", "."] {
            let pattern = format!("(?:{part}){{{count}}}");
            let refusal = oracle(&pattern).err();
            assert_eq!(Machine::new(&pattern, MAX_BYTES).err(), refusal, "{pattern}");
            assert_eq!(Expression::new(&pattern).err(), refusal, "{pattern}");
        }
    }
}

/// The reckoning is above what is built, and not far: else it would let through what is refused, or build what is sound.
#[test]
fn what_is_reckoned_is_near_what_is_built() {
    let parts = [
        "a",
        "abc|xyz|q",
        "[a-z]",
        "\\w",
        "\\d",
        "\\p{L}",
        "\\p{Lu}",
        "(?i:straße)",
        "(?i:k)",
        "(a|b)?",
        ".",
        "[^.é\\n]{2,9}",
        "(?:a*|b)+?",
    ];
    for part in parts {
        let pattern = |count: u32| format!("(?:{part}){{{count}}}");
        let is_built = |count| oracle(&pattern(count)).is_ok();
        let is_sure = |count| !size::may_be_too_large(&super::parse(&pattern(count)).expect("is sound"));
        // The largest count that holds, by halves.
        let most = |holds: &dyn Fn(u32) -> bool| {
            let (mut sound, mut wrong) = (1, 40_000);
            while wrong - sound > 1 {
                let middle = (sound + wrong) / 2;
                if holds(middle) { sound = middle } else { wrong = middle }
            }
            sound
        };
        let (built, sure) = (most(&is_built), most(&is_sure));
        assert!(sure <= built && 8 * sure >= built, "{part}: {sure} of {built}");
    }
}

#[test]
fn what_a_match_needs_is_looked_for_before_it_is_built() {
    for (pattern, text, can) in [
        ("(?i)order \\d+", "ORDER 5", true),
        ("(?i)order \\d+", "order five", false),
        ("(?i)order \\d+", "order \u{0665}", true),
        ("(?i)my name is (?:mr|ms)", "It is MY NAME is Ms", true),
        ("(?i)my name is", "is many men yes", false),
        ("(?i)my name is", "is many men yes é", false),
        ("(?i)my name is", "so, “My Name Is” it", true),
        ("(?i)my name is", "my name iſ", true),
        ("(?i)contraseña|clave", "la CONTRASEÑA, ¿cuál?", true),
        ("(?i)contraseña|clave", "contra España", false),
        ("(?:lovely|good) (?:day|week)s?", "a good week", true),
        ("(?:lovely|good) (?:day|week)s?", "a weekday good", false),
        ("(?:lost|missing).*(?:order|parcel)", "we lost the parcel", true),
        ("(?:lost|missing).*(?:order|parcel)", "the parcel is missing", true),
        ("(?:lost|missing).*(?:order|parcel)", "where is the parcel", false),
        ("(?:lost|missing).*(?:order|parcel)", "we lost it", false),
        ("l['’]été|rue", "rue", true),
        ("l['’]été|rue", "l'ete", false),
        ("l['’]été|rue", "l’été", true),
        ("l['’]été|rue", "l’état", false),
        ("ab|cd", "a cd", true),
        ("ab|cd", "ef", false),
        ("a?b*", "", true),
        ("[^a]", "aa", false),
        ("x{0}", "", true),
    ] {
        let expression = Expression::new(pattern).expect("is sound");
        assert_eq!(expression.can_match(&Seen::of(text, 0)), can, "{pattern} in {text}");
        assert!(expression.machine.get().is_none(), "{pattern} was built");
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
