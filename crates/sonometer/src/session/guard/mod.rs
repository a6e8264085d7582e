//! Guards: text is shown as soon as no masked pattern can reach it any more.
//!
//! Masks depend on nothing but the text around them: on the places of the matches of masked markers, and on their exclusions. So text
//! need not wait for the end of its sentence, as evidence does. For each protocol a *holding* asks the matcher which
//! ways through these lines are still open where the known text ends; text is let go up to where the first of them begins, or
//! up to what was found and can still be excluded, or overlapped by another mask.

mod holding;
#[cfg(test)]
mod tests;

use crate::evidence::Candidate;
use crate::mask::By;
use crate::sensor::{Guarded, Plan, Sensor};
use holding::Holding;

/// The guard of one session.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    /// By sensor; `None` where nothing is masked.
    holdings: Vec<Option<Holding>>,
}

impl Guard {
    /// `None` where masks are known with their sentences only.
    pub(super) fn of(sensors: &[Sensor]) -> Option<Self> {
        let holding = |sensor: &Sensor| match sensor.plan().guarded() {
            Guarded::Nothing => Some(None),
            Guarded::Lines(..) => Some(Some(Holding::default())),
            Guarded::Sentences(_) => None,
        };
        Some(Self { holdings: sensors.iter().map(holding).collect::<Option<_>>()? })
    }

    /// A new turn begins.
    pub(super) fn begin_turn(&mut self, sensors: &[Sensor]) {
        self.watched(sensors).for_each(|(_, holding)| *holding = Holding::default());
    }

    /// The sentences of the turn before byte `at` have been read, see [`Holding::restart`].
    pub(super) fn restart(&mut self, sensors: &[Sensor], gap: usize, at: usize) {
        self.watched(sensors).for_each(|(_, holding)| holding.restart(gap, at));
    }

    /// Reads on in a turn, composed as far as it is known. The byte up to which it may be shown, masks applied.
    pub(super) fn advance(&mut self, sensors: &[Sensor], turn: u32, known: &str) -> usize {
        let mut hold = known.len();
        for (plan, holding) in self.watched(sensors) {
            holding.advance(plan, turn, known);
            hold = hold.min(holding.hold());
        }
        hold
    }

    /// The masks before that byte that have not been reported.
    pub(super) fn masks(&self, sensors: &[Sensor]) -> Vec<(By, Candidate)> {
        let mut masks = Vec::new();
        for (at, (holding, sensor)) in self.holdings.iter().zip(sensors).enumerate() {
            let markers = &sensor.protocol().markers;
            masks.extend(holding.iter().flat_map(Holding::masks).filter_map(|candidate| {
                let mask = markers[candidate.marker as usize].mask?;
                Some((By { mask, sensor: at, marker: candidate.marker }, *candidate))
            }));
        }
        masks
    }

    /// Forgets the masks that have been reported.
    pub(super) fn forget_masks(&mut self, is_told: impl Fn(&Candidate) -> bool) {
        self.holdings.iter_mut().flatten().for_each(|holding| holding.forget_masks(&is_told));
    }

    fn watched<'w>(&'w mut self, sensors: &'w [Sensor]) -> impl Iterator<Item = (&'w Plan, &'w mut Holding)> {
        self.holdings.iter_mut().zip(sensors).filter_map(|(holding, sensor)| {
            match (holding, sensor.plan().guarded()) {
                (Some(holding), Guarded::Lines(plan, _)) => Some((&**plan, holding)),
                _ => None,
            }
        })
    }
}
