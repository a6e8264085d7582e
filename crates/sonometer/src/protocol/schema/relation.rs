//! Keys that set a match in relation to the rest of the interaction: `after`, `before`, `pair`, `echo`, `join`, `absent`, `ratio`.

use super::lines::{of_node, patterns};
use super::marker::Surroundings;
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};
use crate::document::Node;
use crate::keys::fields::{Fields, count_of, texts_of};
use crate::protocol::keys;
use crate::protocol::model::*;
use crate::unit::Unit;

/// What [`read`] found.
pub(super) struct Relations {
    pub(super) after: Option<Companion>,
    pub(super) before: Option<Companion>,
    pub(super) pair: Option<Pair>,
    pub(super) echo: Option<Echo>,
    pub(super) join: Option<u32>,
    pub(super) absence: Option<Absence>,
    pub(super) ratio: Option<Ratio>,
}

/// Keys that say how evidence is weighed, which a marker without evidence of its own has no use for.
const EVIDENCE_KEYS: [&str; 16] = [
    "strong",
    "clear",
    "weak",
    "weigh",
    "bias",
    "strengths",
    "repeat",
    "per",
    "share",
    "scope",
    "half",
    "after",
    "before",
    "pair",
    "echo",
    "join",
];
/// Keys that say which matches count, which a ratio has no use for either.
const MATCH_KEYS: [&str; 5] = ["except", "negation", "where", "by", "mask"];

/// Reads these keys of a marker; the lines of `absent` are appended to its lines.
pub(super) fn read(
    fields: &mut Fields<'_, '_>,
    around: &Surroundings<'_>,
    lines: &mut Vec<Line>,
    node: &Node,
) -> Relations {
    let after = companion(fields, "after", LineList::After, around);
    let before = companion(fields, "before", LineList::Before, around);
    let pair = pair(fields, around);
    let echo = echo(fields);
    for key in ["pair", "echo"] {
        if let (Some(_), Some(place)) = (node.get("weigh"), node.get(key)) {
            let message =
                format!("`{key}` cannot be combined with `weigh`: it changes strengths, not weights");
            let fix = "write the lines as `strong`, `clear` or `weak`";
            fields.found.push(Diagnostic::error("SM0341", place.span, message, fix));
        }
    }
    let join = join(fields);
    let absence = absence(fields, around, lines, node);
    let ratio = ratio(fields, around, node);
    Relations { after, before, pair, echo, join, absence, ratio }
}

/// The values of a marker that name roles, with their keys.
pub(super) fn written_roles(marker: &Node) -> Vec<(&'static str, &Node)> {
    let inside =
        |outer: &str, key: &'static str| marker.get(outer).and_then(|node| node.get(key)).map(|n| (key, n));
    let own = marker.get("by").map(|node| ("by", node));
    let of_others = ["after", "before", "pair", "when", "ratio", "share"].map(|outer| inside(outer, "by"));
    own.into_iter().chain(of_others.into_iter().flatten()).chain(inside("echo", "of")).collect()
}

/// `after: {any: …, by: client, within: 3 turns}`
fn companion(
    fields: &mut Fields<'_, '_>,
    key: &'static str,
    list: LineList,
    around: &Surroundings<'_>,
) -> Option<Companion> {
    let node = fields.take(key)?;
    let what = if key == "after" { "`after`" } else { "`before`" };
    let mut inner = Fields::of(node, &keys::COMPANION, what, fields.found);
    let companion = said(&mut inner, "any", list, around);
    inner.finish();
    Some(companion)
}

/// The keys of a companion: its patterns, `by` and `within`.
fn said(
    inner: &mut Fields<'_, '_>,
    key: &'static str,
    list: LineList,
    around: &Surroundings<'_>,
) -> Companion {
    let (lines, markers) = lines_or_markers(inner, key, list, around);
    let by = texts(inner, "by");
    let within = within(inner).unwrap_or(Reach::Turns(0));
    Companion { lines, markers, by, within }
}

/// The patterns of `key`, and the labels of `marker`: at least one of the two.
fn lines_or_markers(
    inner: &mut Fields<'_, '_>,
    key: &'static str,
    list: LineList,
    around: &Surroundings<'_>,
) -> (Vec<Line>, Vec<String>) {
    if !inner.has(key) && !inner.has("marker") {
        inner.missing(key);
    }
    let mut lines = Vec::new();
    patterns(inner, key, list, Unit::ZERO, around, &mut lines);
    (lines, labels(inner))
}

