//! The folded text as the classes see it: bytes, words and the edges between them.
//!
//! # Words
//!
//! A *word character* is an ASCII letter or digit, or a *letter outside ASCII*: `ª µ º`, U+00C0–1FFF but `× ÷`, U+037E,
//! U+0387, U+0589, U+058A, U+05BE, U+05C0, U+05C3, U+05F3, U+05F4, U+0600–060F, U+061B–061F, U+066A–066D, U+06D4,
//! U+0964, U+0965 and U+0E00–0EFF (Thai and Lao); U+2C00–2DFF; U+A640–D7FF. A *word* is a maximal run of word characters; the characters `.` and `,` between two ASCII digits, and `'` between two word characters neither of
//! which is an ASCII digit, belong to the word too (`3.5`, `1,000`, `don't`). A position is an *edge* unless it lies
//! strictly inside a word. Every occurrence of every class begins and ends at an edge.

use super::Vocabulary;
use std::cell::Cell;

/// Folded text with the questions the scanners ask. Reading outside the text gives the byte 0, which no class contains.
#[derive(Clone, Copy)]
pub(super) struct Text<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// Whose number, month and currency words count.
    pub(super) words: Vocabulary,
    /// For a text that goes on: whether a scanner has looked at what follows it.
    beyond: Option<&'t Cell<bool>>,
}

impl<'t> Text<'t> {
    pub(super) fn new(text: &'t str, words: Vocabulary) -> Self {
        Self { text, bytes: text.as_bytes(), words, beyond: None }
    }

    /// A text that goes on in a way nobody knows yet. What a scanner has not looked at cannot matter to it: as long as
    /// `beyond` stays false, it finds the same however the text goes on.
    pub(super) fn open(text: &'t str, words: Vocabulary, beyond: &'t Cell<bool>) -> Self {
        Self { beyond: Some(beyond), ..Self::new(text, words) }
    }

    /// Notes that somebody looked behind the end of the text.
    #[cold]
    fn look_beyond(&self) {
        if let Some(beyond) = self.beyond {
            beyond.set(true);
        }
    }

