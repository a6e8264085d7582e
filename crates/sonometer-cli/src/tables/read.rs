//! Tables, batch by batch, whatever their format.

use super::columns_of_lines::{CheckedLines, columns_of_lines, of_line};
use super::csv::{self, CheckedCsv};
use super::files::{Count, Format, Stream, Table};
use super::source::Source;
use crate::failure::Failure;
use crate::file;
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::ParquetMetaData;
use std::io::BufReader;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// Bytes that one batch shall have, by the mean of its file: some of them are in flight at once, and nothing is sensed before the first is read.
const BATCH_BYTES: u64 = 2 << 20;
/// The most rows of a batch.
const MOST_ROWS: u64 = 8 << 10;

/// Rows of a batch, where so many rows have so many bytes.
pub(super) fn batch_rows(bytes: u64, rows: u64) -> usize {
    let mean = (bytes / rows.max(1)).max(1);
    usize::try_from((BATCH_BYTES / mean).clamp(16, MOST_ROWS)).unwrap_or(16)
}

/// The tables of a run, all with the same columns.
pub(crate) struct Tables {
    files: Vec<Table>,
    pub(crate) schema: SchemaRef,
    /// The rows of all files, where their formats say it.
    pub(crate) rows: Option<u64>,
    /// The bytes of all files.
    pub(crate) bytes: u64,
    pub(crate) count: Count,
    /// Standard input, of which the beginning was read for its columns.
    opened: Option<Stream>,
}

/// An error of a library, as that of a file.
pub(crate) fn broken(path: &str, error: &dyn std::fmt::Display) -> Failure {
    let told = error.to_string();
    // Arrow says first which of its readers it was, which the name of the file says already.
    let told = ["Csv error: ", "Json error: ", "Parquet error: ", "Io error: "]
        .iter()
        .find_map(|of| told.strip_prefix(of))
        .unwrap_or(&told);
    let is_damaged = DAMAGED.iter().any(|part| told.contains(part));
    let fix = if is_damaged {
        "; the file is incomplete, or of another format: copy it again, or name its format with --input-format"
    } else {
        ""
    };
    Failure::unusable(format!("{}: cannot be read: {told}{fix}", file::name(path)))
}

/// What the readers of Parquet, Arrow, gzip and zstd say of a file that is cut off, or that is none of theirs.
const DAMAGED: [&str; 6] = [
    "Corrupt footer",
    "Parquet file too small",
    "failed to fill whole buffer",
    "deflate stream",
    "incomplete frame",
    "found empty stream",
];

impl Tables {
    pub(crate) fn open(files: Vec<Table>) -> Result<Self, Failure> {
        let count = Count::default();
        let (mut rows, mut bytes, mut opened) = (Some(0), 0, None);
        let mut schema: Option<Schema> = None;
        for table in &files {
            bytes += table.place.size();
            let own = match table.format {
                Format::Parquet => {
                    let metadata = parquet_metadata(table)?;
                    let own = u64::try_from(metadata.metadata().file_metadata().num_rows()).unwrap_or(0);
                    rows = rows.map(|rows| rows + own);
                    metadata.schema().as_ref().clone()
                }
                format => {
                    rows = None;
                    let own_count = if table.path == "-" { count.clone() } else { Count::default() };
                    let stream = Stream::open(table, own_count)?;
                    if stream.head.trim_ascii().is_empty() {
                        let name = file::name(&table.path);
                        return Err(Failure::unusable(format!("{name}: the input is empty")));
                    }
                    if table.path == "-" {
                        let own = streamed_schema(table, &stream)?;
                        opened = Some(stream);
                        own
                    } else if format == Format::Jsonl {
                        // All of it, since any line can have what no other has.
                        columns_of_lines(stream.reader()).map_err(|error| broken(&table.path, &error))?
                    } else {
                        streamed_schema(table, &stream)?
                    }
                }
            };
            schema = Some(match schema {
                None => own,
                Some(before) => merged(&files[0].path, before, &table.path, own, table.format)?,
            });
        }
        let schema = schema.expect("there is a file").into();
        Ok(Self { files, schema, rows, bytes, count, opened })
    }

