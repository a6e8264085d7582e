//! Scenes and what actions lead to in them.

use super::Reader;
use crate::diagnostic::{Diagnostic, Span, excerpt};
use crate::document::{Node, Value, suggest};
use crate::keys::fields::{Fields, text_of, texts_of};
use crate::stage::guard::Place;
use crate::stage::keys;
use crate::stage::model::{Change, Entry, Scene};

/// The greatest amount of a change, either way.
const GREATEST: i64 = 1_000_000;

pub(super) fn scene(reader: &mut Reader<'_>, node: &Node) -> Option<Scene> {
    let mut own = crate::diagnostic::Diagnostics::new();
    let mut fields = Fields::of(node, &keys::SCENE, "a scene", &mut own);
    let (world, steps) = (fields.take("world"), fields.take("do"));
    let end = fields.truth("end").unwrap_or(false);
    fields.finish();
    own.iter().for_each(|finding| reader.found.push(finding.clone()));
    let world = reader.worlds(world);
    let entries: Vec<Entry> = match steps.map(|node| (&node.value, node)) {
        None => Vec::new(),
        Some((Value::List(items), _)) => items.iter().filter_map(|item| entry(reader, item)).collect(),
        Some((_, node)) => entry(reader, node).into_iter().collect(),
    };
    let wrong = match (end, steps.is_some()) {
        (true, true) => Some(("a scene with `end: true` never uses `do`", "remove `do`, or `end: true`")),
        (false, false) => Some(("this scene has no way out", "add `do`, or `end: true`")),
        _ => None,
    };
    if let Some((message, fix)) = wrong {
        let span = Span::new(node.span.start, node.span.start);
        reader.found.push(Diagnostic::error("SM0611", span, message, fix));
    }
    Some(Scene { world, entries, end })
}

fn entry(reader: &mut Reader<'_>, node: &Node) -> Option<Entry> {
    let mut own = crate::diagnostic::Diagnostics::new();
    let mut fields = Fields::of(node, &keys::ENTRY, "an entry of `do`", &mut own);
    let (when, set, world) = (fields.take("when"), fields.take("set"), fields.take("world"));
    let go = fields.text("go");
    let otherwise = fields.text("otherwise");
    fields.finish();
    own.iter().for_each(|finding| reader.found.push(finding.clone()));
    let head = Span::new(node.span.start, node.span.start);
    match (when.is_some(), &otherwise, &go) {
        (false, None, _) => {
            let fix = "add `when: …`, or `otherwise: stay` for everything else";
            reader.found.push(Diagnostic::error("SM0609", head, "an entry needs a condition", fix));
        }
        (true, Some((_, span)), _) | (false, Some((_, span)), Some(_)) => {
            let message = "`otherwise` cannot be combined with `when` or `go`";
            let fix = "write only `otherwise: scene`";
            reader.found.push(Diagnostic::error("SM0609", *span, message, fix));
        }
        _ => {}
    }
    let leads = otherwise.filter(|(name, _)| name != "stay").or(go);
    let go = leads.and_then(|(name, span)| reader.scene(&name, span));
    let set: Vec<Change> = match set {
        None => Vec::new(),
        Some(node) => {
            let texts = texts_of(node, "set", reader.found);
            texts.iter().filter_map(|(text, span)| change(reader, text, *span)).collect()
        }
    };
    let world = reader.worlds(world);
    let when = match when {
        None => None,
        Some(node) => Some(reader.guard(node, "when", Place::Action)?),
    };
    Some(Entry { when, set, go, world, span: node.span })
}

/// `trust + 1`, `trust - 1`, `trust = 0`
fn change(reader: &mut Reader<'_>, text: &str, span: Span) -> Option<Change> {
    let name_end =
        text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(text.len());
    let (name, rest) = text.split_at(name_end);
    let rest = rest.trim();
    let amount = rest.get(1..).and_then(|amount| amount.trim().parse::<i64>().ok());
    let sign = rest.chars().next();
    let (Some(amount), Some(sign @ ('+' | '-' | '='))) = (amount.filter(|n| n.abs() <= GREATEST), sign)
    else {
        let message = format!("`{text}` is not a change of a variable", text = excerpt(text));
        let fix = "write `name + 1`, `name - 1` or `name = 0`, with spaces and a whole number up to 1000000";
        reader.found.push(Diagnostic::error("SM0607", span, message, fix));
        return None;
    };
    let Some(variable) = reader.known.vars.iter().position(|known| *known == name) else {
        let fix = match suggest(name, reader.known.vars) {
            Some(near) => format!("did you mean `{near}`"),
            None => format!("declare it: `vars: {{{name}: 0 in 0..5}}`", name = excerpt(name)),
        };
        reader.found.push(Diagnostic::error(
            "SM0603",
            span,
            format!("unknown variable `{name}`", name = excerpt(name)),
            fix,
        ));
        return None;
    };
    Some(Change { variable, add: sign != '=', amount: if sign == '-' { -amount } else { amount } })
}

/// `true` or `false` of an optional key of a flag.
pub(super) fn is_true(node: Option<&Node>, key: &str, reader: &mut Reader<'_>) -> bool {
    let Some(node) = node else { return false };
    match node.text() {
        Some("true") => true,
        Some("false") => false,
        _ => {
            // Says what a text would be asked to be.
            let _ = text_of(node, key, reader.found);
            let message = format!("`{key}` is neither `true` nor `false`");
            reader.found.push(Diagnostic::error(
                "SM0355",
                node.span,
                message,
                format!("write `{key}: true`"),
            ));
            false
        }
    }
}
