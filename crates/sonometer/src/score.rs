//! From activations to the one score of a protocol.

use crate::protocol::{Marker, Pole, ScoreKind};
use crate::resonance::Resonance;
use crate::sensor::Plan;
use crate::unit::Unit;

/// Section 5 of the semantics; `resonances` are those of the markers that are not silent, in the order of the file:
/// the others change no sum and no product.
pub(crate) fn score(plan: &Plan, resonances: &[(u32, Resonance)]) -> Unit {
    let all = || resonances.iter().map(|(at, r)| (&plan.protocol.markers[*at as usize], r.activation));
    let of_pole = |pole: Pole| all().filter(move |(m, _)| m.pole == pole);
    let (weights_for, weights_against) = (plan.weights_for, plan.weights_against);
    match plan.protocol.score {
        ScoreKind::Mean => {
            let good = weighted_mean(of_pole(Pole::For), weights_for.sum).unwrap_or(Unit::ONE);
            let bad = weighted_mean(of_pole(Pole::Against), weights_against.sum).unwrap_or(Unit::ZERO);
            good.times(bad.complement())
        }
        ScoreKind::Risk if weights_against.sum == 0 => remaining(weights_for.largest, all()),
        ScoreKind::Risk => remaining(weights_against.largest, of_pole(Pole::Against)),
        ScoreKind::Any if weights_for.sum == 0 => remaining(weights_against.largest, all()).complement(),
        ScoreKind::Any => remaining(weights_for.largest, of_pole(Pole::For)).complement(),
    }
}

/// Section 9 of the semantics: how strongly the markers speak in a part of an interaction, where few of many do. `active` are
/// the activations there, in the order of the file.
pub(crate) fn level<'m, I: Iterator<Item = (&'m Marker, Unit)>>(plan: &Plan, active: impl Fn() -> I) -> Unit {
    let of_pole = |pole: Pole| active().filter(move |(m, _)| m.pole == pole);
    let (weights_for, weights_against) = (plan.weights_for, plan.weights_against);
    let presence = || match weights_for.sum {
        0 => remaining(weights_against.largest, active()).complement(),
        _ => remaining(weights_for.largest, of_pole(Pole::For)).complement(),
    };
    let absence = || match weights_against.sum {
        0 => remaining(weights_for.largest, active()),
        _ => remaining(weights_against.largest, of_pole(Pole::Against)),
    };
    match plan.protocol.score {
        ScoreKind::Any => presence(),
        ScoreKind::Risk => absence(),
        ScoreKind::Mean if weights_against.sum == 0 => presence(),
        ScoreKind::Mean if weights_for.sum == 0 => absence(),
        ScoreKind::Mean => Unit((presence().0 + absence().0 + 1) / 2),
    }
}

/// `None` if there are no markers of that pole at all.
fn weighted_mean<'m>(active: impl Iterator<Item = (&'m Marker, Unit)>, weights: i64) -> Option<Unit> {
    let sum: i64 = active.map(|(marker, activation)| marker.importance.weight() * activation.0).sum();
    (weights > 0).then(|| Unit::ratio(sum.into(), i128::from(weights) * 1_000_000))
}

/// What is left of 1 after each active marker has taken its activation, weighted relative to the `largest` weight among
/// the markers of the pole.
fn remaining<'m>(largest: i64, active: impl Iterator<Item = (&'m Marker, Unit)>) -> Unit {
    active.fold(Unit::ONE, |left, (marker, activation)| {
        let weight = Unit::ratio(marker.importance.weight().into(), largest.into());
        left.times(activation.times(weight).complement())
    })
}
