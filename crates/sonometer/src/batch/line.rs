//! The outcome of one interaction of many, as a line.

use crate::error::Error;
use crate::json::Json;
use crate::reading::{Reading, View};

/// One outcome as one line of JSON, with the line break: `line` is where the interaction stood (from 1), `id` the name that
/// its owner gave it. Then follows either `result`, the bytes of [`Reading::to_json`], or `error` with `code`, `message` and,
/// where there is a place in the interaction, `details.place`.
pub fn line_json(line: u64, id: Option<&str>, outcome: Result<&Reading, &Error>, view: View<'_>) -> String {
    let size = outcome.map_or_else(|error| error.message.len() + 128, Reading::json_size);
    let mut json = Json::with_capacity(size + id.map_or(0, str::len) + 64);
    json.object(|json| {
        json.key("line").count(line);
        match id {
            Some(id) => json.key("id").string(id),
            None => json.key("id").null(),
        }
        match outcome {
            Ok(reading) => json.key("result").object(|json| reading.write(json, view)),
            Err(error) => json.key("error").object(|json| write_error(json, error)),
        }
    });
    let mut text = json.into_text();
    text.push('\n');
    text
}

fn write_error(json: &mut Json, error: &Error) {
    json.key("code").string(error.code.as_str());
    json.key("message").string(&error.message);
    if !error.place.is_empty() {
        json.key("details").object(|json| json.key("place").string(&error.place));
    }
}
