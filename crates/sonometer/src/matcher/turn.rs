//! One turn made ready for matching: folded text, tokens with their word numbers, sentences, class occurrences.

use super::Piece;
use super::passed::Passed;
use super::reader::{Reader, Tokens, is_initial};
use super::tally::{self, Count};
use crate::class::{ClassSet, Occurrence};
use crate::expression::{Expression, Seen};
use crate::protocol::phrase::Class;
use crate::sensor::Plan;
use crate::text::fold::{FoldBuffers, Folded};
use crate::text::gap::GapKind;
use crate::text::token::{self, Sink, Token};
use crate::text::unfold::Unfolded;
use crate::text::vocabulary::role;
use std::ops::Range;
use std::sync::Arc;

/// A turn made ready for matching, as it is written or unfolded. All places are in the folded text unless they say
/// otherwise.
#[derive(Debug)]
pub(crate) struct TurnText<'t> {
    /// The text that was folded: the original turn, or what it unfolds to.
    pub(crate) own: &'t str,
    pub(crate) folded: Folded<'t>,
    /// Whether the folded text is the original, byte for byte, so that places need no map: ASCII as written.
    is_plain: bool,
    /// Bytes of the turn before the text that was read.
    pub(crate) base: usize,
    /// Whether the turn begins with this text, and whether it ends with it.
    pub(crate) starts: bool,
    pub(crate) ends: bool,
    /// Where an unfolded text comes from: what was undone, and the fold of the original.
    origin: Option<(&'t Unfolded, &'t Folded<'t>)>,
    pub(crate) tokens: Vec<Token>,
    /// The kind of the gap behind the last token.
    last_gap: GapKind,
    /// The first token of each sentence but the first, which is token 0.
    pub(crate) sentences: Vec<u32>,
    /// The prefix, stem and misspelling tests that its tokens pass.
    pub(super) passed: Passed,
    /// The tokens with which a phrase may begin or that are an anchor.
    pub(super) leads: Vec<u32>,
    /// Class occurrences over tokens, sorted by class and place.
    pub(crate) occurrences: Vec<Spread>,
    /// Matches of the regular expressions, by number, in bytes of the reading's own text. Empty where none of them matches, or with a list
    /// for each.
    pub(crate) regex_matches: Vec<Vec<Range<usize>>>,
    /// The places of those of expressions with a group `place`, in the same order. Empty, or with a list for each.
    pub(crate) regex_places: Vec<Vec<Range<usize>>>,
    pub(crate) count: Count,
    /// Matches begin at this token or behind it, occurrences at this byte of the folded text or behind it. What stands before is
    /// there to be looked back at.
    pub(crate) from: usize,
    pub(crate) from_byte: usize,
}

/// Text that a guard holds back, with some of what stands before it.
#[derive(Debug)]
pub(crate) struct Held<'t> {
    pub(crate) text: &'t str,
    /// Bytes of the turn before `text`.
    pub(crate) base: usize,
    /// The byte of `text` from which on matches are looked for.
    pub(crate) from: usize,
    /// As [`TurnText::regex_matches`] and [`TurnText::regex_places`], from there on.
    pub(crate) regex_matches: Vec<Vec<Range<usize>>>,
    pub(crate) regex_places: Vec<Vec<Range<usize>>>,
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
    tokens: Tokens,
}

impl Spare {
    /// About the bytes held on the heap. The folded text counts as much as the tokens, 12 bytes each: it is seldom longer.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.tokens.heap_bytes() + self.tokens.tokens.capacity() * size_of::<Token>()
    }
}

/// What there is to count in a text for each of several plans. Nothing is looked for: it is folded once, and its words looked up for
/// each plan.
pub(crate) fn count_all(plans: &[&Plan], text: &str, spare: &mut Spare, mut take: impl FnMut(usize, Count)) {
    let folded = Folded::with_buffers(text, std::mem::take(&mut spare.folding));
    plans.iter().enumerate().for_each(|(at, plan)| take(at, tally::count(plan, text, &folded)));
    spare.folding = folded.into_buffers();
}

