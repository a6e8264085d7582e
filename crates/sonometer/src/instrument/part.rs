//! The parts of a metric or a blueprint, and the average of their scores.

use crate::composition::TargetKind;
use crate::unit::Unit;

/// A part of a metric or a blueprint with a score of its own: a component of a metric; a protocol or metric of a blueprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Protocol or metric.
    pub kind: TargetKind,
    /// Its id.
    pub id: String,
    /// The version that is used.
    pub version: String,
    /// The weight of its score.
    pub weight: Unit,
    /// Whether what its score lacks to 1 is averaged.
    pub complement: bool,
    /// The protocols that its score is made of, by their place in [`super::Instrument::sensors`].
    pub of: Vec<Share>,
}

/// A protocol's share in a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Its place in [`super::Instrument::sensors`].
    pub sensor: usize,
    /// Its weight.
    pub weight: Unit,
    /// Whether what its score lacks to 1 is averaged.
    pub complement: bool,
}

/// Σ weight·score ÷ Σ weight, rounded once; of a complement, what the score lacks to 1.
pub(super) fn average(shares: impl Iterator<Item = (Unit, bool, Unit)>) -> Unit {
    let (mut sum, mut weights) = (0_i128, 0_i128);
    for (weight, complement, score) in shares {
        let score = if complement { score.complement() } else { score };
        sum += i128::from(weight.0) * i128::from(score.0);
        weights += i128::from(weight.0);
    }
    if weights == 0 { Unit::ZERO } else { Unit::ratio(sum, weights * 1_000_000) }
}
