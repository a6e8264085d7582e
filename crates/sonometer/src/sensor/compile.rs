//! From pattern lines to phrases, programs and anchors.

use super::anchor::{Keyed, Part};
use super::parted::{Parted, Room};
use super::phrases;
use super::program::{self, Dispatch, Key, Next, Op, Program};
use crate::class::ClassSet;
use crate::language::Language;
use crate::names::Numbered;
use crate::protocol::phrase::{Class, Pattern, Phrases, Regex, WordKind, WordTest};
use crate::text::compose::composed;
use crate::text::vocabulary;
use std::collections::BTreeSet;
use std::mem::take;
use std::sync::Arc;

/// How often things that are no words are expected to occur in a million words, as [`Language::frequency`] says of words (1 for
/// a word that is not frequent). They decide between anchors, so they move work and never a match.
const CLASS_COST: u64 = 200;
const TEST_COST: u64 = 60;
const REGEX_COST: u64 = 20;

/// What became of a pattern.
#[derive(Debug)]
pub(crate) enum Body {
    /// Plain phrases: its matches come out of the phrase tree.
    Phrases,
    /// A program that is tried around its anchors; with plain phrases beside it where some alternatives are no more than that.
    Program(Box<Program>),
    /// The pattern of this rule, which comes earlier: what is found for that one is found for this one too.
    Twin(u32),
    /// `<question>` alone.
    Question,
    /// `/re/` alone: the number of the regular expression.
    Regex(u32),
}

/// A test of a token that no look-up by word decides.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TokenTest {
    /// The prefix, stem or word, folded and in lower case.
    pub(crate) text: Box<str>,
    /// How it is compared: never [`WordKind::Equal`].
    pub(crate) kind: WordKind,
}

/// Collects what the patterns of a sensor share, each thing once: two lines with the same test have the same number for it.
#[derive(Debug, Default)]
pub(crate) struct Compiler {
    pub(crate) words: vocabulary::Builder,
    pub(crate) phrases: phrases::Builder,
    pub(crate) anchors: Vec<(Key, Anchored)>,
    pub(crate) everywhere: Vec<u32>,
    pub(crate) classes: ClassSet,
    pub(crate) shout: bool,
    /// The list files that programs look phrases up in, by number.
    pub(crate) lists: Vec<Phrases>,
    /// By list: how often the first words of its phrases are expected to occur. A list of 50,000 is gone through once, not for each line
    /// that names it.
    list_costs: Vec<u64>,
    /// The words of [`Op::Dispatch`], each different one once.
    dispatched: BTreeSet<Arc<[(u32, Next)]>>,
    tests: Numbered<TokenTest>,
    exacts: Numbered<Box<str>>,
    regexes: Numbered<Regex>,
    room: Room,
    /// The frequent words of the language, each as in [`Language::frequency`]: laid out, since every word of every line is asked for.
    frequent: Vec<(&'static str, u8)>,
}

/// A rule that is tried where its anchor stands: from `max` to `min` tokens before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Anchored {
    pub(crate) rule: u32,
    pub(crate) min: u32,
    pub(crate) max: u32,
}

impl Compiler {
    pub(crate) fn new(language: Option<&'static Language>) -> Self {
        let frequent = language.into_iter().flat_map(|language| language.frequency.iter()).collect();
        Self { frequent, ..Self::default() }
    }

    /// Compiles the pattern of rule number `rule`. It is tried wherever the `widened` pattern could match, if there is
    /// one.
    pub(crate) fn rule(&mut self, rule: u32, pattern: &Pattern, widened: Option<&Pattern>) -> Body {
        match pattern {
            Pattern::Question => return Body::Question,
            Pattern::Regex(regex) => return Body::Regex(self.regex(regex)),
            Pattern::Phrases(list) => {
                list.iter().for_each(|phrase| _ = self.phrase(rule, phrase));
                return Body::Phrases;
            }
            _ => {}
        }
        // A gap that is widened is one of the program, so a line with one stays whole.
        let Parted { phrases, rest } =
            if widened.is_none() { self.room.part(pattern) } else { Parted::whole(pattern) };
        for phrase in phrases {
            self.phrases.add(phrase.into_iter().map(|word| self.words.number(word)), rule);
        }
        let Some(rest) = rest else { return Body::Phrases };
        let pattern = &*rest;
        let mut code = Code { compiler: self, ops: Vec::new(), classes: Vec::new() };
        let end = code.push(Op::Match);
        let entry = code.emit(pattern, end);
        let Code { ops, mut classes, .. } = code;
        let captures = ops.iter().any(|op| matches!(op, Op::Open(_)));
        classes.sort_unstable();
        classes.dedup();
        match self.part(widened.unwrap_or(pattern)).anchor() {
            Some(anchor) => {
                let anchored = anchor.keys().into_iter();
                self.anchors
                    .extend(anchored.map(|Keyed { key, min, max, .. }| (key, Anchored { rule, min, max })));
            }
            None => self.everywhere.push(rule),
        }
        let first_words = program::first_words(&ops, entry);
        Body::Program(Box::new(Program {
            ops: ops.into(),
            entry,
            one_gap: widened.is_some(),
            first_words,
            classes: classes.into(),
            captures,
        }))
    }

