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
        let [own, widened] = costs(pattern);
        let beyond = |steps: u64| if gaps_in(pattern) == 1 { steps } else { 0 };
        let first_look = own.looks.saturating_add(beyond(widened.looks));
        if first_look <= FIRST_LOOK {
            return first_look;
        }
        let remembered = own.steps.saturating_add(beyond(widened.steps));
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

/// What a pattern costs from one token on.
#[derive(Clone, Copy)]
struct Cost {
    /// How many ways through it there are.
    ways: u64,
    /// The steps that it takes to go each of them by itself.
    looks: u64,
    /// Its instructions and the ways that they lead.
    steps: u64,
}

impl Cost {
    const fn new(ways: u64, looks: u64, steps: u64) -> Self {
        Self { ways, looks, steps }
    }

    /// One after the other.
    fn then(self, next: Self) -> Self {
        Self {
            ways: self.ways.saturating_mul(next.ways),
            looks: self.looks.saturating_add(self.ways.saturating_mul(next.looks)),
            steps: self.steps.saturating_add(next.steps),
        }
    }

    /// One or the other. Instructions with two ways on tell them apart, whose steps the caller knows.
    fn or(self, other: Self) -> Self {
        Self {
            ways: self.ways.saturating_add(other.ways),
            looks: self.looks.saturating_add(other.looks).saturating_add(2),
            steps: self.steps.saturating_add(other.steps),
        }
    }

    fn and_steps(self, steps: u64) -> Self {
        Self { steps: self.steps.saturating_add(steps), ..self }
    }
}

/// What a pattern costs: as it stands, and with its gaps widened, which then reach 2n + 2 tokens. Both at once, as what long lists have in common is
/// found by sorting them.
fn costs(pattern: &Pattern) -> [Cost; 2] {
    let same = |cost: Cost| [cost; 2];
    let each = |a: [Cost; 2], b: [Cost; 2], of: fn(Cost, Cost) -> Cost| [of(a[0], b[0]), of(a[1], b[1])];
    let gap = |n: u8| {
        let n = u64::from(n);
        [n + 1, 2 * n + 3].map(|to| Cost::new(to, to, 1 + to))
    };
    match pattern {
        Pattern::Class(_) => same(Cost::new(OCCURRENCES, OCCURRENCES, 1 + OCCURRENCES)),
        Pattern::Gap { max } => gap(*max),
        Pattern::Sequence(items) => {
            items.iter().map(costs).fold(same(Cost::new(1, 0, 0)), |all, item| each(all, item, Cost::then))
        }
        Pattern::Either(items) => {
            let heads = Heads::of(items);
            let alike = heads.alike();
            // Behind their first words, each of those that began alike is at one word.
            let steps = 1 + alike + 2 * alike * heads.longest.saturating_sub(1);
            let plain = same(Cost::new(alike, alike.saturating_mul(heads.longest), steps));
            heads
                .others
                .iter()
                .map(|item| costs(item))
                .fold(plain, |all, item| each(all, item.map(|cost| cost.and_steps(3)), Cost::or))
        }
        // A walk through the tree of lists, and a way on from each phrase that ends in it.
        Pattern::Phrases(phrases) => {
            let words = u64::from(phrases.words().1);
            same(Cost::new(words, words, 1 + 2 * words))
        }
        Pattern::Optional(inner) => each(costs(inner), same(Cost::new(1, 0, 3)), Cost::or),
        Pattern::Capture(inner) => each(same(Cost::new(1, 2, 4)), costs(inner), Cost::then),
        // Both orders are written out.
        Pattern::Near { left, right, within } => {
            let (left, right, gap) = (costs(left), costs(right), gap(*within));
            let in_order = |a, b| each(each(a, gap, Cost::then), b, Cost::then);
            each(in_order(left, right), in_order(right, left), Cost::or).map(|cost| cost.and_steps(3))
        }
        _ => same(Cost::new(1, 1, 2)),
    }
}
