//! Weak signals: markers that nearly triggered, and what was missing.

use crate::evidence::{Candidate, condition};
use crate::protocol::{HintKind, Marker};
use crate::resonance::{Resonance, Sums};
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
const LEAST_OF_MORE: Unit = Unit(500_000);

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
    let more = Unit::ratio(resonance.activation.0.into(), marker.trigger.0.into());
    let more = (more >= LEAST_OF_MORE).then_some((more.min(HIGHEST), HintKind::More, None));
    let missed = candidates.iter().filter_map(|candidate| {
        let kind = only_failure(candidate.failed)?;
        if candidate.strength <= Unit::ZERO || !sums.resonance(marker, candidate.strength).triggered {
            return None;
        }
        let tokens = i128::from(candidate.tokens);
        Some((Unit::ratio(tokens, tokens + 1).min(HIGHEST), kind, Some(candidate)))
    });
    // The first of the nearest wins: `more`, then the order of the text.
    let mut missed: Vec<_> = missed.collect();
    missed
        .sort_by_key(|(_, kind, c)| c.map(|c| (c.turn, c.start, c.end, c.line, *kind == HintKind::Checksum)));
    let mut best = more;
    for near in missed {
        if best.as_ref().is_none_or(|b| near.0 > b.0) {
            best = Some(near);
        }
    }
    best.map(|(proximity, kind, candidate)| {
        let speaker = candidate.and_then(said_by);
        WeakSignal { marker: number, proximity, kind, hint: hint(marker, kind, speaker) }
    })
}

fn only_failure(failed: u8) -> Option<HintKind> {
    match failed {
        condition::ROLE => Some(HintKind::Role),
        condition::WHERE => Some(HintKind::Where),
        condition::EXCEPT => Some(HintKind::Except),
        condition::NEGATED => Some(HintKind::Negated),
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
