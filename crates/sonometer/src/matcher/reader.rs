//! The tokens of a turn with everything that one look at each word tells: its number, the gap before it, the tests it passes, whether it
//! counts as a function word, and whether anything can begin with it.

use super::passed::Passed;
use super::tally::{Count, Roles, Tally};
use crate::sensor::Plan;
use crate::text::gap::{self, GapKind};
use crate::text::token::{Sink, Token, Words};
use crate::text::vocabulary::role;

/// Takes the tokens of a turn and looks each word up.
pub(super) struct Reader<'p> {
    plan: &'p Plan,
    /// Whether the text begins a turn.
    starts: bool,
    tokens: Vec<Token>,
    sentences: Vec<u32>,
    passed: Passed,
    leads: Vec<u32>,
    last: Last,
    tally: Tally<'p>,
}

/// The memory of a [`Reader`], and what it has found.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) tokens: Vec<Token>,
    /// The first token of each sentence but the first, which is token 0.
    pub(super) sentences: Vec<u32>,
    /// The prefix, stem and misspelling tests that its tokens pass.
    pub(super) passed: Passed,
    /// The tokens with which a phrase, also one of a list, may begin or that are an anchor, in order: matching looks at no others.
    pub(super) leads: Vec<u32>,
}

impl Tokens {
    /// About the bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.tokens.capacity() * size_of::<Token>()
            + (self.sentences.capacity() + self.leads.capacity()) * size_of::<u32>()
            + self.passed.heap_bytes()
    }
}

impl<'p> Reader<'p> {
    /// Reads for `plan` in memory of an earlier turn, with room for so many tokens; `starts`: whether the text begins a turn.
    pub(super) fn new(plan: &'p Plan, starts: bool, room: usize, memory: Tokens) -> Self {
        let Tokens { mut tokens, mut sentences, mut passed, mut leads } = memory;
        tokens.clear();
        tokens.reserve(room);
        sentences.clear();
        passed.clear();
        leads.clear();
        Self {
            plan,
            starts,
            tokens,
            sentences,
            passed,
            leads,
            last: Last::default(),
            tally: Tally::new(plan),
        }
    }

    /// What was found, the kind of the gap behind the last token, and what there is to count.
    pub(super) fn finish(mut self, text: &str) -> (Tokens, GapKind, Count) {
        let last_gap = self.gap_before(text, self.tokens.len(), text.len());
        if self.last.is_lead() {
            self.leads.push(self.tokens.len() as u32 - 1);
        }
        let Self { tokens, sentences, passed, leads, tally, .. } = self;
        let count = tally.finish(tokens.len());
        (Tokens { tokens, sentences, passed, leads }, last_gap, count)
    }

    /// The kind of the gap before token `at`, which begins at `start`; notes where a sentence begins.
    #[inline(never)]
    fn gap(&mut self, text: &str, at: usize, start: usize) -> GapKind {
        let kind = self.gap_before(text, at, start);
        if kind == GapKind::End && at > 0 {
            self.sentences.push(at as u32);
        }
        kind
    }

    /// The kind of the gap before `start`, where token `at` begins or the text ends. The token before has been taken.
    #[inline]
    #[cfg_attr(small_build, optimize(speed))]
    fn gap_before(&self, text: &str, at: usize, start: usize) -> GapKind {
        let Some(last) = at.checked_sub(1).map(|before| self.tokens[before]) else {
            // Before a later piece a sentence ends.
            return if self.starts { GapKind::Join } else { GapKind::End };
        };
        gap::kind(text, last.end as usize, start, || {
            let roles = self.plan.vocabulary.roles(last.word());
            let before_digit = text.as_bytes().get(start).is_some_and(u8::is_ascii_digit);
            is_initial(&text[last.range()])
                || roles & role::ABBREVIATION != 0
                || before_digit && roles & role::NUMBER_ABBREVIATION != 0
        })
    }

