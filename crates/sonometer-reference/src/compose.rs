//! Section 1, composing: one kind of line end, and letters composed with their marks.

use std::ops::Range;
use unicode_normalization::char::{canonical_combining_class, decompose_canonical};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A composed text, and for each of its characters the bytes of the original that it stands for.
#[derive(Clone)]
pub(crate) struct Composed {
    /// The text.
    pub(crate) text: String,
    /// By character: where it begins in the text, and where it stands in the original.
    cells: Vec<(usize, Range<usize>)>,
}

impl Composed {
    /// The composed form of a text.
    pub(crate) fn new(original: &str) -> Self {
        let mut composed = Self { text: String::new(), cells: Vec::new() };
        for row in rows(original) {
            let written = &original[row.clone()];
            let new: String = match written {
                "\r\n" | "\r" => "\n".to_owned(),
                _ => written.nfc().collect(),
            };
            composed.push(written, &new, row.start);
        }
        composed
    }

    /// A text that is composed already.
    pub(crate) fn unchanged(original: &str) -> Self {
        let mut composed = Self { text: String::new(), cells: Vec::new() };
        composed.push(original, original, 0);
        composed
    }

    /// Appends a row: characters at its beginning that did not change stand for themselves, each of the others for all of
    /// what changed.
    fn push(&mut self, written: &str, new: &str, from: usize) {
        let same = written.chars().zip(new.chars()).take_while(|(a, b)| a == b);
        let same: usize = same.map(|(c, _)| c.len_utf8()).sum();
        for (at, c) in new.char_indices() {
            let stands_for = if at < same { at..at + c.len_utf8() } else { same..written.len() };
            self.cells.push((self.text.len() + at, from + stands_for.start..from + stands_for.end));
        }
        self.text.push_str(new);
    }

    /// The bytes of the original that a stretch of the composed text stands for.
    pub(crate) fn original(&self, place: &Range<usize>) -> Range<usize> {
        let inside: Vec<&Range<usize>> =
            self.cells.iter().filter(|(at, _)| place.contains(at)).map(|(_, cell)| cell).collect();
        match (inside.first(), inside.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => place.clone(),
        }
    }
}

/// The rows of a text, in bytes.
fn rows(text: &str) -> Vec<Range<usize>> {
    let mut rows: Vec<Range<usize>> = Vec::new();
    let mut length = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let before = text[..at].chars().next_back();
        let is_line_end = matches!(c, '\r' | '\n');
        let goes_on = match before {
            None => false,
            Some('\r') => c == '\n',
            Some('\n') => false,
            Some(_) => !is_line_end && is_joined(c) && length <= 32,
        };
        match rows.last_mut() {
            Some(row) if goes_on => {
                row.end = end;
                length += 1;
            }
            _ => {
                rows.push(at..end);
                length = 1;
            }
        }
    }
    rows
}

/// Whether a character may go together with what stands before it.
fn is_joined(c: char) -> bool {
    let mut first = None;
    decompose_canonical(c, |part| first = first.or(Some(part)));
    let is_special =
        |c: char| is_nfc_quick(std::iter::once(c)) != IsNormalized::Yes || canonical_combining_class(c) != 0;
    is_special(c) && first.is_some_and(is_special)
}
