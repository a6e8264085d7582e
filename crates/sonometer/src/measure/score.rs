//! From activations to the one score of a protocol.

use crate::measure::resonance::Resonance;
use crate::protocol::{Marker, Pole, ScoreKind};
use crate::sensor::{Plan, Weights};
use crate::unit::Unit;

/// Section 5 of the semantics; `resonances` are those of the markers that are not silent, in the order of the file:
/// the others change no sum and no product.
pub(crate) fn score(plan: &Plan, resonances: &[(u32, Resonance)]) -> Unit {
    let active = || resonances.iter().map(|(at, r)| (&plan.protocol.markers[*at as usize], r.activation));
    match plan.protocol.score {
        ScoreKind::Mean => {
            let of_pole = |pole: Pole| active().filter(move |(m, _)| m.pole == pole);
            let good = weighted_mean(of_pole(Pole::For), plan.weights_for.sum).unwrap_or(Unit::ONE);
            let bad = weighted_mean(of_pole(Pole::Against), plan.weights_against.sum).unwrap_or(Unit::ZERO);
            good.times(bad.complement())
        }
        ScoreKind::Risk => Poles::of(plan, active).risk(),
        ScoreKind::Any => Poles::of(plan, active).any(),
    }
}

/// Section 9 of the semantics: how strongly the markers speak in a part of an interaction, where few of many do. `active` are
/// the activations there, in the order of the file.
pub(crate) fn level<'m, I: Iterator<Item = (&'m Marker, Unit)>>(plan: &Plan, active: impl Fn() -> I) -> Unit {
    let poles = Poles::of(plan, active);
    match (plan.protocol.score, poles.presence, poles.cleanness) {
        (ScoreKind::Any, ..) => poles.any(),
        (ScoreKind::Risk, ..) => poles.risk(),
        (ScoreKind::Mean, Some(presence), Some(cleanness)) => Unit((presence.0 + cleanness.0 + 1) / 2),
        (ScoreKind::Mean, Some(presence), None) => presence,
        (ScoreKind::Mean, None, cleanness) => cleanness.unwrap_or(Unit::ONE),
    }
}

/// What each pole comes to by itself; `None` where no marker of it is in the protocol.
struct Poles {
    /// How sure it is that something *for* is there.
    presence: Option<Unit>,
    /// How sure it is that nothing *against* is there.
    cleanness: Option<Unit>,
}

impl Poles {
    fn of<'m, I: Iterator<Item = (&'m Marker, Unit)>>(plan: &Plan, active: impl Fn() -> I) -> Self {
        let left = |pole: Pole, weights: Weights| {
            let own = active().filter(move |(marker, _)| marker.pole == pole);
            (weights.sum > 0).then(|| remaining(weights.largest, own))
        };
        Self {
            presence: left(Pole::For, plan.weights_for).map(Unit::complement),
            cleanness: left(Pole::Against, plan.weights_against),
        }
    }

    /// What speaks for it takes back at most half of what the risks cost: a warning that stands beside its remedy is still one.
    fn risk(&self) -> Unit {
        match (self.presence, self.cleanness) {
            (None, None) => Unit::ONE,
            (Some(presence), None) => presence.complement(),
            (None, Some(cleanness)) => cleanness,
            (Some(remedy), Some(cleanness)) => {
                cleanness.complement().times(halved(remedy).complement()).complement()
            }
        }
    }

    /// What speaks against it takes away at most half of what is there.
    fn any(&self) -> Unit {
        match (self.presence, self.cleanness) {
            (None, None) => Unit::ZERO,
            (Some(presence), None) => presence,
            (None, Some(cleanness)) => cleanness.complement(),
            (Some(presence), Some(cleanness)) => presence.times(halved(cleanness.complement()).complement()),
        }
    }
}

/// `a ÷ 2`, rounded half up.
fn halved(value: Unit) -> Unit {
    Unit((value.0 + 1) / 2)
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
