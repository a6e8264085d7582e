//! One turn made ready for matching: folded text, tokens with their word numbers, sentences, class occurrences.

use crate::class::Occurrence;
use crate::protocol::phrase::Class;
use crate::sensor::Plan;
use crate::sensor::vocabulary::role;
use crate::text::fold::{FoldBuffers, Folded};
use crate::text::gap::{self, GapKind};
use crate::text::token::{self, Sink, Token};
use std::ops::Range;

/// A turn made ready for matching. All places are in the folded text unless they say otherwise.
#[derive(Debug)]
pub(crate) struct TurnText<'t> {
    pub(crate) original: &'t str,
    pub(crate) folded: Folded<'t>,
    pub(crate) tokens: Vec<Token>,
    last_gap: GapKind,
    /// The first tokens of the second sentence and those after it.
    pub(crate) sentences: Vec<u32>,
    /// (token, test) for every prefix or stem test that a token passes, sorted.
    pub(crate) passed: Vec<(u32, u32)>,
    /// Class occurrences over tokens, sorted by class and place.
    pub(crate) occurrences: Vec<Spread>,
    /// Matches of the regular expressions, by number, in bytes of the original.
    pub(crate) regex_matches: Vec<Vec<Range<usize>>>,
    pub(crate) count: Count,
}

/// What fidelity needs to know of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// Tokens that are words.
    pub(crate) words: u64,
    /// Words that are function words of the language.
    pub(crate) function_words: u64,
    /// Words of another script than the language's, and placeholders such as `[inaudible]`.
    pub(crate) unreadable: u64,
    /// Runs of replacement and control characters.
    pub(crate) noise: u64,
}

/// An occurrence of a class and the tokens it overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spread {
    pub(crate) class: Class,
    /// First token.
    pub(crate) first: u32,
    /// One past the last token.
    pub(crate) last: u32,
    /// Bytes of the folded text.
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Memory of one turn, used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    folding: FoldBuffers,
    tokens: Vec<Token>,
    sentences: Vec<u32>,
    passed: Vec<(u32, u32)>,
}

impl<'t> TurnText<'t> {
    /// Reads a turn for the patterns of `plan`, in the memory of an earlier one.
    pub(crate) fn read(plan: &Plan, original: &'t str, spare: &mut Spare) -> Self {
        let Spare { folding, mut tokens, mut sentences, mut passed } = std::mem::take(spare);
        tokens.clear();
        tokens.reserve(original.len() / 4 + 4);
        sentences.clear();
        passed.clear();
        let folded = Folded::with_buffers(original, folding);
        let mut reader =
            Reader { plan, tokens, sentences, passed, last_end: 0, has_tests: !plan.tests.is_empty() };
        token::cut(folded.text(), &mut reader);
        let last_gap = reader.gap_before(folded.text(), folded.text().len());
        let Reader { tokens, sentences, passed, .. } = reader;
        let count = Count { noise: noise(original), ..count(plan, folded.text(), &tokens) };
        let mut turn = Self {
            original,
            folded,
            tokens,
            last_gap,
            sentences,
            passed,
            occurrences: Vec::new(),
            regex_matches: Vec::new(),
            count,
        };
        turn.find_classes(plan);
        turn.find_regexes(plan);
        turn
    }

    /// Gives the memory back.
    pub(crate) fn recycle(self, spare: &mut Spare) {
        let Self { folded, tokens, sentences, passed, .. } = self;
        *spare = Spare { folding: folded.into_buffers(), tokens, sentences, passed };
    }

    /// The text of token `at`, in its own case.
    pub(crate) fn word(&self, at: usize) -> &str {
        &self.folded.text()[self.tokens[at].range()]
    }

    /// The text before token `at`; for the number of tokens, the rest of the turn.
    pub(crate) fn gap(&self, at: usize) -> &str {
        let from = at.checked_sub(1).map_or(0, |before| self.tokens[before].end as usize);
        let to = self.tokens.get(at).map_or(self.folded.text().len(), |token| token.start as usize);
        &self.folded.text()[from..to]
    }

    /// The kind of the gap before token `at`; for the number of tokens, of the rest of the turn (a match without tokens
    /// may stand there).
    pub(crate) fn gap_kind(&self, at: usize) -> GapKind {
        match self.tokens.get(at) {
            Some(token) => token.gap(),
            None => self.last_gap,
        }
    }

    /// The tokens of the sentence that token `at` stands in.
    pub(crate) fn sentence(&self, at: usize) -> Range<usize> {
        let after = self.sentences.partition_point(|first| *first as usize <= at);
        let first = after.checked_sub(1).map_or(0, |before| self.sentences[before] as usize);
        first..self.sentences.get(after).map_or(self.tokens.len(), |next| *next as usize)
    }

    /// Whether the sentence that token `at` stands in is a question.
    pub(crate) fn is_question(&self, at: usize) -> bool {
        self.gap(self.sentence(at).end).contains(['?', '؟'])
    }

    /// The bytes of the original turn that folded bytes stand for.
    pub(crate) fn original_range(&self, start: usize, end: usize) -> Range<usize> {
        self.folded.original_range(start, end)
    }

    /// Occurrences of a class that begin at token `first`.
    pub(crate) fn occurrences_at(&self, class: Class, first: usize) -> &[Spread] {
        let from = self.occurrences.partition_point(|o| (o.class, o.first as usize) < (class, first));
        let len = self.occurrences[from..]
            .iter()
            .take_while(|o| o.class == class && o.first as usize == first)
            .count();
        &self.occurrences[from..from + len]
    }

