//! What companions matched, by companion and place.

use super::{Said, Setting};
use crate::names;
use crate::sensor::Plan;

/// What was said near matches, by those who can say it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Companions {
    /// By companion, by turn and start.
    by_start: Vec<Vec<Said>>,
    /// By companion, by turn and end.
    by_end: Vec<Vec<Said>>,
}

impl Companions {
    /// Adds what was said behind everything that was added before.
    pub(super) fn add(&mut self, plan: &Plan, setting: &Setting, said: &[Said]) {
        let heard =
            |said: &&Said| setting.is_by(said.turn as usize, &plan.companions[said.companion as usize].by);
        let mut new: Vec<Said> = said.iter().filter(heard).copied().collect();
        new.sort_unstable();
        new.dedup();
        self.by_start.resize(plan.companions.len(), Vec::new());
        self.by_end.resize(plan.companions.len(), Vec::new());
        new.iter().for_each(|said| self.by_start[said.companion as usize].push(*said));
        new.sort_by_key(|said| (said.turn, said.end));
        new.iter().for_each(|said| self.by_end[said.companion as usize].push(*said));
    }

    /// Adds the matches of a marker to a companion that it is.
    pub(super) fn add_marker(&mut self, companion: u32, said: impl Iterator<Item = Said>) {
        let (by_start, by_end) =
            (names::at(&mut self.by_start, companion), names::at(&mut self.by_end, companion));
        by_start.extend(said);
        by_start.sort_unstable();
        by_start.dedup();
        by_end.clone_from(by_start);
        by_end.sort_by_key(|said| (said.turn, said.end));
    }

    /// All that one companion matched, by turn and start.
    pub(super) fn of(&self, companion: u32) -> &[Said] {
        self.by_start.get(companion as usize).map_or(&[], Vec::as_slice)
    }

    /// The same by turn and end.
    pub(super) fn of_by_end(&self, companion: u32) -> &[Said] {
        self.by_end.get(companion as usize).map_or(&[], Vec::as_slice)
    }
}
