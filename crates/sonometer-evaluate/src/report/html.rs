//! An evaluation as one page: it holds everything it needs, follows the reader's choice of light or dark, and works without
//! script (a script adds the slider that tries thresholds).

use super::chart::{charts, permille, pr_point, roc_point};
use super::paint::safe;
use super::talk::{Mark, hue, talk};
use super::text::{NAMES, method, places, share};
use crate::evaluate::breakdown::Part;
use crate::evaluate::errors::{Errors, Wrong};
use crate::evaluate::markers::MarkerFigures;
use crate::evaluate::measure::{Counts, Estimate, Point};
use crate::evaluate::question::Decision;
use crate::evaluate::result::{Data, Evaluation};
use crate::evaluate::subject::Subject;
use crate::words::counted;
use sonometer::protocol::Pole;
use sonometer::{Evidence, Unit};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page of items or segments.
pub(super) fn page(evaluation: &Evaluation) -> String {
    let counts = &evaluation.figures.counts;
    let mut body = header(
        &evaluation.protocol().into(),
        &evaluation.data,
        &format!("positive if {}", evaluation.question.rule(evaluation.protocol())),
    );
    body.push_str(&notes(&evaluation.notes));
    let partly = evaluation.covered.counts.cases() < counts.cases();
    let covered = partly.then_some(&evaluation.covered.estimates[..]);
    let coverage = evaluation.coverage().map_or_else(String::new, |share| {
        format!(
            "<p>Coverage {}: {}.</p>",
            places(share),
            match partly {
                true => "what holds too little to be measured counts as negative",
                false => "all cases hold enough to be measured",
            }
        )
    });
    let _ = write!(
        body,
        "<section><h2>Figures</h2><div class=\"two\">{}<div>{}{coverage}</div></div></section>",
        figures(&NAMES, &evaluation.figures.estimates, covered, method(evaluation.figures.independent)),
        confusion(counts)
    );
    body.push_str(&curves(evaluation));
    body.push_str(&markers(&evaluation.markers));
    if let Some((label, parts)) = &evaluation.by {
        body.push_str(&breakdown(label, parts));
    }
    let [false_positives, false_negatives] = &evaluation.errors;
    body.push_str(&errors(
        "Predicted positive, labelled negative",
        "the highest values first",
        false_positives,
    ));
    body.push_str(&errors(
        "Predicted negative, labelled positive",
        "the lowest values first",
        false_negatives,
    ));
    document(&evaluation.protocol().into(), &evaluation.data, &body)
}

/// A whole document around its body.
pub(super) fn document(subject: &Subject, data: &Data, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{} on {}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n{body}\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escape(&subject.name),
        escape(&data.file)
    )
}

pub(super) fn header(subject: &Subject, data: &Data, rule: &str) -> String {
    let mut facts = String::new();
    let mut fact = |name: &str, value: &str| {
        let _ = write!(facts, "<dt>{name}</dt><dd>{}</dd>", escape(value));
    };
    fact("data", &data.file);
    fact("label", &data.label);
    if let Some(positive) = &data.positive {
        fact("positive", positive);
        fact("negative", data.negative.as_deref().unwrap_or("the rest"));
    }
    for filter in &data.r#where {
        fact("where", filter);
    }
    if let Some(fold) = &data.fold {
        fact("fold", fold);
    }
    if let Some(group) = &data.group {
        fact("group", group);
    }
    fact("rule", rule);
    let left_out = if data.left_out > 0 {
        format!("; {} left out", counted(data.left_out, "label"))
    } else {
        String::new()
    };
    fact("items", &format!("{}{left_out}", data.items));
    format!(
        "<header><p class=\"over\">evaluation</p><h1>{} <small>{}</small></h1><p>{}</p><dl>{facts}</dl></header>",
        escape(&subject.name),
        escape(&subject.reference),
        escape(&subject.description)
    )
}