    /// Whether all of it is CSV, in which an empty cell may be an empty text.
    pub(crate) fn is_csv(&self) -> bool {
        self.files.iter().all(|table| table.format == Format::Csv)
    }

    /// How the input is called.
    pub(crate) fn name(&self) -> &str {
        file::name(self.files().next().map_or("", |table| table.path.as_str()))
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// The same files, from their beginning; none of them is standard input.
    #[cfg(feature = "query")]
    pub(crate) fn again(&self) -> Self {
        Self {
            files: self.files.clone(),
            schema: Arc::clone(&self.schema),
            rows: self.rows,
            bytes: self.bytes,
            count: self.count.clone(),
            opened: None,
        }
    }

    /// The files, by the names that say whether they are those of another run.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Table> {
        self.files.iter()
    }

    /// Gives the columns `wanted` of every batch, with its file and the number of its first row there, from 1, until told to stop. The
    /// first `skip` rows are left out. Where batches end depends on the files alone.
    pub(crate) fn read(
        mut self,
        wanted: &[String],
        mut skip: u64,
        give: &mut Give<'_>,
    ) -> Result<(), Failure> {
        let mut opened = self.opened.take();
        let indices: Vec<usize> =
            wanted.iter().map(|name| self.schema.index_of(name).expect("was looked for")).collect();
        let fields: Vec<Field> = indices.iter().map(|&at| self.schema.field(at).clone()).collect();
        let schema = Arc::new(Schema::new(fields));
        for table in &self.files {
            let path = table.path.as_str();
            let (batches, first) = match table.format {
                Format::Parquet => parquet_batches(table, wanted, &mut skip)?,
                _ => {
                    let stream = match opened.take() {
                        Some(stream) => stream,
                        None => Stream::open(table, self.count.clone())?,
                    };
                    (streamed(table, stream, &self.schema, &schema)?, 1)
                }
            };
            let mut row = first;
            for batch in batches {
                let batch = batch.map_err(|error| broken(path, &error))?;
                let batch = in_order(path, &batch, &schema)?;
                let rows = batch.num_rows() as u64;
                let most = batch_rows(batch.get_array_memory_size() as u64, rows) as u64;
                let most = if table.format == Format::Arrow { most } else { rows.max(1) };
                let mut from = 0;
                while from < rows {
                    let length = most.min(rows - from);
                    if skip >= length {
                        skip -= length;
                    } else {
                        let (start, left) = (from + skip, length - skip);
                        let part = batch.slice(start as usize, left as usize);
                        skip = 0;
                        if give(path, row + start, part)?.is_break() {
                            return Ok(());
                        }
                    }
                    from += length;
                }
                row += rows;
            }
        }
        Ok(())
    }
}

