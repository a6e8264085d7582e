//! A linear support vector machine with L2 regularisation and squared hinge loss, solved in the dual by coordinate
//! descent: C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, "A Dual Coordinate Descent Method for
//! Large-scale Linear SVM", ICML 2008 (the method of LIBLINEAR's solver 1).
//!
//! It minimises ½(|w|² + b²) + Σ cᵢ max(0, 1 − yᵢ(w·xᵢ + b))², with yᵢ of −1 and 1. Chosen because it needs no function
//! that differs between machines (no `exp`), has one optimum, and is done in a second for the data that people label.

use super::matrix::Row;
use crate::Error;
use crate::watch::Steps;

/// A linear model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Linear {
    /// One weight a column.
    pub(crate) weights: Vec<f64>,
    pub(crate) bias: f64,
}

impl Linear {
    /// The decision value of a row: which side of the boundary, and how far.
    pub(crate) fn decide(&self, row: &Row) -> f64 {
        let mut sum = self.bias;
        for (column, value) in row {
            sum += self.weights[*column as usize] * value;
        }
        sum
    }
}

/// Passes over the data, at most.
const MOST_PASSES: usize = 2_000;

/// Fits a model. `costs` are the c of the rows; the gradients of the last pass differ by at most `tolerance`, unless the
/// passes end first.
pub(crate) fn fit(
    rows: &[&Row],
    positive: &[bool],
    columns: usize,
    costs: &[f64],
    tolerance: f64,
    steps: &mut Steps<'_>,
) -> Result<Linear, Error> {
    let mut model = Linear { weights: vec![0.0; columns], bias: 0.0 };
    let mut alpha = vec![0.0_f64; rows.len()];
    let slack = costs.iter().map(|cost| 0.5 / cost).collect::<Vec<f64>>();
    let norm = |row: &Row| row.iter().fold(1.0, |sum, (_, value)| sum + value * value);
    let curvature: Vec<f64> = rows.iter().zip(&slack).map(|(row, slack)| norm(row) + slack).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut shuffle = Shuffle(0);
    // Rows that stand far on their side are put behind the others and not looked at until the others are done (shrinking, as in the paper): of
    // ordinary talk that is most of all rows. `active` counts the others, `bound` says what is far.
    let (mut active, mut bound) = (order.len(), f64::INFINITY);
    for _ in 0..MOST_PASSES {
        // A caller may stop it; on much data a model takes a while.
        steps.advance(0)?;
        shuffle.shuffle(&mut order[..active]);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut place = 0;
        while place < active {
            let at = order[place];
            let sign = if positive[at] { 1.0 } else { -1.0 };
            let gradient = sign * model.decide(rows[at]) - 1.0 + alpha[at] * slack[at];
            if alpha[at] == 0.0 && gradient > bound {
                active -= 1;
                order.swap(place, active);
                continue;
            }
            place += 1;
            // At the edge of what is allowed, a gradient that points outside counts as none.
            let projected = if alpha[at] == 0.0 { gradient.min(0.0) } else { gradient };
            (least, most) = (least.min(projected), most.max(projected));
            if projected == 0.0 {
                continue;
            }
            let before = alpha[at];
            alpha[at] = (before - gradient / curvature[at]).max(0.0);
            let step = (alpha[at] - before) * sign;
            for (column, value) in rows[at] {
                model.weights[*column as usize] += step * value;
            }
            model.bias += step;
        }
        let is_done = most - least <= tolerance;
        if is_done && active == order.len() {
            break;
        }
        if is_done || active == 0 {
            (active, bound) = (order.len(), f64::INFINITY);
        } else {
            bound = if most > 0.0 { most } else { f64::INFINITY };
        }
    }
    Ok(model)
}

/// Orders that look random and are always the same: visiting rows in their own order needs many more passes. SplitMix64 (Steele, Lea,
/// Flood 2014) under the shuffle of Fisher and Yates.
pub(crate) struct Shuffle(pub(crate) u64);

