//! Precision, recall, F1, macro-F1, AUC and average precision of labelled cases.
//!
//! All are shares of whole numbers and rounded once, to a millionth. A share of nothing is not defined (`None`).

use super::interval::{Interval, bootstrap, wilson};
use sonometer::Unit;
use std::cmp::Reverse;

/// One thing that was judged: an item, or a segment of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    /// Whether the label says positive.
    pub(crate) truth: bool,
    /// Whether the protocol does.
    pub(crate) predicted: bool,
    /// What cases are ranked by: the higher, the likelier positive; 0 where the content is insufficient.
    pub(crate) value: Unit,
    /// Whether the item held enough to be measured.
    pub(crate) sufficient: bool,
    /// The item, among those that were sensed.
    pub(crate) item: usize,
    /// The segment of the item, from 0, where segments are judged.
    pub(crate) segment: Option<usize>,
    /// The cluster, from 0 without gaps: cases of one cluster are not independent of each other.
    pub(crate) cluster: usize,
}

/// What was predicted against what is labelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Counts {
    pub(crate) true_positives: u64,
    pub(crate) false_positives: u64,
    pub(crate) false_negatives: u64,
    pub(crate) true_negatives: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, truth: bool, predicted: bool, times: u64) {
        *match (truth, predicted) {
            (true, true) => &mut self.true_positives,
            (false, true) => &mut self.false_positives,
            (true, false) => &mut self.false_negatives,
            (false, false) => &mut self.true_negatives,
        } += times;
    }

    pub(crate) fn positives(&self) -> u64 {
        self.true_positives + self.false_negatives
    }

    pub(crate) fn negatives(&self) -> u64 {
        self.true_negatives + self.false_positives
    }

    pub(crate) fn predicted(&self) -> u64 {
        self.true_positives + self.false_positives
    }

    pub(crate) fn cases(&self) -> u64 {
        self.positives() + self.negatives()
    }

    /// Of the cases predicted positive, the share that is.
    pub(crate) fn precision(&self) -> Option<Unit> {
        share(self.true_positives, self.predicted())
    }

    /// Of the positive cases, the share predicted so.
    pub(crate) fn recall(&self) -> Option<Unit> {
        share(self.true_positives, self.positives())
    }

    /// The harmonic mean of precision and recall.
    pub(crate) fn f1(&self) -> Option<Unit> {
        let wrong = self.false_positives + self.false_negatives;
        share(2 * self.true_positives, 2 * self.true_positives + wrong)
    }

    /// The mean of the F1 of the positive and of the negative class.
    pub(crate) fn macro_f1(&self) -> Option<Unit> {
        let wrong = i128::from(self.false_positives + self.false_negatives);
        let (right, right_not) = (2 * i128::from(self.true_positives), 2 * i128::from(self.true_negatives));
        let (whole, whole_not) = (right + wrong, right_not + wrong);
        (whole > 0 && whole_not > 0)
            .then(|| Unit::ratio(right * whole_not + right_not * whole, 2 * whole * whole_not))
    }

    /// How much likelier a case is positive where it is predicted so: precision ÷ share of positives.
    pub(crate) fn lift(&self) -> Option<Unit> {
        let whole = i128::from(self.predicted()) * i128::from(self.positives());
        let part = i128::from(self.true_positives) * i128::from(self.cases());
        (whole > 0).then(|| Unit::ratio(part, whole))
    }
}

/// A share; none of nothing.
pub(crate) fn share(part: u64, whole: u64) -> Option<Unit> {
    (whole > 0).then(|| Unit::ratio(part.into(), whole.into()))
}

/// The figures, in the order of the report.
pub(crate) const FIGURES: [&str; 6] = ["precision", "recall", "f1", "macro_f1", "auc", "average_precision"];

/// A figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The figure.
    pub value: Unit,
    /// `None` where the data says too little.
    pub interval: Option<Interval>,
}

/// Everything that is measured on some cases.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) counts: Counts,
    /// By [`FIGURES`]; `None`: not defined.
    pub(crate) estimates: [Option<Estimate>; 6],
    /// Whether every case is a cluster of its own: then the intervals of precision and recall are Wilson's.
    pub(crate) independent: bool,
}

