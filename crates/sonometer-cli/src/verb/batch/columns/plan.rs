//! What is made of each row: which columns are sensed, measured and kept.

use super::super::Tally;
use super::ColumnArguments;
use crate::failure::Failure;
use crate::spoken;
use crate::tables::bytes;
use crate::tables::content::{Content, Piece};
use crate::tables::read::Tables;
use crate::tables::talks::Grouper;
use crate::tables::turns::{as_text, column};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, new_empty_array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use sonometer::{Error, Instrument, OffsetUnit, SenseOptions};
use sonometer_arrow::talks_type;
use sonometer_arrow::{BadRows, Column, Frame};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// Rows with what was measured beside.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) rows: RecordBatch,
    pub(super) tally: Tally,
    /// Bytes of what was sensed.
    pub(super) bytes: usize,
    /// As that of the piece.
    pub(super) ends: bool,
}

/// What a run does with each row.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    frame: Frame,
    content: Content,
    kept: Vec<String>,
    /// The column that is sensed, kept as it may be shown.
    shown: Option<String>,
    masks: bool,
    settings: String,
    /// Columns of the frame that were asked for; others are there for the sums of the run.
    measured: usize,
    /// Columns that are read.
    pub(super) wanted: Vec<String>,
    pub(super) schema: SchemaRef,
    /// Whether the first texts are probably conversations, once they were read.
    holds_talks: OnceLock<bool>,
}

impl Plan {
    pub(super) fn new(
        of: &Instrument,
        arguments: &ColumnArguments,
        offsets: Option<OffsetUnit>,
        options: SenseOptions,
        tables: &Tables,
    ) -> Result<Self, Failure> {
        let content = Content::of(&arguments.talks, arguments.turns, tables)?;
        let asked = match arguments.columns.is_empty() {
            true => vec![Column::Score, Column::Sufficient],
            false => arguments.columns.clone(),
        };
        // Those of fidelity alone cost a fraction, and have nothing to bill.
        let only_fidelity = asked.iter().all(|one| matches!(one, Column::Fidelity | Column::Sufficient));
        let sums = [Some(Column::Sufficient), (!only_fidelity).then_some(Column::Ics)];
        let base = Frame::new(of)
            .bad_rows(arguments.bad_rows.unwrap_or_default())
            .offsets(offsets.unwrap_or(OffsetUnit::Chars))
            .options(options)
            .on_this_thread();
        let asked_frame = base.clone().columns(asked.clone());
        let measured = asked_frame.schema().fields().len()
            - usize::from(arguments.bad_rows.unwrap_or_default() == BadRows::Null);
        let frame = base.columns(asked.into_iter().chain(sums.into_iter().flatten()));
        let masks = options.mask.is_some() || of.markers().any(|(_, marker)| marker.mask.is_some());
        let mut plan = Self {
            frame,
            kept: Vec::new(),
            shown: None,
            masks,
            settings: format!("{offsets:?} {options:?} {:?}", options.mask_key.map(|key| key.fingerprint())),
            measured,
            wanted: Vec::new(),
            schema: Schema::empty().into(),
            holds_talks: OnceLock::new(),
            content,
        };
        plan.check_content(tables)?;
        plan.keep(arguments.keep.as_deref(), tables)?;
        plan.wanted = plan.content.columns();
        for name in &plan.kept {
            if !plan.wanted.contains(name) {
                plan.wanted.push(name.clone());
            }
        }
        plan.schema = plan.output(&asked_frame.schema(), tables)?;
        Ok(plan)
    }

    /// What makes conversations of rows, where they are made.
    pub(super) fn grouper(&self, is_csv: bool) -> Option<Grouper> {
        self.content.grouper(is_csv)
    }

    /// Rows as they were read, as a piece.
    pub(super) fn piece(&self, path: &str, first: u64, rows: RecordBatch) -> Result<Piece, Failure> {
        let piece = self.content.piece(path, first, rows)?;
        if let Content::Column(name) = &self.content {
            self.holds_talks.get_or_init(|| {
                let some = piece.content.slice(0, piece.content.len().min(spoken::LOOKED_AT));
                as_text(path, name, &some).is_ok_and(|texts| spoken::are_talks(&texts))
            });
        }
        Ok(piece)
    }

    /// Whether texts were sensed that are probably conversations.
    pub(super) fn holds_talks(&self) -> bool {
        self.holds_talks.get().is_some_and(|is| *is)
    }

    /// Says early, and with the name of the column, that its type holds no interactions.
    fn check_content(&self, tables: &Tables) -> Result<(), Failure> {
        let Content::Column(name) = &self.content else { return Ok(()) };
        let kind = tables.schema.field_with_name(name).expect("was looked for").data_type();
        self.frame.sense(&new_empty_array(kind)).map(drop).map_err(|error| {
            let what = match error.message.strip_prefix("the column is") {
                Some(rest) => format!("the column `{name}` is{rest}"),
                None => format!("the column `{name}`: {}", error.message),
            };
            Failure::unusable(format!("{}: {what}", tables.name()))
        })
    }

