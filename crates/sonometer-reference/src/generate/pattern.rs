//! Patterns that the phrase language can write.

use super::{FREQUENT, VOCABULARY};
use crate::language::Language;
use proptest::prelude::*;
use proptest::sample::select;
use sonometer::class;
use sonometer::protocol::phrase::{Class, ExactWord, MAX_GAP, Pattern, Regex, WordKind, WordTest};
use sonometer::protocol::{ListFile, NoFile, Protocol};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// Regular expressions that are safe and match often.
const EXPRESSIONS: [&str; 16] = [
    "refunds?",
    "[A-Z]{2,}",
    "[0-9]+",
    "[!?]{2,}",
    r"\bno\b",
    r"(?:order|card) [a-z]+",
    r"\d{4}",
    "x+",
    "é",
    r"\S+@\S+",
    r"[^\x00-\x7f]+",
    "(?m)^[a-z]+",
    r"\p{Lu}\p{Ll}+",
    r"(?m)\w+$",
    r"\n",
    "[áéí]",
];

/// The text of the list file that generated protocols name.
const LIST_TEXT: &str = "i\nthe\nmoney\nthe money\nthank you\nrefund\nrefund my order\nno\nnot happy\ncafé\n";

/// That list file, by the name and path that generated protocols give it.
pub static LIST_FILE: LazyLock<ListFile> = LazyLock::new(|| {
    let source = r#"{"sonometer": 1, "id": "list", "version": "1", "taxonomy": "Signal", "list_files": {"listed": "listed.txt"},
        "markers": [{"label": "a", "strong": "@listed", "hit": "i"}]}"#;
    let (mut protocol, _) = Protocol::read_with(source, &list_file).expect("is sound");
    protocol.list_files.remove(0)
});

/// The text for the one path of generated protocols.
pub fn list_file(path: &str) -> Result<Cow<'static, str>, NoFile> {
    if path == "listed.txt" { Ok(LIST_TEXT.into()) } else { Err(NoFile::missing("is another")) }
}

/// Words that are long enough for `word%1`.
const MISSPELT: [&str; 6] = ["refund", "refunds", "happy", "order", "money", "without"];

const MARKS: [char; 14] = [',', ';', ':', '.', '!', '?', '-', '"', '\'', '(', ')', '/', '$', '。'];

fn word() -> impl Strategy<Value = Pattern> {
    let english = Language::of(Some("en"));
    let word = select(&VOCABULARY[..]);
    let test = |kind: WordKind, folded: &str| Pattern::Word(WordTest { kind, folded: folded.into() });
    let exact = |original: &str, folded: &str| {
        Pattern::Exact(Box::new(ExactWord { folded: folded.into(), original: original.into() }))
    };
    prop_oneof![
        8 => word.clone().prop_map(move |word| test(WordKind::Equal, word)),
        1 => select(vec!["5", "👍", "3.5", "i'm", "привет", "한국", "1", "2", "hapy", "monney", "411"])
            .prop_map(move |word| test(WordKind::Equal, word)),
        2 => (word.clone(), 1..5_usize).prop_map(move |(word, length)| {
            let beginning: String = word.chars().take(length).collect();
            // An apostrophe at its end is none: `don'` is the word `don`.
            test(WordKind::Prefix, beginning.trim_end_matches('\''))
        }),
        2 => word.clone().prop_map(move |word| test(WordKind::Inflection, &english.stem(word))),
        1 => select(&MISSPELT[..]).prop_map(move |word| test(WordKind::Misspelt, word)),
        1 => select(vec!["café", "Café", "CAFÉ"]).prop_map(move |original| exact(original, "cafe")),
        1 => (word, any::<bool>()).prop_map(move |(word, upper)| match upper {
            true => exact(&word.to_ascii_uppercase(), word),
            false => exact(word, word),
        }),
    ]
}

fn class() -> impl Strategy<Value = Class> {
    prop_oneof![
        4 => select(class::Class::ALL.to_vec()).prop_map(Class::Detected),
        2 => select(vec![class::Class::Number, class::Class::Pan, class::Class::Iban]).prop_map(Class::Detected),
        1 => Just(Class::Shout),
    ]
}

