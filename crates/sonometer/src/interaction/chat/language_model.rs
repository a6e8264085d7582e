//! Messages of language models, in OpenAI's and Anthropic's forms.
//!
//! Text and refusals become turns. Tool calls, tool results, reasoning, images, sound and files are kept apart. Unknown types
//! and keys are errors, so no text is lost without notice; they are skipped with one where the form was named.

use super::ApartKind;
use super::draft::{Draft, joined, list, text};
use crate::diagnostic::excerpt;
use crate::document::{Node, Style, Value};
use crate::error::Error;
use crate::interaction::Turn;
use crate::interaction::request::{join, only_keys, required_text, timestamp};

/// Under which keys a request, an answer or a saved talk holds its messages.
const LISTS: [&str; 3] = ["messages", "input", "output"];
/// The same of what was asked, of which one is read, and of what was answered. OpenAI's newer interface has a text in the place of messages, too.
pub(super) const ASKED: [&str; 2] = ["messages", "input"];
const ANSWERED: [&str; 2] = ["output", CHOICES];
const CHOICES: &str = "choices";
/// Where more may stand that was said. What is not read of these is told.
const SAID: [&str; 8] =
    ["messages", "input", "output", CHOICES, "prompt", "response", "completion", "content"];

/// The roles of messages that hold the result of a tool call; such messages are skipped.
const TOOLS: [&str; 2] = ["tool", "function"];
/// Keys of tool calls; a message with one of them needs no content.
const CALLS: [&str; 2] = ["function_call", "tool_calls"];
/// All keys that a message may have; only the first five are read.
const KEYS: [&str; 32] = [
    "content",
    "role",
    "timestamp",
    "refusal",
    "audio",
    "annotations",
    "cache_control",
    "container",
    "context_management",
    "diagnostics",
    "function_call",
    "id",
    "images",
    "input_transformations",
    "metadata",
    "model",
    "name",
    "phase",
    "provider_specific_fields",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "status",
    "stop_details",
    "stop_reason",
    "stop_sequence",
    "thinking_blocks",
    "tool_call_id",
    "tool_calls",
    "type",
    "usage",
    "weight",
];
/// Types of parts that hold text, each with the key of the text.
const SPEECH: [(&str, &str); 4] =
    [("text", "text"), ("input_text", "text"), ("output_text", "text"), ("refusal", "refusal")];
/// Types of parts that are skipped.
const SILENCE: [&str; 30] = [
    "additional_tools",
    "audio",
    "compaction",
    "compaction_trigger",
    "configuration_update",
    "container_upload",
    "document",
    "fallback",
    "file",
    "image",
    "image_url",
    "input_audio",
    "input_file",
    "input_image",
    "item_reference",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_list_tools",
    "mcp_tool_listing",
    "program",
    "program_output",
    "reasoning",
    "redacted_thinking",
    "search_result",
    "thinking",
    "tool_addition",
    "tool_removal",
    "tool_search_output",
    "video",
    "video_url",
];
/// Endings of part types that are tool calls or their results: `tool_use`, `web_search_tool_result`, `function_call_output`.
const CALL_ENDS: [&str; 4] = ["tool_use", "tool_result", "_call", "_call_output"];

/// The list of messages of a request or an answer, or the list itself, with its place.
pub(super) fn messages(root: &Node) -> Option<(&'static str, &[Node])> {
    match &root.value {
        Value::List(items) => Some(("segments", items)),
        _ => LISTS.iter().find_map(|key| match &root.get(key)?.value {
            Value::List(items) => Some((*key, items.as_slice())),
            _ => None,
        }),
    }
}