/// What takes rows: the file, the number of the first of them there, and the rows.
type Give<'g> = dyn FnMut(&str, u64, RecordBatch) -> Result<ControlFlow<()>, Failure> + 'g;

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// The columns of a batch in the order in which they are wanted.
fn in_order(path: &str, batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, Failure> {
    let columns = schema.fields().iter().map(|field| batch.column_by_name(field.name()).cloned());
    let columns: Option<Vec<_>> = columns.collect();
    let columns = columns.ok_or_else(|| broken(path, &"a column is missing"))?;
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
        .map_err(|error| broken(path, &error))
}

fn parquet_metadata(table: &Table) -> Result<ArrowReaderMetadata, Failure> {
    let file = table.place.ranges(Vec::new())?;
    ArrowReaderMetadata::load(&file, Default::default()).map_err(|error| broken(&table.path, &error))
}

/// The batches of a Parquet file, and the number of their first row: row groups that are to be skipped are not read.
fn parquet_batches(table: &Table, wanted: &[String], skip: &mut u64) -> Result<(Batches, u64), Failure> {
    let path = table.path.as_str();
    let loaded = parquet_metadata(table)?;
    let metadata = loaded.metadata();
    let rows = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
    if *skip >= rows {
        *skip -= rows;
        return Ok((Box::new(std::iter::empty()), 1));
    }
    let roots: Vec<usize> = (0..loaded.schema().fields().len())
        .filter(|&at| wanted.contains(loaded.schema().field(at).name()))
        .collect();
    let mask = ProjectionMask::roots(loaded.parquet_schema(), roots);
    let mut bytes = 0;
    for group in metadata.row_groups() {
        let leaves = group.columns().iter().enumerate().filter(|(at, _)| mask.leaf_included(*at));
        bytes += leaves.map(|(_, column)| column.uncompressed_size().max(0) as u64).sum::<u64>();
    }
    let size = batch_rows(bytes, rows);
    let (mut groups, mut before) = (Vec::new(), 0);
    for (at, group) in metadata.row_groups().iter().enumerate() {
        let own = u64::try_from(group.num_rows()).unwrap_or(0);
        if groups.is_empty() && before + own <= *skip {
            before += own;
        } else {
            groups.push(at);
        }
    }
    let offset = usize::try_from(*skip - before).unwrap_or(0);
    let first = *skip + 1;
    *skip = 0;
    let file = table.place.ranges(spans(metadata, &groups, &mask))?;
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, loaded)
        .with_projection(mask)
        .with_batch_size(size)
        .with_row_groups(groups)
        .with_offset(offset)
        .build();
    Ok((Box::new(reader.map_err(|error| broken(path, &error))?), first))
}

/// Where the wanted columns of the wanted row groups are in the file.
fn spans(metadata: &ParquetMetaData, groups: &[usize], mask: &ProjectionMask) -> Vec<Range<u64>> {
    let mut spans: Vec<Range<u64>> = Vec::new();
    for &group in groups {
        let leaves = metadata.row_group(group).columns().iter().enumerate();
        for (_, column) in leaves.filter(|(at, _)| mask.leaf_included(*at)) {
            let (start, length) = column.byte_range();
            spans.push(start..start.saturating_add(length));
        }
    }
    spans.retain(|span| !span.is_empty());
    spans.sort_by_key(|span| span.start);
    spans
}

/// The columns of what can only be read from its beginning.
fn streamed_schema(table: &Table, stream: &Stream) -> Result<Schema, Failure> {
    let Table { path, format, place } = table;
    let failed = |error: ArrowError| broken(path, &error);
    match *format {
        Format::Csv => {
            let separator = csv::separator_of(path, &stream.head);
            csv::check_header(&stream.head, separator).map_err(failed)?;
            let header = arrow_csv::reader::Format::default().with_header(true).with_delimiter(separator);
            let (named, _) = header.infer_schema(&stream.head[..], Some(0)).map_err(failed)?;
            // Texts as they are: a number that a type would write in another way, such as 007, is kept.
            let fields = named.fields().iter().map(|field| Field::new(field.name(), DataType::Utf8, true));
            Ok(Schema::new(fields.collect::<Vec<_>>()))
        }
        Format::Jsonl => columns_of_lines(stream.whole_lines()).map_err(failed),
        Format::Arrow if is_arrow_file(stream) => {
            let reader = FileReader::try_new(place.ranges(Vec::new())?, None).map_err(failed)?;
            Ok(reader.schema().as_ref().clone())
        }
        Format::Arrow => {
            let reader = StreamReader::try_new(&stream.head[..], None).map_err(failed)?;
            Ok(reader.schema().as_ref().clone())
        }
        Format::Parquet => unreachable!("has its columns at its end"),
    }
}

/// Whether it is a file with an index, not a stream.
fn is_arrow_file(stream: &Stream) -> bool {
    stream.head.starts_with(b"ARROW1")
}