    /// Which columns of the input are kept: by default all but those that are sensed, or a text that the protocol hides would be kept next
    /// to its reading. Conversations made of rows keep their key only, for the other columns differ from turn to turn.
    fn keep(&mut self, asked: Option<&[String]>, tables: &Tables) -> Result<(), Failure> {
        let own = self.content.columns();
        self.kept = match (asked, &self.content) {
            (Some([none]), _) if none == "none" => Vec::new(),
            (Some(names), _) => names.to_vec(),
            (None, Content::Talk { key, .. }) => vec![key.clone()],
            (None, Content::Turn(turns)) => {
                let names = tables.names().into_iter().map(str::to_owned);
                names.filter(|name| *name != turns.text).collect()
            }
            (None, Content::Column(_) | Content::Lines(_)) => {
                tables.names().into_iter().map(str::to_owned).filter(|name| !own.contains(name)).collect()
            }
        };
        let mut seen = BTreeSet::new();
        self.kept.retain(|name| seen.insert(name.clone()));
        for name in &self.kept {
            tables.find(name, "--keep")?;
        }
        let text = self.content.text();
        if self.kept.iter().any(|name| name == text) {
            self.shown = Some(text.to_owned());
        }
        Ok(())
    }

    fn output(&self, measured: &SchemaRef, tables: &Tables) -> Result<SchemaRef, Failure> {
        let mut fields = Vec::new();
        for name in &self.kept {
            if measured.field_with_name(name).is_ok() {
                return Err(Failure::unusable(format!(
                    "{}: the column `{name}` has the name of one that is measured; name the columns to keep beside with \
                     --keep, or none with `--keep none`",
                    tables.name()
                )));
            }
            let mut field = tables.schema.field_with_name(name).expect("was looked for").clone();
            if Some(name) == self.shown.as_ref() {
                let kind = match (&self.content, self.masks) {
                    (Content::Talk { .. }, _) | (Content::Lines(_), true) => talks_type(),
                    (Content::Column(_), true) => {
                        let shown = self.frame.mask(&new_empty_array(field.data_type()));
                        shown.map_err(|error| Failure::engine(tables.name(), &error))?.data_type().clone()
                    }
                    (Content::Turn(_), true) => DataType::Utf8,
                    (_, false) => field.data_type().clone(),
                };
                field = Field::new(name, kind, true);
            }
            fields.push(field);
        }
        fields.extend(measured.fields().iter().map(|field| field.as_ref().clone()));
        Ok(Schema::new_with_metadata(fields, measured.metadata().clone()).into())
    }

    /// Senses a piece.
    pub(super) fn work(&self, piece: &Piece) -> Result<Made, Failure> {
        let told = |error: &Error| self.told(piece, error);
        let found = self.frame.sense(&piece.content).map_err(|error| told(&error))?;
        let mut columns = Vec::with_capacity(self.schema.fields().len());
        for name in &self.kept {
            columns.push(match &self.shown {
                Some(shown) if shown == name => self.shown(piece).map_err(|error| told(&error))?,
                _ => Arc::clone(column(&piece.rows, name)),
            });
        }
        columns.extend(found.columns()[..self.measured].iter().cloned());
        let errors = found.column_by_name("error");
        columns.extend(errors.cloned());
        let rows = RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(|error| Failure::unusable(format!("the columns cannot be put together: {error}")))?;
        let sufficient = found.column_by_name("sufficient").expect("is always asked for").as_boolean();
        let ics = found.column_by_name("ics").map_or(0, |ics| {
            let consumed = ics.as_struct().column(0).as_primitive::<UInt64Type>();
            consumed.iter().flatten().sum()
        });
        let tally = Tally {
            items: found.num_rows() as u64,
            insufficient: sufficient.iter().filter(|one| *one == Some(false)).count() as u64,
            errors: errors.map_or(0, |errors| (errors.len() - errors.null_count()) as u64),
            ics,
        };
        Ok(Made { rows, tally, bytes: bytes(&piece.content), ends: piece.ends })
    }

    /// What is sensed, as it may be shown.
    fn shown(&self, piece: &Piece) -> Result<ArrayRef, Error> {
        match (&self.content, self.masks) {
            (Content::Turn(turns), false) => Ok(Arc::clone(column(&piece.rows, &turns.text))),
            (Content::Lines(text), false) => Ok(Arc::clone(column(&piece.rows, text))),
            (Content::Turn(_), true) => {
                // Of each conversation its one turn; a null row has none that is shown.
                let shown = self.frame.clone().bad_rows(BadRows::Null).mask(&piece.content)?;
                let lists = shown.as_list::<i32>();
                let texts = lists.values().as_struct().column(1).as_string::<i32>();
                let mut at = 0;
                let row = |row: usize| {
                    lists.is_valid(row).then(|| {
                        at += 1;
                        texts.value(at - 1)
                    })
                };
                Ok(Arc::new((0..lists.len()).map(row).collect::<arrow_array::StringArray>()))
            }
            (_, false) => Ok(Arc::clone(&piece.content)),
            (_, true) => self.frame.clone().bad_rows(BadRows::Null).mask(&piece.content),
        }
    }

    /// An error of the engine, with the row that it is about.
    fn told(&self, piece: &Piece, error: &Error) -> Failure {
        let row = error.place.strip_prefix("rows[").and_then(|rest| rest.split_once(']'));
        match row.and_then(|(row, rest)| Some((row.parse::<usize>().ok()?, rest))) {
            Some((row, rest)) => {
                let rest = rest.strip_prefix('.').map_or(String::new(), |rest| format!("{rest}: "));
                Failure::told(error.code, format!("{}: {rest}{}", piece.place.of(row), error.message))
            }
            None => Failure::told(error.code, format!("{}: {}", piece.place.of(0), error.message)),
        }
    }

    /// Everything that decides about the output, but for the files. Of a key it is what tells it from another.
    pub(super) fn description(&self) -> String {
        let metadata: std::collections::BTreeMap<_, _> = self.schema.metadata().iter().collect();
        format!(
            "{:?} {metadata:?} {:?} {:?} {}",
            self.schema.fields(),
            self.content,
            self.kept,
            self.settings
        )
    }
}
