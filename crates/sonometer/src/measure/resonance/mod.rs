//! From the evidence of a marker to its activation.

mod absence;
mod ratio;
mod scope;

pub(crate) use absence::Clock;
pub(crate) use ratio::measure as measure_ratio;
pub(crate) use scope::{Asked, measure as measure_scoped};

use crate::evidence::{Candidate, Setting};
use crate::protocol::{Marker, Repeat};
use crate::sensor::Plan;
use crate::unit::{Unit, div_half_up, saturate};
use std::ops::Range;

/// What a marker came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resonance {
    /// The evidence E: contributions and bias, at least 0; with `per: n words`, for each n words.
    pub evidence: Unit,
    /// The activation, 0 to 1: the marker's resonance.
    pub activation: Unit,
    /// Whether the activation reaches the trigger.
    pub triggered: bool,
}

/// What a rate is made of: the words of `per`, the turns of `share`, the places of `ratio`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    /// Words of the turns that the marker listens to, for `per`.
    pub words: u64,
    /// Turns of the side of the share that have evidence, and all of them, for `share`.
    pub turns: (u64, u64),
    /// Places of what is counted, and of what it is counted for, for `ratio`.
    pub places: (u64, u64),
}

/// The sums behind a marker's activation, kept for what-if questions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    contributions: i64,
    /// Words of the turns that the marker listens to.
    words: u64,
    /// Turns with a positive contribution, and turns, of the share's side.
    turns_with: u64,
    turns: u64,
    /// Of an absent marker: how its clock stands.
    pub(crate) clock: Clock,
}

/// The words and turns of a marker with `per` or `share` in an interaction that still comes in.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    /// How many turns are counted: complete ones, as the last may still grow.
    turns: usize,
    sums: Sums,
}

/// Sets the contribution of each of a marker's candidates (all of them, by line and place) and measures it.
pub(crate) fn measure(
    plan: &Plan,
    setting: &Setting,
    number: usize,
    candidates: &mut [Candidate],
) -> (Resonance, Sums) {
    let marker = &plan.protocol.markers[number];
    if let Some(absence) = &marker.absence {
        return absence::measure(plan, setting, absence, candidates);
    }
    let repeat = plan.markers[number].repeat;
    let mut uses = 0;
    let mut line = None;
    for candidate in candidates.iter_mut().filter(|c| c.failed == 0) {
        if line != Some(candidate.line) {
            (line, uses) = (Some(candidate.line), 0);
        }
        candidate.contribution = contribution(repeat, candidate.strength, uses);
        uses += 1;
    }
    let sums = sums(plan, setting, number, candidates);
    (sums.resonance(marker, Unit::ZERO), sums)
}

/// What the use number `uses` (from 0) of a line of that strength adds.
pub(crate) fn contribution(repeat: Repeat, strength: Unit, uses: u32) -> Unit {
    match repeat {
        Repeat::All => strength,
        Repeat::Once if uses == 0 => strength,
        Repeat::Once => Unit::ZERO,
        // Division and not a shift, which would round what is negative away from zero. A strength is at most 1,000 (10^9
        // millionths, 30 bits), so 40 halvings leave nothing of it, and `1 << uses` stays within 64 bits.
        Repeat::Halve if uses < 40 => Unit(strength.0 / (1 << uses)),
        Repeat::Halve => Unit::ZERO,
    }
}

impl Sums {
    /// The sums of a marker without absence, ratio, `per` and `share`.
    pub(crate) fn of(contributions: Unit) -> Self {
        Self { contributions: contributions.0, ..Self::default() }
    }

