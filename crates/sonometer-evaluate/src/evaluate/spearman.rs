//! Spearman's rank correlation with its interval, in whole numbers.
//!
//! The correlation is Pearson's of the average ranks, so that ties are treated as they should be. Its interval goes by way of
//! Fisher's z with the variance (1 + r²/2) ÷ (n − 3) of Bonett and Wright (2000, Psychometrika 65, 23–28); no logarithm is
//! needed, for tanh(artanh r ± h) is (r ± t) ÷ (1 ± r·t) with t = tanh h.

use super::interval::Interval;
use sonometer::Unit;

/// Cases in the order of one variable: which of them are equal, from the lowest on.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// By case: its block of equal ones, counted from the lowest.
    block: Vec<usize>,
    blocks: usize,
}

impl Order {
    /// The order of some values.
    pub(crate) fn of<T: Copy>(values: &[T], compare: impl Fn(&T, &T) -> std::cmp::Ordering) -> Self {
        let mut cases: Vec<usize> = (0..values.len()).collect();
        cases.sort_by(|a, b| compare(&values[*a], &values[*b]));
        let mut block = vec![0; values.len()];
        let mut blocks = 0;
        for equal in cases.chunk_by(|a, b| compare(&values[*a], &values[*b]).is_eq()) {
            equal.iter().for_each(|case| block[*case] = blocks);
            blocks += 1;
        }
        Self { block, blocks }
    }

    /// By block: twice the average rank, counted from the middle of all; a case counts as often as its weight says. With them,
    /// the sum of their squares.
    fn ranks(&self, weights: &[i128]) -> (Vec<i128>, u128) {
        let mut sizes = vec![0; self.blocks];
        for (block, weight) in self.block.iter().zip(weights) {
            sizes[*block] += weight;
        }
        let all: i128 = sizes.iter().sum();
        let mut below = 0;
        let mut squares = 0;
        let ranks = sizes.iter().map(|size| {
            let rank = 2 * below + size - all;
            below += size;
            squares += size.unsigned_abs() * rank.unsigned_abs().pow(2);
            rank
        });
        (ranks.collect(), squares)
    }

    /// By case: the share of the others that are lower, equal ones counted half.
    pub(crate) fn shares(&self) -> Vec<Unit> {
        let (ranks, _) = self.ranks(&vec![1; self.block.len()]);
        let most = 2 * (self.block.len().max(2) as i128 - 1);
        self.block.iter().map(|block| Unit::ratio(ranks[*block] + most / 2, most)).collect()
    }
}

/// The correlation of two orders of the same cases, each counting as often as its weight says; `None` where one of them has
/// all cases equal.
pub(crate) fn spearman(x: &Order, y: &Order, weights: &[i128]) -> Option<Unit> {
    let ((x_ranks, mut b), (y_ranks, mut c)) = (x.ranks(weights), y.ranks(weights));
    if b == 0 || c == 0 {
        return None;
    }
    let of_case = |((x, y), weight): ((&usize, &usize), &i128)| weight * x_ranks[*x] * y_ranks[*y];
    let mut a: i128 = x.block.iter().zip(&y.block).zip(weights).map(of_case).sum();
    // a ÷ √(b·c), with as many digits as there is room for.
    while b.checked_mul(c).is_none() {
        (a, b, c) = (a >> 8, b >> 8, c >> 8);
    }
    let shift = (b * c).leading_zeros() & !1;
    let root = ((b * c) << shift).isqrt();
    let a = a << (shift / 2);
    Some(Unit::ratio(a, root.cast_signed()).min(Unit::ONE).max(Unit(-1_000_000)))
}

/// The 97.5 % quantile of the normal distribution squared, in millionths.
const Z_SQUARED: u128 = 3_841_459;
/// What stands for 1 here.
const SCALE: i128 = 1_000_000_000_000;
/// Steps of the continued fraction; far more than its argument, below 3, needs.
const STEPS: i128 = 30;

/// The 95 % interval of a correlation of `n` independent cases; `None` for fewer than four, and where all ranks agree, of
/// which the method says nothing.
pub(crate) fn interval(r: Unit, n: u64) -> Option<Interval> {
    if n < 4 || r.0.abs() >= 1_000_000 {
        return None;
    }
    let r = i128::from(r.0) * 1_000_000;
    // h² = z²·(1 + r²/2) ÷ (n − 3).
    let r_squared = (r * r / SCALE).unsigned_abs();
    let h_squared = Z_SQUARED * (2 * SCALE.unsigned_abs() + r_squared) * 1_000_000 / (2 * u128::from(n - 3));
    let t = tanh(h_squared.isqrt().cast_signed());
    let at = |t: i128| {
        let value = (r + t) * SCALE / (SCALE + r * t / SCALE);
        Unit::ratio(value, SCALE)
    };
    Some(Interval { low: at(-t), high: at(t) })
}

