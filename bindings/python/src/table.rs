//! Many readings as arrays: the scores of each, and all their evidence, without an object for any of it.

use crate::argument;
use crate::failure::{Failure, Outcome};
use crate::many::{self, OnError};
use crate::number::{float, kind_of};
use crate::places::{Column, Places, bools, column, floats, longs, no_lasting_form};
use crate::reading::{Reading, frozen};
use crate::target::Target;
use crate::view::offset_unit;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator};
use sonometer::{Columns, OffsetUnit, Reading as Sensed, SenseOptions};
use std::num::NonZeroUsize;

/// What many interactions came to, as arrays with an entry for each: a row. `Target.table` makes it, or `Table.of` of readings.
///
/// The arrays are read-only memoryviews, which `numpy.asarray` takes without a copy.
///
/// >>> from sonometer import Sensor
/// >>> texts = ["Thank you so much for your help!", "Hm.", "Good morning, thank you so much for your help!"]
/// >>> table = Sensor("courtesy@1.0").table(texts)
/// >>> table
/// <Table 'courtesy@1.0' of 3 rows, 3 pieces>
/// >>> table.sufficient.tolist(), [round(score, 3) for score in table.scores]
/// ([True, False, True], [0.495, nan, 0.545])
/// >>> table.bounds.tolist(), table.places.rows.tolist()
/// ([0, 1, 1, 3], [0, 2, 2])
/// >>> table.resonance["gratitude"].tolist()
/// [0.75, 0.0, 0.75]
#[pyclass(frozen, name = "Table", module = "sonometer")]
pub(crate) struct Table {
    target: Py<Target>,
    rows: Rows,
    places: Py<Places>,
    errors: Py<PyAny>,
    bounds: Column,
    scores: Column,
    sufficient: Column,
    fidelity: Column,
    resonance: Column,
}

/// The rows of a table without their evidence.
#[derive(Default)]
struct Rows {
    /// NaN where nothing was measured.
    scores: Vec<f64>,
    sufficient: Vec<bool>,
    /// NaN where there is an error.
    fidelity: Vec<f64>,
    /// Of each metamarker that is not silent its row and its place in the names: most of them are silent in most rows.
    resonance: Vec<(usize, usize, f64)>,
}

/// Rows as they are made, by several threads a part each.
struct Making {
    rows: Rows,
    columns: Columns,
    /// By row.
    errors: Vec<(usize, Failure)>,
}

impl Making {
    fn new(unit: OffsetUnit) -> Self {
        Self { rows: Rows::default(), columns: Columns::new(unit), errors: Vec::new() }
    }

    fn add(&mut self, reading: &Sensed) {
        let rows = &mut self.rows;
        let row = rows.scores.len();
        rows.scores.push(reading.score().map_or(f64::NAN, float));
        let fidelity = reading.fidelity();
        rows.sufficient.push(fidelity.sufficient);
        rows.fidelity.push(float(fidelity.index));
        let loud = reading.resonance().enumerate().filter(|(_, (_, found))| found.activation.0 != 0);
        rows.resonance.extend(loud.map(|(marker, (_, found))| (row, marker, float(found.activation))));
        self.columns.add(reading);
    }

    fn add_none(&mut self) {
        self.rows.scores.push(f64::NAN);
        self.rows.sufficient.push(false);
        self.rows.fidelity.push(f64::NAN);
        self.columns.add_none();
    }

    /// Adds the rows of a part; its errors are taken out before.
    fn append(&mut self, mut part: Self) {
        let before = self.rows.scores.len();
        self.rows.scores.append(&mut part.rows.scores);
        self.rows.sufficient.append(&mut part.rows.sufficient);
        self.rows.fidelity.append(&mut part.rows.fidelity);
        let resonance = part.rows.resonance.into_iter();
        self.rows.resonance.extend(resonance.map(|(row, marker, came_to)| (before + row, marker, came_to)));
        self.columns.append(&part.columns);
    }

    fn table(self, target: &Bound<'_, Target>, errors: &Bound<'_, PyDict>) -> PyResult<Table> {
        let py = target.py();
        Ok(Table {
            places: Py::new(py, Places::new(target.get().names(py)?.clone().unbind(), self.columns))?,
            target: target.clone().unbind(),
            rows: self.rows,
            errors: frozen(errors.clone())?.unbind(),
            bounds: Column::new(),
            scores: Column::new(),
            sufficient: Column::new(),
            fidelity: Column::new(),
            resonance: Column::new(),
        })
    }
}

/// The table of all interactions.
pub(crate) fn of_interactions(
    target: &Bound<'_, Target>,
    items: &Bound<'_, PyIterator>,
    unit: OffsetUnit,
    on_error: OnError,
    threads: NonZeroUsize,
    options: SenseOptions,
) -> PyResult<Table> {
    let py = target.py();
    let keep = |group: Vec<Outcome<Sensed>>| {
        let mut part = Making::new(unit);
        for outcome in group {
            match outcome {
                Ok(reading) => part.add(&reading),
                Err(failure) => {
                    part.errors.push((part.rows.scores.len(), failure));
                    part.add_none();
                }
            }
        }
        part
    };
    let (mut all, errors) = (Making::new(unit), PyDict::new(py));
    many::each_group(target, items, threads, options, keep, |part| {
        let mut part = part;
        let first = all.rows.scores.len();
        for (row, failure) in part.errors.drain(..) {
            errors.set_item(first + row, many::exception(py, failure, on_error)?)?;
        }
        all.append(part);
        Ok(())
    })?;
    all.table(target, &errors)
}

