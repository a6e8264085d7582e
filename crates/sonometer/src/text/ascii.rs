//! Word edges of ASCII text, eight bytes at a time.
//!
//! Every byte of a 64-byte block becomes one bit (letter or digit: 1); the edges of words are where bits change. A word
//! then costs a few operations and no branch per byte, which is where byte-by-byte scanners lose their time.

use super::token::{Sink, joins};

const HIGH: u64 = 0x8080_8080_8080_8080;

/// Cuts ASCII text into tokens; other text must go through [`super::unicode::cut`], which gives the same on ASCII.
pub(super) fn cut(text: &str, sink: &mut impl Sink) {
    let bytes = text.as_bytes();
    let mut words = Words { text, bytes, pending: None, sink };
    let mut start = None;
    let mut carry = 0u64;
    let mut base = 0;
    let mut block = [0u8; 64];
    while base < bytes.len() {
        let mask = match bytes[base..].first_chunk::<64>() {
            Some(full) => mask_of(full),
            None => {
                let rest = &bytes[base..];
                block[..rest.len()].copy_from_slice(rest);
                block[rest.len()..].fill(0);
                mask_of(&block)
            }
        };
        let mut edges = mask ^ (mask << 1 | carry);
        carry = mask >> 63;
        while edges != 0 {
            let at = base + edges.trailing_zeros() as usize;
            edges &= edges - 1;
            match start.take() {
                None => start = Some(at),
                Some(first) => words.push(first, at),
            }
        }
        base += 64;
    }
    if let Some(first) = start {
        words.push(first, bytes.len());
    }
    words.flush();
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

/// Runs of letters and digits, joined to words where a joiner stands between two.
struct Words<'t, 's, S> {
    text: &'t str,
    bytes: &'t [u8],
    pending: Option<(usize, usize)>,
    sink: &'s mut S,
}

impl<S: Sink> Words<'_, '_, S> {
    #[inline]
    fn push(&mut self, start: usize, end: usize) {
        if let Some((first, last)) = self.pending {
            if start - last == 1 && joins(self.bytes[last - 1], self.bytes[last], self.bytes[start]) {
                self.pending = Some((first, end));
                return;
            }
            self.sink.token(self.text, first, last, false);
        }
        self.pending = Some((start, end));
    }

    fn flush(&mut self) {
        if let Some((first, last)) = self.pending.take() {
            self.sink.token(self.text, first, last, false);
        }
    }
}
