//! Weak signals: what markers that did not trigger have found, and what was missing.

use crate::evidence::{Candidate, condition, lack, strength};
use crate::measure::resonance::{Asked, Clock, Sums};
use crate::measure::{Evidence, Measured};
use crate::protocol::{HintKind, Marker};
use crate::sensor::Plan;
use crate::unit::Unit;
use std::borrow::Cow;
use std::cmp::Reverse;

/// Something that a marker which did not trigger has found, or nearly found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeakSignal<'r> {
    /// The place of its protocol in [`crate::Reading::parts`]; 0 where there is one protocol.
    pub part: usize,
    /// The marker, by its place in its protocol.
    pub marker: usize,
    /// The metamarker, by its key in the reading.
    pub metamarker: &'r str,
    /// How near it came, 0 to 0.99.
    pub proximity: Unit,
    /// What was missing.
    pub kind: HintKind,
    /// The same for people: the author's words where there are any.
    pub hint: Cow<'r, str>,
    /// The match behind it, with what it adds to its marker or would have added; `None` where there is no such match.
    pub found: Option<Evidence<'r>>,
}

/// A weak signal before anybody asks for its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Near {
    pub(crate) marker: u32,
    pub(crate) proximity: Unit,
    pub(crate) kind: HintKind,
    /// The match behind it, among the candidates of the reading.
    pub(crate) candidate: Option<usize>,
    /// What that adds, or would have added.
    pub(crate) score: Unit,
}

/// The highest proximity: 1 would be a marker that has triggered, and so no weak signal.
const HIGHEST: Unit = Unit(990_000);
/// Less of the evidence, or of the time, is no weak signal where no match stands for it.
const LEAST: Unit = Unit(500_000);

/// What a marker that did not trigger missed most narrowly. `candidates` are all of its own, of which the first is
/// number `first` of the reading.
pub(crate) fn near_miss(
    plan: &Plan,
    marker: u32,
    (sums, asked): (&Sums, Option<&Asked>),
    candidates: &[Candidate],
    first: usize,
) -> Option<Near> {
    let mut best: Option<Near> = None;
    if let Clock::Runs { over, since } = sums.clock
        && over >= LEAST
    {
        let (proximity, candidate) = (over.min(HIGHEST), since.map(|at| first + at));
        best = Some(Near { marker, proximity, kind: HintKind::Deadline, candidate, score: Unit::ONE });
    }
    let mut missed: Vec<(&Candidate, Near)> = Vec::new();
    for (at, candidate) in (first..).zip(candidates) {
        missed.extend(misses(plan, (sums, asked), candidate, at).map(|near| (candidate, near)));
    }
    // The first of the nearest wins, in the order of the text: below `>`, which keeps the earlier of two equal ones.
    missed.sort_by_key(|(c, near)| (c.turn, c.start, c.end, c.line, near.kind));
    for (_, near) in missed {
        if best.as_ref().is_none_or(|best| near.proximity > best.proximity) {
            best = Some(near);
        }
    }
    best
}

impl Measured {
    /// A weak signal of a marker that is called `metamarker`; `part` is the place of its protocol.
    pub(crate) fn weak_signal<'r>(&'r self, part: usize, near: &Near, metamarker: &'r str) -> WeakSignal<'r> {
        let found = near.candidate.map(|at| {
            let found = self.evidence_of(part, &self.candidates[at], metamarker);
            Evidence { score: near.score, ..found }
        });
        let (marker, hint) = (near.marker as usize, self.hint(near));
        WeakSignal { part, marker, metamarker, proximity: near.proximity, kind: near.kind, hint, found }
    }

    /// All weak signals in their order.
    pub(crate) fn near(&self) -> Vec<Near> {
        let mut all = Vec::new();
        let mut near_misses = self.near_misses.iter().peekable();
        for (marker, resonance) in self.resonances.iter().filter(|(_, found)| !found.triggered) {
            let trigger = self.protocol().markers[*marker as usize].trigger;
            let more = Unit::ratio(resonance.activation.0.into(), trigger.0.into());
            let of_marker = |candidate: Option<usize>, score: Unit| Near {
                marker: *marker,
                proximity: more.min(HIGHEST),
                kind: HintKind::More,
                candidate,
                score,
            };
            let own = self.candidates.partition_point(|c| c.marker < *marker)
                ..self.candidates.partition_point(|c| c.marker <= *marker);
            let mut contributions: Vec<usize> =
                own.filter(|at| self.candidates[*at].contribution > Unit::ZERO).collect();
            contributions.sort_by_key(|at| self.candidates[*at].in_text());
            if contributions.is_empty() && more >= LEAST {
                all.push(of_marker(None, Unit::ZERO));
            }
            let score = |at: usize| self.candidates[at].contribution.clamp_to_one();
            all.extend(contributions.into_iter().map(|at| of_marker(Some(at), score(at))));
            all.extend(near_misses.next_if(|near| near.marker == *marker));
        }
        // Stable: of equal proximity, signals stay by marker, then in the order above.
        all.sort_by_key(|near| Reverse(near.proximity));
        all
    }

