//! Weak signals: markers that nearly triggered, and what was missing.

use crate::evidence::{Candidate, condition, lack, strength};
use crate::protocol::{HintKind, Marker};
use crate::resonance::{Clock, Resonance, Sums};
use crate::sensor::Plan;
use crate::unit::Unit;

/// A near-threshold activation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeakSignal {
    /// The marker, by its place in the protocol.
    pub marker: usize,
    /// How near it came, above 0, at most 0.99.
    pub proximity: Unit,
    /// What was missing.
    pub kind: HintKind,
    /// The same for people: the author's words where there are any.
    pub hint: String,
}

const HIGHEST: Unit = Unit(990_000);
/// Less of the evidence, or of the time, is no weak signal.
const LEAST: Unit = Unit(500_000);

/// The weak signal of a marker that did not trigger; `candidates` are all of its own.
pub(crate) fn of_marker(
    plan: &Plan,
    number: usize,
    resonance: &Resonance,
    sums: &Sums,
    candidates: &[Candidate],
    said_by: impl Fn(&Candidate) -> Option<String>,
) -> Option<WeakSignal> {
    let marker = &plan.protocol.markers[number];
    let mut best: Option<(Unit, HintKind, Option<&Candidate>)> = None;
    let more = Unit::ratio(resonance.activation.0.into(), marker.trigger.0.into());
    if more >= LEAST {
        best = Some((more.min(HIGHEST), HintKind::More, None));
    }
    if let Clock::Runs(over) = sums.clock
        && over >= LEAST
    {
        best = Some((over.min(HIGHEST), HintKind::Deadline, None));
    }
    let mut missed: Vec<_> = candidates.iter().flat_map(|c| misses(plan, sums, c)).collect();
    // The first of the nearest wins: after these two, the order of the text.
    missed.sort_by_key(|(_, kind, c)| (c.turn, c.start, c.end, c.line, *kind));
    for (proximity, kind, candidate) in missed {
        if best.as_ref().is_none_or(|best| proximity > best.0) {
            best = Some((proximity, kind, Some(candidate)));
        }
    }
    best.map(|(proximity, kind, candidate)| {
        let speaker = candidate.and_then(said_by);
        WeakSignal { marker: number, proximity, kind, hint: hint(marker, kind, speaker) }
    })
}

/// What a candidate would have triggered its marker with, each with its proximity.
fn misses<'c>(
    plan: &Plan,
    sums: &Sums,
    candidate: &'c Candidate,
) -> impl Iterator<Item = (Unit, HintKind, &'c Candidate)> {
    let marker = &plan.protocol.markers[candidate.marker as usize];
    let near = |kind: HintKind, missing: Unit, tokens: u32| {
        let would_trigger = missing > Unit::ZERO && sums.resonance(marker, missing).triggered;
        let tokens = i128::from(tokens.max(1));
        would_trigger.then(|| (Unit::ratio(tokens, tokens + 1).min(HIGHEST), kind, candidate))
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

/// The author's words for a reason, or a standard sentence that gives nothing of the scoring away.
fn hint(marker: &Marker, kind: HintKind, speaker: Option<String>) -> String {
    if let Some((_, text)) = marker.hints.iter().find(|(k, _)| *k == kind) {
        return text.clone();
    }
    match kind {
        HintKind::More => "needs more evidence of the same kind".into(),
        HintKind::Role => {
            let speaker = speaker.as_deref().unwrap_or("nobody named");
            format!("said by {speaker}, expected {}", marker.by.join(" or "))
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
