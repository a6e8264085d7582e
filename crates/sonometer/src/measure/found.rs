//! A match as it is shown: its place in the interaction, and its text behind the masks.

use super::Measured;
use crate::evidence::Candidate;
use crate::evidence::window;
use crate::mask::Cover;
use crate::unit::Unit;
use std::borrow::Cow;
use std::ops::Range;

/// A match that adds to its marker, or takes away from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence<'r> {
    /// The place of its protocol in [`crate::Reading::parts`]; 0 where there is one protocol.
    pub part: usize,
    /// The marker, by its place in its protocol.
    pub marker: usize,
    /// The metamarker, by its key in the reading.
    pub metamarker: &'r str,
    /// What it adds to its marker, above 0, at most 1; below 0 in [`crate::Reading::against`].
    pub score: Unit,
    /// The turn it stands in, from 0.
    pub turn: usize,
    /// Bytes of that turn's content.
    pub range: Range<usize>,
    /// Where it goes on in later turns, for metamarkers with `join`.
    pub joined: Vec<Stretch>,
    /// The matched text, masked where the protocol says so; that of several turns joined by line breaks.
    pub source: Cow<'r, str>,
}

/// A stretch of one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The turn, from 0.
    pub turn: usize,
    /// Bytes of that turn's content.
    pub range: Range<usize>,
}

impl Measured {
    /// The candidates that take away from their marker, in the order of the text.
    pub(crate) fn candidates_against(&self) -> Vec<&Candidate> {
        let mut against: Vec<&Candidate> =
            self.candidates.iter().filter(|candidate| candidate.contribution < Unit::ZERO).collect();
        against.sort_by_key(|candidate| candidate.in_text());
        against
    }

    /// A match as evidence of a marker that is called `metamarker`; `part` is the place of its protocol.
    pub(crate) fn evidence_of<'r>(
        &'r self,
        part: usize,
        found: &Candidate,
        metamarker: &'r str,
    ) -> Evidence<'r> {
        Evidence {
            part,
            marker: found.marker as usize,
            metamarker,
            score: found.contribution.min(Unit::ONE),
            turn: found.turn as usize,
            range: self.range(found),
            joined: self.joined_to(found),
            source: self.source(found),
        }
    }

    /// The bytes of its turn where a match, or the first stretch of it, stands.
    pub(crate) fn range(&self, found: &Candidate) -> Range<usize> {
        self.ways.back(found.turn, found.range())
    }

    /// The stretches of a match beyond the first.
    pub(crate) fn joined_to(&self, found: &Candidate) -> Vec<Stretch> {
        let stretch =
            |s: &window::Stretch| Stretch { turn: s.turn as usize, range: self.ways.back(s.turn, s.range()) };
        self.joined.further(found).iter().map(stretch).collect()
    }

    /// The text of a match as it may be shown.
    pub(crate) fn source(&self, found: &Candidate) -> Cow<'_, str> {
        self.by_turn(found, |stretch| self.shown(stretch.turn, self.ways.back(stretch.turn, stretch.range())))
    }

    /// Something of each turn of a match, joined by line breaks.
    pub(crate) fn by_turn<'r>(
        &'r self,
        found: &Candidate,
        text: impl Fn(window::Stretch) -> Cow<'r, str>,
    ) -> Cow<'r, str> {
        let mut stretches = self.joined.place(found).map(text);
        let first = stretches.next().unwrap_or_default();
        stretches.fold(first, |all, next| all + "\n" + next)
    }

    pub(crate) fn cover(&self) -> &Cover {
        static NOTHING: Cover = Cover::nothing();
        self.cover.as_deref().unwrap_or(&NOTHING)
    }

    /// Bytes of a turn as they may be shown.
    pub(crate) fn shown(&self, turn: u32, range: Range<usize>) -> Cow<'_, str> {
        self.cover().show(turn, &self.interaction.turns()[turn as usize].content, range)
    }
}

impl Candidate {
    /// Its place in the order of the text; where two stand at one place, the marker and the line decide.
    pub(crate) fn in_text(&self) -> (u32, u32, u32, u32, u32) {
        (self.turn, self.start, self.end, self.marker, self.line)
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
