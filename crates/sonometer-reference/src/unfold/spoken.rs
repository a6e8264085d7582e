//! Digits written as words.

use super::{is_beside, runs};
use crate::fold::Folded;
use crate::language::Language;
use std::ops::Range;

/// What stands between the items of a row.
const SEPARATORS: &str = " ,-";

/// A word or number that stands for digits.
struct Item {
    /// The cells it stands on.
    cells: Range<usize>,
    /// Its digits, each with the bytes that it stands for.
    digits: Vec<Folded>,
    /// Whether it is written as words.
    is_word: bool,
}

/// Each row of items with at least one word and at least three digits becomes its digits.
pub(super) fn undo(row: &[Folded], language: &Language) -> Vec<Folded> {
    let mut new = Vec::new();
    let mut done = 0;
    for items in rows(row, items(row, language)) {
        let digits = || items.iter().flat_map(|item| &item.digits).copied();
        if items.iter().any(|item| item.is_word) && digits().count() >= 3 {
            new.extend_from_slice(&row[done..items[0].cells.start]);
            new.extend(digits());
            done = items[items.len() - 1].cells.end;
        }
    }
    new.extend_from_slice(&row[done..]);
    new
}

/// Items that are separated by one or two signs make a row.
fn rows(row: &[Folded], items: Vec<Item>) -> Vec<Vec<Item>> {
    let mut rows: Vec<Vec<Item>> = Vec::new();
    for item in items {
        match rows.last_mut() {
            Some(last) if are_neighbours(row, last[last.len() - 1].cells.end, item.cells.start) => {
                last.push(item)
            }
            _ => rows.push(vec![item]),
        }
    }
    rows
}

fn are_neighbours(row: &[Folded], end: usize, start: usize) -> bool {
    let between = &row[end..start];
    matches!(between.len(), 1 | 2) && between.iter().all(|cell| SEPARATORS.contains(cell.char))
}

/// All items, in order.
fn items(row: &[Folded], language: &Language) -> Vec<Item> {
    let words: Vec<Range<usize>> = runs(row, |c| c.is_ascii_alphabetic())
        .into_iter()
        .filter(|run| !is_beside(row, run, |c| c.is_ascii_digit() || c == '\''))
        .collect();
    let mut items = Vec::new();
    for (k, word) in words.iter().enumerate() {
        let after_multiplier = k.checked_sub(1).and_then(|before| {
            let before = &words[before];
            let times = language.multiplier(&text(row, before))?;
            are_joined(row, before.end, word.start).then_some((before, times))
        });
        let Some(digit) = language.spoken_digit(&text(row, word)) else { continue };
        items.push(match after_multiplier {
            Some((multiplier, times)) => multiplied(row, multiplier, word, times, digit),
            None => Item { cells: word.clone(), digits: vec![cell(row, word, digit)], is_word: true },
        });
    }
    for number in runs(row, |c| c.is_ascii_digit()) {
        if !is_beside(row, &number, |c| c.is_ascii_alphabetic()) {
            items.push(Item { digits: row[number.clone()].to_vec(), cells: number, is_word: false });
        }
    }
    items.sort_by_key(|item| item.cells.start);
    items
}

/// One space or `-` stands between a multiplier and its digit word.
fn are_joined(row: &[Folded], end: usize, start: usize) -> bool {
    start == end + 1 && " -".contains(row[end].char)
}

/// The first digit stands for the multiplier's bytes, the others for the digit word's.
fn multiplied(
    row: &[Folded],
    multiplier: &Range<usize>,
    word: &Range<usize>,
    times: usize,
    digit: char,
) -> Item {
    let mut digits = vec![cell(row, multiplier, digit)];
    digits.resize(times, cell(row, word, digit));
    Item { cells: multiplier.start..word.end, digits, is_word: true }
}

/// A digit that stands for all bytes of a word.
fn cell(row: &[Folded], word: &Range<usize>, digit: char) -> Folded {
    Folded { char: digit, start: row[word.start].start, end: row[word.end - 1].end }
}

fn text(row: &[Folded], word: &Range<usize>) -> String {
    row[word.clone()].iter().map(|cell| cell.char.to_ascii_lowercase()).collect()
}
