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
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The stretches, all but the first, of matches over several turns.
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
    /// The first turn.
    pub(crate) fn turn(&self) -> usize {
        self.parts[0].1.turn as usize
    }

    /// A place in the text as stretches of the turns; none unless it begins in the first turn and ends in a later one.
    pub(super) fn stretches(&self, range: &Range<usize>) -> Vec<Stretch> {
        let stretch = |&(at, part): &(usize, Stretch)| {
            let len = part.range().len();
            let start = range.start.clamp(at, at + len) - at;
            let end = range.end.clamp(at, at + len) - at;
            let from = part.start as usize;
            Stretch { turn: part.turn, start: (from + start) as u32, end: (from + end) as u32 }
        };
        let stretches: Vec<Stretch> =
            self.parts.iter().map(stretch).filter(|stretch| stretch.start < stretch.end).collect();
        match stretches.first() {
            Some(first) if stretches.len() > 1 && first.turn == self.parts[0].1.turn => stretches,
            _ => Vec::new(),
        }
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
                let span = spans[turn].clone();
                let (start, end) = (span.start as u32, span.end as u32);
                window.parts.push((window.text.len(), Stretch { turn: turn as u32, start, end }));
                window.text.push_str(&turns[turn].content[span]);
            }
            take(&window, setting);
        }
    }
}
