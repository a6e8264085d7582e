//! Section 7: weak signals.

use crate::candidate::{Candidate, Scene, nearly};
use crate::marker::{Basis, MarkerReading, triggers};
use crate::near::{checksum_misses, gap_misses, least_tokens};
use crate::number::{Number, U, divide};
use crate::strength::lacks;
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
    reasons.extend(deadline(reading));
    if let Some(basis) = reading.basis {
        let near = Near { scene, marker, basis };
        reasons.extend(near.dropped(&reading.candidates));
        reasons.extend(near.lacking(&reading.candidates));
        reasons.extend(near.gaps());
        reasons.extend(near.checksums());
    }
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
    /// The turn it stands in; the first for *more* and *deadline*.
    turn: usize,
    /// Among equals: *more*, *deadline*, then by turn, start, end, line, then in the order of the kinds.
    order: (u8, usize, usize, usize, usize, HintKind),
}

impl Reason {
    /// A reason that stands nowhere in the text.
    fn of_the_whole(kind: HintKind, rank: u8, proximity: Number) -> Self {
        Self { kind, proximity, turn: 0, order: (rank, 0, 0, 0, 0, kind) }
    }

    fn at(kind: HintKind, candidate: &Candidate, proximity: Number) -> Self {
        let (turn, start, end, _) = candidate.hit.order();
        Self { kind, proximity, turn, order: (2, turn, start, end, candidate.line, kind) }
    }
}

/// *more*: a ÷ trigger, if at least 0.5.
fn more(marker: &Marker, reading: &MarkerReading) -> Option<Reason> {
    let proximity = divide(reading.activation, Number::from(marker.trigger.0));
    (proximity >= U / 2).then(|| Reason::of_the_whole(HintKind::More, 0, proximity))
}

/// *deadline*: how much of the time has gone by, if at least 0.5.
fn deadline(reading: &MarkerReading) -> Option<Reason> {
    let proximity = reading.deadline.filter(|nearness| *nearness >= U / 2)?;
    Some(Reason::of_the_whole(HintKind::Deadline, 1, proximity))
}

/// What single matches of a marker with evidence lines lack.
struct Near<'s> {
    scene: &'s Scene<'s>,
    marker: &'s Marker,
    basis: Basis,
}

impl Near<'_> {
    /// Each dropped candidate that failed exactly one condition.
    fn dropped(&self, candidates: &[Candidate]) -> Vec<Reason> {
        candidates
            .iter()
            .filter(|candidate| candidate.failed.len() == 1 && self.would_trigger(candidate.strength))
            .filter_map(|candidate| {
                Some(Reason::at(*candidate.failed.first()?, candidate, nearly(candidate)))
            })
            .collect()
    }

    /// Each counted candidate that lacks its pair or its echo.
    fn lacking(&self, candidates: &[Candidate]) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for candidate in candidates.iter().filter(|candidate| candidate.failed.is_empty()) {
            for (kind, strength) in lacks(self.scene, self.marker, candidate) {
                if self.would_trigger(strength) {
                    reasons.push(Reason::at(kind, candidate, nearly(candidate)));
                }
            }
        }
        reasons
    }

    /// Each match with a wider gap that passes all conditions.
    fn gaps(&self) -> Vec<Reason> {
        gap_misses(self.scene, self.marker)
            .iter()
            .filter(|candidate| candidate.failed.is_empty() && self.would_trigger(candidate.strength))
            .map(|candidate| {
                let least = least_tokens(&self.marker.lines[candidate.line].pattern) as Number;
                Reason::at(HintKind::Gap, candidate, divide(least, least + 1))
            })
            .collect()
    }

    /// Each occurrence with wrong check digits that passes all conditions.
    fn checksums(&self) -> Vec<Reason> {
        checksum_misses(self.scene, self.marker)
            .iter()
            .filter(|candidate| candidate.failed.is_empty() && self.would_trigger(candidate.strength))
            .map(|candidate| Reason::at(HintKind::Checksum, candidate, nearly(candidate)))
            .collect()
    }

    /// Whether the marker would have triggered with this strength more: it is added to the sum, or one turn to the share.
    fn would_trigger(&self, strength: Number) -> bool {
        let with = Basis {
            sum: self.basis.sum + strength,
            with_evidence: (self.basis.with_evidence + 1).min(self.basis.side),
            ..self.basis
        };
        strength > 0 && triggers(self.marker, with)
    }
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
