//! Digits and signs for letters.

use super::runs;
use crate::fold::Folded;
use std::ops::Range;

/// In each run that reads as a word in disguise, digits and signs become letters.
pub(super) fn undo(row: &[Folded]) -> Vec<Folded> {
    let mut new = row.to_vec();
    for run in runs(row, |c| c.is_ascii_alphanumeric() || "@$!|".contains(c)) {
        let run = cut_back(row, run);
        if is_disguised(&row[run.clone()]) {
            for at in run.clone() {
                new[at].char = letter(row, &run, at);
            }
        }
    }
    new
}

/// No `!` or `|` stands at an end.
fn cut_back(row: &[Folded], mut run: Range<usize>) -> Range<usize> {
    while run.start < run.end && "!|".contains(row[run.start].char) {
        run.start += 1;
    }
    while run.start < run.end && "!|".contains(row[run.end - 1].char) {
        run.end -= 1;
    }
    run
}

/// Two letters or more, at least one digit or sign, no `2` or `6`.
fn is_disguised(run: &[Folded]) -> bool {
    let letters = run.iter().filter(|cell| cell.char.is_ascii_alphabetic()).count();
    letters >= 2 && letters < run.len() && !run.iter().any(|cell| "26".contains(cell.char))
}

/// The letter that a character of a run stands for.
fn letter(row: &[Folded], run: &Range<usize>, at: usize) -> char {
    match row[at].char {
        '0' => 'o',
        '1' if beside_another_one(row, run, at) => 'l',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '8' => 'b',
        '9' => 'g',
        '|' => 'l',
        other => other,
    }
}

fn beside_another_one(row: &[Folded], run: &Range<usize>, at: usize) -> bool {
    at > run.start && row[at - 1].char == '1' || at + 1 < run.end && row[at + 1].char == '1'
}
