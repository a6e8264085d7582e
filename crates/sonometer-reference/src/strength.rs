//! Section 3, strength: what a counted candidate is worth, with its echo and its pair.

use crate::candidate::{Candidate, Scene};
use crate::number::{Number, U, times};
use sonometer::protocol::{HintKind, Marker};

/// The strength of a counted candidate.
pub(crate) fn strength(scene: &Scene<'_>, marker: &Marker, candidate: &Candidate) -> Number {
    let echoes = marker.echo.as_ref().is_some_and(|echo| scene.echoes(echo, &candidate.hit));
    let paired = marker.pair.as_ref().is_none_or(|pair| scene.comes_before(&pair.then, &candidate.hit));
    with(marker, candidate, echoes, paired)
}

/// What a counted candidate lacks: the reason, and the strength that it would have beyond what it has.
pub(crate) fn lacks(scene: &Scene<'_>, marker: &Marker, candidate: &Candidate) -> Vec<(HintKind, Number)> {
    let echoes = marker.echo.as_ref().is_some_and(|echo| scene.echoes(echo, &candidate.hit));
    let paired = marker.pair.as_ref().is_none_or(|pair| scene.comes_before(&pair.then, &candidate.hit));
    let has = with(marker, candidate, echoes, paired);
    [
        (HintKind::Pair, with(marker, candidate, echoes, true) - has),
        (HintKind::Echo, with(marker, candidate, true, paired) - has),
    ]
    .into_iter()
    .filter(|(_, lacking)| *lacking > 0)
    .collect()
}

/// The strength of the line; then what the echo adds, or what is left without one; then what is left without the other half of the pair.
fn with(marker: &Marker, candidate: &Candidate, echoes: bool, paired: bool) -> Number {
    let mut strength = candidate.strength;
    // A weight against, flipped here from another marker, is neither raised nor spared.
    if strength <= 0 {
        return strength;
    }
    if let Some(echo) = &marker.echo {
        strength = if echoes {
            U.min(strength + Number::from(echo.boost.0))
        } else {
            times(strength, Number::from(echo.otherwise.0))
        };
    }
    if let Some(pair) = &marker.pair
        && !paired
    {
        strength = times(strength, Number::from(pair.otherwise.0));
    }
    strength
}