impl Shuffle {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn shuffle(&mut self, order: &mut [usize]) {
        for last in (1..order.len()).rev() {
            let other = (u128::from(self.next()) * (last as u128 + 1)) >> 64;
            order.swap(last, other as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(rows: &[&Row], positive: &[bool], columns: usize, costs: [f64; 2], tolerance: f64) -> Linear {
        let mut watch = crate::unwatched;
        let steps = &mut Steps::new(&mut watch, "fitting", 1);
        let costs: Vec<f64> = positive.iter().map(|positive| costs[usize::from(*positive)]).collect();
        fit(rows, positive, columns, &costs, tolerance, steps).expect("is not stopped")
    }

    #[test]
    fn two_points_give_the_margin_that_can_be_worked_out() {
        // By symmetry b = 0 and w minimises ½w² + 2c(1 − w)²: w = 4c ÷ (1 + 4c).
        let (left, right): (Row, Row) = (vec![(0, -1.0)], vec![(0, 1.0)]);
        for cost in [0.1, 1.0, 10.0] {
            let model = fitted(&[&left, &right], &[false, true], 1, [cost, cost], 1e-12);
            assert!((model.weights[0] - 4.0 * cost / (1.0 + 4.0 * cost)).abs() < 1e-9, "{model:?}");
            assert!(model.bias.abs() < 1e-9, "{model:?}");
        }
    }

    #[test]
    fn a_dearer_class_pulls_the_boundary() {
        let rows: Vec<Row> = vec![vec![], vec![(0, 1.0)]];
        let rows: Vec<&Row> = rows.iter().collect();
        let even = fitted(&rows, &[false, true], 1, [1.0, 1.0], 1e-9);
        let dear = fitted(&rows, &[false, true], 1, [1.0, 5.0], 1e-9);
        assert!(dear.decide(rows[0]) > even.decide(rows[0]));
    }

    #[test]
    fn shuffles_are_permutations_and_repeatable() {
        let shuffled = || {
            let mut order: Vec<usize> = (0..50).collect();
            Shuffle(7).shuffle(&mut order);
            order
        };
        let mut sorted = shuffled();
        assert_ne!(sorted, (0..50).collect::<Vec<_>>());
        assert_eq!(sorted, shuffled());
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
    }

    /// `tests/fit/oracle.py` tells how the files were made: LinearSVC of scikit-learn on the same features.
    #[test]
    fn weights_are_those_of_scikit_learn() {
        let (rows, positive) = features(include_str!("../../tests/fit/features.svm"));
        let rows: Vec<&Row> = rows.iter().collect();
        let share = |class: bool| positive.iter().filter(|own| **own == class).count() as f64;
        for line in include_str!("../../tests/fit/weights.txt").lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let numbers: Vec<f64> = words[2..].iter().map(|word| word.parse().expect("a number")).collect();
            let cost: f64 = words[0].parse().expect("a number");
            let costs = match words[1] {
                "balanced" => [false, true].map(|class| cost * rows.len() as f64 / (2.0 * share(class))),
                _ => [cost, cost],
            };
            let model = fitted(&rows, &positive, numbers.len() - 1, costs, 1e-11);
            let found = std::iter::once(&model.bias).chain(&model.weights);
            for (at, (found, expected)) in found.zip(&numbers).enumerate() {
                assert!((found - expected).abs() < 1e-6, "{cost} {}: {at}: {found} {expected}", words[1]);
            }
        }
    }

    fn features(text: &str) -> (Vec<Row>, Vec<bool>) {
        let row = |line: &str| {
            let mut words = line.split(' ');
            let positive = words.next() == Some("1");
            let pairs = words.skip(1).map(|pair| {
                let (column, value) = pair.split_once(':').expect("a pair");
                (column.parse::<u32>().expect("a column") - 1, value.parse().expect("a value"))
            });
            (pairs.collect::<Row>(), positive)
        };
        text.lines().filter(|line| !line.starts_with('#')).map(row).unzip()
    }
}
