//! Section 1, the unfolded reading: what is undone before a text is read a second time.
//!
//! Each step takes a row of cells (characters with the bytes that they stand for) and gives a new one.

mod confusables;
mod leet;
mod repeats;
mod spaced;
mod spoken;

use crate::fold::Folded;
use crate::language::Language;
use sonometer::protocol::{Protocol, Unfold};
use std::ops::Range;

/// The row of a folded text after all steps that the protocol names; `None` if nothing changed.
pub(crate) fn unfold(folded: &[Folded], protocol: &Protocol, language: &Language) -> Option<Vec<Folded>> {
    let mut row = folded.to_vec();
    let mut steps = protocol.unfold.clone();
    steps.sort();
    for step in steps {
        row = match step {
            Unfold::Confusables => confusables::undo(&row),
            Unfold::Leet => leet::undo(&row),
            Unfold::Repeats => repeats::undo(&row, &|word| repeats::is_known(word, protocol, language)),
            Unfold::SpacedLetters => spaced::undo(&row),
            Unfold::SpokenDigits => spoken::undo(&row, language),
        };
    }
    (row != folded).then_some(row)
}

/// The maximal runs of cells whose characters are wanted.
fn runs(row: &[Folded], wanted: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < row.len() {
        let from = at;
        while at < row.len() && wanted(row[at].char) {
            at += 1;
        }
        if at > from {
            runs.push(from..at);
        }
        at = at.max(from + 1);
    }
    runs
}

/// Whether the cell there holds a wanted character; before the first and behind the last there is none.
fn is(row: &[Folded], at: Option<usize>, wanted: impl Fn(char) -> bool) -> bool {
    at.and_then(|at| row.get(at)).is_some_and(|cell| wanted(cell.char))
}

/// Whether one of these stands directly before or behind a run.
fn is_beside(row: &[Folded], run: &Range<usize>, wanted: impl Fn(char) -> bool) -> bool {
    is(row, run.start.checked_sub(1), &wanted) || is(row, Some(run.end), &wanted)
}
