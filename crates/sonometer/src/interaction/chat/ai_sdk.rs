//! Messages of Vercel's AI SDK (the npm package `ai`): those of pages have `parts`, those that go to models have parts as `content`.

use super::ApartKind;
use super::draft::{Draft, all_maps, is_map, joined, list, needed, text};
use super::language_model::messages;
use crate::document::{Node, Value};
use crate::error::Error;
use crate::interaction::moment;

/// Keys that messages have beside their parts, in versions 4 to 6.
const KEYS: [&str; 14] = [
    "annotations",
    "content",
    "createdAt",
    "data",
    "experimental_attachments",
    "id",
    "metadata",
    "parts",
    "providerMetadata",
    "providerOptions",
    "reasoning",
    "revisionId",
    "role",
    "toolInvocations",
];

/// Whether a message is of this form and of no other: parts with types beside a role, or types that nobody else has.
pub(super) fn is_message(item: &Node) -> bool {
    let is_own = |part: &Node| {
        text(part, "type").is_some_and(|kind| {
            matches!(kind, "tool-call" | "tool-result" | "tool-approval-request" | "tool-approval-response")
        })
    };
    text(item, "role").is_some()
        && (list(item, "parts").first().is_some_and(|part| text(part, "type").is_some())
            || list(item, "content").iter().any(is_own))
}

pub(super) fn read(root: &Node, draft: &mut Draft<'_>) -> Result<(), Error> {
    let (base, items) = messages(root).ok_or_else(|| {
        Error::invalid("segments", format!("expected a list of messages, found {}", root.kind_name()))
    })?;
    for (at, item) in all_maps(items, base)?.iter().enumerate() {
        message(item, &format!("{base}[{at}]"), draft)?;
    }
    Ok(())
}

fn message(item: &Node, place: &str, draft: &mut Draft<'_>) -> Result<(), Error> {
    draft.skip_unknown(item, place, &KEYS);
    let role = needed(item, place, "role")?;
    let time = text(item, "createdAt").and_then(moment::iso);
    // Version 4 has what was said twice: as parts, and as one text.
    let key = if list(item, "parts").is_empty() { "content" } else { "parts" };
    let of_parts = format!("{place}.{key}");
    let parts = match item.get(key).map(|node| &node.value) {
        Some(Value::List(parts)) => all_maps(parts, &of_parts)?,
        // An answer that was stopped before its first word.
        None | Some(Value::Null) => &[],
        Some(_) => {
            let said = text(item, key).ok_or_else(|| {
                Error::invalid(of_parts.as_str(), format!("`{key}` must be a text or a list of parts"))
            })?;
            match role {
                "tool" => draft.set_apart(ApartKind::ToolResult, "tool", said, of_parts),
                _ => draft.say(role, said, time, of_parts),
            }
            return Ok(());
        }
    };
    let mut said = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let place = format!("{of_parts}[{at}]");
        match needed(part, &place, "type")? {
            "text" => said.push(needed(part, &place, "text")?),
            // A line between two calls of the model.
            "step-start" => {}
            kind => set_apart(kind, part, place, draft),
        }
    }
    draft.say(role, &joined(&said), time, of_parts);
    Ok(())
}

/// Keeps a part apart. A part of a page holds the call of a tool and, once it is there, its result.
fn set_apart(kind: &str, part: &Node, place: String, draft: &mut Draft<'_>) {
    let inner = part.get("toolInvocation").filter(|inner| is_map(inner)).unwrap_or(part);
    let words = |keys: &[&str]| {
        let value = keys.iter().find_map(|key| inner.get(key).filter(|node| node.value != Value::Null));
        value.map(|value| draft.written(value).to_owned())
    };
    let name = text(inner, "toolName").or_else(|| kind.strip_prefix("tool-")).unwrap_or(kind).to_owned();
    let (call, result) = match kind {
        "reasoning" => {
            let thought = words(&["text", "reasoning"]).unwrap_or_default();
            return draft.set_apart(ApartKind::Reasoning, kind, &thought, place);
        }
        "tool-result" | "tool-approval-response" => (None, Some(words(RESULTS).unwrap_or_default())),
        _ if kind.starts_with("tool-") || kind == "dynamic-tool" => {
            (Some(words(&["input", "args"]).unwrap_or_default()), words(RESULTS))
        }
        _ => return draft.set_apart(ApartKind::Media, kind, "", place),
    };
    if let Some(call) = call {
        draft.set_apart(ApartKind::ToolCall, &name, &call, place.clone());
    }
    if let Some(result) = result {
        draft.set_apart(ApartKind::ToolResult, &name, &result, place);
    }
}

/// Keys of what a tool gave back.
const RESULTS: &[&str] = &["output", "result", "errorText"];
