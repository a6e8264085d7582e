//! The rows of a CSV that is held, each with the line on which it begins: labelled items, and ordinary talk.

use super::csv;
use super::read::{batch_rows, broken};
use crate::failure::Failure;
use arrow_array::cast::AsArray;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use sonometer_evaluate::Table;
use std::sync::Arc;

/// Bytes that are looked at to tell the separator and the header.
const HEAD: usize = 1 << 20;

/// Reads it by the rules of `batch`. `path` is how messages call it.
pub(crate) fn rows(path: &str, bytes: &[u8]) -> Result<Table, Failure> {
    let failed = |error: ArrowError| broken(path, &error);
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(Failure::unusable(format!("{path}: the input is empty")));
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    let separator = csv::separator_of(path, head);
    csv::check_header(head, separator).map_err(failed)?;
    // What is wrong with any row is found here, with its line.
    let lines = csv::lines(bytes, separator).map_err(failed)?;
    let format = arrow_csv::reader::Format::default().with_header(true).with_delimiter(separator);
    let (named, _) = format.infer_schema(head, Some(0)).map_err(failed)?;
    let fields: Vec<Field> =
        named.fields().iter().map(|field| Field::new(field.name(), DataType::Utf8, true)).collect();
    let mut table = Table::new(fields.iter().map(Field::name));
    let reader = arrow_csv::ReaderBuilder::new(Arc::new(Schema::new(fields)))
        .with_header(true)
        .with_delimiter(separator)
        .with_batch_size(batch_rows(bytes.len() as u64, lines.len() as u64))
        .build_buffered(bytes)
        .map_err(failed)?;
    // The first of the lines is that of the header.
    let mut lines = lines.into_iter().skip(1);
    for batch in reader {
        let batch = batch.map_err(failed)?;
        let columns: Vec<_> = batch.columns().iter().map(|column| column.as_string::<i32>()).collect();
        for (row, line) in (0..batch.num_rows()).zip(&mut lines) {
            table.add(line, columns.iter().map(|column| column.value(row).to_owned()).collect());
        }
    }
    Ok(table)
}
