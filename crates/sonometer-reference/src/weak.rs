//! Section 7: weak signals.

use crate::candidate::{Candidate, Scene, nearly};
use crate::marker::{Basis, MarkerReading, Stretch, triggers};
use crate::near::{checksum_misses, gap_misses, least_tokens};
use crate::number::{Number, U, divide};
use crate::strength::lacks;
use sonometer::protocol::{HintKind, Marker};

/// What a marker that did not trigger has found, or lacks.
#[derive(Clone)]
pub(crate) struct WeakSignal {
    /// The marker, by its index in the protocol.
    pub(crate) marker: usize,
    /// How near it is, at most 0.99.
    pub(crate) proximity: Number,
    /// What to do about it.
    pub(crate) hint: String,
    /// The match behind it, with what it adds or would have added.
    pub(crate) found: Option<(Candidate, Number)>,
}

/// The weak signals of all markers, nearest first, then in the order of the file.
pub(crate) fn weak_signals(scene: &Scene<'_>, readings: &[MarkerReading]) -> Vec<WeakSignal> {
    let mut signals: Vec<WeakSignal> = readings
        .iter()
        .enumerate()
        .filter(|(_, reading)| !reading.triggered)
        .flat_map(|(index, reading)| of_marker(scene, index, reading))
        .collect();
    signals.sort_by_key(|signal| -signal.proximity);
    signals
}

/// *more*, then the best of the near misses.
fn of_marker(scene: &Scene<'_>, index: usize, reading: &MarkerReading) -> Vec<WeakSignal> {
    let marker = &scene.protocol.markers[index];
    let mut reasons = more(marker, reading);
    reasons.extend(near_miss(scene, marker, reading));
    let signal = |reason: Reason| WeakSignal {
        marker: index,
        proximity: reason.proximity.min(990_000),
        hint: hint(scene, marker, &reason),
        found: reason.found,
    };
    reasons.into_iter().map(signal).collect()
}

/// The best of the near misses.
fn near_miss(scene: &Scene<'_>, marker: &Marker, reading: &MarkerReading) -> Option<Reason> {
    let mut reasons = Vec::new();
    reasons.extend(deadline(reading));
    if let Some(basis) = reading.basis {
        let near = Near { scene, marker, basis, stretches: reading.stretches.as_deref() };
        reasons.extend(near.dropped(&reading.candidates));
        reasons.extend(near.lacking(&reading.candidates));
        reasons.extend(near.gaps());
        reasons.extend(near.checksums());
    }
    reasons.sort_by(|a, b| {
        let (one, other) = (a.proximity.min(990_000), b.proximity.min(990_000));
        other.cmp(&one).then_with(|| a.order().cmp(&b.order()))
    });
    reasons.into_iter().next()
}

/// One reason for a weak signal.
struct Reason {
    kind: HintKind,
    proximity: Number,
    /// The match behind it, with what it adds or would have added.
    found: Option<(Candidate, Number)>,
}

impl Reason {
    fn at(kind: HintKind, candidate: &Candidate, proximity: Number, strength: Number) -> Self {
        Self { kind, proximity, found: Some((candidate.clone(), strength.min(U))) }
    }

    /// Among equals: *deadline* first, then by turn, start, end, line, then in the order of the kinds.
    fn order(&self) -> (bool, usize, usize, usize, usize, HintKind) {
        let (turn, start, end, line) = match &self.found {
            Some((candidate, _)) => {
                let (turn, start, end, _) = candidate.hit.order();
                (turn, start, end, candidate.line)
            }
            None => (0, 0, 0, 0),
        };
        (self.kind != HintKind::Deadline, turn, start, end, line, self.kind)
    }
}