/// `marker: promise`, each label once.
fn labels(inner: &mut Fields<'_, '_>) -> Vec<String> {
    let mut labels = texts(inner, "marker");
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// The labels that a relation of a marker names, with their places.
pub(super) fn written_markers(marker: &Node, key: &str) -> Vec<(String, Span)> {
    let named = marker.get(key).and_then(|node| node.get("marker"));
    // Findings about the form of this value are reported where it is read.
    named.map_or_else(Vec::new, |node| texts_of(node, "marker", &mut Diagnostics::new()))
}

fn texts(inner: &mut Fields<'_, '_>, key: &'static str) -> Vec<String> {
    inner.texts(key).into_iter().map(|(text, _)| text).collect()
}

/// `within: 3 turns`, `2 sentences`, `20 words`, `30 seconds`
fn within(inner: &mut Fields<'_, '_>) -> Option<Reach> {
    let (text, span) = inner.text("within")?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let read = || -> Option<Reach> {
        let [count, unit] = words[..] else { return None };
        let count_to = || count_of(count, 0, 100_000);
        match unit {
            "turn" | "turns" => count_to().map(Reach::Turns),
            "sentence" | "sentences" => count_to().map(Reach::Sentences),
            "word" | "words" => count_to().map(Reach::Words),
            "second" | "seconds" => seconds(count).map(Reach::Seconds),
            _ => None,
        }
    };
    let reach = read();
    if reach.is_none() {
        let message = format!("`within` cannot be `{text}`", text = excerpt(&text));
        let fix = "write for example `2 turns`, `2 sentences`, `20 words` or `30 seconds`";
        inner.found.push(Diagnostic::error("SM0340", span, message, fix));
    }
    reach
}

fn seconds(count: &str) -> Option<Unit> {
    Unit::parse(count).filter(|s| s.0 > 0 && s.0 <= 1_000_000_000 * 1_000_000)
}

/// `pair: {then: …, by: agent, within: 2 sentences, else: 0.5}`
fn pair(fields: &mut Fields<'_, '_>, around: &Surroundings<'_>) -> Option<Pair> {
    let node = fields.take("pair")?;
    let mut inner = Fields::of(node, &keys::PAIR, "`pair`", fields.found);
    let then = said(&mut inner, "then", LineList::Then, around);
    let otherwise = inner.number_or_default("else");
    inner.finish();
    Some(Pair { then, otherwise })
}

/// `echo: {of: client, within: 2 turns, words: 1, boost: 0.3}`
fn echo(fields: &mut Fields<'_, '_>) -> Option<Echo> {
    let node = fields.take("echo")?;
    let mut inner = Fields::of(node, &keys::ECHO, "`echo`", fields.found);
    let of = texts(&mut inner, "of");
    let within = turns(&mut inner, "within", 1, 100, "SM0340").unwrap_or(1);
    let markers = labels(&mut inner);
    let words = inner.count_or_default("words");
    let boost = inner.number("boost").unwrap_or(Unit::ONE);
    let otherwise = inner.number_or_default("else");
    inner.finish();
    Some(Echo { markers, of, within, words, boost, otherwise })
}

/// `join: 3 turns`
fn join(fields: &mut Fields<'_, '_>) -> Option<u32> {
    turns(fields, "join", 2, 10, "SM0342")
}

/// `n turns` between `low` and `high`.
fn turns(
    fields: &mut Fields<'_, '_>,
    key: &'static str,
    low: u32,
    high: u32,
    code: &'static str,
) -> Option<u32> {
    let (text, span) = fields.text(key)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let turns = match words[..] {
        [count, "turn" | "turns"] => count_of(count, low, high),
        _ => None,
    };
    if turns.is_none() {
        let message = format!("`{key}` cannot be `{text}`", text = excerpt(&text));
        let fix = format!("write `{low} turns` to `{high} turns`");
        fields.found.push(Diagnostic::error(code, span, message, fix));
    }
    turns
}

/// `absent: …`, with `when` and `until`
fn absence(
    fields: &mut Fields<'_, '_>,
    around: &Surroundings<'_>,
    lines: &mut Vec<Line>,
    node: &Node,
) -> Option<Absence> {
    let is_absent = fields.has("absent");
    if is_absent {
        useless(fields, node, &EVIDENCE_KEYS, "`absent`", "SM0343");
    }
    patterns(fields, "absent", LineList::Absent, Unit::ZERO, around, lines);
    let place = |key: &str| node.get(key).map_or(node.span, |node| node.span);
    let when = fields.take("when").map(|node| {
        let mut inner = Fields::of(node, &keys::WHEN, "`when`", fields.found);
        let (lines, markers) = lines_or_markers(&mut inner, "any", LineList::When, around);
        let by = texts(&mut inner, "by");
        inner.finish();
        When { lines, markers, by }
    });
    let until = fields.text("until");
    if !is_absent {
        for key in [when.as_ref().map(|_| "when"), until.as_ref().map(|_| "until")].into_iter().flatten() {
            let message = format!("`{key}` needs `absent`");
            let fix = "add `absent: |` with what must be said, or remove it";
            fields.found.push(Diagnostic::error("SM0344", place(key), message, fix));
        }
        return None;
    }
    let until = until.map_or(Deadline::End, |(text, span)| {
        deadline(&text, when.is_some()).unwrap_or_else(|| {
            let message = format!("`until` cannot be `{text}`", text = excerpt(&text));
            let fix = match when {
                Some(_) => "write for example `6 turns after when`, `60 seconds after when` or `end`",
                None => "write for example `6 turns`, `60 seconds` or `end`, or add `when`",
            };
            fields.found.push(Diagnostic::error("SM0345", span, message, fix));
            Deadline::End
        })
    });
    Some(Absence { when, until })
}

/// `end`, `6 turns after when`, `6 turns`
fn deadline(text: &str, has_when: bool) -> Option<Deadline> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (count, unit) = match words[..] {
        ["end"] => return Some(Deadline::End),
        [count, unit, "after", "when"] if has_when => (count, unit),
        [count, unit] if !has_when => (count, unit),
        _ => return None,
    };
    match unit {
        "turn" | "turns" => count_of(count, 1, 100_000).map(Deadline::Turns),
        "second" | "seconds" => seconds(count).map(Deadline::Seconds),
        _ => None,
    }
}