#[pymethods]
impl Table {
    /// The table of readings of one target, such as those of `batch`; of an exception among them, as `errors="return"` gives them, a row
    /// without a score.
    ///
    /// >>> from sonometer import Sensor, Table
    /// >>> readings = Sensor("courtesy@1.0").batch(["Thank you so much for your help!", 7], errors="return")
    /// >>> Table.of(readings).errors
    /// {1: WrongTypeError(...)}
    #[staticmethod]
    #[pyo3(signature = (readings, /, *, offsets = "chars"))]
    fn of(
        readings: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::offsets)] offsets: &str,
    ) -> PyResult<Self> {
        let (mut all, errors) = (Making::new(offset_unit(offsets)?), PyDict::new(readings.py()));
        let mut target: Option<Bound<'_, Target>> = None;
        let fix = "give a list of the readings of `sense`, `batch` or `map`";
        for (at, item) in argument::items(readings, "readings", fix)?.enumerate() {
            let item = item?;
            let place = || format!("readings[{at}]");
            if let Ok(reading) = item.cast::<Reading>() {
                let own = reading.get().target(item.py());
                let first = target.get_or_insert_with(|| own.clone());
                if !first.is(&own) && !first.get().is_same(own.get()) {
                    let message = format!("a reading of {}, not of {}", own.repr()?, first.repr()?);
                    return Err(Failure::invalid(place(), message, "make one table for each target").into());
                }
                all.add(&reading.get().inner);
            } else if item.is_instance_of::<PyBaseException>() {
                errors.set_item(at, item)?;
                all.add_none();
            } else {
                let message = format!("{} is not a reading", kind_of(&item));
                let fix = "give the readings of `sense`, `batch` or `map`; to measure interactions, use `sensor.table`";
                return Err(Failure::wrong_type(place(), message, fix).into());
            }
        }
        let Some(target) = target else {
            let fix = "give at least one; `sensor.table([])` is an empty table";
            return Err(Failure::invalid("readings", "no reading says of which target it is", fix).into());
        };
        all.table(&target, &errors)
    }

    /// What was sensed with.
    #[getter]
    fn target<'py>(&self, py: Python<'py>) -> Bound<'py, Target> {
        self.target.bind(py).clone()
    }

    /// The overall score of each row, 0 to 1 (float64); NaN where nothing was measured.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.scores, || floats(py, &self.rows.scores, |score| *score))
    }

    /// Whether there was enough to measure (bool).
    #[getter]
    fn sufficient<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.sufficient, || bools(py, &self.rows.sufficient))
    }

    /// How far each row can be trusted, 0 to 1 (float64): `fidelity.index` of a reading; NaN where there is an error.
    #[getter]
    fn fidelity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.fidelity, || floats(py, &self.rows.fidelity, |index| *index))
    }

    /// Every metamarker's resonance in each row, 0 to 1 (float64), by its key; a mapping that cannot be changed.
    #[getter]
    fn resonance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.resonance, || {
            let names = self.target.get().names(py)?;
            let mut columns = vec![vec![0.0; self.rows.scores.len()]; names.len()];
            for (row, marker, came_to) in &self.rows.resonance {
                columns[*marker][*row] = *came_to;
            }
            let all = PyDict::new(py);
            for (name, column) in names.iter().zip(&columns) {
                all.set_item(name, floats(py, column, |came_to| *came_to)?)?;
            }
            frozen(all)
        })
    }

    /// All evidence of all rows.
    #[getter]
    fn places<'py>(&self, py: Python<'py>) -> Bound<'py, Places> {
        self.places.bind(py).clone()
    }

    /// Which pieces of `places` each row has (int64): those of row n are `bounds[n]` to `bounds[n + 1]`. One entry more than rows.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bounds = &self.places.get().columns().bounds;
        column(py, &self.bounds, || longs(py, bounds.len(), bounds.iter().map(|bound| *bound as i64)))
    }

    /// What was wrong, by row; a mapping that cannot be changed, empty without `errors="return"`.
    #[getter]
    fn errors<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.errors.bind(py).clone()
    }

    fn __len__(&self) -> usize {
        self.rows.scores.len()
    }

    /// Arrays have a lasting form of their own.
    fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(no_lasting_form("a table"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let instrument = &self.target.get().instrument;
        let name = format!("{}@{}", instrument.id(), instrument.version());
        let name = pyo3::types::PyString::new(py, &name).repr()?;
        let (rows, pieces) = (self.rows.scores.len(), self.places.get().columns().len());
        let counted =
            |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let errors = match self.errors.bind(py).len()? {
            0 => String::new(),
            count => format!(", {}", counted(count, "error")),
        };
        let (rows, pieces) = (counted(rows, "row"), counted(pieces, "piece"));
        Ok(format!("<Table {} of {rows}, {pieces}{errors}>", name.to_string_lossy()))
    }
}
