//! Markers that are asked of a few turns at a time: a weighted list that was fitted on turns, in a talk.

use super::{Resonance, Sums, contribution};
use crate::evidence::{Candidate, Setting};
use crate::protocol::Scope;
use crate::sensor::Plan;
use crate::unit::Unit;

/// Turns that a marker is asked of by themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// The first and the last of its turns.
    pub(crate) turns: (u32, u32),
    sums: Sums,
}

/// How a marker with `scope` was asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// The turns that are asked, in order.
    pub(crate) turns: Vec<u32>,
    /// In the order of the text.
    pub(crate) stretches: Vec<Stretch>,
    /// The strongest of them; the first of equal ones.
    pub(crate) strongest: usize,
    /// How many reach the trigger.
    pub(crate) held: usize,
}

/// Sets the contribution of each of a marker's candidates (all of them, by line and place) and measures it.
pub(crate) fn measure(
    plan: &Plan,
    setting: &Setting,
    number: usize,
    scope: Scope,
    candidates: &mut [Candidate],
) -> (Resonance, Sums, Asked) {
    let marker = &plan.protocol.markers[number];
    let mut counted: Vec<usize> = (0..candidates.len()).filter(|at| candidates[*at].failed == 0).collect();
    // Stable: within a turn by line and place.
    counted.sort_by_key(|at| candidates[*at].turn);
    let found = |from: u32, to: u32| {
        let before = |end: u64| counted.partition_point(|at| u64::from(candidates[*at].turn) < end);
        before(from.into())..before(u64::from(to) + 1)
    };
    let is_asked = |turn: &u32| {
        let at = *turn as usize;
        setting.is_within(at, marker.place)
            && setting.is_by(at, &plan.markers[number].by)
            && (setting.turns[at].count.words > 0 || !found(*turn, *turn).is_empty())
    };
    let asked: Vec<u32> = (0..setting.turns.len() as u32).filter(is_asked).collect();
    let length = asked.len().min(scope.turns as usize);
    let first = if scope.is_last { asked.len() - length } else { 0 };
    let mut result = Asked { turns: asked, ..Asked::default() };
    let mut top = Resonance::default();
    // What each candidate adds in the best stretch that it stands in, and how strong that is.
    let mut best: Vec<Option<(Unit, Unit)>> = vec![None; candidates.len()];
    for turns in result.turns[first..].windows(length.max(1)) {
        let turns = (turns[0], turns[length - 1]);
        let mut own = counted[found(turns.0, turns.1)].to_vec();
        own.sort_unstable();
        let mut added = Vec::with_capacity(own.len());
        for of_line in own.chunk_by(|a, b| candidates[*a].line == candidates[*b].line) {
            added.extend(
                (0..)
                    .zip(of_line)
                    .map(|(uses, at)| contribution(marker.repeat, candidates[*at].strength, uses)),
            );
        }
        let sums = Sums::of(added.iter().copied().sum());
        let resonance = sums.resonance(marker, Unit::ZERO);
        for (at, added) in own.into_iter().zip(added) {
            if best[at].is_none_or(|(activation, _)| activation < resonance.activation) {
                best[at] = Some((resonance.activation, added));
            }
        }
        if result.stretches.is_empty() || resonance.activation > top.activation {
            (top, result.strongest) = (resonance, result.stretches.len());
        }
        result.held += usize::from(resonance.triggered);
        result.stretches.push(Stretch { turns, sums });
    }
    let least = top.activation.min(marker.trigger);
    for (candidate, best) in candidates.iter_mut().zip(best) {
        candidate.contribution =
            best.filter(|(activation, _)| *activation >= least).map_or(Unit::ZERO, |(_, added)| added);
    }
    (top, result.stretches.get(result.strongest).map_or_else(Sums::default, |s| s.sums), result)
}

impl Asked {
    /// The sums of the stretches that a turn stands in; none of a turn that is not asked.
    pub(crate) fn sums_at(&self, turn: u32) -> impl Iterator<Item = &Sums> {
        let is_asked = self.turns.binary_search(&turn).is_ok();
        // First and last turns rise from stretch to stretch, so those with this one stand together: at most as many as a stretch has turns.
        let from = self.stretches.partition_point(|s| s.turns.1 < turn);
        let own = self.stretches[from..].iter().take_while(move |s| is_asked && s.turns.0 <= turn);
        own.map(|stretch| &stretch.sums)
    }
}
