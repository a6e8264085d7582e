//! JSON text, read strictly into the tree: duplicate keys, lone surrogates and anything after the value are errors.

use super::{
    BYTE_ORDER_MARK, Key, MAX_NESTING, MAX_NODES, Node, Scalar, Style, Value, check_size, codes,
    duplicate_key, floor_boundary, nothing_to_read, quoted_line_spans, repeated_keys, too_deep,
    too_many_values,
};
use crate::diagnostic::{Diagnostic, Span};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// Reads one JSON value with the place of everything in it. Numbers stay as written, keys stay in their order.
///
/// The limits are those of a protocol file: 16 MiB, 16 levels, 500,000 values. Time is linear in the length of
/// the source for each level.
///
/// # Errors
/// The first finding: text that is not JSON, a key that appears twice, half of a surrogate pair, a limit.
pub fn read_json(source: &str) -> Result<Node, Diagnostic> {
    check_size(source)?;
    let text = source.strip_prefix(BYTE_ORDER_MARK).unwrap_or(source);
    if text.trim_start_matches(JSON_SPACE).is_empty() {
        return Err(nothing_to_read(source));
    }
    let mut reader = Reader { source, left: MAX_NODES };
    // The whole text is checked here, without recursion; the levels below it are known to be JSON.
    let root: &RawValue = serde_json::from_str(text).map_err(|error| reader.syntax(text, &error))?;
    reader.node(root.get(), 1)
}

const JSON_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

struct Reader<'s> {
    source: &'s str,
    /// How many more values may come.
    left: usize,
}

impl<'s> Reader<'s> {
    /// The value written as `raw`, a slice of the source, at the given level of nesting.
    fn node(&mut self, raw: &'s str, level: usize) -> Result<Node, Diagnostic> {
        let span = self.span(raw);
        let value = match raw.as_bytes().first() {
            Some(b'{' | b'[') if level > MAX_NESTING => {
                return Err(too_deep(Span::new(span.start, span.start + 1)));
            }
            Some(b'{') => Value::Map(self.map(raw, level)?),
            Some(b'[') => {
                let items = self.parts(raw, span)?;
                Value::List(
                    items
                        .into_iter()
                        .map(|(_, item)| self.node(item, level + 1))
                        .collect::<Result<_, _>>()?,
                )
            }
            Some(b'"') => {
                let text = self.string(raw)?;
                let line_spans = quoted_line_spans(self.source, span, &text);
                Value::Scalar(Scalar { text, style: Style::Quoted, line_spans })
            }
            Some(b'n') => Value::Null,
            Some(b't' | b'f') => Value::Scalar(Scalar::new(raw, Style::Bool)),
            _ => Value::Scalar(Scalar::new(raw, Style::Number)),
        };
        Ok(Node { value, span })
    }

    fn map(&mut self, raw: &'s str, level: usize) -> Result<Vec<(Key, Node)>, Diagnostic> {
        let mut entries = Vec::new();
        for (key, value) in self.parts(raw, self.span(raw))? {
            let key = Key { text: self.string(key)?, span: self.span(key) };
            entries.push((key, self.node(value, level + 1)?));
        }
        match repeated_keys(&entries).first() {
            Some(&at) => Err(duplicate_key(&entries[at].0)),
            None => Ok(entries),
        }
    }

    /// The parts of a list or map as written; the keys of a list are empty.
    fn parts(&mut self, raw: &'s str, span: Span) -> Result<Vec<(&'s str, &'s str)>, Diagnostic> {
        let mut deserializer = serde_json::Deserializer::from_str(raw);
        let parts = Parts { left: &mut self.left }.deserialize(&mut deserializer);
        parts.map_err(|error| match self.left {
            0 => too_many_values(Span::new(span.start, span.start + 1)),
            _ => self.syntax(raw, &error),
        })
    }

