//! Google's form: `contents` of a `role` (`user`, `model`) and `parts`.

use super::ApartKind;
use super::draft::{Draft, all_maps, is_map, joined, list, maps, text};
use crate::document::{Node, Value};
use crate::error::Error;

/// Keys of parts that nobody said, each with what it is and the key of its text.
const APART: [(&str, ApartKind, &str); 16] = [
    ("functionCall", ApartKind::ToolCall, "args"),
    ("function_call", ApartKind::ToolCall, "args"),
    ("functionResponse", ApartKind::ToolResult, "response"),
    ("function_response", ApartKind::ToolResult, "response"),
    ("toolCall", ApartKind::ToolCall, "args"),
    ("tool_call", ApartKind::ToolCall, "args"),
    ("toolResponse", ApartKind::ToolResult, "response"),
    ("tool_response", ApartKind::ToolResult, "response"),
    ("executableCode", ApartKind::ToolCall, "code"),
    ("executable_code", ApartKind::ToolCall, "code"),
    ("codeExecutionResult", ApartKind::ToolResult, "output"),
    ("code_execution_result", ApartKind::ToolResult, "output"),
    ("inlineData", ApartKind::Media, ""),
    ("inline_data", ApartKind::Media, ""),
    ("fileData", ApartKind::Media, ""),
    ("file_data", ApartKind::Media, ""),
];
/// Keys of a part that say how it is to be taken.
const BESIDE: [&str; 6] =
    ["text", "thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata"];

pub(super) fn read(root: &Node, draft: &mut Draft<'_>) -> Result<(), Error> {
    if let Value::List(items) = &root.value {
        return contents(all_maps(items, "segments")?, "segments", draft);
    }
    for key in ["systemInstruction", "system_instruction"] {
        let Some(system) = root.get(key) else { continue };
        match text(root, key) {
            Some(said) => draft.say("system", said, None, key.to_owned()),
            None => content(system, "system", key, draft)?,
        }
    }
    if root.get("candidates").is_none() || root.get("contents").is_some() {
        contents(maps(root, "contents")?, "contents", draft)?;
    }
    // Only the first of several answers is part of the talk.
    let candidates = list(root, "candidates");
    let answer = candidates.first().and_then(|first| first.get("content"));
    // One that was stopped before its first word has no parts.
    if let Some(answer) = answer.filter(|answer| answer.get("parts").is_some()) {
        content(answer, "assistant", "candidates[0].content", draft)?;
    }
    match candidates.len().saturating_sub(1) {
        0 => {}
        1 => draft.notice("1 more candidate was skipped".to_owned()),
        more => draft.notice(format!("{more} more candidates were skipped")),
    }
    Ok(())
}

fn contents(items: &[Node], place: &str, draft: &mut Draft<'_>) -> Result<(), Error> {
    for (at, item) in items.iter().enumerate() {
        let role = match text(item, "role") {
            Some("model") => "assistant",
            Some(role) => role,
            None => "user",
        };
        content(item, role, &format!("{place}[{at}]"), draft)?;
    }
    Ok(())
}

fn content(item: &Node, role: &str, place: &str, draft: &mut Draft<'_>) -> Result<(), Error> {
    draft.skip_unknown(item, place, &["role", "parts"]);
    let place = format!("{place}.parts");
    let Some(Node { value: Value::List(parts), .. }) = item.get("parts") else {
        return Err(Error::invalid(place, "`parts` must be a list such as `[{\"text\": …}]`"));
    };
    let mut said = Vec::new();
    for (at, part) in all_maps(parts, &place)?.iter().enumerate() {
        let place = format!("{place}[{at}]");
        let is_thought = part.get("thought").and_then(Node::text) == Some("true");
        match text(part, "text") {
            Some(thought) if is_thought => {
                draft.set_apart(ApartKind::Reasoning, "thought", thought, place.clone())
            }
            Some(words) => said.push(words),
            None => {}
        }
        for (key, kind, of) in APART {
            let Some(inner) = part.get(key).filter(|inner| is_map(inner)) else { continue };
            let name = text(inner, "name").or_else(|| text(inner, "mimeType")).unwrap_or(key);
            let text = inner.get(of).map_or("", |value| draft.written(value));
            draft.set_apart(kind, name, text, format!("{place}.{key}"));
        }
        let known: Vec<&str> = APART.iter().map(|(key, ..)| *key).chain(BESIDE).collect();
        draft.skip_unknown(part, &place, &known);
    }
    draft.say(role, &joined(&said), None, place);
    Ok(())
}