impl<'t> TurnText<'t> {
    /// Reads a turn, or a piece of one, for the patterns of `plan`, in the memory of an earlier one.
    pub(crate) fn read(plan: &Plan, piece: Piece<'t>, spare: &mut Spare) -> Self {
        Self::read_from(plan, piece, None, spare)
    }

    /// Reads what a piece unfolds to; `folded` is the fold of what is sure of it.
    pub(crate) fn read_unfolded(
        plan: &Plan,
        piece: Piece<'t>,
        unfolded: &'t Unfolded,
        folded: &'t Folded<'t>,
        spare: &mut Spare,
    ) -> Self {
        let ahead = unfolded.text();
        // Its edges are ends of sentences, which no disguise reaches over.
        let place = |at: usize| unfolded.offset(folded.folded_offset(at));
        let text = &ahead[..place(piece.text.len())];
        let (from, to) = (place(piece.from), place(piece.to));
        let piece = Piece { text, from, to, ahead, sure: ahead, ..piece };
        Self::read_from(plan, piece, Some((unfolded, folded)), spare)
    }

    /// Reads for `plan` what has been read as it is written for another: the fold and the edges of its tokens stay.
    pub(crate) fn read_again(
        plan: &Plan,
        piece: Piece<'t>,
        written: &TurnText<'t>,
        spare: &mut Spare,
    ) -> Self {
        let Spare { folding, tokens } = std::mem::take(spare);
        let folded = written.folded.copy_into(folding);
        let mut reader = Reader::new(plan, piece.starts, written.tokens.len(), tokens);
        for token in &written.tokens {
            let Range { start, end } = token.range();
            reader.token(folded.text(), start, end, token.is_symbol());
        }
        Self::finish(plan, piece, None, folded, reader)
    }

