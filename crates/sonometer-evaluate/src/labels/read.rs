//! Files of labelled interactions: one JSON object a line, `{id, interaction, labels}`; or pairs of them, `{id, interaction_a,
//! interaction_b, labels}`; or rows, `{text, polite}`. A chat as other programs write it may stand in the place of an interaction, or be
//! the line itself.

use super::file::DataFile;
use super::rows::{self, Columns, Rows};
use super::{Item, Labelled, chat, hexadecimal, path};
use crate::error::{Error, Place};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use sonometer::{Interaction, MessageForm};

impl Labelled {
    /// Reads the bytes of the file `name`: pairs, if its first line holds one.
    ///
    /// # Errors
    /// With line and column of the first line that is no item.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, Error> {
        Self::of(DataFile::lines(name, bytes), &Columns::default())
    }

    /// The same, where pairs are of no use.
    ///
    /// # Errors
    /// As [`Labelled::read`], and where a line holds a pair.
    pub fn read_single(name: &str, bytes: &[u8]) -> Result<Self, Error> {
        Self::single_of(DataFile::lines(name, bytes), &Columns::default())
    }

    /// Reads a file of lines or a table, whose rows have their parts in these columns: pairs, if the first holds one.
    ///
    /// # Errors
    /// With the line of the first row or line that is no item.
    pub fn of(file: DataFile<'_>, columns: &Columns) -> Result<Self, Error> {
        Self::of_file(file, columns, true)
    }

    /// The same, where pairs are of no use.
    ///
    /// # Errors
    /// As [`Labelled::of`], and where a line holds a pair.
    pub fn single_of(file: DataFile<'_>, columns: &Columns) -> Result<Self, Error> {
        Self::of_file(file, columns, false)
    }

    fn of_file(mut file: DataFile<'_>, columns: &Columns, may_be_pairs: bool) -> Result<Self, Error> {
        let name = file.name;
        let mut rows = Rows::new(columns);
        let items = match file.table.take() {
            Some(table) => {
                let table = table.rows(columns, &Place::of(name))?;
                let place = |line: usize| Place { line: Some(line), ..Place::of(name) };
                if let Some((_, first)) = table.first() {
                    rows.choose(first, &place(1))?;
                }
                let item = |(line, row)| rows.item(row, place(line), line);
                table.into_iter().map(item).collect::<Result<Vec<_>, _>>()?
            }
            None => {
                let lines = file.places("labelled items", "{\"text\": …, \"label\": …}")?;
                let first = lines.first().map(|(text, place)| object::<Written<'_>>(text, place));
                let pairs = may_be_pairs
                    && matches!(first, Some(Ok(first)) if first.interaction_a.is_some() || first.interaction_b.is_some());
                let item = |(text, place): (&str, Place)| item(text, place, pairs, columns, &mut rows);
                lines.into_iter().map(item).collect::<Result<Vec<_>, _>>()?
            }
        };
        if let (false, Some(pair)) = (may_be_pairs, items.iter().find(|item| item.other.is_some())) {
            return Err(Error::at(Place { line: Some(pair.line), ..Place::of(name) }, PAIR));
        }
        let digest = hexadecimal(&Sha256::digest(file.bytes));
        Ok(Self { name: name.to_owned(), items, digest: Some(digest) })
    }
}

/// What is said of a pair where pairs are of no use.
const PAIR: &str =
    "holds a pair of interactions, but a single interaction is needed; give it under `interaction`";

/// Interactions, one a line or row, by themselves or as labelled items have them.
pub(super) fn interactions(mut file: DataFile<'_>, columns: &Columns) -> Result<Vec<Interaction>, Error> {
    if let Some(table) = file.table.take() {
        let place = |line: usize| Place { line: Some(line), ..Place::of(file.name) };
        let table = table.rows(columns, &Place::of(file.name))?;
        if let Some((_, first)) = table.first() {
            rows::expect_said(columns, first, &place(1))?;
        }
        return table.iter().map(|(line, row)| rows::ordinary(columns, row, &place(*line))).collect();
    }
    let lines = file.places("interactions", "{\"content\": …}")?;
    let interaction = |(text, place): (&str, Place)| {
        let written: Bare<'_> = object(text, &place)?;
        if written.interaction.is_none() && MessageForm::of_others(text).is_none() {
            let row: Map<String, Value> = object(text, &place)?;
            if row.contains_key("text") || columns.text.as_ref().is_some_and(|text| row.contains_key(text)) {
                return rows::ordinary(columns, &row, &place);
            }
            if !row.contains_key("content") && !row.contains_key("segments") {
                let names = rows::names(&row);
                return Err(Error::at(
                    place,
                    format!(
                        "has neither `content` nor `text`; write {{\"text\": …}}, or name the column of the texts with --text-column; the \
                         columns are {names}"
                    ),
                ));
            }
        }
        let json = written.interaction.map_or(text, RawValue::get);
        chat::talk(json).map(|talk| talk.interaction).map_err(|error| Error::engine(place, &error))
    };
    lines.into_iter().map(interaction).collect()
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

/// One line as an item, or as a pair.
fn item(
    text: &str,
    place: Place,
    pairs: bool,
    columns: &Columns,
    rows: &mut Rows<'_>,
) -> Result<Item, Error> {
    let wrong = |message: &str| Error::at(place.clone(), message);
    let line = place.line.unwrap_or_default();
    if columns.text.is_some() {
        return rows.item(object(text, &place)?, place, line);
    }
    let written: Written<'_> = object(text, &place)?;
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
    // A row may have `content` or `segments` beside its labels.
    let is_chat = || {
        !pairs
            && written.interaction_a.is_none()
            && written.content.is_none()
            && MessageForm::of_others(text).is_some()
    };
    let first = first.map(RawValue::get).or_else(|| is_chat().then_some(text));
    let Some(interaction) = first else {
        if written.interaction_a.is_some() {
            return Err(wrong(PAIR));
        }
        let row: Map<String, Value> = object(text, &place)?;
        if rows::is_row(&row) {
            return rows.item(row, place, line);
        }
        return Err(match (written.content, written.segments) {
            (None, None) => {
                let names = rows::names(&row);
                wrong(&format!(
                    "has neither `interaction` nor `text`; write {{\"text\": …, \"label\": …}}, or name the column of the texts with \
                     --text-column; the columns are {names}"
                ))
            }
            _ => wrong(
                "is an interaction without labels; write them beside it, such as {\"content\": …, \"label\": true}",
            ),
        });
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