impl Figures {
    /// Measures `cases`.
    pub(crate) fn of(cases: &[Case]) -> Self {
        let ranking = Ranking::of(cases);
        let clusters = cases.iter().map(|case| case.cluster + 1).max().unwrap_or(0);
        let (counts, values) = ranking.figures(|_| 1);
        let mut intervals =
            bootstrap(clusters, |weights| ranking.figures(|cluster| weights[cluster].into()).1);
        let independent = are_independent(cases);
        if independent {
            intervals[0] = wilson(counts.true_positives, counts.predicted());
            intervals[1] = wilson(counts.true_positives, counts.positives());
        }
        let mut intervals = intervals.into_iter();
        let estimates = values.map(|value| {
            let interval = intervals.next().flatten();
            value.map(|value| Estimate { value, interval })
        });
        Self { counts, estimates, independent }
    }
}

/// Whether no two cases share a cluster.
fn are_independent(cases: &[Case]) -> bool {
    let mut clusters: Vec<usize> = cases.iter().map(|case| case.cluster).collect();
    clusters.sort_unstable();
    clusters.windows(2).all(|pair| pair[0] != pair[1])
}

/// A threshold with what it would predict: positive from `value` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) value: Unit,
    pub(crate) counts: Counts,
}

/// Cases from the highest value to the lowest, in the order of the data where values are equal.
#[derive(Debug)]
pub(crate) struct Ranking<'c>(Vec<&'c Case>);

impl<'c> Ranking<'c> {
    pub(crate) fn of(cases: &'c [Case]) -> Self {
        let mut cases: Vec<&Case> = cases.iter().collect();
        cases.sort_by_key(|case| Reverse(case.value));
        Self(cases)
    }

    /// The counts of the predictions and all figures, where a cluster counts as often as `weight` says.
    fn figures(&self, weight: impl Fn(usize) -> u64) -> (Counts, [Option<Unit>; 6]) {
        let mut counts = Counts::default();
        for case in &self.0 {
            counts.add(case.truth, case.predicted, weight(case.cluster));
        }
        let (positives, negatives) = (counts.positives(), counts.negatives());
        // Twice the pairs of a positive and a negative case in the right order; a tie is half a pair (Mann–Whitney).
        let mut ordered: u128 = 0;
        // Precision at each positive case, in 10⁻¹².
        let mut precisions: u128 = 0;
        let (mut above, mut below): (u64, u64) = (0, negatives);
        for tied in self.0.chunk_by(|a, b| a.value == b.value) {
            let (mut p, mut n) = (0, 0);
            for case in tied {
                *if case.truth { &mut p } else { &mut n } += weight(case.cluster);
            }
            above += p;
            below -= n;
            ordered += u128::from(p) * u128::from(2 * below + n);
            let predicted = above + negatives - below;
            if p > 0 {
                precisions += u128::from(p) * u128::from(above) * PICO / u128::from(predicted);
            }
        }
        let pairs = 2 * i128::from(positives) * i128::from(negatives);
        let auc = (pairs > 0).then(|| Unit::ratio(ordered.cast_signed(), pairs));
        let average_precision = (positives > 0)
            .then(|| Unit::ratio(precisions.cast_signed(), i128::from(positives) * PICO.cast_signed()));
        let values =
            [counts.precision(), counts.recall(), counts.f1(), counts.macro_f1(), auc, average_precision];
        (counts, values)
    }

    /// What each distinct value would predict as a threshold, from the highest to the lowest.
    pub(crate) fn points(&self) -> Vec<Point> {
        let positives = self.0.iter().filter(|case| case.truth).count() as u64;
        let mut counts = Counts {
            false_negatives: positives,
            true_negatives: self.0.len() as u64 - positives,
            ..Counts::default()
        };
        let mut points = Vec::new();
        for tied in self.0.chunk_by(|a, b| a.value == b.value) {
            for case in tied {
                let (to, from) = match case.truth {
                    true => (&mut counts.true_positives, &mut counts.false_negatives),
                    false => (&mut counts.false_positives, &mut counts.true_negatives),
                };
                *to += 1;
                *from -= 1;
            }
            points.push(Point { value: tied[0].value, counts });
        }
        points
    }
}

const PICO: u128 = 1_000_000_000_000;

