//! The form of Amazon Bedrock's Converse: blocks have no `type`, but one key that says what they are.

use super::ApartKind;
use super::draft::{Draft, all_maps, is_map, joined, list, needed, text};
use crate::document::{Node, Value};
use crate::error::Error;

/// Blocks that nobody said, each with the key of its text and of its name.
const APART: [(&str, ApartKind, &str, &str); 8] = [
    ("toolUse", ApartKind::ToolCall, "input", "name"),
    ("toolResult", ApartKind::ToolResult, "content", "toolUseId"),
    ("reasoningContent", ApartKind::Reasoning, "reasoningText", ""),
    ("image", ApartKind::Media, "", "format"),
    ("document", ApartKind::Media, "", "name"),
    ("video", ApartKind::Media, "", "format"),
    ("audio", ApartKind::Media, "", "format"),
    ("searchResult", ApartKind::Media, "", "title"),
];
/// Blocks with text, or none that somebody would see.
const OTHERS: [&str; 4] = ["text", "guardContent", "citationsContent", "cachePoint"];

/// Whether a message is of this form.
pub(super) fn is_message(item: &Node) -> bool {
    let is_block = |block: &Node| {
        let mut keys = APART.iter().map(|(key, ..)| *key).chain(OTHERS);
        is_map(block) && block.get("type").is_none() && keys.any(|key| block.get(key).is_some())
    };
    matches!(text(item, "role"), Some("user" | "assistant"))
        && list(item, "content").first().is_some_and(is_block)
}

/// The message of an answer.
pub(super) fn answer(root: &Node) -> Option<&Node> {
    root.get("output")?.get("message").filter(|message| is_message(message))
}

pub(super) fn read(root: &Node, draft: &mut Draft<'_>) -> Result<(), Error> {
    if let Value::List(items) = &root.value {
        return messages(items, "segments", draft);
    }
    blocks(root, "system", "system", draft)?;
    messages(list(root, "messages"), "messages", draft)?;
    match answer(root) {
        Some(answer) => message(answer, "output.message", draft),
        None => Ok(()),
    }
}

fn messages(items: &[Node], base: &str, draft: &mut Draft<'_>) -> Result<(), Error> {
    let mut all = all_maps(items, base)?.iter().enumerate();
    all.try_for_each(|(at, item)| message(item, &format!("{base}[{at}]"), draft))
}

fn message(item: &Node, place: &str, draft: &mut Draft<'_>) -> Result<(), Error> {
    draft.skip_unknown(item, place, &["role", "content"]);
    let role = needed(item, place, "role")?;
    let of_blocks = format!("{place}.content");
    match item.get("content").map(|content| &content.value) {
        Some(Value::List(_)) => blocks(item, role, &of_blocks, draft),
        // The other forms have texts, too.
        _ => {
            draft.say(role, needed(item, place, "content")?, None, of_blocks);
            Ok(())
        }
    }
}

/// The blocks of a message, or of the instructions to the model.
fn blocks(item: &Node, role: &str, place: &str, draft: &mut Draft<'_>) -> Result<(), Error> {
    let key = place.rsplit('.').next().unwrap_or(place);
    let mut said = Vec::new();
    for (at, block) in all_maps(list(item, key), place)?.iter().enumerate() {
        let place = format!("{place}[{at}]");
        let known: Vec<&str> = APART.iter().map(|(key, ..)| *key).chain(OTHERS).collect();
        draft.skip_unknown(block, &place, &known);
        said.extend(text(block, "text"));
        said.extend(block.get("guardContent").and_then(|guard| text(guard.get("text")?, "text")));
        if let Some(cited) = block.get("citationsContent") {
            said.extend(list(cited, "content").iter().filter_map(|part| text(part, "text")));
        }
        for (key, kind, of, name) in APART {
            let Some(inner) = block.get(key) else { continue };
            let words =
                inner.get(of).map_or("", |words| text(words, "text").unwrap_or_else(|| draft.written(words)));
            draft.set_apart(kind, text(inner, name).unwrap_or(key), words, format!("{place}.{key}"));
        }
    }
    draft.say(role, &joined(&said), None, place.to_owned());
    Ok(())
}
