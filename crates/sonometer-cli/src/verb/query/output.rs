//! The result of a query: a table for people, or a file.

use super::{Arguments, Shape, told};
use crate::failure::{Failure, counted};
use crate::file::unwritable;
use crate::paint::safe;
use crate::screen::Screen;
use crate::stores::{self, Destination};
use crate::tables::files::{Format, Packing};
use crate::tables::write::{self, Trouble, Writer};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::DataFusionError;
use datafusion::physical_plan::SendableRecordBatchStream;
use futures_util::StreamExt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// The most rows of a table for people.
const SHOWN: usize = 1_000;

/// Where a result goes.
pub(super) enum Output {
    Table(Vec<RecordBatch>),
    Stdout(Box<Writer<io::Stdout>>),
    File(Box<Whole>),
}

/// A file that is written under another name until it is whole.
pub(super) struct Whole {
    writer: Writer<BufWriter<File>>,
    beside: Beside,
    path: String,
    to: Option<Destination>,
}

/// The other name, gone when it is no longer needed.
struct Beside(PathBuf);

impl Drop for Beside {
    fn drop(&mut self) {
        // Renamed by then, or of a query that came to nothing.
        let _ = fs::remove_file(&self.0);
    }
}

/// What ends a result early.
pub(super) enum Ended {
    Query(DataFusionError),
    Written(Failure),
}

impl Ended {
    pub(super) fn told(self, sql: &str) -> Failure {
        match self {
            Self::Query(error) => told::failure(sql, &error),
            Self::Written(failure) => failure,
        }
    }
}

fn unwritten(path: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::unusable(format!("{path}: cannot be written: {error}"))
}

fn stdout_failed(error: &Trouble) -> Failure {
    match error.downcast_ref::<io::Error>() {
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Failure::PipeClosed,
        _ => unwritten("standard output", error),
    }
}

impl Output {
    pub(super) fn open(arguments: &Arguments, schema: &SchemaRef) -> Result<Self, Failure> {
        let Some(path) = &arguments.out else {
            let format = match arguments.format.unwrap_or(Shape::Table) {
                Shape::Table => return Ok(Self::Table(Vec::new())),
                Shape::Of(Format::Parquet | Format::Arrow) => {
                    let message =
                        "standard output: parquet and arrow are written to files; name one with --out";
                    return Err(Failure::unusable(message));
                }
                Shape::Of(format) => format,
            };
            write::check(format, "standard output", schema)?;
            let writer = Writer::new(format, Packing::Plain, schema, true, io::stdout());
            return writer
                .map(|writer| Self::Stdout(Box::new(writer)))
                .map_err(|error| stdout_failed(&error));
        };
        let format = match arguments.format {
            Some(Shape::Of(format)) => format,
            Some(Shape::Table) => {
                return Err(Failure::unusable(format!("{path}: a table for people is for the terminal; leave out --out")));
            }
            None => Format::of_file(path).ok_or_else(|| {
                Failure::unusable(format!(
                    "{path}: the name does not say the format; name it with --format parquet, arrow, csv or jsonl"
                ))
            })?,
        };
        write::check(format, path, schema)?;
        Whole::open(path, format, schema).map(|whole| Self::File(Box::new(whole)))
    }

    /// Takes all rows; their number.
    pub(super) async fn take(&mut self, mut rows: SendableRecordBatchStream) -> Result<usize, Ended> {
        let mut count = 0;
        while let Some(batch) = rows.next().await {
            let batch = batch.map_err(Ended::Query)?;
            match self {
                Self::Table(shown) if count < SHOWN => {
                    shown.push(batch.slice(0, batch.num_rows().min(SHOWN - count)))
                }
                Self::Table(_) => {}
                Self::Stdout(writer) => {
                    writer.write(&batch).map_err(|error| Ended::Written(stdout_failed(&error)))?;
                }
                Self::File(whole) => whole
                    .writer
                    .write(&batch)
                    .map_err(|error| Ended::Written(unwritten(&whole.path, &error)))?,
            }
            count += batch.num_rows();
        }
        Ok(count)
    }

    pub(super) fn finish(self, screen: &mut Screen, count: usize) -> Result<(), Failure> {
        match self {
            Self::Table(shown) => {
                let table =
                    pretty_format_batches(&shown).map_err(|error| unwritten("standard output", &error))?;
                // Cells hold foreign texts, which may have lines but must not take over the terminal.
                let table = table.to_string();
                let table: String = table.chars().map(|c| if c == '\n' { c } else { safe(c) }).collect();
                screen.print(&format!("{table}\n"))?;
                if count > SHOWN {
                    screen.note(&format!(
                        "the first {SHOWN} of {count} rows; write all of them with --out, or use `limit`"
                    ));
                }
                Ok(())
            }
            Self::Stdout(writer) => {
                let ended = writer.finish().and_then(|mut stdout| Ok(stdout.flush()?));
                ended.map_err(|error| stdout_failed(&error))
            }
            Self::File(whole) => {
                let path = whole.path.clone();
                whole.close()?;
                screen.note(&format!("{path}: {}", counted(count, "row")));
                Ok(())
            }
        }
    }
}

impl Whole {
    fn open(path: &str, format: Format, schema: &SchemaRef) -> Result<Self, Failure> {
        let (path, to) = match stores::is_address(path) {
            false => (path.to_owned(), None),
            true => match stores::local(path)? {
                Some(path) => (path, None),
                None => (path.to_owned(), Some(Destination::open(path)?)),
            },
        };
        let is_there = match &to {
            Some(to) => to.is_there()?,
            None => fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir() || data.len() > 0),
        };
        if is_there {
            return Err(Failure::unusable(format!(
                "{path}: already exists; remove it, or name another file"
            )));
        }
        if let Some(to) = &to {
            to.check()?;
        }
        let beside = to.as_ref().map_or(path.as_str(), Destination::name);
        let beside = Beside(PathBuf::from(format!("{beside}.{}.tmp", std::process::id())));
        let packing = match format {
            Format::Csv | Format::Jsonl => Packing::of_file(&path),
            Format::Parquet | Format::Arrow => Packing::Plain,
        };
        let file = File::create(&beside.0).map_err(|error| unwritable(&path, &error))?;
        let file = BufWriter::with_capacity(256 << 10, file);
        let writer =
            Writer::new(format, packing, schema, true, file).map_err(|error| unwritten(&path, &error))?;
        Ok(Self { writer, beside, path, to })
    }

    fn close(self) -> Result<(), Failure> {
        let Self { writer, beside, path, to } = self;
        let end = || -> Result<(), Trouble> {
            let file = writer.finish()?.into_inner().map_err(|error| error.into_error())?;
            file.sync_all()?;
            Ok(())
        };
        end().map_err(|error| unwritten(&path, &error))?;
        match to {
            None => fs::rename(&beside.0, Path::new(&path)).map_err(|error| unwritten(&path, &error)),
            Some(to) => to.send(&beside.0),
        }
    }
}
