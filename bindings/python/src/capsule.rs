//! Arrow's PyCapsule interface: columns of other libraries are taken over, and what was measured is handed out, both without a copy.
//!
//! A column comes as a structure of C, so this is the one module with unsafe code. Each piece relies on what the interface promises of a
//! capsule with its name. The crate `pyo3-arrow` does the same and weighs 1.4 MB more in the wheel: it casts any type to any other, which no library
//! here needs from Sonometer, and knows all time zones and NumPy.
#![allow(unsafe_code)]

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, NullArray, RecordBatch, RecordBatchIterator, make_array};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::ffi::CStr;
use std::sync::Arc;

const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";
const STREAM: &CStr = c"arrow_array_stream";

/// The arrays of a column, one after the other.
pub(crate) enum Arrays {
    One(Option<ArrayRef>),
    Stream(FFI_ArrowArrayStream, DataType),
}

fn wrong(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

impl Arrays {
    /// Those of an object that exports an array or a stream of arrays.
    ///
    /// # Errors
    /// What the object says, or that it exports neither.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.hasattr("__arrow_c_array__")? {
            let pair = object.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
            let (schema, array) = (pair.get_item(0)?.cast_into()?, pair.get_item(1)?.cast_into()?);
            return Self::one(&schema, &array).map(|array| Self::One(Some(array)));
        }
        Self::stream(&object.call_method0("__arrow_c_stream__")?.cast_into()?)
    }

    fn one(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<ArrayRef> {
        let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
        let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
        // SAFETY: a capsule of this name holds a schema, and the capsule outlives the reference.
        let schema = unsafe { schema.as_ref() };
        if schema.release.is_none() {
            return Err(wrong("the schema was read already"));
        }
        let kind = DataType::try_from(schema).map_err(wrong)?;
        // SAFETY: a capsule of this name holds an array, which is moved out of it and marked as released there.
        let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
        if array.is_released() {
            return Err(wrong("the array was read already"));
        }
        // SAFETY: the array has the type of the schema that came with it.
        unsafe { taken(array, kind) }.map_err(wrong)
    }

    fn stream(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let stream = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: a capsule of this name holds a stream, which is moved out of it and marked as released there.
        let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        let released = || wrong("the stream was read already");
        let get_schema = stream.get_schema.ok_or_else(released)?;
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the stream is not released, since it has this function, and the schema is empty.
        if unsafe { get_schema(&mut stream, &mut schema) } != 0 {
            return Err(wrong(last_error(&mut stream)));
        }
        let kind = DataType::try_from(&schema).map_err(wrong)?;
        Ok(Self::Stream(stream, kind))
    }
}

impl Iterator for Arrays {
    type Item = Result<ArrayRef, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (stream, kind) = match self {
            Self::One(array) => return array.take().map(Ok),
            Self::Stream(stream, kind) => (stream, kind),
        };
        let get_next = stream.get_next?;
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is not released before it is dropped, and the array is empty.
        if unsafe { get_next(stream, &mut array) } != 0 {
            return Some(Err(ArrowError::CDataInterface(last_error(stream))));
        }
        if array.is_released() {
            return None;
        }
        // SAFETY: all arrays of a stream have the type that it says.
        Some(unsafe { taken(array, kind.clone()) })
    }
}

/// Takes an array over. Polars gives a column of nothing but nulls a buffer, which that type does not have; the reader refuses it.
///
/// # Safety
/// The array is of this type.
unsafe fn taken(array: FFI_ArrowArray, kind: DataType) -> Result<ArrayRef, ArrowError> {
    if kind == DataType::Null {
        return Ok(Arc::new(NullArray::new(array.len())));
    }
    // SAFETY: the array is of this type.
    unsafe { from_ffi_and_data_type(array, kind) }.map(make_array)
}

/// What a stream says of its last call, which failed.
fn last_error(stream: &mut FFI_ArrowArrayStream) -> String {
    // SAFETY: the stream is not released.
    let text = stream.get_last_error.map(|get_last_error| unsafe { get_last_error(stream) });
    match text {
        // SAFETY: it is text of C that stays until the next call.
        Some(text) if !text.is_null() => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
        _ => "the stream cannot be read".to_owned(),
    }
}

/// A schema, for libraries.
pub(crate) fn of_schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowSchema::try_from(schema).map_err(wrong)?, SCHEMA)
}

/// Batches, for libraries.
pub(crate) fn of_batches<'py>(
    py: Python<'py>,
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
) -> PyResult<Bound<'py, PyCapsule>> {
    let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
}
