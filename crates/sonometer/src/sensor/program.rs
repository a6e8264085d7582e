//! Patterns that are more than plain phrases: a small program over tokens, and the anchors where it is tried.

use crate::class::ClassSet;
use crate::protocol::phrase::Class;
use std::sync::Arc;

/// One pattern as instructions. A way through them from `start` to [`Op::Match`] is a match.
#[derive(Debug)]
pub(crate) struct Program {
    /// Emitted back to front: each leads to lower numbers.
    pub(crate) ops: Box<[Op]>,
    /// Where execution begins: mostly the last of `ops`.
    pub(crate) entry: Next,
    /// Whether near misses by too long a gap are asked for: then every way has one gap.
    pub(crate) one_gap: bool,
    /// The words of which every match begins with one, if they are few; asked before a start is noted.
    pub(crate) first_words: Option<Box<[u32]>>,
    /// The classes named in the pattern: they widen the place of a match.
    pub(crate) classes: Box<[Class]>,
    /// Whether the pattern has braces: then every way has one [`Op::Open`] and one [`Op::Close`].
    pub(crate) captures: bool,
}

impl Program {
    /// Whether a match can begin with this word, as far as words tell.
    #[inline]
    pub(crate) fn may_begin(&self, word: u32) -> bool {
        match &self.first_words {
            Some(words) => words.contains(&word),
            None => true,
        }
    }
}

/// The words and the classes of which every match begins with one; `None` where it can begin with something else.
pub(super) fn beginnings(ops: &[Op], entry: Next) -> Option<(Vec<u32>, ClassSet)> {
    let (mut words, mut classes) = (Vec::new(), ClassSet::NONE);
    // Many ways can lead to one instruction: those through `(a?|b?)`, twenty times over, are 2^20.
    let mut seen = vec![false; ops.len()];
    let mut todo = vec![entry];
    while let Some(op) = todo.pop() {
        if std::mem::replace(&mut seen[op as usize], true) {
            continue;
        }
        match &ops[op as usize] {
            Op::Word(word, _) | Op::Exact(word, ..) => words.push(*word),
            Op::Dispatch(first) if first.tests.is_empty() => {
                words.extend(first.words.iter().map(|(word, _)| *word));
            }
            Op::Class(Class::Detected(class), _) => classes = classes.with(*class),
            Op::Split(one, other) => todo.extend([*one, *other]),
            Op::Open(next) | Op::SentenceStart(next) | Op::TurnStart(next) => todo.push(*next),
            _ => return None,
        }
    }
    Some((words, classes))
}

/// The words of which every match begins with one; `None` where it can begin with something else, or with many words.
pub(super) fn first_words(ops: &[Op], entry: Next) -> Option<Box<[u32]>> {
    // They are compared one by one at each start: 8 numbers are 32 bytes, half a line of the cache.
    const MOST_COMPARED: usize = 8;
    let (mut words, classes) = beginnings(ops, entry)?;
    if words.len() > MOST_COMPARED || !classes.is_empty() {
        return None;
    }
    words.sort_unstable();
    words.dedup();
    Some(words.into())
}

/// The number of an instruction. 16 bits, so that an instruction and a point of execution stay small; `sensor/compile.rs` says
/// why they suffice.
pub(crate) type Next = u16;

/// One instruction. Those that consume move to the tokens behind what they consumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Consumes a token with this word number.
    Word(u32, Next),
    /// Consumes a token with this word number whose original text is `exact[i]` of the sensor.
    Exact(u32, u32, Next),
    /// Consumes a token that passes prefix or stem test i.
    Test(u32, Next),
    /// Consumes a token and goes on by its word number, or by a test it passes: the beginnings of many alternatives at
    /// once. Boxed, as every instruction takes as much memory as the largest: so 16 bytes, not 40.
    Dispatch(Box<Dispatch>),
    /// Consumes a phrase of list file i, whichever there is.
    List(u32, Next),
    /// Consumes any token.
    Any(Next),
    /// Consumes the tokens of an occurrence of the class that begins here.
    Class(Class, Next),
    /// Consumes the tokens of a match of regular expression i that begins and ends at edges of tokens.
    Regex(u32, Next),
    /// Skips 0 to n tokens, over break gaps too; n is at most 12 (`MAX_GAP`).
    Gap(u8, Next),
    /// Goes both ways.
    Split(Next, Next),
    /// Here what the braces hold begins, and ends.
    Open(Next),
    /// See [`Op::Open`].
    Close(Next),
    /// Holds before the first token.
    TurnStart(Next),
    /// Holds after the last token.
    TurnEnd(Next),
    /// Holds before the first token of a sentence, at the beginning of a match.
    SentenceStart(Next),
    /// Holds after the last token of a sentence.
    SentenceEnd(Next),
    /// Holds if the gap here has the mark; opens a break gap.
    Mark(char, Next),
    /// Holds if the sentence of the last consumed token is a question.
    Question(Next),
    /// The pattern has matched.
    Match,
}

/// The ways of [`Op::Dispatch`], each sorted list searched by halves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dispatch {
    /// (word number, where to go on), sorted. Shared by the programs in which it is the same, as those of lines that name a long list.
    pub(crate) words: Arc<[(u32, Next)]>,
    /// (test, where to go on), sorted.
    pub(crate) tests: Box<[(u32, Next)]>,
}

/// Something a token can be looked up by. Every key is two whole numbers: of keys of different sizes the compiler would also
/// compare uninitialized bytes, which is harmless but alarms the memory checkers of programs that embed the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    /// A word, by its number in the vocabulary.
    Word(u32),
    /// A prefix, stem or misspelling test, by its number in the sensor.
    Test(u32),
    /// The number of a class, see [`Key::class`].
    Class(u32),
    /// A regular expression, by its number in the sensor.
    Regex(u32),
    /// A phrase of a list file, by the number of the list in the sensor.
    List(u32),
}

impl Key {
    pub(crate) fn class(class: Class) -> Self {
        Self::Class(match class {
            Class::Detected(class) => class as u32,
            // No detected class has this number: there are a few dozen.
            Class::Shout => u32::MAX,
        })
    }
}
