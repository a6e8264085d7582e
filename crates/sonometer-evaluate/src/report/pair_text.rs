//! An evaluation of pairs on the terminal.

use super::evidence::{lack, lines};
use super::paint::{Paint, Tone, columns, fit, one_line};
use super::text::{VALUE, coverage, row, share, table, title};
use crate::evaluate::pairs::{PairEvaluation, Tally, Wrong};
use crate::words::counted;

/// The names of the figures.
pub(crate) const NAMES: [&str; 3] = ["accuracy", "decided", "decided right"];

/// How the intervals were worked out.
pub(super) fn method(independent: bool) -> &'static str {
    match independent {
        true => "95 % intervals: bootstrap (1,999 draws of pairs) for accuracy, Wilson's for the others",
        false => "95 % intervals: bootstrap (1,999 draws of whole groups)",
    }
}

/// The whole evaluation.
pub(super) fn render(paint: &Paint, evaluation: &PairEvaluation) -> String {
    let mut text = title(paint, &evaluation.subject, &evaluation.data);
    let tally = &evaluation.figures.tally;
    text.push_str(&row("rule", &format!("right if {}", evaluation.rule())));
    let left_out = match evaluation.data.left_out {
        0 => String::new(),
        n => format!("; {n} not labelled, or with another value, left out"),
    };
    let pairs = counted(usize::try_from(tally.pairs()).unwrap_or(usize::MAX), "pair");
    text.push_str(&row("pairs", &format!("{pairs}{left_out}")));
    text.push_str(&row("outcome", &outcome(tally)));
    let worth = "are worth half a hit";
    text.push_str(&coverage(evaluation.coverage(), tally.unmeasured, worth));
    let covered = (tally.unmeasured > 0).then_some(&evaluation.covered.estimates[..]);
    text.push_str(&table(paint, &NAMES, &evaluation.figures.estimates, covered, &[0]));
    text.push_str(&format!("  {}\n", paint.dim(method(evaluation.independent))));
    let longer = format!("choosing the longer text would have an accuracy of {}", share(evaluation.longer));
    text.push_str(&format!("  {}\n", paint.dim(&longer)));
    text.push_str(&markers(paint, evaluation));
    if let Some((label, parts)) = &evaluation.by {
        text.push_str(&breakdown(paint, label, parts));
    }
    text.push_str(&errors(paint, evaluation));
    for note in &evaluation.notes {
        text.push_str(&format!("\n  {} {}\n", paint.toned(Tone::Warn, "note:"), one_line(note)));
    }
    text
}

/// `3 right, 1 wrong, 1 tied, 1 with a text that holds too little`
pub(super) fn outcome(tally: &Tally) -> String {
    let Tally { right, wrong, tied, unmeasured } = tally;
    let lacking = match unmeasured {
        0 => String::new(),
        n => format!(", {n} with a text that holds too little"),
    };
    format!("{right} right, {wrong} wrong, {tied} tied{lacking}")
}

fn markers(paint: &Paint, evaluation: &PairEvaluation) -> String {
    let width = evaluation.markers.iter().map(|marker| marker.label.len()).max().unwrap_or(0).max(6);
    let head = format!(
        "{:<width$}  {:>7} {:>6} {:>6} {:>13}",
        "marker", "differs", "right", "wrong", "decided right"
    );
    let mut text = format!("\n  {}\n", paint.dim(&head));
    let mut silent = Vec::new();
    for marker in &evaluation.markers {
        let differs = marker.right + marker.wrong;
        if differs == 0 {
            silent.push(marker.label.as_str());
            continue;
        }
        text.push_str(&format!(
            "  {:<width$}  {differs:>7} {:>6} {:>6} {:>13}\n",
            marker.label,
            marker.right,
            marker.wrong,
            share(marker.accuracy())
        ));
    }
    if !silent.is_empty() {
        text.push_str(&format!("  {}\n", paint.dim(&format!("never differs: {}", silent.join(", ")))));
    }
    text
}

fn breakdown(paint: &Paint, label: &str, parts: &[(String, Tally)]) -> String {
    let width = |text: &str| text.chars().map(columns).sum::<usize>();
    let names = parts.iter().map(|(value, _)| width(value)).chain([width(label)]);
    let wide = names.max().unwrap_or(0).min(VALUE);
    let head = format!(
        "{}  {:>6} {:>6} {:>6} {:>6} {:>10} {:>9} {:>13}",
        fit(label, wide),
        "pairs",
        "right",
        "wrong",
        "tied",
        "unmeasured",
        "accuracy",
        "decided right"
    );
    let mut text = format!("\n  {}\n", paint.dim(&head));
    for (value, tally) in parts {
        text.push_str(&format!(
            "  {}  {:>6} {:>6} {:>6} {:>6} {:>10} {:>9} {:>13}\n",
            fit(value, wide),
            tally.pairs(),
            tally.right,
            tally.wrong,
            tally.tied,
            tally.unmeasured,
            share(tally.accuracy()),
            share(tally.decided_accuracy())
        ));
    }
    text
}

fn errors(paint: &Paint, evaluation: &PairEvaluation) -> String {
    let title = paint.bold("judged the wrong way round");
    let (count, worst) = &evaluation.errors;
    if worst.is_empty() {
        return if *count == 0 { format!("\n  {title}: none\n") } else { String::new() };
    }
    let about = format!("({} of {count}, the largest differences first)", worst.len());
    let mut text = format!("\n  {title} {}\n", paint.dim(&about));
    for wrong in worst {
        text.push_str(&error(paint, wrong, evaluation.explain));
    }
    text
}

fn error(paint: &Paint, wrong: &Wrong, explained: bool) -> String {
    let mut text = format!(
        "    {}  {}\n",
        paint.toned(Tone::Strong, &one_line(&wrong.item.id)),
        paint.dim(&format!("line {}", wrong.item.line))
    );
    for (at, name) in ["a", "b"].into_iter().enumerate() {
        let sensed = &wrong.sensed[at];
        let label = if wrong.case.first == (at == 0) { ", by the label" } else { "" };
        let about = paint.dim(&format!("value {}{label}", wrong.values[at]));
        text.push_str(&format!("      {name}  {about}{}\n", lack(paint, sensed)));
        text.push_str(&lines(paint, sensed, 9, explained));
    }
    text
}