/// The batches of what can only be read from its beginning; `wanted` are some columns of `all`.
fn streamed(table: &Table, stream: Stream, all: &SchemaRef, wanted: &SchemaRef) -> Result<Batches, Failure> {
    let Table { path, format, place } = table;
    let failed = |error: ArrowError| broken(path, &error);
    let lines = stream.head.iter().filter(|byte| **byte == b'\n').count() as u64;
    let size = batch_rows(stream.head.len() as u64, lines);
    Ok(match *format {
        Format::Csv => {
            // The columns as this file has them, which may be in another order than those of the first.
            let own = Arc::new(streamed_schema(table, &stream)?);
            let separator = csv::separator_of(path, &stream.head);
            let indices =
                wanted.fields().iter().filter_map(|field| own.index_of(field.name()).ok()).collect();
            let reader = arrow_csv::ReaderBuilder::new(own)
                .with_header(true)
                .with_delimiter(separator)
                .with_projection(indices)
                .with_batch_size(size)
                .build_buffered(CheckedCsv::of(stream.reader(), separator));
            Box::new(reader.map_err(failed)?.map(|batch| batch.map_err(of_line)))
        }
        Format::Jsonl => {
            let reader = arrow_json::ReaderBuilder::new(Arc::clone(wanted))
                .with_coerce_primitive(true)
                .with_batch_size(size);
            match path.as_str() {
                // Only its beginning was read for the columns.
                "-" => {
                    let reader = reader.build(CheckedLines::of(stream.reader())).map_err(failed)?;
                    Box::new(reader.map(|batch| batch.map_err(of_line)))
                }
                _ => Box::new(reader.build(stream.reader()).map_err(failed)?),
            }
        }
        Format::Arrow if is_arrow_file(&stream) => {
            if path == "-" {
                let message =
                    "standard input: an Arrow file is read from its end; send it as an Arrow stream";
                return Err(Failure::unusable(message));
            }
            let open = || place.ranges(Vec::new()).map(|file| BufReader::with_capacity(128 << 10, file));
            let reader = FileReader::try_new(open()?, None).map_err(failed)?;
            let indices = indices(&reader.schema(), wanted);
            let file: BufReader<Source> = open()?;
            Box::new(FileReader::try_new(file, Some(indices)).map_err(failed)?)
        }
        Format::Arrow => {
            let indices = indices(all, wanted);
            Box::new(StreamReader::try_new(stream.reader(), Some(indices)).map_err(failed)?)
        }
        Format::Parquet => unreachable!("is read by row groups"),
    })
}

fn indices(own: &Schema, wanted: &Schema) -> Vec<usize> {
    let mut indices: Vec<usize> =
        wanted.fields().iter().filter_map(|field| own.index_of(field.name()).ok()).collect();
    indices.sort_unstable();
    indices
}

/// The columns of the files so far and of one more: the same, but for JSON, whose files may each have some of them.
fn merged(first: &str, before: Schema, path: &str, own: Schema, format: Format) -> Result<Schema, Failure> {
    if format == Format::Jsonl {
        return Schema::try_merge([before, own]).map_err(|error| {
            Failure::unusable(format!("{path}: its columns are not those of {first}: {error}"))
        });
    }
    for field in before.fields() {
        let name = field.name();
        match own.field_with_name(name) {
            Err(_) => {
                let names: Vec<&str> = own.fields().iter().map(|field| field.name().as_str()).collect();
                return Err(Failure::unusable(format!(
                    "{path}: has no column `{name}`, which {first} has; its columns are {}",
                    names.join(", ")
                )));
            }
            Ok(other) if other.data_type() != field.data_type() => {
                return Err(Failure::unusable(format!(
                    "{path}: the column `{name}` is `{}`, and `{}` in {first}; files of one run have the same columns",
                    other.data_type(),
                    field.data_type()
                )));
            }
            Ok(_) => {}
        }
    }
    Ok(before)
}
