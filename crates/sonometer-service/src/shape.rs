//! The shapes of request bodies: one description, by which bodies are checked and from which their JSON Schema is written.
//!
//! Strict: unknown keys, keys that appear twice, wrong types and values out of range are refused with their place.

use crate::refusal::{Refusal, shown};
use crate::text::{NOT_BLANK, TEXT, check_body, place_of};
use serde_json::{Map, Value as Json, json};
use sonometer::Unit;
use sonometer::diagnostic::line_and_column;
use sonometer::document::{Node, Style, Value, codes, read_json, suggest};

/// What a value must be.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A text of so many characters at least and at most.
    Text(usize, usize),
    /// An address of http or https; what it leads to is checked elsewhere.
    Address(usize),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of some of these words, each once, at least one.
    Words(&'static [&'static str]),
    /// `true` or `false`.
    Bool,
    /// A whole number from … to.
    Integer(u64, u64),
    /// A number above 0.
    Positive,
    /// An object with these keys and no others.
    Object(Vec<Field>),
    /// An interaction: checked by the engine's own reader.
    Interaction,
    /// A list of interactions, each with an id, so many at most.
    Interactions(usize),
}

/// One key of an object.
#[derive(Clone, Debug)]
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// What its value must be.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// What it is for.
    pub about: &'static str,
}

impl Field {
    /// A key that must be there.
    pub fn required(key: &'static str, shape: Shape, about: &'static str) -> Self {
        Self { key, shape, required: true, about }
    }

    /// A key that may be there.
    pub fn optional(key: &'static str, shape: Shape, about: &'static str) -> Self {
        Self { key, shape, required: false, about }
    }
}

/// Reads a body and checks its texts and its shape. Every body of every endpoint is read here.
///
/// # Errors
/// `invalid_request` with the place of the first thing that is wrong.
pub fn read(body: &str, shape: &Shape) -> Result<Node, Refusal> {
    if body.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
        return Err(Refusal::invalid("line 1, column 1", "the body is empty; send a JSON object"));
    }
    let root = read_json(body).map_err(|found| {
        let place = match found.code {
            // The text is JSON, so the place is that of a field.
            codes::LONE_SURROGATE => place_of(body, found.span.start),
            _ => {
                let (line, column) = line_and_column(body, found.span.start);
                format!("line {line}, column {column}")
            }
        };
        Refusal::invalid(place, format!("{}; {}", found.message, found.fix))
    })?;
    check_body(&root, "")?;
    shape.check(&root, "")?;
    Ok(root)
}

pub(crate) fn join(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

/// What a node is, in the words of a message about JSON.
fn kind(node: &Node) -> &'static str {
    match &node.value {
        Value::Null => "null",
        Value::Map(_) => "an object",
        _ => node.kind_name(),
    }
}

