//! Tokens of one turn: words and symbols as byte ranges of the folded text.

use super::gap::GapKind;

/// One token of a folded turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// First byte in the folded text.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Word number (low 28 bits), symbol bit, kind of the gap before (two high bits).
    tag: u32,
}

const SYMBOL: u32 = 1 << 28;
const WORD: u32 = SYMBOL - 1;
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

    /// Its place in the folded text.
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Takes the tokens of a turn in their order.
pub(crate) trait Sink {
    /// A token `text[start..end]` after the gap `text[gap_start..start]`.
    fn token(&mut self, text: &str, start: usize, end: usize, symbol: bool);
}

/// Cuts a folded turn into tokens.
#[inline]
pub(crate) fn cut(text: &str, sink: &mut impl Sink) {
    if text.is_ascii() { super::ascii::cut(text, sink) } else { super::unicode::cut(text, sink) }
}

/// Whether the token `text[start..end]` may continue over the one-byte gap `joiner` into the token that follows:
/// an apostrophe between letters, a point or comma between digits.
#[inline]
pub(crate) fn joins(before: u8, joiner: u8, after: u8) -> bool {
    match joiner {
        b'\'' => is_letter(before) && is_letter(after),
        b'.' | b',' => before.is_ascii_digit() && after.is_ascii_digit(),
        _ => false,
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic()
}