/// The threshold with the best macro-F1, the highest of several; `None` where macro-F1 is never defined.
pub(crate) fn best(points: &[Point]) -> Option<Unit> {
    let mut best: Option<(Unit, Unit)> = None;
    // A threshold of 0 would call positive what was not measured at all.
    for point in points.iter().filter(|point| point.value > Unit::ZERO) {
        if let Some(figure) = point.counts.macro_f1()
            && best.is_none_or(|(_, highest)| figure > highest)
        {
            best = Some((point.value, figure));
        }
    }
    best.map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases of their own clusters, predicted positive from one half on.
    fn cases(labelled: &[(i64, bool)]) -> Vec<Case> {
        let case = |(item, (value, truth)): (usize, &(i64, bool))| Case {
            truth: *truth,
            predicted: *value >= 500_000,
            value: Unit(*value),
            sufficient: true,
            item,
            segment: None,
            cluster: item,
        };
        labelled.iter().enumerate().map(case).collect()
    }

    fn values(cases: &[Case]) -> [Option<Unit>; 6] {
        Figures::of(cases).estimates.map(|estimate| estimate.map(|estimate| estimate.value))
    }

    #[test]
    fn figures_worked_by_hand() {
        // Values 0.9+ 0.8− 0.5+ 0.5− 0.3+ 0.1−: 2 right, 2 false alarms, 1 missed, 1 rightly silent.
        let cases = cases(&[
            (900_000, true),
            (800_000, false),
            (500_000, true),
            (500_000, false),
            (300_000, true),
            (100_000, false),
        ]);
        let figures = Figures::of(&cases);
        let Counts { true_positives, false_positives, false_negatives, true_negatives } = figures.counts;
        assert_eq!([true_positives, false_positives, false_negatives, true_negatives], [2, 2, 1, 1]);
        let expected = [
            Unit(500_000), // 2 of 4
            Unit(666_667), // 2 of 3
            Unit(571_429), // 4 of 7
            Unit(485_714), // (4/7 + 2/5) ÷ 2 = 17/35
            Unit(611_111), // pairs 3 + (1 + ½) + 1 = 5½ of 9
            Unit(700_000), // (1 + 2/4 + 3/5) ÷ 3
        ];
        assert_eq!(values(&cases), expected.map(Some));
        assert_eq!(figures.counts.lift(), Some(Unit::ONE));
    }

    #[test]
    fn what_has_no_meaning_is_not_a_number() {
        let none_positive = values(&cases(&[(900_000, false), (100_000, false)]));
        assert_eq!(none_positive[..3], [Some(Unit::ZERO), None, Some(Unit::ZERO)]);
        assert_eq!(none_positive[4..], [None, None]);
        let silent = values(&cases(&[(0, true), (0, false)]));
        assert_eq!(silent[0], None);
        assert_eq!(silent[4], Some(Unit(500_000)));
        assert_eq!(values(&[]), [None; 6]);
    }

    #[test]
    fn auc_counts_pairs() {
        let mut state: u64 = 7;
        for size in 2..40 {
            let labelled: Vec<(i64, bool)> = (0..size)
                .map(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    // Few values, so that many are tied.
                    ((state >> 60) as i64 * 62_500, state >> 40 & 3 == 0)
                })
                .collect();
            let (mut won, mut pairs) = (0, 0);
            for (a, _) in labelled.iter().filter(|(_, truth)| *truth) {
                for (b, _) in labelled.iter().filter(|(_, truth)| !truth) {
                    pairs += 2;
                    won += 1 + i128::from((a - b).signum());
                }
            }
            let expected = (pairs > 0).then(|| Unit::ratio(won, pairs));
            assert_eq!(values(&cases(&labelled))[4], expected, "{labelled:?}");
        }
    }

    #[test]
    fn the_best_threshold_parts_the_classes() {
        let cases = cases(&[(700_000, true), (600_000, true), (200_000, false), (0, false)]);
        let points = Ranking::of(&cases).points();
        assert_eq!(
            points.iter().map(|point| point.value.0).collect::<Vec<_>>(),
            [700_000, 600_000, 200_000, 0]
        );
        assert_eq!(points[1].counts.predicted(), 2);
        assert_eq!(best(&points), Some(Unit(600_000)));
    }

    #[test]
    fn intervals_of_clusters_are_wider() {
        let width = |cluster_of: fn(usize) -> usize| {
            let mut cases = cases(&(0..80).map(|n| (n % 8 * 125_000, n / 8 % 2 == 0)).collect::<Vec<_>>());
            cases.iter_mut().for_each(|case| case.cluster = cluster_of(case.item));
            let interval = Figures::of(&cases).estimates[0].and_then(|estimate| estimate.interval);
            interval.map(|interval| interval.high - interval.low)
        };
        assert!(width(|item| item / 8) > width(|item| item));
    }
}
