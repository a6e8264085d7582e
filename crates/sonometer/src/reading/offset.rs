//! Places in a text, in the units that doors count in.

use crate::names::named;
use std::ops::Range;

/// The unit in which a door counts offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetUnit {
    /// UTF-8 bytes (Rust, C).
    Bytes,
    /// Code points (HTTP, Python).
    Chars,
    /// UTF-16 code units (JavaScript).
    Utf16,
}

named!(OffsetUnit { Bytes = "bytes", Chars = "chars", Utf16 = "utf16" });

impl OffsetUnit {
    /// How many of these units a text has.
    pub(crate) fn length(self, text: &str) -> usize {
        const LAST: u64 = u64::MAX / 255;
        let bytes = text.as_bytes();
        if self == Self::Bytes || bytes.is_ascii() {
            return bytes.len();
        }
        // Eight bytes at a time: shifted, a bit of each byte is its lowest (`LAST`). Every byte is a unit but the second and
        // further ones of a character, which begin with the bits 10; a character of four bytes, the first of which begins with
        // 1111, is two units of UTF-16.
        let (chunks, rest) = bytes.as_chunks::<8>();
        let (mut further, mut of_four) = (0, 0);
        let mut count = |word: u64| {
            further += ((word >> 7) & !(word >> 6) & LAST).count_ones() as usize;
            of_four += ((word >> 7) & (word >> 6) & (word >> 5) & (word >> 4) & LAST).count_ones() as usize;
        };
        for chunk in chunks {
            count(u64::from_le_bytes(*chunk));
        }
        for byte in rest {
            count(u64::from(*byte));
        }
        bytes.len() - further + if self == Self::Utf16 { of_four } else { 0 }
    }
}

/// Offsets of one interaction, each counted on from a place before it: evidence comes in the order of its places, so a long text
/// is counted once, not once for each piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offsets {
    unit: OffsetUnit,
    /// Where counting goes on from: the turn, the byte in it, and the units before that.
    turn: u32,
    byte: usize,
    units: usize,
}

impl Offsets {
    pub(crate) fn new(unit: OffsetUnit) -> Self {
        Self { unit, turn: 0, byte: 0, units: 0 }
    }

    /// The offsets of a stretch of a turn. Where it begins, counting goes on from.
    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn range(&mut self, turn: u32, content: &str, range: Range<usize>) -> (u64, u64) {
        let Range { start, end } = range;
        if turn != self.turn || start < self.byte {
            (self.turn, self.byte, self.units) = (turn, 0, 0);
        }
        self.units += self.unit.length(&content[self.byte..start]);
        self.byte = start;
        (self.units as u64, (self.units + self.unit.length(&content[start..end])) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UNITS: [OffsetUnit; 3] = [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16];

    fn counted(unit: OffsetUnit, text: &str) -> usize {
        match unit {
            OffsetUnit::Bytes => text.len(),
            OffsetUnit::Chars => text.chars().count(),
            OffsetUnit::Utf16 => text.encode_utf16().count(),
        }
    }

    proptest! {
        #[test]
        fn units_are_counted_as_by_the_standard_library(text in "(?s:[a é€😀\u{301}]|.){0,40}") {
            for unit in UNITS {
                prop_assert_eq!(unit.length(&text), counted(unit, &text));
            }
        }

        #[test]
        fn places_in_any_order(
            turns in proptest::collection::vec("(?s:[a é€😀]){0,30}", 1..3),
            places in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..31, 0usize..31), 0..12),
        ) {
            for unit in UNITS {
                let mut offsets = Offsets::new(unit);
                for (turn, one, other) in &places {
                    let turn = turn.index(turns.len());
                    let content = &turns[turn];
                    let byte = |at: usize| content.char_indices().nth(at).map_or(content.len(), |(byte, _)| byte);
                    let (start, end) = (byte(*one.min(other)), byte(*one.max(other)));
                    let told = offsets.range(turn as u32, content, start..end);
                    let counted = |byte: usize| counted(unit, &content[..byte]) as u64;
                    prop_assert_eq!(told, (counted(start), counted(end)));
                }
            }
        }
    }
}
