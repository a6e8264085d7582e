//! Stages: worlds that answer what an agent says, as Python's `Stage`.

use crate::argument;
use crate::dive::{self, Dive};
use crate::failure::{Failure, Finding, Outcome, findings};
use crate::number::kind_of;
use crate::reading::{frozen, loads};
use crate::source::{self, Source, files_of};
use crate::target::parts;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyString, PyTuple};
use sonometer::batch::guarded;
use sonometer::stage::{Stamp, TargetStamp, World, read_seed};
use sonometer::{Catalog, TargetKind};
use sonometer_catalog::Shelf;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A small world that answers what an agent says, and judges it. Immutable, shared freely between threads.
///
/// It is made of the id of the catalogue (`"billing-dispute"`, `"billing-dispute@1.0"`), a path, the source text, or a dict.
/// What it is sensed by is looked for on the `shelf` (sources, paths, folders, dicts, sensors), without one beside the file,
/// and then in the catalogue, unless `catalog` is False.
///
/// >>> from sonometer import Stage
/// >>> stage = Stage("billing-dispute")
/// >>> stage
/// Stage('billing-dispute@1.0')
/// >>> stage.envelope.max_turns, stage.target.id
/// (10, 'billing-desk')
/// >>> dive = stage.open(seed=7)
/// >>> step = dive.act("I am really sorry that you have to call about this a third time.")
/// >>> step.score, step.checkpoints
/// (0.6, ('calmed',))
#[pyclass(frozen, name = "Stage", module = "sonometer")]
pub(crate) struct Stage {
    pub(crate) world: World,
    /// The canonical JSON of all that it is sensed by.
    pub(crate) shelf: Vec<String>,
    warnings: Vec<Finding>,
    rules: PyOnceLock<Py<PyAny>>,
    walkthroughs: PyOnceLock<Py<PyAny>>,
}

impl Stage {
    pub(crate) fn find(
        stage: &Bound<'_, PyAny>,
        shelf: Option<&Bound<'_, PyAny>>,
        catalog: bool,
    ) -> Outcome<Self> {
        let source = Source::of_stage(stage)?;
        let shelf = source::shelf(shelf, &source, catalog)?;
        Self::of(stage.py(), &source.text, if catalog { shelf.for_stages() } else { shelf })
    }

    fn of(py: Python<'_>, text: &str, shelf: Shelf) -> Outcome<Self> {
        let (world, warnings) = py
            .detach(|| guarded(|| World::read(text, &shelf)))
            .map_err(|error| Failure::of_source(text, error))?;
        let warnings = findings(text, &warnings);
        let shelf = used(&world, &shelf)?;
        let (rules, walkthroughs) = (PyOnceLock::new(), PyOnceLock::new());
        Ok(Self { world, shelf, warnings, rules, walkthroughs })
    }

    /// The canonical JSON of the stage file.
    pub(crate) fn canonical(&self) -> String {
        self.world.stage().to_canonical_json()
    }

    /// The list files of all protocols that it is sensed by, by their paths.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        self.world.instrument().sensors().iter().flat_map(|sensor| files_of(sensor.protocol())).collect()
    }
}

/// The canonical JSON of all that senses a stage: the protocols, the metrics, the blueprint.
fn used(world: &World, shelf: &Shelf) -> Outcome<Vec<String>> {
    let mut all = parts(world.instrument(), shelf)?;
    let TargetStamp { kind, id, version, .. } = world.target();
    match kind {
        TargetKind::Protocol => {}
        TargetKind::Metric => {
            let metrics = shelf.metrics(id)?.into_iter().filter(|metric| metric.version == *version);
            all.extend(metrics.map(|metric| metric.to_canonical_json()));
        }
        TargetKind::Blueprint => {
            let blueprints = shelf.blueprints(id)?.into_iter().filter(|own| own.version == *version);
            all.extend(blueprints.map(|own| own.to_canonical_json()));
        }
    }
    Ok(all)
}

/// Everything that is to be said of a stage file: that of reading it, and walkthroughs that end otherwise than they expect.
pub(crate) fn check(py: Python<'_>, source: &Source) -> Outcome<Vec<Finding>> {
    let shelf = source::shelf(None, source, true)?.for_stages();
    let Stage { world, mut warnings, .. } = Stage::of(py, &source.text, shelf)?;
    let walked = py.detach(|| guarded(|| Ok(world.lint_walkthroughs())))?;
    warnings.extend(findings(&source.text, &walked));
    Ok(warnings)
}

