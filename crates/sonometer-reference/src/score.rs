//! Section 5: the score.

use crate::number::{Number, U, divide, times};
use sonometer::protocol::{Marker, Pole, ScoreKind};

/// The score from the activations, one for each marker.
pub(crate) fn score(kind: ScoreKind, markers: &[Marker], activations: &[Number]) -> Number {
    let on = |pole: Pole| weighted(markers, activations, pole);
    let (speaking_for, against) = (on(Pole::For), on(Pole::Against));
    match kind {
        ScoreKind::Mean => {
            let p = mean(&speaking_for).unwrap_or(U);
            let n = mean(&against).unwrap_or(0);
            times(p, U - n)
        }
        ScoreKind::Risk if against.is_empty() => clean(&speaking_for),
        ScoreKind::Risk => {
            // Without markers for, m is 0 and the score is q.
            let (q, m) = (clean(&against), U - clean(&speaking_for));
            U - times(U - q, U - divide(m, 2 * U))
        }
        ScoreKind::Any if speaking_for.is_empty() => U - clean(&against),
        ScoreKind::Any => {
            let (p, n) = (U - clean(&speaking_for), U - clean(&against));
            times(p, U - divide(n, 2 * U))
        }
    }
}

/// Section 9: 1 − the product of `any` over the markers for, the product of `risk` over those against, each without the others.
pub(crate) fn presence_and_cleanness(markers: &[Marker], activations: &[Number]) -> (Number, Number) {
    let on = |pole: Pole| clean(&weighted(markers, activations, pole));
    (U - on(Pole::For), on(Pole::Against))
}

/// Weight and activation of the markers of a pole.
fn weighted(markers: &[Marker], activations: &[Number], pole: Pole) -> Vec<(Number, Number)> {
    markers
        .iter()
        .zip(activations)
        .filter(|(marker, _)| marker.pole == pole)
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
