//! Letters repeated three or more times.

use super::runs;
use crate::fold::Folded;
use crate::language::Language;
use sonometer::protocol::phrase::{Pattern, WordKind};
use sonometer::protocol::{Marker, Protocol};
use std::ops::Range;

/// In each run of letters, each row of three or more of the same letter becomes two or one.
pub(super) fn undo(row: &[Folded], is_known: &dyn Fn(&str) -> bool) -> Vec<Folded> {
    let mut new = Vec::new();
    let mut done = 0;
    for run in runs(row, |c| c.is_ascii_alphabetic()) {
        new.extend_from_slice(&row[done..run.start]);
        new.extend(shortened(&row[run.clone()], is_known));
        done = run.end;
    }
    new.extend_from_slice(&row[done..]);
    new
}

/// A function word, a frequent word, or a word that the protocol itself asks for.
pub(super) fn is_known(word: &str, protocol: &Protocol, language: &Language) -> bool {
    language.is_function_word(word) || language.is_frequent(word) || is_asked_for(word, protocol)
}

fn is_asked_for(word: &str, protocol: &Protocol) -> bool {
    let mut lines = protocol.markers.iter().flat_map(Marker::all_lines);
    let is_word = |part: &Pattern| match part {
        Pattern::Word(test) => test.kind == WordKind::Equal && *test.folded == *word,
        Pattern::Exact(exact) => *exact.folded == *word,
        Pattern::Phrases(phrases) => phrases.has_word(word),
        _ => false,
    };
    lines.any(|line| crate::matching::parts(&line.pattern()).into_iter().any(is_word))
}

/// The first way that gives a known word; else, and with five rows or more, all are single.
fn shortened(run: &[Folded], is_known: &dyn Fn(&str) -> bool) -> Vec<Folded> {
    let rows = rows(run);
    let all_single = (1 << rows.len().min(63)) - 1;
    if rows.len() <= 4 {
        for way in 0..=all_single {
            let word = way_of(run, &rows, way);
            let text: String = word.iter().map(|cell| cell.char.to_ascii_lowercase()).collect();
            if is_known(&text) {
                return word;
            }
        }
    }
    way_of(run, &rows, all_single)
}

/// The rows of three or more of the same letter.
fn rows(run: &[Folded]) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut at = 0;
    while at < run.len() {
        let same = |cell: &&Folded| cell.char.eq_ignore_ascii_case(&run[at].char);
        let length = run[at..].iter().take_while(same).count();
        if length >= 3 {
            rows.push(at..at + length);
        }
        at += length;
    }
    rows
}

/// Row j is single if bit j of the way is set, double otherwise. The last one kept stands for the rest of its row.
fn way_of(run: &[Folded], rows: &[Range<usize>], way: u64) -> Vec<Folded> {
    let mut word = Vec::new();
    let mut done = 0;
    for (j, row) in rows.iter().enumerate() {
        let is_single = j >= 63 || way & (1 << j) != 0;
        let kept = row.start + if is_single { 1 } else { 2 };
        word.extend_from_slice(&run[done..kept]);
        if let Some(last) = word.last_mut() {
            last.end = run[row.end - 1].end;
        }
        done = row.end;
    }
    word.extend_from_slice(&run[done..]);
    word
}