/// `ratio: {of: reflection, to: <question>, by: counselor, floor: 0.5, full: 2, at_least: 3}`
fn ratio(fields: &mut Fields<'_, '_>, around: &Surroundings<'_>, marker: &Node) -> Option<Ratio> {
    let node = fields.take("ratio")?;
    useless(fields, marker, &EVIDENCE_KEYS, "`ratio`", "SM0343");
    useless(fields, marker, &MATCH_KEYS, "`ratio`", "SM0343");
    let mut inner = Fields::of(node, &keys::RATIO, "`ratio`", fields.found);
    let (of, _) = inner.some_text("of");
    let to = inner.take("to").map_or(RatioTo::Lines(Vec::new()), |to| match to.text().map(str::trim) {
        Some(label) if around.labels.contains(label) => RatioTo::Marker(label.to_owned()),
        _ => {
            let mut lines = Vec::new();
            of_node(to, "to", LineList::To, Unit::ZERO, around, inner.found, &mut lines);
            RatioTo::Lines(lines)
        }
    });
    let by = texts(&mut inner, "by");
    let floor = inner.number_or_default("floor");
    let full = inner.number("full").unwrap_or(Unit::ONE.max(Unit(floor.0 + 1)));
    if full <= floor {
        let span = node.get("full").map_or(node.span, |full| full.span);
        let message = format!("`full` is {full}, not above `floor`, {floor}");
        inner.found.push(Diagnostic::error(
            "SM0346",
            span,
            message,
            "write a larger `full`, or a smaller `floor`",
        ));
    }
    let at_least = inner.count_or_default("at_least");
    inner.finish();
    Some(Ratio { of, to, by, floor, full, at_least })
}

/// Reports keys that have no meaning beside `beside`.
fn useless(fields: &mut Fields<'_, '_>, marker: &Node, keys: &[&str], beside: &str, code: &'static str) {
    for key in keys {
        if let Some(place) = marker.get(key).map(|node| node.span) {
            let message = format!("`{key}` cannot be combined with {beside}");
            let fix = "remove it, or move it to a separate marker";
            fields.found.push(Diagnostic::error(code, Span::new(place.start, place.end), message, fix));
        }
    }
}
