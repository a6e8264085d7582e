//! The curves of a page, as drawings of whole numbers: 1,000 units stand for 1.

use crate::evaluate::measure::{Counts, Point};
use std::fmt::Write;

/// One curve with its point of operation.
struct Chart<'c> {
    id: &'c str,
    title: &'c str,
    across: &'c str,
    up: &'c str,
    /// The dashed line of guessing: from and to, upwards.
    guess: (u64, u64),
    /// The way of the curve, as an SVG path.
    path: String,
    /// Where the curve ends, across.
    end: u64,
    /// Where the rule stands; `None`: not defined.
    here: Option<(u64, u64)>,
}

/// ROC and precision-recall curve; nothing where a class is empty.
pub(super) fn charts(points: &[Point], now: &Counts) -> String {
    let (positives, negatives) = (now.positives(), now.negatives());
    if positives == 0 || negatives == 0 {
        return String::new();
    }
    let roc = Chart {
        id: "roc",
        title: "ROC",
        across: "false alarms (share of negatives)",
        up: "found (share of positives)",
        guess: (0, 1000),
        path: roc_path(points),
        end: 1000,
        here: Some(roc_point(now)),
    };
    let prevalence = permille(positives, positives + negatives);
    let precision_recall = Chart {
        id: "pr",
        title: "Precision and recall",
        across: "recall",
        up: "precision",
        guess: (prevalence, prevalence),
        path: pr_path(points),
        end: 1000,
        here: pr_point(now),
    };
    format!("<div class=\"charts\">{}{}</div>", roc.draw(), precision_recall.draw())
}

/// How often pairs are right where only those that differ at least so much are decided; nothing where none differs.
pub(super) fn decided_chart(points: &[crate::evaluate::pairs::Point], pairs: u64) -> String {
    let place = |point: &crate::evaluate::pairs::Point| {
        let decided = point.right + point.wrong;
        (permille(decided, pairs), permille(point.right, decided))
    };
    let Some(last) = points.last() else { return String::new() };
    let mut path = String::new();
    for (x, y) in points.iter().map(place) {
        match path.is_empty() {
            true => _ = write!(path, "M0 {}H{x}", 1000 - y),
            false => _ = write!(path, "L{x} {}", 1000 - y),
        }
    }
    let (x, y) = place(last);
    path.push_str(&format!("H{x}"));
    Chart {
        id: "decided",
        title: "Decided and right",
        across: "decided (share of pairs)",
        up: "right (share of decided)",
        guess: (500, 500),
        path,
        end: x,
        here: Some((x, y)),
    }
    .draw()
}

/// Rounded half up, in thousandths; 0 of nothing.
pub(super) fn permille(part: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { (2000 * part + whole) / (2 * whole) }
}

/// Across: false alarms; up: found.
pub(super) fn roc_point(counts: &Counts) -> (u64, u64) {
    (
        permille(counts.false_positives, counts.negatives()),
        permille(counts.true_positives, counts.positives()),
    )
}

/// Across: recall; up: precision.
pub(super) fn pr_point(counts: &Counts) -> Option<(u64, u64)> {
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

impl Chart<'_> {
    fn draw(&self) -> String {
        let Self { id, title, across, up, guess, path, end, here } = self;
        let mut grid = String::new();
        for line in [250, 500, 750] {
            let _ = write!(grid, "M{line} 0V1000M0 {line}H1000");
        }
        let mut ticks = String::new();
        for (at, tick) in [(0, "0"), (250, ".25"), (500, ".5"), (750, ".75"), (1000, "1")] {
            let _ = write!(
                ticks,
                "<text x=\"{at}\" y=\"1052\" text-anchor=\"middle\">{tick}</text>\
                 <text x=\"-18\" y=\"{}\" text-anchor=\"end\">{tick}</text>",
                1000 - at + 12
            );
        }
        // What is filled goes down where the curve ends.
        let down = if *end == 1000 { "V1000H0Z".to_owned() } else { format!("L{end} 1000H0Z") };
        let (x, y) = here.unwrap_or_default();
        let hidden = if here.is_some() { "" } else { " visibility=\"hidden\"" };
        format!(
            "<figure><figcaption>{title}</figcaption>\
             <svg viewBox=\"-130 -30 1170 1170\" role=\"img\" aria-label=\"{title}: {up} by {across}\">\
             <path class=\"grid\" d=\"{grid}\"/><path class=\"frame\" d=\"M0 0V1000H1000\"/>\
             <path class=\"guess\" d=\"M0 {}L1000 {}\"/><path class=\"area\" d=\"{path}{down}\"/>\
             <path class=\"curve\" d=\"{path}\"/>{ticks}\
             <text class=\"axis\" x=\"500\" y=\"1115\" text-anchor=\"middle\">{across}</text>\
             <text class=\"axis\" x=\"-500\" y=\"-95\" text-anchor=\"middle\" transform=\"rotate(-90)\">{up}</text>\
             <circle id=\"{id}\" cx=\"{x}\" cy=\"{}\" r=\"17\"{hidden}/></svg></figure>",
            1000 - guess.0,
            1000 - guess.1,
            1000 - y
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Unit;

    #[test]
    fn curves_go_through_the_thresholds() {
        let counts = |true_positives, false_positives| Counts {
            true_positives,
            false_positives,
            false_negatives: 4 - true_positives,
            true_negatives: 4 - false_positives,
        };
        let points = [(900_000, counts(2, 0)), (500_000, counts(3, 3)), (0, counts(4, 4))]
            .map(|(value, counts)| Point { value: Unit(value), counts });
        assert_eq!(roc_path(&points), "M0 1000L0 500L750 250L1000 0");
        assert_eq!(pr_path(&points), "M0 0H500V500H750V500H1000");
        assert_eq!(permille(1, 3), 333);
        assert_eq!(permille(2, 3), 667);
        assert_eq!(charts(&points, &Counts::default()), "");
        let drawn = charts(&points, &counts(3, 3));
        assert!(drawn.contains(r#"<circle id="roc" cx="750" cy="250""#), "{drawn}");
    }
}
