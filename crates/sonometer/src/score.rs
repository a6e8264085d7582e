//! From activations to the one score of a protocol.

use crate::protocol::{Marker, Pole, Protocol, ScoreKind};
use crate::resonance::Resonance;
use crate::unit::Unit;

/// Section 5 of the semantics; `resonances` are in the order of the markers.
pub(crate) fn score(protocol: &Protocol, resonances: &[Resonance]) -> Unit {
    let all = || protocol.markers.iter().zip(resonances.iter().map(|r| r.activation));
    let of_pole = |pole: Pole| all().filter(move |(m, _)| m.pole == pole);
    match protocol.score {
        ScoreKind::Mean => {
            let good = weighted_mean(of_pole(Pole::For)).unwrap_or(Unit::ONE);
            let bad = weighted_mean(of_pole(Pole::Against)).unwrap_or(Unit::ZERO);
            good.times(bad.complement())
        }
        ScoreKind::Risk => remaining(&of_pole(Pole::Against).collect::<Vec<_>>(), &all().collect::<Vec<_>>()),
        ScoreKind::Any => {
            remaining(&of_pole(Pole::For).collect::<Vec<_>>(), &all().collect::<Vec<_>>()).complement()
        }
    }
}

fn weighted_mean<'m>(markers: impl Iterator<Item = (&'m Marker, Unit)>) -> Option<Unit> {
    let (mut sum, mut weights) = (0i128, 0i128);
    for (marker, activation) in markers {
        let weight = i128::from(marker.importance.weight());
        sum += weight * i128::from(activation.0);
        weights += weight;
    }
    (weights > 0).then(|| Unit::ratio(sum, weights * 1_000_000))
}

/// What is left of 1 after each marker has taken its weighted activation; of all markers where the pole has none.
fn remaining(of_pole: &[(&Marker, Unit)], all: &[(&Marker, Unit)]) -> Unit {
    let markers = if of_pole.is_empty() { all } else { of_pole };
    let largest = markers.iter().map(|(m, _)| m.importance.weight()).max().unwrap_or(1);
    markers.iter().fold(Unit::ONE, |left, (marker, activation)| {
        let weight = Unit::ratio(marker.importance.weight().into(), largest.into());
        left.times(activation.times(weight).complement())
    })
}
