//! What each byte of a block of 64 is, as one bit per byte, the first byte lowest: what words need to know of all 64 at once.
//!
//! Sixteen bytes at a time by the vectors of `wide`: SSE2 of x86-64, NEON of aarch64, `simd128` of WebAssembly where the module is built with
//! it, and an array elsewhere. All give the same bits, by code that is safe.

use wide::u8x16;

/// One bit for each byte of a block. A block holds ASCII only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Signs {
    /// Letters and digits.
    pub(super) words: u64,
    /// Apostrophes, points and commas.
    pub(super) joiners: u64,
    /// Spaces.
    pub(super) spaces: u64,
}

impl Signs {
    /// The signs of a full block.
    #[inline(always)]
    #[cfg_attr(small_build, optimize(speed))]
    pub(super) fn of(block: &[u8; 64]) -> Self {
        let mut signs = Self::default();
        for (at, bytes) in block.as_chunks().0.iter().enumerate() {
            let x = u8x16::new(*bytes);
            // Setting this bit makes small letters of capitals; what else it changes is no letter before or after.
            let letter = within(x | u8x16::splat(0x20), b'a', b'z');
            let digit = within(x, b'0', b'9');
            // A comma differs from a point in one bit.
            let point = is(x | u8x16::splat(b',' ^ b'.'), b'.');
            signs.words |= bits(letter | digit) << (16 * at);
            signs.joiners |= bits(is(x, b'\'') | point) << (16 * at);
            signs.spaces |= bits(is(x, b' ')) << (16 * at);
        }
        signs
    }

    /// The signs of the last bytes of a text, fewer than a block.
    #[inline(never)]
    pub(super) fn of_rest(rest: &[u8]) -> Self {
        let mut block = [0; 64];
        block[..rest.len()].copy_from_slice(rest);
        Self::of(&block)
    }
}

/// Sets the bytes from `first` to `last`: what is below `first` wraps around to above them.
#[inline(always)]
fn within(x: u8x16, first: u8, last: u8) -> u8x16 {
    (x - u8x16::splat(first)).simd_le(u8x16::splat(last - first))
}

/// Sets the bytes that are `byte`.
#[inline(always)]
fn is(x: u8x16, byte: u8) -> u8x16 {
    x.simd_eq(u8x16::splat(byte))
}

/// One bit for each byte.
#[inline(always)]
fn bits(x: u8x16) -> u64 {
    u64::from(x.to_bitmask())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The signs of up to 64 bytes, byte by byte.
    fn one_by_one(block: &[u8]) -> Signs {
        let bits = |of: fn(&u8) -> bool| -> u64 {
            block.iter().rev().fold(0, |bits, byte| bits << 1 | u64::from(of(byte)))
        };
        Signs {
            words: bits(u8::is_ascii_alphanumeric),
            joiners: bits(|byte| b"'.,".contains(byte)),
            spaces: bits(|byte| *byte == b' '),
        }
    }

    #[test]
    fn signs_are_what_their_bytes_are() {
        for shift in 0..128 {
            let block = std::array::from_fn(|at| ((at * 37 + shift) % 128) as u8);
            assert_eq!(Signs::of(&block), one_by_one(&block));
        }
    }

    proptest! {
        #[test]
        fn vectors_give_what_single_bytes_give(block in prop::array::uniform(0..128_u8), len in 0..64_usize) {
            prop_assert_eq!(Signs::of(&block), one_by_one(&block));
            prop_assert_eq!(Signs::of_rest(&block[..len]), one_by_one(&block[..len]));
        }
    }
}
