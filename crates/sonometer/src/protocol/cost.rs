//! What lines cost at worst: the most steps that the matcher takes for each word of a text, whatever the text.
//!
//! A *step* is one look at an instruction of a line at a token, or one way on from there. Each instruction is worked on at
//! most once at each token with a break allowed before it, once without, and once as the beginning of a match: what lies
//! behind it is remembered for all starts (`matcher/memo.rs`). So a line costs a word three times its instructions and
//! the ways they lead, and what is spent before remembering begins. A line with few ways through it is never remembered.

use super::model::{Line, Marker, Protocol};
use super::phrase::{Class, Pattern, WordKind, WordTest, gaps_in};
use std::collections::BTreeSet;

/// A protocol whose lines together cost a word more steps than this is a warning: a quarter more than the heaviest that ships
/// (`affect`, 47,588).
pub const WARNED_STEPS: u64 = 60_000;
/// A protocol that costs more is refused.
pub const MAX_STEPS: u64 = 400_000;

/// The ways gone at a start before remembering begins (`matcher/run.rs`); a line that has no more is never remembered.
pub(crate) const FIRST_LOOK: u64 = 64;
/// The ways that one more instruction can lead: a gap of 12 tokens (`MAX_GAP`), widened to 26, leads 27.
const LAST_WAYS: u64 = 28;
/// Regular expressions take steps by byte, in machines of their own.
const REGEX: u64 = 50;
/// The most occurrences of a class that begin at one token.
const OCCURRENCES: u64 = 2;

impl Protocol {
    /// The most steps that its lines take together for each word of a text: a bound for the worst text, far above what common
    /// texts cost. Services can price by it.
    pub fn steps_per_word(&self) -> u64 {
        let lines = self.markers.iter().flat_map(Marker::all_lines);
        lines.map(|line| line.steps_per_word()).fold(0, u64::saturating_add)
    }
}

impl Line {
    /// The most steps that it takes for each word of a text; see [`Protocol::steps_per_word`].
    pub fn steps_per_word(&self) -> u64 {
        // Plain words have no tree.
        let Some(pattern) = self.tree() else { return 1 };
        let pattern = &*pattern;
        if let Pattern::Regex(_) = pattern {
            return REGEX;
        }
        if is_plain(pattern) || matches!(pattern, Pattern::Phrases(_)) {
            // A walk through the tree of all phrases goes on by one word at a time.
            return 1;
        }
        let has_near_misses = gaps_in(pattern) == 1;
        let beyond = |of: fn(&Pattern, bool) -> u64| if has_near_misses { of(pattern, true) } else { 0 };
        let first_look = ways(pattern, false).1.saturating_add(beyond(|pattern, wide| ways(pattern, wide).1));
        if first_look <= FIRST_LOOK {
            return first_look;
        }
        let remembered = steps(pattern, false).saturating_add(beyond(steps));
        FIRST_LOOK.saturating_add(LAST_WAYS).saturating_add(remembered.saturating_mul(3))
    }
}

/// Something that lines are looked for by. What each adds to a reading was measured: `docs/measured/constructs.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Construct {
    /// Plain words in a row: one tree for all lines.
    Phrases,
    /// Stems, prefixes, misspellings, gaps, marks, places in a sentence or turn: a program that is tried where its rarest word stands.
    Program,
    /// `<question>`
    Question,
    /// `<shout>`
    Shout,
    /// A class: all turns are read for it, once for all lines.
    Class(crate::class::Class),
    /// A regular expression: a search of its own in every turn that has what its matches need.
    Expression,
}

impl Line {
    /// What it is looked for by.
    pub fn constructs(&self) -> BTreeSet<Construct> {
        let mut found = BTreeSet::new();
        if let Some(pattern) = self.tree().filter(|pattern| !matches!(**pattern, Pattern::Phrases(_))) {
            collect(&pattern, &mut found);
        }
        if found.is_empty() {
            found.insert(Construct::Phrases);
        }
        found
    }
}

fn collect(pattern: &Pattern, into: &mut BTreeSet<Construct>) {
    match pattern {
        Pattern::Word(WordTest { kind: WordKind::Equal, .. }) => {}
        Pattern::Sequence(items) | Pattern::Either(items) => {
            items.iter().for_each(|item| collect(item, into))
        }
        Pattern::Optional(inner) => collect(inner, into),
        Pattern::Question => _ = into.insert(Construct::Question),
        Pattern::Class(Class::Shout) => _ = into.insert(Construct::Shout),
        Pattern::Class(Class::Detected(class)) => _ = into.insert(Construct::Class(*class)),
        Pattern::Regex(_) => _ = into.insert(Construct::Expression),
        Pattern::Capture(inner) => {
            into.insert(Construct::Program);
            collect(inner, into);
        }
        Pattern::Near { left, right, .. } => {
            into.insert(Construct::Program);
            collect(left, into);
            collect(right, into);
        }
        _ => _ = into.insert(Construct::Program),
    }
}

/// Whether a line is words only, which are found in one tree for all lines.
fn is_plain(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Word(WordTest { kind: WordKind::Equal, .. }) | Pattern::Question => true,
        Pattern::Sequence(items) | Pattern::Either(items) => items.iter().all(is_plain),
        Pattern::Optional(inner) => is_plain(inner),
        _ => false,
    }
}

