//! Columns of turns: who speaks, what is said, and when.

use super::write::in_utc;
use crate::failure::Failure;
use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_cast::parse::string_to_timestamp_nanos;
use arrow_schema::{DataType, TimeUnit};
use sonometer::Turn;
use sonometer_ingest::{Hints, Limits, Reason};

/// Which columns hold what of a turn.
#[derive(Clone, Debug)]
pub(crate) struct TurnColumns {
    pub(crate) text: String,
    pub(crate) role: String,
    pub(crate) time: Option<String>,
}

/// The columns of turns, as they are read.
pub(crate) struct Turns {
    pub(crate) roles: StringArray,
    pub(crate) contents: StringArray,
    pub(crate) times: Option<Vec<Option<f64>>>,
}

impl TurnColumns {
    pub(crate) fn read(&self, path: &str, first: u64, rows: &RecordBatch) -> Result<Turns, Failure> {
        let text = |name: &String| as_text(path, name, column(rows, name));
        let times = self.time.as_ref().map(|name| seconds(path, name, first, column(rows, name)));
        Ok(Turns { roles: text(&self.role)?, contents: text(&self.text)?, times: times.transpose()? })
    }

    /// Each row as a conversation of one turn.
    pub(crate) fn single(&self, path: &str, first: u64, rows: &RecordBatch) -> Result<ArrayRef, Failure> {
        let turns = self.read(path, first, rows)?;
        let times = match turns.times {
            Some(times) => arrow_array::Float64Array::from(times),
            None => arrow_array::Float64Array::new_null(rows.num_rows()),
        };
        let nulls = turns.contents.nulls().cloned();
        let lengths = std::iter::repeat_n(1, rows.num_rows());
        Ok(sonometer_arrow::talks(turns.roles, turns.contents, times, lengths, nulls))
    }
}

/// Texts whose lines are turns, as conversations. The first turn of a text whose first words have no role has none, which is an error of
/// its row.
pub(crate) fn of_lines(path: &str, name: &str, first: u64, array: &ArrayRef) -> Result<ArrayRef, Failure> {
    let texts = as_text(path, name, array)?;
    let (mut roles, mut contents) = (StringBuilder::new(), StringBuilder::new());
    let mut lengths = Vec::with_capacity(texts.len());
    for (row, text) in (first..).zip(&texts) {
        let text = text.unwrap_or_default();
        let turns = match sonometer_ingest::turns(text, &Hints::default(), &Limits::default()) {
            Ok(read) => read.interaction.turns().to_vec(),
            Err(error) if error.reason == Reason::Broken => {
                vec![Turn { role: None, content: text.into(), timestamp: None }]
            }
            Err(error) if error.reason == Reason::NoText => Vec::new(),
            Err(error) => return Err(Failure::engine(&format!("{path}: row {row}"), &error.error)),
        };
        for turn in &turns {
            roles.append_option(turn.role.as_deref());
            contents.append_value(&turn.content);
        }
        lengths.push(turns.len());
    }
    let (roles, contents) = (roles.finish(), contents.finish());
    let times = arrow_array::Float64Array::new_null(roles.len());
    Ok(sonometer_arrow::talks(roles, contents, times, lengths, texts.nulls().cloned()))
}

pub(crate) fn column<'r>(rows: &'r RecordBatch, name: &str) -> &'r ArrayRef {
    rows.column_by_name(name).expect("was looked for in the schema")
}

/// A column of texts.
pub(crate) fn as_text(path: &str, name: &str, array: &ArrayRef) -> Result<StringArray, Failure> {
    let is_text = match array.data_type() {
        DataType::Dictionary(_, values) => is_text(values),
        kind => is_text(kind),
    };
    if !is_text {
        let kind = array.data_type();
        return Err(Failure::unusable(format!("{path}: the column `{name}` is `{kind}`; wanted is text")));
    }
    texts(path, name, array)
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null)
}

/// A column of anything that can be written as a text.
pub(crate) fn texts(path: &str, name: &str, array: &ArrayRef) -> Result<StringArray, Failure> {
    let written = cast(array, &in_utc(array.data_type())).and_then(|array| cast(&array, &DataType::Utf8));
    match written {
        // Bytes that are no text would be null.
        Ok(written) if written.logical_null_count() == array.logical_null_count() => {
            Ok(written.as_string::<i32>().clone())
        }
        _ => Err(Failure::unusable(format!(
            "{path}: the column `{name}` is `{}`; wanted are texts or whole numbers",
            array.data_type()
        ))),
    }
}

/// Times in seconds.
fn seconds(path: &str, name: &str, first: u64, array: &ArrayRef) -> Result<Vec<Option<f64>>, Failure> {
    let unusable = || {
        Failure::unusable(format!(
            "{path}: the column `{name}` is `{}`; wanted are seconds, or dates with times",
            array.data_type()
        ))
    };
    match array.data_type() {
        DataType::Timestamp(_, zone) => {
            let micros = cast(array, &DataType::Timestamp(TimeUnit::Microsecond, zone.clone()));
            let micros = micros.and_then(|array| cast(&array, &DataType::Int64)).map_err(|_| unusable())?;
            Ok(micros
                .as_primitive::<Int64Type>()
                .iter()
                .map(|time| time.map(|time| time as f64 / 1e6))
                .collect())
        }
        kind if kind.is_numeric() => {
            let seconds = cast(array, &DataType::Float64).map_err(|_| unusable())?;
            Ok(seconds.as_primitive::<Float64Type>().iter().collect())
        }
        _ => {
            let read = |(row, text): (u64, Option<&str>)| {
                match text {
                None => Ok(None),
                Some(text) => moment(text).map(Some).ok_or_else(|| {
                    Failure::unusable(format!(
                        "{path}: row {row}: `{text}` in the column `{name}` is no time; wanted are seconds such as 12.5, or \
                         a date and time such as 2026-11-24T18:00:00Z"
                    ))
                }),
            }
            };
            let texts = as_text(path, name, array).map_err(|_| unusable())?;
            (first..).zip(texts.iter()).map(read).collect()
        }
    }
}

/// A text as seconds.
pub(super) fn moment(text: &str) -> Option<f64> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.or_else(|| string_to_timestamp_nanos(text.trim()).ok().map(|nanos| (nanos / 1_000) as f64 / 1e6))
}
