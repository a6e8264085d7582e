//! Evidence as arrays: the columns of the engine as read-only memoryviews of Python, each made when it is first asked for.

use crate::failure::Failure;
use crate::number::float;
use crate::once::Once;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMemoryView, PyTuple};
use sonometer::Columns;

/// A column that may have been asked for.
pub(crate) type Column = Once<PyAny>;

/// The evidence of one reading, or of all rows of a table, as arrays: an entry in each for every piece, in the order of the text.
///
/// The arrays are read-only memoryviews: index them, take `tolist()` of them, or give them to `numpy.asarray`, which copies nothing. No
/// object is made for a piece. There is no text in them, so nothing masked either.
///
/// >>> from sonometer import Sensor
/// >>> text = "Good morning, thank you so much for your help!"
/// >>> places = Sensor("courtesy@1.0").sense(text).places
/// >>> places
/// <Places of 2 pieces: greeting 0:12, gratitude 14:23>
/// >>> [text[start:end] for start, end in zip(places.starts, places.ends)]
/// ['Good morning', 'thank you']
/// >>> [places.names[marker] for marker in places.markers], places.scores.tolist()
/// (['greeting', 'gratitude'], [0.6, 0.6])
#[pyclass(frozen, name = "Places", module = "sonometer")]
pub(crate) struct Places {
    names: Py<PyTuple>,
    columns: Columns,
    rows: Column,
    markers: Column,
    scores: Column,
    segments: Column,
    starts: Column,
    ends: Column,
    further: Once<Further>,
}

/// Where pieces that stand in several segments go on: an entry for each further stretch, in the order of the pieces.
#[pyclass(frozen, name = "Further", module = "sonometer")]
pub(crate) struct Further {
    inner: sonometer::Further,
    pieces: Column,
    segments: Column,
    starts: Column,
    ends: Column,
}

impl Places {
    pub(crate) fn new(names: Py<PyTuple>, columns: Columns) -> Self {
        Self {
            names,
            columns,
            rows: Column::new(),
            markers: Column::new(),
            scores: Column::new(),
            segments: Column::new(),
            starts: Column::new(),
            ends: Column::new(),
            further: Once::new(),
        }
    }

    pub(crate) fn columns(&self) -> &Columns {
        &self.columns
    }
}

#[pymethods]
impl Places {
    /// The keys of all metamarkers of the target, in the order of its readings; `markers` counts in them.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.names.bind(py).clone()
    }

    /// The row of a table that each piece is of, from 0 (int64); of one reading 0.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let of_piece = || {
            let bounds = self.columns.bounds.windows(2).enumerate();
            bounds.flat_map(|(row, ends)| (ends[0]..ends[1]).map(move |_| row as i64))
        };
        column(py, &self.rows, || longs(py, self.columns.len(), of_piece()))
    }

    /// The metamarker of each piece, by its place in `names` (int32).
    #[getter]
    fn markers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.markers, || ints(py, &self.columns.markers))
    }

    /// What each piece adds to its metamarker, above 0, at most 1 (float64).
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.scores, || floats(py, &self.columns.scores, |score| float(*score)))
    }

    /// The segment each piece is in, from 0 (int32); of several, the first.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.segments, || ints(py, &self.columns.turns))
    }

    /// Where each piece begins in the content of its segment (int32), in the unit that was asked for.
    #[getter]
    fn starts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.starts, || ints(py, &self.columns.starts))
    }

    /// Where each piece ends there (int32): one past its last character.
    #[getter]
    fn ends<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.ends, || ints(py, &self.columns.ends))
    }

    /// Where pieces that stand in several segments go on, for metamarkers with `join`; mostly empty.
    #[getter]
    fn further<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Further>> {
        let made = self.further.get(py, || {
            Bound::new(
                py,
                Further {
                    inner: self.columns.further.clone(),
                    pieces: Column::new(),
                    segments: Column::new(),
                    starts: Column::new(),
                    ends: Column::new(),
                },
            )
        })?;
        Ok(made.clone())
    }

    /// The unit of `starts` and `ends`: `chars`, `bytes` or `utf16`.
    #[getter]
    fn offsets(&self) -> &'static str {
        self.columns.unit.as_str()
    }

    /// All columns by name (`row`, `segment`, `start`, `end`, `marker`, `score`), for a data frame.
    ///
    /// >>> from sonometer import Sensor
    /// >>> places = Sensor("courtesy@1.0").sense("Good morning, thank you so much for your help!").places
    /// >>> {name: column.tolist() for name, column in places.to_dict().items()}
    /// {'row': [0, 0], 'segment': [0, 0], 'start': [0, 14], 'end': [12, 23], 'marker': [2, 0], 'score': [0.6, 0.6]}
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        all.set_item(intern!(py, "row"), self.rows(py)?)?;
        all.set_item(intern!(py, "segment"), self.segments(py)?)?;
        all.set_item(intern!(py, "start"), self.starts(py)?)?;
        all.set_item(intern!(py, "end"), self.ends(py)?)?;
        all.set_item(intern!(py, "marker"), self.markers(py)?)?;
        all.set_item(intern!(py, "score"), self.scores(py)?)?;
        Ok(all)
    }

    fn __len__(&self) -> usize {
        self.columns.len()
    }

    /// Arrays have a lasting form of their own.
    fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(no_lasting_form("places"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (count, names) = (self.columns.len(), self.names.bind(py));
        let mut shown = Vec::new();
        for at in 0..count.min(MOST_SHOWN) {
            let name = names.get_item(self.columns.markers[at] as usize)?;
            shown.push(format!("{name} {}:{}", self.columns.starts[at], self.columns.ends[at]));
        }
        if count > MOST_SHOWN {
            shown.push("…".to_owned());
        }
        let pieces = if count == 1 { "piece" } else { "pieces" };
        let colon = if count == 0 { "" } else { ": " };
        Ok(format!("<Places of {count} {pieces}{colon}{}>", shown.join(", ")))
    }
}

