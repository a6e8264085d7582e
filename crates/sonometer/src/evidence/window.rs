//! Windows: turns of one speaker that follow each other, read as one text. A card number that somebody says in two
//! breaths, with an "mhm" of the other side between them, is found there.

use super::{Candidate, Setting};
use crate::interaction::Interaction;
use crate::sensor::Plan;
use std::ops::Range;

/// A stretch of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) turn: u32,
    /// Bytes of the turn's original text.
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Stretch {
    pub(super) fn of(turn: usize, range: &Range<usize>) -> Self {
        Self { turn: turn as u32, start: range.start as u32, end: range.end as u32 }
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The stretches, all but the first, of matches over several turns, by [`Candidate::joined`] - 1. Kept apart, so that candidates, of
/// which few span turns, are of one small size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joined(Vec<Box<[Stretch]>>);

impl Joined {
    /// The place of a candidate: one stretch of each of its turns.
    pub(crate) fn place(&self, candidate: &Candidate) -> impl DoubleEndedIterator<Item = Stretch> {
        let Candidate { turn, start, end, .. } = *candidate;
        std::iter::once(Stretch { turn, start, end }).chain(self.further(candidate).iter().copied())
    }

    /// The stretches of a candidate beyond the first.
    pub(crate) fn further(&self, candidate: &Candidate) -> &[Stretch] {
        let number = candidate.joined.checked_sub(1);
        number.and_then(|number| self.0.get(number as usize)).map_or(&[], |further| further)
    }

    /// Keeps stretches for [`Candidate::joined`]; 0 for none.
    pub(super) fn keep(&mut self, further: Vec<Stretch>) -> u32 {
        if further.is_empty() {
            return 0;
        }
        self.0.push(further.into());
        self.0.len() as u32
    }
}

/// Turns of one speaker as one text, one space between them.
#[derive(Debug)]
pub(crate) struct Window {
    pub(crate) text: String,
    /// What each turn gave, and where that begins in the text.
    parts: Vec<(usize, Stretch)>,
    /// The `join` of the markers that look at it.
    pub(super) join: u32,
}

impl Window {
    /// The number of its first turn.
    pub(crate) fn turn(&self) -> usize {
        self.parts[0].1.turn as usize
    }

    /// The place of a match as its first stretch and those in later turns; `None` unless the match, `extent`, begins in the first
    /// turn and ends in a later one: what one turn holds is found in the turn.
    pub(super) fn place(
        &self,
        extent: &Range<usize>,
        place: &Range<usize>,
    ) -> Option<(Stretch, Vec<Stretch>)> {
        let mut whole = self.stretches(extent);
        // What stands in one turn is found in that turn, and what begins in a later one in that one's window.
        if whole.len() < 2 || whole[0].turn as usize != self.turn() {
            return None;
        }
        if place != extent {
            // A place in nothing but the space between two turns gives way to the extent (semantics, Windows).
            whole = Some(self.stretches(place)).filter(|stretches| !stretches.is_empty()).unwrap_or(whole);
        }
        let first = whole.remove(0);
        Some((first, whole))
    }

    /// The stretches of turns that a part of the text is made of.
    fn stretches(&self, range: &Range<usize>) -> Vec<Stretch> {
        let stretches = self.parts.iter().map(|&(at, part)| {
            let within = |place: usize| place.clamp(at, at + part.range().len()) - at + part.start as usize;
            Stretch::of(part.turn as usize, &(within(range.start)..within(range.end)))
        });
        stretches.filter(|stretch| !stretch.range().is_empty()).collect()
    }
}

/// Every window of the markers that have any; `spans` are the places of the first to the last token, by turn.
pub(crate) fn each(
    plan: &Plan,
    interaction: &Interaction,
    setting: &Setting,
    spans: &[Range<usize>],
    mut take: impl FnMut(&Window, &Setting),
) {
    let turns = interaction.turns();
    let said_by = |turn: usize| {
        let span = spans.get(turn).filter(|span| !span.is_empty());
        span.and_then(|_| setting.turns[turn].role.as_deref())
    };
    let next = |turn: usize| {
        let role = said_by(turn)?;
        // At most one turn lies between: two further on is the last that can follow.
        [turn + 1, turn + 2].into_iter().find(|next| said_by(*next) == Some(role))
    };
    for &join in &plan.joins {
        for first in 0..turns.len() {
            if next(first).is_none() {
                continue;
            }
            let mut window = Window { text: String::new(), parts: Vec::new(), join };
            for turn in std::iter::successors(Some(first), |turn| next(*turn)).take(join as usize) {
                if !window.parts.is_empty() {
                    window.text.push(' ');
                }
                window.parts.push((window.text.len(), Stretch::of(turn, &spans[turn])));
                window.text.push_str(&turns[turn].content[spans[turn].clone()]);
            }
            take(&window, setting);
        }
    }
}