pub(super) fn notes(notes: &[String]) -> String {
    notes.iter().fold(String::new(), |mut text, note| {
        let _ = write!(text, "<p class=\"note\">{}</p>", escape(note));
        text
    })
}

/// A bar for each figure, with its interval on it.
pub(super) fn figures(
    names: &[&str],
    all: &[Option<Estimate>],
    covered: Option<&[Option<Estimate>]>,
    method: &str,
) -> String {
    let mut rows = String::new();
    for (at, name) in names.iter().enumerate() {
        let _ = write!(rows, "<tr><th>{name}</th><td class=\"wide\">{}</td>{}", bar(all[at]), cells(all[at]));
        if let Some(covered) = covered {
            rows.push_str(&cells(covered[at]));
        }
        rows.push_str("</tr>");
    }
    let head = if covered.is_some() { "<th colspan=\"2\">covered cases only</th>" } else { "" };
    format!(
        "<div><table class=\"figures\"><thead><tr><th></th><th></th><th colspan=\"2\">value, 95 % interval</th>{head}</tr></thead>\
         <tbody>{rows}</tbody></table><p class=\"dim\">{}.</p></div>",
        method
    )
}

fn cells(estimate: Option<Estimate>) -> String {
    let interval = estimate.and_then(|estimate| estimate.interval);
    let interval =
        interval.map_or_else(String::new, |span| format!("{}–{}", places(span.low), places(span.high)));
    format!("<td class=\"n\">{}</td><td class=\"n dim\">{interval}</td>", share(estimate.map(|e| e.value)))
}

/// A bar for a share without an interval.
pub(super) fn share_bar(value: Option<Unit>) -> String {
    bar(value.map(|value| Estimate { value, interval: None }))
}

fn bar(estimate: Option<Estimate>) -> String {
    let Some(Estimate { value, interval }) = estimate else { return "<div class=\"bar\"></div>".into() };
    let mut inside = format!("<i style=\"width:{}\"></i>", percent(value));
    if let Some(interval) = interval {
        let width = percent(interval.high - interval.low);
        let _ = write!(inside, "<b style=\"left:{};width:{width}\"></b>", percent(interval.low));
    }
    format!("<div class=\"bar\">{inside}</div>")
}

/// A share as a length: `52.9%`.
fn percent(value: Unit) -> String {
    let permille = (value.clamp_to_one().0 + 500) / 1000;
    format!("{}.{}%", permille / 10, permille % 10)
}

fn confusion(counts: &Counts) -> String {
    let cell = |id: &str, class: &str, count: u64, of: u64| {
        format!("<td id=\"{id}\" class=\"n {class}\" style=\"--share:{}\">{count}</td>", permille(count, of))
    };
    let (positives, negatives) = (counts.positives(), counts.negatives());
    format!(
        "<table class=\"confusion\"><thead><tr><th></th><th>predicted positive</th><th>predicted negative</th></tr></thead>\
         <tbody><tr><th>labelled positive</th>{}{}</tr><tr><th>labelled negative</th>{}{}</tr></tbody></table>",
        cell("tp", "right", counts.true_positives, positives),
        cell("fn", "wrong", counts.false_negatives, positives),
        cell("fp", "wrong", counts.false_positives, negatives),
        cell("tn", "right", counts.true_negatives, negatives),
    )
}

/// Rows of the table of thresholds.
const ROWS: usize = 16;

fn curves(evaluation: &Evaluation) -> String {
    let now = &evaluation.figures.counts;
    let charts = charts(&evaluation.curve(), now);
    if charts.is_empty() {
        return String::new();
    }
    let ranked_by = evaluation.question.ranked_by();
    let curve = evaluation.curve();
    // What the slider tries: threshold, counts, and where the points of both charts go.
    let data: Vec<String> = curve.iter().map(slider_point).collect();
    let slider = format!(
        "<div class=\"slider\" hidden><label>try a threshold <input type=\"range\" min=\"0\" max=\"{}\" value=\"0\" \
         data-points=\"[{}]\"></label> <output></output> <button type=\"button\">back to the rule</button></div>",
        curve.len().saturating_sub(1),
        data.join(",")
    );
    format!(
        "<section><h2>Curves</h2><p>Ranked by {ranked_by}; the dot is where the rule stands, dashed is guessing.</p>\
         {slider}{charts}{}</section>",
        thresholds(evaluation, &curve)
    )
}