fn regex() -> impl Strategy<Value = Pattern> {
    (select(&EXPRESSIONS[..]), any::<bool>())
        .prop_map(|(source, ignore_case)| Pattern::Regex(Regex { source: source.into(), ignore_case }))
}

/// A part that always consumes something.
fn leaf() -> impl Strategy<Value = Pattern> {
    prop_oneof![
        8 => word(),
        1 => Just(Pattern::Any),
        1 => class().prop_map(Pattern::Class),
        1 => Just(Pattern::Phrases(LIST_FILE.phrases.clone())),
    ]
}

/// A part that may consume nothing and says something about the place.
fn hold() -> impl Strategy<Value = Pattern> {
    prop_oneof![
        4 => select(&MARKS[..]).prop_map(Pattern::Mark),
        1 => Just(Pattern::TurnStart),
        1 => Just(Pattern::TurnEnd),
        1 => Just(Pattern::SentenceStart),
        1 => Just(Pattern::SentenceEnd),
    ]
}

/// One item of a sequence, of parts that always consume something.
fn item(part: impl Strategy<Value = Pattern> + Clone + 'static) -> impl Strategy<Value = Pattern> {
    let choice = prop_oneof![3 => part.clone(), 1 => hold(), 1 => part.clone().prop_map(optional)];
    prop_oneof![
        8 => part.clone(),
        3 => (1..=MAX_GAP).prop_map(|max| Pattern::Gap { max: 1 + (max - 1) / 3 }),
        1 => (1..=MAX_GAP).prop_map(|max| Pattern::Gap { max }),
        2 => part.prop_map(optional),
        1 => hold(),
        1 => prop::collection::vec(choice, 1..=3).prop_map(either),
    ]
}

/// Alternatives; one alone is itself.
fn either(mut choices: Vec<Pattern>) -> Pattern {
    if choices.len() == 1 { choices.remove(0) } else { Pattern::Either(choices.into()) }
}

fn optional(inner: Pattern) -> Pattern {
    Pattern::Optional(Box::new(inner))
}

/// A sequence made legal: it consumes something, and its gaps stand between parts that do.
fn sequence(mut items: Vec<Pattern>, spare: Pattern) -> Pattern {
    if items.iter().all(is_nullable) {
        items.push(spare);
    }
    let consuming = |item: &Pattern| !is_nullable(item);
    let (first, last) = (items.iter().position(consuming), items.iter().rposition(consuming));
    let mut at = 0;
    items.retain(|item| {
        at += 1;
        !matches!(item, Pattern::Gap { .. }) || first < Some(at - 1) && Some(at - 1) < last
    });
    if items.len() == 1 { items.remove(0) } else { Pattern::Sequence(items.into()) }
}

/// A part that always consumes something, up to three deep.
fn part() -> impl Strategy<Value = Pattern> + Clone {
    leaf().prop_recursive(3, 12, 4, |inner| {
        let inner = inner.boxed();
        prop_oneof![
            2 => (prop::collection::vec(item(inner.clone()), 1..=3), inner.clone())
                .prop_map(|(items, spare)| sequence(items, spare)),
            2 => prop::collection::vec(inner.clone(), 1..=3).prop_map(either),
            1 => (inner.clone(), inner, 0..=MAX_GAP).prop_map(|(left, right, within)| Pattern::Near {
                left: Box::new(left),
                right: Box::new(right),
                within,
            }),
        ]
    })
}

/// A word or two that are found often.
pub(super) fn short_pattern() -> impl Strategy<Value = Pattern> {
    prop_oneof![
        3 => word(),
        1 => prop::collection::vec(word(), 2..=3).prop_map(|words| Pattern::Either(words.into())),
        1 => Just(Pattern::Question),
        1 => regex(),
    ]
}

