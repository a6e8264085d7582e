//! Word edges of ASCII text, eight bytes at a time.
//!
//! Every byte of a 64-byte block becomes one bit (letter or digit: 1); the edges of words are where bits change. A word
//! then costs a few operations and no branch per byte, which is where byte-by-byte scanners lose their time.

use super::token::{Sink, joins};

const HIGH: u64 = 0x8080_8080_8080_8080;

/// Cuts ASCII text into tokens; other text must go through [`super::unicode::cut`], which gives the same on ASCII.
pub(super) fn cut(text: &str, sink: &mut impl Sink) {
    let bytes = text.as_bytes();
    // Two rounds a block: first all edges, then all words. The edges of a block are found without a branch to
    // mispredict, and the work on words stands in one place.
    let mut edges = [0u32; 66];
    let mut count = 0;
    let mut carry = 0u64;
    let mut pending: Option<(usize, usize)> = None;
    for base in (0..bytes.len()).step_by(64) {
        let mask = match bytes[base..].first_chunk::<64>() {
            Some(full) => mask_of(full),
            None => mask_of_rest(&bytes[base..]),
        };
        let mut bits = mask ^ (mask << 1 | carry);
        carry = mask >> 63;
        while bits != 0 {
            edges[count] = base as u32 + bits.trailing_zeros();
            count += 1;
            bits &= bits - 1;
        }
        for word in edges[..count].as_chunks::<2>().0 {
            let (start, end) = (word[0] as usize, word[1] as usize);
            let Some((first, last)) = pending else {
                pending = Some((start, end));
                continue;
            };
            let joiner = bytes[last];
            if start - last == 1 && joiner != b' ' && joins(bytes[last - 1], joiner, bytes[start]) {
                pending = Some((first, end));
                continue;
            }
            sink.token(text, first, last, false);
            pending = Some((start, end));
        }
        // The start of a word that goes on in the next block stays.
        if count % 2 == 1 {
            edges[0] = edges[count - 1];
        }
        count %= 2;
    }
    finish(text, sink, pending, (count == 1).then(|| (edges[0] as usize, bytes.len())));
}

/// The last words, out of the way of the loop.
#[inline(never)]
fn finish(text: &str, sink: &mut impl Sink, pending: Option<(usize, usize)>, open: Option<(usize, usize)>) {
    let bytes = text.as_bytes();
    let last = match (pending, open) {
        (Some((first, last)), Some((start, end)))
            if start - last == 1 && joins(bytes[last - 1], bytes[last], bytes[start]) =>
        {
            Some((first, end))
        }
        (Some((first, last)), Some(open)) => {
            sink.token(text, first, last, false);
            Some(open)
        }
        (one, None) | (None, one) => one,
    };
    if let Some((first, last)) = last {
        sink.token(text, first, last, false);
    }
}

#[inline(never)]
fn mask_of_rest(rest: &[u8]) -> u64 {
    let mut block = [0; 64];
    block[..rest.len()].copy_from_slice(rest);
    mask_of(&block)
}

/// One bit per byte: letter or digit.
#[inline]
fn mask_of(block: &[u8; 64]) -> u64 {
    let mut mask = 0;
    for (at, chunk) in block.as_chunks::<8>().0.iter().enumerate() {
        let x = u64::from_le_bytes(*chunk);
        let lower = x | 0x2020_2020_2020_2020;
        // Adding (0x80 - c) sets the high bit of every byte that is at least c; bytes are below 0x80, so nothing carries.
        let letter = (lower + repeat(0x80 - b'a')) & !(lower + repeat(0x80 - (b'z' + 1)));
        let digit = (x + repeat(0x80 - b'0')) & !(x + repeat(0x80 - (b'9' + 1)));
        let high = (letter | digit) & HIGH;
        // Gathers the eight high bits into one byte.
        mask |= ((high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * at);
    }
    mask
}

#[inline]
const fn repeat(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
}
