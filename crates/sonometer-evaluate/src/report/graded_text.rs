//! An evaluation against grades on the terminal.

use super::bar::bar;
use super::evidence::{lack, lines};
use super::paint::{Paint, Tone, columns, fit, one_line};
use super::text::{VALUE, coverage, places, row, title};
use crate::evaluate::graded::{Bin, GradedEvaluation, Part, Wrong};
use crate::evaluate::measure::Estimate;
use crate::words::counted;
use sonometer::Unit;

/// How the intervals were worked out.
pub(super) fn method(independent: bool) -> &'static str {
    match independent {
        true => "95 % intervals: Fisher's z with the variance of Bonett and Wright (2000)",
        false => "95 % intervals: bootstrap (1,999 draws of whole groups)",
    }
}

/// The whole evaluation.
pub(super) fn render(paint: &Paint, evaluation: &GradedEvaluation) -> String {
    let mut text = title(paint, &evaluation.subject, &evaluation.data);
    text.push_str(&row("ranked by", &evaluation.gauge.name()));
    let left_out = match evaluation.data.left_out {
        0 => String::new(),
        n => format!("; {n} not labelled, left out"),
    };
    text.push_str(&row("items", &format!("{}{left_out}", evaluation.items)));
    let insufficient = evaluation.items - evaluation.covered_items;
    text.push_str(&coverage(evaluation.coverage(), insufficient as u64, "rank last"));
    text.push('\n');
    let line = |name: &str, own: Option<Estimate>| {
        let name = paint.toned(Tone::Strong, &format!("{name:<20}"));
        format!("  {name} {}\n", estimate(paint, own))
    };
    text.push_str(&line("Spearman's rho", evaluation.correlation));
    if insufficient > 0 {
        text.push_str(&line("  of what is covered", evaluation.covered));
    }
    text.push_str(&format!("  {}\n", paint.dim(method(evaluation.independent))));
    text.push_str(&bins(paint, &evaluation.bins));
    text.push_str(&markers(paint, evaluation));
    if let Some((label, parts)) = &evaluation.by {
        text.push_str(&breakdown(paint, label, parts));
    }
    let [high, low] = &evaluation.errors;
    text.push_str(&errors(paint, "ranked far above the grade", high, evaluation.explain));
    text.push_str(&errors(paint, "ranked far below the grade", low, evaluation.explain));
    for note in &evaluation.notes {
        text.push_str(&format!("\n  {} {}\n", paint.toned(Tone::Warn, "note:"), one_line(note)));
    }
    text
}

/// Three places with a sign.
pub(super) fn signed(value: Unit) -> String {
    let size = places(Unit(value.0.abs()));
    match value.0 {
        _ if size == "0.000" => size,
        0.. => format!("+{size}"),
        _ => format!("-{size}"),
    }
}

/// `+0.123`, or `n/a`.
pub(super) fn coefficient(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(|| "n/a".into(), |estimate| signed(estimate.value))
}

/// `+0.065, +0.181`
pub(super) fn span(estimate: Option<Estimate>) -> Option<String> {
    let interval = estimate?.interval?;
    Some(format!("{}, {}", signed(interval.low), signed(interval.high)))
}

fn estimate(paint: &Paint, estimate: Option<Estimate>) -> String {
    let span = span(estimate).map_or_else(String::new, |span| paint.dim(&format!(" [{span}]")));
    format!("{}{span}", coefficient(estimate))
}

/// The grades of a bin.
pub(super) fn grades(bin: &Bin) -> String {
    let (from, to) = bin.grades;
    // Three places are enough to know which are meant.
    let short = |grade: f64| Unit::parse(&grade.to_string()).map_or_else(|| grade.to_string(), short);
    if from == to { short(from) } else { format!("{} to {}", short(from), short(to)) }
}

fn short(grade: Unit) -> String {
    match grade.0 % 1_000_000 {
        0 => grade.to_string(),
        _ if grade.0 < 0 => format!("-{}", places(Unit(grade.0.abs()))),
        _ => places(grade),
    }
}

fn bins(paint: &Paint, bins: &[Bin]) -> String {
    let wide = bins.iter().map(|bin| grades(bin).len()).max().unwrap_or(0).max(5);
    let head = format!("{:<wide$}  {:>6}  {:<20} {:>6} {:>6}", "grade", "items", "", "mean", "median");
    let mut text = format!("\n  {}\n", paint.dim(&head));
    for bin in bins {
        let mean = bin.mean();
        text.push_str(&format!(
            "  {:<wide$}  {:>6}  {} {:>6} {:>6}\n",
            grades(bin),
            bin.values.len(),
            bar(paint, mean, Tone::Plain),
            places(mean),
            places(bin.quartiles()[1])
        ));
    }
    text
}

fn markers(paint: &Paint, evaluation: &GradedEvaluation) -> String {
    let width = evaluation.markers.iter().map(|marker| marker.label.len()).max().unwrap_or(0).max(6);
    let head = format!("{:<width$}  {:>9}  {}", "marker", "triggered", "rho of its resonance");
    let mut text = format!("\n  {}\n", paint.dim(&head));
    let mut silent = Vec::new();
    for marker in &evaluation.markers {
        if marker.correlation.is_none() {
            silent.push(marker.label.as_str());
            continue;
        }
        text.push_str(&format!(
            "  {:<width$}  {:>9}  {}\n",
            marker.label,
            marker.triggered,
            estimate(paint, marker.correlation)
        ));
    }
    if !silent.is_empty() {
        text.push_str(&format!("  {}\n", paint.dim(&format!("never differs: {}", silent.join(", ")))));
    }
    text
}

fn breakdown(paint: &Paint, label: &str, parts: &[Part]) -> String {
    let width = |text: &str| text.chars().map(columns).sum::<usize>();
    let names = parts.iter().map(|(value, ..)| width(value)).chain([width(label)]);
    let wide = names.max().unwrap_or(0).min(VALUE);
    let mut text = format!("\n  {}\n", paint.dim(&format!("{}  {:>6}  rho", fit(label, wide), "items")));
    for (value, items, own) in parts {
        text.push_str(&format!("  {}  {items:>6}  {}\n", fit(value, wide), estimate(paint, *own)));
    }
    text
}

fn errors(paint: &Paint, title: &str, worst: &[Wrong], explained: bool) -> String {
    if worst.is_empty() {
        return String::new();
    }
    let about = format!("({}, the furthest first)", counted(worst.len(), "item"));
    let mut text = format!("\n  {} {}\n", paint.bold(title), paint.dim(&about));
    for wrong in worst {
        text.push_str(&format!(
            "    {}  {}{}\n",
            paint.toned(Tone::Strong, &one_line(&wrong.item.id)),
            paint.dim(&place(wrong)),
            lack(paint, &wrong.sensed)
        ));
        text.push_str(&lines(paint, &wrong.sensed, 6, explained));
    }
    text
}

/// Where an item stands.
pub(super) fn place(wrong: &Wrong) -> String {
    format!(
        "line {}, grade {} (above {} of all), value {} (above {})",
        wrong.item.line,
        wrong.case.grade,
        places(wrong.graded_above),
        wrong.case.value,
        places(wrong.ranked_above)
    )
}
