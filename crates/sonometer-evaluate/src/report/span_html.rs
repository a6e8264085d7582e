//! An evaluation of places as one page.

use super::html::{document, escape, figures, header, notes};
use super::span_text::NAMES;
use super::text::{method, places, share};
use crate::evaluate::excerpt::{Excerpt, excerpt};
use crate::evaluate::spans::{SpanEvaluation, Tally, WrongSpan};
use std::fmt::Write;

/// The page of places.
pub(super) fn page(evaluation: &SpanEvaluation) -> String {
    let (tally, estimates) = &evaluation.all;
    let mut body = header(
        &evaluation.sensor.protocol().into(),
        &evaluation.data,
        "a label is found if evidence of a marker that may find it overlaps it",
    );
    body.push_str(&notes(&evaluation.notes));
    let partly = evaluation.covered_items < evaluation.items;
    let coverage =
        evaluation.coverage().map_or_else(String::new, |share| format!(", coverage {}", places(share)));
    let _ = write!(
        body,
        "<section><h2>Figures</h2><p>{} labels, {} pieces of evidence in {} items{coverage}.</p>{}</section>",
        tally.labels,
        tally.evidence,
        evaluation.items,
        figures(&NAMES, estimates, partly.then_some(&evaluation.covered.1[..]), method(false))
    );
    let types = evaluation.types.iter().map(|(kind, markers, tally)| {
        let counts = [tally.labels, tally.labels_found, tally.labels_exact];
        row(kind, &counts, tally, Some(&markers.join(", ")))
    });
    body.push_str(&table("Types", "labels, found, exact", &types.collect::<String>(), true));
    let markers = evaluation.markers.iter().map(|(label, tally)| {
        row(label, &[tally.evidence, tally.evidence_right, tally.evidence_exact], tally, None)
    });
    body.push_str(&table("Markers", "evidence, right, exact", &markers.collect::<String>(), false));
    body.push_str(&errors("Evidence without a label", "the highest scores first", &evaluation.wrong));
    body.push_str(&errors("Labels without evidence", "in the order of the data", &evaluation.missed));
    document(&evaluation.sensor.protocol().into(), &evaluation.data, &body)
}

fn row(name: &str, counts: &[u64; 3], tally: &Tally, markers: Option<&str>) -> String {
    let [precision, recall, f1, .., exact_f1] = tally.figures();
    let mut text = format!("<tr><th>{}</th>", escape(name));
    for count in counts {
        let _ = write!(text, "<td class=\"n\">{count}</td>");
    }
    for figure in [precision, recall, f1, exact_f1] {
        let _ = write!(text, "<td class=\"n\">{}</td>", share(figure));
    }
    if let Some(markers) = markers {
        let _ = write!(text, "<td class=\"dim\">{}</td>", escape(markers));
    }
    text + "</tr>"
}

fn table(title: &str, counts: &str, rows: &str, markers: bool) -> String {
    let mut head = String::new();
    for name in counts.split(", ").chain(["precision", "recall", "F1", "exact F1"]) {
        let _ = write!(head, "<th class=\"n\">{name}</th>");
    }
    let last = if markers { "<th>markers</th>" } else { "" };
    format!(
        "<section><h2>{title}</h2><div class=\"scroll\"><table><thead><tr><th></th>{head}{last}</tr></thead>\
         <tbody>{rows}</tbody></table></div></section>"
    )
}

fn errors(title: &str, order: &str, (count, worst): &(u64, Vec<WrongSpan>)) -> String {
    let mut shown = String::new();
    for wrong in worst {
        let Excerpt { before, inside, after } = excerpt(&wrong.reading, wrong.turn, &wrong.range);
        let (hue, score) = match wrong.score {
            Some(score) => (10, format!(" {score}")),
            None => (205, String::new()),
        };
        let _ = write!(
            shown,
            "<article><h3>{} <small>line {}</small></h3><div class=\"talk\"><p class=\"turn\" dir=\"auto\">{}\
             <mark style=\"--h:{hue}\">{}</mark>{}</p></div><p class=\"chips\"><span class=\"chip\" style=\"--h:{hue}\">{}{score}\
             </span></p></article>",
            escape(&wrong.item.id),
            wrong.item.line,
            escape(&before),
            escape(&inside),
            escape(&after),
            escape(&wrong.kind)
        );
    }
    let about = match (*count, worst.len()) {
        (0, _) => "None.".to_owned(),
        (count, 0) => format!("{count}, none shown."),
        (count, shown) => format!("{shown} of {count}, {order}."),
    };
    format!("<section><h2>{title}</h2><p>{about}</p>{shown}</section>")
}
