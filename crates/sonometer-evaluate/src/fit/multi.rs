//! A linear support vector machine for several classes of which one holds, all weights learned together: K. Crammer, Y. Singer, "On the
//! Algorithmic Implementation of Multiclass Kernel-based Vector Machines", JMLR 2 (2001), solved by the sequential dual method of S. S.
//! Keerthi and others, KDD 2008 (LIBLINEAR's solver 4).
//!
//! It minimises ½ Σₖ (|wₖ|² + bₖ²) + Σᵢ cᵢ max over k of (eᵢₖ − (sᵢ(yᵢ) − sᵢ(k))), with sᵢ(k) = wₖ·xᵢ + bₖ, and eᵢₖ = 0 for the class of the row, 1
//! for any other. Like the machine for two classes it needs additions, multiplications and divisions only, so it is the same everywhere.

use super::matrix::Row;
use super::solver::{Linear, Shuffle};
use crate::Error;
use crate::watch::Steps;

/// Passes over the data, at most.
const MOST_PASSES: usize = 1_000;

/// Fits one model a class. `class` and `costs` are of the rows; the gradients of a row in the last pass differ by at most `tolerance`,
/// unless the passes end first.
pub(crate) fn fit(
    rows: &[&Row],
    class: &[usize],
    classes: usize,
    columns: usize,
    costs: &[f64],
    tolerance: f64,
    steps: &mut Steps<'_>,
) -> Result<Vec<Linear>, Error> {
    // By column, then class, so that a column of a row is one stretch of memory; the last column is the bias.
    let mut weights = vec![0.0_f64; (columns + 1) * classes];
    let mut alpha = vec![0.0_f64; rows.len() * classes];
    let norm = |row: &Row| row.iter().fold(1.0, |sum, (_, value)| sum + value * value);
    let norms: Vec<f64> = rows.iter().map(|row| norm(row)).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut shuffle = Shuffle(0);
    let (mut gradient, mut wanted) = (vec![0.0; classes], vec![0.0; classes]);
    for _ in 0..MOST_PASSES {
        steps.advance(0)?;
        shuffle.shuffle(&mut order);
        let mut widest = 0.0_f64;
        for &at in &order {
            let (own, cost) = (class[at], costs[at]);
            for (k, gradient) in gradient.iter_mut().enumerate() {
                *gradient = weights[columns * classes + k] + f64::from(u8::from(k != own));
            }
            for (column, value) in rows[at] {
                let from = *column as usize * classes;
                for (gradient, weight) in gradient.iter_mut().zip(&weights[from..from + classes]) {
                    *gradient += weight * value;
                }
            }
            let duals = &mut alpha[at * classes..(at + 1) * classes];
            // Where a dual cannot grow, its gradient is no bound from below: of the own class at the cost, of another at 0.
            let can_grow = |k: usize| if k == own { duals[k] < cost } else { duals[k] < 0.0 };
            let least =
                (0..classes).filter(|k| can_grow(*k)).map(|k| gradient[k]).fold(f64::INFINITY, f64::min);
            let most = gradient.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if most - least <= 1e-12 {
                continue;
            }
            widest = widest.max(most - least);
            solve_row(&gradient, duals, own, cost, norms[at], &mut wanted);
            for k in 0..classes {
                let step = wanted[k] - duals[k];
                if step.abs() < 1e-14 {
                    continue;
                }
                duals[k] = wanted[k];
                for (column, value) in rows[at] {
                    weights[*column as usize * classes + k] += step * value;
                }
                weights[columns * classes + k] += step;
            }
        }
        if widest <= tolerance {
            break;
        }
    }
    let of = |k: usize| Linear {
        weights: (0..columns).map(|column| weights[column * classes + k]).collect(),
        bias: weights[columns * classes + k],
    };
    Ok((0..classes).map(of).collect())
}

/// The duals of one row that are best while all others stay, into `wanted`: the one β for which they sum to 0 is found by taking the bounds
/// off one after the other, the highest first.
fn solve_row(gradient: &[f64], duals: &[f64], own: usize, cost: f64, norm: f64, wanted: &mut [f64]) {
    let base: Vec<f64> = gradient.iter().zip(duals).map(|(gradient, dual)| gradient - norm * dual).collect();
    let mut sorted = base.clone();
    sorted[own] += norm * cost;
    sorted.sort_by(|a, b| b.total_cmp(a));
    let mut beta = sorted[0] - norm * cost;
    let mut taken = 1;
    while taken < sorted.len() && beta < taken as f64 * sorted[taken] {
        beta += sorted[taken];
        taken += 1;
    }
    beta /= taken as f64;
    for (k, wanted) in wanted.iter_mut().enumerate() {
        let most = if k == own { cost } else { 0.0 };
        *wanted = ((beta - base[k]) / norm).min(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(rows: &[Row], class: &[usize], classes: usize, columns: usize, cost: f64) -> Vec<Linear> {
        let mut watch = crate::unwatched;
        let steps = &mut Steps::new(&mut watch, "fitting", 1);
        let rows: Vec<&Row> = rows.iter().collect();
        fit(&rows, class, classes, columns, &vec![cost; rows.len()], 1e-10, steps).expect("is not stopped")
    }

    /// Two classes: w₁ = −w₀, so |w|² counts twice and the margin is 2w. With one row at −1 and one at 1, b = 0 and each costs
    /// c·max(0, 1 − 2w): w² + 2c·max(0, 1 − 2w) is least at w = 2c, and at ½ where that is more.
    #[test]
    fn two_points_give_the_margin_that_can_be_worked_out() {
        for (cost, weight) in [(0.1, 0.2), (0.2, 0.4), (3.0, 0.5)] {
            let models = fitted(&[vec![(0, -1.0)], vec![(0, 1.0)]], &[0, 1], 2, 1, cost);
            assert!((models[1].weights[0] - weight).abs() < 1e-6, "{cost}: {models:?}");
            assert!((models[0].weights[0] + weight).abs() < 1e-6, "{cost}: {models:?}");
            assert!(models[0].bias.abs() < 1e-6, "{cost}: {models:?}");
        }
    }

    #[test]
    fn three_classes_take_the_column_that_is_theirs() {
        let rows: Vec<Row> = (0..3).map(|column| vec![(column, 1.0)]).collect();
        let models = fitted(&rows, &[2, 0, 1], 3, 3, 10.0);
        for (row, class) in rows.iter().zip([2, 0, 1]) {
            let scores: Vec<f64> = models.iter().map(|model| model.decide(row)).collect();
            let others = (0..3).filter(|k| *k != class).map(|k| scores[k]).fold(f64::NEG_INFINITY, f64::max);
            // Each is told apart by the whole margin, and the scores of a row sum to 0.
            assert!((scores[class] - others - 1.0).abs() < 1e-6, "{scores:?}");
            assert!(scores.iter().sum::<f64>().abs() < 1e-6, "{scores:?}");
        }
    }
}