    #[inline]
    #[cfg_attr(small_build, optimize(speed))]
    fn note_tests(&mut self, text: &str, at: usize, start: usize, end: usize) {
        if self.plan.tests.may_pass(text.as_bytes(), start, end) {
            self.passed.note(&self.plan.tests, at as u32, &text[start..end]);
        }
    }
}

impl Sink for Reader<'_> {
    #[cfg_attr(small_build, optimize(speed))]
    fn token(&mut self, text: &str, start: usize, end: usize, symbol: bool) {
        let at = self.tokens.len();
        let (word, roles) = self.tally.token(text.as_bytes(), start, end);
        self.tally.note_foreign(text, start, symbol);
        let gap = self.gap(text, at, start);
        if !self.plan.tests.is_empty() {
            self.note_tests(text, at, start, end);
        }
        if self.last.is_lead_before(self.plan, word, roles) {
            self.leads.push(at as u32 - 1);
        }
        self.tokens.push(Token::new(start, end, word, symbol, gap));
    }

    #[inline(always)]
    #[cfg_attr(small_build, optimize(speed))]
    fn words(&mut self, text: &str, Words { places, apart }: Words<'_>) {
        let first = self.tokens.len();
        self.tokens.resize(first + places.len(), Token::default());
        // Copies, which stay in registers while the tokens are written.
        let (plan, mut last, mut roles) = (self.plan, self.last, Roles::default());
        // Bit n: whether the token before word n is a lead.
        let mut leads = 0_u64;
        for (token, &[start, end]) in self.tokens[first..].iter_mut().zip(places) {
            let (start, end) = (start as usize, end as usize);
            let word = plan.vocabulary.number_of_ascii(text.as_bytes(), start, end);
            let own = plan.vocabulary.roles(word);
            roles.add(own);
            // Shifted in at the top, since a shift by one is the fastest.
            leads = leads >> 1 | u64::from(last.is_lead_before(plan, word, own)) << 63;
            *token = Token::new(start, end, word, false, GapKind::Join);
        }
        self.last = last;
        self.tally.note_words(text, places, roles);
        // None for no words: 64 places would be too many to shift by.
        let leads = leads.checked_shr(64 - places.len() as u32).unwrap_or_default();
        self.leads.extend(ones(leads).map(|n| (first + n) as u32 - 1));
        for n in ones(apart) {
            let kind = self.gap(text, first + n, places[n][0] as usize);
            self.tokens[first + n].set_gap(kind);
        }
        if !self.plan.tests.is_empty() {
            for (at, &[start, end]) in (first..).zip(places) {
                self.note_tests(text, at, start as usize, end as usize);
            }
        }
    }
}

/// The numbers of the bits that are set, the lowest first.
#[inline]
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lowest
    })
}

/// The token before the next one: whether something may begin with it is decided by what it stands for, or by the pair that the two make.
#[derive(Clone, Copy, Default)]
struct Last {
    /// 0, which no phrase begins with, and no roles before the first token.
    word: u32,
    roles: u8,
}

impl Last {
    /// Whether something may begin with it whatever follows.
    #[inline(always)]
    fn is_lead(self) -> bool {
        self.roles & (role::PHRASE | role::ANCHOR | role::LIST) != 0
    }

    /// Whether something may begin with it where this token follows, which takes its place.
    #[inline(always)]
    fn is_lead_before(&mut self, plan: &Plan, word: u32, roles: u8) -> bool {
        let begins = plan.phrases.may_begin(self.word, word) & (self.word != 0);
        let is_lead = begins | self.is_lead();
        *self = Self { word, roles };
        is_lead
    }
}

/// Whether a word is one letter that a full stop may shorten a name to.
#[inline]
pub(super) fn is_initial(word: &str) -> bool {
    word.len() == 1 && word.as_bytes()[0].is_ascii_alphabetic() && !word.eq_ignore_ascii_case("i")
}