/// Unpickles a stage.
#[pyfunction]
#[pyo3(signature = (document, shelf, files = Vec::new()))]
pub(crate) fn _restore_stage(
    py: Python<'_>,
    document: &str,
    shelf: Vec<String>,
    files: Vec<(String, String)>,
) -> PyResult<Stage> {
    let mut own = Shelf::alone();
    Source::of_text(document.to_owned()).with_files(files).with_parts(shelf).put_parts_on(&mut own)?;
    Ok(Stage::of(py, document, own)?)
}

/// A seed: any whole number of Python that is one.
fn seed(value: &Bound<'_, PyAny>) -> Outcome<u64> {
    let whole = match value.is_instance_of::<PyBool>() {
        true => None,
        false => value.py().import("operator")?.call_method1("index", (value,)).ok(),
    };
    let Some(whole) = whole else {
        let message = format!("the seed is {}", kind_of(value));
        return Err(Failure::wrong_type("seed", message, "give an int"));
    };
    // Python does not write whole numbers of thousands of digits; no seed has as many.
    let digits = whole.cast::<PyInt>().map_err(PyErr::from)?.repr();
    let digits = digits.map_or_else(|_| "9".repeat(64), |digits| digits.to_string_lossy().into_owned());
    Ok(read_seed(&digits)?)
}

/// `sonometer.diving.Stamp`.
pub(crate) fn stamp_object<'py>(py: Python<'py>, stamp: &Stamp) -> PyResult<Bound<'py, PyAny>> {
    dive::class(py, "Stamp")?.call1((&stamp.id, &stamp.version, &stamp.digest))
}

/// `sonometer.diving.TargetStamp`.
pub(crate) fn target_object<'py>(py: Python<'py>, target: &TargetStamp) -> PyResult<Bound<'py, PyAny>> {
    let TargetStamp { kind, id, version, digest, protocols } = target;
    let protocols: Vec<_> = protocols.iter().map(|stamp| stamp_object(py, stamp)).collect::<PyResult<_>>()?;
    dive::class(py, "TargetStamp")?.call1((kind.as_str(), id, version, digest, PyTuple::new(py, protocols)?))
}

/// `sonometer.diving.Envelope`.
pub(crate) fn envelope_object(
    py: Python<'_>,
    envelope: sonometer::stage::Envelope,
) -> PyResult<Bound<'_, PyAny>> {
    let sonometer::stage::Envelope { share_scorecard, max_turns, ics_budget, max_action_chars } = envelope;
    dive::class(py, "Envelope")?.call1((max_turns, ics_budget, max_action_chars, share_scorecard))
}

