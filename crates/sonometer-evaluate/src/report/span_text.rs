//! An evaluation of places on the terminal.

use super::paint::{Paint, Tone, one_line};
use super::text::{coverage, intervals, one_place, row, share, table, title};
use crate::evaluate::excerpt::excerpt;
use crate::evaluate::spans::{SpanEvaluation, WrongSpan};

/// The names of the figures of a tally.
pub(crate) const NAMES: [&str; 6] =
    ["precision", "recall", "F1", "exact precision", "exact recall", "exact F1"];

/// The whole evaluation.
pub(super) fn render(paint: &Paint, evaluation: &SpanEvaluation) -> String {
    let mut text = title(paint, &evaluation.sensor.protocol().into(), &evaluation.data);
    let (tally, estimates) = &evaluation.all;
    let left_out = match evaluation.data.left_out {
        0 => String::new(),
        n => format!("; {n} not labelled, left out"),
    };
    text.push_str(&row(
        "places",
        &format!(
            "{} labels, {} pieces of evidence in {} items{left_out}",
            tally.labels, tally.evidence, evaluation.items
        ),
    ));
    let insufficient = evaluation.items - evaluation.covered_items;
    text.push_str(&coverage(evaluation.coverage(), insufficient, "hold no evidence"));
    let covered = (insufficient > 0).then_some(&evaluation.covered.1[..]);
    text.push_str(&table(paint, &NAMES, estimates, covered, &[2, 5]));
    text.push_str(&intervals(paint, false));
    text.push_str(&types(paint, evaluation));
    text.push_str(&markers(paint, evaluation));
    text.push_str(&errors(paint, "evidence without a label", "the highest scores first", &evaluation.wrong));
    text.push_str(&errors(paint, "labels without evidence", "in the order of the data", &evaluation.missed));
    for note in &evaluation.notes {
        text.push_str(&format!("\n  {} {}\n", paint.toned(Tone::Warn, "note:"), one_line(note)));
    }
    text
}

fn types(paint: &Paint, evaluation: &SpanEvaluation) -> String {
    let width = evaluation.types.iter().map(|(kind, ..)| kind.chars().count()).max().unwrap_or(0).max(4);
    let mut text = format!(
        "\n  {}\n",
        paint.dim(&format!(
            "{:<width$}  {:>6} {:>6} {:>6}  {:>9} {:>7} {:>6} {:>8}  markers",
            "type", "labels", "found", "exact", "precision", "recall", "F1", "exact F1"
        ))
    );
    for (kind, markers, tally) in &evaluation.types {
        let [precision, recall, f1, .., exact_f1] = tally.figures();
        text.push_str(&format!(
            "  {:<width$}  {:>6} {:>6} {:>6}  {:>9} {:>7} {:>6} {:>8}  {}\n",
            one_line(kind),
            tally.labels,
            tally.labels_found,
            tally.labels_exact,
            share(precision),
            share(recall),
            share(f1),
            share(exact_f1),
            paint.dim(&markers.join(", "))
        ));
    }
    text
}

fn markers(paint: &Paint, evaluation: &SpanEvaluation) -> String {
    let width = evaluation.markers.iter().map(|(label, _)| label.len()).max().unwrap_or(0).max(6);
    let head = format!(
        "{:<width$}  {:>8} {:>6} {:>6} {:>6}  {:>9}",
        "marker", "evidence", "right", "exact", "wrong", "precision"
    );
    let mut text = format!("\n  {}\n", paint.dim(&head));
    for (label, tally) in &evaluation.markers {
        text.push_str(&format!(
            "  {label:<width$}  {:>8} {:>6} {:>6} {:>6}  {:>9}\n",
            tally.evidence,
            tally.evidence_right,
            tally.evidence_exact,
            tally.evidence - tally.evidence_right,
            share(tally.figures()[0]),
        ));
    }
    text
}

fn errors(paint: &Paint, title: &str, order: &str, (count, worst): &(u64, Vec<WrongSpan>)) -> String {
    if worst.is_empty() {
        return if *count == 0 { format!("\n  {}: none\n", paint.bold(title)) } else { String::new() };
    }
    let about = format!("({} of {count}, {order})", worst.len());
    let mut text = format!("\n  {} {}\n", paint.bold(title), paint.dim(&about));
    for wrong in worst {
        let tag = match wrong.score {
            Some(score) => format!("{{{} {score}}}", wrong.kind),
            None => format!("{{{}}}", one_line(&wrong.kind)),
        };
        let tone = if wrong.score.is_some() { Tone::Warn } else { Tone::Plain };
        let excerpt = excerpt(&wrong.reading, wrong.turn, &wrong.range);
        text.push_str(&format!("    {}\n", paint.toned(Tone::Strong, &one_line(&wrong.item.id))));
        text.push_str(&format!("      {}\n", one_place(paint, &excerpt, &tag, tone)));
    }
    text
}