    /// Compiles a line of plain words as rule number `rule`.
    pub(crate) fn phrase(&mut self, rule: u32, line: &str) -> Body {
        self.phrases.add(line.split(' ').map(|word| self.words.number(word)), rule);
        Body::Phrases
    }

    /// The tests, exact words and regular expressions in the order of their numbers.
    pub(crate) fn shared(&mut self) -> (Vec<TokenTest>, Vec<Box<str>>, Vec<Regex>) {
        let (tests, exacts, regexes) = (&mut self.tests, &mut self.exacts, &mut self.regexes);
        (take(tests).into_values(), take(exacts).into_values(), take(regexes).into_values())
    }

    fn part(&mut self, pattern: &Pattern) -> Part {
        match pattern {
            Pattern::Word(test) => match test.kind {
                WordKind::Equal => {
                    let cost = self.cost(&test.folded);
                    Part::Key(Key::Word(self.word(test)), cost)
                }
                _ => Part::Key(Key::Test(self.test(test)), TEST_COST),
            },
            Pattern::Exact(exact) => {
                let cost = self.cost(&exact.folded);
                Part::Key(Key::Word(self.words.number(&exact.folded)), cost)
            }
            Pattern::Class(class) => Part::Key(Key::class(*class), CLASS_COST),
            Pattern::Regex(regex) => Part::Key(Key::Regex(self.regex(regex)), REGEX_COST),
            Pattern::Phrases(list) => {
                let number = self.list(list);
                Part::List(Key::List(number), self.list_costs[number as usize], list.words())
            }
            Pattern::Any => Part::Blank(1, 1),
            Pattern::Gap { max } => Part::Blank(0, u32::from(*max)),
            Pattern::Capture(inner) => self.part(inner),
            Pattern::TurnStart | Pattern::TurnEnd | Pattern::SentenceStart | Pattern::SentenceEnd => {
                Part::Blank(0, 0)
            }
            Pattern::Mark(_) | Pattern::Question => Part::Blank(0, 0),
            Pattern::Sequence(items) => Part::All(items.iter().map(|p| self.part(p)).collect()),
            Pattern::Either(items) => Part::One(items.iter().map(|p| self.part(p)).collect()),
            Pattern::Optional(inner) => Part::One(vec![self.part(inner), Part::Blank(0, 0)]),
            Pattern::Near { left, right, within } => {
                let gap = || Part::Blank(0, u32::from(*within));
                let one_way = vec![self.part(left), gap(), self.part(right)];
                let other_way = vec![self.part(right), gap(), self.part(left)];
                Part::One(vec![Part::All(one_way), Part::All(other_way)])
            }
        }
    }

    /// About how often a word occurs in a million words; 1 for words that are not frequent.
    fn cost(&self, word: &str) -> u64 {
        let known = self.frequent.binary_search_by_key(&word, |(known, _)| known);
        known.map_or(1, |at| 1 << self.frequent[at].1)
    }

    /// The number of a list file; a protocol has few (`MAX_LIST_FILES`).
    fn list(&mut self, list: &Phrases) -> u32 {
        let known = self.lists.iter().position(|known| known == list);
        known.unwrap_or_else(|| {
            let first = list.iter().map(|phrase| phrase.split(' ').next().unwrap_or_default());
            self.list_costs.push(first.map(|word| self.cost(word)).sum());
            self.lists.push(list.clone());
            self.lists.len() - 1
        }) as u32
    }

    /// The same as another program has, if there is one.
    fn dispatched(&mut self, words: Vec<(u32, Next)>) -> Arc<[(u32, Next)]> {
        if let Some(known) = self.dispatched.get(&words[..]) {
            return Arc::clone(known);
        }
        let words: Arc<[(u32, Next)]> = words.into();
        self.dispatched.insert(Arc::clone(&words));
        words
    }

    fn word(&mut self, test: &WordTest) -> u32 {
        self.words.number(&test.folded)
    }

    fn test(&mut self, test: &WordTest) -> u32 {
        let text = &*test.folded;
        // The kind is one digit, so that `pre*` and `pre~` have different names and no two tests share one.
        let name = format!("{}{text}", test.kind as u8);
        self.tests.number(&name, || TokenTest { text: text.into(), kind: test.kind })
    }

    fn regex(&mut self, regex: &Regex) -> u32 {
        let name = format!("{}{}", u8::from(regex.ignore_case), regex.source);
        self.regexes.number(&name, || regex.clone())
    }
}

/// The alternatives of alternatives, side by side.
fn flatten<'p>(items: &'p [Pattern], into: &mut Vec<&'p Pattern>) {
    for item in items {
        match item {
            Pattern::Either(inner) => flatten(inner, into),
            other => into.push(other),
        }
    }
}

