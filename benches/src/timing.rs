//! Several ways to do the same, run in turns in one process: what disturbs the machine disturbs them all.

use cpu_time::ThreadTime;
use std::hint::black_box;

/// What was measured, for each side in the order they were given.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Median seconds of CPU time of one thread.
    pub seconds: Vec<f64>,
    /// How many times faster the first side is: the median of the ratios of neighbouring runs.
    pub ratios: Vec<f64>,
}

/// One side: does its work and says something about it, so that nothing can be left out.
pub type Side<'s> = Box<dyn FnMut() -> usize + 's>;

impl Turns {
    /// Runs every side once to warm up and then so many times in turns.
    pub fn of(rounds: usize, mut sides: Vec<Side<'_>>) -> Self {
        for side in &mut sides {
            seconds(side);
        }
        let runs: Vec<Vec<f64>> =
            (0..rounds.max(1)).map(|_| sides.iter_mut().map(seconds).collect()).collect();
        let of = |side: usize, value: fn(&[f64], usize) -> f64| {
            median(runs.iter().map(|run| value(run, side)).collect())
        };
        Self {
            seconds: (0..sides.len()).map(|side| of(side, |run, side| run[side])).collect(),
            ratios: (0..sides.len()).map(|side| of(side, |run, side| run[side] / run[0])).collect(),
        }
    }
}

/// The middle one of some figures, of which there is at least one.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn seconds(side: &mut Side<'_>) -> f64 {
    let start = ThreadTime::now();
    black_box(side());
    start.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_runs_once_more_than_there_are_rounds() {
        let (mut one, mut two) = (0, 0);
        let count = |of: &mut usize| {
            *of += 1;
            *of
        };
        let turns = Turns::of(3, vec![Box::new(|| count(&mut one)), Box::new(|| count(&mut two))]);
        assert_eq!((one, two, turns.seconds.len(), turns.ratios.len()), (4, 4, 2, 2));
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