    /// The text of a string. Its syntax is known to be right, so only its surrogates can be wrong.
    fn string(&self, raw: &'s str) -> Result<String, Diagnostic> {
        serde_json::from_str::<String>(raw).map_err(|error| {
            let within = offset_of(raw, &error);
            let start = raw[..within].rfind("\\u").unwrap_or(0);
            let base = self.span(raw).start;
            let end = floor_boundary(raw, start + 6);
            Diagnostic::error(
                codes::LONE_SURROGATE,
                Span::new(base + start, base + end),
                format!("`{}` is half of a surrogate pair", &raw[start..end]),
                "write the character itself, or both halves, like `\\ud83d\\ude00`",
            )
        })
    }

    /// Where a slice of the source lies in it.
    fn span(&self, part: &str) -> Span {
        let start =
            (part.as_ptr() as usize).wrapping_sub(self.source.as_ptr() as usize).min(self.source.len());
        Span::new(start, (start + part.len()).min(self.source.len()))
    }

    /// A syntax error in `text`, a slice of the source.
    fn syntax(&self, text: &str, error: &serde_json::Error) -> Diagnostic {
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        let mut start = self.span(text).start + offset_of(text, error);
        if reason.starts_with("control character") {
            // The parser counts this one from before the character.
            start += self.source[start..].find(|c: char| c < ' ').unwrap_or(0);
        }
        let end = start + self.source[start..].chars().next().map_or(0, char::len_utf8);
        let after_comma = self.source[..start].trim_end_matches(JSON_SPACE).ends_with(',');
        let fix = match self.source[start..].chars().next() {
            Some('}' | ']') if after_comma => "remove the comma before the closing bracket",
            Some('\'') => "write texts in double quotes, \"like this\"",
            Some('/' | '#') => "remove the comment: JSON has none",
            _ => fix_for(reason),
        };
        Diagnostic::error(codes::NOT_JSON, Span::new(start, end), format!("this is not JSON: {reason}"), fix)
    }
}

/// The byte of `text` that an error of the JSON parser speaks of, always on a character boundary.
fn offset_of(text: &str, error: &serde_json::Error) -> usize {
    let line = error.line().saturating_sub(1);
    let line_start = match line {
        0 => 0,
        _ => text.match_indices('\n').nth(line - 1).map_or(text.len(), |(at, _)| at + 1),
    };
    floor_boundary(text, (line_start + error.column().saturating_sub(1)).min(text.len()))
}

/// What to write instead, by the reason that the JSON parser gives.
fn fix_for(reason: &str) -> &'static str {
    match reason {
        "key must be a string" => "write the key in double quotes",
        "expected `:`" => "write a colon between the key and its value",
        "expected `,` or `]`" | "expected `,` or `}`" => "write a comma before this, or close the bracket",
        "trailing characters" => "remove what follows the first value",
        "invalid escape" => "write a backslash as `\\\\`",
        "invalid number" => "write a number like `-0.5`, or put the value in double quotes",
        _ if reason.starts_with("EOF while parsing a string") => "close the string with a double quote",
        _ if reason.starts_with("EOF") => "close every `{` with `}` and every `[` with `]`",
        _ if reason.starts_with("control character") => "write a line break as `\\n` and a tab as `\\t`",
        _ => "write a text in double quotes, a number, `true`, `false`, a list or a map",
    }
}

/// Collects the parts of one list or map as slices of the text.
struct Parts<'l> {
    left: &'l mut usize,
}

impl Parts<'_> {
    fn take_one<E: serde::de::Error>(&mut self) -> Result<(), E> {
        *self.left = self.left.saturating_sub(1);
        if *self.left == 0 { Err(E::custom("too many values")) } else { Ok(()) }
    }
}

impl<'de> DeserializeSeed<'de> for Parts<'_> {
    type Value = Vec<(&'de str, &'de str)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Parts<'_> {
    type Value = Vec<(&'de str, &'de str)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or a map")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(item) = items.next_element::<&RawValue>()? {
            self.take_one()?;
            parts.push(("", item.get()));
        }
        Ok(parts)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some((key, value)) = entries.next_entry::<&RawValue, &RawValue>()? {
            self.take_one()?;
            parts.push((key.get(), value.get()));
        }
        Ok(parts)
    }
}
