//! Columns in, columns out: what `Target.frame` gives, in the form by which libraries of Python hand Arrow data to each other.

use crate::argument::{self, Argument};
use crate::capsule::{self, Arrays};
use crate::failure::{Failure, Outcome};
use crate::number::kind_of;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, NullArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyString, PyTuple};
use sonometer::Error;
use sonometer_arrow::{BadRows, Column, Frame as Asked, GROUP, Input};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// How many rows are sensed between two looks for Ctrl-C. They are one batch of what comes out.
const ROWS: usize = 16_384;

/// Readings as columns. `Target.frame` makes it where no library that it knows asked.
///
/// Whatever speaks Arrow's PyCapsule interface takes it: `pyarrow.table(frame)`, `polars.DataFrame(frame)`, DuckDB, pandas.
///
/// >>> from sonometer import Sensor
/// >>> class Texts:                                           # a column of any library; here one of nobody
/// ...     pass
/// >>> Sensor("courtesy@1.0").frame(Texts())
/// Traceback (most recent call last):
///   ...
/// sonometer.errors.WrongTypeError: a Texts is not a column; give one of pyarrow, Polars, pandas, DuckDB or another library that speaks Arrow
#[pyclass(frozen, name = "Frame", module = "sonometer")]
pub(crate) struct Frame {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl Frame {
    /// The names of its columns.
    #[getter]
    fn column_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.schema.fields().iter().map(|field| field.name()))
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        format!("<Frame of {} rows: {}>", self.__len__(), names.join(", "))
    }

    /// Its schema, for libraries.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::of_schema(py, &self.schema)
    }

    /// Its batches, for libraries. They have the types that its schema says, whatever is requested; who wants others casts them.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule::of_batches(py, self.batches.clone(), Arc::clone(&self.schema))
    }
}

/// A column of what Python gave.
pub(crate) fn column(object: &Bound<'_, PyAny>) -> Outcome<Arrays> {
    let readable = object
        .py()
        .import("sonometer.columns")
        .and_then(|columns| columns.call_method1("readable", (object,)));
    readable.and_then(|object| Arrays::of(&object)).map_err(|error| {
        let kind = object.get_type().name().map_or_else(|_| "this".to_owned(), |name| name.to_string());
        // pandas needs pyarrow for it, and one kind of values.
        let speaks = ["__arrow_c_array__", "__arrow_c_stream__"]
            .iter()
            .any(|way| object.hasattr(way).unwrap_or(false));
        if speaks {
            let said = error.value(object.py()).to_string();
            let said = said.trim_end_matches('.');
            let fix = "give texts and None only, as `column.astype(\"string\")` does in pandas";
            return Failure::wrong_type("column", format!("{kind} gives no column of Arrow: {said}"), fix);
        }
        let fix = match object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
            true => "of a list, use `table` or `batch`, or make a column of it: pyarrow.array(…)",
            false => "give one of pyarrow, Polars, pandas, DuckDB or another library that speaks Arrow",
        };
        Failure::wrong_type("column", format!("{} is not a column", kind_of(object)), fix)
    })
}

/// The columns by their names; one name is a list of one.
pub(crate) fn columns(asked: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Column>> {
    let Some(asked) = asked else { return Ok(vec![Column::Score, Column::Sufficient]) };
    let column = |name: &Bound<'_, PyAny>, place: &str| -> Outcome<Column> {
        Ok(<&str>::read(name, place)?.parse::<Column>()?)
    };
    if asked.is_instance_of::<PyString>() {
        return Ok(vec![column(asked, "columns")?]);
    }
    let names = argument::items(asked, "columns", "give the names of columns as a list")?;
    let columns = names.enumerate().map(|(at, name)| column(&name?, &format!("columns[{at}]")));
    Ok(columns.collect::<Outcome<_>>()?)
}

/// How texts are read.
pub(crate) fn input(name: &str) -> Outcome<Input> {
    match name {
        "text" => Ok(Input::Text),
        "json" => Ok(Input::Json),
        _ => Err(Failure::invalid("input", format!("`input` is `{name}`"), "give text or json")),
    }
}

/// What becomes of bad rows.
pub(crate) fn bad_rows(name: &str) -> Outcome<BadRows> {
    match name {
        "null" => Ok(BadRows::Null),
        "raise" => Ok(BadRows::Refuse),
        _ => Err(Failure::invalid("errors", format!("`errors` is `{name}`"), "give null or raise")),
    }
}

