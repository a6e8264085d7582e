//! Which way a series goes.

use super::Unit;
use crate::unit::div_half_up;

/// The trend of a series of levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// It rises.
    Rising,
    /// It falls.
    Falling,
    /// It goes up and down.
    Volatile,
    /// It stays.
    Stable,
    /// Fewer than four levels tell nothing.
    Insufficient,
}

impl Trend {
    /// Every trend.
    pub const ALL: [Self; 5] =
        [Self::Rising, Self::Falling, Self::Volatile, Self::Stable, Self::Insufficient];

    /// The name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rising => "rising",
            Self::Falling => "falling",
            Self::Volatile => "volatile",
            Self::Stable => "stable",
            Self::Insufficient => "insufficient",
        }
    }
}

/// The fewest levels that have a trend.
const FEWEST_LEVELS: usize = 4;
/// The least change from end to end.
const LEAST_CHANGE: i64 = 50_000;
/// The step that counts as a swing; a series without a trend is volatile if most of its steps do.
const RESTLESS: i64 = 200_000;
/// The square of 1.644854, the two-sided 10 % point of the normal distribution, in millionths.
const CRITICAL: i128 = 2_705_543;

/// The trend of a series, by the test of Mann and Kendall at 10 %, with the correction for ties and for continuity, and
/// a slope of Theil and Sen that comes to 0.05 at least from end to end.
pub fn trend(levels: &[Unit]) -> Trend {
    if levels.len() < FEWEST_LEVELS {
        return Trend::Insufficient;
    }
    let s = kendall(levels);
    let change = change(levels);
    if is_significant(s, variance(levels)) && s.signum() == change.signum().into() {
        if change >= LEAST_CHANGE {
            return Trend::Rising;
        }
        if change <= -LEAST_CHANGE {
            return Trend::Falling;
        }
    }
    let steps = steps(levels);
    let swings = steps.iter().filter(|step| **step >= RESTLESS).count();
    // One level that sticks out makes two swings, which may be half of all.
    if 2 * swings > steps.len() { Trend::Volatile } else { Trend::Stable }
}

/// Mann and Kendall's S: pairs that rise less pairs that fall.
fn kendall(levels: &[Unit]) -> i128 {
    let sign = |a: Unit, b: Unit| i128::from((b.0 - a.0).signum());
    (0..levels.len()).map(|i| levels[i + 1..].iter().map(|later| sign(levels[i], *later)).sum::<i128>()).sum()
}

/// Eighteen times the variance of S where there is no trend.
fn variance(levels: &[Unit]) -> i128 {
    let of = |n: i128| n * (n - 1) * (2 * n + 5);
    let mut sorted = levels.to_vec();
    sorted.sort_unstable();
    let ties = sorted.chunk_by(|a, b| a == b).map(|tie| of(tie.len() as i128));
    of(levels.len() as i128) - ties.sum::<i128>()
}

/// `(|S| − 1)² ÷ (V ÷ 18)` beyond the critical point, without a division.
fn is_significant(s: i128, variance: i128) -> bool {
    // At most 130,816² · 18·10^6 < 4·10^17 with 512 windows: far within 128 bits.
    let corrected = s.abs() - 1;
    corrected >= 0 && corrected * corrected * 18 * 1_000_000 >= CRITICAL * variance
}

/// The median slope of all pairs, times the length of the series: the change from end to end.
fn change(levels: &[Unit]) -> i64 {
    let span = levels.len() as i128 - 1;
    let mut slopes = Vec::with_capacity(levels.len() * (levels.len() - 1) / 2);
    for i in 0..levels.len() {
        for j in i + 1..levels.len() {
            let rise = i128::from(levels[j].0 - levels[i].0) * span;
            // A rise is at most 10^6 and a span 511, so a slope fits 64 bits.
            slopes.push(div_half_up(rise, (j - i) as i128) as i64);
        }
    }
    median(slopes)
}