impl Shape {
    fn check(&self, node: &Node, place: &str) -> Result<(), Refusal> {
        let name = place.rsplit('.').next().unwrap_or_default();
        let wrong = |what: &str| {
            let name = if name.is_empty() { "the body".to_owned() } else { format!("`{name}`") };
            Refusal::invalid(place, format!("{name} is {}, not {what}", kind(node)))
        };
        let scalar = |style| match &node.value {
            Value::Scalar(scalar) if scalar.style == style => Some(scalar.text.as_str()),
            _ => None,
        };
        match self {
            Self::Text(least, most) => {
                let text = scalar(Style::Quoted).ok_or_else(|| wrong("a text in quotes"))?;
                let length = text.chars().count();
                if length < *least || text.trim().is_empty() && *least > 0 {
                    return Err(Refusal::invalid(place, format!("`{name}` is empty; write a text")));
                }
                if length > *most {
                    let message = format!("`{name}` has {length} characters; the limit is {most}");
                    return Err(Refusal::invalid(place, message));
                }
            }
            Self::Address(most) => Self::Text(1, *most).check(node, place)?,
            Self::Word(words) => {
                let text = scalar(Style::Quoted).ok_or_else(|| wrong("a text in quotes"))?;
                if !words.contains(&text) {
                    let fix = match suggest(text, words) {
                        Some(near) => format!("did you mean `{near}`"),
                        None => format!("write one of {}", words.join(", ")),
                    };
                    let message = format!("unknown {name} `{}`; {fix}", shown(text));
                    return Err(Refusal::invalid(place, message));
                }
            }
            Self::Words(words) => {
                let Value::List(items) = &node.value else { return Err(wrong("a list")) };
                if items.is_empty() {
                    return Err(Refusal::invalid(
                        place,
                        format!("`{name}` is empty; remove it, or give at least one value"),
                    ));
                }
                for (at, item) in items.iter().enumerate() {
                    let place = format!("{place}[{at}]");
                    Self::Word(words).check(item, &place)?;
                    if items[..at].iter().any(|other| other.text() == item.text()) {
                        return Err(Refusal::invalid(place, "duplicate entry"));
                    }
                }
            }
            Self::Bool => drop(scalar(Style::Bool).ok_or_else(|| wrong("true or false"))?),
            Self::Integer(least, most) => {
                let text = scalar(Style::Number).ok_or_else(|| wrong("a whole number"))?;
                if integer(text).is_none_or(|number| !(*least..=*most).contains(&number)) {
                    let message = format!("`{name}` is not a whole number from {least} to {most}");
                    return Err(Refusal::invalid(place, message));
                }
            }
            Self::Positive => {
                let text = scalar(Style::Number).ok_or_else(|| wrong("a number"))?;
                if Unit::parse(text).is_none_or(|number| number <= Unit::ZERO) {
                    let message = format!("`{name}` is not a number from 0.000001 to 9e12");
                    return Err(Refusal::invalid(place, message));
                }
            }
            Self::Object(fields) => {
                let Value::Map(entries) = &node.value else { return Err(wrong("an object")) };
                for (key, value) in entries {
                    let place = join(place, &shown(&key.text));
                    let Some(field) = fields.iter().find(|field| field.key == key.text) else {
                        let known: Vec<&str> = fields.iter().map(|field| field.key).collect();
                        let fix = match suggest(&key.text, &known) {
                            Some(near) => format!("did you mean `{near}`"),
                            None if known.is_empty() => "nothing is sent here; remove it".to_owned(),
                            None if known.len() == 1 => format!("the only key is `{}`", known[0]),
                            None => format!("the known keys are {}", known.join(", ")),
                        };
                        let message = format!("unknown key `{}`; {fix}", shown(&key.text));
                        return Err(Refusal::invalid(place, message));
                    };
                    field.shape.check(value, &place)?;
                }
                let missing = fields.iter().find(|field| field.required && node.get(field.key).is_none());
                if let Some(Field { key, about, .. }) = missing {
                    return Err(Refusal::invalid(join(place, key), format!("`{key}` is missing: {about}")));
                }
            }
            Self::Interaction => {
                if !matches!(node.value, Value::Map(_)) {
                    return Err(wrong("an object"));
                }
            }
            Self::Interactions(most) => {
                let Value::List(items) = &node.value else { return Err(wrong("a list")) };
                if items.is_empty() {
                    return Err(Refusal::invalid(place, "the list is empty; give at least one interaction"));
                }
                if items.len() > *most {
                    let message = format!("{} interactions; the limit is {most}", items.len());
                    return Err(Refusal::too_large(place, *most, message));
                }
            }
        }
        Ok(())
    }

