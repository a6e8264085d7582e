//! The report of an evaluation of places.

use super::classes::method;
use super::common::{alarms, at_line, cells, coverage, figures, id, left_out, share, sheet as common};
use crate::evaluate::spans::{SpanEvaluation, Tally, WrongSpan};
use sonometer_report::{
    Case, Cases, Line, Mark, Part, Row, Sheet, Table, Talk, Tone, columns, counted, shown_of,
};

/// The names of the figures of a tally.
const NAMES: [&str; 6] = ["precision", "recall", "F1", "exact precision", "exact recall", "exact F1"];

/// The whole evaluation.
pub(super) fn sheet(evaluation: &SpanEvaluation) -> Sheet<'_> {
    let (tally, estimates) = &evaluation.all;
    let mut sheet = common(evaluation.sensor.protocol().into(), &evaluation.data, &evaluation.notes);
    let lacking = evaluation.items - evaluation.covered_items;
    let count = |count: u64, noun: &str| counted(usize::try_from(count).unwrap_or(usize::MAX), noun);
    sheet.facts.extend([
        ("rule", "a label is found if evidence of a marker that may find it overlaps it".to_owned()),
        (
            "places",
            format!(
                "{}, {} of evidence in {}{}",
                count(tally.labels, "label"),
                count(tally.evidence, "piece"),
                count(evaluation.items, "item"),
                left_out(&evaluation.data, "not labelled")
            ),
        ),
        coverage(evaluation.coverage(), lacking, ["holds no evidence", "hold no evidence"]),
    ]);
    sheet.facts.extend(alarms(evaluation.alarms.as_ref()));
    let covered = (lacking > 0).then_some(&evaluation.covered.1[..]);
    sheet.parts = vec![
        figures(&NAMES, estimates, covered, &[2, 5], method(false)),
        Part::Table(types(evaluation)),
        Part::Table(markers(evaluation)),
        wrong("Evidence without a label", "the highest scores first", &evaluation.wrong),
        wrong("Labels without evidence", "in the order of the data", &evaluation.missed),
    ];
    sheet
}

/// `labels, found, exact, precision, recall, F1, exact F1` of a tally.
fn row(name: &str, counts: [u64; 3], tally: &Tally) -> Row {
    let [precision, recall, f1, .., exact_f1] = tally.figures();
    let mut all = cells([name.to_owned()]);
    all.extend(cells(counts.map(|count| count.to_string())));
    all.extend(cells([precision, recall, f1, exact_f1].map(share)));
    Row::of(all)
}

fn types(evaluation: &SpanEvaluation) -> Table {
    let rows = evaluation.types.iter().map(|(kind, markers, tally)| {
        let mut row = row(kind, [tally.labels, tally.labels_found, tally.labels_exact], tally);
        row.cells.push(Line::of(Tone::Dim, markers.join(", ")).into());
        row
    });
    Table {
        title: "Types".into(),
        columns: columns(&[
            "<type",
            "labels",
            "found",
            "exact",
            "precision",
            "recall",
            "F1",
            "exact F1",
            "<markers",
        ]),
        rows: rows.collect(),
        ..Table::default()
    }
}

fn markers(evaluation: &SpanEvaluation) -> Table {
    let rows = evaluation.markers.iter().map(|(label, tally)| {
        row(label, [tally.evidence, tally.evidence_right, tally.evidence_exact], tally)
    });
    Table {
        title: "Markers".into(),
        columns: columns(&[
            "<marker",
            "evidence",
            "right",
            "exact",
            "precision",
            "*recall",
            "*F1",
            "*exact F1",
        ]),
        rows: rows.collect(),
        ..Table::default()
    }
}

fn wrong<'r>(title: &str, order: &str, (count, worst): &'r (u64, Vec<WrongSpan>)) -> Part<'r> {
    let about = shown_of(worst.len(), *count, order);
    Part::Cases(Cases { title: title.into(), about, cases: worst.iter().map(case).collect() })
}

fn case(wrong: &WrongSpan) -> Case<'_> {
    let WrongSpan { item, reading, turn, range, kind, score } = wrong;
    let mark = Mark {
        turn: *turn,
        range: range.clone(),
        tone: if score.is_some() { Tone::Warn } else { Tone::Plain },
        label: kind,
        score: *score,
        goes_on: false,
    };
    Case {
        name: id(item, &[reading]),
        about: at_line(item, ""),
        texts: vec![Talk::with(reading, vec![mark]).into()],
        ..Case::default()
    }
}
