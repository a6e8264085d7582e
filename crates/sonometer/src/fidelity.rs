//! Information sufficiency: whether the input holds enough readable content for what the protocol measures.

use crate::evidence::{Setting, TurnFacts};
use crate::sensor::{Plan, fold_role};
use crate::unit::Unit;

/// How far a reading can be trusted, and whether it is given at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fidelity {
    /// Density times clarity, 0 to 1.
    pub index: Unit,
    /// Whether the index reaches what the protocol asks for.
    pub sufficient: bool,
    /// The least satisfied need: words, turns, words of a role; 0 to 1.
    pub density: Unit,
    /// The readable share of the words (as far as a recogniser was sure of them), damped where they are of another language; 0 to 1.
    pub clarity: Unit,
}

/// What a text in another language keeps, so that a protocol that asks for next to nothing (card numbers are card numbers
/// in every language) still measures it.
const LEAST_IN_LANGUAGE: Unit = Unit(10_000);

/// Section 6 of the semantics.
pub(crate) fn measure(plan: &Plan, setting: &Setting) -> Fidelity {
    let needs = &plan.protocol.fidelity;
    let sum = |of: fn(&crate::matcher::Count) -> u64| setting.turns.iter().map(|t| of(&t.count)).sum::<u64>();
    let words = sum(|c| c.words);
    if words == 0 {
        let sufficient = needs.sufficient == Unit::ZERO;
        return Fidelity { index: Unit::ZERO, sufficient, density: Unit::ZERO, clarity: Unit::ZERO };
    }
    let met = |have: u64, need: u32| Unit::ratio(have.into(), need.into()).clamp_to_one();
    let turns = setting.turns.iter().filter(|t| t.count.words > 0).count() as u64;
    let mut density = met(words, needs.words).min(met(turns, needs.turns));
    for (role, need) in &needs.roles {
        let role = plan.role_name(&fold_role(role));
        let said =
            setting.turns.iter().filter(|t| t.role.as_deref() == Some(&*role)).map(|t| t.count.words).sum();
        density = density.min(met(said, *need));
    }
    // What a recogniser heard counts as far as it is sure of it.
    let sure = |turn: &TurnFacts| {
        let readable = i128::from(turn.count.words - turn.count.unreadable);
        readable * i128::from(turn.confidence.unwrap_or(Unit::ONE).0)
    };
    let readable = Unit::ratio(
        setting.turns.iter().map(sure).sum(),
        i128::from(words + sum(|c| c.noise)) * i128::from(Unit::ONE.0),
    );
    let in_language = match plan.language {
        Some(_) => {
            let (own, foreign) = (sum(|c| c.function_words), sum(|c| c.foreign_words));
            met((4 * own + 6).saturating_sub(6 * foreign), u32::try_from(words).unwrap_or(u32::MAX))
                .max(LEAST_IN_LANGUAGE)
        }
        None => Unit::ONE,
    };
    let clarity = readable.times(in_language);
    let index = density.times(clarity);
    Fidelity { index, sufficient: index >= needs.sufficient, density, clarity }
}