    pub(super) fn bytes(&self) -> &'t [u8] {
        self.bytes
    }

    /// The byte at `at`.
    pub(super) fn at(&self, at: usize) -> u8 {
        match self.bytes.get(at) {
            Some(byte) => *byte,
            None => {
                self.look_beyond();
                0
            }
        }
    }

    /// The byte that ends at `at`.
    pub(super) fn before(&self, at: usize) -> u8 {
        self.back(at, 1)
    }

    /// The byte `count` bytes before `at`.
    pub(super) fn back(&self, at: usize, count: usize) -> u8 {
        at.checked_sub(count).map_or(0, |at| self.at(at))
    }

    /// The bytes `from..to`, empty where there are none.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'t [u8] {
        if to > self.bytes.len() {
            self.look_beyond();
        }
        self.bytes.get(from..to).unwrap_or(&[])
    }

    /// The text `from..to`, where characters begin and end there.
    pub(super) fn part(&self, from: usize, to: usize) -> Option<&'t str> {
        if to > self.bytes.len() {
            self.look_beyond();
        }
        self.text.get(from..to)
    }

    /// Whether the text goes on with `expected` at `at`.
    pub(super) fn has(&self, at: usize, expected: &str) -> bool {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        if rest.len() < expected.len() && expected.as_bytes().starts_with(rest) {
            self.look_beyond();
        }
        rest.starts_with(expected.as_bytes())
    }

    /// The same without regard to case; `expected` is in lower case. Looks no further than to the first difference.
    pub(super) fn has_caseless(&self, at: usize, expected: &[u8]) -> bool {
        expected.iter().zip(at..).all(|(byte, at)| self.at(at).to_ascii_lowercase() == *byte)
    }

    /// The end of the run of bytes from `at` on that `belongs` accepts.
    pub(super) fn run(&self, at: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        at + rest.iter().position(|&b| !belongs(b)).unwrap_or_else(|| {
            self.look_beyond();
            rest.len()
        })
    }

    /// The same, but no longer than `most` bytes and one: a longer run is looked at no further.
    pub(super) fn run_of(&self, at: usize, most: usize, belongs: impl Fn(u8) -> bool) -> usize {
        (at..=at + most).find(|&at| !belongs(self.at(at))).unwrap_or(at + most + 1)
    }

    /// The end of the run of ASCII digits from `at` on; `at` itself when there is none.
    pub(super) fn digits(&self, at: usize) -> usize {
        self.run(at, |b| b.is_ascii_digit())
    }

    /// The end of the run of ASCII letters from `at` on.
    pub(super) fn letters(&self, at: usize) -> usize {
        self.run(at, |b| b.is_ascii_alphabetic())
    }

    /// Whether a word character begins at `at`.
    fn word_at(&self, at: usize) -> bool {
        match self.at(at) {
            b if b.is_ascii() => b.is_ascii_alphanumeric(),
            _ => self.text.get(at..).and_then(|rest| rest.chars().next()).is_some_and(is_letter),
        }
    }

    /// Whether a word character ends at `at`.
    fn word_before(&self, at: usize) -> bool {
        match self.before(at) {
            b if b.is_ascii() => b.is_ascii_alphanumeric(),
            _ => self.text.get(..at).and_then(|head| head.chars().next_back()).is_some_and(is_letter),
        }
    }

    /// Whether `at` is an edge: not strictly inside a word.
    pub(super) fn edge(&self, at: usize) -> bool {
        let (before, next) = (self.before(at), self.at(at));
        if before.is_ascii_alphanumeric() && next.is_ascii_alphanumeric() {
            return false;
        }
        let joint = match (before, next) {
            (_, b'.' | b',' | b'\'') => Some(at),
            (b'.' | b',' | b'\'', _) => Some(at - 1),
            _ => None,
        };
        match joint {
            Some(joint) => !self.joins(joint),
            None => !(self.word_before(at) && self.word_at(at)),
        }
    }

    /// Whether the `.`, `,` or `'` at `joint` joins what stands on both sides into one word.
    fn joins(&self, joint: usize) -> bool {
        let (before, next) = (self.before(joint), self.at(joint + 1));
        if self.at(joint) == b'\'' {
            let letter = |is_word: bool, b: u8| is_word && !b.is_ascii_digit();
            letter(self.word_before(joint), before) && letter(self.word_at(joint + 1), next)
        } else {
            before.is_ascii_digit() && next.is_ascii_digit()
        }
    }

    /// The end of the *plain word* at `at`: one or more ASCII letters between two edges.
    pub(super) fn plain_word(&self, at: usize) -> Option<usize> {
        let end = self.letters(at);
        (end > at && self.edge(at) && self.edge(end)).then_some(end)
    }

    /// The end of the *digit word* at `at`: digits, with `.` or `,` between digits, between two edges.
    pub(super) fn digit_word(&self, at: usize) -> Option<usize> {
        let end = self.amount(at)?;
        (self.edge(at) && self.edge(end)).then_some(end)
    }

    /// The end of digits with `.` or `,` between digits, as far as they go; letters may follow.
    pub(super) fn amount(&self, at: usize) -> Option<usize> {
        let mut end = self.digits(at);
        if end == at {
            return None;
        }
        while matches!(self.at(end), b'.' | b',') && self.at(end + 1).is_ascii_digit() {
            end = self.digits(end + 1);
        }
        Some(end)
    }

    /// Whether what begins at `at` is the tail of a longer code: a `-` after an ASCII letter or digit, or one of
    /// `.` `/` `:` after a digit, stands directly before it.
    pub(super) fn tail_of_code(&self, at: usize) -> bool {
        let further = self.back(at, 2);
        match self.before(at) {
            b'-' => further.is_ascii_alphanumeric(),
            b'.' | b'/' | b':' => further.is_ascii_digit(),
            _ => false,
        }
    }

    /// Whether what ends at `at` goes on as a longer code: a `-` before an ASCII letter or digit, or one of `.` `/` `:`
    /// before a digit, stands directly after it.
    pub(super) fn head_of_code(&self, at: usize) -> bool {
        let further = self.at(at + 1);
        match self.at(at) {
            b'-' => further.is_ascii_alphanumeric(),
            b'.' | b'/' | b':' => further.is_ascii_digit(),
            _ => false,
        }
    }

    /// The length of the currency sign at `at`: one of `$ ¢ £ ¥ € ₹ ₩ ₽ ₿`; 0 when there is none.
    pub(super) fn currency_sign(&self, at: usize) -> usize {
        match self.at(at) {
            b'$' => 1,
            0xC2 if matches!(self.at(at + 1), 0xA2 | 0xA3 | 0xA5) => 2,
            0xE2 if self.at(at + 1) == 0x82
                && matches!(self.at(at + 2), 0xAC | 0xB9 | 0xA9 | 0xBD | 0xBF) =>
            {
                3
            }
            _ => 0,
        }
    }

    /// Whether a currency sign ends at `at`.
    pub(super) fn after_currency_sign(&self, at: usize) -> bool {
        (1..=3).any(|back| at >= back && self.currency_sign(at - back) == back)
    }
}

