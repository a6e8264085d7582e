//! Words written letter by letter.

use super::{is_beside, runs};
use crate::fold::Folded;
use std::collections::BTreeSet;

/// The signs that can stand between the letters.
const SEPARATORS: &str = " .-_*";

/// From each row of three or more single letters, each two separated by one and the same sign, the signs vanish.
pub(super) fn undo(row: &[Folded]) -> Vec<Folded> {
    let single = single_letters(row);
    let is_link = |at: usize, sign: char| {
        row[at].char == sign && at > 0 && single.contains(&(at - 1)) && single.contains(&(at + 1))
    };
    let mut vanish = BTreeSet::new();
    for sign in SEPARATORS.chars() {
        // Two such signs that share a letter make a row of three letters.
        for at in (0..row.len()).filter(|at| is_link(*at, sign)) {
            let shares = at >= 2 && is_link(at - 2, sign) || at + 2 < row.len() && is_link(at + 2, sign);
            if shares {
                vanish.insert(at);
            }
        }
    }
    (0..row.len()).filter(|at| !vanish.contains(at)).map(|at| row[at]).collect()
}

/// The letters with no letter, digit or `'` beside them.
fn single_letters(row: &[Folded]) -> BTreeSet<usize> {
    runs(row, |c| c.is_ascii_alphabetic())
        .into_iter()
        .filter(|run| run.len() == 1 && !is_beside(row, run, |c| c.is_ascii_digit() || c == '\''))
        .map(|run| run.start)
        .collect()
}
