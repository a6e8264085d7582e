//! Settings chosen, and figures measured, on examples that a model has not seen.
//!
//! The examples are parted into folds; a model is fitted without each fold, for each cost. What a fold is measured with (its cost,
//! its threshold) is chosen on the other folds alone, so the figures owe nothing to the examples they are about. Ordinary talk is
//! parted as well, by talks, so that its alarms are counted with models and thresholds that have not seen it.

use super::Example;
use super::learn::{Bounds, Fitted, Parts, Seen, Training, learn};
use super::likeness::Clusters;
use super::matrix::Matrix;
use super::measure::{Aim, Cut, Limit, auc, best_cut, mean};
use crate::Error;
use crate::evaluate::sensed::one_by_one;
use crate::labels::{Fold, Ordinary};
use crate::watch::Steps;
use sha2::{Digest, Sha256};
use sonometer::Unit;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The part of `count` that each example is in. Clusters stay together; the largest are given out first, each to the part that
/// has least of its classes so far, so that every part holds about as much of both.
pub(crate) fn part(examples: &[Example], clusters: &Clusters, count: usize) -> Parts {
    let class: Vec<usize> = examples.iter().map(|example| usize::from(example.positive)).collect();
    part_by(examples, &class, 2, clusters, count)
}

/// The same with so many classes, that of each example given.
pub(crate) fn part_by(
    examples: &[Example],
    class: &[usize],
    classes: usize,
    clusters: &Clusters,
    count: usize,
) -> Parts {
    let mut sizes = vec![vec![0_u64; classes]; clusters.count()];
    let mut names: BTreeMap<usize, &str> = BTreeMap::new();
    for ((example, class), cluster) in examples.iter().zip(class).zip(&clusters.of) {
        sizes[*cluster][*class] += 1;
        let name = names.entry(*cluster).or_insert(&example.group);
        *name = (*name).min(&example.group);
    }
    // Of equal size in an order that is no order of the data: `fit ` keeps it apart from that of `--fold`.
    let digest = |cluster: usize| Sha256::digest(format!("fit {}", names[&cluster]));
    let mut order: Vec<(Reverse<u64>, _, usize)> = (0..sizes.len())
        .map(|cluster| (Reverse(sizes[cluster].iter().sum()), digest(cluster), cluster))
        .collect();
    order.sort();
    let total = |class: usize| sizes.iter().map(|size| size[class]).sum::<u64>().max(1);
    let totals: Vec<u64> = (0..classes).map(total).collect();
    let mut loads = vec![vec![0_u64; classes]; count];
    let mut of_cluster = vec![0; sizes.len()];
    for (_, digest, cluster) in order {
        let size = &sizes[cluster];
        // How much the squares of the shares grow: Σ 2 l s ÷ T² over all classes, of two brought to whole numbers; of more in 2⁶⁰ths, as their
        // common denominator has no bound.
        let growth = |load: &[u64]| {
            let squares = |class: usize| u128::from(totals[class]) * u128::from(totals[class]);
            let grown = |class: usize| u128::from(load[class] * size[class]);
            let growth = match classes {
                2 => grown(0) * squares(1) + grown(1) * squares(0),
                _ => (0..classes).map(|class| (grown(class) << 60) / squares(class)).sum(),
            };
            (growth, load.iter().sum::<u64>())
        };
        let first = usize::from(digest[0]) % count;
        let best = (0..count).map(|step| (first + step) % count).min_by_key(|part| growth(&loads[*part]));
        let best = best.unwrap_or(0);
        of_cluster[cluster] = best;
        (0..classes).for_each(|class| loads[best][class] += size[class]);
    }
    Parts { of: clusters.of.iter().map(|cluster| of_cluster[*cluster]).collect(), count }
}

/// The part of `count` that each talk is in, by SHA-256 of its number.
pub(crate) fn part_talks(talks: usize, count: usize) -> Vec<usize> {
    let folds: Vec<Fold> = (1..=count).filter_map(|part| format!("{part}/{count}").parse().ok()).collect();
    let of = |talk: usize| {
        let key = format!("talk {talk}");
        folds.iter().position(|fold| fold.holds(&key)).unwrap_or(0)
    };
    (0..talks).map(of).collect()
}

/// Ordinary talk beside the examples.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside {
    rows: Matrix,
    /// The part that each row is in, and each talk.
    pub(crate) of: Vec<usize>,
    pub(crate) of_talk: Vec<usize>,
    /// The most alarms that a threshold may cost; `None`: there is nothing to count them on.
    limit: Option<Unit>,
}

impl Beside {
    /// The rows of the pieces of ordinary talk, parted by talks.
    pub(crate) fn of(rows: Matrix, ordinary: Option<&Ordinary>, count: usize, limit: Unit) -> Self {
        let Some(ordinary) = ordinary else { return Self::default() };
        let of_talk = part_talks(ordinary.talks.len(), count);
        let of = ordinary.pieces.iter().map(|(talk, _)| of_talk[*talk]).collect();
        Self { rows, of, of_talk, limit: Some(limit) }
    }
}

