//! Tokens of one turn: words and symbols as byte ranges of the folded text.

use super::gap::GapKind;
use std::ops::Range;

/// One token of a folded turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Token {
    /// First byte in the folded text.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// From the lowest bit: 28 bits of the word number, 1 that says it is a symbol, 1 free, 2 of the kind of the gap before.
    //
    // 12 bytes a token, where fields of their own would make 16: turns are read token by token, and a token that is small is
    // more tokens in the cache. 28 bits are 268 million words; a protocol of at most 16 MiB (`MAX_SOURCE_BYTES`) can name 8
    // million, and its language adds some thousands.
    tag: u32,
}

const SYMBOL: u32 = 1 << 28;
const WORD: u32 = SYMBOL - 1;
/// Two bits for three kinds of gap.
const GAP_SHIFT: u32 = 30;

impl Token {
    /// A token over `start..end` with the word number `word` (0: in no pattern), after a gap of kind `gap`.
    pub fn new(start: usize, end: usize, word: u32, symbol: bool, gap: GapKind) -> Self {
        let tag = (word & WORD) | if symbol { SYMBOL } else { 0 } | (gap as u32) << GAP_SHIFT;
        Self { start: start as u32, end: end as u32, tag }
    }

    /// The number of its word in the sensor's vocabulary; 0 if no pattern has it.
    #[inline]
    pub fn word(self) -> u32 {
        self.tag & WORD
    }

    /// Whether it is a symbol (an emoji, say) and no word.
    #[inline]
    pub fn is_symbol(self) -> bool {
        self.tag & SYMBOL != 0
    }

    /// The kind of the gap before it.
    #[inline]
    pub fn gap(self) -> GapKind {
        match self.tag >> GAP_SHIFT {
            0 => GapKind::Join,
            1 => GapKind::Break,
            _ => GapKind::End,
        }
    }

    /// Says what kind of gap is before it; until then it is a join.
    pub(crate) fn set_gap(&mut self, gap: GapKind) {
        self.tag = (self.tag & (SYMBOL | WORD)) | (gap as u32) << GAP_SHIFT;
    }

    /// Its place in the folded text.
    #[inline]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Takes the tokens of a turn in their order.
pub(crate) trait Sink {
    /// A token `text[start..end]`.
    fn token(&mut self, text: &str, start: usize, end: usize, symbol: bool);

    /// Words of a stretch of ASCII.
    #[inline]
    fn words(&mut self, text: &str, words: Words<'_>) {
        for &[start, end] in words.places {
            self.token(text, start as usize, end as usize, false);
        }
    }
}

/// Some words of ASCII, one behind the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'w> {
    /// Starts and ends; at most 33, as many as end in 64 bytes.
    pub(crate) places: &'w [[u32; 2]],
    /// Bit n: whether word n is not known to follow another one directly behind a single space. Most are.
    pub(crate) apart: u64,
}

/// Cuts a folded turn into tokens: stretches of ASCII fast, those around other characters one by one. They meet at white
/// space, over which no token goes on.
#[inline]
#[cfg_attr(small_build, optimize(speed))]
pub(crate) fn cut(text: &str, sink: &mut impl Sink) {
    let mut from = 0;
    while from < text.len() {
        let mixed = next_mixed(text.as_bytes(), from);
        super::ascii::cut_stretch(text, from..mixed.start, sink);
        if !mixed.is_empty() {
            let mut shifted = Shifted { sink, text, by: mixed.start };
            super::unicode::cut(&text[mixed.clone()], &mut shifted);
        }
        from = mixed.end;
    }
}

/// So much ASCII in a row is worth a change of scanner: a block of the fast one ([`super::ascii`]).
const STRETCH: usize = 64;

/// The next stretch from `from` on that holds other characters than ASCII, up to white space on both sides; empty, at
/// the end of the text, if there is none.
#[cfg_attr(small_build, optimize(speed))]
fn next_mixed(bytes: &[u8], from: usize) -> Range<usize> {
    let Some(first) = first_foreign(bytes, from) else { return bytes.len()..bytes.len() };
    // Back to white space, so that no word is cut in two, and on until a whole stretch of ASCII follows white space.
    let start = bytes[from..first].iter().rposition(is_white).map_or(from, |at| from + at + 1);
    let mut last = first;
    while let Some(gap) = bytes[last..].iter().position(is_white) {
        let end = last + gap + 1;
        let ahead = &bytes[end..bytes.len().min(end + STRETCH)];
        match ahead.iter().rposition(|byte| !byte.is_ascii()) {
            Some(foreign) => last = end + foreign,
            None => return start..end,
        }
    }
    start..bytes.len()
}

#[cfg_attr(small_build, optimize(speed))]
fn first_foreign(bytes: &[u8], from: usize) -> Option<usize> {
    let blocks = bytes[from..].chunks(STRETCH);
    let skipped: usize = blocks.take_while(|block| block.is_ascii()).map(<[u8]>::len).sum();
    let from = from + skipped;
    bytes[from..].iter().position(|byte| !byte.is_ascii()).map(|at| from + at)
}

fn is_white(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\n')
}

/// Passes the tokens of a part of a text on as those of the whole.
struct Shifted<'s, 't, S> {
    sink: &'s mut S,
    text: &'t str,
    by: usize,
}

impl<S: Sink> Sink for Shifted<'_, '_, S> {
    fn token(&mut self, _part: &str, start: usize, end: usize, symbol: bool) {
        self.sink.token(self.text, self.by + start, self.by + end, symbol);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Default)]
    struct Tokens(Vec<(usize, usize, bool)>);

    impl Sink for Tokens {
        fn token(&mut self, _text: &str, start: usize, end: usize, symbol: bool) {
            self.0.push((start, end, symbol));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn stretches_give_what_single_characters_give(
            parts in prop::collection::vec("[a-z]{1,9}|[ ]|[0-9.,']{1,4}|[.\n'!]|[\\u{301}\\u{200d}я中👩💻🇩£]|[a-z ]{60,70}", 0..40),
        ) {
            let text = parts.concat();
            let (mut whole, mut single) = (Tokens::default(), Tokens::default());
            cut(&text, &mut whole);
            super::super::unicode::cut(&text, &mut single);
            prop_assert_eq!(whole.0, single.0);
        }
    }
}