pub(super) fn read(root: &Node, draft: &mut Draft<'_>) -> Result<(), Error> {
    if messages(root).is_none() && text(root, "input").is_none() && super::choice(root).is_none() {
        return Err(Error::invalid("segments", super::unknown(root)));
    }
    for key in ["system", "instructions"] {
        let Some(system) = root.get(key) else { continue };
        let said = match &system.value {
            Value::List(parts) => of_parts(parts, key, draft)?,
            _ => text(root, key).map(str::to_owned),
        };
        draft.say("system", &said.unwrap_or_default(), None, key.to_owned());
    }
    if let Value::List(items) = &root.value {
        return read_list(items, "segments", draft);
    }
    // A log may hold a request with its answer.
    let [asked, answered] = [&ASKED, &ANSWERED].map(|keys| keys.iter().find(|key| root.get(key).is_some()));
    for (key, role) in [(asked, "user"), (answered, "assistant")] {
        let Some((key, node)) = key.and_then(|key| Some((*key, root.get(key)?))) else { continue };
        match &node.value {
            Value::List(_) if key == CHOICES => {
                let Some((place, message)) = super::choice(root) else { continue };
                super::more_choices(root).into_iter().for_each(|told| draft.notice(told));
                let is_foreign = std::mem::replace(&mut draft.is_foreign, true);
                let read = turn(message, &place, draft)?;
                draft.is_foreign = is_foreign;
                read.into_iter().for_each(|turn| draft.push(turn, join(&place, "content")));
            }
            Value::List(items) => read_list(items, key, draft)?,
            _ => draft.say(role, text(root, key).unwrap_or_default(), None, key.to_owned()),
        }
    }
    let read = [asked, answered, Some(&"system"), Some(&"instructions")];
    for key in SAID.iter().filter(|key| is_given(root, key) && !read.contains(&Some(key))) {
        draft.notice(format!("`{key}` was skipped: the chat is in `{}`", asked.or(answered).unwrap_or(key)));
    }
    Ok(())
}

pub(super) fn read_list(items: &[Node], base: &str, draft: &mut Draft<'_>) -> Result<(), Error> {
    for (at, item) in items.iter().enumerate() {
        let place = format!("{base}[{at}]");
        if let Some(turn) = turn(item, &place, draft)? {
            draft.push(turn, join(&place, "content"));
        }
    }
    Ok(())
}

/// Reads a message as a turn; `None` if it has no text.
pub(super) fn turn(message: &Node, place: &str, draft: &mut Draft<'_>) -> Result<Option<Turn>, Error> {
    // Items between the messages of OpenAI's newer interface have no role, or no content.
    let is_item = ["role", "content"].iter().any(|key| message.get(key).is_none());
    let of_type = text(message, "type").filter(|_| is_item);
    if let Some(kind) = of_type.filter(|kind| is_silent(kind)) {
        set_apart(kind, message, place, draft);
        return Ok(None);
    }
    if draft.is_foreign {
        draft.skip_unknown(message, place, &KEYS);
    } else {
        only_keys(message, place, &KEYS)?;
    }
    let role = required_text(message, place, "role")?;
    if TOOLS.contains(&role.trim()) {
        set_apart("tool_result", message, place, draft);
        return Ok(None);
    }
    for key in ["reasoning", "reasoning_content"] {
        if let Some(thought) = text(message, key) {
            draft.set_apart(ApartKind::Reasoning, key, thought, join(place, key));
        }
    }
    let timestamp = timestamp(message, place)?;
    let content = said(message, &role, place, draft)?;
    for (at, call) in list(message, "tool_calls").iter().enumerate() {
        set_apart("tool_call", call, &format!("{place}.tool_calls[{at}]"), draft);
    }
    if let Some(call) = message.get("function_call") {
        set_apart("tool_call", call, &join(place, "function_call"), draft);
    }
    Ok(content.map(|content| Turn { role: Some(role.into()), content: content.into(), timestamp }))
}

/// The text of a message: its content, and a refusal or the transcript of a sound beside it.
fn said(message: &Node, role: &str, place: &str, draft: &mut Draft<'_>) -> Result<Option<String>, Error> {
    let calls = CALLS.iter().any(|key| is_given(message, key));
    let beside = text(message, "refusal").or_else(|| text(message.get("audio")?, "transcript"));
    let content = match message.get("content").map(|node| (node, &node.value)) {
        Some((_, Value::List(parts))) => of_parts(parts, &join(place, "content"), draft)?,
        Some((_, Value::Null)) if role.trim() == "assistant" || calls || beside.is_some() => None,
        None if calls || beside.is_some() || is_given(message, "audio") => None,
        // A text, or an error.
        _ => Some(required_text(message, place, "content")?).filter(|content| !(calls && content.is_empty())),
    };
    Ok(match (content, beside) {
        (Some(content), Some(beside)) => Some(joined(&[content.as_str(), beside])),
        (content, beside) => content.or_else(|| beside.map(str::to_owned)),
    })
}

