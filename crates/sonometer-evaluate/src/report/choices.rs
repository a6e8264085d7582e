//! The report of an evaluation of choices.

use super::common::{
    at_line, cells, coverage, figures, id, insufficient, left_out, share, share_bar, sheet as common,
};
use crate::evaluate::choices::{ChoiceEvaluation, Part as Breakdown, Wrong};
use crate::evaluate::measure;
use sonometer_report::{
    Case, Cases, Cell, Line, Part, Row, Sheet, Table, Talk, Text, Tone, columns, counted, shown_of,
};

/// The names of the figures.
const NAMES: [&str; 2] = ["accuracy", "macro-F1"];

/// The whole evaluation.
pub(super) fn sheet(evaluation: &ChoiceEvaluation) -> Sheet<'_> {
    let ChoiceEvaluation { data, values, notes, .. } = evaluation;
    let mut sheet = common(evaluation.sensor.protocol().into(), data, notes);
    let (items, (wrong, worst)) = (evaluation.figures.items, &evaluation.errors);
    let lacking = (items - evaluation.covered.items) as u64;
    sheet.facts.extend([
        ("chosen", values.rule()),
        ("items", format!("{}{}", counted(items, "item"), left_out(data, "not labelled"))),
        ("outcome", format!("{} right, {wrong} wrong", items - wrong)),
        coverage(evaluation.coverage(), lacking, ["counts as wrong", "count as wrong"]),
    ]);
    let covered = (lacking > 0).then_some(&evaluation.covered.estimates[..]);
    let method = match evaluation.independent {
        true => "95 % intervals: Wilson's for accuracy, bootstrap (1,999 draws of items) for macro-F1",
        false => "95 % intervals: bootstrap (1,999 draws of whole groups)",
    };
    sheet.parts = vec![
        figures(&NAMES, &evaluation.figures.estimates, covered, &[1], method),
        Part::Table(each(evaluation)),
        Part::Table(confusion(evaluation)),
    ];
    if let Some((label, parts)) = &evaluation.by {
        sheet.parts.push(Part::Table(breakdown(label, parts)));
    }
    sheet.parts.push(Part::Cases(Cases {
        title: "Chosen wrongly".into(),
        about: shown_of(worst.len(), *wrong as u64, "the highest activations first"),
        cases: worst.iter().map(|wrong| case(wrong, evaluation.explain)).collect(),
    }));
    sheet
}

fn each(evaluation: &ChoiceEvaluation) -> Table {
    let rows = evaluation.values.names.iter().zip(&evaluation.counts).map(|(value, counts)| {
        let mut cells = cells([
            value.clone(),
            counts.positives().to_string(),
            counts.predicted().to_string(),
            counts.true_positives.to_string(),
            share(counts.precision()),
            share(counts.recall()),
            share(counts.f1()),
        ]);
        cells.push(share_bar(counts.f1()));
        Row::of(cells)
    });
    Table {
        title: "Values".into(),
        about: "Each value of the label against all others.".into(),
        columns: columns(&["<value", "items", "chosen", "right", "precision", "recall", "F1", "*="]),
        rows: rows.collect(),
        ..Table::default()
    }
}

fn confusion(evaluation: &ChoiceEvaluation) -> Table {
    let names = &evaluation.values.names;
    // The last column, for items of which nothing was chosen, only where there are some.
    let width = names.len() + usize::from(evaluation.confusion.iter().any(|row| row[names.len()] > 0));
    let heads: Vec<&str> =
        ["<labelled"].into_iter().chain(names.iter().map(String::as_str)).chain(["(none)"]).collect();
    let row = |(at, counts): (usize, &Vec<u64>)| {
        let count = |(chosen, count): (usize, &u64)| {
            let tone = if chosen == at { Tone::Strong } else { Tone::Plain };
            Cell::from(Line::of(tone, count.to_string()))
        };
        let counts = counts[..width].iter().enumerate().map(count);
        Row::of([Cell::from(names[at].clone())].into_iter().chain(counts).collect())
    };
    Table {
        title: "Labelled and chosen".into(),
        about: "A row for each value of the label: how often which value was chosen.".into(),
        columns: columns(&heads[..=width]),
        rows: evaluation.confusion.iter().enumerate().map(row).collect(),
        ..Table::default()
    }
}

fn breakdown(label: &str, parts: &[Breakdown]) -> Table {
    let rows = parts.iter().map(|(value, items, right)| {
        let accuracy = measure::share(*right, *items);
        let mut cells = cells([value.clone(), items.to_string(), right.to_string(), share(accuracy)]);
        cells.push(share_bar(accuracy));
        Row::of(cells)
    });
    let label_head = format!("<{label}");
    Table {
        title: format!("By {label}"),
        columns: columns(&[&label_head, "items", "right", "accuracy", "*="]),
        rows: rows.collect(),
        ..Table::default()
    }
}

fn case(wrong: &Wrong, explained: bool) -> Case<'_> {
    let chosen = wrong.chosen.as_deref().unwrap_or("nothing");
    Case {
        name: id(&wrong.item, &[&wrong.reading]),
        about: at_line(
            &wrong.item,
            &format!("labelled {}, chosen {chosen} with {}", wrong.right.join(" and "), wrong.value),
        ),
        warning: insufficient(&wrong.reading),
        lines: Vec::new(),
        texts: vec![Text { explained, ..Talk::of(&wrong.reading).into() }],
    }
}
