//! The keys of a marker.

use super::lines::patterns;
use super::relation;
use super::role::Declared;
use super::top;
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};
use crate::document::{Line as SourceLine, Node, Value};
use crate::keys::fields::{Fields, check_identifier, count_of, text_of, texts_of};
use crate::protocol::Mask;
use crate::protocol::keys;
use crate::protocol::model::*;
use crate::text::fold::fold_to_lower;
use crate::unit::Unit;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a marker takes from the protocol around it.
pub(super) struct Surroundings<'s> {
    pub(super) lists: &'s Arc<Around>,
    /// Their names.
    pub(super) list_names: Vec<&'s str>,
    pub(super) strengths: Strengths,
    /// Every role name that the protocol knows, folded: prefixes of test lines.
    pub(super) roles: BTreeSet<String>,
    /// The roles of `actants`, if the protocol has any.
    pub(super) declared: Option<Declared>,
    /// Every label of the protocol, as written.
    pub(super) labels: BTreeSet<String>,
    /// How many parts the lines read so far have, lists written out.
    pub(super) parts: Cell<usize>,
}

/// Reads one marker; the span is that of its label.
pub(super) fn read(node: &Node, around: &Surroundings<'_>, found: &mut Diagnostics) -> (Marker, Span) {
    let before = found.len();
    let mut fields = Fields::of(node, &keys::MARKER, "the marker", found);
    let (label, label_span) = fields.some_text("label");
    if !label.is_empty() {
        check_identifier(&label, label_span, "label", fields.found);
    }
    let strengths = top::strengths(&mut fields, around.strengths);
    let mut lines = Vec::new();
    for (key, list, strength) in [
        ("strong", LineList::Strong, strengths.strong),
        ("clear", LineList::Clear, strengths.clear),
        ("weak", LineList::Weak, strengths.weak),
    ] {
        patterns(&mut fields, key, list, strength, around, &mut lines);
    }
    let weighted = lines.len();
    patterns(&mut fields, "weigh", LineList::Weigh, Unit::ZERO, around, &mut lines);
    let has_weights = lines.len() > weighted;
    let relations = relation::read(&mut fields, around, &mut lines, node);
    let mut except = Vec::new();
    patterns(&mut fields, "except", LineList::Except, Unit::ZERO, around, &mut except);
    let bias = fields.number("bias");
    if bias.is_some() && !has_weights {
        let fix = "remove it, or write the lines as `weigh`";
        let span = node.get("bias").map_or(label_span, |bias| bias.span);
        fields.found.push(Diagnostic::error("SM0330", span, "`bias` needs a `weigh` list", fix));
    }
    let marker = Marker {
        description: fields.text("description").unwrap_or_default().0,
        importance: fields.name("importance", Importance::from_name).unwrap_or(Importance::Medium),
        pole: fields.name("pole", Pole::from_name).unwrap_or(Pole::For),
        by: fields.texts("by").into_iter().map(|(role, _)| role).collect(),
        negation: negation(&mut fields),
        place: place(&mut fields),
        after: relations.after,
        before: relations.before,
        pair: relations.pair,
        echo: relations.echo,
        join: relations.join,
        absence: relations.absence,
        ratio: relations.ratio,
        repeat: fields.name("repeat", Repeat::from_name).unwrap_or(Repeat::Halve),
        per: per(&mut fields),
        share: share(&mut fields),
        scope: scope(&mut fields, node, has_weights),
        bias: bias.unwrap_or(Unit::ZERO),
        half: fields.number_or_default("half"),
        trigger: fields.number_or_default("trigger"),
        mask: mask(&mut fields),
        hints: hints(&mut fields),
        hit: test_lines(&mut fields, "hit", around),
        miss: test_lines(&mut fields, "miss", around),
        label,
        strengths,
        lines,
        except,
    };
    fields.finish();
    // A misspelt key, or a line that cannot be read, says enough.
    if marker.lines.is_empty() && marker.ratio.is_none() && found.len() == before {
        Fields::needs_one_of(node, &keys::MARKER, "the marker", found);
    }
    (marker, label_span)
}