    /// The sums of a marker without absence and ratio, from what its candidates came to.
    pub(crate) fn so_far(
        plan: &Plan,
        setting: &Setting,
        number: usize,
        contributions: Unit,
        turns_with: u64,
        counted: &mut Counted,
    ) -> Self {
        let Counted { turns, sums } = counted;
        let marker = &plan.protocol.markers[number];
        if marker.per.is_some() || marker.share.is_some() {
            // Counting all turns with each that comes would take 1.25 billion looks for 50,000 of them. Which turns lie in a part of the
            // interaction may change with each new one, so these are counted anew.
            if marker.place.is_none() {
                let complete = setting.turns.len().saturating_sub(1);
                sums.count_turns(plan, setting, number, *turns..complete, |_| false);
                *turns = complete;
            }
            let mut now = *sums;
            now.count_turns(plan, setting, number, *turns..setting.turns.len(), |_| false);
            return Self { turns_with, contributions: contributions.0, ..now };
        }
        Self { turns_with, ..Self::of(contributions) }
    }

    /// Counts words and turns of those that the marker listens to; a turn `with` evidence counts for its share.
    fn count_turns(
        &mut self,
        plan: &Plan,
        setting: &Setting,
        number: usize,
        turns: Range<usize>,
        with: impl Fn(usize) -> bool,
    ) {
        let marker_plan = &plan.markers[number];
        let place = plan.protocol.markers[number].place;
        for turn in turns.filter(|turn| setting.is_within(*turn, place)) {
            if setting.is_by(turn, &marker_plan.by) {
                self.words += setting.turns[turn].count.words;
            }
            if setting.is_by(turn, &marker_plan.share_by) {
                self.turns += 1;
                self.turns_with += u64::from(with(turn));
            }
        }
    }
}

fn sums(plan: &Plan, setting: &Setting, number: usize, candidates: &[Candidate]) -> Sums {
    let marker = &plan.protocol.markers[number];
    let total = candidates.iter().map(|c| c.contribution).sum::<Unit>();
    let mut sums = Sums { contributions: total.0, ..Sums::default() };
    if marker.per.is_none() && marker.share.is_none() {
        return sums;
    }
    let mut with = vec![false; setting.turns.len()];
    for candidate in candidates.iter().filter(|c| c.contribution > Unit::ZERO) {
        with[candidate.turn as usize] = true;
    }
    sums.count_turns(plan, setting, number, 0..setting.turns.len(), |turn| with[turn]);
    sums
}

impl Sums {
    pub(crate) fn basis(&self) -> Basis {
        Basis { words: self.words, turns: (self.turns_with, self.turns), ..Basis::default() }
    }

    /// What the marker would have come to without any match, only by its bias.
    pub(crate) fn at_rest(&self, marker: &Marker) -> Resonance {
        Self { contributions: 0, turns_with: 0, ..*self }.resonance(marker, Unit::ZERO)
    }

    /// The activation if a candidate of `extra` strength more had counted (in a turn without evidence so far).
    pub(crate) fn resonance(&self, marker: &Marker, extra: Unit) -> Resonance {
        // In 128 bits, since `per` multiplies: 63 bits of evidence times 32 bits of words.
        let total = i128::from(self.contributions) + i128::from(marker.bias.0) + i128::from(extra.0);
        let mut evidence = total.max(0);
        if let Some(per) = marker.per {
            evidence = div_half_up(evidence * i128::from(per), i128::from(self.words.max(per.into())));
        }
        let activation = match &marker.share {
            Some(share) => {
                let raised =
                    if extra > Unit::ZERO { (self.turns_with + 1).min(self.turns) } else { self.turns_with };
                let rate = Unit::ratio(raised.into(), self.turns.into());
                Unit::ratio(rate.0.into(), share.full.0.into()).clamp_to_one()
            }
            None => saturate(evidence, marker.half),
        };
        let evidence = Unit(i64::try_from(evidence).unwrap_or(i64::MAX));
        Resonance { evidence, activation, triggered: activation >= marker.trigger }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saturates_as_the_design_says() {
        let at = |evidence| saturate(evidence, Unit::ONE).0;
        assert_eq!(
            [at(200_000), at(400_000), at(600_000), at(800_000)],
            [333_333, 571_429, 750_000, 888_889]
        );
        assert_eq!([at(0), at(1_000_000), at(5_000_000)], [0, 1_000_000, 1_000_000]);
        assert_eq!(saturate(1, Unit::ZERO), Unit::ONE);
    }
}
