//! The unfolded text of a turn that comes in, sentence by sentence, for protocols that look at how it is written.
//!
//! Such a turn is read a second time if there is a disguise anywhere in it, and then every sentence of it whose fold is not what is written.
//! So before the first disguise a sentence settles only if its fold says what it says as written; else all waits for a disguise, or for the end
//! of the turn.

use super::frontier::Cut;
use super::watch::Crossing;
use super::ways::{Blind, Known};
use crate::matcher::{Disguise, Piece, reads_alike};
use crate::sensor::Plan;
use crate::text::fold::{Folded, each_folded};
use crate::text::unfold::Unfolded;
use std::collections::VecDeque;

/// Of so many ends of sentences their places in the unfolded text are kept: those that wait are among the last.
const MOST_ENDS: usize = 64;

#[derive(Clone, Debug)]
pub(super) struct Twin {
    crossing: Crossing,
    /// The unfolded turn from its byte `base` on, up to the end of a sentence that was noted last.
    text: String,
    base: usize,
    /// Where that sentence ends in the turn.
    last: Cut,
    /// Ends of sentences in the turn, and in the unfolded one.
    ends: VecDeque<(usize, usize)>,
    disguise: Disguise,
    /// A sentence says something else folded, so nothing settles before there is a disguise.
    waits: bool,
}

impl Twin {
    pub(super) fn new() -> Self {
        Self {
            crossing: Crossing::default(),
            text: String::new(),
            base: 0,
            last: Cut::default(),
            ends: VecDeque::new(),
            disguise: Disguise::Unknown,
            waits: false,
        }
    }

    pub(super) fn reset(&mut self) {
        self.crossing = Crossing::default();
        self.text.clear();
        self.ends.clear();
        (self.base, self.last, self.disguise, self.waits) = (0, Cut::default(), Disguise::Unknown, false);
    }

    pub(super) fn disguise(&self) -> Disguise {
        self.disguise
    }

    /// Bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<(usize, usize)>()
    }

    /// Takes note of the end of a sentence of a turn: what stands before it unfolds as it does now, whatever follows.
    pub(super) fn note(&mut self, plan: &Plan, turn: &str, cut: Cut) {
        let is_known = self.disguise == Disguise::Somewhere && !plan.bounds().must_follow();
        let Some(unfolding) = plan.unfolding.as_ref().filter(|_| !is_known) else { return };
        let base = self.last.gap;
        let folded = Folded::new(&turn[base..cut.next]);
        let unfolded = unfolding.unfold(folded.text(), &plan.vocabulary);
        if unfolded.is_some() {
            self.disguise = Disguise::Somewhere;
        }
        let place = |at: usize| {
            let folded = folded.folded_offset(at - base);
            unfolded.as_ref().map_or(folded, |unfolded| unfolded.offset(folded))
        };
        let text = unfolded.as_ref().map_or(folded.text(), Unfolded::text);
        self.text.push_str(&text[place(self.last.at)..place(cut.at)]);
        self.last = cut;
        if self.ends.len() == MOST_ENDS {
            self.ends.pop_front();
        }
        self.ends.push_back((cut.at, self.base + self.text.len()));
    }

    /// Whether it is certain that no match in the unfolded text reaches over the end of `piece`, at `cut` behind `gap`, and that it is known
    /// how the piece is read.
    pub(super) fn allows(
        &mut self,
        plan: &Plan,
        piece: Piece<'_>,
        gap: &str,
        cut: Cut,
    ) -> Result<bool, Blind> {
        if self.waits && self.disguise == Disguise::Unknown {
            return Ok(false);
        }
        if !near_end_unfolded(plan, gap) || plan.bounds().must_follow() && !self.is_free(plan, cut)? {
            return Ok(false);
        }
        self.waits = self.disguise == Disguise::Unknown && !reads_alike(plan, piece);
        Ok(!self.waits)
    }

    /// Whether no match reaches over a cut of those that must be followed.
    fn is_free(&mut self, plan: &Plan, cut: Cut) -> Result<bool, Blind> {
        let Some(end) = self.end(cut) else { return Ok(false) };
        let known = Known { text: &self.text, base: self.base };
        self.crossing.is_free(plan.bounds(), known, end)
    }

    /// The turn has been parted there.
    pub(super) fn parted(&mut self, cut: Cut) {
        let Some(end) = self.end(cut) else { return };
        self.crossing.parted(end);
        self.ends.retain(|(at, _)| *at > cut.at);
        // The character before is looked back at.
        let kept = self.text[..end - self.base].char_indices().next_back().map_or(0, |(at, _)| at);
        self.text.drain(..kept);
        self.base += kept;
    }

    /// Where the end of a sentence is in the unfolded turn.
    fn end(&self, cut: Cut) -> Option<usize> {
        self.ends.iter().find(|(at, _)| *at == cut.at).map(|(_, end)| *end)
    }
}

/// Whether no match in the unfolded text reaches over the end of `gap`, which stands behind the last word of a sentence, of those expressions that end
/// where sentences do.
pub(super) fn near_end_unfolded(plan: &Plan, gap: &str) -> bool {
    let mut folded = String::new();
    gap.chars().for_each(|c| each_folded(c, |c| folded.push(c)));
    // Signs of the gap may be letters of the word before it, a `!` among others (`a!$`).
    let has_more = folded.contains(['$', '@', '|']);
    let stays = |c: char| !(matches!(c, '$' | '@' | '|') || c == '!' && has_more);
    plan.bounds().near_end_in(&folded, &stays)
}
