//! Section 7: weak signals.

use crate::candidate::{Candidate, Scene, nearly};
use crate::marker::{Basis, MarkerReading, triggers};
use crate::number::{Number, U, divide};
use sonometer::protocol::{HintKind, Marker};

/// What a marker lacks.
#[derive(Clone, Debug)]
pub(crate) struct WeakSignal {
    /// The marker, by its index in the protocol.
    pub(crate) marker: usize,
    /// How near it is, at most 0.99.
    pub(crate) proximity: Number,
    /// What to do about it.
    pub(crate) hint: String,
}

/// The weak signals of all markers, nearest first, then in the order of the file.
pub(crate) fn weak_signals(scene: &Scene<'_>, readings: &[MarkerReading]) -> Vec<WeakSignal> {
    let mut signals: Vec<WeakSignal> = readings
        .iter()
        .enumerate()
        .filter(|(_, reading)| !reading.triggered)
        .filter_map(|(index, reading)| weak_signal(scene, index, reading))
        .collect();
    signals.sort_by_key(|signal| -signal.proximity);
    signals
}

fn weak_signal(scene: &Scene<'_>, index: usize, reading: &MarkerReading) -> Option<WeakSignal> {
    let marker = &scene.protocol.markers[index];
    let mut reasons = Vec::new();
    reasons.extend(more(marker, reading));
    reasons.extend(dropped(marker, reading));
    reasons.extend(checksums(scene, marker, reading));
    for reason in &mut reasons {
        reason.proximity = reason.proximity.min(990_000);
    }
    reasons.sort_by(|a, b| b.proximity.cmp(&a.proximity).then_with(|| a.order.cmp(&b.order)));
    let best = reasons.into_iter().next()?;
    Some(WeakSignal { marker: index, proximity: best.proximity, hint: hint(scene, marker, &best) })
}

/// One reason for a weak signal.
struct Reason {
    kind: HintKind,
    proximity: Number,
    /// The turn it stands in; the first for *more*.
    turn: usize,
    /// Among equals: *more* first, then turn, start, end, line, then conditions before *checksum*.
    order: (bool, usize, usize, usize, usize, HintKind),
}

/// *more*: a ÷ trigger, if at least 0.5.
fn more(marker: &Marker, reading: &MarkerReading) -> Option<Reason> {
    let proximity = divide(reading.activation, Number::from(marker.trigger.0));
    let reason =
        Reason { kind: HintKind::More, proximity, turn: 0, order: (false, 0, 0, 0, 0, HintKind::More) };
    (proximity >= U / 2).then_some(reason)
}

/// Each dropped candidate that failed exactly one condition.
fn dropped(marker: &Marker, reading: &MarkerReading) -> Vec<Reason> {
    reading
        .candidates
        .iter()
        .filter(|candidate| candidate.failed.len() == 1)
        .filter(|candidate| would_have_triggered(marker, reading.basis, candidate))
        .filter_map(|candidate| Some(reason(*candidate.failed.first()?, candidate)))
        .collect()
}

/// Each occurrence with wrong check digits that passes all four conditions.
fn checksums(scene: &Scene<'_>, marker: &Marker, reading: &MarkerReading) -> Vec<Reason> {
    scene
        .checksum_misses(marker)
        .iter()
        .filter(|candidate| candidate.failed.is_empty())
        .filter(|candidate| would_have_triggered(marker, reading.basis, candidate))
        .map(|candidate| reason(HintKind::Checksum, candidate))
        .collect()
}

fn reason(kind: HintKind, candidate: &Candidate) -> Reason {
    let place = &candidate.found.place;
    let order = (true, candidate.turn, place.start, place.end, candidate.line, kind);
    Reason { kind, proximity: nearly(candidate), turn: candidate.turn, order }
}

/// The strength is added to the sum, or one turn to the share.
fn would_have_triggered(marker: &Marker, basis: Basis, candidate: &Candidate) -> bool {
    let with = Basis {
        sum: basis.sum + candidate.strength,
        with_evidence: (basis.with_evidence + 1).min(basis.side),
        ..basis
    };
    candidate.strength > 0 && triggers(marker, with)
}

/// The author's words for that reason, else a standard sentence.
fn hint(scene: &Scene<'_>, marker: &Marker, reason: &Reason) -> String {
    let own = marker.hints.iter().find(|(kind, _)| *kind == reason.kind);
    own.map_or_else(|| standard_hint(scene, marker, reason), |(_, words)| words.clone())
}

fn standard_hint(scene: &Scene<'_>, marker: &Marker, reason: &Reason) -> String {
    match reason.kind {
        HintKind::More => "needs more evidence of the same kind".to_owned(),
        HintKind::Role => {
            let role = scene.turns[reason.turn].role.as_deref().unwrap_or("nobody named");
            format!("said by {role}, expected {}", marker.by.join(" or "))
        }
        HintKind::Where => "said outside the part of the interaction that counts".to_owned(),
        HintKind::Except => "said in a way that is excepted".to_owned(),
        HintKind::Negated => "said, but negated".to_owned(),
        HintKind::After => "nothing of what must come before it was said in time".to_owned(),
        HintKind::Before => "nothing of what must follow was said in time".to_owned(),
        HintKind::Pair => "said, but not completed".to_owned(),
        HintKind::Echo => "uses too few of the other side's words".to_owned(),
        HintKind::Gap => "its parts stand too far apart".to_owned(),
        HintKind::Deadline => "not said yet, and not due yet".to_owned(),
        HintKind::Checksum => "has the right shape, but its check digits are wrong".to_owned(),
    }
}
