//! The form of many data sets: `conversations` of `from` (`human`, `gpt`, …) and `value`.

use super::ApartKind;
use super::draft::{Draft, all_maps, maps, needed, text};
use crate::document::{Node, Value};
use crate::error::Error;

pub(super) fn read(root: &Node, draft: &mut Draft<'_>) -> Result<(), Error> {
    let (items, base) = match &root.value {
        Value::List(items) => (all_maps(items, "segments")?, "segments"),
        _ => (maps(root, "conversations")?, "conversations"),
    };
    if let Some(system) = text(root, "system") {
        draft.say("system", system, None, "system".to_owned());
    }
    for (at, item) in items.iter().enumerate() {
        let place = format!("{base}[{at}]");
        draft.skip_unknown(item, &place, &["from", "value"]);
        let value = needed(item, &place, "value")?;
        let from = needed(item, &place, "from")?;
        let place = format!("{place}.value");
        match from {
            "function_call" => draft.set_apart(ApartKind::ToolCall, from, value, place),
            "observation" | "tool" | "function_response" => {
                draft.set_apart(ApartKind::ToolResult, from, value, place);
            }
            "human" => draft.say("user", value, None, place),
            "gpt" | "chatgpt" | "model" => draft.say("assistant", value, None, place),
            _ => draft.say(from, value, None, place),
        }
    }
    Ok(())
}
