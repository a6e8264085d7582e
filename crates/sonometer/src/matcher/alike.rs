//! Whether a piece of text says the same folded as it does as written.

use super::turn::{Spare, TurnText};
use super::{Piece, shout};
use crate::expression::{Characters, Seen};
use crate::sensor::Plan;
use crate::text::fold::Folded;
use crate::text::several;
use std::ops::Range;

/// Whether nothing is found in the fold of a piece, read like a text of its own, but what is found in the piece.
pub(crate) fn reads_alike(plan: &Plan, piece: Piece<'_>) -> bool {
    if Folded::new(piece.text).text() == piece.text {
        return true;
    }
    TurnText::read(plan, piece, &mut Spare::default()).says_the_same_folded(
        plan,
        piece,
        &Folded::new(piece.sure),
    )
}

impl TurnText<'_> {
    /// Whether nothing is found in the fold of this piece, read like a text of its own, but what is found here; `folded` is the fold of what
    /// is sure. Words, gaps and classes are those of the fold in both: folding twice is folding once. Only capitals, exact words and
    /// regular expressions are asked of what is written. Of a character that stands for several tokens, each is judged by itself as it is
    /// written, and all of them together unfolded, where a negation reaches any.
    pub(crate) fn says_the_same_folded(&self, plan: &Plan, piece: Piece<'_>, folded: &Folded<'_>) -> bool {
        self.words_are_alike(plan)
            && several::first_in(self.own).is_none()
            && self.expressions_are_alike(plan, piece, folded)
    }

    fn words_are_alike(&self, plan: &Plan) -> bool {
        if !plan.shout && plan.exacts.is_empty() {
            return true;
        }
        let exact = |word: &str| plan.exacts.iter().position(|exact| **exact == *word);
        let is_alike = |at: usize| {
            let token = self.tokens[at];
            let folded = self.word(at);
            let own = &self.own[self.own_range(token.start as usize, token.end as usize)];
            own == folded
                || (!plan.shout || token.is_symbol() || shout::case_of(own) == shout::case_of(folded))
                    && exact(own) == exact(folded)
        };
        (0..self.tokens.len()).all(is_alike)
    }

    fn expressions_are_alike(&self, plan: &Plan, piece: Piece<'_>, folded: &Folded<'_>) -> bool {
        if plan.regexes.is_empty() {
            return true;
        }
        let ahead = folded.text();
        let (from, to) = (folded.folded_offset(piece.from), folded.folded_offset(piece.to));
        let text = &ahead[..folded.folded_offset(piece.text.len())];
        let second = Piece { text, from, to, ahead, sure: ahead, ..piece };
        let seen = Seen::of(ahead, from);
        plan.regexes.iter().enumerate().all(|(number, regex)| {
            let written = self.matches_of(number as u32);
            let found = match regex.can_match(&seen) {
                true => second.regex_matches(regex, &seen),
                false => Vec::new(),
            };
            let places = || {
                let written = piece.regex_places(regex, written, Characters::of(piece.ahead)).into_iter();
                let found = second.regex_places(regex, &found, seen.characters()).into_iter();
                written.eq(found.map(|place| folded.original_range(place.start, place.end)))
            };
            written.len() == found.len()
                && written
                    .iter()
                    .zip(&found)
                    .all(|(written, found)| self.cover_the_same(written, found, folded))
                && places()
        })
    }

    /// Whether a match in the written text and one in its fold cover the same characters and the same tokens, to the same edges.
    fn cover_the_same(&self, written: &Range<usize>, found: &Range<usize>, folded: &Folded<'_>) -> bool {
        let over = self.tokens_over(found.start, found.end);
        let edges = |start: usize, end: usize| {
            let first = self.tokens.get(over.start).map(|token| token.start as usize);
            let last = over.end.checked_sub(1).map(|at| self.tokens[at].end as usize);
            (first == Some(start), last == Some(end))
        };
        let own_edges = || {
            let own = |at: usize| {
                self.tokens.get(at).map(|token| self.own_range(token.start as usize, token.end as usize))
            };
            let first = own(over.start).map(|own| own.start);
            let last = over.end.checked_sub(1).and_then(own).map(|own| own.end);
            (first == Some(written.start), last == Some(written.end))
        };
        *written == folded.original_range(found.start, found.end)
            && self.tokens_over_own(written) == over
            && own_edges() == edges(found.start, found.end)
    }
}
