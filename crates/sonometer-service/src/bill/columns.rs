//! Rows of the ledger as Parquet. What is written is handed on after each row group, so that one is held at a time.

use super::entry::{known, markers};
use super::format::COLUMNS;
use crate::store::LedgerRow;
use crate::token::Mode;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, Decimal128Array, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Rows of a row group.
const GROUP: usize = 16_384;
/// Millionths of a dollar with as many digits as 64 bits have.
const DOLLARS: DataType = DataType::Decimal128(19, 6);

/// Where the writer puts its bytes, and from where they are handed on.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub(super) struct Columns {
    schema: Arc<Schema>,
    bytes: Shared,
    writer: ArrowWriter<Shared>,
}

impl Columns {
    pub(super) fn new() -> Result<Self, ParquetError> {
        let item = Arc::new(Field::new_list_field(DataType::Utf8, true));
        let of = |name: &&str| match *name {
            "timestamp" => {
                Field::new(*name, DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())), false)
            }
            "line" | "ics_consumed" | "overage_ics" => Field::new(*name, DataType::Int64, false),
            "cost_usd" => Field::new(*name, DOLLARS, false),
            "metamarkers" => Field::new(*name, DataType::List(item.clone()), true),
            "request_id" | "kind" | "target_digest" | "idempotency_key" => {
                Field::new(*name, DataType::Utf8, true)
            }
            _ => Field::new(*name, DataType::Utf8, false),
        };
        let schema = Arc::new(Schema::new(COLUMNS.iter().map(of).collect::<Vec<_>>()));
        let bytes = Shared::default();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP))
            .build();
        let writer = ArrowWriter::try_new(bytes.clone(), schema.clone(), Some(properties))?;
        Ok(Self { schema, bytes, writer })
    }

    pub(super) fn rows(&mut self, rows: &[LedgerRow], mode: Mode) -> Result<Vec<u8>, ParquetError> {
        self.writer.write(&batch(&self.schema, rows, mode)?)?;
        Ok(self.bytes.take())
    }

    pub(super) fn end(self) -> Result<Vec<u8>, ParquetError> {
        self.writer.close()?;
        Ok(self.bytes.take())
    }
}

fn batch(schema: &Arc<Schema>, rows: &[LedgerRow], mode: Mode) -> Result<RecordBatch, ParquetError> {
    let text = |of: fn(&LedgerRow) -> &str| -> ArrayRef {
        Arc::new(rows.iter().map(|row| Some(of(row))).collect::<StringArray>())
    };
    let maybe = |of: fn(&LedgerRow) -> &str| -> ArrayRef {
        Arc::new(rows.iter().map(|row| known(of(row))).collect::<StringArray>())
    };
    let count = |of: fn(&LedgerRow) -> u64| -> ArrayRef {
        Arc::new(rows.iter().map(|row| i64::try_from(of(row)).unwrap_or(i64::MAX)).collect::<Int64Array>())
    };
    let times =
        TimestampMillisecondArray::from_iter_values(rows.iter().map(|row| row.at_ms)).with_timezone("UTC");
    let cost = Decimal128Array::from_iter_values(rows.iter().map(|row| i128::from(row.cost_usd.0)));
    let cost = cost.with_data_type(DOLLARS);
    let modes = rows.iter().map(|_| Some(mode.as_str())).collect::<StringArray>();
    let mut lists = ListBuilder::new(StringBuilder::new());
    for row in rows {
        lists.append_option(markers(row).map(|markers| markers.into_iter().map(Some)));
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(times),
        text(|row| &row.period),
        maybe(|row| &row.request),
        text(|row| &row.charge),
        count(|row| row.line),
        text(|row| &row.token),
        Arc::new(modes),
        maybe(|row| &row.kind),
        text(|row| &row.target_type),
        text(|row| &row.target_id),
        text(|row| &row.target_version),
        maybe(|row| &row.target_digest),
        count(|row| row.units),
        Arc::new(lists.finish()),
        count(|row| row.overage),
        Arc::new(cost),
        maybe(|row| &row.key),
    ];
    Ok(RecordBatch::try_new(schema.clone(), columns)?)
}
