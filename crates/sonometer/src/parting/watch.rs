//! Whether a turn can be parted at the end of a sentence: whether no match of a regular expression reaches over it, in the text as written
//! and, where turns are read unfolded with an eye to how they are written, in the unfolded text.

use super::frontier::Cut;
use super::twin::Twin;
use super::ways::{Blind, Known, Ways};
use crate::expression::Bounds;
use crate::matcher::{Disguise, Piece};
use crate::sensor::Plan;
use crate::text::fold::Folded;
use crate::text::several;
use std::ops::Range;

/// The watch over one turn for one protocol.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    written: Crossing,
    /// The unfolded text, where it is asked about.
    twin: Option<Twin>,
    /// Of a protocol that unfolds and does not ask: up to where the turn was searched for a character that stands for several tokens, and
    /// where the first one stands. What is judged there depends on whether there is a disguise anywhere in the turn, so nothing behind it
    /// settles before the end.
    several: (usize, Option<usize>),
    /// No cut of this turn is allowed any more.
    has_given_up: bool,
    /// As `has_given_up`, for every turn: turns are read when they are complete.
    is_blind: bool,
    /// No expression to watch, and nothing is unfolded: every cut is allowed.
    is_idle: bool,
}

impl Watch {
    pub(crate) fn new(plan: &Plan) -> Self {
        let twin = plan.looks_at_writing().then(Twin::new);
        let is_idle = plan.regexes.is_empty() && plan.unfolding.is_none();
        let is_blind = !plan.regexes.is_empty() && plan.bounds().far().is_none();
        Self {
            written: Crossing::default(),
            twin,
            several: (0, None),
            has_given_up: is_blind,
            is_blind,
            is_idle,
        }
    }

    /// A new turn begins.
    pub(crate) fn reset(&mut self) {
        self.written = Crossing::default();
        self.twin.iter_mut().for_each(Twin::reset);
        self.several = (0, None);
        self.has_given_up = self.is_blind;
    }

    /// Whether it allows no further cut of this turn.
    pub(crate) fn has_given_up(&self) -> bool {
        self.has_given_up
    }

    /// Bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.twin.as_ref().map_or(0, Twin::heap_bytes)
    }

    /// What it knows of disguises in the turn.
    pub(crate) fn disguise(&self) -> Disguise {
        self.twin.as_ref().map_or(Disguise::Unknown, Twin::disguise)
    }

    /// The same when the turn is complete, of which all but the text from byte `rest` on has been read.
    pub(crate) fn disguise_at_end(&self, plan: &Plan, turn: &str, rest: usize) -> Disguise {
        let unfolding = plan.unfolding.as_ref().filter(|_| self.twin.is_none());
        match unfolding.filter(|_| several::first_in(&turn[rest..]).is_some()) {
            Some(unfolding) if unfolding.unfold(Folded::new(turn).text(), &plan.vocabulary).is_some() => {
                Disguise::Somewhere
            }
            Some(_) => Disguise::Nowhere,
            None => self.disguise(),
        }
    }

    /// Whether it asks about the unfolded text: whether what is sure of that matters.
    pub(crate) fn has_twin(&self) -> bool {
        self.twin.is_some()
    }

    /// Takes note of the end of a sentence of a turn, each in order.
    pub(crate) fn note(&mut self, plan: &Plan, turn: &str, cut: Cut) {
        if !self.has_given_up
            && let Some(twin) = &mut self.twin
        {
            twin.note(plan, turn, cut);
        }
    }

    /// Whether it is certain that no match of `plan` reaches over the end of `piece`, where the turn would be parted at `cut`.
    pub(crate) fn allows(&mut self, plan: &Plan, piece: Piece<'_>, cut: Cut) -> bool {
        if self.is_idle {
            return true;
        }
        if self.has_given_up {
            return false;
        }
        if plan.unfolding.is_some() && self.twin.is_none() && self.has_several(piece, cut) {
            return false;
        }
        let gap = &piece.ahead[cut.gap - piece.base..cut.at - piece.base];
        let known = Known { text: piece.ahead, base: piece.base };
        let bounds = plan.bounds();
        let is_free = bounds.near_end_in(gap, &|_| true)
            && self.written.is_free(bounds, known, cut.at).unwrap_or_else(|Blind| self.give_up());
        is_free
            && match &mut self.twin {
                Some(twin) => twin.allows(plan, piece, gap, cut).unwrap_or_else(|Blind| self.give_up()),
                None => true,
            }
    }

    /// Whether a character of the turn before a cut stands for several tokens.
    fn has_several(&mut self, piece: Piece<'_>, cut: Cut) -> bool {
        let (searched, first) = &mut self.several;
        let from = (*searched).max(piece.base);
        if first.is_none() && from < cut.next {
            *first =
                several::first_in(&piece.ahead[from - piece.base..cut.next - piece.base]).map(|at| from + at);
            *searched = cut.next;
        }
        first.is_some_and(|first| first < cut.next)
    }

    fn give_up(&mut self) -> bool {
        self.has_given_up = true;
        false
    }

    /// The turn has been parted there.
    pub(crate) fn parted(&mut self, cut: Cut) {
        self.written.parted(cut.at);
        self.twin.iter_mut().for_each(|twin| twin.parted(cut));
    }
}

