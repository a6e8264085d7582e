//! Words of ASCII text, 64 bytes at a time.
//!
//! Every byte of a block becomes one bit (part of a word: 1); the edges of words are where bits change. A word then
//! costs a few operations and no branch per byte, which is where byte-by-byte scanners lose their time.

use super::block::Signs;
use super::token::{Sink, Words};
use std::ops::Range;

/// Cuts the ASCII stretch `range` of a text into tokens; other text must go through [`super::unicode::cut`], which gives
/// the same on ASCII. No word may go on beyond the stretch.
#[cfg_attr(small_build, optimize(speed))]
pub(super) fn cut_stretch(text: &str, range: Range<usize>, sink: &mut impl Sink) {
    let bytes = &text.as_bytes()[..range.end];
    // Two rounds a block: first all edges, then all words. The edges of a block are found without a branch to
    // mispredict, and the work on words stands in one place. A block has at most 64 edges, and one may be left from before: 65 of
    // 128 places, a power of two, so that `& 127` spares the check of bounds.
    let mut edges = [0u32; 128];
    let mut count = 0;
    // The block before; nothing before the first one, so that its first word counts as apart.
    let mut last = Signs::default();
    // Whether the word left from before stands apart from the one before it.
    let mut open_is_apart = 0;
    for base in range.clone().step_by(64) {
        let mut signs = match bytes[base..].first_chunk::<64>() {
            Some(full) => Signs::of(full),
            None => Signs::of_rest(&bytes[base..]),
        };
        let inside = last.words >> 63;
        signs.words |= joining(bytes, base, signs, inside);
        // A bit that differs from the one before it is an edge: a start or one past an end, in turn.
        let behind_word = signs.words << 1 | inside;
        let starts = signs.words & !behind_word;
        let apart = apart(starts, signs, last, count as u32, open_is_apart);
        let mut bits = signs.words ^ behind_word;
        while bits != 0 {
            edges[count & 127] = base as u32 + bits.trailing_zeros();
            count += 1;
            bits &= bits - 1;
        }
        let (whole, open) = edges[..count & 127].as_chunks::<2>();
        sink.words(text, Words { places: whole, apart: apart & ((1 << whole.len()) - 1) });
        // The start of a word that goes on in the next block stays.
        let open = open.first().copied();
        open_is_apart = apart >> whole.len();
        count = usize::from(open.is_some());
        edges[0] = open.unwrap_or_default();
        last = signs;
    }
    if count == 1 {
        sink.words(text, Words { places: &[[edges[0], range.end as u32]], apart: open_is_apart });
    }
}

/// Cuts a text that is all ASCII.
#[cfg(test)]
pub(super) fn cut(text: &str, sink: &mut impl Sink) {
    cut_stretch(text, 0..text.len(), sink);
}

/// Which words of a block do not follow the one before directly behind a single space: bit n for word n, the one left from before
/// counted (`open`: how many that are, 0 or 1; `open_is_apart`: its bit).
#[inline(always)]
fn apart(starts: u64, signs: Signs, last: Signs, open: u32, open_is_apart: u64) -> u64 {
    let behind_space = signs.spaces << 1 | last.spaces >> 63;
    let two_behind_word = signs.words << 2 | last.words >> 62;
    // About one in six: those behind marks, line breaks, several spaces.
    let mut left = starts & !(behind_space & two_behind_word);
    let mut apart = open_is_apart;
    while left != 0 {
        let lowest = left & left.wrapping_neg();
        apart |= 1 << ((starts & (lowest - 1)).count_ones() + open);
        left ^= lowest;
    }
    apart
}

/// The signs of a block that join words; `inside` is 1 if the byte before the block is one of a word.
#[inline]
#[cfg_attr(small_build, optimize(speed))]
fn joining(bytes: &[u8], base: usize, signs: Signs, inside: u64) -> u64 {
    let begins = bytes.get(base + 64).is_some_and(u8::is_ascii_alphanumeric);
    let between = (signs.words << 1 | inside) & (signs.words >> 1 | u64::from(begins) << 63);
    // Few are left.
    let mut candidates = signs.joiners & between;
    let mut joining = 0;
    while candidates != 0 {
        let at = base + candidates.trailing_zeros() as usize;
        let lowest = candidates & candidates.wrapping_neg();
        if joins(bytes[at - 1], bytes[at], bytes[at + 1]) {
            joining |= lowest;
        }
        candidates ^= lowest;
    }
    joining
}

/// Whether the sign `joiner` joins the two bytes around it to one word: an apostrophe between letters, a point or comma
/// between digits.
#[inline]
fn joins(before: u8, joiner: u8, after: u8) -> bool {
    match joiner {
        b'\'' => before.is_ascii_alphabetic() && after.is_ascii_alphabetic(),
        _ => before.is_ascii_digit() && after.is_ascii_digit(),
    }
}