/// Two words with a gap between them, which is what reaches over turns and is nearly matched.
fn spread() -> impl Strategy<Value = Pattern> {
    let frequent = || {
        select(&FREQUENT[..])
            .prop_map(|word| Pattern::Word(WordTest { kind: WordKind::Equal, folded: word.into() }))
    };
    let word = || prop_oneof![3 => frequent(), 1 => word()];
    let within = prop_oneof![2 => 1..=3_u8, 1 => 4..=MAX_GAP];
    (word(), within, word(), any::<bool>()).prop_map(|(left, max, right, any_order)| match any_order {
        true => Pattern::Near { left: Box::new(left), right: Box::new(right), within: max },
        false => Pattern::Sequence([left, Pattern::Gap { max }, right].into()),
    })
}

/// A whole pattern line.
pub fn pattern() -> impl Strategy<Value = Pattern> {
    let top = prop_oneof![12 => item(part().boxed()), 1 => regex()];
    let line = (prop::collection::vec(top, 1..=5), leaf(), 0..12_u8).prop_map(|(items, spare, question)| {
        let line = sequence(items, spare);
        match line {
            line if question > 0 => line,
            Pattern::Sequence(items) => Pattern::Sequence([&items, &[Pattern::Question][..]].concat().into()),
            line => Pattern::Sequence([line, Pattern::Question].into()),
        }
    });
    let pattern = prop_oneof![
        10 => line,
        10 => leaf(),
        6 => part(),
        8 => spread(),
        1 => select(vec![class::Class::Pan, class::Class::Iban]).prop_map(|c| Pattern::Class(Class::Detected(c))),
        1 => regex(),
        1 => Just(Pattern::Question),
    ];
    (pattern, word()).prop_map(|(pattern, word)| anchor(pattern, word))
}

/// The same with a part in braces, for lines that give evidence: two of five.
pub(super) fn evidence_pattern() -> impl Strategy<Value = Pattern> {
    let with_place = (pattern(), any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let with_place = with_place.prop_map(|(pattern, from, length)| match pattern {
        Pattern::Regex(regex) => {
            let source = PLACED[from.index(PLACED.len())].into();
            Pattern::Regex(Regex { source, ..regex })
        }
        pattern => match with_braces(&pattern, from, length) {
            // Around a whole line they say nothing.
            Some(Pattern::Capture(_)) | None => pattern,
            Some(captured) => captured,
        },
    });
    prop_oneof![3 => pattern(), 2 => with_place]
}

/// Expressions with a group that is the place.
const PLACED: [&str; 6] = [
    "(?:order|card) (?<place>[a-z]+)",
    "(?<place>refund)s?",
    "no(?<place>t?)",
    r"(?<place>\w+) (?:not|you)\b",
    r"\w+(?<place> )\w+",
    "(?:(?<place>happy)|help)",
];

/// The pattern with braces around a part, so that every way passes one pair; `None` where it has no part that can take them.
fn with_braces(pattern: &Pattern, from: prop::sample::Index, length: prop::sample::Index) -> Option<Pattern> {
    match pattern {
        Pattern::Sequence(items) => {
            let from = from.index(items.len());
            let to = from + 1 + length.index(items.len() - from);
            let within = items[from..to].to_vec();
            let is_whole = !within.iter().all(is_nullable) && gaps_are_legal(&within);
            if !is_whole || within.contains(&Pattern::Question) {
                return None;
            }
            let is_all = within.len() == items.len();
            let within = if within.len() == 1 { within[0].clone() } else { Pattern::Sequence(within.into()) };
            let captured = Pattern::Capture(Box::new(within));
            if is_all {
                return Some(captured);
            }
            Some(Pattern::Sequence([&items[..from], &[captured], &items[to..]].concat().into()))
        }
        Pattern::Either(choices) => {
            let choices: Option<Arc<[Pattern]>> =
                choices.iter().map(|choice| with_braces(choice, from, length)).collect();
            choices.map(Pattern::Either)
        }
        Pattern::Near { left, right, within } => {
            let (mut left, mut right) = (left.clone(), right.clone());
            let side = if from.index(2) == 0 { &mut left } else { &mut right };
            **side = with_braces(side, length, from)?;
            Some(Pattern::Near { left, right, within: *within })
        }
        Pattern::Word(_) | Pattern::Exact(_) | Pattern::Any | Pattern::Class(_) => {
            Some(Pattern::Capture(Box::new(pattern.clone())))
        }
        _ => None,
    }
}

/// A pattern with something to look up: one of nothing but `_` gets a word before it.
fn anchor(pattern: Pattern, word: Pattern) -> Pattern {
    match pattern {
        pattern if pattern == Pattern::Question || is_anchored(&pattern) => pattern,
        Pattern::Sequence(items) => Pattern::Sequence([&[word][..], &items].concat().into()),
        pattern => Pattern::Sequence([word, pattern].into()),
    }
}

/// Whether every match holds a word, a class or a regular expression.
fn is_anchored(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Word(_)
        | Pattern::Exact(_)
        | Pattern::Phrases(_)
        | Pattern::Class(_)
        | Pattern::Regex(_) => true,
        Pattern::Capture(inner) => is_anchored(inner),
        Pattern::Sequence(items) => items.iter().any(is_anchored),
        Pattern::Either(choices) => choices.iter().all(is_anchored),
        Pattern::Near { left, right, .. } => is_anchored(left) || is_anchored(right),
        _ => false,
    }
}