/// The value of up to nineteen ASCII digits.
pub(super) fn value(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |sum: u64, b| sum.wrapping_mul(10).wrapping_add(u64::from(b.wrapping_sub(b'0'))))
}

/// A word in lower case, in a buffer: every word the classes know is shorter than this, a longer one is no such word.
pub(super) struct Lower([u8; 16], usize);

impl Lower {
    /// Copies `word`; a word too long to be known gives the empty word.
    pub(super) fn of(word: &[u8]) -> Self {
        let mut buffer = [0; 16];
        let Some(room) = buffer.get_mut(..word.len()) else { return Self(buffer, 0) };
        for (slot, b) in room.iter_mut().zip(word) {
            *slot = b.to_ascii_lowercase();
        }
        Self(buffer, word.len())
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0[..self.1]
    }
}

/// Whether a character outside ASCII is a letter that glues to digits and letters beside it.
///
/// Those that the head of this file lists. Ideographs, kana, Thai and Lao are written without spaces, so
/// a number beside them stands alone; signs, emoji and punctuation are no letters. A fixed list, not the compiler's
/// tables, so that an occurrence never moves with a new compiler.
fn is_letter(c: char) -> bool {
    match c {
        '×' | '÷' | '\u{37E}' | '\u{387}' | '\u{589}' | '\u{58A}' | '\u{5BE}' | '\u{5C0}' | '\u{5C3}' => {
            false
        }
        '\u{5F3}' | '\u{5F4}' | '\u{600}'..='\u{60F}' | '\u{61B}'..='\u{61F}' => false,
        '\u{66A}'..='\u{66D}' | '\u{6D4}' | '\u{964}' | '\u{965}' | '\u{E00}'..='\u{EFF}' => false,
        'ª' | 'µ' | 'º' | '\u{C0}'..='\u{1FFF}' | '\u{2C00}'..='\u{2DFF}' => true,
        '\u{A640}'..='\u{D7FF}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lie_between_words() {
        let edges = |text: &str| -> Vec<usize> {
            let view = Text::new(text, Vocabulary::English);
            (0..=text.len()).filter(|&at| text.is_char_boundary(at) && view.edge(at)).collect()
        };
        assert_eq!(edges("ab 12"), [0, 2, 3, 5]);
        assert_eq!(edges("3.5, a"), [0, 3, 4, 5, 6]);
        assert_eq!(edges("3.a"), [0, 1, 2, 3]);
        assert_eq!(edges("it's '9'"), [0, 4, 5, 6, 7, 8]);
        assert_eq!(edges("é5"), [0, 3]);
        assert_eq!(edges("话5"), [0, 3, 4]);
        assert_eq!(edges("5€"), [0, 1, 4]);
        assert_eq!(edges(""), [0]);
    }
}