#[pymethods]
impl Stage {
    #[new]
    #[pyo3(signature = (stage, /, *, shelf = None, catalog = true))]
    fn new(
        stage: &Bound<'_, PyAny>,
        shelf: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::catalog)] catalog: bool,
    ) -> PyResult<Self> {
        Ok(Self::find(stage, shelf, catalog)?)
    }

    /// Its id.
    #[getter]
    fn id(&self) -> &str {
        &self.world.stage().id
    }

    /// Its version.
    #[getter]
    fn version(&self) -> &str {
        &self.world.stage().version
    }

    /// Its name for people.
    #[getter]
    fn name(&self) -> &str {
        &self.world.stage().name
    }

    /// What it tries, for people.
    #[getter]
    fn description(&self) -> &str {
        &self.world.stage().description
    }

    /// `draft`, `published` or `archived`.
    #[getter]
    fn status(&self) -> &'static str {
        self.world.stage().status.as_str()
    }

    /// The goal that the agent is given.
    #[getter]
    fn objective(&self) -> &str {
        &self.world.stage().objective
    }

    /// As whom the two sides are sensed: the agent, the world.
    #[getter]
    fn roles(&self) -> (&str, &str) {
        let roles = &self.world.stage().roles;
        (&roles.agent, &roles.world)
    }

    /// What is to be reached, what must not happen, and when a dive is passed.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = self.rules.get_or_try_init(py, || {
            let stage = self.world.stage();
            let checkpoint = dive::class(py, "Checkpoint")?;
            let checkpoints = stage.checkpoints.iter();
            let checkpoints = checkpoints.map(|(name, when)| checkpoint.call1((name, when.to_string())));
            let checkpoints = PyTuple::new(py, checkpoints.collect::<PyResult<Vec<_>>>()?)?;
            let flag = dive::class(py, "Flag")?;
            let flags = stage.flags.iter();
            let flags = flags.map(|(name, own)| flag.call1((name, own.when.to_string(), own.end)));
            let flags = PyTuple::new(py, flags.collect::<PyResult<Vec<_>>>()?)?;
            let (on_target, passes) = (stage.on_target.to_string(), stage.pass.to_string());
            let rules = dive::class(py, "Rules")?.call1((checkpoints, flags, on_target, passes))?;
            PyResult::Ok(rules.unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    /// The bounds of a dive.
    #[getter]
    fn envelope<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        envelope_object(py, self.world.stage().envelope)
    }

    /// What senses every action, with each protocol in it.
    #[getter]
    fn target<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        target_object(py, self.world.target())
    }

    /// Runs with a known outcome, by their names; a mapping that cannot be changed.
    ///
    /// >>> from sonometer import Stage
    /// >>> list(Stage("billing-dispute").walkthroughs)[:3]
    /// ['reference', 'plain_words', 'slow_start']
    #[getter]
    fn walkthroughs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = self.walkthroughs.get_or_try_init(py, || {
            let class = dive::class(py, "Walkthrough")?;
            let dict = PyDict::new(py);
            for (name, walk) in &self.world.stage().walkthroughs {
                let reason = walk.reason.map(sonometer::stage::Reason::as_str);
                let say = PyTuple::new(py, &walk.say)?;
                dict.set_item(name, class.call1((name, walk.seed, walk.passes, reason, say))?)?;
            }
            PyResult::Ok(frozen(dict)?.unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    /// The identity of this version: `sha256:` and the SHA-256 of its canonical JSON.
    #[getter]
    fn digest(&self) -> &str {
        self.world.digest()
    }

    /// What its author should look at.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.warnings.iter().map(|found| found.object(py)).collect::<PyResult<Vec<_>>>()?)
    }

    /// The canonical JSON of the stage file. Reading it back gives an equal stage.
    fn json(&self) -> String {
        self.canonical()
    }

    /// The JSON as Python's dicts and lists.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, self.canonical())
    }

    /// The canonical JSON as UTF-8.
    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.canonical().as_bytes())
    }

    /// Opens a dive. What is drawn by chance follows from the seed, 0 to 2^53 − 1: the same stage, seed and actions give the
    /// same bytes.
    ///
    /// >>> from sonometer import Stage
    /// >>> stage = Stage("billing-dispute")
    /// >>> stage.open(seed=2).observation.world
    /// "Right, a human at last. 54 euros for a phone plan that I don't even have any more. ..."
    #[pyo3(signature = (*, seed = None))]
    fn open(slf: &Bound<'_, Self>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Dive> {
        let seed = seed.map_or(Ok(0), self::seed)?;
        let world = &slf.get().world;
        let dive = slf.py().detach(|| guarded(|| Ok(world.open(seed)))).map_err(Failure::from)?;
        Ok(Dive::new(slf, dive, Some(Vec::new())))
    }

    /// Goes on with a dive from the text that `Dive.save` gave.
    ///
    /// >>> from sonometer import Stage
    /// >>> stage = Stage("billing-dispute")
    /// >>> dive = stage.open(seed=7)
    /// >>> _ = dive.act("I am so sorry about this.")
    /// >>> stage.resume(dive.save()).chain == dive.chain
    /// True
    #[pyo3(signature = (saved, /))]
    fn resume(slf: &Bound<'_, Self>, #[pyo3(from_py_with = argument::saved)] saved: &str) -> PyResult<Dive> {
        let world = &slf.get().world;
        let dive = slf.py().detach(|| guarded(|| Ok(world.resume(saved)))).map_err(Failure::from)?;
        let fix = "give the text that `Dive.save` gave, unchanged";
        Ok(Dive::new(slf, dive.map_err(|wrong| Failure::of_json(wrong, fix))?, None))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let this = slf.get();
        let name = PyString::new(slf.py(), &format!("{}@{}", this.id(), this.version()));
        Ok(format!("Stage({})", name.repr()?.to_string_lossy()))
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.world.digest() == other.world.digest() && self.world.target() == other.world.target()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.world.digest().hash(&mut hasher);
        hasher.finish()
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("sonometer._targets")?.getattr("restored_stage")?;
        Ok((
            restore,
            (self.canonical(), PyTuple::new(py, &self.shelf)?, PyTuple::new(py, self.files())?)
                .into_pyobject(py)?,
        ))
    }
}