/// The steps from level to level, without their signs.
fn steps(levels: &[Unit]) -> Vec<i64> {
    levels.windows(2).map(|pair| (pair[1].0 - pair[0].0).abs()).collect()
}

/// The median of the steps; 0 where there is none.
pub(super) fn median_step(levels: &[Unit]) -> i64 {
    median(steps(levels))
}

/// The middle value; of an even number the mean of the middle two, rounded half up.
pub(super) fn median(mut values: Vec<i64>) -> i64 {
    if values.is_empty() {
        return 0;
    }
    values.sort_unstable();
    let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
    div_half_up(i128::from(low) + i128::from(high), 2) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(hundredths: &[i64]) -> Vec<Unit> {
        hundredths.iter().map(|h| Unit(h * 10_000)).collect()
    }

    #[test]
    fn names_what_is_plain() {
        for (levels, expected) in [
            (&[10, 20, 30][..], Trend::Insufficient),
            (&[10, 20, 30, 40], Trend::Rising),
            (&[90, 70, 60, 40, 10], Trend::Falling),
            (&[10, 11, 12, 13, 14], Trend::Stable), // significant, but too small
            (&[0, 90, 0, 90, 0, 90, 0], Trend::Volatile),
            (&[90, 0, 90, 90, 90], Trend::Stable), // one level sticks out: two of four steps
            (&[90, 0, 90, 0, 0], Trend::Volatile),
            (&[50; 9], Trend::Stable),
            (&[0; 4], Trend::Stable),
        ] {
            assert_eq!(trend(&series(levels)), expected, "{levels:?}");
        }
    }

    /// The test as textbooks have it: a normal score worked out by counting, with a table of variances for series without
    /// ties.
    #[test]
    fn kendall_is_that_of_the_textbook() {
        // The published example of a monotone series: S = n (n − 1) ÷ 2, variance n (n − 1) (2n + 5) ÷ 18.
        for (n, eighteenths) in [(4_i64, 156), (5, 300), (10, 2_250), (20, 17_100)] {
            let levels = series(&(0..n).collect::<Vec<_>>());
            assert_eq!(kendall(&levels), i128::from(n * (n - 1) / 2));
            assert_eq!(variance(&levels), eighteenths);
        }
        // Ties of 2 and 3 take 18 and 66 away.
        let tied = series(&[1, 1, 2, 2, 2, 3]);
        assert_eq!(variance(&tied), 6 * 5 * 17 - 18 - 66);
        assert_eq!(kendall(&tied), 11);
        assert_eq!(variance(&series(&[5; 7])), 0);
    }

    /// The variance of S over every order of a series is the formula: a check that knows no formula.
    #[test]
    fn variance_is_that_of_all_orders() {
        fn orders(rest: &mut Vec<i64>, taken: &mut Vec<i64>, each: &mut impl FnMut(&[i64])) {
            if rest.is_empty() {
                return each(taken);
            }
            for at in 0..rest.len() {
                taken.push(rest.remove(at));
                orders(rest, taken, each);
                rest.insert(at, taken.pop().expect("was put there"));
            }
        }
        for values in [vec![1, 2, 3, 4, 5], vec![1, 1, 2, 3, 3, 3], vec![7, 7, 7, 8]] {
            let (mut squares, mut count) = (0, 0);
            orders(&mut values.clone(), &mut Vec::new(), &mut |order| {
                let s = kendall(&series(order));
                squares += s * s;
                count += 1;
            });
            assert_eq!(18 * squares, count * variance(&series(&values)), "{values:?}");
        }
    }

    #[test]
    fn the_slope_shrugs_off_an_outlier() {
        assert_eq!(change(&series(&[10, 20, 30, 40, 50])), 400_000);
        assert_eq!(change(&series(&[10, 10, 90, 10, 10])), 0);
        assert_eq!(median(vec![3, 1]), 2);
        assert_eq!(median(vec![-3, -2]), -2);
    }
}
