//! Reads chat messages of language models (OpenAI's and Anthropic's forms) as turns.
//!
//! Text and refusals become turns. Tool calls, tool results, reasoning, images, sound and files are skipped. Unknown types
//! and keys are errors, so no text is lost without notice.

use crate::diagnostic::{excerpt, line_and_column};
use crate::document::{Node, Style, Value, read_json};
use crate::error::Error;
use crate::interaction::request::{join, only_keys, required_text, timestamp};
use crate::interaction::{Interaction, Turn};

/// The roles of messages that hold the result of a tool call; such messages are skipped.
const TOOLS: [&str; 2] = ["tool", "function"];
/// Keys of tool calls; a message with one of them needs no content.
const CALLS: [&str; 2] = ["function_call", "tool_calls"];
/// All keys that a message may have; only the first five are read.
const KEYS: [&str; 28] = [
    "content",
    "role",
    "timestamp",
    "refusal",
    "audio",
    "annotations",
    "cache_control",
    "container",
    "context_management",
    "function_call",
    "id",
    "images",
    "metadata",
    "model",
    "name",
    "phase",
    "provider_specific_fields",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "status",
    "stop_reason",
    "stop_sequence",
    "thinking_blocks",
    "tool_call_id",
    "tool_calls",
    "type",
    "usage",
];
/// Types of parts that hold text, each with the key of the text.
const SPEECH: [(&str, &str); 4] =
    [("text", "text"), ("input_text", "text"), ("output_text", "text"), ("refusal", "refusal")];
/// Types of parts that are skipped.
const SILENCE: [&str; 20] = [
    "audio",
    "compaction",
    "container_upload",
    "document",
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
    "reasoning",
    "redacted_thinking",
    "search_result",
    "thinking",
    "video",
    "video_url",
];
/// Endings of part types that are tool calls or their results: `tool_use`, `web_search_tool_result`, `function_call_output`.
const CALL_ENDS: [&str; 4] = ["tool_use", "tool_result", "_call", "_call_output"];

impl Interaction {
    /// Reads a JSON list of chat messages. Messages without text are skipped, so a turn may have a lower number than its
    /// message.
    ///
    /// ```
    /// # use sonometer::Interaction;
    /// let talk = Interaction::from_messages(r#"[
    ///     {"role": "user", "content": [{"type": "text", "text": "Is it raining?"}]},
    ///     {"role": "assistant", "content": null, "tool_calls": [{"type": "function", "id": "1"}]},
    ///     {"role": "tool", "tool_call_id": "1", "content": "{\"rain\": false}"},
    ///     {"role": "assistant", "content": "No, the sun is out."}
    /// ]"#)?;
    /// assert_eq!(talk.turns().len(), 2);
    /// # Ok::<(), sonometer::Error>(())
    /// ```
    ///
    /// # Errors
    /// `invalid_request` with the place of the first thing that is wrong, such as `segments[3].content[0].type`.
    pub fn from_messages(json: &str) -> Result<Self, Error> {
        let root = parsed(json)?;
        let Value::List(messages) = &root.value else {
            let message = format!("expected a list of messages, found {}", root.kind_name());
            return Err(Error::invalid("segments", message));
        };
        let turns = messages.iter().enumerate().map(|(at, node)| turn(node, &format!("segments[{at}]")));
        Self::of_messages(turns.collect::<Result<Vec<_>, Error>>()?)
    }

    /// Makes a conversation from messages that [`Turn::from_message`] has read.
    ///
    /// # Errors
    /// `invalid_request` if there are no messages or none has text; otherwise as [`Interaction::transcript`].
    pub fn of_messages(turns: Vec<Option<Turn>>) -> Result<Self, Error> {
        if !turns.is_empty() && turns.iter().all(Option::is_none) {
            let message = "none of these messages has text: they hold only tool calls, tool results, reasoning or images; \
                           add the messages with text";
            return Err(Error::invalid("segments", message));
        }
        Self::transcript(turns.into_iter().flatten().collect())
    }
}

impl Turn {
    /// Reads one message as JSON; `place` is its name in errors. `None` if it has no text.
    ///
    /// # Errors
    /// As [`Interaction::from_messages`].
    pub fn from_message(json: &str, place: &str) -> Result<Option<Self>, Error> {
        turn(&parsed(json)?, place)
    }
}

fn parsed(json: &str) -> Result<Node, Error> {
    read_json(json).map_err(|found| {
        let (line, column) = line_and_column(json, found.span.start);
        Error::invalid(format!("line {line}, column {column}"), format!("{}; {}", found.message, found.fix))
    })
}

/// Reads a message as a turn; `None` if it has no text.
fn turn(message: &Node, place: &str) -> Result<Option<Turn>, Error> {
    // Items between the messages of OpenAI's newer interface have no role.
    let of_type = text(message, "type").filter(|_| message.get("role").is_none());
    if of_type.is_some_and(is_silent) {
        return Ok(None);
    }
    only_keys(message, place, &KEYS)?;
    let role = required_text(message, place, "role")?;
    if TOOLS.contains(&role.trim()) {
        return Ok(None);
    }
    let timestamp = timestamp(message, place)?;
    let content = said(message, &role, place)?;
    Ok(content.map(|content| Turn { role: Some(role.into()), content: content.into(), timestamp }))
}

/// The text of a message: its content, and a refusal or the transcript of a sound beside it.
fn said(message: &Node, role: &str, place: &str) -> Result<Option<String>, Error> {
    let calls = CALLS.iter().any(|key| is_given(message, key));
    let beside = text(message, "refusal").or_else(|| text(message.get("audio")?, "transcript"));
    let content = match message.get("content").map(|node| (node, &node.value)) {
        Some((_, Value::List(parts))) => of_parts(parts, &join(place, "content"))?,
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
fn of_parts(parts: &[Node], place: &str) -> Result<Option<String>, Error> {
    let mut texts = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let place = format!("{place}[{at}]");
        if !matches!(part.value, Value::Map(_)) {
            let message = "a content part must be an object; write `{\"type\": \"text\", \"text\": …}`";
            return Err(Error::invalid(place, message));
        }
        let kind = required_text(part, &place, "type")?;
        if let Some((_, key)) = SPEECH.iter().find(|(speech, _)| *speech == kind) {
            texts.push(required_text(part, &place, key)?);
        } else if !is_silent(&kind) {
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

/// Texts one after the other. Interfaces cut sentences into parts, which then have the space between them; where there is
/// none, a line ends.
fn joined(texts: &[&str]) -> String {
    let mut whole = String::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        let space = [' ', '\t', '\r', '\n'];
        if !whole.is_empty() && !whole.ends_with(space) && !text.starts_with(space) {
            whole.push('\n');
        }
        whole.push_str(text);
    }
    whole
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

/// The text of a member, if it is one.
fn text<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    match &node.get(key)?.value {
        Value::Scalar(scalar) if scalar.style == Style::Quoted => Some(&scalar.text),
        _ => None,
    }
}
