//! What companions matched, twice: by where it begins and by where it ends. The nearest before a match is the last that ends there
//! or earlier, the nearest behind it the first that begins there or later; each is found by halves in one of the two.

use super::{Said, Setting};
use crate::names;
use crate::sensor::Plan;

/// What companions matched in turns of their roles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Companions {
    /// By companion, by turn and start.
    by_start: Vec<Vec<Said>>,
    /// By companion, by turn and end.
    by_end: Vec<Vec<Said>>,
}

impl Companions {
    /// Adds matches, all of which stand behind those that were added before: so appending keeps the order.
    pub(super) fn add(&mut self, plan: &Plan, setting: &Setting, said: &[Said]) {
        let heard =
            |said: &&Said| setting.is_by(said.turn as usize, &plan.companions[said.companion as usize].by);
        let mut new: Vec<Said> = said.iter().filter(heard).copied().collect();
        new.sort_unstable();
        new.dedup();
        self.by_start.resize(plan.companions.len(), Vec::new());
        self.by_end.resize(plan.companions.len(), Vec::new());
        new.iter().for_each(|said| self.by_start[said.companion as usize].push(*said));
        // Stable, so that of those with the same end the order stays by start; which of them is nearest does not depend on it.
        new.sort_by_key(|said| (said.turn, said.end));
        new.iter().for_each(|said| self.by_end[said.companion as usize].push(*said));
    }

    /// Adds the counted matches of a marker to a companion that names it. They can stand anywhere, so all are sorted again.
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