/// Models without each fold, and what they say of the examples in it.
#[derive(Debug)]
pub(crate) struct Crossed {
    pub(crate) parts: Parts,
    positive: Vec<bool>,
    pub(crate) beside: Beside,
    pub(crate) costs: Vec<f64>,
    /// By cost and fold.
    models: Vec<Vec<Fitted>>,
    /// By cost and example: the decision value of the model that has not seen it; then of ordinary rows.
    decisions: Vec<[Vec<f64>; 2]>,
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
        training: Training<'_>,
        beside: Beside,
        parts: Parts,
        costs: Vec<f64>,
        bounds: Bounds,
        steps: &mut Steps<'_>,
    ) -> Result<Self, Error> {
        let jobs: Vec<(f64, usize)> =
            costs.iter().flat_map(|cost| (0..parts.count).map(|fold| (*cost, fold))).collect();
        // One model does not depend on another: each is the same, however many threads there are.
        let fitted = one_by_one(&jobs, steps, |(cost, fold)| {
            let mut unwatched = crate::unwatched;
            let steps = &mut Steps::new(&mut unwatched, "fitting", 0);
            learn(training, &seen(&parts, &beside, Some(*fold)), *cost, bounds, steps)
        })?;
        let mut fitted = fitted.into_iter();
        let (mut models, mut decisions) = (Vec::new(), Vec::new());
        let positive = training.positive.to_vec();
        for _ in &costs {
            let mut own = Vec::with_capacity(parts.count);
            let mut decided = [vec![0.0; positive.len()], vec![0.0; beside.of.len()]];
            for (fold, model) in fitted.by_ref().take(parts.count).enumerate() {
                for row in parts.inside(fold) {
                    decided[0][row] = training.matrix.decide(&model, row);
                }
                for row in (0..beside.of.len()).filter(|row| beside.of[*row] == fold) {
                    decided[1][row] = beside.rows.decide(&model, row);
                }
                own.push(model);
            }
            models.push(own);
            decisions.push(decided);
        }
        Ok(Self { parts, positive, beside, costs, models, decisions })
    }

    /// The model of a cost without a fold.
    pub(crate) fn model(&self, cost: usize, fold: usize) -> &Fitted {
        &self.models[cost][fold]
    }

    /// The best cost over the folds, and the best threshold with it; without looking at the fold `hidden`, if there is one. `None`
    /// where no threshold parts anything.
    pub(crate) fn choose(&self, hidden: Option<usize>, aim: Aim) -> Option<Chosen> {
        let mut best = (0, self.quality(0, hidden, aim));
        for cost in 1..self.costs.len() {
            let found = self.quality(cost, hidden, aim);
            if found > best.1 {
                best = (cost, found);
            }
        }
        let scored = self.scored(best.0, |fold| Some(fold) != hidden);
        let values = || scored.iter().map(|(value, _)| *value);
        Some(Chosen {
            cost: best.0,
            threshold: self.cut(best.0, hidden, aim)?.middle(),
            range: (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max)),
        })
    }

    /// How good a cost is: the mean AUC over the folds. Beside ordinary talk, what is aimed at with the threshold that its alarms allow, since
    /// order alone does not say whether one threshold suits all folds.
    fn quality(&self, cost: usize, hidden: Option<usize>, aim: Aim) -> f64 {
        if self.beside.limit.is_some() {
            return self.cut(cost, hidden, aim).map_or(0.0, |cut| cut.quality.0 as f64);
        }
        let folds = (0..self.parts.count).filter(|fold| Some(*fold) != hidden);
        mean(folds.filter_map(|fold| auc(&self.scored(cost, |own| own == fold)))).unwrap_or(0.0)
    }

    /// The best threshold with a cost.
    fn cut(&self, cost: usize, hidden: Option<usize>, aim: Aim) -> Option<Cut> {
        let is_seen = |fold: usize| Some(fold) != hidden;
        let limit = self.beside.limit.map(|most| {
            let rows = (0..self.beside.of.len()).filter(|row| is_seen(self.beside.of[*row]));
            Limit::of(rows.map(|row| self.decisions[cost][1][row]).collect(), most)
        });
        best_cut(&self.scored(cost, is_seen), aim, limit)
    }

    /// What the models that have not seen them say of the examples of some folds, and their classes.
    fn scored(&self, cost: usize, is_wanted: impl Fn(usize) -> bool) -> Vec<(f64, bool)> {
        let rows = (0..self.positive.len()).filter(|row| is_wanted(self.parts.of[*row]));
        rows.map(|row| (self.decisions[cost][0][row], self.positive[row])).collect()
    }
}

/// What a model without the fold `hidden` sees.
pub(crate) fn seen(parts: &Parts, beside: &Beside, hidden: Option<usize>) -> Seen {
    let is_seen = |of: &[usize], row: &usize| Some(of[*row]) != hidden;
    Seen {
        labelled: (0..parts.of.len()).filter(|row| is_seen(&parts.of, row)).collect(),
        ordinary: (0..beside.of.len()).filter(|row| is_seen(&beside.of, row)).collect(),
    }
}
