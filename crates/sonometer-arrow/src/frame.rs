//! A frame: what is asked of every row of a column.

use crate::column::Column;
use crate::group::Group;
use crate::input::{Rows, turns_of};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
#[cfg(feature = "parallel")]
use rayon::prelude::*;
#[cfg(feature = "parallel")]
use sonometer::ErrorCode;
use sonometer::batch::guarded;
use sonometer::{Error, Instrument, OffsetUnit, SenseOptions};
use std::collections::HashMap;
use std::fmt;
#[cfg(feature = "parallel")]
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

/// How many rows are one piece of work, so that threads do not help with fewer. A short text costs 1 to 20 µs, so a piece is worth handing
/// over; a table with one talk of 100,000 turns has its other rows on the other threads.
pub const GROUP: usize = 64;

/// How many bytes of columns are in one batch: half of what places of 32 bits reach.
const MOST_BYTES: usize = 1 << 30;

/// What the texts of a column are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// The content of a text interaction.
    #[default]
    Text,
    /// An interaction as JSON, in the form of the interface: `{"content": …}` or `{"segments": […]}`.
    Json,
}

/// What becomes of a row that is no interaction: a talk without turns, a turn without a role, wrong JSON, too long a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadRows {
    /// Its columns are null, and the column `error` says why.
    #[default]
    Null,
    /// The whole batch is refused, with the row's number.
    Refuse,
}

/// An instrument over the rows of a column.
#[derive(Clone, Debug)]
pub struct Frame {
    pub(crate) instrument: Instrument,
    pub(crate) columns: Vec<Column>,
    input: Input,
    pub(crate) bad: BadRows,
    pub(crate) offsets: OffsetUnit,
    pub(crate) options: SenseOptions,
    /// Whether the thread that calls does all of it.
    alone: bool,
    schema: SchemaRef,
}

impl Frame {
    /// A frame of `score` and `sufficient`, in which bad rows are null.
    pub fn new(instrument: &Instrument) -> Self {
        let frame = Self {
            instrument: instrument.clone(),
            columns: vec![Column::Score, Column::Sufficient],
            input: Input::Text,
            bad: BadRows::Null,
            offsets: OffsetUnit::Chars,
            options: SenseOptions::default(),
            alone: !cfg!(feature = "parallel"),
            schema: Schema::empty().into(),
        };
        frame.with_schema()
    }

    /// With these columns, in this order; one that is named twice counts once.
    #[must_use]
    pub fn columns(mut self, columns: impl IntoIterator<Item = Column>) -> Self {
        self.columns.clear();
        for column in columns {
            if !self.columns.contains(&column) {
                self.columns.push(column);
            }
        }
        self.with_schema()
    }

    /// Reads texts as this.
    #[must_use]
    pub fn input(mut self, input: Input) -> Self {
        self.input = input;
        self
    }

    /// Does this with rows that are no interactions.
    #[must_use]
    pub fn bad_rows(mut self, bad: BadRows) -> Self {
        self.bad = bad;
        self.with_schema()
    }

    /// Counts places of evidence in this unit; code points without it.
    #[must_use]
    pub fn offsets(mut self, unit: OffsetUnit) -> Self {
        self.offsets = unit;
        self
    }

    /// Senses with these options.
    #[must_use]
    pub fn options(mut self, options: SenseOptions) -> Self {
        self.options = options;
        self
    }

    /// Senses on the thread that calls and on no other, whatever pool it is in. Columns are then made in one piece, not joined of groups.
    #[must_use]
    pub fn on_this_thread(mut self) -> Self {
        self.alone = true;
        self
    }

    /// The schema of what [`Frame::sense`] gives. Its metadata says what measured: `sonometer.target` (`protocol courtesy@2.0`),
    /// `sonometer.protocols` (each protocol with its digest), `sonometer.engine` (the fingerprint).
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn with_schema(mut self) -> Self {
        let mut fields: Vec<Field> =
            self.columns.iter().map(|column| column.field(&self.instrument)).collect();
        if self.bad == BadRows::Null {
            fields.push(Field::new("error", DataType::Utf8, true));
        }
        self.schema = Schema::new_with_metadata(fields, self.metadata()).into();
        self
    }

    fn metadata(&self) -> HashMap<String, String> {
        let of = &self.instrument;
        let protocols: Vec<String> = of
            .sensors()
            .iter()
            .map(|sensor| {
                let protocol = sensor.protocol();
                format!("{}@{} {}", protocol.id, protocol.version, sensor.digest())
            })
            .collect();
        HashMap::from([
            ("sonometer.target".to_owned(), format!("{} {}@{}", of.kind().as_str(), of.id(), of.version())),
            ("sonometer.protocols".to_owned(), protocols.join(", ")),
            ("sonometer.engine".to_owned(), sonometer::fingerprint().to_string()),
        ])
    }

