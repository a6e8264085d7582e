//! Section 5: the score.

use crate::number::{Number, U, divide, times};
use sonometer::protocol::{Marker, Pole, ScoreKind};

/// The score from the activations, one for each marker.
pub(crate) fn score(kind: ScoreKind, markers: &[Marker], activations: &[Number]) -> Number {
    let all: Vec<(Number, Number)> = weighted(markers, activations, None);
    let on = |pole: Pole| weighted(markers, activations, Some(pole));
    let or_all = |chosen: Vec<(Number, Number)>| if chosen.is_empty() { all.clone() } else { chosen };
    match kind {
        ScoreKind::Mean => {
            let p = mean(&on(Pole::For)).unwrap_or(U);
            let n = mean(&on(Pole::Against)).unwrap_or(0);
            times(p, U - n)
        }
        ScoreKind::Risk => clean(&or_all(on(Pole::Against))),
        ScoreKind::Any => U - clean(&or_all(on(Pole::For))),
    }
}

/// Weight and activation of the markers of a pole, or of all.
fn weighted(markers: &[Marker], activations: &[Number], pole: Option<Pole>) -> Vec<(Number, Number)> {
    markers
        .iter()
        .zip(activations)
        .filter(|(marker, _)| pole.is_none_or(|pole| marker.pole == pole))
        .map(|(marker, a)| (Number::from(marker.importance.weight()), *a))
        .collect()
}

/// Σ w·a ÷ Σ w.
fn mean(markers: &[(Number, Number)]) -> Option<Number> {
    let weights: Number = markers.iter().map(|(w, _)| w).sum();
    let sum: Number = markers.iter().map(|(w, a)| w * a).sum();
    (weights > 0).then(|| crate::number::fraction(sum, 1, weights))
}

/// The product of q × (u − a × (w ÷ w_max)), in the order of the file.
fn clean(markers: &[(Number, Number)]) -> Number {
    let heaviest = markers.iter().map(|(w, _)| *w).max().unwrap_or(1);
    markers.iter().fold(U, |q, (w, a)| times(q, U - times(*a, divide(*w, heaviest))))
}
