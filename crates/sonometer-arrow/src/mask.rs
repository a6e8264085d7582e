//! A column as it may be shown: what the instrument masks is hidden.

use crate::frame::{BadRows, Frame, Input, at_row, too_large};
use crate::input::{Rows, turns_of};
use crate::talks::{talks, talks_type};
use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::{Array, ArrayRef, StringArray, new_empty_array};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::DataType;
use arrow_select::concat::concat;
use sonometer::batch::guarded;
use sonometer::{Error, Reading};
use std::sync::Arc;

impl Frame {
    /// The column with what the instrument masks hidden: texts as `utf8`, conversations as `list<struct<role, content, timestamp>>` (times
    /// in seconds). Null rows stay null. What cannot be read is null, too, or the error of all, as [`Frame::bad_rows`] says: it is never
    /// shown as it was.
    ///
    /// # Errors
    /// `invalid_request` at `column` for a type that holds no interactions; that of the first bad row, where they are refused.
    pub fn mask(&self, column: &dyn Array) -> Result<ArrayRef, Error> {
        let turns = turns_of(column);
        let rows = Rows::of(column, turns.as_ref(), Input::Text)?;
        let is_talks = matches!(rows, Rows::Talks(..));
        let parts = self.in_groups(column.len(), |own, group| {
            let mut readings = Vec::with_capacity(group.len());
            for row in group {
                let read = rows.get(row).and_then(|interaction| {
                    interaction.map(|one| guarded(|| own.sense_with(&one, self.options))).transpose()
                });
                readings.push(match read {
                    Ok(reading) => reading,
                    Err(_) if self.bad == BadRows::Null => None,
                    Err(error) => return Err(at_row(row, error)),
                });
            }
            Ok(if is_talks { masked_talks(&readings) } else { masked_texts(&readings) })
        })?;
        let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
        if parts.is_empty() {
            return Ok(new_empty_array(&if is_talks { talks_type() } else { DataType::Utf8 }));
        }
        concat(&parts).map_err(too_large)
    }
}

fn masked_texts(readings: &[Option<Reading>]) -> ArrayRef {
    let texts = readings.iter().map(|reading| reading.as_ref().map(|reading| reading.masked_turn(0)));
    Arc::new(StringArray::from_iter(texts))
}

fn masked_talks(readings: &[Option<Reading>]) -> ArrayRef {
    let (mut roles, mut contents) = (StringBuilder::new(), StringBuilder::new());
    let (mut times, mut valid) = (Float64Builder::new(), NullBufferBuilder::new(readings.len()));
    for reading in readings {
        valid.append(reading.is_some());
        let Some(reading) = reading else { continue };
        for (at, turn) in reading.interaction().turns().iter().enumerate() {
            roles.append_option(turn.role.as_deref());
            contents.append_value(reading.masked_turn(at));
            times.append_option(turn.timestamp.map(|time| time.0 as f64 / 1e6));
        }
    }
    let lengths =
        readings.iter().map(|reading| reading.as_ref().map_or(0, |r| r.interaction().turns().len()));
    talks(roles.finish(), contents.finish(), times.finish(), lengths, valid.finish())
}
