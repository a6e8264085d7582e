//! The report of an evaluation of pairs.

use super::chart;
use super::common::{
    at_line, cells, coverage, evenly, figures, id, insufficient, left_out, share, share_bar, sheet as common,
};
use crate::evaluate::pairs::{PairEvaluation, Tally, Wrong};
use sonometer_report::{Case, Cases, Part, Plots, Row, Sheet, Table, Talk, Text, columns, counted, shown_of};

/// The names of the figures.
const NAMES: [&str; 3] = ["accuracy", "decided", "decided right"];

/// The whole evaluation.
pub(super) fn sheet(evaluation: &PairEvaluation) -> Sheet<'_> {
    let mut sheet = common(evaluation.subject.clone(), &evaluation.data, &evaluation.notes);
    let tally = &evaluation.figures.tally;
    let pairs = counted(usize::try_from(tally.pairs()).unwrap_or(usize::MAX), "pair");
    let lost = left_out(&evaluation.data, "not labelled, or with another value");
    sheet.facts.extend([
        ("rule", format!("right if {}", evaluation.rule())),
        ("pairs", format!("{pairs}{lost}")),
        ("outcome", outcome(tally)),
        coverage(evaluation.coverage(), tally.unmeasured, ["is worth half a hit", "are worth half a hit"]),
    ]);
    let covered = (tally.unmeasured > 0).then_some(&evaluation.covered.estimates[..]);
    let method = format!(
        "{}; ties are worth half a hit; choosing the longer text would have an accuracy of {}",
        method(evaluation.independent),
        share(evaluation.longer)
    );
    sheet.parts.push(figures(&NAMES, &evaluation.figures.estimates, covered, &[0], &method));
    sheet.parts.extend(curve(evaluation));
    sheet.parts.push(Part::Table(markers(evaluation)));
    if let Some((label, parts)) = &evaluation.by {
        sheet.parts.push(Part::Table(breakdown(label, parts)));
    }
    let (count, worst) = &evaluation.errors;
    sheet.parts.push(Part::Cases(Cases {
        title: "Judged the wrong way round".into(),
        about: shown_of(worst.len(), *count as u64, "the largest differences first"),
        cases: worst.iter().map(|wrong| case(wrong, evaluation.explain)).collect(),
    }));
    sheet
}

/// How the intervals were worked out.
fn method(independent: bool) -> &'static str {
    match independent {
        true => "95 % intervals: bootstrap (1,999 draws of pairs) for accuracy, Wilson's for the others",
        false => "95 % intervals: bootstrap (1,999 draws of whole groups)",
    }
}

/// `3 right, 1 wrong, 1 tied, 1 with a text that holds too little`
fn outcome(tally: &Tally) -> String {
    let Tally { right, wrong, tied, unmeasured } = tally;
    let lacking = match unmeasured {
        0 => String::new(),
        n => format!(", {n} with a text that holds too little"),
    };
    format!("{right} right, {wrong} wrong, {tied} tied{lacking}")
}

fn curve(evaluation: &PairEvaluation) -> Option<Part<'_>> {
    let curve = evaluation.curve();
    let drawing = chart::decided(&curve, evaluation.figures.tally.pairs())?;
    let rows = evenly(curve.len()).map(|at| {
        let point = curve[at];
        let texts = [point.least.to_string(), point.right.to_string(), point.wrong.to_string()];
        let mut cells = cells(texts);
        cells.push(share(point.accuracy()).into());
        Row::of(cells)
    });
    let table = Table {
        columns: columns(&["difference from", "right", "wrong", "decided right"]),
        rows: rows.collect(),
        ..Table::default()
    };
    Some(Part::Plots(Plots {
        title: "Clear differences first".into(),
        about: format!(
            "Ranked by {}: how often the target is right where only pairs that differ at least so much are decided; dashed is \
             guessing.",
            evaluation.gauge.name()
        ),
        plots: vec![drawing],
        table: Some(table),
        ..Plots::default()
    }))
}

fn markers(evaluation: &PairEvaluation) -> Table {
    let rows = evaluation.markers.iter().map(|marker| {
        let differs = marker.right + marker.wrong;
        let mut cells = cells([
            marker.label.clone(),
            differs.to_string(),
            marker.right.to_string(),
            marker.wrong.to_string(),
            share(marker.accuracy()),
        ]);
        cells.push(share_bar(marker.accuracy()));
        Row { page_only: differs == 0, ..Row::of(cells) }
    });
    let silent = evaluation.markers.iter().filter(|marker| marker.right + marker.wrong == 0);
    Table {
        title: "Markers".into(),
        about: "Each marker as a judge of its own: in how many pairs it resonates more in one text than in the other, and how \
                often that is the text that the label names."
            .into(),
        columns: columns(&["<marker", "differs", "right", "wrong", "decided right", "*="]),
        rows: rows.collect(),
        silent: Some(("never differs", silent.map(|marker| marker.label.clone()).collect())),
        ..Table::default()
    }
}

fn breakdown(label: &str, parts: &[(String, Tally)]) -> Table {
    let rows = parts.iter().map(|(value, tally)| {
        let Tally { right, wrong, tied, unmeasured } = tally;
        let mut cells = cells([
            value.clone(),
            tally.pairs().to_string(),
            right.to_string(),
            wrong.to_string(),
            tied.to_string(),
            unmeasured.to_string(),
            share(tally.accuracy()),
            share(tally.decided_accuracy()),
        ]);
        cells.insert(7, share_bar(tally.accuracy()));
        Row::of(cells)
    });
    let label_head = format!("<{label}");
    Table {
        title: format!("By {label}"),
        columns: columns(&[
            &label_head,
            "pairs",
            "right",
            "wrong",
            "tied",
            "not measured",
            "accuracy",
            "*=",
            "decided right",
        ]),
        rows: rows.collect(),
        ..Table::default()
    }
}

fn case(wrong: &Wrong, explained: bool) -> Case<'_> {
    let text = |(at, name): (usize, &str)| {
        let label = if wrong.case.first == (at == 0) { ", by the label" } else { "" };
        let sensed = &wrong.sensed[at];
        Text {
            name: name.into(),
            about: format!("value {}{label}", wrong.values[at]),
            warning: insufficient(sensed),
            explained,
            ..Talk::of(sensed).into()
        }
    };
    Case {
        name: id(&wrong.item, &[&wrong.sensed[0], &wrong.sensed[1]]),
        about: at_line(&wrong.item, ""),
        texts: ["a", "b"].into_iter().enumerate().map(text).collect(),
        ..Case::default()
    }
}
