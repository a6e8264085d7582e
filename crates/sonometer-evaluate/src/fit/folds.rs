//! Settings chosen, and figures measured, on examples that a model has not seen.
//!
//! The examples are parted into folds; a model is fitted without each fold, for each cost. What a fold is measured with (its cost,
//! its threshold) is chosen on the other folds alone, so the figures owe nothing to the examples they are about.

use super::Example;
use super::learn::{Bounds, Fitted, Parts, learn};
use super::matrix::Matrix;
use super::measure::{Aim, auc, best_cut, mean};
use crate::Error;
use crate::labels::Fold;
use crate::watch::Steps;

/// The part of `count` that each example is in: that of SHA-256 of `fit ` and its group, as `--fold` parts by the group
/// alone, so that data chosen by `--fold` falls into all parts.
pub(crate) fn part(examples: &[Example], count: usize) -> Parts {
    let folds: Vec<Fold> = (1..=count).filter_map(|part| format!("{part}/{count}").parse().ok()).collect();
    let of = |example: &Example| {
        let key = format!("fit {}", example.group);
        folds.iter().position(|fold| fold.holds(&key)).unwrap_or(0)
    };
    Parts { of: examples.iter().map(of).collect(), count }
}

/// Models without each fold, and what they say of the examples in it.
#[derive(Debug)]
pub(crate) struct Crossed {
    pub(crate) parts: Parts,
    positive: Vec<bool>,
    pub(crate) costs: Vec<f64>,
    /// By cost and fold.
    models: Vec<Vec<Fitted>>,
    /// By cost and example: the decision value of the model that has not seen it.
    decisions: Vec<Vec<f64>>,
}

/// What is chosen by folds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chosen {
    /// Which cost.
    pub(crate) cost: usize,
    /// From which decision value on an example is positive.
    pub(crate) threshold: f64,
    /// The lowest and the highest decision value.
    pub(crate) range: (f64, f64),
}

impl Crossed {
    /// Fits all models, each of them a step.
    pub(crate) fn new(
        matrix: &Matrix,
        positive: Vec<bool>,
        parts: Parts,
        costs: Vec<f64>,
        bounds: Bounds,
        steps: &mut Steps<'_>,
    ) -> Result<Self, Error> {
        let (mut models, mut decisions) = (Vec::new(), Vec::new());
        for cost in &costs {
            let mut own = Vec::with_capacity(parts.count);
            let mut decided = vec![0.0; positive.len()];
            for fold in 0..parts.count {
                let model = learn(matrix, &positive, &parts.outside(fold), *cost, bounds, steps)?;
                steps.advance(1)?;
                for row in parts.inside(fold) {
                    decided[row] = model.decide(&matrix.rows[row]);
                }
                own.push(model);
            }
            models.push(own);
            decisions.push(decided);
        }
        Ok(Self { parts, positive, costs, models, decisions })
    }

    /// The model of a cost without a fold.
    pub(crate) fn model(&self, cost: usize, fold: usize) -> &Fitted {
        &self.models[cost][fold]
    }

    /// The cost with the best mean AUC over the folds, and the best threshold with it; without looking at the fold
    /// `hidden`, if there is one. `None` where no threshold parts anything.
    pub(crate) fn choose(&self, hidden: Option<usize>, aim: Aim) -> Option<Chosen> {
        let seen = |fold: &usize| Some(*fold) != hidden;
        let scored = |cost: usize, rows: &mut dyn Iterator<Item = usize>| -> Vec<(f64, bool)> {
            rows.map(|row| (self.decisions[cost][row], self.positive[row])).collect()
        };
        let quality = |cost: usize| {
            let of_fold = |fold| auc(&scored(cost, &mut self.parts.inside(fold).into_iter()));
            mean((0..self.parts.count).filter(seen).filter_map(of_fold)).unwrap_or(0.0)
        };
        let mut best = (0, quality(0));
        for cost in 1..self.costs.len() {
            let found = quality(cost);
            if found > best.1 {
                best = (cost, found);
            }
        }
        let mut rows = (0..self.positive.len()).filter(|row| seen(&self.parts.of[*row]));
        let scored = scored(best.0, &mut rows);
        let values = || scored.iter().map(|(value, _)| *value);
        Some(Chosen {
            cost: best.0,
            threshold: best_cut(&scored, aim)?.middle(),
            range: (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max)),
        })
    }
}