/// Every label that is written.
pub(super) fn known_labels(markers: Option<&Node>) -> BTreeSet<String> {
    let items = match markers.map(|node| &node.value) {
        Some(Value::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(|item| item.get("label")?.text()).map(|label| label.trim().to_owned()).collect()
}

/// Every role that the protocol names anywhere, folded.
pub(super) fn known_roles(actants: &Actants, markers: Option<&Node>) -> BTreeSet<String> {
    let mut roles = BTreeSet::new();
    let mut add = |role: &str| roles.insert(fold_to_lower(role).trim().to_owned());
    for role in actants.names() {
        add(role);
    }
    if let Some(Value::List(items)) = markers.map(|node| &node.value) {
        for (key, roles) in items.iter().flat_map(relation::written_roles) {
            // Findings about these values are reported when the marker is read.
            for (role, _) in texts_of(roles, key, &mut Diagnostics::new()) {
                add(&role);
            }
        }
    }
    roles
}

/// `negation: keep`, `negation: drop`, `negation: flip sustain_talk`
fn negation(fields: &mut Fields<'_, '_>) -> NegationMode {
    let Some((text, span)) = fields.text("negation") else { return NegationMode::Keep };
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["keep"] => NegationMode::Keep,
        ["drop"] => NegationMode::Drop,
        ["flip", label] => NegationMode::Flip(label.to_owned()),
        _ => {
            let message = format!("`negation` cannot be `{text}`", text = excerpt(&text));
            let fix = "write `keep`, `drop`, or `flip` with the label of another marker";
            fields.found.push(Diagnostic::error("SM0307", span, message, fix));
            NegationMode::Keep
        }
    }
}

/// `where: first 3 turns`, `where: last 30 seconds`
fn place(fields: &mut Fields<'_, '_>) -> Option<Place> {
    let (text, span) = fields.text("where")?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let read = || -> Option<Place> {
        let [from, count, unit] = words[..] else { return None };
        let from = match from {
            "first" => End::First,
            "last" => End::Last,
            _ => return None,
        };
        let extent = match unit {
            "turn" | "turns" => Extent::Turns(count_of(count, 1, 100_000)?),
            "second" | "seconds" => Extent::Seconds(Unit::parse(count).filter(|s| s.0 > 0)?),
            _ => return None,
        };
        Some(Place { from, extent })
    };
    let place = read();
    if place.is_none() {
        let message = format!("`where` cannot be `{text}`", text = excerpt(&text));
        fields.found.push(Diagnostic::error(
            "SM0334",
            span,
            message,
            "write for example `first 3 turns` or `last 30 seconds`",
        ));
    }
    place
}

/// `per: 100 words`
fn per(fields: &mut Fields<'_, '_>) -> Option<u32> {
    let (text, span) = fields.text("per")?;
    let words = text.strip_suffix("words").and_then(|n| count_of(n.trim(), 1, 100_000));
    if words.is_none() {
        let message = format!("`per` cannot be `{text}`", text = excerpt(&text));
        fields.found.push(Diagnostic::error("SM0335", span, message, "write for example `100 words`"));
    }
    words
}

/// `share: {of: turns, by: counselor, full: 0.3}`
fn share(fields: &mut Fields<'_, '_>) -> Option<Share> {
    let node = fields.take("share")?;
    let mut inner = Fields::of(node, &keys::SHARE, "`share`", fields.found);
    if let Some((of, span)) = inner.text("of")
        && of != "turns"
    {
        let message = format!("`share` cannot be of `{of}`", of = excerpt(&of));
        inner.found.push(Diagnostic::error("SM0336", span, message, "write `of: turns`"));
    }
    let by = inner.texts("by").into_iter().map(|(role, _)| role).collect();
    let full = inner.number_or_default("full");
    inner.finish();
    Some(Share { by, full })
}

/// `scope: turn`, `scope: last 3 turns`, only of a weighted list.
fn scope(fields: &mut Fields<'_, '_>, marker: &Node, has_weights: bool) -> Option<Scope> {
    let (text, span) = fields.text("scope")?;
    let mut refuse = |code, message: String, fix: &str| {
        fields.found.push(Diagnostic::error(code, span, message, fix));
    };
    let scope: Option<Scope> = text.parse().ok();
    if scope.is_none() && text.trim() != "interaction" {
        let message = format!("`scope` cannot be `{text}`", text = excerpt(&text));
        refuse("SM0365", message, "write `turn`, `last turn`, `2 turns` to `20 turns`, or `interaction`");
    } else if !has_weights {
        let fix = "remove it, or write the lines as `weigh`";
        refuse("SM0366", "`scope` needs a `weigh` list".to_owned(), fix);
    }
    // What these count is of the whole interaction, or goes beyond a turn.
    if let Some(key) = ["per", "share", "join"].into_iter().find(|key| marker.get(key).is_some())
        && scope.is_some()
    {
        let message = format!("`scope` cannot be combined with `{key}`");
        refuse("SM0343", message, "remove one of the two, or move it to a separate marker");
    }
    scope
}

/// `mask: stars`, `mask: last4`, `mask: label`
fn mask(fields: &mut Fields<'_, '_>) -> Option<Mask> {
    let (text, span) = fields.text("mask")?;
    let mask = Mask::from_name(&text);
    if mask.is_none() {
        fields.found.push(Diagnostic::error("SM0337", span, Mask::unknown(&text), Mask::instead_of(&text)));
    }
    mask
}

fn hints(fields: &mut Fields<'_, '_>) -> Vec<(HintKind, String)> {
    let Some(node) = fields.take("hints") else { return Vec::new() };
    let mut inner = Fields::of(node, &keys::HINTS, "`hints`", fields.found);
    let mut hints = Vec::new();
    for name in HintKind::NAMES {
        if let (Some((text, _)), Some(kind)) = (inner.text(name), HintKind::from_name(name)) {
            hints.push((kind, text));
        }
    }
    inner.finish();
    hints
}

fn test_lines(fields: &mut Fields<'_, '_>, key: &'static str, around: &Surroundings<'_>) -> Vec<TestLine> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    if matches!(node.value, Value::Map(_)) {
        // `hit: counselor: Hello` in one line is a map for YAML.
        let fix = format!("write `{key}: |` and below it one line for each test");
        fields.found.push(Diagnostic::error(
            "SM0338",
            node.span,
            format!("`{key}` is a map, not lines of text"),
            fix,
        ));
        return Vec::new();
    }
    if let Value::List(items) = &node.value {
        for item in items {
            text_of(item, key, fields.found);
        }
    }
    node.lines().into_iter().filter_map(|line| test_line(line, around)).collect()
}

/// `text`, or `role: text` where the protocol knows the role. `# ` at the start of a line begins a comment.
pub(super) fn test_line(line: SourceLine<'_>, around: &Surroundings<'_>) -> Option<TestLine> {
    let text = line.text.trim();
    if text.is_empty() || text == "#" || text.starts_with("# ") {
        return None;
    }
    let named = text.split_once(": ").filter(|(role, _)| around.roles.contains(fold_to_lower(role).trim()));
    let (role, text) = match named {
        Some((role, text)) => (Some(role.trim().to_owned()), text.trim()),
        None => (None, text),
    };
    Some(TestLine { role, text: text.to_owned(), span: line.span })
}
