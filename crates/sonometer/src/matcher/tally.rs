//! What fidelity needs to know of a turn: words, and which of them are function words, words of other languages, unreadable. Reading a
//! turn counts them beside everything else; fidelity by itself counts them and looks for nothing.

use crate::language::Script;
use crate::sensor::Plan;
use crate::text::fold::Folded;
use crate::text::token::{self, Sink, Words};
use crate::text::vocabulary::role;
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

/// What up to 127 words stand for, summed up without a branch.
#[derive(Clone, Copy, Default)]
pub(super) struct Roles {
    /// Both roles that are counted in one number: FUNCTION is bit 0, and as there are fewer words than 128, its sum stays below bit 7, which is
    /// FOREIGN.
    sum: u32,
    /// Every role that one of them has.
    any: u8,
}

impl Roles {
    #[inline(always)]
    pub(super) fn add(&mut self, roles: u8) {
        self.sum += u32::from(roles & (role::FUNCTION | role::FOREIGN));
        self.any |= roles;
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

    /// The number of the token `text[start..end]` and what it stands for, which is counted.
    #[inline]
    #[cfg_attr(small_build, optimize(speed))]
    pub(super) fn token(&mut self, bytes: &[u8], start: usize, end: usize) -> (u32, u8) {
        let word = self.plan.vocabulary.number(bytes, start, end);
        let roles = self.plan.vocabulary.roles(word);
        let mut sums = Roles::default();
        sums.add(roles);
        self.note_roles(sums);
        self.note_placeholder(bytes, roles, start);
        (word, roles)
    }

    /// Counts words of ASCII, at most 33, with the sums of their roles.
    #[inline(always)]
    pub(super) fn note_words(&mut self, text: &str, words: &[[u32; 2]], roles: Roles) {
        self.note_roles(roles);
        if roles.any & role::PLACEHOLDER != 0 {
            self.note_placeholders(text.as_bytes(), words);
        }
        if self.plan.script == Some(Script::Han) {
            self.note_ascii_in_han(text, words);
        }
    }

    #[inline(always)]
    fn note_roles(&mut self, roles: Roles) {
        self.count.function_words += u64::from(roles.sum % u32::from(role::FOREIGN));
        self.count.foreign_words += u64::from(roles.sum / u32::from(role::FOREIGN));
    }

    #[inline(never)]
    fn note_placeholders(&mut self, bytes: &[u8], words: &[[u32; 2]]) {
        for &[start, end] in words {
            let word = self.plan.vocabulary.number_of_ascii(bytes, start as usize, end as usize);
            self.note_placeholder(bytes, self.plan.vocabulary.roles(word), start as usize);
        }
    }

    fn note_placeholder(&mut self, bytes: &[u8], roles: u8, start: usize) {
        let is_bracketed = || start > 0 && matches!(bytes[start - 1], b'[' | b'(');
        self.count.unreadable += u64::from(roles & role::PLACEHOLDER != 0 && is_bracketed());
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

    /// Words of ASCII are unreadable for a protocol in Han, but for those that begin with a digit.
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
    fn words(&mut self, text: &str, words: Words<'_>) {
        let vocabulary = &self.tally.plan.vocabulary;
        let mut roles = Roles::default();
        for &[start, end] in words.places {
            let word = vocabulary.number_of_ascii(text.as_bytes(), start as usize, end as usize);
            roles.add(vocabulary.roles(word));
        }
        self.tally.note_words(text, words.places, roles);
        self.tokens += words.places.len();
    }
}

/// Maximal runs of U+FFFD and control characters other than tab and line breaks.
#[cfg_attr(small_build, optimize(speed))]
pub(super) fn noise(text: &str) -> u64 {
    // Without a branch and without an early end within a block the compiler looks at many bytes at a time. Nearly all blocks end here: in
    // long texts a `£` stands somewhere, and only its block is gone through byte by byte.
    const BLOCK: usize = 256;
    let mut runs = 0;
    for (at, block) in (0..).step_by(BLOCK).zip(text.as_bytes().chunks(BLOCK)) {
        if block.iter().fold(0, |found, byte| found | may_be_noise(*byte)) != 0 {
            runs += (at..at + block.len()).filter(|at| begins_noise(text, *at)).count() as u64;
        }
    }
    runs
}

/// Whether a run of noise begins with the byte at `at`.
fn begins_noise(text: &str, at: usize) -> bool {
    may_be_noise(text.as_bytes()[at]) != 0
        && text[at..].chars().next().is_some_and(is_noise)
        && !text[..at].chars().next_back().is_some_and(is_noise)
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

    /// A text is looked at block by block; what stands at the edge of two counts once, wherever that is.
    #[test]
    fn noise_is_counted_across_blocks() {
        for before in 0..520 {
            let text = "a".repeat(before) + "\u{fffd}\u{85}\u{1}£ok\u{7f}" + &"b".repeat(300);
            assert_eq!(noise(&text), 2, "behind {before} bytes");
        }
    }
}
