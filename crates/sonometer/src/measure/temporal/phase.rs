//! Where a series changes for good.

use super::Unit;
use super::trend::{median, median_step};
use crate::unit::div_half_up;

/// The shortest phase, in windows; as many are compared on each side of a shift.
const SHORTEST: usize = 3;
/// How far the medians on the two sides of a shift must lie apart.
const CONTRAST: i64 = 250_000;
/// The least deviation that is taken for noise.
const LEAST_NOISE: i128 = 50_000;

/// How many phase shifts a series has: the borders of its best cut into level phases (least squares with a price for
/// each further phase, found by dynamic programming; the objective of Jackson's optimal partitioning and of PELT) at
/// which the medians of the three levels before and after lie at least 0.25 apart. A single window that sticks out is
/// no phase.
pub fn phase_shifts(levels: &[Unit]) -> u64 {
    if levels.len() < 2 * SHORTEST {
        return 0;
    }
    let squares = Squares::of(levels);
    let starts = segments(levels.len(), price(levels), |from, to| squares.error(from, to));
    let apart = |border: &&usize| {
        let middle =
            |from: usize| median(levels[from..from + SHORTEST].iter().map(|level| level.0).collect());
        (middle(**border) - middle(**border - SHORTEST)).abs() >= CONTRAST
    };
    starts.iter().skip(1).filter(apart).count() as u64
}

/// What a further phase must save: `3 · σ² · b`, b the binary digits of n, σ from the median step.
fn price(levels: &[Unit]) -> i128 {
    // Normal noise of deviation σ has a median step of 0.9539 σ.
    let deviation = (i128::from(median_step(levels)) * 1_048 / 1_000).max(LEAST_NOISE);
    let digits = usize::BITS - levels.len().leading_zeros();
    3 * deviation * deviation * i128::from(digits)
}

/// Sums and sums of squares of all beginnings of a series.
struct Squares {
    sums: Vec<i128>,
    squares: Vec<i128>,
}

impl Squares {
    fn of(levels: &[Unit]) -> Self {
        let running = |of: fn(i128) -> i128| {
            let mut sum = 0;
            let sums = levels.iter().map(|level| {
                sum += of(i128::from(level.0));
                sum
            });
            std::iter::once(0).chain(sums.collect::<Vec<_>>()).collect()
        };
        Self { sums: running(|x| x), squares: running(|x| x * x) }
    }

    fn sum(&self, from: usize, to: usize) -> i128 {
        self.sums[to] - self.sums[from]
    }

    /// The squared distances of `from..to` from their mean.
    fn error(&self, from: usize, to: usize) -> i128 {
        let (sum, length) = (self.sum(from, to), (to - from) as i128);
        div_half_up(length * (self.squares[to] - self.squares[from]) - sum * sum, length)
    }
}

/// The cheapest beginning of a series that ends at some place: its price, its phases, and where the last begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Best {
    cost: i128,
    phases: usize,
    last: usize,
}

/// Where the phases of the cheapest cut begin. Of equally cheap ones the one with the fewest phases; of these the one whose
/// last phase begins first, and so on backwards.
fn segments(n: usize, price: i128, error: impl Fn(usize, usize) -> i128) -> Vec<usize> {
    let mut best: Vec<Option<Best>> = vec![Some(Best { cost: 0, phases: 0, last: 0 })];
    for end in 1..=n {
        let ways = (0..=end.saturating_sub(SHORTEST)).filter_map(|from| {
            let before = best.get(from).copied().flatten().filter(|_| end - from >= SHORTEST)?;
            let cost = before.cost + error(from, end) + price;
            Some(Best { cost, phases: before.phases + 1, last: from })
        });
        best.push(ways.min());
    }
    let mut starts = Vec::new();
    let mut end = n;
    while let Some(Best { last, .. }) = best[end].filter(|_| end > 0) {
        starts.push(last);
        end = last;
    }
    starts.reverse();
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(hundredths: &[i64]) -> Vec<Unit> {
        hundredths.iter().map(|h| Unit(h * 10_000)).collect()
    }

    #[test]
    fn counts_steps() {
        for (levels, expected) in [
            (&[10, 90, 10][..], 0),
            (&[10, 10, 10, 90, 90], 0),
            (&[10, 10, 10, 90, 90, 90], 1),
            (&[10, 10, 10, 10, 90, 90, 90, 90], 1),
            (&[10, 10, 10, 90, 90, 90, 10, 10, 10], 2),
            (&[10, 10, 10, 30, 30, 30], 0),     // 0.2 apart
            (&[10, 10, 10, 90, 10, 10, 10], 0), // one window is no phase
            (&[50; 8], 0),
        ] {
            assert_eq!(phase_shifts(&series(levels)), expected, "{levels:?}");
        }
    }

    /// Every cut of a short series, tried one by one, each priced from the definition.
    #[test]
    fn the_cheapest_cut_is_that_of_trying_all() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..400 {
            let n = 3 + random(9) as usize;
            let coarse = if round % 2 == 0 { 250_000 } else { 1 };
            let levels: Vec<Unit> =
                (0..n).map(|_| Unit((random(1_000_001) as i64) / coarse * coarse)).collect();
            let price = i128::from(random(400_000)) * 1_000_000;
            let error = |from: usize, to: usize| {
                let values: Vec<i128> = levels[from..to].iter().map(|level| i128::from(level.0)).collect();
                let count = values.len() as i128;
                let mean_times_count: i128 = values.iter().sum();
                let squares = values.iter().map(|x| (x * count - mean_times_count).pow(2)).sum::<i128>();
                div_half_up(squares, count * count)
            };
            let mut cheapest: Option<(i128, usize, Vec<usize>, Vec<usize>)> = None;
            for cuts in 0_u32..1 << (n - 1) {
                let inner = (1..n).filter(|at| cuts >> (at - 1) & 1 == 1);
                let starts: Vec<usize> = [0].into_iter().chain(inner).collect();
                let ends: Vec<usize> = starts[1..].iter().copied().chain([n]).collect();
                let phases = || starts.iter().zip(&ends);
                if phases().any(|(from, to)| to - from < SHORTEST) {
                    continue;
                }
                let cost: i128 = phases().map(|(from, to)| error(*from, *to) + price).sum();
                let backwards = starts.iter().rev().copied().collect();
                let way = (cost, starts.len(), backwards, starts);
                cheapest = Some(cheapest.map_or(way.clone(), |known| known.min(way)));
            }
            let squares = Squares::of(&levels);
            let found = segments(n, price, |from, to| squares.error(from, to));
            assert_eq!(found, cheapest.expect("one phase is a cut").3, "{levels:?}");
        }
    }
}