fn slider_point(point: &Point) -> String {
    let counts = &point.counts;
    let (x, y) = roc_point(counts);
    let (recall, precision) = pr_point(counts).unwrap_or_default();
    let Counts { true_positives, false_positives, false_negatives, true_negatives } = counts;
    format!(
        "[{},{true_positives},{false_positives},{false_negatives},{true_negatives},{x},{y},{recall},{precision}]",
        point.value
    )
}

fn thresholds(evaluation: &Evaluation, curve: &[Point]) -> String {
    let best = crate::evaluate::measure::best(&evaluation.points);
    let last = curve.len().saturating_sub(1);
    let mut rows: Vec<Point> = match curve.len() {
        0..=ROWS => curve.to_vec(),
        _ => (0..ROWS).map(|nth| curve[nth * last / (ROWS - 1)]).collect(),
    };
    // The best one and the one that the rule uses are always there.
    let rule = match evaluation.question.decision {
        Decision::From(from) => evaluation.points.iter().rfind(|point| point.value >= from).map(|p| p.value),
        Decision::Triggered => None,
    };
    rows.extend(evaluation.points.iter().filter(|p| Some(p.value) == best || Some(p.value) == rule));
    rows.sort_by_key(|point| std::cmp::Reverse(point.value));
    rows.dedup();
    let rows = rows.iter().fold(String::new(), |mut text, point| {
        let counts = &point.counts;
        let class = if Some(point.value) == best { " class=\"best\"" } else { "" };
        let _ = write!(
            text,
            "<tr{class}><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            point.value,
            counts.true_positives,
            counts.false_positives,
            share(counts.precision()),
            share(counts.recall()),
            share(counts.f1()),
            share(counts.macro_f1()),
        );
        text
    });
    format!(
        "<details><summary>Thresholds</summary><table><thead><tr><th class=\"n\">from</th><th class=\"n\">found</th>\
         <th class=\"n\">false alarms</th><th class=\"n\">precision</th><th class=\"n\">recall</th><th class=\"n\">F1</th>\
         <th class=\"n\">macro-F1</th></tr></thead><tbody>{rows}</tbody></table>\
         <p class=\"dim\">Marked: the best macro-F1 on this data. Here what is insufficient ranks with the value 0.</p></details>"
    )
}

fn markers(markers: &[MarkerFigures]) -> String {
    let mut rows = String::new();
    for (at, marker) in markers.iter().enumerate() {
        let counts = &marker.counts;
        let lift = counts.lift();
        let _ = write!(
            rows,
            "<tr class=\"{}\"><th><span class=\"dot\" style=\"--h:{}\"></span>{}{}</th><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"wide\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n{}\">{}</td><td class=\"n\">{} / {}</td></tr>",
            if marker.asked { "" } else { "dim" },
            hue(marker.effect, at),
            escape(&marker.label),
            if marker.pole == Pole::Against { " <small>against</small>" } else { "" },
            counts.predicted(),
            counts.true_positives,
            share(counts.precision()),
            share_bar(counts.precision()),
            share(counts.recall()),
            share(counts.f1()),
            if marker.hurts() { " warn" } else { "" },
            share(lift),
            marker.alone_right,
            marker.alone_wrong
        );
    }
    format!(
        "<section><h2>Markers</h2><p>Each marker as a classifier of its own. Lift: how much likelier a case is positive where it \
         is triggered; marked where that is the wrong way. Alone: cases that no other marker of the rule triggers on, right and wrong.</p>\
         <div class=\"scroll\"><table><thead><tr><th>marker</th><th class=\"n\">triggered</th><th class=\"n\">right</th>\
         <th class=\"n\">precision</th><th></th><th class=\"n\">recall</th><th class=\"n\">F1</th><th class=\"n\">lift</th>\
         <th class=\"n\">alone</th></tr></thead><tbody>{rows}</tbody></table></div></section>"
    )
}