/// tanh of a number from 0 to 3, by Lambert's continued fraction h ÷ (1 + h² ÷ (3 + h² ÷ (5 + …))).
fn tanh(h: i128) -> i128 {
    let square = h * h / SCALE;
    let below = (1..STEPS)
        .rev()
        .fold((2 * STEPS - 1) * SCALE, |below, step| (2 * step - 1) * SCALE + square * SCALE / below);
    h * SCALE / below
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(x: &[i64], y: &[i64]) -> Option<Unit> {
        spearman(&Order::of(x, i64::cmp), &Order::of(y, i64::cmp), &vec![1; x.len()])
    }

    /// From the definition: average ranks by counting, Pearson's formula, in floating point.
    fn by_definition(x: &[i64], y: &[i64]) -> f64 {
        let ranks = |values: &[i64]| -> Vec<f64> {
            let rank = |value: &i64| {
                let (below, equal) = values.iter().fold((0.0, 0.0), |(below, equal), other| {
                    (below + f64::from(u8::from(other < value)), equal + f64::from(u8::from(other == value)))
                });
                below + (equal + 1.0) / 2.0
            };
            values.iter().map(rank).collect()
        };
        let (x, y) = (ranks(x), ranks(y));
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let (mx, my) = (mean(&x), mean(&y));
        let sum = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(&y).map(|(x, y)| f(x - mx, y - my)).sum::<f64>();
        sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
    }

    #[test]
    fn is_what_the_definition_says() {
        let mut state: u64 = 11;
        let mut next = |values: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i64 % values as i64
        };
        for size in 2..60 {
            // Few values, so that many are tied, and many.
            for values in [2, 5, 1_000_000] {
                let x: Vec<i64> = (0..size).map(|_| next(values)).collect();
                let y: Vec<i64> = x.iter().map(|x| x / 2 + next(values)).collect();
                let expected = by_definition(&x, &y);
                match of(&x, &y) {
                    None => assert!(expected.is_nan(), "{x:?} {y:?}"),
                    Some(found) => {
                        assert!(
                            (found.0 as f64 / 1e6 - expected).abs() < 6e-7,
                            "{found} {expected} {x:?} {y:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn order_alone_counts() {
        assert_eq!(of(&[1, 2, 3, 4], &[10, 200, 3_000, 40_000]), Some(Unit::ONE));
        assert_eq!(of(&[1, 2, 3, 4], &[4, 3, 2, 1]), Some(Unit(-1_000_000)));
        assert_eq!(of(&[1, 1, 1], &[1, 2, 3]), None);
        // 1 − 6·4 ÷ (5·24) without ties.
        assert_eq!(of(&[1, 2, 3, 4, 5], &[2, 1, 4, 3, 5]), Some(Unit(800_000)));
    }

    #[test]
    fn a_weight_is_a_case_that_stands_there_so_often() {
        let (x, y, weights) = ([3, 1, 2, 2], [5, 5, 1, 9], [2, 0, 3, 1]);
        let weighted = spearman(&Order::of(&x, i64::cmp), &Order::of(&y, i64::cmp), &weights);
        assert_eq!(weighted, of(&[3, 3, 2, 2, 2, 2], &[5, 5, 1, 1, 1, 9]));
    }

    #[test]
    fn many_cases_do_not_overflow() {
        let values: Vec<i64> = (0..200_000).collect();
        let turned: Vec<i64> = values.iter().map(|value| -value).collect();
        assert_eq!(of(&values, &turned), Some(Unit(-1_000_000)));
        let order = Order { block: vec![0, 1, 2], blocks: 3 };
        let heavy = spearman(&order, &order, &[30_000_000; 3]).expect("is defined");
        assert!((heavy.0 - 1_000_000).abs() <= 1, "{heavy}");
    }

    #[test]
    fn intervals_are_those_of_the_formula() {
        for (r, n) in [(0, 4), (0, 10), (500_000, 30), (-300_000, 925), (990_000, 5), (123_456, 100_000)] {
            let own = r as f64 / 1e6;
            let h = 1.959_963_984_540_054 * ((1.0 + own * own / 2.0) / (n as f64 - 3.0)).sqrt();
            let found = interval(Unit(r), n).expect("is defined");
            for (value, expected) in
                [(found.low, (own.atanh() - h).tanh()), (found.high, (own.atanh() + h).tanh())]
            {
                assert!((value.0 as f64 / 1e6 - expected).abs() < 1.5e-6, "{r} {n}: {value} {expected}");
            }
        }
        assert_eq!(interval(Unit(100_000), 3), None);
        assert_eq!(interval(Unit::ONE, 100), None);
    }

    #[test]
    fn shares_are_of_those_below() {
        let order = Order::of(&[10, 30, 20, 20], i32::cmp);
        assert_eq!(order.shares(), [0, 1_000_000, 500_000, 500_000].map(Unit));
        assert_eq!(Order::of(&[7], i32::cmp).shares().len(), 1);
    }
}
