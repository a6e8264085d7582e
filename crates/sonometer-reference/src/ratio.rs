//! Section 4, ratio: how often one thing is said for another.

use crate::candidate::{Candidate, Scene};
use crate::marker::{self, MarkerReading};
use crate::number::{Number, U, fraction};
use crate::reading::Hit;
use sonometer::protocol::{Marker, Ratio, RatioTo};

/// What a ratio comes to.
pub(crate) fn read(scene: &Scene<'_>, marker: &Marker, ratio: &Ratio) -> MarkerReading {
    let (counted_to, candidates) = match &ratio.to {
        RatioTo::Marker(label) => (evidence(scene, label), Vec::new()),
        RatioTo::Lines(lines) => {
            let found = scene.judged(marker, lines, |line| scene.hits(marker, line));
            (found.iter().map(|candidate: &Candidate| candidate.hit.clone()).collect(), found)
        }
    };
    let of = places(scene, ratio, &evidence(scene, &ratio.of));
    let to = places(scene, ratio, &counted_to);
    let activation = activation(ratio, of, to);
    MarkerReading {
        contributions: vec![0; candidates.len()],
        candidates,
        evidence: activation,
        activation,
        triggered: activation >= Number::from(marker.trigger.0),
        basis: None,
        deadline: None,
        started: None,
        stretches: None,
    }
}

/// The counted candidates with a positive contribution of the marker of this label.
fn evidence(scene: &Scene<'_>, label: &str) -> Vec<Hit> {
    let Some(marker) = scene.protocol.markers.iter().find(|marker| marker.label == label) else {
        return Vec::new();
    };
    let reading = marker::read(scene, marker);
    let positive = reading.candidates.iter().zip(&reading.contributions).filter(|(_, c)| **c > 0);
    positive.map(|(candidate, _)| candidate.hit.clone()).collect()
}

/// The number of places in turns by `by`, those that overlap taken as one.
fn places(scene: &Scene<'_>, ratio: &Ratio, hits: &[Hit]) -> Number {
    let mut places: Vec<Vec<&Hit>> = Vec::new();
    for hit in hits.iter().filter(|hit| scene.passes_role(&ratio.by, &scene.turns[hit.turn()])) {
        let mut place = vec![hit];
        places.retain(|other| {
            let overlaps = other.iter().any(|other| other.overlaps(hit));
            if overlaps {
                place.extend(other);
            }
            !overlaps
        });
        places.push(place);
    }
    places.len() as Number
}

/// min(u, max(0, (A·u − floor·B)) ÷ ((full − floor)·B)).
fn activation(ratio: &Ratio, of: Number, to: Number) -> Number {
    let (floor, full) = (Number::from(ratio.floor.0), Number::from(ratio.full.0));
    if of + to < Number::from(ratio.at_least) {
        0
    } else if to == 0 {
        U
    } else {
        U.min(fraction((of * U - floor * to).max(0), U, (full - floor) * to))
    }
}
