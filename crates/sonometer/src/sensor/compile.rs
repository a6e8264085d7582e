//! From pattern lines to phrases, programs and anchors.

use super::anchor::Part;
use super::phrases;
use super::program::{self, Anchor, Key, Next, Op, Program};
use super::vocabulary;
use crate::class::ClassSet;
use crate::language::Language;
use crate::names::Numbered;
use crate::protocol::phrase::{Class, Pattern, Regex, WordKind, WordTest};
use crate::text::compose::composed;
use std::mem::take;

/// A pattern that becomes more plain phrases than this is compiled as a program.
const MAX_VARIANTS: usize = 1_024;
/// Expected occurrences of things that are no words, in the unit of the language's word frequencies.
const CLASS_COST: u64 = 200;
const TEST_COST: u64 = 60;
const REGEX_COST: u64 = 20;

/// What became of a pattern.
#[derive(Debug)]
pub(crate) enum Body {
    /// Plain phrases: its matches come out of the phrase tree.
    Phrases,
    /// A program that is tried around its anchors.
    Program(Program),
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

/// Collects everything that the patterns of a sensor share.
#[derive(Debug, Default)]
pub(crate) struct Compiler {
    pub(crate) words: vocabulary::Builder,
    pub(crate) phrases: phrases::Builder,
    pub(crate) anchors: Vec<(Key, Anchored)>,
    pub(crate) everywhere: Vec<u32>,
    pub(crate) classes: ClassSet,
    pub(crate) shout: bool,
    tests: Numbered<TokenTest>,
    exacts: Numbered<Box<str>>,
    regexes: Numbered<Regex>,
    language: Option<&'static Language>,
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
        Self { language, ..Self::default() }
    }

    /// Compiles the pattern of rule number `rule`. It is tried wherever the `widened` pattern could match, if there is
    /// one.
    pub(crate) fn rule(&mut self, rule: u32, pattern: &Pattern, widened: Option<&Pattern>) -> Body {
        match pattern {
            Pattern::Question => return Body::Question,
            Pattern::Regex(regex) => return Body::Regex(self.regex(regex)),
            _ => {}
        }
        if let Some(variants) = plain_phrases(pattern) {
            for variant in variants {
                let numbers = variant.into_iter().map(|word| self.words.number(word)).collect();
                self.phrases.add(numbers, rule);
            }
            return Body::Phrases;
        }
        let mut code = Code { compiler: self, ops: Vec::new(), classes: Vec::new() };
        let end = code.push(Op::Match);
        let entry = code.emit(pattern, end);
        let Code { ops, mut classes, .. } = code;
        let captures = ops.iter().any(|op| matches!(op, Op::Open(_)));
        classes.sort_unstable();
        classes.dedup();
        match self.part(widened.unwrap_or(pattern)).anchor() {
            Some(Anchor { keys, min, max, .. }) => {
                self.anchors.extend(keys.into_iter().map(|key| (key, Anchored { rule, min, max })));
            }
            None => self.everywhere.push(rule),
        }
        let first_words = program::first_words(&ops, entry);
        Body::Program(Program {
            ops: ops.into(),
            entry,
            one_gap: widened.is_some(),
            first_words,
            classes: classes.into(),
            captures,
        })
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
                    let cost = self.language.map_or(1, |l| l.frequency(&test.folded));
                    Part::Key(Key::Word(self.word(test)), cost)
                }
                _ => Part::Key(Key::Test(self.test(test)), TEST_COST),
            },
            Pattern::Class(class) => Part::Key(Key::class(*class), CLASS_COST),
            Pattern::Regex(regex) => Part::Key(Key::Regex(self.regex(regex)), REGEX_COST),
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

    fn word(&mut self, test: &WordTest) -> u32 {
        self.words.number(&test.folded)
    }

    fn test(&mut self, test: &WordTest) -> u32 {
        let text = test.folded.as_str();
        let name = format!("{}{text}", test.kind as u8);
        self.tests.number(&name, || TokenTest { text: text.into(), kind: test.kind })
    }

    fn regex(&mut self, regex: &Regex) -> u32 {
        let name = format!("{}{}", u8::from(regex.ignore_case), regex.source);
        self.regexes.number(&name, || regex.clone())
    }
}

/// The phrases of a pattern of nothing but words, alternatives and options; `None` for others and for too many.
fn plain_phrases(pattern: &Pattern) -> Option<Vec<Vec<&str>>> {
    match pattern {
        Pattern::Word(WordTest { kind: WordKind::Equal, folded, exact: None }) => Some(vec![vec![folded]]),
        Pattern::Optional(inner) => {
            let mut variants = plain_phrases(inner)?;
            variants.push(Vec::new());
            Some(variants)
        }
        Pattern::Either(items) => {
            let mut variants = Vec::new();
            for item in items {
                variants.extend(plain_phrases(item)?);
                if variants.len() > MAX_VARIANTS {
                    return None;
                }
            }
            Some(variants)
        }
        Pattern::Sequence(items) => {
            let mut variants: Vec<Vec<&str>> = vec![Vec::new()];
            for item in items {
                let tails = plain_phrases(item)?;
                if variants.len() * tails.len() > MAX_VARIANTS {
                    return None;
                }
                variants = variants
                    .iter()
                    .flat_map(|head| tails.iter().map(move |tail| [head.as_slice(), tail].concat()))
                    .collect();
            }
            Some(variants)
        }
        _ => None,
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
        Pattern::Word(test) if test.exact.is_none() => Some((test, &[])),
        Pattern::Sequence(items) => match items.split_first() {
            Some((Pattern::Word(test), rest)) if test.exact.is_none() => Some((test, rest)),
            _ => None,
        },
        _ => None,
    }
}

/// Emits instructions back to front: every instruction knows the one that follows.
struct Code<'c> {
    compiler: &'c mut Compiler,
    ops: Vec<Op>,
    classes: Vec<Class>,
}

impl Code<'_> {
    fn push(&mut self, op: Op) -> Next {
        self.ops.push(op);
        // The parser keeps a pattern below 4,096 parts, of which each becomes at most two instructions.
        (self.ops.len() - 1) as Next
    }

    fn emit(&mut self, pattern: &Pattern, next: Next) -> Next {
        match pattern {
            Pattern::Word(test) => {
                let op = match (test.kind, &test.exact) {
                    (WordKind::Equal, None) => Op::Word(self.compiler.word(test), next),
                    (WordKind::Equal, Some(text)) => {
                        let exact = self.compiler.exacts.number(text, || composed(text).into());
                        Op::Exact(self.compiler.word(test), exact, next)
                    }
                    _ => Op::Test(self.compiler.test(test), next),
                };
                self.push(op)
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
                    words.sort_unstable();
                    words.dedup();
                    tests.sort_unstable();
                    tests.dedup();
                    entries.push(self.push(Op::Dispatch { words: words.into(), tests: tests.into() }));
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
