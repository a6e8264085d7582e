//! An evaluation against grades as one page.

use super::chart::permille;
use super::evidence;
use super::graded_text::{coefficient, grades, method, place, span};
use super::html::{document, escape, header, notes, share_bar};
use super::text::places;
use crate::evaluate::graded::{Bin, GradedEvaluation, Wrong};
use crate::evaluate::measure::Estimate;
use std::fmt::Write;

/// The page of grades.
pub(super) fn page(evaluation: &GradedEvaluation) -> String {
    let rule = format!("rank correlation of the label with the {}", evaluation.gauge.name());
    let mut body = header(&evaluation.subject, &evaluation.data, &rule);
    body.push_str(&notes(&evaluation.notes));
    let partly = evaluation.covered_items < evaluation.items;
    let mut rows = figure("Spearman's rho", evaluation.items, evaluation.correlation);
    if partly {
        rows.push_str(&figure("of what is covered", evaluation.covered_items, evaluation.covered));
    }
    let coverage = evaluation.coverage().map_or_else(String::new, places);
    let lack = if partly { "; what holds too little to be measured ranks last" } else { "" };
    let _ = write!(
        body,
        "<section><h2>Figures</h2><table class=\"figures\"><thead><tr><th></th><th class=\"n\">items</th><th class=\"n\">value</th>\
         <th class=\"n\">95 % interval</th></tr></thead><tbody>{rows}</tbody></table><p class=\"dim\">{}. Coverage {coverage}{lack}.</p>\
         </section>",
        method(evaluation.independent)
    );
    body.push_str(&scatter(evaluation));
    body.push_str(&markers(evaluation));
    if let Some((label, parts)) = &evaluation.by {
        let rows = parts.iter().map(|(value, items, own)| figure(value, *items, *own)).collect::<String>();
        let _ = write!(
            body,
            "<section><h2>By {}</h2><table><thead><tr><th></th><th class=\"n\">items</th><th class=\"n\">rho</th>\
             <th class=\"n\">95 % interval</th></tr></thead><tbody>{rows}</tbody></table></section>",
            escape(label)
        );
    }
    let [high, low] = &evaluation.errors;
    body.push_str(&errors("Ranked far above the grade", high));
    body.push_str(&errors("Ranked far below the grade", low));
    document(&evaluation.subject, &evaluation.data, &body)
}

fn figure(name: &str, items: usize, own: Option<Estimate>) -> String {
    format!(
        "<tr><th>{}</th><td class=\"n\">{items}</td><td class=\"n\">{}</td><td class=\"n dim\">{}</td></tr>",
        escape(name),
        coefficient(own),
        span(own).unwrap_or_default()
    )
}

/// The most points that are drawn; of more, evenly chosen ones.
const POINTS: usize = 3_000;

