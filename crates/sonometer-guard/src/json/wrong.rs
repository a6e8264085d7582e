//! What is wrong with JSON, for people: what, where and what to do. It never holds text of the body but names that every form has.

use crate::blocked::{Blocked, Kind};
use serde_json::error::Category;
use std::ops::Range;

/// The names that a message may quote. Any other name may be private.
const TOLD: [&str; 22] = [
    "arguments",
    "content",
    "function",
    "id",
    "input",
    "instructions",
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "name",
    "parameters",
    "prompt",
    "role",
    "stream",
    "system",
    "temperature",
    "text",
    "tool_calls",
    "tool_choice",
    "tools",
    "type",
];

const FIX: &str = "send one object of JSON";

/// What is wrong.
#[derive(Debug)]
pub(crate) enum Wrong<'j> {
    /// No JSON, or no object.
    Json(serde_json::Error),
    /// A name that stands twice in an object: the second one, as written.
    Twice(&'j str),
}

impl Wrong<'_> {
    /// With where it stands in the document that it was read from.
    pub(crate) fn within(self, document: &str) -> Blocked {
        let message = match self {
            Self::Json(_) if document.trim().is_empty() => format!("an empty body; {FIX}"),
            Self::Json(_) if document.starts_with('\u{feff}') => {
                "a body that begins with a byte order mark; send it without".to_owned()
            }
            // The message may quote a value.
            Self::Json(error) if error.classify() == Category::Data => {
                format!("a body that is no object of JSON; {FIX}")
            }
            Self::Json(error) => {
                let told = error.to_string();
                let what = told.rsplit_once(" at line ").map_or(told.as_str(), |(what, _)| what);
                // The columns of the parser are bytes, up to what it had read.
                let before = document.split_inclusive('\n').take(error.line().saturating_sub(1));
                let start: usize = before.map(str::len).sum();
                let at = start + error.column().saturating_sub(1);
                format!("JSON that cannot be read: {what} at {}; {FIX}", position(document.as_bytes(), at))
            }
            Self::Twice(name) => {
                let at = position(document.as_bytes(), place(document, name).start);
                let known = TOLD.iter().find(|known| name.trim_matches('"') == **known);
                let what = known.map_or("a name".to_owned(), |known| format!("`{known}`"));
                format!("an object with {what} in it twice, the second time at {at}; keep one of the two")
            }
        };
        Blocked::new(Kind::Unreadable, message)
    }
}

/// Without a place, where the whole document is not at hand: in events of a stream.
impl From<Wrong<'_>> for Blocked {
    fn from(wrong: Wrong<'_>) -> Self {
        Self::new(
            Kind::Unreadable,
            match wrong {
                Wrong::Json(_) => "JSON that cannot be read",
                Wrong::Twice(_) => "an object with a name that stands in it twice",
            },
        )
    }
}

/// Where a part of a document stands in it.
pub(crate) fn place(document: &str, part: &str) -> Range<usize> {
    // Both point into the same text: values are borrowed from the document.
    let start = (part.as_ptr() as usize).saturating_sub(document.as_ptr() as usize);
    start..start + part.len()
}

/// The line and the column of a byte, in characters from 1.
pub(crate) fn position(document: &[u8], at: usize) -> String {
    let before = &document[..at.min(document.len())];
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    // Of each character the first byte counts.
    let column = 1 + before[start..].iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    format!("line {line}, column {column}")
}
