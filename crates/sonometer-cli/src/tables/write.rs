//! Tables, written.

use super::bytes;
use super::files::{Format, Packing};
use crate::failure::Failure;
use arrow_array::RecordBatch;
use arrow_array::timezone::Tz;
use arrow_cast::cast;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_json::writer::LineDelimited;
use arrow_schema::{ArrowError, DataType, FieldRef, SchemaRef};
use arrow_select::concat::concat_batches;
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression as ParquetCompression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;

/// What goes wrong in writing: of the system, or of a library.
pub(crate) type Trouble = Box<dyn Error + Send + Sync>;

/// A writer of a table.
pub(crate) enum Writer<W: Write + Send> {
    Parquet(Box<ArrowWriter<W>>),
    Arrow(Box<Messages<W>>),
    Text { format: Format, header: bool, to: Packed<W> },
}

/// Batches of Arrow, which are packed and read one by one: what comes in small ones is joined.
pub(crate) struct Messages<W: Write> {
    to: FileWriter<W>,
    joined: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
}

/// A batch of Arrow ends when it has so many rows or bytes.
const MESSAGE_ROWS: usize = 32 << 10;
const MESSAGE_BYTES: usize = 8 << 20;

/// Packed or not.
pub(crate) enum Packed<W: Write> {
    Plain(W),
    Gzip(Box<GzEncoder<W>>),
    Zstd(Box<zstd::Encoder<'static, W>>),
}

impl<W: Write + Send> Writer<W> {
    /// `header`: whether a table of texts begins with the names of its columns.
    pub(crate) fn new(
        format: Format,
        packing: Packing,
        schema: &SchemaRef,
        header: bool,
        to: W,
    ) -> Result<Self, Trouble> {
        Ok(match format {
            Format::Parquet => {
                // A part is a row group, so nothing ends one but its end.
                let properties = WriterProperties::builder()
                    .set_compression(ParquetCompression::ZSTD(ZstdLevel::default()))
                    .set_max_row_group_row_count(None)
                    .build();
                Self::Parquet(Box::new(ArrowWriter::try_new(to, schema.clone(), Some(properties))?))
            }
            Format::Arrow => {
                let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD))?;
                let to = FileWriter::try_new_with_options(to, schema, options)?;
                Self::Arrow(Box::new(Messages { to, joined: Vec::new(), rows: 0, bytes: 0 }))
            }
            Format::Csv | Format::Jsonl => Self::Text {
                format,
                header: header && format == Format::Csv,
                to: match packing {
                    Packing::Plain => Packed::Plain(to),
                    Packing::Gzip => Packed::Gzip(Box::new(GzEncoder::new(to, Compression::default()))),
                    Packing::Zstd => Packed::Zstd(Box::new(zstd::Encoder::new(to, 0)?)),
                },
            },
        })
    }

    pub(crate) fn write(&mut self, rows: &RecordBatch) -> Result<(), Trouble> {
        match self {
            Self::Parquet(writer) => writer.write(rows)?,
            Self::Arrow(messages) => messages.write(rows)?,
            Self::Text { format, header, to } => {
                let text = text(*format, *header, rows)?;
                *header = false;
                to.write_all(&text)?;
                to.flush_plain()?;
            }
        }
        Ok(())
    }

    /// What it wrote to.
    pub(crate) fn finish(self) -> Result<W, Trouble> {
        Ok(match self {
            Self::Parquet(writer) => writer.into_inner()?,
            Self::Arrow(messages) => messages.finish()?,
            Self::Text { to, .. } => to.finish()?,
        })
    }
}

impl<W: Write> Messages<W> {
    fn write(&mut self, rows: &RecordBatch) -> Result<(), Trouble> {
        self.rows += rows.num_rows();
        self.bytes += rows.columns().iter().map(bytes).sum::<usize>();
        self.joined.push(rows.clone());
        if self.rows >= MESSAGE_ROWS || self.bytes >= MESSAGE_BYTES {
            self.send()?;
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), Trouble> {
        let rows = std::mem::take(&mut self.joined);
        if let Some(first) = rows.first() {
            self.to.write(&concat_batches(&first.schema(), &rows)?)?;
        }
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }

    fn finish(mut self) -> Result<W, Trouble> {
        self.send()?;
        self.to.finish()?;
        Ok(self.to.into_inner()?)
    }
}

/// A type whose times can be written: where no library knows the name of a zone, they are in UTC, and the instants are the same.
pub(crate) fn in_utc(kind: &DataType) -> DataType {
    let field = |field: &FieldRef| Arc::new(field.as_ref().clone().with_data_type(in_utc(field.data_type())));
    match kind {
        DataType::Timestamp(unit, Some(zone)) if zone.parse::<Tz>().is_err() => {
            DataType::Timestamp(*unit, Some("+00:00".into()))
        }
        DataType::List(item) => DataType::List(field(item)),
        DataType::LargeList(item) => DataType::LargeList(field(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(field(item), *size),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::Map(entries, is_sorted) => DataType::Map(field(entries), *is_sorted),
        DataType::Dictionary(keys, values) => DataType::Dictionary(keys.clone(), Box::new(in_utc(values))),
        other => other.clone(),
    }
}

/// Rows whose times are in UTC.
fn rows_in_utc(rows: &RecordBatch) -> Result<RecordBatch, Trouble> {
    let schema = rows.schema();
    let columns = schema.fields().iter().zip(rows.columns()).map(|(field, column)| {
        let kind = in_utc(field.data_type());
        let column = if kind == *field.data_type() { column.clone() } else { cast(column, &kind)? };
        Ok((field.name().clone(), column))
    });
    Ok(RecordBatch::try_from_iter(columns.collect::<Result<Vec<_>, ArrowError>>()?)?)
}

/// Rows as text.
fn text(format: Format, header: bool, rows: &RecordBatch) -> Result<Vec<u8>, Trouble> {
    let rows = &rows_in_utc(rows)?;
    let mut text = Vec::new();
    if format == Format::Csv {
        let mut writer = arrow_csv::WriterBuilder::new().with_header(header).build(&mut text);
        writer.write(rows)?;
    } else {
        let mut writer =
            arrow_json::WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(&mut text);
        writer.write(rows)?;
        writer.finish()?;
    }
    Ok(text)
}

impl<W: Write> Packed<W> {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(to) => to.write_all(bytes),
            Self::Gzip(to) => to.write_all(bytes),
            Self::Zstd(to) => to.write_all(bytes),
        }
    }

    /// So that a reader of a pipe has what is done. To flush a packer would cost much of what it saves.
    fn flush_plain(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(to) => to.flush(),
            Self::Gzip(_) | Self::Zstd(_) => Ok(()),
        }
    }

    fn finish(self) -> io::Result<W> {
        match self {
            Self::Plain(to) => Ok(to),
            Self::Gzip(to) => to.finish(),
            Self::Zstd(to) => to.finish(),
        }
    }
}

/// Says early which column CSV cannot hold.
pub(crate) fn check(format: Format, out: &str, schema: &SchemaRef) -> Result<(), Failure> {
    let nested = schema.fields().iter().find(|field| field.data_type().is_nested());
    match nested {
        Some(field) if format == Format::Csv => {
            let what = match field.data_type() {
                DataType::Struct(_) => "a struct",
                _ => "a list",
            };
            Err(Failure::unusable(format!(
                "{out}: the column `{}` is {what}, which CSV cannot hold; write parquet, arrow or jsonl, or leave the \
                 column out",
                field.name()
            )))
        }
        _ => Ok(()),
    }
}