    /// Occurrences of a class over tokens `first..last` and no others.
    pub(crate) fn occurrences_within(
        &self,
        class: Class,
        first: u32,
        last: u32,
    ) -> impl Iterator<Item = &Spread> {
        let from = self.occurrences.partition_point(|o| (o.class, o.first) < (class, first));
        let here = self.occurrences[from..].iter().take_while(move |o| o.class == class && o.first < last);
        here.filter(move |o| o.last <= last)
    }

    /// The tokens that bytes of the folded text overlap: first, and one past the last (at least first).
    pub(crate) fn tokens_over(&self, start: usize, end: usize) -> Range<usize> {
        let first = self.tokens.partition_point(|t| (t.end as usize) <= start);
        let last = self.tokens.partition_point(|t| (t.start as usize) < end);
        first..last.max(first)
    }

    /// The tokens that bytes of the original overlap.
    pub(crate) fn tokens_over_original(&self, range: &Range<usize>) -> Range<usize> {
        self.tokens_over(self.folded.folded_offset(range.start), self.folded.folded_offset(range.end))
    }

    fn find_classes(&mut self, plan: &Plan) {
        if !plan.classes.is_empty() {
            let mut found: Vec<Occurrence> = Vec::new();
            crate::class::find(self.folded.text(), plan.classes, plan.class_words, &mut found);
            let spreads = found.iter().map(|o| {
                let tokens = self.tokens_over(o.start as usize, o.end as usize);
                let (first, last) = (tokens.start as u32, tokens.end as u32);
                Spread { class: Class::Detected(o.class), first, last, start: o.start, end: o.end }
            });
            self.occurrences = spreads.filter(|s| s.first < s.last).collect();
        }
        if plan.shout {
            let shouts = super::shout::find(self);
            self.occurrences.extend(shouts);
        }
        self.occurrences.sort_unstable();
    }

    fn find_regexes(&mut self, plan: &Plan) {
        self.regex_matches = plan
            .regexes
            .iter()
            .map(|regex| {
                regex.find_iter(self.original).map(|m| m.range()).filter(|r| !r.is_empty()).collect()
            })
            .collect();
    }
}

/// Takes the tokens of a turn and looks each word up.
struct Reader<'p> {
    plan: &'p Plan,
    tokens: Vec<Token>,
    sentences: Vec<u32>,
    passed: Vec<(u32, u32)>,
    last_end: usize,
    has_tests: bool,
}

impl Sink for Reader<'_> {
    #[inline(always)]
    fn token(&mut self, text: &str, start: usize, end: usize, symbol: bool) {
        let bytes = text.as_bytes();
        let at = self.tokens.len() as u32;
        let gap = if start == self.last_end + 1 && bytes[self.last_end] == b' ' {
            GapKind::Join
        } else {
            self.gap(text, start)
        };
        let word = self.plan.vocabulary.number(bytes, start, end);
        if self.has_tests && self.plan.tests.may_pass(bytes, start, end) {
            let passed = &mut self.passed;
            self.plan.tests.each(&text[start..end], |test| passed.push((at, test)));
        }
        self.tokens.push(Token::new(start, end, word, symbol, gap));
        self.last_end = end;
    }
}

impl Reader<'_> {
    #[inline(never)]
    fn gap(&mut self, text: &str, start: usize) -> GapKind {
        let kind = self.gap_before(text, start);
        if kind == GapKind::End {
            self.sentences.push(self.tokens.len() as u32);
        }
        kind
    }

    fn gap_before(&self, text: &str, start: usize) -> GapKind {
        let Some(last) = self.tokens.last() else { return GapKind::Join };
        gap::kind(text, self.last_end, start, || {
            let word = &text[last.range()];
            let initial = word.len() == 1
                && word.as_bytes()[0].is_ascii_alphabetic()
                && !word.eq_ignore_ascii_case("i");
            let roles = self.plan.vocabulary.roles(last.word());
            let before_digit = text.as_bytes().get(start).is_some_and(u8::is_ascii_digit);
            initial
                || roles & role::ABBREVIATION != 0
                || before_digit && roles & role::NUMBER_ABBREVIATION != 0
        })
    }
}

/// What fidelity needs to know of the words of a turn.
fn count(plan: &Plan, text: &str, tokens: &[Token]) -> Count {
    let bytes = text.as_bytes();
    let mut count = Count::default();
    for token in tokens {
        let roles = plan.vocabulary.roles(token.word());
        count.words += u64::from(!token.is_symbol());
        count.function_words += u64::from(roles & role::FUNCTION);
        if roles & role::PLACEHOLDER != 0 && token.start > 0 {
            count.unreadable += u64::from(matches!(bytes[token.start as usize - 1], b'[' | b'('));
        }
    }
    if plan.latin && !text.is_ascii() {
        let foreign = tokens.iter().filter(|t| !t.is_symbol() && !bytes[t.start as usize].is_ascii());
        count.unreadable += foreign.count() as u64;
    }
    count
}

/// Maximal runs of U+FFFD and control characters other than tab and line breaks.
fn noise(text: &str) -> u64 {
    // No byte below 0x20 but white space, no DEL and nothing beyond ASCII: the everyday case.
    let unusual = |b: u8| !matches!(b, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    // Without an early end this runs many bytes at a time.
    if !text.bytes().fold(false, |found, byte| found | unusual(byte)) {
        return 0;
    }
    let is_noise = |c: char| {
        c == '\u{fffd}'
            || matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}') && !matches!(c, '\t' | '\n' | '\r')
    };
    let mut runs = 0;
    let mut inside = false;
    for c in text.chars() {
        let now = is_noise(c);
        runs += u64::from(now && !inside);
        inside = now;
    }
    runs
}
