//! Messages of a thread, as OpenAI's Assistants list them: the newest first, unless they were asked for in another order.

use super::ApartKind;
use super::draft::{Draft, all_maps, joined, list, maps, needed, number, text};
use crate::document::{Node, Value};
use crate::error::Error;

/// Keys of a message beside what was said.
const KEYS: [&str; 14] = [
    "assistant_id",
    "attachments",
    "completed_at",
    "content",
    "created_at",
    "id",
    "incomplete_at",
    "incomplete_details",
    "metadata",
    "object",
    "role",
    "run_id",
    "status",
    "thread_id",
];

pub(super) fn is_message(item: &Node) -> bool {
    text(item, "object") == Some("thread.message")
}

pub(super) fn read(root: &Node, draft: &mut Draft<'_>) -> Result<(), Error> {
    let (items, base) = match &root.value {
        Value::List(items) => (all_maps(items, "segments")?, "segments"),
        _ => (maps(root, "data")?, "data"),
    };
    let time = |item: Option<&Node>| item.and_then(|item| number(item, "created_at"));
    let mut order: Vec<usize> = (0..items.len()).collect();
    if time(items.first()) > time(items.last()) && time(items.last()).is_some() {
        order.reverse();
    }
    if root.get("has_more").and_then(Node::text) == Some("true") {
        draft.notice("this is one page of a thread; `has_more` says that there are others".to_owned());
    }
    order.into_iter().try_for_each(|at| message(&items[at], &format!("{base}[{at}]"), draft))
}

fn message(item: &Node, place: &str, draft: &mut Draft<'_>) -> Result<(), Error> {
    draft.skip_unknown(item, place, &KEYS);
    let role = needed(item, place, "role")?;
    let of_parts = format!("{place}.content");
    let mut said = Vec::new();
    for (at, part) in all_maps(list(item, "content"), &of_parts)?.iter().enumerate() {
        let place = format!("{of_parts}[{at}]");
        match needed(part, &place, "type")? {
            "text" => {
                let inner = part.get("text").and_then(|inner| text(inner, "value"));
                said.push(inner.map_or_else(|| needed(part, &place, "text"), Ok)?);
            }
            "refusal" => said.push(needed(part, &place, "refusal")?),
            kind => draft.set_apart(ApartKind::Media, kind, "", place),
        }
    }
    draft.say(role, &joined(&said), number(item, "created_at"), of_parts);
    Ok(())
}