/// Whether a pattern can match without consuming a token.
fn is_nullable(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Word(_) | Pattern::Exact(_) | Pattern::Phrases(_) | Pattern::Any | Pattern::Class(_) => {
            false
        }
        Pattern::Regex(_) => false,
        Pattern::Gap { .. } | Pattern::Optional(_) | Pattern::Mark(_) | Pattern::Question => true,
        Pattern::TurnStart | Pattern::TurnEnd | Pattern::SentenceStart | Pattern::SentenceEnd => true,
        Pattern::Capture(inner) => is_nullable(inner),
        Pattern::Sequence(items) => items.iter().all(is_nullable),
        Pattern::Either(choices) => choices.iter().any(is_nullable),
        Pattern::Near { left, right, .. } => is_nullable(left) && is_nullable(right),
    }
}

/// Whether a pattern keeps the restrictions of the phrase language: it consumes something; gaps stand in a sequence,
/// between parts that consume something; both sides of `&n` consume something; `<question>` stands alone or at the end;
/// a regular expression stands alone or in the outermost sequence; there is something to look up.
pub fn is_legal(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Question | Pattern::Regex(_) => true,
        _ if !is_anchored(pattern) => false,
        Pattern::Sequence(items) => {
            let items = match items.split_last() {
                Some((Pattern::Question, before)) => before,
                _ => items,
            };
            !items.iter().all(is_nullable)
                && gaps_are_legal(items)
                && items.iter().all(|item| match item {
                    Pattern::Capture(inner) => is_top(inner),
                    item => is_top(item),
                })
        }
        _ => !is_nullable(pattern) && is_part(pattern),
    }
}

fn gaps_are_legal(items: &[Pattern]) -> bool {
    let consumes = |items: &[Pattern]| items.iter().any(|item| !is_nullable(item));
    (0..items.len()).all(|at| match items[at] {
        Pattern::Gap { max } => {
            (1..=MAX_GAP).contains(&max) && consumes(&items[..at]) && consumes(&items[at + 1..])
        }
        _ => true,
    })
}

/// Whether a part may stand in the outermost sequence.
fn is_top(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Gap { .. } | Pattern::Regex(_) => true,
        Pattern::Sequence(items) => gaps_are_legal(items) && items.iter().all(is_top),
        pattern => is_part(pattern),
    }
}

/// Whether a part may stand inside a pattern.
fn is_part(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Capture(inner) => !is_nullable(inner) && is_part(inner),
        Pattern::Gap { .. } | Pattern::Question | Pattern::Regex(_) => false,
        Pattern::Sequence(items) => {
            gaps_are_legal(items)
                && items.iter().all(|item| matches!(item, Pattern::Gap { .. }) || is_part(item))
        }
        Pattern::Either(choices) => !choices.is_empty() && choices.iter().all(is_part),
        Pattern::Optional(inner) => is_part(inner),
        Pattern::Near { left, right, within } => {
            *within <= MAX_GAP && [left, right].iter().all(|side| !is_nullable(side) && is_part(side))
        }
        _ => true,
    }
}
