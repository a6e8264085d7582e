//! Columns of conversations, a list of turns a row.

use crate::column::{fields, list};
use arrow_array::{ArrayRef, Float64Array, ListArray, StringArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};
use std::sync::Arc;

fn turn_fields() -> Fields {
    fields([("role", DataType::Utf8), ("content", DataType::Utf8), ("timestamp", DataType::Float64)])
}

/// The type of a column of conversations.
pub fn talks_type() -> DataType {
    list(DataType::Struct(turn_fields()))
}

/// A column of conversations: what all turns hold, and of how many of them each row is made; rows that `nulls` names are null.
///
/// # Panics
/// If the columns of the turns differ in length from each other or from the sum of `lengths`.
pub fn talks(
    roles: StringArray,
    contents: StringArray,
    times: Float64Array,
    lengths: impl IntoIterator<Item = usize>,
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    let columns: Vec<ArrayRef> = vec![Arc::new(roles), Arc::new(contents), Arc::new(times)];
    let turns = StructArray::new(turn_fields(), columns, None);
    let turn = Field::new_list_field(DataType::Struct(turn_fields()), true);
    Arc::new(ListArray::new(turn.into(), OffsetBuffer::from_lengths(lengths), Arc::new(turns), nulls))
}
