//! The three kinds of target and how each is made: `Sensor`, `Metric` and `Blueprint`, and `load` for any of them.

use crate::argument;
use crate::source::Source;
use crate::target::Target;
use pyo3::prelude::*;
use sonometer::TargetKind;

/// A protocol, compiled once: immutable, shared freely between threads.
///
/// It is made of the id of the catalogue (`"courtesy"`, `"courtesy@1.0"`), a path, the source text, or a dict:
///
/// >>> from sonometer import Sensor
/// >>> courtesy = Sensor("courtesy@1.0")
/// >>> courtesy
/// Sensor('courtesy@1.0')
/// >>> reading = courtesy.sense("Good morning, thank you so much for your help!")
/// >>> reading.triggered
/// ('gratitude', 'greeting')
/// >>> Sensor("curtesy")
/// Traceback (most recent call last):
///   ...
/// sonometer.errors.TargetNotFoundError: the catalogue has no protocol `curtesy`; did you mean `courtesy`?
#[pyclass(frozen, extends = Target, name = "Sensor", module = "sonometer")]
#[derive(Debug)]
pub(crate) struct Sensor;

/// A weighted average of protocols.
///
/// What a file names is looked for on the `shelf` (sources, paths, folders, dicts, sensors), without one beside the file,
/// and then in the catalogue, unless `catalog` is False.
///
/// >>> from sonometer import Metric
/// >>> reading = Metric("reply-quality").sense("Could you please tell me which version you use? Thank you so much!")
/// >>> [(part.id, part.score) for part in reading.parts]
/// [('courtesy', 0.563258), ('pressure-tactics', 0.0), ('personal-data', 1.0)]
#[pyclass(frozen, extends = Target, name = "Metric", module = "sonometer")]
#[derive(Debug)]
pub(crate) struct Metric;

/// Several protocols and metrics, sensed together.
///
/// Files and shelves as with `Metric`.
///
/// >>> from sonometer import Blueprint
/// >>> Blueprint("assistant-reply").kind
/// 'blueprint'
#[pyclass(frozen, extends = Target, name = "Blueprint", module = "sonometer")]
#[derive(Debug)]
pub(crate) struct Blueprint;

#[pymethods]
impl Sensor {
    #[new]
    #[pyo3(signature = (target, /))]
    fn new(target: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyClassInitializer::from(Target::find(target, TargetKind::Protocol, None, true)?)
            .add_subclass(Self))
    }

    /// Reads the text of a protocol, YAML or JSON.
    #[staticmethod]
    ///
    /// `files`: the texts of the list files that it names, by their paths.
    ///
    /// >>> source = '''{"sonometer": 1, "id": "met", "version": "1", "taxonomy": "Signal", "list_files": {"name": "names.txt"},
    /// ...     "markers": [{"label": "met", "strong": "i met @name", "hit": "I met Anna."}]}'''
    /// >>> sensor = sonometer.Sensor.from_source(source, files={"names.txt": "Anna\nMary Ann"})
    /// >>> sensor.sense("I met Mary Ann.").evidence[0].source
    /// 'I met Mary Ann'
    #[pyo3(signature = (source, /, *, files = None))]
    fn from_source<'py>(
        py: Python<'py>,
        #[pyo3(from_py_with = argument::source)] source: String,
        #[pyo3(from_py_with = argument::files)] files: Option<Vec<(String, String)>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let source = Source::of_text(source).with_files(files.unwrap_or_default());
        object(Target::of(&source, Some(TargetKind::Protocol), None, true)?, py)
    }

    /// Reads a protocol file, whatever its name, and the list files in its folder that it names.
    #[staticmethod]
    #[pyo3(signature = (path, /))]
    fn from_file<'py>(path: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        object(Target::of(&Source::of_file(path)?, Some(TargetKind::Protocol), None, true)?, path.py())
    }
}

#[pymethods]
impl Metric {
    #[new]
    #[pyo3(signature = (target, /, *, shelf = None, catalog = true))]
    fn new(
        target: &Bound<'_, PyAny>,
        shelf: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::catalog)] catalog: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyClassInitializer::from(Target::find(target, TargetKind::Metric, shelf, catalog)?)
            .add_subclass(Self))
    }
}

#[pymethods]
impl Blueprint {
    #[new]
    #[pyo3(signature = (target, /, *, shelf = None, catalog = true))]
    fn new(
        target: &Bound<'_, PyAny>,
        shelf: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::catalog)] catalog: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyClassInitializer::from(Target::find(target, TargetKind::Blueprint, shelf, catalog)?)
            .add_subclass(Self))
    }
}

/// A protocol, metric or blueprint, whichever the target is.
///
/// >>> import sonometer
/// >>> [type(sonometer.load(name)).__name__ for name in ("affect", "safe-handling", "service-call")]
/// ['Sensor', 'Metric', 'Blueprint']
#[pyfunction]
#[pyo3(signature = (target, /, *, shelf = None, catalog = true))]
pub(crate) fn load<'py>(
    target: &Bound<'py, PyAny>,
    shelf: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = argument::catalog)] catalog: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let source = Source::find(target, None)?;
    object(Target::of(&source, None, shelf, catalog)?, target.py())
}

/// Unpickles what measures.
#[pyfunction]
#[pyo3(signature = (document, shelf, files = Vec::new()))]
pub(crate) fn _restore_target<'py>(
    py: Python<'py>,
    document: String,
    shelf: &Bound<'py, PyAny>,
    files: Vec<(String, String)>,
) -> PyResult<Bound<'py, PyAny>> {
    let source = Source::of_text(document).with_files(files);
    object(Target::of(&source, None, Some(shelf), false)?, py)
}

/// As an object of the class of its kind.
fn object(target: Target, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let kind = target.instrument.kind();
    let base = PyClassInitializer::from(target);
    Ok(match kind {
        TargetKind::Protocol => Bound::new(py, base.add_subclass(Sensor))?.into_any(),
        TargetKind::Metric => Bound::new(py, base.add_subclass(Metric))?.into_any(),
        TargetKind::Blueprint => Bound::new(py, base.add_subclass(Blueprint))?.into_any(),
    })
}
