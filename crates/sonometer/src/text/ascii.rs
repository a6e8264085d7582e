//! Words of ASCII text, 64 bytes at a time.
//!
//! Every byte of a block becomes one bit (part of a word: 1); the edges of words are where bits change. A word then
//! costs a few operations and no branch per byte, which is where byte-by-byte scanners lose their time.

use super::token::Sink;
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
    let mut inside = 0;
    for base in range.clone().step_by(64) {
        let signs = match bytes[base..].first_chunk::<64>() {
            Some(full) => signs_of(full),
            None => signs_of_rest(&bytes[base..]),
        };
        let words = signs.words | joining(bytes, base, signs, inside);
        // A bit that differs from the one before it is an edge: a start or one past an end, in turn.
        let mut bits = words ^ (words << 1 | inside);
        inside = words >> 63;
        while bits != 0 {
            edges[count & 127] = base as u32 + bits.trailing_zeros();
            count += 1;
            bits &= bits - 1;
        }
        let (whole, open) = edges[..count & 127].as_chunks::<2>();
        sink.words(text, whole);
        // The start of a word that goes on in the next block stays.
        let open = open.first().copied();
        count = usize::from(open.is_some());
        edges[0] = open.unwrap_or_default();
    }
    if count == 1 {
        sink.words(text, &[[edges[0], range.end as u32]]);
    }
}

/// Cuts a text that is all ASCII.
#[cfg(test)]
pub(super) fn cut(text: &str, sink: &mut impl Sink) {
    cut_stretch(text, 0..text.len(), sink);
}

/// One bit per byte of a block.
#[derive(Clone, Copy)]
struct Signs {
    /// Letters and digits.
    words: u64,
    /// Apostrophes, points and commas.
    joiners: u64,
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

#[inline(never)]
#[cfg_attr(small_build, optimize(speed))]
fn signs_of_rest(rest: &[u8]) -> Signs {
    let mut block = [0; 64];
    block[..rest.len()].copy_from_slice(rest);
    signs_of(&block)
}

#[inline(always)]
fn signs_of(block: &[u8; 64]) -> Signs {
    let mut signs = Signs { words: 0, joiners: 0 };
    for (at, chunk) in block.as_chunks::<8>().0.iter().enumerate() {
        let x = u64::from_le_bytes(*chunk);
        // Setting 0x20 makes small letters of capitals; what else it changes is no letter before or after.
        let lower = x | repeat(0x20);
        let letter = reaches(lower, b'a') & !reaches(lower, b'z' + 1);
        let digit = reaches(x, b'0') & !reaches(x, b'9' + 1);
        // A comma differs from a point in one bit.
        let joiner = !(differs(x, b'\'') & differs(x | repeat(b',' ^ b'.'), b'.'));
        signs.words |= gathered(letter | digit) << (8 * at);
        signs.joiners |= gathered(joiner) << (8 * at);
    }
    signs
}

/// Sets the high bit of every byte that is at least `byte`. All bytes are below 0x80 and `0x80 - byte` is at most 0x80, so each sum
/// is below 0x100 and nothing carries over to the next byte.
#[inline(always)]
fn reaches(x: u64, byte: u8) -> u64 {
    x + repeat(0x80 - byte)
}

/// Sets the high bit of every byte that is not `byte`: a difference of 1 or more, at most 0x7f, plus 0x7f.
#[inline(always)]
fn differs(x: u64, byte: u8) -> u64 {
    (x ^ repeat(byte)) + repeat(0x7f)
}

/// The eight high bits as one byte, that of the first byte lowest. Shifted down each is a 1 at bit 8k; the factor has a 1 at bits 7,
/// 14, … 56, so that exactly one product of each lands at bit 56 + k, and no two products at the same bit.
#[inline(always)]
fn gathered(mask: u64) -> u64 {
    ((mask & repeat(0x80)) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[inline(always)]
const fn repeat(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_what_their_bytes_are() {
        for shift in 0..128 {
            let block = std::array::from_fn(|at| ((at * 37 + shift) % 128) as u8);
            let bits = |of: fn(&u8) -> bool| -> u64 {
                block.iter().rev().fold(0, |bits, byte| bits << 1 | u64::from(of(byte)))
            };
            let signs = signs_of(&block);
            assert_eq!(signs.words, bits(u8::is_ascii_alphanumeric));
            assert_eq!(signs.joiners, bits(|byte| b"'.,".contains(byte)));
        }
    }
}
