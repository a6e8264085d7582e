//! Two interactions measured by the same target, and what lies between them.

use crate::failure::{Failure, Outcome};
use crate::interaction::{self, Interaction};
use crate::number::float;
use crate::reading::{expect_engine, frozen, loads};
use crate::target::{Target, shared};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use sonometer::Side;
use sonometer::batch::guarded;
use sonometer::{SenseOptions, Unit, fingerprint};
use sonometer_report::of_comparison;
use std::hash::{DefaultHasher, Hasher};

/// Two interactions measured by the same target, and what lies between them.
///
/// >>> from sonometer import Sensor
/// >>> Sensor("courtesy@1.0").compare("Tell me the version of the app you use now.",
/// ...     "Could you please tell me which version of the app you use? Thank you!")
/// <Comparison 'courtesy@1.0' improvement score_change=0.189813>
#[pyclass(frozen, name = "Comparison", module = "sonometer")]
#[derive(Debug)]
pub(crate) struct Comparison {
    target: Py<Target>,
    interactions: [sonometer::Interaction; 2],
    options: SenseOptions,
    inner: sonometer::Comparison,
}

impl Comparison {
    pub(crate) fn of(
        target: &Bound<'_, Target>,
        a: sonometer::Interaction,
        b: sonometer::Interaction,
        options: SenseOptions,
    ) -> Outcome<Self> {
        let instrument = &target.get().instrument;
        let inner = target.py().detach(|| guarded(|| instrument.compare(&a, &b, options)))?;
        Ok(Self { target: target.clone().unbind(), interactions: [a, b], options, inner })
    }
}

#[pymethods]
impl Comparison {
    /// What both were measured with.
    #[getter]
    fn target<'py>(&self, py: Python<'py>) -> Bound<'py, Target> {
        self.target.bind(py).clone()
    }

    /// Such as what was before.
    #[getter]
    fn a<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        side(py, &self.inner.a)
    }

    /// Such as what came after.
    #[getter]
    fn b<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        side(py, &self.inner.b)
    }

    /// The score of b minus that of a, -1 to 1.
    #[getter]
    fn score_change(&self) -> f64 {
        float(self.inner.delta.score_change)
    }

    /// `improvement`, `decline` or `unchanged`, seen from what the target calls better.
    #[getter]
    fn direction(&self) -> &'static str {
        self.inner.delta.direction.as_str()
    }

    /// The triggered metamarkers of b minus those of a.
    #[getter]
    fn metamarker_change(&self) -> i64 {
        self.inner.delta.metamarker_change
    }

    /// Every metamarker's resonance in a, in b, and the second minus the first.
    #[getter]
    fn shifts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = py.import("sonometer.model")?.getattr("Shift")?;
        let shifts = PyDict::new(py);
        for (key, a, b, change) in self.inner.resonance_shifts() {
            shifts.set_item(key, class.call1((float(a), float(b), float(change)))?)?;
        }
        frozen(shifts)
    }

    /// What both consumed together.
    #[getter]
    fn ics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = py.import("sonometer.model")?.getattr("Ics")?;
        let ics = self.inner.ics;
        class.call1((ics.consumed, float(ics.cost_usd), py.None()))
    }

    /// The canonical JSON: the text that every door of Sonometer gives.
    fn json(&self) -> String {
        self.inner.to_json()
    }

    /// A page for browsers; it needs no network.
    fn html(&self) -> String {
        let [a, b] = &self.interactions;
        let names = [a.label().unwrap_or("a"), b.label().unwrap_or("b")];
        of_comparison(&self.target.get().instrument, &self.inner, names, false).to_html()
    }

    /// For notebooks: the page.
    fn _repr_html_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("sonometer._html")?.call_method1("frame", (self.html(), "18em"))
    }

    /// The JSON as Python's dicts and lists.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, self.json())
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.json().as_bytes())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (_, id, version) = &self.inner.target;
        let name = PyString::new(py, &format!("{id}@{version}")).repr()?;
        let change: Unit = self.inner.delta.score_change;
        Ok(format!("<Comparison {} {} score_change={change}>", name.to_string_lossy(), self.direction()))
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.inner == other.inner
            && self.interactions == other.interactions
            && self.options == other.options
            && self.target.get().is_same(other.target.get())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.target.get().hash(&mut hasher);
        self.interactions.iter().for_each(|interaction| interaction::hash(interaction, &mut hasher));
        hasher.finish()
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("sonometer._sonometer")?.getattr("_restore_comparison")?;
        let [a, b] = self.interactions.clone().map(|inner| Interaction { inner });
        let SenseOptions { usd_per_ics, ignore_fidelity, .. } = self.options;
        let target = shared(self.target(py).into_any())?;
        Ok((restore, (target, a, b, usd_per_ics.0, ignore_fidelity, fingerprint()).into_pyobject(py)?))
    }
}

/// Unpickles a comparison by comparing anew.
#[pyfunction]
#[pyo3(signature = (target, a, b, usd_per_ics, ignore_fidelity, by = None))]
pub(crate) fn _restore_comparison(
    target: &Bound<'_, Target>,
    a: &Bound<'_, Interaction>,
    b: &Bound<'_, Interaction>,
    usd_per_ics: i64,
    ignore_fidelity: bool,
    by: Option<&str>,
) -> PyResult<Comparison> {
    if let Some(by) = by {
        expect_engine(by, "comparison", "compare the interactions again, and keep comparisons as JSON")?;
    }
    let options = SenseOptions { usd_per_ics: Unit(usd_per_ics), ignore_fidelity, ..SenseOptions::default() };
    let (a, b) = (a.get().inner.clone(), b.get().inner.clone());
    Comparison::of(target, a, b, options).map_err(Failure::into)
}

fn side<'py>(py: Python<'py>, side: &Side) -> PyResult<Bound<'py, PyAny>> {
    let resonance = PyDict::new(py);
    for (key, activation) in &side.resonance {
        resonance.set_item(key, float(*activation))?;
    }
    let class = py.import("sonometer.model")?.getattr("ComparisonSide")?;
    class.call1((&side.label, float(side.score), frozen(resonance)?, side.triggered))
}
