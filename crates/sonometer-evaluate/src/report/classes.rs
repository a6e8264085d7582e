//! The report of an evaluation by classes.

use super::chart;
use super::common::{
    alarms, at_line, cells, coverage, evenly, figures, id, insufficient, left_out, share, share_bar,
    sheet as common, thresholds as thresholds_proposed,
};
use crate::evaluate::breakdown::Part as Breakdown;
use crate::evaluate::errors::{Errors, Wrong};
use crate::evaluate::measure::{self, Point};
use crate::evaluate::question::Decision;
use crate::evaluate::result::Evaluation;
use sonometer::protocol::Pole;
use sonometer_report::{
    Case, Cases, Cell, Confusion, Line, Mark, Part, Plots, Row, Sheet, Table, Talk, Text, Tone, columns,
    counted, shown_of,
};

/// The names of the figures, by `FIGURES`.
const NAMES: [&str; 6] = ["precision", "recall", "F1", "macro-F1", "AUC", "avg. precision"];

/// The whole evaluation.
pub(super) fn sheet(evaluation: &Evaluation) -> Sheet<'_> {
    let Evaluation { data, question, notes, errors, .. } = evaluation;
    let mut sheet = common(evaluation.protocol().into(), data, notes);
    let counts = &evaluation.figures.counts;
    let count = |count: u64, noun: &str| counted(usize::try_from(count).unwrap_or(usize::MAX), noun);
    let (positives, negatives) = (counts.positives(), counts.negatives());
    let lost = left_out(data, "not labelled, or in neither class");
    let lacking = counts.cases() - evaluation.covered.counts.cases();
    sheet.facts.extend([
        ("rule", format!("positive if {}", question.rule(evaluation.protocol()))),
        (
            "cases",
            format!(
                "{}, {positives} positive, {negatives} negative{lost}",
                count(counts.cases(), question.noun())
            ),
        ),
        (
            "outcome",
            format!(
                "{} found, {} missed, {}, {} rightly silent",
                counts.true_positives,
                counts.false_negatives,
                count(counts.false_positives, "false alarm"),
                counts.true_negatives
            ),
        ),
        coverage(evaluation.coverage(), lacking, ["counts as negative", "count as negative"]),
    ]);
    sheet.facts.extend(alarms(evaluation.alarms.as_ref()));
    let covered = (lacking > 0).then_some(&evaluation.covered.estimates[..]);
    sheet.parts = vec![
        figures(
            &NAMES,
            &evaluation.figures.estimates,
            covered,
            &[3, 4],
            method(evaluation.figures.independent),
        ),
        Part::Confusion(Confusion {
            true_positives: counts.true_positives,
            false_positives: counts.false_positives,
            false_negatives: counts.false_negatives,
            true_negatives: counts.true_negatives,
        }),
    ];
    let used = (evaluation.used_from(), *counts, evaluation.alarms.as_ref().map(|alarms| alarms.pieces));
    sheet.parts.push(thresholds_proposed(Some(used), &evaluation.proposals));
    sheet.parts.extend(curves(evaluation));
    sheet.parts.push(Part::Table(markers(evaluation)));
    if let Some((label, parts)) = &evaluation.by {
        sheet.parts.push(Part::Table(breakdown(label, parts)));
    }
    let [too_many, misses] = errors;
    sheet.parts.push(wrong("Predicted positive, labelled negative", "the highest values first", too_many));
    sheet.parts.push(wrong("Predicted negative, labelled positive", "the lowest values first", misses));
    sheet
}

/// How the intervals were worked out.
pub(super) fn method(independent: bool) -> &'static str {
    match independent {
        true => "95 % intervals: Wilson's for precision and recall, else bootstrap (1,999 draws of items)",
        false => "95 % intervals: bootstrap (1,999 draws of whole items or groups)",
    }
}

fn curves(evaluation: &Evaluation) -> Option<Part<'_>> {
    let counts = &evaluation.figures.counts;
    if counts.positives() == 0 || counts.negatives() == 0 {
        return None;
    }
    let curve = evaluation.curve();
    Some(Part::Plots(Plots {
        title: "Curves".into(),
        about: format!(
            "Ranked by {}; the dot is where the rule stands, dashed is guessing.",
            evaluation.question.ranked_by()
        ),
        plots: chart::curves(&curve, counts),
        slider: curve.iter().map(chart::slider_point).collect(),
        spark: Some(("ROC", chart::spark(&evaluation.points), "found, by false alarms from none to all")),
        table: Some(thresholds(evaluation, &curve)),
    }))
}

