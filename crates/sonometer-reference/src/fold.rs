//! Section 1, folding: the fold of each character from the shared table, the rules of context written again.

use crate::characters::{CharClass, class_of, extends, is_skin_tone};
use sonometer::text::fold::Folded as SharedFold;
use std::ops::Range;
use unicode_normalization::char::{canonical_combining_class, compose};

const JOINER: char = '\u{200d}';

/// A character of the folded text, and the bytes of the original that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Folded {
    /// The character.
    pub(crate) char: char,
    /// Its first byte in the original.
    pub(crate) start: usize,
    /// One past its last, dropped marks directly after it included.
    pub(crate) end: usize,
}

/// The folded text of a turn.
pub(crate) fn fold(original: &str) -> Vec<Folded> {
    let mut out: Vec<Folded> = Vec::new();
    let mut waiting_joiner: Option<Range<usize>> = None;
    for (start, c) in original.char_indices() {
        let source = start..start + c.len_utf8();
        let after_symbol = waiting_joiner.is_none() && ends_with_symbol(&out);
        if c == JOINER {
            // Of several in a row the last stays.
            if ends_with_symbol(&out) {
                waiting_joiner = Some(source);
            }
            continue;
        }
        let folds_to = if is_skin_tone(c) && after_symbol { Vec::new() } else { fold_one(c) };
        if folds_to.is_empty() && extends(c) {
            match &mut waiting_joiner {
                Some(joiner) if joiner.end == start => joiner.end = source.end,
                _ => extend(&mut out, &source),
            }
        }
        for folded in folds_to {
            if let Some(joiner) = waiting_joiner.take()
                && class_of(folded) == CharClass::Symbol
            {
                out.push(Folded { char: JOINER, start: joiner.start, end: joiner.end });
            }
            push(&mut out, folded, &source);
        }
    }
    out
}

/// The fold of a role in lower case, without outer white space.
pub(crate) fn fold_name(name: &str) -> String {
    let folded: String = fold(name).iter().map(|f| f.char.to_ascii_lowercase()).collect();
    folded.trim_matches([' ', '\t', '\n', '\r']).to_owned()
}

/// The fold of one character, out of context.
fn fold_one(c: char) -> Vec<char> {
    SharedFold::new(c.encode_utf8(&mut [0; 4])).text().chars().collect()
}

fn ends_with_symbol(out: &[Folded]) -> bool {
    out.last().is_some_and(|last| class_of(last.char) == CharClass::Symbol)
}

/// What is dropped directly after a character belongs to it: to all that the character folds to.
fn extend(out: &mut [Folded], dropped: &Range<usize>) {
    let Some(last) = out.last().copied() else { return };
    if last.end == dropped.start {
        for folded in out.iter_mut().rev().take_while(|f| (f.start, f.end) == (last.start, last.end)) {
            folded.end = dropped.end;
        }
    }
}

/// Appends a folded character: Hangul letters join into syllables, marks go into canonical order, and those that changed
/// places share one place.
fn push(out: &mut Vec<Folded>, char: char, source: &Range<usize>) {
    if let Some(last) = out.last_mut()
        && let Some(syllable) = syllable(last.char, char)
    {
        *last = Folded { char: syllable, start: last.start, end: source.end };
        return;
    }
    let class = mark_class(char);
    let higher = out.iter().rev().take_while(|f| class > 0 && mark_class(f.char) > class).count();
    let at = out.len() - higher;
    out.insert(at, Folded { char, start: source.start, end: source.end });
    if higher > 0 {
        let start = out[at..].iter().map(|f| f.start).min().unwrap_or(source.start);
        for moved in out.iter_mut().rev().take_while(|f| f.end > start) {
            (moved.start, moved.end) = (start, source.end);
        }
    }
}

/// The Hangul syllable of a consonant or syllable and a conjoining vowel or final consonant.
fn syllable(before: char, after: char) -> Option<char> {
    let conjoining = matches!(after, '\u{1161}'..='\u{1175}' | '\u{11a8}'..='\u{11c2}');
    if conjoining { compose(before, after) } else { None }
}

/// The canonical combining class of a mark, 0 for all other characters.
fn mark_class(c: char) -> u8 {
    if class_of(c) == CharClass::Mark { canonical_combining_class(c) } else { 0 }
}