/// Senses a column, a part after the other, and looks for Ctrl-C between them.
pub(crate) fn sense(py: Python<'_>, asked: &Asked, reader: Arrays, threads: NonZeroUsize) -> PyResult<Frame> {
    let batches = parts(py, asked, reader, threads, Asked::sense_in_batches)?;
    Ok(Frame { schema: asked.schema(), batches: batches.into_iter().flatten().collect() })
}

/// Masks a column.
pub(crate) fn mask(py: Python<'_>, asked: &Asked, reader: Arrays, threads: NonZeroUsize) -> PyResult<Frame> {
    let columns = parts(py, asked, reader, threads, Asked::mask)?;
    let kind = columns.first().map_or(DataType::Utf8, |column| column.data_type().clone());
    let schema: SchemaRef = Schema::new(vec![Field::new("masked", kind, true)]).into();
    let batch = |column: ArrayRef| {
        RecordBatch::try_new(Arc::clone(&schema), vec![column])
            .map_err(|error| Failure::from(Error::invalid("column", error.to_string())))
    };
    let batches = columns.into_iter().map(batch).collect::<Outcome<_>>()?;
    Ok(Frame { schema, batches })
}

/// The work of each part of a column, on this thread where others would not help: an engine that gives its rows in small pieces starts no
/// threads for each of them, and those that it has keep their working memory.
fn parts<T: Send>(
    py: Python<'_>,
    asked: &Asked,
    reader: Arrays,
    threads: NonZeroUsize,
    work: impl Fn(&Asked, &dyn Array) -> Result<T, Error> + Sync,
) -> PyResult<Vec<T>> {
    let alone = asked.clone().on_this_thread();
    let mut pool = None;
    let mut done = Vec::new();
    let mut before = 0;
    for array in reader {
        let array = array.map_err(|error| Failure::from(Error::invalid("column", error.to_string())))?;
        // A stream of tables has their rows as structs; of one column, that is meant.
        let array = or_nulls(only_column(array)?);
        for from in (0..array.len()).step_by(ROWS) {
            let part = array.slice(from, ROWS.min(array.len() - from));
            let found = if threads == NonZeroUsize::MIN || part.len() <= GROUP {
                py.detach(|| work(&alone, part.as_ref()))
            } else {
                let pool = match &mut pool {
                    Some(pool) => pool,
                    empty => empty.insert(sonometer_arrow::pool(threads).map_err(Failure::from)?),
                };
                py.detach(|| pool.install(|| work(asked, part.as_ref())))
            };
            done.push(found.map_err(|error| Failure::from(from_row(before + from, error)))?);
            py.check_signals()?;
        }
        if array.is_empty() {
            done.push(work(&alone, array.as_ref()).map_err(Failure::from)?);
        }
        before += array.len();
    }
    Ok(done)
}

/// The column of a table with one; the column itself otherwise.
fn only_column(array: ArrayRef) -> Outcome<ArrayRef> {
    let Some(table) = array.as_struct_opt() else { return Ok(array) };
    match table.columns() {
        [only] => Ok(Arc::clone(only)),
        _ => {
            let names: Vec<&str> = table.fields().iter().map(|field| field.name().as_str()).collect();
            let message = format!("a table of {} is not a column", names.join(", "));
            Err(Failure::wrong_type("column", message, "give one of its columns"))
        }
    }
}

/// Floats of which none is there are what pandas has for a column of texts that are all missing.
fn or_nulls(array: ArrayRef) -> ArrayRef {
    match array.data_type().is_floating() && !array.is_empty() && array.null_count() == array.len() {
        true => Arc::new(NullArray::new(array.len())),
        false => array,
    }
}

/// The error of a part as that of the column: `rows[n]` counts from its first row.
fn from_row(before: usize, mut error: Error) -> Error {
    let row = error.place.strip_prefix("rows[").and_then(|rest| rest.split_once(']'));
    if let Some((number, rest)) = row.and_then(|(number, rest)| Some((number.parse::<usize>().ok()?, rest))) {
        // A place in a text is no member of anything.
        let rest = rest.replacen(".line ", ", line ", 1);
        error.place = format!("rows[{}]{rest}", before + number);
    }
    error
}
