//! `tests`: talks with what must be found in them.

use super::marker::{Surroundings, test_line};
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};
use crate::document::{Node, Value};
use crate::keys::fields::{Fields, text_of};
use crate::protocol::keys;
use crate::protocol::model::{Dialogue, Sgm, TestLine};
use crate::text::fold::fold_to_lower;
use crate::unit::Unit;

/// Reads `tests`.
pub(super) fn read(fields: &mut Fields<'_, '_>, around: &Surroundings<'_>, sgm: Sgm) -> Vec<Dialogue> {
    let Some(node) = fields.take("tests") else { return Vec::new() };
    let Value::List(items) = &node.value else {
        let message = format!("`tests` is {}, not a list", node.kind_name());
        let fix = "write `tests:` and below it `- name: …` with `talk` and `expect`";
        fields.found.push(Diagnostic::error("SM0350", node.span, message, fix));
        return Vec::new();
    };
    items.iter().map(|item| dialogue(item, around, sgm, fields.found)).collect()
}

fn dialogue(node: &Node, around: &Surroundings<'_>, sgm: Sgm, found: &mut Diagnostics) -> Dialogue {
    let mut fields = Fields::of(node, &keys::TEST, "the test", found);
    let (name, span) = fields.some_text("name");
    let talk = talk(&mut fields, around);
    let mut dialogue = Dialogue {
        name,
        talk,
        fires: Vec::new(),
        silent: Vec::new(),
        sufficient: None,
        score: (Unit::ZERO, Unit::ONE),
        driven: Vec::new(),
        span,
    };
    if let Some(node) = fields.take("expect") {
        expectations(node, around, sgm, &mut dialogue, fields.found);
    }
    fields.finish();
    dialogue
}

fn talk(fields: &mut Fields<'_, '_>, around: &Surroundings<'_>) -> Vec<TestLine> {
    let Some(node) = fields.take("talk") else { return Vec::new() };
    let lines: Vec<TestLine> = node.lines().into_iter().filter_map(|line| test_line(line, around)).collect();
    if lines.is_empty() {
        let fix = "write `talk: |` and below it one turn on each line, such as `agent: Hello.`";
        fields.found.push(Diagnostic::error("SM0351", node.span, "`talk` has no lines", fix));
    }
    lines
}

/// `expect: {fires: […], silent: […], sufficient: true, score: {at_least: 0.5}, driven: {label: role}}`
fn expectations(
    node: &Node,
    around: &Surroundings<'_>,
    sgm: Sgm,
    dialogue: &mut Dialogue,
    found: &mut Diagnostics,
) {
    let mut inner = Fields::of(node, &keys::EXPECT, "`expect`", found);
    let fires = labels(&mut inner, "fires", around);
    let silent = labels(&mut inner, "silent", around);
    for (label, span) in silent.iter().filter(|(label, _)| fires.iter().any(|(other, _)| other == label)) {
        let message = format!("`{label}` is in both `fires` and `silent`", label = excerpt(label));
        inner.found.push(Diagnostic::error("SM0353", *span, message, "keep one of the two"));
    }
    dialogue.fires = fires.into_iter().map(|(label, _)| label).collect();
    dialogue.silent = silent.into_iter().map(|(label, _)| label).collect();
    dialogue.sufficient = inner.truth("sufficient");
    let has_score = inner.has("score");
    if let Some(node) = inner.take("score") {
        let mut bounds = Fields::of(node, &keys::SCORE, "`score`", inner.found);
        let least = bounds.number_or_default("at_least");
        let most = bounds.number_or_default("at_most");
        bounds.finish();
        dialogue.score = (least, most);
    }
    let has_driven = inner.has("driven");
    if let Some(node) = inner.take("driven") {
        dialogue.driven = driven(node, around, sgm, inner.found);
    }
    let expects_nothing =
        dialogue.fires.is_empty() && dialogue.silent.is_empty() && dialogue.sufficient.is_none();
    if expects_nothing && !has_score && !has_driven && inner.found.is_empty() {
        let fix = "name markers: `expect: {fires: [thanks], silent: [complaint]}`";
        inner.found.push(Diagnostic::error("SM0354", node.span, "the test expects nothing", fix));
    }
    inner.finish();
}

/// `driven: {change_talk: client}`
fn driven(
    node: &Node,
    around: &Surroundings<'_>,
    sgm: Sgm,
    found: &mut Diagnostics,
) -> Vec<(String, String)> {
    if sgm < Sgm::V1_5 {
        let message = "`driven` needs SGM 1.5";
        let fix = "write `sgm: \"1.5\"` in the protocol, or remove it";
        found.push(Diagnostic::error("SM0356", node.span, message, fix));
    }
    let Value::Map(entries) = &node.value else {
        let message = format!("`driven` is {}, not a map of markers to roles", node.kind_name());
        found.push(Diagnostic::error("SM0359", node.span, message, "write `driven: {thanks: customer}`"));
        return Vec::new();
    };
    let mut wanted = Vec::new();
    for (label, node) in entries {
        if !around.labels.contains(label.text.as_str()) {
            found.push(super::unknown_label(&label.text, label.span, around));
        }
        let Some(role) = text_of(node, "driven", found) else { continue };
        let is_known = match &around.declared {
            Some(declared) => declared.contains(role),
            None => around.roles.contains(fold_to_lower(role).trim()),
        };
        if !is_known {
            let message = format!("`driven` names `{}`, which is not a role of the protocol", excerpt(role));
            let fix = match &around.declared {
                Some(declared) => declared.instead_of(role),
                None => "write a role that a marker uses, or declare it in `actants`".to_owned(),
            };
            found.push(Diagnostic::error("SM0360", node.span, message, fix));
        }
        wanted.push((label.text.clone(), role.to_owned()));
    }
    wanted
}

fn labels(inner: &mut Fields<'_, '_>, key: &'static str, around: &Surroundings<'_>) -> Vec<(String, Span)> {
    let labels = inner.texts(key);
    for (label, span) in labels.iter().filter(|(label, _)| !around.labels.contains(label.as_str())) {
        inner.found.push(super::unknown_label(label, *span, around));
    }
    labels
}