    /// Senses every row. A null row is null in every column.
    ///
    /// # Errors
    /// `invalid_request` at `column` for a type that holds no interactions; with [`BadRows::Refuse`], that of the first bad row, at
    /// `rows[n]`, from 0; `payload_too_large` where the texts of a column would have more than 2 GiB, which
    /// [`Frame::sense_in_batches`] parts.
    pub fn sense(&self, column: &dyn Array) -> Result<RecordBatch, Error> {
        joined(&self.schema, &self.sense_in_batches(column)?)
    }

    /// As [`Frame::sense`], in as few batches as 32-bit places within a column allow, and at least one.
    ///
    /// # Errors
    /// As [`Frame::sense`], but for the size of all rows together.
    pub fn sense_in_batches(&self, column: &dyn Array) -> Result<Vec<RecordBatch>, Error> {
        let turns = turns_of(column);
        let rows = Rows::of(column, turns.as_ref(), self.input)?;
        if self.alone || column.len() <= GROUP {
            return guarded(|| self.sense_alone(&rows, column.len()));
        }
        let groups = self.in_groups(column.len(), |own, group| {
            let mut made = Group::new(self, own, group.len());
            group.into_iter().try_for_each(|row| made.add(&rows, row))?;
            made.finish()
        })?;
        let (mut batches, mut run, mut size) = (Vec::new(), Vec::new(), 0);
        for group in groups {
            let own = group.get_array_memory_size();
            if size + own > MOST_BYTES && !run.is_empty() {
                batches.push(joined(&self.schema, &std::mem::take(&mut run))?);
                size = 0;
            }
            size += own;
            run.push(group);
        }
        if !run.is_empty() || batches.is_empty() {
            batches.push(joined(&self.schema, &run)?);
        }
        Ok(batches)
    }

    fn sense_alone(&self, rows: &Rows<'_>, count: usize) -> Result<Vec<RecordBatch>, Error> {
        let own = self.instrument.apart();
        let mut batches = Vec::new();
        let mut made = Group::new(self, &own, count);
        for row in 0..count {
            made.add(rows, row)?;
            if made.text_bytes() >= MOST_BYTES && row + 1 < count {
                let rest = Group::new(self, &own, count - row - 1);
                batches.push(std::mem::replace(&mut made, rest).finish()?);
            }
        }
        batches.push(made.finish()?);
        Ok(batches)
    }

    /// The work of each group of rows, in their order. Each thread has an instrument of its own, so that none waits for another.
    ///
    /// # Errors
    /// The error of the first group that has one. All groups are done before, so it does not depend on the order of the threads. A panic,
    /// such as that of a builder whose texts are too large, counts as an error of its group.
    pub(crate) fn in_groups<T: Send>(
        &self,
        rows: usize,
        work: impl Fn(&Instrument, Range<usize>) -> Result<T, Error> + Send + Sync,
    ) -> Result<Vec<T>, Error> {
        let groups = (0..rows.div_ceil(GROUP)).map(|group| group * GROUP..rows.min((group + 1) * GROUP));
        #[cfg(feature = "parallel")]
        if !self.alone && rows > GROUP {
            let groups: Vec<Range<usize>> = groups.collect();
            let apart = || self.instrument.apart();
            let done = groups.into_par_iter().map_init(apart, |own, group| guarded(|| work(own, group)));
            return done.collect::<Vec<_>>().into_iter().collect();
        }
        let own = self.instrument.apart();
        groups.map(|group| guarded(|| work(&own, group))).collect()
    }
}

/// Batches as one.
fn joined(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<RecordBatch, Error> {
    concat_batches(schema, batches).map_err(too_large)
}

/// More text in a column than places of 32 bits reach.
pub(crate) fn too_large(error: impl fmt::Display) -> Error {
    let message =
        format!("the columns of these rows are too large for one batch ({error}); give fewer rows at once");
    Error::new(ErrorCode::PayloadTooLarge, "column", message)
}

/// Threads for [`Frame::sense`] by `ThreadPool::install`; those of the current pool without it.
///
/// # Errors
/// `internal_error` if the system gives no more threads.
#[cfg(feature = "parallel")]
pub fn pool(threads: NonZeroUsize) -> Result<rayon::ThreadPool, Error> {
    let built = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build();
    built.map_err(|error| Error::new(ErrorCode::Internal, "threads", error.to_string()))
}

/// An error as that of a row.
pub(crate) fn at_row(row: usize, mut error: Error) -> Error {
    let rest = if error.place.is_empty() { String::new() } else { format!(".{}", error.place) };
    error.place = format!("rows[{row}]{rest}");
    error
}
