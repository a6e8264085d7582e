//! Section 9: the evidence of a part, and the signal.

use crate::candidate::{Scene, same_role};
use crate::marker::{MarkerReading, contribution};
use crate::number::{Number, U, divide, fraction};
use crate::strength::strength;
use sonometer::protocol::Pole::{Against, For};
use sonometer::protocol::{Marker, ScoreKind};

/// The most evidence that is reckoned with.
const MOST_EVIDENCE: Number = 1_000_000 * U;

/// A reading, part by part.
pub(crate) struct Parts<'a> {
    /// The scene.
    pub(crate) scene: &'a Scene<'a>,
    /// What its markers came to; none if the content is insufficient.
    pub(crate) readings: &'a [MarkerReading],
}

impl Parts<'_> {
    /// The markers with their readings.
    pub(crate) fn markers(&self) -> impl Iterator<Item = (&Marker, &MarkerReading)> {
        self.scene.protocol.markers.iter().zip(self.readings)
    }

    /// E(m, P): `inside` says which turns are in the part.
    pub(crate) fn evidence(
        &self,
        marker: &Marker,
        reading: &MarkerReading,
        inside: &dyn Fn(usize) -> bool,
    ) -> Number {
        let own = marker.absence.is_some() || marker.ratio.is_some();
        let there = || reading.candidates.iter().filter(|c| c.failed.is_empty() && inside(c.hit.turn()));
        let sum: Number = if own {
            let all = reading.candidates.iter().zip(&reading.contributions);
            all.filter(|(c, _)| inside(c.hit.turn())).map(|(_, contribution)| contribution).sum()
        } else {
            there()
                .enumerate()
                .map(|(at, candidate)| {
                    let k = there().take(at).filter(|earlier| earlier.line == candidate.line).count();
                    contribution(strength(self.scene, marker, candidate), k as u32, marker.repeat)
                })
                .sum()
        };
        sum.clamp(0, MOST_EVIDENCE)
    }

    /// (S² − Q) ÷ (Q·(n − 1)).
    pub(crate) fn spread(&self) -> Number {
        let all: Vec<Number> = self
            .markers()
            .map(|(marker, reading)| (reading.evidence - reading.at_rest(marker).0).clamp(0, MOST_EVIDENCE))
            .collect();
        let s: Number = all.iter().sum();
        let q: Number = all.iter().map(|e| e * e).sum();
        let n = self.scene.protocol.markers.len() as Number;
        if q == 0 || n == 1 { 0 } else { fraction(s * s - q, U, q * (n - 1)) }
    }

    /// The mean overlap of the turns of a speaker that follow each other.
    pub(crate) fn coherence(&self) -> Number {
        let turns = self.scene.turns;
        let histogram = |turn: usize| -> Vec<Number> {
            self.markers().map(|(marker, reading)| self.evidence(marker, reading, &|t| t == turn)).collect()
        };
        let full: Vec<usize> =
            (0..turns.len()).filter(|turn| histogram(*turn).iter().any(|e| *e > 0)).collect();
        let speaker =
            |turn: usize| turns[turn].role.as_ref().map(|role| same_role(self.scene.protocol, role));
        let mut overlaps = Vec::new();
        for (at, turn) in full.iter().enumerate() {
            if let Some(next) = full[at + 1..].iter().find(|next| speaker(**next) == speaker(*turn)) {
                overlaps.push(overlap(&histogram(*turn), &histogram(*next)));
            }
        }
        match (full.is_empty(), overlaps.is_empty()) {
            (true, _) => 0,
            (false, true) => U,
            (false, false) => fraction(overlaps.iter().sum(), 1, overlaps.len() as Number),
        }
    }

    /// The label of the marker with the largest w·(a − a₀).
    pub(crate) fn dominant_mode(&self) -> Option<&str> {
        let mut best: Option<((Number, Number), &str)> = None;
        for (marker, reading) in self.markers() {
            let (e_at_rest, a_at_rest) = reading.at_rest(marker);
            if reading.activation <= a_at_rest {
                continue;
            }
            let weight = Number::from(marker.importance.weight());
            let rank = (weight * (reading.activation - a_at_rest), (reading.evidence - e_at_rest).max(0));
            if best.is_none_or(|(known, _)| rank > known) {
                best = Some((rank, &marker.label));
            }
        }
        best.map(|(_, label)| label)
    }

    /// The level of a window.
    pub(crate) fn level(&self, inside: &dyn Fn(usize) -> bool) -> Number {
        let markers = &self.scene.protocol.markers;
        let activations: Vec<Number> = self
            .markers()
            .map(|(marker, reading)| {
                let e = self.evidence(marker, reading, inside);
                let h = Number::from(marker.half.0);
                if e == 0 { 0 } else { U.min(fraction(e, U + h, e + h)) }
            })
            .collect();
        let are = |pole| markers.iter().any(|marker| marker.pole == pole);
        let (presence, cleanness) = crate::score::presence_and_cleanness(markers, &activations);
        match self.scene.protocol.score {
            ScoreKind::Mean if are(For) && are(Against) => fraction(presence + cleanness, 1, 2),
            ScoreKind::Mean if are(For) => presence,
            ScoreKind::Mean => cleanness,
            kind => crate::score::score(kind, markers, &activations),
        }
    }
}

/// (Σ min(E·T′, E′·T)) ÷ (T·T′).
fn overlap(one: &[Number], other: &[Number]) -> Number {
    let (t, t_other): (Number, Number) = (one.iter().sum(), other.iter().sum());
    let shared: Number = one.iter().zip(other).map(|(e, e_other)| (e * t_other).min(e_other * t)).sum();
    divide(shared, t * t_other)
}
