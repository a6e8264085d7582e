//! Section 1, tokens: the folded text cut into words and symbols.

use crate::characters::{CharClass, class_of};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Letters and digits, or one ideograph.
    Word,
    /// An emoji or another sign that stands alone.
    Symbol,
}

/// A token as a range of folded characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The first character.
    pub(crate) from: usize,
    /// One past the last.
    pub(crate) to: usize,
    /// Word or symbol.
    pub(crate) kind: Kind,
}

/// The tokens of a folded text, in order.
pub(crate) fn tokens(text: &[char]) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (kind, to) = match class_of(text[at]) {
            CharClass::Word | CharClass::Mark => (Kind::Word, word_end(text, at)),
            CharClass::Ideograph => (Kind::Word, after_marks(text, at + 1)),
            CharClass::Symbol => (Kind::Symbol, symbol_end(text, at)),
            CharClass::Other => {
                at += 1;
                continue;
            }
        };
        cuts.push(Cut { from: at, to, kind });
        at = to;
    }
    cuts
}

/// A letter is a `Word` character that is not an ASCII digit.
fn is_letter(c: char) -> bool {
    class_of(c) == CharClass::Word && !c.is_ascii_digit()
}

fn has_class(text: &[char], at: usize, class: CharClass) -> bool {
    text.get(at).is_some_and(|c| class_of(*c) == class)
}

/// The end of the run of `Word` characters, marks and joining signs that begins at `from`.
fn word_end(text: &[char], from: usize) -> usize {
    let mut to = from + 1;
    while has_class(text, to, CharClass::Word) || has_class(text, to, CharClass::Mark) || joins(text, to) {
        to += 1;
    }
    to
}

/// A `'` between two letters joins, a `.` or `,` between two ASCII digits joins.
fn joins(text: &[char], at: usize) -> bool {
    let (Some(before), Some(sign), Some(after)) =
        (at.checked_sub(1).and_then(|b| text.get(b)), text.get(at), text.get(at + 1))
    else {
        return false;
    };
    match sign {
        '\'' => is_letter(*before) && is_letter(*after),
        '.' | ',' => before.is_ascii_digit() && after.is_ascii_digit(),
        _ => false,
    }
}

fn after_marks(text: &[char], mut at: usize) -> usize {
    while has_class(text, at, CharClass::Mark) {
        at += 1;
    }
    at
}

/// A symbol with its marks, and any number of (zero-width joiner, symbol, marks).
fn symbol_end(text: &[char], from: usize) -> usize {
    let mut to = after_marks(text, one_symbol(text, from));
    while text.get(to) == Some(&'\u{200d}') && has_class(text, to + 1, CharClass::Symbol) {
        to = after_marks(text, one_symbol(text, to + 1));
    }
    to
}

/// Two adjacent regional indicators are one symbol.
fn one_symbol(text: &[char], at: usize) -> usize {
    let regional = |at: usize| text.get(at).is_some_and(|c| ('\u{1f1e6}'..='\u{1f1ff}').contains(c));
    if regional(at) && regional(at + 1) { at + 2 } else { at + 1 }
}
