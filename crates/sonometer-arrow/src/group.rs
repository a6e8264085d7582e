//! Rows that one thread senses one after the other, and the columns that they become.

use crate::column::Column;
use crate::frame::{BadRows, Frame, at_row};
use crate::input::Rows;
use crate::output::Output;
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use sonometer::batch::guarded;
use sonometer::{Error, Instrument};
use std::sync::Arc;

/// Columns that are being built.
pub(crate) struct Group<'f> {
    frame: &'f Frame,
    own: &'f Instrument,
    outputs: Vec<Output>,
    errors: StringBuilder,
    /// Nothing is asked but what is known before anything is looked for.
    only_fidelity: bool,
}

impl<'f> Group<'f> {
    /// `own` is the frame's instrument, as the thread has it; `rows` are about to be added.
    pub(crate) fn new(frame: &'f Frame, own: &'f Instrument, rows: usize) -> Self {
        let make = |&column| Output::new(column, own, rows, frame.offsets);
        let only_fidelity =
            frame.columns.iter().all(|column| matches!(column, Column::Fidelity | Column::Sufficient));
        Self {
            frame,
            own,
            outputs: frame.columns.iter().map(make).collect(),
            errors: StringBuilder::new(),
            only_fidelity,
        }
    }

    /// Senses a row.
    ///
    /// # Errors
    /// That of the row, at `rows[n]`, where bad rows are refused.
    pub(crate) fn add(&mut self, rows: &Rows<'_>, row: usize) -> Result<(), Error> {
        let Self { frame, own, outputs, .. } = self;
        let said = rows.get(row).and_then(|interaction| match interaction {
            None => {
                outputs.iter_mut().for_each(Output::add_null);
                Ok(())
            }
            // Which finds nothing, and costs a fraction.
            Some(interaction) if self.only_fidelity => {
                guarded(|| own.fidelity(&interaction)).map(|fidelity| {
                    outputs.iter_mut().for_each(|output| output.add_fidelity(&fidelity));
                })
            }
            Some(interaction) => guarded(|| own.sense_with(&interaction, frame.options)).map(|reading| {
                outputs.iter_mut().for_each(|output| output.add(&reading));
            }),
        });
        match said {
            Ok(()) => self.errors.append_null(),
            Err(error) if frame.bad == BadRows::Null => {
                outputs.iter_mut().for_each(Output::add_null);
                self.errors.append_value(told(&error));
            }
            Err(error) => return Err(at_row(row, error)),
        }
        Ok(())
    }

    /// The most bytes of text that a column has so far: places within them have 32 bits.
    pub(crate) fn text_bytes(&self) -> usize {
        let errors = self.errors.values_slice().len();
        self.outputs.iter().map(Output::text_bytes).fold(errors, usize::max)
    }

    /// The rows as a batch.
    pub(crate) fn finish(mut self) -> Result<RecordBatch, Error> {
        let schema = self.frame.schema();
        let outputs = self.outputs.into_iter().zip(schema.fields());
        let mut columns: Vec<ArrayRef> =
            outputs.map(|(output, field)| output.finish(field.data_type())).collect();
        if self.frame.bad == BadRows::Null {
            columns.push(Arc::new(self.errors.finish()));
        }
        RecordBatch::try_new(schema, columns).map_err(|error| Error::invalid("column", error.to_string()))
    }
}

/// An error as the cell of a column: the place within the row, and what is wrong.
fn told(error: &Error) -> String {
    if error.place.is_empty() { error.message.clone() } else { format!("{}: {}", error.place, error.message) }
}