    /// The author's words for a reason, or a standard sentence that gives nothing of the scoring away.
    pub(crate) fn hint(&self, near: &Near) -> Cow<'_, str> {
        let marker = &self.protocol().markers[near.marker as usize];
        if let Some((_, text)) = marker.hints.iter().find(|(kind, _)| *kind == near.kind) {
            return text.into();
        }
        let said_by = near.candidate.and_then(|at| {
            let turn = self.candidates[at].turn as usize;
            self.interaction.turns()[turn].role.as_deref()
        });
        standard_hint(marker, near.kind, said_by)
    }
}

/// What a candidate would have triggered its marker with, each with its proximity.
fn misses(
    plan: &Plan,
    (sums, asked): (&Sums, Option<&Asked>),
    candidate: &Candidate,
    at: usize,
) -> impl Iterator<Item = Near> {
    let marker = &plan.protocol.markers[candidate.marker as usize];
    let near = |kind: HintKind, missing: Unit, tokens: u32| {
        let with = |sums: &Sums| sums.resonance(marker, missing).triggered;
        let would_trigger = missing > Unit::ZERO
            && match asked {
                None => with(sums),
                Some(asked) => asked.sums_at(candidate.turn).any(with),
            };
        let tokens = i128::from(tokens.max(1));
        would_trigger.then(|| Near {
            marker: candidate.marker,
            proximity: Unit::ratio(tokens, tokens + 1).min(HIGHEST),
            kind,
            candidate: Some(at),
            score: missing.min(Unit::ONE),
        })
    };
    let failure = only_failure(candidate.failed).and_then(|kind| {
        let tokens = match kind {
            HintKind::Gap => plan.markers[candidate.marker as usize].least[candidate.line as usize],
            _ => candidate.tokens,
        };
        near(kind, candidate.strength, tokens)
    });
    let lack = |bit: u8, kind: HintKind| {
        if candidate.failed != 0 || candidate.lacks & bit == 0 {
            return None;
        }
        let full = strength(plan, candidate, candidate.lacks & !bit);
        near(kind, Unit(full.0 - candidate.strength.0), candidate.tokens)
    };
    [failure, lack(lack::PAIR, HintKind::Pair), lack(lack::ECHO, HintKind::Echo)].into_iter().flatten()
}

fn only_failure(failed: u8) -> Option<HintKind> {
    match failed {
        condition::ROLE => Some(HintKind::Role),
        condition::WHERE => Some(HintKind::Where),
        condition::EXCEPT => Some(HintKind::Except),
        condition::NEGATED => Some(HintKind::Negated),
        condition::AFTER => Some(HintKind::After),
        condition::BEFORE => Some(HintKind::Before),
        condition::GAP => Some(HintKind::Gap),
        condition::CHECKSUM => Some(HintKind::Checksum),
        _ => None,
    }
}

/// What is said for a reason where the author says nothing; nothing of the scoring is given away.
fn standard_hint(marker: &Marker, kind: HintKind, said_by: Option<&str>) -> Cow<'static, str> {
    match kind {
        HintKind::More => "needs more evidence of the same kind".into(),
        HintKind::Role => {
            let speaker = said_by.unwrap_or("nobody named");
            format!("said by {speaker}, expected {}", marker.by.join(" or ")).into()
        }
        HintKind::Where => "said outside the part of the interaction that counts".into(),
        HintKind::Except => "said in a way that is excepted".into(),
        HintKind::Negated => "said, but negated".into(),
        HintKind::After => "nothing of what must come before it was said in time".into(),
        HintKind::Before => "nothing of what must follow was said in time".into(),
        HintKind::Pair => "said, but not completed".into(),
        HintKind::Echo => "uses too few of the other side's words".into(),
        HintKind::Gap => "its parts stand too far apart".into(),
        HintKind::Deadline => "not said yet, and not due yet".into(),
        HintKind::Checksum => "has the right shape, but its check digits are wrong".into(),
    }
}
