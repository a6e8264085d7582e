//! Unfolding: disguises that a reader sees through are undone (`раypal` with Cyrillic letters, `ridicul0us`, `sooooo`,
//! `c a n n o t`, `four double one`), and every place in the result knows where it was.
//!
//! The steps work on folded text, one after the other, each on what the one before made of it. A step replaces stretches
//! by a single ASCII character, written once or several times or not at all, and touches nothing else: so the map back is
//! the list of these changes. A *letter* in this folder is an ASCII letter; letters are compared without case.

mod change;
mod confusables;
mod leet;
mod repeats;
mod spaced;
mod spoken;

pub use confusables::CONFUSABLES;

use crate::language::Language;
use crate::names::named;
use crate::text::vocabulary::{Vocabulary, WordSet};
use change::Changes;
use std::ops::Range;

/// A disguise that is undone before a text is read a second time, in the order in which they are undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unfold {
    /// Look-alikes of Latin letters (`раypal` with Cyrillic letters).
    Confusables,
    /// Digits and signs for letters (`ridicul0us`).
    Leet,
    /// Letters repeated three or more times (`sooooo`).
    Repeats,
    /// Words written letter by letter (`c a n n o t`).
    SpacedLetters,
    /// Digits written as words (`four one double one`).
    SpokenDigits,
}

named!(Unfold {
    Confusables = "confusables",
    Leet = "leet",
    Repeats = "repeats",
    SpacedLetters = "spaced_letters",
    SpokenDigits = "spoken_digits",
});

/// What a protocol wants undone, and what that needs to know.
#[derive(Debug)]
pub(crate) struct Unfolding {
    /// Sorted: the order in which they are done.
    steps: Vec<Unfold>,
    language: Option<&'static Language>,
    /// The words that the patterns of the protocol name, of its vocabulary.
    named: WordSet,
}

impl Unfolding {
    /// What undoes these `steps`, for a protocol in `language` whose patterns name the words `named`.
    pub(crate) fn new(steps: Vec<Unfold>, language: Option<&'static Language>, named: WordSet) -> Self {
        Self { steps, language, named }
    }

    /// The folded text `folded` with everything undone, by the vocabulary of the protocol; `None` if there was nothing to undo.
    pub(crate) fn unfold(&self, folded: &str, vocabulary: &Vocabulary) -> Option<Unfolded> {
        let mut unfolded: Option<Unfolded> = None;
        for step in &self.steps {
            let text = unfolded.as_ref().map_or(folded, |unfolded| &unfolded.text);
            let mut changes = match step {
                Unfold::Confusables => confusables::changes(text),
                Unfold::Leet => leet::changes(text),
                Unfold::Repeats => repeats::changes(text, |word| self.knows(word, vocabulary)),
                Unfold::SpacedLetters => spaced::changes(text),
                Unfold::SpokenDigits => {
                    self.language.map_or_else(Changes::default, |l| spoken::changes(text, l))
                }
            };
            if !changes.is_empty() {
                let text = changes.apply(text);
                let mut layers = unfolded.map_or_else(Vec::new, |unfolded| unfolded.layers);
                layers.push(changes);
                unfolded = Some(Unfolded { text, layers });
            }
        }
        unfolded
    }

    /// Whether a word in lower case is one that people or the protocol use.
    fn knows(&self, word: &str, vocabulary: &Vocabulary) -> bool {
        self.named.has(vocabulary.number(word.as_bytes(), 0, word.len()))
            || self.language.is_some_and(|l| l.is_function_word(word) || l.frequency_class(word) > 0)
    }
}

/// A folded text with everything undone, and the way back.
#[derive(Debug)]
pub(crate) struct Unfolded {
    text: String,
    /// The changes of each step that made any, the first step first.
    layers: Vec<Changes>,
}

impl Unfolded {
    /// The text with everything undone.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// A folded text in which nothing is undone, for a part of a turn that is read once more because of another part.
    pub(crate) fn unchanged(folded: &str) -> Self {
        Self { text: folded.to_owned(), layers: Vec::new() }
    }

    /// Where a byte of the folded text is, which no disguise reaches over.
    pub(crate) fn offset(&self, folded: usize) -> usize {
        self.layers.iter().fold(folded, |at, changes| changes.target(at))
    }

    /// The bytes of the folded text that a stretch of the unfolded text (not empty, on character boundaries) stands for.
    pub(crate) fn folded_range(&self, range: Range<usize>) -> Range<usize> {
        self.layers.iter().rev().fold(range, |range, changes| changes.source(range))
    }
}

/// Whether a byte is a letter or a digit.
fn is_alphanumeric(byte: Option<&u8>) -> bool {
    byte.is_some_and(u8::is_ascii_alphanumeric)
}

/// Whether a byte is a letter, a digit or an apostrophe: what goes on with a word.
fn continues_word(byte: Option<&u8>) -> bool {
    is_alphanumeric(byte) || byte == Some(&b'\'')
}

#[cfg(test)]
mod tests;
