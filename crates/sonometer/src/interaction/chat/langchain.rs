//! LangChain's messages: `{"type": "human", "data": {…}}`, the same flat, or `{"lc": 1, "id": […, "HumanMessage"], "kwargs": {…}}`.

use super::ApartKind;
use super::draft::{Draft, all_maps, list, text};
use super::language_model::{self, messages};
use crate::document::{Node, Value};
use crate::error::Error;

/// Keys that messages have beside their content.
const KEYS: [&str; 17] = [
    "additional_kwargs",
    "artifact",
    "chunk_position",
    "content",
    "example",
    "id",
    "invalid_tool_calls",
    "name",
    "reasoning_content",
    "response_metadata",
    "role",
    "status",
    "tool_call_chunks",
    "tool_call_id",
    "tool_calls",
    "type",
    "usage_metadata",
];

pub(super) fn read(root: &Node, draft: &mut Draft<'_>) -> Result<(), Error> {
    let (base, items) = messages(root).ok_or_else(|| {
        Error::invalid("segments", format!("expected a list of messages, found {}", root.kind_name()))
    })?;
    // Whatever kinds of parts there are, nobody writes a transcript so.
    draft.is_foreign = true;
    for (at, item) in all_maps(items, base)?.iter().enumerate() {
        let place = format!("{base}[{at}]");
        let (kind, inner, place) = match (item.get("data"), item.get("kwargs")) {
            (Some(data), _) => (text(item, "type"), data, format!("{place}.data")),
            (_, Some(kwargs)) => (class(item), kwargs, format!("{place}.kwargs")),
            _ => (text(item, "type"), item, place),
        };
        let kind = kind
            .ok_or_else(|| Error::invalid(place.as_str(), "the message has no `type`, such as \"human\""))?;
        message(kind, inner, &place, draft)?;
    }
    Ok(())
}

/// Whether a flat message has this `type`.
pub(super) fn is_type(name: &str) -> bool {
    role(name).is_some() || matches!(name, "tool" | "function" | "chat")
}

fn role(kind: &str) -> Option<&'static str> {
    match kind {
        "human" | "HumanMessage" | "HumanMessageChunk" => Some("user"),
        "ai" | "AIMessage" | "AIMessageChunk" => Some("assistant"),
        "system" | "SystemMessage" | "SystemMessageChunk" => Some("system"),
        _ => None,
    }
}

/// The class of a serialised object: the last part of its path.
fn class(item: &Node) -> Option<&str> {
    list(item, "id").last().and_then(Node::text)
}

fn message(kind: &str, inner: &Node, place: &str, draft: &mut Draft<'_>) -> Result<(), Error> {
    draft.skip_unknown(inner, place, &KEYS);
    let content = format!("{place}.content");
    let said = match inner.get("content").map(|node| &node.value) {
        None | Some(Value::Null) => String::new(),
        Some(Value::List(parts)) => language_model::of_parts(parts, &content, draft)?.unwrap_or_default(),
        Some(_) => text(inner, "content")
            .ok_or_else(|| Error::invalid(content.as_str(), "`content` must be a text or a list of parts"))?
            .to_owned(),
    };
    if matches!(kind, "tool" | "function" | "ToolMessage" | "FunctionMessage" | "ToolMessageChunk") {
        let name = text(inner, "name").or_else(|| text(inner, "tool_call_id")).unwrap_or("tool");
        draft.set_apart(ApartKind::ToolResult, name, &said, content);
        return Ok(());
    }
    for (at, call) in list(inner, "tool_calls").iter().enumerate() {
        let arguments = call.get("args").map_or("", |args| draft.written(args));
        draft.set_apart(
            ApartKind::ToolCall,
            text(call, "name").unwrap_or("tool"),
            arguments,
            format!("{place}.tool_calls[{at}]"),
        );
    }
    let Some(role) = role(kind).or_else(|| text(inner, "role")) else {
        let kind = crate::diagnostic::excerpt(kind);
        let message = format!("unknown type of message `{kind}`; write human, ai, system or tool");
        return Err(Error::invalid(place, message));
    };
    draft.say(role, &said, None, content);
    Ok(())
}