/// A column for each bin, as wide as the others: every item as a point, the middle half of them as a box.
fn scatter(evaluation: &GradedEvaluation) -> String {
    let bins = &evaluation.bins;
    if bins.is_empty() {
        return String::new();
    }
    let count = bins.len() as u64;
    let mut points = String::new();
    let mut boxes = String::new();
    let mut ticks = String::new();
    let step = evaluation.items.div_ceil(POINTS).max(1);
    let mut number = 0_usize;
    let height = |value: sonometer::Unit| 1000 - value.clamp_to_one().0 / 1000;
    for (at, bin) in bins.iter().enumerate() {
        let left = permille(at as u64, count);
        let width = permille(at as u64 + 1, count) - left;
        let inside = bin.points.len() as u64;
        for (nth, value) in bin.points.iter().enumerate() {
            number += 1;
            if number.is_multiple_of(step) {
                let x = left + width / 10 + (width * 8 / 10) * (2 * nth as u64 + 1) / (2 * inside);
                let _ = write!(points, "M{x} {}h0", height(*value));
            }
        }
        let [first, median, third] = bin.quartiles().map(height);
        let (x, wide) = (left + width / 10, width * 8 / 10);
        let _ = write!(
            boxes,
            "<rect class=\"half\" x=\"{x}\" y=\"{third}\" width=\"{wide}\" height=\"{}\"/>\
             <path class=\"curve\" d=\"M{x} {median}h{wide}\"/>",
            first - third
        );
        let _ = write!(
            ticks,
            "<text x=\"{}\" y=\"1045\" text-anchor=\"middle\">{}</text>",
            left + width / 2,
            at + 1
        );
    }
    for (at, tick) in [(0, "0"), (250, ".25"), (500, ".5"), (750, ".75"), (1000, "1")] {
        let _ = write!(ticks, "<text x=\"-18\" y=\"{}\" text-anchor=\"end\">{tick}</text>", 1000 - at + 12);
    }
    let ranked_by = escape(&evaluation.gauge.name());
    format!(
        "<section><h2>Values by grade</h2><p>Every item is a point, in columns from the lowest grades to the highest; a box holds \
         the middle half of a column, its line is the median.</p><div class=\"charts\"><figure><figcaption>{ranked_by} by grade</figcaption>\
         <svg viewBox=\"-130 -30 1170 1170\" role=\"img\" aria-label=\"{ranked_by} by grade\">\
         <path class=\"grid\" d=\"M0 250H1000M0 500H1000M0 750H1000\"/><path class=\"frame\" d=\"M0 0V1000H1000\"/>{boxes}\
         <path class=\"points\" d=\"{points}\"/>{ticks}\
         <text class=\"axis\" x=\"500\" y=\"1110\" text-anchor=\"middle\">grades, in bins</text></svg></figure>{}</div></section>",
        table(bins)
    )
}

fn table(bins: &[Bin]) -> String {
    let rows = bins.iter().enumerate().fold(String::new(), |mut text, (at, bin)| {
        let [first, median, third] = bin.quartiles();
        let _ = write!(
            text,
            "<tr><td class=\"n dim\">{}</td><th>{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"wide\">{}</td>\
             <td class=\"n\">{}</td><td class=\"n dim\">{}–{}</td></tr>",
            at + 1,
            grades(bin),
            bin.values.len(),
            places(bin.mean()),
            share_bar(Some(bin.mean())),
            places(median),
            places(first),
            places(third)
        );
        text
    });
    format!(
        "<div class=\"scroll\"><table><thead><tr><th></th><th>grades</th><th class=\"n\">items</th><th class=\"n\">mean</th><th></th>\
         <th class=\"n\">median</th><th class=\"n\">middle half</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

fn markers(evaluation: &GradedEvaluation) -> String {
    let rows = evaluation.markers.iter().fold(String::new(), |mut text, marker| {
        let _ = write!(
            text,
            "<tr><th>{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n dim\">{}</td></tr>",
            escape(&marker.label),
            marker.triggered,
            coefficient(marker.correlation),
            span(marker.correlation).unwrap_or_default()
        );
        text
    });
    format!(
        "<section><h2>Markers</h2><p>The rank correlation of each marker's resonance with the grade.</p><div class=\"scroll\"><table>\
         <thead><tr><th>marker</th><th class=\"n\">triggered</th><th class=\"n\">rho</th><th class=\"n\">95 % interval</th></tr></thead>\
         <tbody>{rows}</tbody></table></div></section>"
    )
}

fn errors(title: &str, worst: &[Wrong]) -> String {
    let mut shown = String::new();
    for wrong in worst {
        let _ = write!(
            shown,
            "<article><h3>{} <small>{}{}</small></h3>{}</article>",
            escape(&wrong.item.id),
            place(wrong),
            if wrong.sensed.fidelity().sufficient { "" } else { ", insufficient" },
            evidence::page(&wrong.sensed)
        );
    }
    let about = if worst.is_empty() { "None shown." } else { "The furthest first." };
    format!("<section><h2>{title}</h2><p>{about}</p>{shown}</section>")
}
