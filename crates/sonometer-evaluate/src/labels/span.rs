//! Labels of places in a text.

use super::path::kind;
use serde::Deserialize;
use serde_json::Value;
use sonometer::{Interaction, OffsetUnit};
use std::ops::Range;

/// A labelled place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) kind: String,
    /// The turn, from 0.
    pub(crate) turn: usize,
    /// Bytes of the turn's content.
    pub(crate) range: Range<usize>,
}

#[derive(Deserialize)]
struct Written {
    r#type: String,
    start: usize,
    end: usize,
    #[serde(default)]
    segment: usize,
}

/// Reads a list of `{type, start, end}`, with `segment` where there are several turns; places count in `unit`.
///
/// # Errors
/// What the value is and what to do, where it is no such list or a place does not lie in the text.
pub(crate) fn spans(value: &Value, interaction: &Interaction, unit: OffsetUnit) -> Result<Vec<Span>, String> {
    let Value::Array(list) = value else {
        return Err(format!("{}; spans are a list of {{\"type\", \"start\", \"end\"}}", kind(value)));
    };
    list.iter()
        .enumerate()
        .map(|(at, span)| one(span, interaction, unit).map_err(|wrong| format!("wrong at [{at}]: {wrong}")))
        .collect()
}

fn one(span: &Value, interaction: &Interaction, unit: OffsetUnit) -> Result<Span, String> {
    let Written { r#type: kind, start, end, segment: turn } = Written::deserialize(span)
        .map_err(|error| format!("{error}; write {{\"type\", \"start\", \"end\"}}"))?;
    let turns = interaction.turns();
    let Some(content) = turns.get(turn).map(|turn| &turn.content) else {
        return Err(format!("there is no segment {turn}; there are {}, counted from 0", turns.len()));
    };
    let outside = || format!("{start} to {end} is outside the text (in {})", name(unit));
    match (byte(content, start, unit), byte(content, end, unit)) {
        (Some(start), Some(end)) if start < end => Ok(Span { kind, turn, range: start..end }),
        (Some(_), Some(_)) => Err(format!("start {start} is not before end {end}")),
        _ => Err(outside()),
    }
}

/// The byte at a place counted in another unit, if it is the edge of a character.
fn byte(content: &str, at: usize, unit: OffsetUnit) -> Option<usize> {
    if unit == OffsetUnit::Bytes {
        return content.is_char_boundary(at).then_some(at);
    }
    let mut counted = 0;
    for (byte, c) in content.char_indices() {
        if counted >= at {
            return (counted == at).then_some(byte);
        }
        counted += if unit == OffsetUnit::Utf16 { c.len_utf16() } else { 1 };
    }
    (counted == at).then_some(content.len())
}

fn name(unit: OffsetUnit) -> &'static str {
    match unit {
        OffsetUnit::Bytes => "bytes",
        OffsetUnit::Chars => "characters",
        OffsetUnit::Utf16 => "UTF-16 units",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_are_counted_in_the_unit_asked_for() {
        let text = Interaction::text("é😀ab").expect("is short");
        let place = |start: usize, end: usize, unit| {
            let value = json!([{"type": "T", "start": start, "end": end}]);
            spans(&value, &text, unit).map(|found| found[0].range.clone())
        };
        assert_eq!(place(2, 4, OffsetUnit::Chars), Ok(6..8));
        assert_eq!(place(3, 5, OffsetUnit::Utf16), Ok(6..8));
        assert_eq!(place(6, 8, OffsetUnit::Bytes), Ok(6..8));
        assert!(place(2, 5, OffsetUnit::Chars).is_err());
        assert!(place(2, 3, OffsetUnit::Utf16).is_err());
        assert!(place(1, 2, OffsetUnit::Bytes).is_err());
        assert!(place(2, 2, OffsetUnit::Chars).is_err());
    }

    #[test]
    fn errors_name_the_span() {
        let text = Interaction::text("ab").expect("is short");
        let told = |value| spans(&value, &text, OffsetUnit::Chars).expect_err("is refused");
        assert!(told(json!("x")).starts_with("a text; spans are a list"));
        assert!(told(json!([{"type": "T", "start": 0}])).starts_with("wrong at [0]: missing field `end`"));
        assert_eq!(
            told(json!([{"type": "T", "start": 0, "end": 1, "segment": 3}])),
            "wrong at [0]: there is no segment 3; there are 1, counted from 0"
        );
    }
}
