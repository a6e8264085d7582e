//! What ships, as lists; and what is wrong with a file.

use crate::failure::{Failure, Finding, Outcome};
use crate::source::Source;
use crate::stage;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sonometer::TargetKind;
use sonometer::stage::Stage;
use sonometer_catalog::entries;

/// Every protocol of the catalogue, each version.
///
/// >>> import sonometer
/// >>> entry = sonometer.protocols()[0]
/// >>> entry.id, entry.version, entry.status
/// ('abuse', '1.0', 'published')
#[pyfunction]
pub(crate) fn protocols(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    list(py, TargetKind::Protocol)
}

/// Every metric of the catalogue, each version.
///
/// >>> import sonometer
/// >>> [entry.id for entry in sonometer.metrics()]
/// ['reply-quality', 'safe-handling']
#[pyfunction]
pub(crate) fn metrics(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    list(py, TargetKind::Metric)
}

/// Every blueprint of the catalogue, each version.
///
/// >>> import sonometer
/// >>> [entry.id for entry in sonometer.blueprints()]
/// ['agent-quality', 'assistant-reply', 'assistant-safety', 'respectful-debate', 'service-call']
#[pyfunction]
pub(crate) fn blueprints(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    list(py, TargetKind::Blueprint)
}

/// Every stage of the catalogue, each version.
///
/// >>> import sonometer
/// >>> [entry.id for entry in sonometer.stages()]
/// ['agent-phishing', 'billing-dispute', 'drinking-less']
#[pyfunction]
pub(crate) fn stages(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let class = py.import("sonometer.model")?.getattr("CatalogEntry")?;
    let mut objects = Vec::new();
    for entry in sonometer_catalog::stages() {
        let stage = Stage::read(entry.source).map_err(|error| Failure::of_source(entry.source, error))?.0;
        let (id, version, status) = (entry.id, entry.version, stage.status.as_str());
        objects.push(class.call1((
            "stage",
            id,
            version,
            stage.name,
            status,
            stage.description,
            entry.source,
        ))?);
    }
    PyTuple::new(py, objects)
}

fn list(py: Python<'_>, kind: TargetKind) -> PyResult<Bound<'_, PyTuple>> {
    let class = py.import("sonometer.model")?.getattr("CatalogEntry")?;
    let mut objects = Vec::new();
    for entry in entries(kind) {
        let document = Source::of_entry(entry).document()?.0;
        let (name, description) = (document.name(), document.description());
        let (id, version, status) = (entry.id, entry.version, document.status());
        objects.push(class.call1((kind.as_str(), id, version, name, status, description, entry.source))?);
    }
    PyTuple::new(py, objects)
}

/// The findings about a protocol, metric, blueprint or stage: errors that keep it from being used, and warnings; none if all
/// is well. Takes whatever `load` takes, and the file of a stage, whose walkthroughs are run.
///
/// >>> import sonometer
/// >>> print(*sonometer.check('{"sonometer": 1, "id": "mine", "version": "1"}'), sep="\n")
/// 1:1: error[SM0303]: a protocol needs the key `taxonomy`; add for example `taxonomy: Good_Practice`
/// 1:1: error[SM0303]: a protocol needs the key `markers`; add for example `markers: [{label: thanks, strong: thank you, hit: Thank you.}]`
#[pyfunction]
#[pyo3(signature = (target, /))]
pub(crate) fn check<'py>(target: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    let is_stage = target.is_instance_of::<stage::Stage>();
    let source = if is_stage { Source::of_stage(target)? } else { Source::find(target, None)? };
    let read = match is_stage || Stage::is_meant(&source.text) {
        true => stage::check(target.py(), &source),
        false => source.document().map(|(_, warnings)| warnings),
    };
    // JSON in one line is known by reading it.
    let read = match read {
        Err(Failure::Told(told)) if told.findings.iter().any(Finding::is_of_stage) => {
            stage::check(target.py(), &source)
        }
        read => read,
    };
    let found: Outcome<Vec<Finding>> = match read {
        Ok(warnings) => Ok(warnings),
        Err(Failure::Told(told)) if !told.findings.is_empty() => Ok(told.findings),
        Err(failure) => Err(failure),
    };
    let objects = found?.iter().map(|finding| finding.object(target.py())).collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(target.py(), objects)
}

/// The engine and its tables in one line: engines with the same fingerprint give the same bytes.
#[pyfunction]
pub(crate) fn fingerprint() -> String {
    sonometer::fingerprint()
}
