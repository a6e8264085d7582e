//! An evaluation of pairs as one page.

use super::chart::decided_chart;
use super::evidence;
use super::html::{document, escape, figures, header, notes, share_bar};
use super::pair_text::{NAMES, method, outcome};
use super::text::{places, share};
use crate::evaluate::pairs::{PairEvaluation, Tally};
use std::fmt::Write;

/// The page of pairs.
pub(super) fn page(evaluation: &PairEvaluation) -> String {
    let tally = &evaluation.figures.tally;
    let mut body = header(&evaluation.subject, &evaluation.data, &format!("right if {}", evaluation.rule()));
    body.push_str(&notes(&evaluation.notes));
    let covered = (tally.unmeasured > 0).then_some(&evaluation.covered.estimates[..]);
    let coverage =
        evaluation.coverage().map_or_else(String::new, |share| format!(", coverage {}", places(share)));
    let _ = write!(
        body,
        "<section><h2>Figures</h2><p>{} pairs: {}{coverage}. What is tied or not measured is worth half a hit. Choosing the \
         longer text would have an accuracy of {}.</p>{}</section>",
        tally.pairs(),
        outcome(tally),
        share(evaluation.longer),
        figures(&NAMES, &evaluation.figures.estimates, covered, method(evaluation.independent))
    );
    body.push_str(&curve(evaluation));
    body.push_str(&markers(evaluation));
    if let Some((label, parts)) = &evaluation.by {
        body.push_str(&breakdown(label, parts));
    }
    body.push_str(&errors(evaluation));
    document(&evaluation.subject, &evaluation.data, &body)
}

/// Rows of the table of differences.
const ROWS: usize = 16;

fn curve(evaluation: &PairEvaluation) -> String {
    let curve = evaluation.curve();
    let chart = decided_chart(&curve, evaluation.figures.tally.pairs());
    if chart.is_empty() {
        return String::new();
    }
    let last = curve.len() - 1;
    let rows: Vec<usize> = match curve.len() {
        0..=ROWS => (0..curve.len()).collect(),
        _ => (0..ROWS).map(|nth| nth * last / (ROWS - 1)).collect(),
    };
    let rows = rows.into_iter().map(|at| curve[at]).fold(String::new(), |mut text, point| {
        let _ = write!(
            text,
            "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            point.least,
            point.right,
            point.wrong,
            share(point.accuracy())
        );
        text
    });
    format!(
        "<section><h2>Clear differences first</h2><p>Ranked by {}: how often the target is right where only pairs that differ \
         at least so much are decided; dashed is guessing.</p><div class=\"charts\">{chart}<div class=\"scroll\"><table><thead><tr>\
         <th class=\"n\">difference from</th><th class=\"n\">right</th><th class=\"n\">wrong</th><th class=\"n\">decided right</th>\
         </tr></thead><tbody>{rows}</tbody></table></div></div></section>",
        escape(&evaluation.gauge.name())
    )
}

fn markers(evaluation: &PairEvaluation) -> String {
    let rows = evaluation.markers.iter().fold(String::new(), |mut text, marker| {
        let _ = write!(
            text,
            "<tr><th>{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"wide\">{}</td></tr>",
            escape(&marker.label),
            marker.right + marker.wrong,
            marker.right,
            marker.wrong,
            share(marker.accuracy()),
            share_bar(marker.accuracy())
        );
        text
    });
    format!(
        "<section><h2>Markers</h2><p>Each marker as a judge of its own: in how many pairs it resonates more in one text than in \
         the other, and how often that is the text that the label names.</p><div class=\"scroll\"><table><thead><tr><th>marker</th>\
         <th class=\"n\">differs</th><th class=\"n\">right</th><th class=\"n\">wrong</th><th class=\"n\">decided right</th><th></th>\
         </tr></thead><tbody>{rows}</tbody></table></div></section>"
    )
}

fn breakdown(label: &str, parts: &[(String, Tally)]) -> String {
    let rows = parts.iter().fold(String::new(), |mut text, (value, tally)| {
        let Tally { right, wrong, tied, unmeasured } = tally;
        let _ = write!(
            text,
            "<tr><th>{}</th><td class=\"n\">{}</td><td class=\"n\">{right}</td><td class=\"n\">{wrong}</td>\
             <td class=\"n\">{tied}</td><td class=\"n\">{unmeasured}</td><td class=\"n\">{}</td><td class=\"wide\">{}</td>\
             <td class=\"n\">{}</td></tr>",
            escape(value),
            tally.pairs(),
            share(tally.accuracy()),
            share_bar(tally.accuracy()),
            share(tally.decided_accuracy())
        );
        text
    });
    format!(
        "<section><h2>By {}</h2><div class=\"scroll\"><table><thead><tr><th></th><th class=\"n\">pairs</th>\
         <th class=\"n\">right</th><th class=\"n\">wrong</th><th class=\"n\">tied</th><th class=\"n\">not measured</th>\
         <th class=\"n\">accuracy</th><th></th><th class=\"n\">decided right</th></tr></thead><tbody>{rows}</tbody></table></div>\
         </section>",
        escape(label)
    )
}

fn errors(evaluation: &PairEvaluation) -> String {
    let (count, worst) = &evaluation.errors;
    let mut shown = String::new();
    for wrong in worst {
        let _ = write!(
            shown,
            "<article><h3>{} <small>line {}</small></h3><div class=\"pair\">",
            escape(&wrong.item.id),
            wrong.item.line
        );
        for (at, name) in ["a", "b"].into_iter().enumerate() {
            let label = if wrong.case.first == (at == 0) { ", by the label" } else { "" };
            let _ = write!(
                shown,
                "<div><p class=\"dim\">{name}: value {}{label}</p>{}</div>",
                wrong.values[at],
                evidence::page(&wrong.sensed[at])
            );
        }
        shown.push_str("</div></article>");
    }
    let about = match (*count, worst.len()) {
        (0, _) => "None.".to_owned(),
        (count, 0) => format!("{count}, none shown."),
        (count, shown) => format!("{shown} of {count}, the largest differences first."),
    };
    format!("<section><h2>Judged the wrong way round</h2><p>{about}</p>{shown}</section>")
}