fn thresholds(evaluation: &Evaluation, curve: &[Point]) -> Table {
    let best = measure::best(&evaluation.points);
    let mut points: Vec<Point> = evenly(curve.len()).map(|at| curve[at]).collect();
    // The best one and the one that the rule uses are always there.
    let rule = match evaluation.question.decision {
        Decision::From(from) => evaluation.points.iter().rfind(|point| point.value >= from).map(|p| p.value),
        Decision::Triggered => None,
    };
    points.extend(evaluation.points.iter().filter(|p| Some(p.value) == best || Some(p.value) == rule));
    points.sort_by_key(|point| std::cmp::Reverse(point.value));
    points.dedup();
    let rows = points.iter().map(|Point { value, counts }| Row {
        tone: if Some(*value) == best { Tone::Strong } else { Tone::Plain },
        ..Row::of(cells([
            value.to_string(),
            counts.true_positives.to_string(),
            counts.false_positives.to_string(),
            share(counts.precision()),
            share(counts.recall()),
            share(counts.f1()),
            share(counts.macro_f1()),
        ]))
    });
    Table {
        title: "Thresholds".into(),
        columns: columns(&["from", "found", "false alarms", "precision", "recall", "F1", "macro-F1"]),
        rows: rows.collect(),
        below: "Marked: the best macro-F1 on this data. Here what is insufficient ranks with the value 0."
            .into(),
        folded: true,
        ..Table::default()
    }
}

fn markers(evaluation: &Evaluation) -> Table {
    let mut silent = Vec::new();
    let mut rows = Vec::new();
    for (at, marker) in evaluation.markers.iter().enumerate() {
        let counts = &marker.counts;
        let is_silent = counts.predicted() == 0;
        if is_silent {
            silent.push(marker.label.clone());
        }
        let tone = if marker.asked { Tone::Marker(marker.effect, at) } else { Tone::Dim };
        let lift = Line::of(if marker.hurts() { Tone::Warn } else { Tone::Plain }, share(counts.lift()));
        let remarks = [(marker.pole == Pole::Against, "against"), (marker.hurts(), "hurts")];
        let remarks: Vec<&str> =
            remarks.into_iter().filter(|(is, _)| *is).map(|(_, remark)| remark).collect();
        let cells: Vec<Cell> = vec![
            Line::of(tone, &marker.label).into(),
            counts.predicted().to_string().into(),
            counts.true_positives.to_string().into(),
            share(counts.precision()).into(),
            share_bar(counts.precision()),
            share(counts.recall()).into(),
            share(counts.f1()).into(),
            lift.into(),
            format!("{}/{}", marker.alone_right, marker.alone_wrong).into(),
            Line::of(Tone::Dim, remarks.join(", ")).into(),
        ];
        let tone = if marker.asked { Tone::Plain } else { Tone::Dim };
        rows.push(Row { cells, tone, page_only: is_silent });
    }
    Table {
        title: "Markers".into(),
        about: "Each marker as a classifier of its own. Lift: how much likelier a case is positive where it is triggered; \
                `hurts` where that is the wrong way. Alone: cases that no other marker of the rule triggers on, right and wrong."
            .into(),
        columns: columns(&[
            "<marker", "triggered", "right", "precision", "*=", "recall", "F1", "lift", "alone right/wrong", "<",
        ]),
        rows,
        silent: Some(("never triggered", silent)),
        ..Table::default()
    }
}

fn breakdown(label: &str, parts: &[Breakdown]) -> Table {
    let row = |part: &Breakdown| {
        let counts = &part.counts;
        let mut cells = cells([
            part.value.clone(),
            counts.cases().to_string(),
            counts.positives().to_string(),
            counts.predicted().to_string(),
            share(part.accuracy()),
            share(counts.precision()),
            share(counts.recall()),
            share(counts.f1()),
        ]);
        cells.insert(5, share_bar(part.accuracy()));
        Row::of(cells)
    };
    let label_head = format!("<{label}");
    Table {
        title: format!("By {label}"),
        columns: columns(&[
            &label_head,
            "cases",
            "positive",
            "predicted",
            "right",
            "*=",
            "precision",
            "recall",
            "F1",
        ]),
        rows: parts.iter().map(row).collect(),
        ..Table::default()
    }
}

fn wrong<'r>(title: &str, order: &str, errors: &'r Errors) -> Part<'r> {
    let about = shown_of(errors.worst.len(), errors.count as u64, order);
    Part::Cases(Cases { title: title.into(), about, cases: errors.worst.iter().map(case).collect() })
}

fn case(wrong: &Wrong) -> Case<'_> {
    let segment = wrong.case.segment.map_or_else(String::new, |segment| format!("segment {segment}, "));
    let protocol = wrong.reading.protocol();
    let marks = wrong.evidence().into_iter().map(|found| Mark {
        turn: found.turn,
        tone: Tone::Marker(protocol.effect_of(&protocol.markers[found.marker]), found.marker),
        label: found.metamarker,
        score: Some(found.score),
        range: found.range,
        goes_on: false,
    });
    let near = wrong.nearest().into_iter().filter(|_| !wrong.case.predicted);
    let near = near.map(|weak| format!("{} {}, {}", weak.metamarker, weak.proximity, weak.hint));
    let talk = Talk {
        judged: wrong.case.segment,
        near: near.collect(),
        ..Talk::with(&wrong.reading, marks.collect())
    };
    Case {
        name: id(&wrong.item, &[&wrong.reading]),
        about: at_line(&wrong.item, &format!("{segment}value {}", wrong.case.value)),
        warning: insufficient(&wrong.reading),
        lines: Vec::new(),
        texts: vec![Text { explained: wrong.explained, ..talk.into() }],
    }
}