/// The text of all parts of a content.
pub(super) fn of_parts(parts: &[Node], place: &str, draft: &mut Draft<'_>) -> Result<Option<String>, Error> {
    let mut texts = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let place = format!("{place}[{at}]");
        // LangChain has texts among the parts.
        if let Value::Scalar(scalar) = &part.value
            && scalar.style == Style::Quoted
            && draft.is_foreign
        {
            texts.push(scalar.text.clone());
            continue;
        }
        if !matches!(part.value, Value::Map(_)) {
            let message = "a content part must be an object; write `{\"type\": \"text\", \"text\": …}`";
            return Err(Error::invalid(place, message));
        }
        let kind = required_text(part, &place, "type")?;
        if let Some((_, key)) = SPEECH.iter().find(|(speech, _)| *speech == kind) {
            texts.push(required_text(part, &place, key)?);
        } else if is_silent(&kind) || draft.is_foreign {
            set_apart(&kind, part, &place, draft);
        } else {
            let message = format!(
                "unknown type of content part `{}`; give its text as {{\"type\": \"text\", \"text\": …}}, or leave it out",
                excerpt(&kind)
            );
            return Err(Error::invalid(join(&place, "type"), message));
        }
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Ok((!texts.is_empty()).then(|| joined(&texts)))
}

/// Keeps apart what nobody said: a part, an item, a call of a message or the message of a tool.
fn set_apart(kind: &str, node: &Node, place: &str, draft: &mut Draft<'_>) {
    let is_any = |ends: &[&str]| ends.iter().any(|end| kind.ends_with(end));
    let kept = if is_any(&["_result", "_output"]) {
        ApartKind::ToolResult
    } else if is_any(&["tool_use", "_call", "program"]) {
        ApartKind::ToolCall
    } else if is_any(&["reasoning", "thinking"]) {
        ApartKind::Reasoning
    } else {
        ApartKind::Media
    };
    // A call has its name and arguments in an object of its own, in OpenAI's first form of tools.
    let inner = ["function", "custom"].iter().find_map(|key| node.get(key)).unwrap_or(node);
    let (names, keys): (&[&str], &[&str]) = match kept {
        ApartKind::Media => (&["name"], &[]),
        ApartKind::Reasoning => (&["name"], &["thinking", "reasoning", "summary", "content", "text"]),
        // Calls of tools that OpenAI itself has say what to do by other keys, and have no name but their type.
        ApartKind::ToolCall => {
            (&["name"], &["arguments", "args", "input", "code", "action", "operation", "queries"])
        }
        ApartKind::ToolResult => {
            (&["name", "tool_call_id", "tool_use_id", "call_id"], &["output", "content", "result", "tools"])
        }
    };
    let name = names.iter().find_map(|key| text(inner, key));
    let words = keys.iter().filter_map(|key| inner.get(key)).map(|value| match &value.value {
        // Texts of parts, where it is nothing but these.
        Value::List(parts) if !parts.is_empty() && parts.iter().all(|part| text(part, "text").is_some()) => {
            joined(&parts.iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>())
        }
        Value::Null => String::new(),
        _ => draft.written(value).to_owned(),
    });
    let words = words.into_iter().find(|words| !words.is_empty()).unwrap_or_default();
    draft.set_apart(kept, name.unwrap_or(kind), &words, place.to_owned());
}

fn is_silent(kind: &str) -> bool {
    SILENCE.contains(&kind) || CALL_ENDS.iter().any(|end| kind.ends_with(end))
}

/// Whether a member is there and holds something.
fn is_given(message: &Node, key: &str) -> bool {
    match message.get(key).map(|node| &node.value) {
        None | Some(Value::Null) => false,
        Some(Value::List(items)) => !items.is_empty(),
        Some(_) => true,
    }
}