/// The matches in one text of those expressions that may reach over the end of a sentence.
#[derive(Clone, Debug, Default)]
pub(super) struct Crossing {
    ways: Ways,
    /// What matches cover that are certain, apart from each other and in order: nothing parts a turn within.
    covered: Vec<Range<usize>>,
}

impl Crossing {
    /// Whether it is certain that no match reaches over byte `cut` of a text.
    pub(super) fn is_free(&mut self, bounds: &Bounds, known: Known<'_>, cut: usize) -> Result<bool, Blind> {
        let Self { ways, covered, .. } = self;
        if ways.follow(bounds.far(), known, cut, &mut |_, found| cover(covered, found))? < cut {
            return Ok(false);
        }
        let first = covered.partition_point(|found| found.end <= cut);
        Ok(covered.get(first).is_none_or(|found| found.start >= cut))
    }

    /// The text has been parted there: what is covered before is asked about no more. Not when a cut is free, as somebody else may
    /// refuse it, and then an earlier one is asked about.
    pub(super) fn parted(&mut self, cut: usize) {
        self.covered.retain(|found| found.end > cut);
    }
}

/// Notes a match; they come in the order of where they begin.
fn cover(covered: &mut Vec<Range<usize>>, found: Range<usize>) {
    match covered.last_mut().filter(|last| found.start < last.end) {
        Some(last) => last.end = last.end.max(found.end),
        None => covered.push(found),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Interaction, Protocol, Sensor, SessionOptions, View};

    #[test]
    fn follows_expressions_that_ignore_case() {
        let source = r#"{"sonometer": 1, "id": "x", "version": "1.0", "taxonomy": "Signal",
            "markers": [{"label": "m", "strong": "/stop.{0,40}now/i", "hit": "stop now", "miss": "go"}]}"#;
        let sensor = Sensor::new(Protocol::read(source).expect("valid").0).expect("small");
        for content in ["Please STOP it. Do that NOW. Yes.", "STOP. It is. Enough. Do that Now."] {
            let mut session = sensor.session(SessionOptions::default());
            for byte in content.as_bytes() {
                session.push(&[*byte]).expect("is taken");
            }
            session.end().expect("ends");
            let reading = session.finish().expect("is measured").to_json(View::default());
            let whole = sensor.sense(&Interaction::text(content).expect("short")).expect("is measured");
            assert_eq!(reading, whole.to_json(View::default()));
            assert!(reading.contains(r#""source":"STOP"#), "{reading}");
        }
    }
}