/// The word that an alternative must begin with, and what follows it.
fn first_word(pattern: &Pattern) -> Option<(&WordTest, &[Pattern])> {
    match pattern {
        Pattern::Word(test) => Some((test, &[])),
        Pattern::Sequence(items) => match items.split_first() {
            Some((Pattern::Word(test), rest)) => Some((test, rest)),
            _ => None,
        },
        _ => None,
    }
}

/// Emits instructions back to front, so that each knows the number of the one behind it. All lead to lower numbers than their
/// own, so there is no circle, and what follows them ends without a check.
struct Code<'c> {
    compiler: &'c mut Compiler,
    ops: Vec<Op>,
    classes: Vec<Class>,
}

impl Code<'_> {
    fn push(&mut self, op: Op) -> Next {
        self.ops.push(op);
        // Fits 16 bits: the parser keeps a pattern below 4,096 parts, both orders of `&` counted (`protocol/phrase/check.rs`),
        // and each becomes at most four instructions (a `&` that is an alternative: two gaps, two splits): 16,384 < 65,536.
        (self.ops.len() - 1) as Next
    }

    fn emit(&mut self, pattern: &Pattern, next: Next) -> Next {
        match pattern {
            Pattern::Word(test) => {
                let op = match test.kind {
                    WordKind::Equal => Op::Word(self.compiler.word(test), next),
                    _ => Op::Test(self.compiler.test(test), next),
                };
                self.push(op)
            }
            Pattern::Exact(word) => {
                let original = &word.original;
                let exact = self.compiler.exacts.number(original, || composed(original).into());
                let word = self.compiler.words.number(&word.folded);
                self.push(Op::Exact(word, exact, next))
            }
            Pattern::Phrases(list) => {
                let number = self.compiler.list(list);
                self.push(Op::List(number, next))
            }
            Pattern::Any => self.push(Op::Any(next)),
            Pattern::Gap { max } => self.push(Op::Gap(*max, next)),
            Pattern::Sequence(items) => items.iter().rev().fold(next, |next, item| self.emit(item, next)),
            Pattern::Either(items) => {
                let mut entries = Vec::new();
                let (mut words, mut tests) = (Vec::new(), Vec::new());
                let mut flat = Vec::new();
                flatten(items, &mut flat);
                for item in flat {
                    match first_word(item) {
                        Some((test, rest)) => {
                            let next = rest.iter().rev().fold(next, |next, item| self.emit(item, next));
                            match test.kind {
                                WordKind::Equal => words.push((self.compiler.word(test), next)),
                                _ => tests.push((self.compiler.test(test), next)),
                            }
                        }
                        None => entries.push(self.emit(item, next)),
                    }
                }
                if !words.is_empty() || !tests.is_empty() {
                    // For look-ups by halves, and each way once: `(a|a)` is no more work than `a`.
                    words.sort_unstable();
                    words.dedup();
                    tests.sort_unstable();
                    tests.dedup();
                    let ways = Dispatch { words: self.compiler.dispatched(words), tests: tests.into() };
                    entries.push(self.push(Op::Dispatch(Box::new(ways))));
                }
                let mut entries = entries.into_iter().rev();
                let last = entries.next().unwrap_or(next);
                entries.fold(last, |rest, entry| self.push(Op::Split(entry, rest)))
            }
            Pattern::Optional(inner) => {
                let entry = self.emit(inner, next);
                self.push(Op::Split(entry, next))
            }
            Pattern::Near { left, right, within } => {
                let mut one_way = |first: &Pattern, second: &Pattern| {
                    let after = self.emit(second, next);
                    let gap = self.push(Op::Gap(*within, after));
                    self.emit(first, gap)
                };
                let (a, b) = (one_way(left, right), one_way(right, left));
                self.push(Op::Split(a, b))
            }
            Pattern::Capture(inner) => {
                let close = self.push(Op::Close(next));
                let entry = self.emit(inner, close);
                self.push(Op::Open(entry))
            }
            Pattern::SentenceStart => self.push(Op::SentenceStart(next)),
            Pattern::SentenceEnd => self.push(Op::SentenceEnd(next)),
            Pattern::TurnStart => self.push(Op::TurnStart(next)),
            Pattern::TurnEnd => self.push(Op::TurnEnd(next)),
            Pattern::Mark(mark) => self.push(Op::Mark(*mark, next)),
            Pattern::Question => self.push(Op::Question(next)),
            Pattern::Class(class) => {
                match class {
                    Class::Shout => self.compiler.shout = true,
                    Class::Detected(class) => self.compiler.classes = self.compiler.classes.with(*class),
                }
                self.classes.push(*class);
                self.push(Op::Class(*class, next))
            }
            Pattern::Regex(regex) => {
                let number = self.compiler.regex(regex);
                self.push(Op::Regex(number, next))
            }
        }
    }
}
