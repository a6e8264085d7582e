//! Tables: which files they are made of, where these are, and how they are read and written.

mod columns_of_lines;
pub(crate) mod content;
mod csv;
pub(crate) mod files;
pub(crate) mod read;
pub(crate) mod rows;
pub(crate) mod source;
pub(crate) mod talks;
pub(crate) mod turns;
pub(crate) mod write;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};

/// Bytes of a part of a column: what it shares with other parts is not counted.
pub(crate) fn bytes(column: &ArrayRef) -> usize {
    // Arrow counts of a list also what lies before and behind its rows.
    fn of_list<O: OffsetSizeTrait>(column: &ArrayRef) -> Option<usize> {
        let list = column.as_list_opt::<O>()?;
        let (first, last) = (list.value_offsets()[0].as_usize(), list.value_offsets()[list.len()].as_usize());
        Some(size_of_val(list.value_offsets()) + bytes(&list.values().slice(first, last - first)))
    }
    of_list::<i32>(column).or_else(|| of_list::<i64>(column)).unwrap_or_else(|| {
        let counted = column.to_data().get_slice_memory_size();
        counted.unwrap_or_else(|_| column.get_buffer_memory_size())
    })
}

#[cfg(test)]
mod tests {
    use super::bytes;
    use arrow_array::builder::{ListBuilder, StringBuilder};
    use arrow_array::cast::AsArray;
    use arrow_array::{Array, ArrayRef};
    use std::sync::Arc;

    #[test]
    fn parts_have_together_what_the_whole_has() {
        let mut lists = ListBuilder::new(StringBuilder::new());
        for row in 0..320 {
            lists.append_value((0..row % 7).map(|_| Some("thank you")));
        }
        let lists: ArrayRef = Arc::new(lists.finish());
        let texts = Arc::clone(lists.as_list::<i32>().values());
        for column in [lists, texts] {
            let whole = bytes(&column);
            let size = column.len().div_ceil(32);
            let parts = (0..column.len())
                .step_by(size)
                .map(|at| bytes(&column.slice(at, size.min(column.len() - at))));
            let parts: usize = parts.sum();
            // Of each part one more place than rows.
            assert!(parts >= whole && parts <= whole + 32 * 32, "{parts} of {whole}");
        }
    }
}
