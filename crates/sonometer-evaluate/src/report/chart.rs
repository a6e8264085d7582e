//! The curves of a report, in whole numbers: 1,000 units stand for 1.

use crate::evaluate::measure::{Counts, Point};
use crate::evaluate::pairs;
use sonometer::Unit;
use sonometer_report::{Curve, Plot, permille};
use std::fmt::Write;

/// ROC and precision-recall curve of data with both classes.
pub(super) fn curves(points: &[Point], now: &Counts) -> Vec<Plot> {
    let prevalence = permille(now.positives(), now.cases());
    let roc = Curve {
        id: "roc",
        title: "ROC",
        across: "false alarms (share of negatives)",
        up: "found (share of positives)",
        guess: (0, 1000),
        path: roc_path(points),
        end: 1000,
        here: Some(roc_point(now)),
    };
    let precision_recall = Curve {
        id: "pr",
        title: "Precision and recall",
        across: "recall",
        up: "precision",
        guess: (prevalence, prevalence),
        path: pr_path(points),
        end: 1000,
        here: pr_point(now),
    };
    vec![Plot::Curve(roc), Plot::Curve(precision_recall)]
}

/// How often pairs are right where only those that differ at least so much are decided; nothing where none differs.
pub(super) fn decided(points: &[pairs::Point], pairs: u64) -> Option<Plot> {
    let place = |point: &pairs::Point| {
        let decided = point.right + point.wrong;
        (permille(decided, pairs), permille(point.right, decided))
    };
    let (end, last) = place(points.last()?);
    let mut path = String::new();
    for (x, y) in points.iter().map(place) {
        match path.is_empty() {
            true => _ = write!(path, "M0 {}H{x}", 1000 - y),
            false => _ = write!(path, "L{x} {}", 1000 - y),
        }
    }
    Some(Plot::Curve(Curve {
        id: "decided",
        title: "Decided and right",
        across: "decided (share of pairs)",
        up: "right (share of decided)",
        guess: (500, 500),
        path: format!("{path}H{end}"),
        end,
        here: Some((end, last)),
    }))
}

/// What the slider tries: threshold, counts, and where the points of both curves go.
pub(super) fn slider_point(point: &Point) -> String {
    let counts = &point.counts;
    let (x, y) = roc_point(counts);
    let (recall, precision) = pr_point(counts).unwrap_or_default();
    let Counts { true_positives, false_positives, false_negatives, true_negatives } = counts;
    format!(
        "[{},{true_positives},{false_positives},{false_negatives},{true_negatives},{x},{y},{recall},{precision}]",
        point.value
    )
}

/// Across: false alarms; up: found.
fn roc_point(counts: &Counts) -> (u64, u64) {
    (
        permille(counts.false_positives, counts.negatives()),
        permille(counts.true_positives, counts.positives()),
    )
}

/// Across: recall; up: precision.
fn pr_point(counts: &Counts) -> Option<(u64, u64)> {
    let precision = permille(counts.true_positives, counts.predicted());
    (counts.predicted() > 0).then(|| (permille(counts.true_positives, counts.positives()), precision))
}

fn roc_path(points: &[Point]) -> String {
    let mut path = "M0 1000".to_owned();
    for (x, y) in points.iter().map(|point| roc_point(&point.counts)) {
        let _ = write!(path, "L{x} {}", 1000 - y);
    }
    path
}

/// In steps: the precision of a threshold holds for what it finds beyond the one before.
fn pr_path(points: &[Point]) -> String {
    let mut path = String::new();
    for (x, y) in points.iter().filter_map(|point| pr_point(&point.counts)) {
        match path.is_empty() {
            true => _ = write!(path, "M0 {}H{x}", 1000 - y),
            false => _ = write!(path, "V{}H{x}", 1000 - y),
        }
    }
    path
}

/// The ROC as blocks from 0 to 7: the share of positives found, by the share of false alarms.
pub(super) fn spark(points: &[Point]) -> Vec<usize> {
    /// One fewer than there are blocks.
    const STEPS: i64 = 40;
    let Some(last) = points.last().map(|point| point.counts) else { return Vec::new() };
    let (positives, negatives) = (i128::from(last.positives()), i128::from(last.negatives()));
    let false_positives = |counts: &Counts| i128::from(counts.false_positives) * i128::from(STEPS);
    let level = |step: i64| {
        // Between two points, the line between them.
        let wanted = negatives * i128::from(step);
        let after = points.iter().position(|point| false_positives(&point.counts) > wanted);
        let before = after.unwrap_or(points.len()).checked_sub(1);
        let before = before.map(|at| points[at].counts).unwrap_or_default();
        let mut found = Unit::ratio(i128::from(before.true_positives), positives);
        if let Some(after) = after.map(|at| points[at].counts) {
            let rise = Unit::ratio(i128::from(after.true_positives - before.true_positives), positives);
            let part = wanted - false_positives(&before);
            found = found + rise.times(Unit::ratio(part, false_positives(&after) - false_positives(&before)));
        }
        usize::try_from((found.clamp_to_one().0 * 7 + 500_000) / 1_000_000).unwrap_or(0)
    };
    (0..=STEPS).map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> [Point; 3] {
        let counts = |true_positives, false_positives| Counts {
            true_positives,
            false_positives,
            false_negatives: 4 - true_positives,
            true_negatives: 4 - false_positives,
        };
        [(900_000, counts(2, 0)), (500_000, counts(3, 3)), (0, counts(4, 4))]
            .map(|(value, counts)| Point { value: Unit(value), counts })
    }

    #[test]
    fn curves_go_through_the_thresholds() {
        assert_eq!(roc_path(&points()), "M0 1000L0 500L750 250L1000 0");
        assert_eq!(pr_path(&points()), "M0 0H500V500H750V500H1000");
        assert_eq!(slider_point(&points()[1]), "[0.5,3,3,1,1,750,750,750,500]");
    }

    #[test]
    fn blocks_rise_from_what_is_found_without_false_alarms() {
        let blocks = spark(&points());
        assert_eq!((blocks.len(), blocks[0], blocks[30], blocks[40]), (41, 4, 5, 7));
        assert!(blocks.is_sorted());
    }
}
