//! Files of labelled interactions: one JSON object a line, `{id, interaction, labels}`; or pairs of them, `{id, interaction_a,
//! interaction_b, labels}`. A chat as other programs write it may stand in the place of an interaction, or be the line itself.

use super::{Item, Labelled, chat, hexadecimal, path};
use crate::error::{Error, Place};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sonometer::{Interaction, MessageForm};

impl Labelled {
    /// Reads the bytes of the file `name`: pairs, if its first line holds one.
    ///
    /// # Errors
    /// With line and column of the first line that is no item.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, Error> {
        let text = items_of(name, bytes)?;
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let first: Result<Written<'_>, _> = object(first, &Place::of(name));
        let pairs = first.is_ok_and(|first| first.interaction_a.is_some() || first.interaction_b.is_some());
        Self::of_lines(name, bytes, text, pairs)
    }

    /// The same, where pairs are of no use.
    ///
    /// # Errors
    /// As [`Labelled::read`], and where a line holds a pair.
    pub fn read_single(name: &str, bytes: &[u8]) -> Result<Self, Error> {
        Self::of_lines(name, bytes, items_of(name, bytes)?, false)
    }

    fn of_lines(name: &str, bytes: &[u8], text: &str, pairs: bool) -> Result<Self, Error> {
        let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        let items = lines.map(|(text, line)| {
            let place = Place { line: Some(line), ..Place::of(name) };
            item(text, &place, line, pairs)
        });
        let (items, digest) = (items.collect::<Result<_, _>>()?, hexadecimal(&Sha256::digest(bytes)));
        Ok(Self { name: name.to_owned(), items, digest: Some(digest) })
    }
}

/// Interactions, one a line, by themselves or as labelled items have them.
pub(super) fn interactions(name: &str, bytes: &[u8]) -> Result<Vec<Interaction>, Error> {
    let lines = text(name, bytes, "interactions", "{\"content\": …}")?
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty());
    let interaction = |(text, line): (&str, usize)| {
        let place = Place { line: Some(line), ..Place::of(name) };
        let written: Bare<'_> = object(text, &place)?;
        let json = written.interaction.map_or(text, RawValue::get);
        chat::talk(json).map(|talk| talk.interaction).map_err(|error| Error::engine(place, &error))
    };
    lines.map(interaction).collect()
}

/// A line that must be an object: `serde` would also read a list, its members in the order of the fields.
fn object<'t, T: Deserialize<'t>>(text: &'t str, place: &Place) -> Result<T, Error> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| unread(&error, place));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| unread(&error, place))?;
    let kind = path::kind(&value);
    Err(Error::at(place.clone(), format!("is {kind}; each line must be one JSON object")))
}

/// What is said of a line that is no JSON object.
fn unread(error: &serde_json::Error, place: &Place) -> Error {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let place = Place { column: Some(error.column()), ..place.clone() };
    Error::at(place, format!("{message}; each line must be one JSON object"))
}

/// A line that may hold its interaction under a key.
#[derive(Deserialize)]
struct Bare<'a> {
    #[serde(borrow)]
    interaction: Option<&'a RawValue>,
}

fn items_of<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, Error> {
    let shape = "{\"id\": …, \"interaction\": {\"content\": …}, \"labels\": {…}}";
    text(name, bytes, "labelled items", shape)
}

/// The text of a file of `what`, one in each line in this shape.
fn text<'b>(name: &str, bytes: &'b [u8], what: &str, shape: &str) -> Result<&'b str, Error> {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if ["csv", "tsv", "xlsx", "parquet", "arrow"].iter().any(|table| ending.eq_ignore_ascii_case(table)) {
        let message = format!("is a table; write one JSON object for each row, {shape}, into a .jsonl file");
        return Err(Error::at(Place::of(name), message));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let found = bytes.get(at).copied().unwrap_or_default();
        let message = format!("not UTF-8: byte {at} is 0x{found:02x}; save the file as UTF-8");
        Error::at(Place::of(name), message)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim().is_empty() {
        true => {
            let message = format!("holds no {what}; write one JSON object a line, {shape}");
            Err(Error::at(Place::of(name), message))
        }
        false => Ok(text),
    }
}

/// One line as an item, or as a pair.
fn item(text: &str, place: &Place, line: usize, pairs: bool) -> Result<Item, Error> {
    let wrong = |message: &str| Error::at(place.clone(), message);
    let written: Written<'_> = object(text, place)?;
    let (first, second, name) = match pairs {
        true => (written.interaction_a, written.interaction_b, "interaction_a"),
        false => (written.interaction, None, ""),
    };
    if pairs && (first.is_none() || second.is_none()) {
        let key = if first.is_none() { "interaction_a" } else { "interaction_b" };
        return Err(wrong(&format!(
            "has no `{key}`; if one line holds a pair, every line must have `interaction_a` and `interaction_b`"
        )));
    }
    // `content` and `segments` are keys of interactions, which stand in one.
    let is_chat = || {
        !pairs
            && written.interaction_a.is_none()
            && written.content.is_none()
            && MessageForm::of_others(text).is_some()
    };
    let first = first.map(RawValue::get).or_else(|| is_chat().then_some(text));
    let Some(interaction) = first else {
        return Err(wrong(match (written.interaction_a, written.content, written.segments) {
            (Some(_), ..) => {
                "holds a pair of interactions, but a single interaction is needed; give it under `interaction`"
            }
            (_, None, None) => {
                "has no `interaction`; put `content` or `segments` into an object of that name, or write the `messages` of a chat"
            }
            _ => "is an interaction without labels; write {\"interaction\": {…}, \"labels\": {…}}",
        }));
    };
    let read = |json: &str, name: &str| {
        chat::talk(json).map_err(|mut error| {
            error.place = match (name, error.place.as_str()) {
                ("", place) => place.to_owned(),
                (name, "") => name.to_owned(),
                (name, place) => format!("{name}: {place}"),
            };
            Error::engine(place.clone(), &error)
        })
    };
    let talk = read(interaction, name)?;
    let other = second.map(|second| read(second.get(), "interaction_b")).transpose()?;
    let other = other.map(|talk| talk.interaction);
    let one = |label: Value| if label.is_object() { label } else { json!({ "label": label }) };
    let labels = match written.labels.or_else(|| written.label.map(one)) {
        Some(mut labels @ Value::Object(_)) => {
            talk.align(&mut labels);
            labels
        }
        None => Value::Object(serde_json::Map::new()),
        Some(other) => {
            let kind = path::kind(&other);
            return Err(wrong(&format!(
                "`labels` is {kind}; write an object, such as {{\"labels\": {{\"positive\": true}}}}"
            )));
        }
    };
    let id = match written.id {
        Some(Value::String(id)) => id,
        None | Some(Value::Null) => format!("line {line}"),
        Some(other) => other.to_string(),
    };
    Ok(Item { line, id, interaction: talk.interaction, other, labels })
}

/// A line as it is written. Other keys (`split`, …) are of no concern.
#[derive(Deserialize)]
struct Written<'a> {
    id: Option<Value>,
    #[serde(borrow)]
    interaction: Option<&'a RawValue>,
    labels: Option<Value>,
    /// The only label, in the place of `labels`.
    label: Option<Value>,
    #[serde(borrow)]
    interaction_a: Option<&'a RawValue>,
    #[serde(borrow)]
    interaction_b: Option<&'a RawValue>,
    // Only for what can be said where `interaction` is missing.
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    segments: Option<&'a RawValue>,
}