/// The most pieces that `repr` shows.
const MOST_SHOWN: usize = 6;

#[pymethods]
impl Further {
    /// The piece that goes on, by its place in the arrays of `Places` (int64).
    #[getter]
    fn pieces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let pieces = &self.inner.pieces;
        column(py, &self.pieces, || longs(py, pieces.len(), pieces.iter().map(|piece| *piece as i64)))
    }

    /// The segment of the stretch, from 0 (int32).
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.segments, || ints(py, &self.inner.turns))
    }

    /// Where it begins in the content of that segment (int32).
    #[getter]
    fn starts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.starts, || ints(py, &self.inner.starts))
    }

    /// Where it ends there (int32).
    #[getter]
    fn ends<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.ends, || ints(py, &self.inner.ends))
    }

    fn __len__(&self) -> usize {
        self.inner.pieces.len()
    }

    /// Arrays have a lasting form of their own.
    fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(no_lasting_form("stretches"))
    }

    fn __repr__(&self) -> String {
        let count = self.inner.pieces.len();
        format!("<Further: {count} {}>", if count == 1 { "stretch" } else { "stretches" })
    }
}

/// What is said of arrays that are to be pickled.
pub(crate) fn no_lasting_form(what: &str) -> PyErr {
    let fix = "pickle the readings, or numpy arrays of what you need";
    Failure::wrong_type("", format!("{what} cannot be pickled: memoryviews are not"), fix).into()
}

/// A column that is made once.
pub(crate) fn column<'py>(
    py: Python<'py>,
    kept: &Column,
    make: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    kept.get(py, make).cloned()
}

// Bytes of Python are read-only, so their memoryviews are, and so are those cast to numbers.

fn ints<'py>(py: Python<'py>, numbers: &[u32]) -> PyResult<Bound<'py, PyAny>> {
    // Places in content of at most 64 MiB, segments of it, and markers (at most 2,000 for each protocol): all fit.
    array(py, numbers.len(), numbers.iter().map(|number| (*number as i32).to_ne_bytes()), "i")
}

pub(crate) fn longs(
    py: Python<'_>,
    count: usize,
    numbers: impl Iterator<Item = i64>,
) -> PyResult<Bound<'_, PyAny>> {
    array(py, count, numbers.map(i64::to_ne_bytes), "q")
}

pub(crate) fn floats<'py, T>(
    py: Python<'py>,
    numbers: &[T],
    of: impl Fn(&T) -> f64,
) -> PyResult<Bound<'py, PyAny>> {
    array(py, numbers.len(), numbers.iter().map(|number| of(number).to_ne_bytes()), "d")
}

pub(crate) fn bools<'py>(py: Python<'py>, values: &[bool]) -> PyResult<Bound<'py, PyAny>> {
    array(py, values.len(), values.iter().map(|value| [u8::from(*value)]), "?")
}

fn array<'py, const SIZE: usize>(
    py: Python<'py>,
    count: usize,
    numbers: impl Iterator<Item = [u8; SIZE]>,
    format: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyBytes::new_with(py, count * SIZE, |bytes| {
        let (places, _) = bytes.as_chunks_mut::<SIZE>();
        places.iter_mut().zip(numbers).for_each(|(place, number)| *place = number);
        Ok(())
    })?;
    PyMemoryView::from(&bytes)?.call_method1(intern!(py, "cast"), (format,))
}
