//! The phrase language as a tree: what one pattern line means, before it is compiled.

use super::Phrases;
use crate::expression::PLACE_GROUP;
use crate::text::compose::composed;
use std::sync::Arc;

/// One pattern line. Any match consumes at least one token or class occurrence, or is a whole sentence
/// (`<question>` alone).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// One word, tested on its folded form.
    Word(WordTest),
    /// `"Exact"`: one word, in these very characters. Boxed, as few are: every part of a pattern takes as much memory as the largest.
    Exact(Box<ExactWord>),
    /// `_`: any one token.
    Any,
    /// `..3..` or `...`: from zero to `max` tokens of any kind, never across a sentence end.
    Gap {
        /// The largest number of tokens skipped, 1 to [`MAX_GAP`].
        max: u8,
    },
    /// One after the other.
    Sequence(Arc<[Pattern]>),
    /// `(a|b c)` or `@list`: one of them. Never empty. Shared by all lines that name a list: none copies it.
    Either(Arc<[Pattern]>),
    /// `@list` of a list file: one of its phrases.
    Phrases(Phrases),
    /// `x?`: once or not at all.
    Optional(Box<Pattern>),
    /// `a &6 b`: both, in any order, with at most `within` tokens between them.
    Near {
        /// One side.
        left: Box<Pattern>,
        /// The other side.
        right: Box<Pattern>,
        /// The largest number of tokens between the two sides, 0 to [`MAX_GAP`].
        within: u8,
    },
    /// `{x}`: the part of the line that is the place of the evidence. Every way through the line has exactly one.
    Capture(Box<Pattern>),
    /// `^`: here the turn begins.
    TurnStart,
    /// `$`: here the turn ends.
    TurnEnd,
    /// `<start>`: the match begins a sentence.
    SentenceStart,
    /// `<end>`: here a sentence ends.
    SentenceEnd,
    /// A punctuation mark on its own (`,`): the text between the neighbouring tokens holds it.
    Mark(char),
    /// `<email>`: an occurrence of a built-in class.
    Class(Class),
    /// `<question>`: this sentence ends with a question mark.
    Question,
    /// `/re/` or `/re/i`: a match of a regular expression on the original text.
    Regex(Regex),
}

/// The longest gap that can be written.
pub const MAX_GAP: u8 = 12;

/// How a word of the text is compared with a word of the pattern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WordTest {
    /// The comparison.
    pub kind: WordKind,
    /// The folded, lower-case word, prefix, or stem that is compared.
    pub folded: Box<str>,
}

/// A word that is found by its folded form and told from others by its characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExactWord {
    /// The folded, lower-case word.
    pub folded: Box<str>,
    /// What the original text of the token must be.
    pub original: Box<str>,
}

/// The comparison of a [`WordTest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WordKind {
    /// `word`: the folded word is equal.
    Equal,
    /// `word*`: the folded word begins so.
    Prefix,
    /// `word~`: the stem of the folded word is equal to the stem stored in `folded`.
    Inflection,
    /// `word%1`: the folded word is equal but for at most one edit (a character put in, left out or replaced, or two
    /// neighbours swapped).
    Misspelt,
}

/// A class that a pattern names: one of the detectors in [`crate::class`], or loud writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A detector over digits, signs and names.
    Detected(crate::class::Class),
    /// `<shout>`: two or more words in capitals, or a word followed by `!!`.
    Shout,
}

/// A regular expression of a pattern line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Regex {
    /// The expression between the slashes.
    pub source: Box<str>,
    /// `/re/i`.
    pub ignore_case: bool,
}

impl Regex {
    /// The pattern that is compiled. Whether it ignores case is part of its text, so that nobody who compiles that in another way can
    /// forget it.
    pub(crate) fn pattern(&self) -> String {
        let flags = if self.ignore_case { "(?i)" } else { "" };
        format!("{flags}{}", composed(&self.source))
    }

    /// Whether a group of it is the place of its evidence.
    pub(crate) fn has_place(&self) -> bool {
        let begins = |sign: &str| {
            let name = self.source.split(sign).skip(1);
            name.clone().any(|rest| rest.strip_prefix(PLACE_GROUP).is_some_and(|rest| rest.starts_with('>')))
        };
        begins("(?<") || begins("(?P<")
    }
}
