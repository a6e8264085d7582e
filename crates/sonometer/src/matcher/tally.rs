//! What fidelity needs to know of a turn: words, and which of them are function words, words of other languages, unreadable. Reading a
//! turn counts them beside everything else; fidelity by itself counts them and looks for nothing.

use crate::language::Script;
use crate::sensor::Plan;
use crate::sensor::vocabulary::role;
use crate::text::fold::Folded;
use crate::text::token::{self, Sink};
use std::ops::AddAssign;

/// What fidelity needs to know of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// Tokens that are words.
    pub(crate) words: u64,
    /// Words that are function words of the language.
    pub(crate) function_words: u64,
    /// Everyday words of other languages, which speak against that of the protocol.
    pub(crate) foreign_words: u64,
    /// Words of another script than the language's, and placeholders such as `[inaudible]`.
    pub(crate) unreadable: u64,
    /// Runs of replacement and control characters.
    pub(crate) noise: u64,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.words += other.words;
        self.function_words += other.function_words;
        self.foreign_words += other.foreign_words;
        self.unreadable += other.unreadable;
        self.noise += other.noise;
    }
}

/// The sums of a text, token by token.
pub(super) struct Tally<'p> {
    plan: &'p Plan,
    /// Tokens that are no words.
    symbols: u64,
    count: Count,
}

impl<'p> Tally<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        Self { plan, symbols: 0, count: Count::default() }
    }

    /// Counts what the number of the token `text[start..end]` says; gives that number.
    #[inline(always)]
    pub(super) fn token(&mut self, bytes: &[u8], start: usize, end: usize) -> u32 {
        let word = self.plan.vocabulary.number(bytes, start, end);
        let roles = self.plan.vocabulary.roles(word);
        // Counted without a branch: FUNCTION is the lowest bit, FOREIGN the highest, so that both come out as 0 or 1.
        self.count.function_words += u64::from(roles & role::FUNCTION);
        self.count.foreign_words += u64::from(roles / role::FOREIGN);
        if roles & role::PLACEHOLDER != 0 {
            self.count.unreadable += u64::from(start > 0 && matches!(bytes[start - 1], b'[' | b'('));
        }
        word
    }

    /// Counts a symbol, or a word of another script than the language's: of tokens that are not known to be words of ASCII.
    pub(super) fn note_foreign(&mut self, text: &str, start: usize, is_symbol: bool) {
        if is_symbol {
            self.symbols += 1;
        } else if let Some(script) = self.plan.script
            && !text[start..].chars().next().is_some_and(|first| script.reads(first))
        {
            self.count.unreadable += 1;
        }
    }

    /// Counts the words of ASCII, which are unreadable for a protocol in Han, but for those that begin with a digit.
    #[inline(always)]
    #[cfg_attr(small_build, optimize(speed))]
    pub(super) fn note_ascii(&mut self, text: &str, words: &[[u32; 2]]) {
        if self.plan.script == Some(Script::Han) {
            self.note_ascii_in_han(text, words);
        }
    }

    #[inline(never)]
    fn note_ascii_in_han(&mut self, text: &str, words: &[[u32; 2]]) {
        let foreign = words.iter().filter(|word| !text.as_bytes()[word[0] as usize].is_ascii_digit());
        self.count.unreadable += foreign.count() as u64;
    }

    /// The sums of a text of so many tokens; noise is no token.
    pub(super) fn finish(self, tokens: usize) -> Count {
        Count { words: tokens as u64 - self.symbols, ..self.count }
    }
}

/// What there is to count in a text that was folded from `own`, and nothing else of it.
pub(super) fn count(plan: &Plan, own: &str, folded: &Folded<'_>) -> Count {
    let mut counter = Counter { tally: Tally::new(plan), tokens: 0 };
    token::cut(folded.text(), &mut counter);
    Count { noise: noise(own), ..counter.tally.finish(counter.tokens) }
}

/// Takes the tokens of a turn and counts them.
struct Counter<'p> {
    tally: Tally<'p>,
    tokens: usize,
}

impl Sink for Counter<'_> {
    fn token(&mut self, text: &str, start: usize, end: usize, symbol: bool) {
        self.tally.token(text.as_bytes(), start, end);
        self.tally.note_foreign(text, start, symbol);
        self.tokens += 1;
    }

    #[inline(always)]
    fn words(&mut self, text: &str, words: &[[u32; 2]]) {
        self.tally.note_ascii(text, words);
        for &[start, end] in words {
            self.tally.token(text.as_bytes(), start as usize, end as usize);
        }
        self.tokens += words.len();
    }
}

/// Maximal runs of U+FFFD and control characters other than tab and line breaks.
#[cfg_attr(small_build, optimize(speed))]
pub(super) fn noise(text: &str) -> u64 {
    // Without a branch and without an early end the compiler looks at many bytes at a time; nearly every text ends here.
    if text.as_bytes().iter().fold(0, |found, byte| found | may_be_noise(*byte)) == 0 {
        return 0;
    }
    let candidates = text.bytes().enumerate().filter(|(_, byte)| may_be_noise(*byte) != 0);
    let begins = candidates.filter(|(at, _)| {
        text[*at..].chars().next().is_some_and(is_noise)
            && !text[..*at].chars().next_back().is_some_and(is_noise)
    });
    begins.count() as u64
}

/// Whether noise can begin with this byte, as 0 or 1: the controls of ASCII, those up to U+009F, U+FFFD.
#[inline(always)]
fn may_be_noise(byte: u8) -> u8 {
    let is = |other: u8| u8::from(byte == other);
    let control = u8::from(byte < b' ') & !(is(b'\t') | is(b'\n') | is(b'\r'));
    control | is(0x7f) | is(0xc2) | is(0xef)
}

fn is_noise(c: char) -> bool {
    c == '\u{fffd}' || matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}') && !matches!(c, '\t' | '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_counted_by_runs() {
        for (text, runs) in [
            ("plain\ttext\r\n", 0),
            ("“café” £5 ｆ\u{a0}", 0),
            ("\u{0}", 1),
            ("a\u{7f}\u{80}\u{9f}\u{fffd}b\u{fffd}", 2),
            ("\u{1}\n\u{1f} \u{85}", 3),
        ] {
            assert_eq!(noise(text), runs, "{text:?}");
        }
    }
}