/// *more*: each positive contribution, in the order of the text, with a ÷ trigger; without any, a ÷ trigger if at least 0.5.
fn more(marker: &Marker, reading: &MarkerReading) -> Vec<Reason> {
    let proximity = divide(reading.activation, Number::from(marker.trigger.0));
    let mut found: Vec<(Candidate, Number)> =
        reading.candidates.iter().cloned().zip(reading.contributions.iter().copied()).collect();
    found.retain(|(_, contribution)| *contribution > 0);
    found.sort_by_key(|(candidate, _)| {
        let (turn, start, end, first_token) = candidate.hit.order();
        (turn, start, end, candidate.line, first_token)
    });
    if found.is_empty() && proximity >= U / 2 {
        return vec![Reason { kind: HintKind::More, proximity, found: None }];
    }
    let reason = |(candidate, contribution): (Candidate, Number)| Reason {
        kind: HintKind::More,
        proximity,
        found: Some((candidate, contribution.min(U))),
    };
    found.into_iter().map(reason).collect()
}

/// *deadline*: how much of the time has gone by, if at least 0.5; the match that started the clock.
fn deadline(reading: &MarkerReading) -> Option<Reason> {
    let proximity = reading.deadline.filter(|nearness| *nearness >= U / 2)?;
    let found = reading.started.map(|at| (reading.candidates[at].clone(), U));
    Some(Reason { kind: HintKind::Deadline, proximity, found })
}

/// What single matches of a marker with evidence lines lack.
struct Near<'s> {
    scene: &'s Scene<'s>,
    marker: &'s Marker,
    basis: Basis,
    stretches: Option<&'s [Stretch]>,
}

impl Near<'_> {
    /// Each dropped candidate that failed exactly one condition.
    fn dropped(&self, candidates: &[Candidate]) -> Vec<Reason> {
        candidates
            .iter()
            .filter(|candidate| {
                candidate.failed.len() == 1 && self.would_trigger(candidate, candidate.strength)
            })
            .filter_map(|candidate| {
                let kind = *candidate.failed.first()?;
                Some(Reason::at(kind, candidate, nearly(candidate), candidate.strength))
            })
            .collect()
    }

    /// Each counted candidate that lacks its pair or its echo.
    fn lacking(&self, candidates: &[Candidate]) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for candidate in candidates.iter().filter(|candidate| candidate.failed.is_empty()) {
            for (kind, strength) in lacks(self.scene, self.marker, candidate) {
                if self.would_trigger(candidate, strength) {
                    reasons.push(Reason::at(kind, candidate, nearly(candidate), strength));
                }
            }
        }
        reasons
    }

    /// Each match with a wider gap that passes all conditions.
    fn gaps(&self) -> Vec<Reason> {
        gap_misses(self.scene, self.marker)
            .iter()
            .filter(|candidate| {
                candidate.failed.is_empty() && self.would_trigger(candidate, candidate.strength)
            })
            .map(|candidate| {
                let least = least_tokens(&self.marker.lines[candidate.line].pattern()) as Number;
                Reason::at(HintKind::Gap, candidate, divide(least, least + 1), candidate.strength)
            })
            .collect()
    }

    /// Each occurrence with wrong check digits that passes all conditions.
    fn checksums(&self) -> Vec<Reason> {
        checksum_misses(self.scene, self.marker)
            .iter()
            .filter(|candidate| {
                candidate.failed.is_empty() && self.would_trigger(candidate, candidate.strength)
            })
            .map(|candidate| Reason::at(HintKind::Checksum, candidate, nearly(candidate), candidate.strength))
            .collect()
    }

    /// Whether the marker would have triggered with this strength more: it is added to the sum, or one turn to the share.
    fn would_trigger(&self, candidate: &Candidate, strength: Number) -> bool {
        // With `scope`: in some stretch that its turn stands in.
        if let Some(stretches) = self.stretches {
            let mut there = stretches.iter().filter(|stretch| stretch.turns.contains(&candidate.hit.turn()));
            return strength > 0 && there.any(|stretch| stretch.triggers_with(self.marker, strength));
        }
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
            let turn = reason.found.as_ref().map_or(0, |(candidate, _)| candidate.hit.turn());
            let role = scene.turns[turn].role.as_deref().unwrap_or("nobody named");
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