fn breakdown(label: &str, parts: &[Part]) -> String {
    let rows = parts.iter().fold(String::new(), |mut text, part| {
        let counts = &part.counts;
        let right = part.accuracy();
        let _ = write!(
            text,
            "<tr><th>{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"wide\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escape(&part.value),
            counts.cases(),
            counts.positives(),
            counts.predicted(),
            share(right),
            share_bar(right),
            share(counts.precision()),
            share(counts.recall()),
            share(counts.f1()),
        );
        text
    });
    format!(
        "<section><h2>By {}</h2><div class=\"scroll\"><table><thead><tr><th></th><th class=\"n\">cases</th>\
         <th class=\"n\">positive</th><th class=\"n\">predicted</th><th class=\"n\">right</th><th></th>\
         <th class=\"n\">precision</th><th class=\"n\">recall</th><th class=\"n\">F1</th></tr></thead><tbody>{rows}</tbody>\
         </table></div></section>",
        escape(label)
    )
}

fn errors(title: &str, order: &str, errors: &Errors) -> String {
    let mut shown = String::new();
    for wrong in &errors.worst {
        shown.push_str(&error(wrong));
    }
    let about = match (errors.count, errors.worst.len()) {
        (0, _) => "None.".to_owned(),
        (count, 0) => format!("{count}, none shown."),
        (count, shown) => format!("{shown} of {count}, {order}."),
    };
    format!("<section><h2>{title}</h2><p>{about}</p>{shown}</section>")
}

fn error(wrong: &Wrong) -> String {
    let mut near = String::new();
    for weak in wrong.nearest().iter().filter(|_| !wrong.case.predicted) {
        let (marker, hint) = (escape(weak.metamarker), escape(&weak.hint));
        let _ = write!(near, "<span class=\"chip near\">nearly {marker} {}: {hint}</span> ", weak.proximity);
    }
    let marks: Vec<Mark> = wrong.evidence().iter().map(|found| mark(wrong, found)).collect();
    format!(
        "<article><h3>{} <small>line {}{}, value {}{}</small></h3>{}</article>",
        escape(&wrong.item.id),
        wrong.item.line,
        wrong.case.segment.map_or_else(String::new, |segment| format!(", segment {segment}")),
        wrong.case.value,
        if wrong.reading.fidelity().sufficient { "" } else { ", insufficient" },
        talk(&wrong.reading, &marks, wrong.case.segment, &near)
    )
}

fn hue_of(wrong: &Wrong, found: &Evidence<'_>) -> usize {
    let protocol = wrong.reading.protocol();
    let at = protocol.markers.iter().position(|marker| marker.label == found.metamarker).unwrap_or(0);
    protocol.markers.get(at).map_or(0, |marker| hue(protocol.effect_of(marker), at))
}

fn mark(wrong: &Wrong, found: &Evidence<'_>) -> Mark {
    Mark {
        turn: found.turn,
        range: found.range.clone(),
        hue: hue_of(wrong, found),
        title: format!("{} {}", found.metamarker, found.score),
    }
}

/// Foreign text in a page: no markup, no characters that steer.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' => escaped.push('\n'),
            '\r' => {}
            c => escaped.push(safe(c)),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_no_markup() {
        assert_eq!(escape("<b a='1'>&\"\u{202e}\r\n"), "&lt;b a=&#39;1&#39;&gt;&amp;&quot;\u{fffd}\n");
    }

    #[test]
    fn lengths_are_decimals() {
        assert_eq!(percent(Unit(528_986)), "52.9%");
        assert_eq!(percent(Unit(1_000_000)), "100.0%");
        assert_eq!(percent(Unit(40)), "0.0%");
    }
}
