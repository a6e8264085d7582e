//! The talks with the best and the worst scores: their numbers alone, so that a corpus of any size keeps but a few.

use sonometer::Unit;
use sonometer::protocol::Better;

/// Talks shown of each kind.
pub(crate) const SHOWN: usize = 3;

/// The few talks that are farthest from, or nearest to, the best score.
#[derive(Clone, Debug, Default)]
pub(crate) struct Picks {
    /// Distance from the best score and number, the worst first; of equal ones the first of the data.
    worst: Vec<(Unit, u64)>,
    best: Vec<(Unit, u64)>,
}

impl Picks {
    pub(crate) fn add(&mut self, score: Unit, better: Better, number: u64) {
        let lack = if better == Better::Lower { score } else { Unit::ONE - score };
        let at = self.worst.partition_point(|(other, _)| *other >= lack);
        keep(&mut self.worst, at, (lack, number));
        let at = self.best.partition_point(|(other, _)| *other <= lack);
        keep(&mut self.best, at, (lack, number));
    }

    pub(crate) fn worst(&self) -> Vec<u64> {
        self.worst.iter().map(|(_, number)| *number).collect()
    }

    /// Those that are not among the worst already, as in a small corpus.
    pub(crate) fn best(&self) -> Vec<u64> {
        let worst = self.worst();
        self.best.iter().map(|(_, number)| *number).filter(|number| !worst.contains(number)).collect()
    }
}

fn keep(kept: &mut Vec<(Unit, u64)>, at: usize, one: (Unit, u64)) {
    if at < SHOWN {
        kept.insert(at, one);
        kept.truncate(SHOWN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_talks_are_kept_and_none_is_shown_twice() {
        let mut picks = Picks::default();
        for (number, score) in [5, 9, 5, 1, 5, 5, 9].into_iter().enumerate() {
            picks.add(Unit(score * 100_000), Better::Higher, number as u64);
        }
        assert_eq!(picks.worst(), [3, 0, 2]);
        assert_eq!(picks.best(), [1, 6], "the third best is among the worst");
    }
}