    fn read_from(
        plan: &Plan,
        piece: Piece<'t>,
        origin: Option<(&'t Unfolded, &'t Folded<'t>)>,
        spare: &mut Spare,
    ) -> Self {
        let Spare { folding, tokens } = std::mem::take(spare);
        let folded = Folded::with_buffers(piece.text, folding);
        // Seldom too few: a word and the gap behind it are rarely less than four bytes on average.
        let mut reader = Reader::new(plan, piece.starts, piece.text.len() / 4 + 4, tokens);
        token::cut(folded.text(), &mut reader);
        Self::finish(plan, piece, origin, folded, reader)
    }

    /// A text whose tokens have all been taken.
    fn finish(
        plan: &Plan,
        piece: Piece<'t>,
        origin: Option<(&'t Unfolded, &'t Folded<'t>)>,
        folded: Folded<'t>,
        reader: Reader<'_>,
    ) -> Self {
        let mut turn = Self::cut(piece, origin, folded, reader);
        turn.count.noise = tally::noise(piece.own());
        turn.find_classes(plan);
        turn.find_expressions(plan, piece);
        turn
    }

    /// Finds the matches of the regular expressions, of those that the text has room for.
    #[cfg_attr(small_build, optimize(speed))]
    fn find_expressions(&mut self, plan: &Plan, piece: Piece<'t>) {
        if plan.regexes.is_empty() {
            return;
        }
        let seen = Seen::of(piece.ahead, piece.from);
        let matches = |regex: &Arc<Expression>| match regex.can_match(&seen) {
            true => piece.regex_matches(regex, &seen),
            false => Vec::new(),
        };
        self.regex_matches = plan.regexes.iter().map(matches).collect();
        if plan.regexes.iter().any(|regex| regex.has_place()) {
            let found = plan.regexes.iter().zip(&self.regex_matches);
            self.regex_places =
                found.map(|(regex, found)| piece.regex_places(regex, found, seen.characters())).collect();
        }
    }

    /// Reads text that is held back, the beginning of a longer turn; `plan` is that of a guard.
    pub(crate) fn read_held(plan: &Plan, held: Held<'t>, spare: &mut Spare) -> Self {
        let Held { text, base, from, regex_matches, regex_places } = held;
        let piece = Piece { base, from, starts: base == 0, ends: false, ..Piece::whole(text) };
        let Spare { folding, tokens } = std::mem::take(spare);
        let folded = Folded::with_buffers(text, folding);
        let mut reader = Reader::new(plan, piece.starts, 0, tokens);
        token::cut(folded.text(), &mut reader);
        let mut turn = Self::cut(piece, None, folded, reader);
        turn.from_byte = turn.folded.folded_offset(from);
        turn.from = turn.tokens.partition_point(|token| (token.start as usize) < turn.from_byte);
        turn.find_classes(plan);
        (turn.regex_matches, turn.regex_places) = (regex_matches, regex_places);
        turn
    }

    /// A text with its tokens, before anything is found in it.
    fn cut(
        piece: Piece<'t>,
        origin: Option<(&'t Unfolded, &'t Folded<'t>)>,
        folded: Folded<'t>,
        reader: Reader<'_>,
    ) -> Self {
        let own = piece.text;
        let (found, last_gap, count) = reader.finish(folded.text());
        let Tokens { tokens, sentences, passed, leads } = found;
        Self {
            own,
            base: piece.base,
            starts: piece.starts,
            ends: piece.ends,
            is_plain: origin.is_none() && std::ptr::eq(folded.text(), own),
            folded,
            origin,
            tokens,
            last_gap,
            sentences,
            passed,
            leads,
            occurrences: Vec::new(),
            regex_matches: Vec::new(),
            regex_places: Vec::new(),
            count,
            from: 0,
            from_byte: 0,
        }
    }

    /// The matches of a regular expression, in bytes of the reading's own text.
    #[inline]
    pub(crate) fn matches_of(&self, regex: u32) -> &[Range<usize>] {
        self.regex_matches.get(regex as usize).map_or(&[], Vec::as_slice)
    }

    /// Gives the memory to the next turn.
    #[inline(always)]
    pub(crate) fn recycle(self, spare: &mut Spare) {
        let Self { folded, tokens, sentences, passed, leads, .. } = self;
        *spare =
            Spare { folding: folded.into_buffers(), tokens: Tokens { tokens, sentences, passed, leads } };
    }

    /// The text of token `at`, in its own case.
    pub(crate) fn word(&self, at: usize) -> &str {
        &self.folded.text()[self.tokens[at].range()]
    }

    /// The text before token `at`; for the number of tokens, the rest of the turn.
    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn gap(&self, at: usize) -> &str {
        let from = at.checked_sub(1).map_or(0, |before| self.tokens[before].end as usize);
        let to = self.tokens.get(at).map_or(self.folded.text().len(), |token| token.start as usize);
        &self.folded.text()[from..to]
    }

    /// Whether a full stop directly behind the last token may end no sentence, whatever follows.
    pub(crate) fn may_be_abbreviated(&self, plan: &Plan) -> bool {
        let Some(last) = self.tokens.last() else { return false };
        is_initial(self.word(self.tokens.len() - 1))
            || plan.vocabulary.roles(last.word()) & (role::ABBREVIATION | role::NUMBER_ABBREVIATION) != 0
    }

    /// The bytes of the original turn from the first token to the last; empty if there is none.
    pub(crate) fn span(&self) -> Range<usize> {
        match (self.tokens.first(), self.tokens.last()) {
            (Some(first), Some(last)) => self.original_range(first.start as usize, last.end as usize),
            _ => 0..0,
        }
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

    /// The bytes of the original turn that whole characters of the folded text stand for.
    #[inline]
    pub(crate) fn original_range(&self, start: usize, end: usize) -> Range<usize> {
        if self.is_plain {
            return start..end;
        }
        self.original_of(self.folded.range_of_whole(start, end))
    }

    /// The bytes of the reading's own text that whole characters of the folded text stand for.
    pub(crate) fn own_range(&self, start: usize, end: usize) -> Range<usize> {
        if self.is_plain {
            return start..end;
        }
        self.folded.range_of_whole(start, end)
    }

    /// Where the character of the reading's own text begins that a byte of the folded text, of whatever part of a character, stands for.
    pub(crate) fn own_start(&self, at: usize) -> usize {
        if self.is_plain { at } else { self.folded.original_range(at, at + 1).start }
    }

    /// The bytes of the original turn that bytes of the reading's own text (not none) stand for.
    pub(crate) fn original_of(&self, own: Range<usize>) -> Range<usize> {
        match self.origin {
            Some((unfolded, folded)) if !own.is_empty() => {
                let range = unfolded.folded_range(own);
                folded.original_range(range.start, range.end)
            }
            _ => own,
        }
    }

    /// Occurrences of a class that begin at token `first`.
    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn occurrences_at(&self, class: Class, first: usize) -> &[Spread] {
        let from = self.occurrences.partition_point(|o| (o.class, o.first as usize) < (class, first));
        let len = self.occurrences[from..]
            .iter()
            .take_while(|o| o.class == class && o.first as usize == first)
            .count();
        &self.occurrences[from..from + len]
    }

    /// The detected classes of which an occurrence begins at token `first`. Each is searched by halving: a sentence of a megabyte may
    /// have 100,000 occurrences, and this is asked for each of its tokens.
    pub(crate) fn classes_at(&self, first: usize) -> ClassSet {
        let mut here = ClassSet::NONE;
        let mut rest = self.occurrences.as_slice();
        while let [Spread { class, .. }, ..] = rest {
            if let Class::Detected(detected) = class
                && !self.occurrences_at(*class, first).is_empty()
            {
                here = here.with(*detected);
            }
            rest = &rest[rest.partition_point(|o| o.class == *class)..];
        }
        here
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
    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn tokens_over(&self, start: usize, end: usize) -> Range<usize> {
        let first = self.tokens.partition_point(|t| (t.end as usize) <= start);
        let last = self.tokens.partition_point(|t| (t.start as usize) < end);
        first..last.max(first)
    }

    /// The tokens that stand for some byte of a range of the original turn.
    pub(crate) fn tokens_over_original(&self, range: &Range<usize>) -> Range<usize> {
        let of = |token: &Token| self.original_range(token.start as usize, token.end as usize);
        let first = self.tokens.partition_point(|token| of(token).end <= range.start);
        let last = self.tokens.partition_point(|token| of(token).start < range.end);
        first..last.max(first)
    }

    /// The tokens that bytes of the reading's own text overlap.
    pub(crate) fn tokens_over_own(&self, range: &Range<usize>) -> Range<usize> {
        let over =
            self.tokens_over(self.folded.folded_offset(range.start), self.folded.folded_offset(range.end));
        // What begins among marks that folding drops stands in the token that they belong to.
        let before = over.start.checked_sub(1).filter(|before| {
            let token = &self.tokens[*before];
            self.folded.original_range(token.start as usize, token.end as usize).end > range.start
        });
        before.unwrap_or(over.start)..over.end
    }

    #[cfg_attr(small_build, optimize(speed))]
    fn find_classes(&mut self, plan: &Plan) {
        if !plan.classes.is_empty() {
            let mut found: Vec<Occurrence> = Vec::new();
            let text = self.folded.text();
            crate::class::find_from(text, self.from_byte, plan.classes, plan.class_words, &mut found);
            let spreads = found.iter().map(|o| {
                let tokens = self.tokens_over(o.start as usize, o.end as usize);
                let (first, last) = (tokens.start as u32, tokens.end as u32);
                Spread { class: Class::Detected(o.class), first, last, start: o.start, end: o.end }
            });
            // One that overlaps no token (a lone sign) can be part of no match.
            self.occurrences = spreads.filter(|s| s.first < s.last).collect();
        }
        if plan.shout {
            let shouts = super::shout::find(self);
            self.occurrences.extend(shouts);
        }
        // By class, then place, for look-ups by halves. The key is all of an occurrence, so equal ones are the same.
        self.occurrences.sort_unstable();
    }
}