    /// The JSON Schema (draft 2020-12).
    pub fn schema(&self) -> Json {
        match self {
            Self::Text(least, most) => match least {
                0 => json!({"type": "string", "maxLength": most, "pattern": TEXT}),
                _ => json!({"type": "string", "minLength": least, "maxLength": most, "pattern": NOT_BLANK}),
            },
            Self::Address(most) => json!({
                "type": "string", "format": "uri", "maxLength": most,
                // Names and public addresses on the usual ports. What a name stands for, no schema can tell.
                "pattern": "^https?://[a-z]([a-z0-9-]*[a-z0-9])?(\\.[a-z]([a-z0-9-]*[a-z0-9])?)+(:(80|443))?(/[A-Za-z0-9/._~-]*)?$",
            }),
            Self::Word(words) => json!({"type": "string", "enum": words}),
            Self::Words(words) => json!({
                "type": "array", "minItems": 1, "uniqueItems": true, "items": {"type": "string", "enum": words},
            }),
            Self::Bool => json!({"type": "boolean"}),
            Self::Integer(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
            Self::Positive => json!({"type": "number", "minimum": 0.000001, "maximum": 9e12}),
            Self::Object(fields) => {
                let properties: Map<String, Json> = fields
                    .iter()
                    .map(|Field { key, shape, about, .. }| {
                        let mut schema = shape.schema();
                        if let Json::Object(schema) = &mut schema {
                            schema.insert("description".to_owned(), json!(about));
                        }
                        ((*key).to_owned(), schema)
                    })
                    .collect();
                let required: Vec<_> = fields.iter().filter(|f| f.required).map(|f| f.key).collect();
                let mut schema =
                    json!({"type": "object", "properties": properties, "additionalProperties": false});
                if !required.is_empty() {
                    schema["required"] = json!(required);
                }
                schema
            }
            Self::Interaction => json!({"$ref": "#/components/schemas/Interaction"}),
            Self::Interactions(most) => json!({
                "type": "array", "minItems": 1, "maxItems": most,
                "items": {"$ref": "#/components/schemas/BatchInteraction"},
            }),
        }
    }
}

/// A whole number of JSON, also written as `2.0`, `2e3` or `20e-1`; `None` for anything else, and above 2^53.
pub(crate) fn integer(text: &str) -> Option<u64> {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{part}");
    if all.trim_start_matches('-').bytes().all(|b| b == b'0') {
        return Some(0);
    }
    let significant = all.trim_start_matches('0').trim_end_matches('0');
    // Behind the digits that count stand so many zeros; fewer than none: there is a fraction.
    let zeros = (all.len() - all.trim_end_matches('0').len()) as i64 - part.len() as i64;
    let zeros =
        usize::try_from(zeros.saturating_add(exponent.parse().ok()?)).ok().filter(|zeros| *zeros < 20)?;
    let number =
        significant.parse::<u64>().ok()?.checked_mul(10_u64.checked_pow(u32::try_from(zeros).ok()?)?)?;
    (number <= 1 << 53).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> Shape {
        Shape::Object(vec![
            Field::required("name", Shape::Text(1, 4), "what it is called"),
            Field::optional("kind", Shape::Word(&["text", "audio"]), "what it is"),
            Field::optional("count", Shape::Integer(1, 9), "how many"),
            Field::optional("window", Shape::Positive, "how long"),
            Field::optional(
                "inner",
                Shape::Object(vec![Field::optional("on", Shape::Bool, "whether")]),
                "more",
            ),
            Field::optional("nothing", Shape::Object(Vec::new()), "no more"),
        ])
    }

    #[test]
    fn takes_what_fits() {
        for body in [
            r#"{"name": "a"}"#,
            r#"{"name": "äöü€", "kind": "audio", "count": 9, "window": 0.5, "inner": {"on": false}}"#,
            r#"{"count": 2.0, "name": "a", "inner": {}}"#,
        ] {
            assert!(read(body, &shape()).is_ok(), "{body}");
        }
    }

    #[test]
    fn whole_numbers_in_every_spelling() {
        for (text, number) in [
            ("0", 0),
            ("0.000", 0),
            ("0e99", 0),
            ("-0.0", 0),
            ("7", 7),
            ("2.0", 2),
            ("2e3", 2_000),
            ("2.50E1", 25),
            ("20e-1", 2),
            ("120.0e-1", 12),
            ("35184372088831.0", 35_184_372_088_831),
            ("9007199254740992", 1 << 53),
            ("9.007199254740992e15", 1 << 53),
        ] {
            assert_eq!(integer(text), Some(number), "{text}");
        }
        for text in [
            "9007199254740993",
            "1e16",
            "1e999999999999999999999",
            "2.5",
            "2e-1",
            "2.0000001",
            "-1",
            "-0.5",
            "1e-99",
        ] {
            assert_eq!(integer(text), None, "{text}");
        }
    }

    #[test]
    fn names_the_place_of_what_does_not() {
        for (body, place, part) in [
            ("", "line 1, column 1", "empty"),
            ("{", "line 1, column 1", "not valid JSON"),
            ("[]", "", "a list, not an object"),
            ("null", "", "null"),
            ("{}", "name", "missing"),
            (r#"{"name": "a", "name": "b"}"#, "line 1, column 15", "twice"),
            (r#"{"name": 1}"#, "name", "a number, not a text"),
            (r#"{"name": ""}"#, "name", "empty"),
            (r#"{"name": "  "}"#, "name", "empty"),
            (r#"{"name": "abcde"}"#, "name", "5 characters"),
            (r#"{"name": "a", "knid": "text"}"#, "knid", "did you mean `kind`"),
            (r#"{"name": "a", "kind": "Text"}"#, "kind", "did you mean `text`"),
            (r#"{"name": "a", "kind": null}"#, "kind", "null"),
            (r#"{"name": "a", "count": 0}"#, "count", "from 1 to 9"),
            (r#"{"name": "a", "count": 2.5}"#, "count", "whole"),
            (r#"{"name": "a", "count": 2.0000001}"#, "count", "whole"),
            (r#"{"name": "a", "count": "2"}"#, "count", "text, not a whole number"),
            (r#"{"name": "a", "window": 0}"#, "window", "0.000001"),
            (r#"{"name": "a", "window": 1e99}"#, "window", "9e12"),
            (r#"{"name": "a", "inner": {"on": "yes"}}"#, "inner.on", "true or false"),
            (r#"{"name": "a", "inner": {"other": true}}"#, "inner.other", "the only key is `on`"),
            (r#"{"name": "a", "nothing": {"at": 1}}"#, "nothing.at", "`at`; nothing is sent here; remove it"),
            (r#"{"name": "a\u0000"}"#, "name", "U+0000"),
            (r#"{"name": "a", "inner": {"x\u0000": true}}"#, "inner.x\\u0000", "a key contains U+0000"),
            (r#"{"name": "a", "inner": {"on": ["b", "\ude00"]}}"#, "inner.on[1]", "half of a surrogate pair"),
            (r#"{"name": "a", "\ud83d": 1}"#, "\\ud83d", "half of a surrogate pair"),
        ] {
            let refusal = read(body, &shape()).expect_err(body);
            let found = refusal.details.place.clone().unwrap_or_default();
            assert!(found == place && refusal.message.contains(part), "{body}: {refusal}");
        }
    }
}