/// Alternatives that are words one after the other: one instruction looks up those that a token begins.
#[derive(Default)]
struct Heads<'p> {
    /// What tells their first words apart; those that cannot be told apart have the same.
    keys: Vec<&'p str>,
    /// The most words that one of them has.
    longest: u64,
    /// The alternatives that are something else.
    others: Vec<&'p Pattern>,
}

impl<'p> Heads<'p> {
    fn of(items: &'p [Pattern]) -> Self {
        let mut heads = Self::default();
        for item in items {
            let words = match item {
                Pattern::Sequence(words) => &**words,
                other => std::slice::from_ref(other),
            };
            match words {
                [Pattern::Word(first), rest @ ..]
                    if rest.iter().all(|word| matches!(word, Pattern::Word(_) | Pattern::Exact(_))) =>
                {
                    heads.keys.push(key(first));
                    heads.longest = heads.longest.max(words.len() as u64);
                }
                _ => heads.others.push(item),
            }
        }
        heads.keys.sort_unstable();
        heads
    }

    /// The most of them that one token can begin.
    fn alike(&self) -> u64 {
        self.keys.chunk_by(|a, b| a == b).map(<[&str]>::len).max().unwrap_or(0) as u64
    }
}

/// Words of different keys are never passed by the same token; a token passes few of the prefixes and stems of one letter, but
/// how many depends on the words.
fn key(test: &WordTest) -> &str {
    match test.kind {
        WordKind::Equal => &test.folded,
        WordKind::Prefix | WordKind::Inflection => {
            test.folded.chars().next().map_or("", |first| &test.folded[..first.len_utf8()])
        }
        WordKind::Misspelt => "",
    }
}

/// How many ways through a pattern there are from one token on, and how many steps it takes to go each of them by itself.
fn ways(pattern: &Pattern, wide: bool) -> (u64, u64) {
    let then =
        |a: (u64, u64), b: (u64, u64)| (a.0.saturating_mul(b.0), a.1.saturating_add(a.0.saturating_mul(b.1)));
    let or =
        |a: (u64, u64), b: (u64, u64)| (a.0.saturating_add(b.0), a.1.saturating_add(b.1).saturating_add(2));
    let gap = |n: u8| {
        let to = gap_ways(n, wide);
        (to, to)
    };
    match pattern {
        Pattern::Class(_) => (OCCURRENCES, OCCURRENCES),
        Pattern::Gap { max } => gap(*max),
        Pattern::Sequence(items) => items.iter().map(|item| ways(item, wide)).fold((1, 0), then),
        Pattern::Either(items) => {
            let heads = Heads::of(items);
            let plain = (heads.alike(), heads.alike().saturating_mul(heads.longest));
            heads.others.iter().map(|item| ways(item, wide)).fold(plain, or)
        }
        Pattern::Phrases(phrases) => (phrases.words().1.into(), phrases.words().1.into()),
        Pattern::Optional(inner) => or(ways(inner, wide), (1, 0)),
        Pattern::Capture(inner) => then((1, 2), ways(inner, wide)),
        Pattern::Near { left, right, within } => {
            let (a, b) = (ways(left, wide), ways(right, wide));
            or(then(then(a, gap(*within)), b), then(then(b, gap(*within)), a))
        }
        _ => (1, 1),
    }
}

/// The instructions of a pattern and the ways that they lead; with `wide`, its gaps reach 2n + 2 tokens.
fn steps(pattern: &Pattern, wide: bool) -> u64 {
    let gap = |n: u8| 1 + gap_ways(n, wide);
    let all = |items: &[Pattern]| items.iter().map(|item| steps(item, wide)).fold(0, u64::saturating_add);
    match pattern {
        Pattern::Class(_) => 1 + OCCURRENCES,
        Pattern::Gap { max } => gap(*max),
        Pattern::Sequence(items) => all(items),
        Pattern::Either(items) => {
            let heads = Heads::of(items);
            // Behind their first words, each of those that began alike is at one word.
            let plain = 1 + heads.alike() + 2 * heads.alike() * heads.longest.saturating_sub(1);
            // The others are told apart by as many instructions with two ways on.
            let others = heads.others.iter().map(|item| steps(item, wide).saturating_add(3));
            others.fold(plain, u64::saturating_add)
        }
        // A walk through the tree of lists, and a way on from each phrase that ends in it.
        Pattern::Phrases(phrases) => 1 + 2 * u64::from(phrases.words().1),
        Pattern::Optional(inner) => steps(inner, wide).saturating_add(3),
        Pattern::Capture(inner) => steps(inner, wide).saturating_add(4),
        // Both orders are written out.
        Pattern::Near { left, right, within } => {
            let sides = steps(left, wide).saturating_add(steps(right, wide));
            sides.saturating_mul(2).saturating_add(3 + 2 * gap(*within))
        }
        _ => 2,
    }
}

fn gap_ways(n: u8, wide: bool) -> u64 {
    if wide { 2 * u64::from(n) + 3 } else { u64::from(n) + 1 }
}
