//! Files with an interaction a line, of any size.

use super::source::{Item, Seen};
use crate::blocks::{Block, Blocks, TOO_LONG};
use crate::failure::Failure;
use crate::file;
use serde_json::{Map, Value};
use sonometer::{Error, ErrorCode};
use std::ops::ControlFlow;

/// Reads a file line by line. `is_one`: whether it is the only input, so that its lines need no other name than their number.
pub(super) fn read(
    path: &str,
    is_one: bool,
    by: Option<&str>,
    seen: &mut Seen,
    add: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Failure> {
    let named = |number: u64| {
        let place = format!("{path}:{number}");
        (if is_one { format!("line {number}") } else { place.clone() }, place)
    };
    for block in Blocks::new(file::expect_utf8(path, file::open(path)?)?) {
        match &block {
            Block::TooLong { number, .. } => {
                let interaction = Err(Error::new(ErrorCode::PayloadTooLarge, "", TOO_LONG));
                let (name, place) = named(*number);
                if add(Item { name, place, group: None, interaction, origin: None, is_talk: false })
                    .is_break()
                {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Block::Unreadable(error) => {
                return Err(Failure::unusable(format!("{path}: cannot be read: {error}")));
            }
            Block::Lines { .. } => {}
        }
        for (number, bytes) in block.lines() {
            if add(item(named(number), bytes, by, seen)).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn item((name, place): (String, String), bytes: &[u8], by: Option<&str>, seen: &mut Seen) -> Item {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let byte = format!("byte {}", error.valid_up_to());
            let interaction = Err(Error::invalid(byte, "not UTF-8; save the input as UTF-8"));
            return Item { name, place, group: None, interaction, origin: None, is_talk: false };
        }
    };
    let (id, mut interaction) = sonometer_ingest::unwrap(text);
    if let Err(error) = &mut interaction
        && let Some(column) = error.place.strip_prefix("line 1, ")
    {
        error.place = column.to_owned();
    }
    let group = by.and_then(|by| value_of(text, by, seen));
    Item { name: id.unwrap_or(name), place, group, interaction, origin: None, is_talk: false }
}

/// The value of a key of a line or of its `labels`, as text; dots lead into objects.
fn value_of(text: &str, by: &str, seen: &mut Seen) -> Option<String> {
    let Ok(Value::Object(line)) = serde_json::from_str::<Value>(text) else { return None };
    note(&line, seen);
    let within = |from: &Map<String, Value>| -> Option<Value> {
        if let Some(value) = from.get(by) {
            return Some(value.clone());
        }
        let mut keys = by.split('.');
        let mut now = from.get(keys.next()?)?;
        for key in keys {
            now = now.get(key)?;
        }
        Some(now.clone())
    };
    let labels = line.get("labels").and_then(Value::as_object);
    let value = within(&line).or_else(|| within(labels?))?;
    let told = match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is) => Some(is.to_string()),
        Value::Null => None,
        // What is a list or an object is no value to compare by.
        Value::Array(_) | Value::Object(_) => return None,
    };
    seen.is_found = true;
    told
}

/// The keys with single values.
fn note(line: &Map<String, Value>, seen: &mut Seen) {
    let is_single = |value: &Value| !(value.is_array() || value.is_object());
    let top = line.iter().filter(|(key, value)| is_single(value) && *key != "content");
    top.for_each(|(key, _)| seen.note(key));
    let labels = line.get("labels").and_then(Value::as_object).into_iter().flatten();
    labels.filter(|(_, value)| is_single(value)).for_each(|(key, _)| seen.note(&format!("labels.{key}")));
}
