//! How far a figure can be trusted: 95 % confidence intervals, in whole numbers, the same on every machine.
//!
//! *Wilson*'s score interval (1927) is for a share of independent cases; it is honest for few cases and for shares near 0
//! and 1. The *bootstrap* (Efron 1979, percentile interval) is for everything else, and for cases that are not independent:
//! it draws whole clusters (conversations, groups) with replacement.

use sonometer::Unit;

/// How often the bootstrap draws. One less than 2,000, so that the 50th value from either end is the 2.5 % quantile.
pub(crate) const RESAMPLES: usize = 1_999;
/// The place, from 1 and from either end, of the limits among the sorted values.
const TAIL: usize = 50;
/// Fewer values than this, of those that were drawn, say nothing about quantiles.
const ENOUGH: usize = RESAMPLES / 2;

/// The square of the 97.5 % quantile of the normal distribution (1.959964), in millionths.
pub(crate) const Z_SQUARED: u128 = 3_841_459;

/// From where to where a figure may lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Where it begins.
    pub low: Unit,
    /// Where it ends.
    pub high: Unit,
}

/// Wilson's score interval of `part` of `whole` independent cases; none of no cases.
pub(crate) fn wilson(part: u64, whole: u64) -> Option<Interval> {
    if whole == 0 || part > whole {
        return None;
    }
    // With all terms in millionths: (2k + z² ∓ z·√(z² + 4k(n − k)/n)) / 2(n + z²).
    let (k, n) = (u128::from(part), u128::from(whole));
    let middle = 2 * k * MILLION + Z_SQUARED;
    let root = (Z_SQUARED * (Z_SQUARED + 4 * k * (n - k) * MILLION / n)).isqrt();
    let whole = 2 * (n * MILLION + Z_SQUARED);
    let share = |part: u128| Unit::ratio(part.cast_signed(), whole.cast_signed()).clamp_to_one();
    Some(Interval { low: share(middle.saturating_sub(root)), high: share(middle + root) })
}

pub(crate) const MILLION: u128 = 1_000_000;

/// SplitMix64 (Steele, Lea and Flood 2014): a small generator whose whole state is one number.
#[derive(Clone, Debug)]
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`, by the high half of a product; its bias, below n ÷ 2⁶⁴, cannot be seen.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

/// Bootstrap intervals of `N` figures of data in `clusters` clusters. `figures` works them out where each cluster counts as
/// often as `weights` says; `None`: not defined for these weights, and left out.
pub(crate) fn bootstrap<const N: usize>(
    clusters: usize,
    mut figures: impl FnMut(&[u32]) -> [Option<Unit>; N],
) -> [Option<Interval>; N] {
    if clusters < 2 {
        return [None; N];
    }
    let mut random = SplitMix64(0);
    let mut values: [Vec<Unit>; N] = std::array::from_fn(|_| Vec::with_capacity(RESAMPLES));
    let mut weights = vec![0; clusters];
    for _ in 0..RESAMPLES {
        weights.fill(0);
        for _ in 0..clusters {
            weights[random.below(clusters)] += 1;
        }
        for (values, figure) in values.iter_mut().zip(figures(&weights)) {
            values.extend(figure);
        }
    }
    values.map(percentiles)
}

fn percentiles(mut values: Vec<Unit>) -> Option<Interval> {
    if values.len() < ENOUGH {
        return None;
    }
    values.sort_unstable();
    // As many of those that are left lie outside as of the whole.
    let tail = (TAIL * (values.len() + 1) / (RESAMPLES + 1)).max(1);
    Some(Interval { low: values[tail - 1], high: values[values.len() - tail] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_gives_the_textbook_numbers() {
        // 8 of 10: 0.4901625 to 0.9433178 (z = 1.959964).
        assert_eq!(wilson(8, 10), Some(Interval { low: Unit(490_162), high: Unit(943_318) }));
        // All and none of ten are mirror images: 1 / (1 + z²/10).
        assert_eq!(wilson(10, 10), Some(Interval { low: Unit(722_467), high: Unit(1_000_000) }));
        assert_eq!(wilson(0, 10), Some(Interval { low: Unit(0), high: Unit(277_533) }));
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix64(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn the_bootstrap_of_a_share_is_near_the_exact_one() {
        // 60 of 100: the normal interval is 0.504 to 0.696.
        let share = |weights: &[u32]| {
            let part: u32 = weights[..60].iter().sum();
            [Some(Unit::ratio(part.into(), weights.iter().sum::<u32>().into()))]
        };
        let [interval] = bootstrap(100, share);
        assert_eq!(interval, Some(Interval { low: Unit(510_000), high: Unit(700_000) }));
        assert_eq!(bootstrap(100, share), [interval], "the same again");
    }

    #[test]
    fn what_is_seldom_defined_has_no_interval() {
        assert_eq!(bootstrap(10, |_| [None]), [None]);
        assert_eq!(bootstrap(1, |_| [Some(Unit::ONE)]), [None]);
        assert_eq!(bootstrap(2, |_| [Some(Unit::ONE)]), [Some(Interval { low: Unit::ONE, high: Unit::ONE })]);
    }
}
