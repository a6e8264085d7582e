//! Readings as Python objects. Their JSON is the engine's own; everything else is looked up when it is asked for.

use crate::argument;
use crate::failure::Failure;
use crate::instrument::fidelity_object;
use crate::interaction::{self, Interaction};
use crate::model;
use crate::number::{float, unit};
use crate::once::Once;
use crate::places::Places;
use crate::target::{Target, shared};
use crate::view::{Asked, offset_unit};
use pyo3::exceptions::{PyAttributeError, PyIndexError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use sonometer::batch::guarded;
use sonometer::{
    Columns, FlowOptions, Mask, OffsetUnit, Reading as Sensed, SenseOptions, TemporalOptions, Unit,
    fingerprint,
};
use sonometer_report::{Shown, of_reading};
use std::hash::{DefaultHasher, Hasher};

/// What a protocol, a metric or a blueprint found in an interaction. Frozen: the same target and interaction give equal readings.
///
/// >>> from sonometer import Sensor
/// >>> reading = Sensor("courtesy@1.0").sense("Good morning, thank you so much for your help!")
/// >>> reading.score
/// 0.544769
/// >>> reading.resonance["gratitude"]
/// 0.75
/// >>> reading.evidence[0]
/// Evidence(metamarker='greeting', score=0.6, source='Good morning', segment=0, start=0, end=12, role=None, actant=None, joined=())
/// >>> reading.json()[:60]
/// '{"target":{"type":"protocol","id":"courtesy","version":"1.0"'
#[pyclass(frozen, name = "Reading", module = "sonometer")]
pub(crate) struct Reading {
    target: Py<Target>,
    pub(crate) inner: Sensed,
    options: SenseOptions,
    evidence: Once<PyTuple>,
    places: Once<Places>,
    resonance: Once<PyAny>,
}

impl Reading {
    /// What was sensed, as an object of Python.
    pub(crate) fn object<'py>(
        target: &Bound<'py, Target>,
        inner: Sensed,
        options: SenseOptions,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (evidence, places, resonance) = (Once::new(), Once::new(), Once::new());
        let reading = Self { target: target.clone().unbind(), inner, options, evidence, places, resonance };
        Ok(Bound::new(target.py(), reading)?.into_any())
    }

    fn names<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyTuple>> {
        self.target.get().names(py)
    }

    fn placed(&self, py: Python<'_>, unit: OffsetUnit) -> PyResult<Places> {
        let mut columns = Columns::new(unit);
        columns.add(&self.inner);
        Ok(Places::new(self.names(py)?.clone().unbind(), columns))
    }

    fn text(&self, asked: &Asked) -> Result<String, Failure> {
        let view = asked.view();
        self.target.get().instrument.check(view)?;
        Ok(self.inner.to_json(view))
    }
}

#[pymethods]
impl Reading {
    /// What was sensed with.
    #[getter]
    pub(crate) fn target<'py>(&self, py: Python<'py>) -> Bound<'py, Target> {
        self.target.bind(py).clone()
    }

    /// What was sensed.
    #[getter]
    fn interaction(&self) -> Interaction {
        Interaction { inner: self.inner.interaction().clone() }
    }

    /// The overall score, 0 to 1; None when the content is insufficient.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.inner.score().map(float)
    }

    /// Whether there was enough to measure: `fidelity.sufficient`.
    #[getter]
    fn sufficient(&self) -> bool {
        self.inner.fidelity().sufficient
    }

    /// How far the reading can be trusted.
    #[getter]
    fn fidelity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        fidelity_object(py, self.inner.fidelity())
    }

    /// Every metamarker's resonance, 0 to 1, by its key; a mapping that cannot be changed.
    #[getter]
    fn resonance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let make = || {
            let dict = PyDict::new(py);
            let names = self.names(py)?;
            for (key, (_, resonance)) in names.iter_borrowed().zip(self.inner.resonance()) {
                dict.set_item(key, float(resonance.activation))?;
            }
            frozen(dict)
        };
        self.resonance.get(py, make).cloned()
    }

    /// Every metamarker with what it came to, in the order of the target.
    #[getter]
    fn metamarkers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        model::metamarkers(self.names(py)?, &self.inner)
    }

    /// The keys of the metamarkers that triggered.
    #[getter]
    fn triggered<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.inner.triggered().collect::<Vec<_>>())
    }

    /// What triggered metamarkers, in the order of the text. Its places are code points, so that `content[e.start:e.end]` is what was
    /// found.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.evidence.get(py, || model::evidence(self.names(py)?, &self.inner)).cloned()
    }

    /// The evidence as arrays: metamarkers, scores and places in code points, without an object for each piece. For many
    /// interactions, `Target.table` gives those of all.
    ///
    /// >>> from sonometer import Sensor
    /// >>> places = Sensor("courtesy@1.0").sense("Good morning, thank you so much for your help!").places
    /// >>> places.starts.tolist(), places.ends.tolist(), [places.names[marker] for marker in places.markers]
    /// ([0, 14], [12, 23], ['greeting', 'gratitude'])
    #[getter]
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Places>> {
        self.places.get(py, || Bound::new(py, self.placed(py, OffsetUnit::Chars)?)).cloned()
    }

    /// As `places`, with places in `bytes` of UTF-8 or in units of `utf16`, as JavaScript counts.
    #[pyo3(signature = (offsets, /))]
    fn places_in(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::offsets)] offsets: &str,
    ) -> PyResult<Places> {
        self.placed(py, offset_unit(offsets)?)
    }

    /// What counts against metamarkers, by lines of a negative weight, in the order of the text.
    #[getter]
    fn against<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        model::against(self.names(py)?, &self.inner)
    }

    /// What metamarkers that did not trigger have found or nearly found, the nearest first, and what was missing.
    #[getter]
    fn weak_signals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        model::weak_signals(self.names(py)?, &self.inner)
    }

    /// Metamarkers that need a role that no segment has.
    #[getter]
    fn unheard<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        model::unheard(py, &self.inner)
    }

    /// What it consumed.
    #[getter]
    fn ics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        model::ics(py, &self.inner)
    }

    /// The content of each segment with everything hidden that a mask covers: what may be shown or stored. The places of the
    /// evidence are those of the content as it came in.
    ///
    /// >>> from sonometer import Sensor
    /// >>> Sensor("personal-data@1.0").sense("My card is 4111 1111 1111 1111, please charge it.").masked[0]
    /// 'My card is **** **** **** 1111, please charge it.'
    #[getter]
    fn masked<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (first, turns) = (&self.inner, self.inner.interaction().turns().len());
        PyTuple::new(py, (0..turns).map(|turn| first.masked_turn(turn)))
    }

    /// What is shown for each character of a segment: itself, its replacement, or nothing if that was already shown. Joined they
    /// are `masked`; parted at the places of the evidence, they mark it there.
    ///
    /// >>> from sonometer import Sensor
    /// >>> Sensor("personal-data@1.0").sense("Is it 4111 1111 1111 1111?", mask="label").masked_characters(0)[5:8]
    /// (' ', '<PAYMENT_CARD>', '')
    #[pyo3(signature = (segment, /))]
    fn masked_characters<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::segment)] segment: usize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let turns = self.inner.interaction().turns().len();
        if segment >= turns {
            return Err(PyIndexError::new_err(format!(
                "there is no segment {segment}; there are {turns}, counted from 0"
            )));
        }
        PyTuple::new(py, self.inner.masked_characters(segment))
    }

    /// The canonical JSON: the text that every door of Sonometer gives.
    ///
    /// `profile`: `raw`, `detailed` (with the segment around each piece of evidence) or `discovery` (with weak signals).
    /// `offsets`: the unit of the places of evidence, `bytes`, `chars` (Python's own) or `utf16`; without it there are none.
    /// `flow`, `temporal`: of a protocol on SGM 1.5: True, or the primary role and the seconds of a window.
    ///
    /// >>> from sonometer import Sensor
    /// >>> reading = Sensor("courtesy@1.0").sense("Good morning, thank you so much for your help!")
    /// >>> '"source":"Good morning","start":0,"end":12' in reading.json(offsets="chars")
    /// True
    #[pyo3(signature = (*, profile = "raw", offsets = None, flow = None, temporal = None))]
    fn json(
        &self,
        #[pyo3(from_py_with = argument::profile)] profile: &str,
        #[pyo3(from_py_with = argument::offsets)] offsets: Option<&str>,
        flow: Option<&Bound<'_, PyAny>>,
        temporal: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        Ok(self.text(&Asked::new(profile, offsets)?.with_more(flow, temporal)?)?)
    }

    /// The JSON as Python's dicts and lists. For bytes that are to be the same everywhere, use `json`.
    #[pyo3(signature = (*, profile = "raw", offsets = None, flow = None, temporal = None))]
    fn to_dict<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::profile)] profile: &str,
        #[pyo3(from_py_with = argument::offsets)] offsets: Option<&str>,
        flow: Option<&Bound<'py, PyAny>>,
        temporal: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        loads(py, self.json(profile, offsets, flow, temporal)?)
    }

    /// The canonical JSON as UTF-8: the bytes that every door of Sonometer gives.
    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.text(&Asked::default())?.as_bytes()))
    }

    /// A page for browsers: the score, the content with its evidence marked, and what each metamarker came to. It needs no network;
    /// only masked text is shown. `explain` adds the computation.
    ///
    /// >>> from sonometer import Sensor
    /// >>> "<mark" in Sensor("courtesy@1.0").sense("Good morning, thank you so much for your help!").html()
    /// True
    #[pyo3(signature = (*, profile = "raw", explain = false))]
    fn html(
        &self,
        #[pyo3(from_py_with = argument::profile)] profile: &str,
        #[pyo3(from_py_with = argument::explain)] explain: bool,
    ) -> PyResult<String> {
        let asked = Asked::new(profile, None)?;
        let shown = Shown { view: asked.view(), explain, ..Shown::default() };
        Ok(of_reading(&self.inner, &shown).to_html())
    }

    /// The report of this reading, a `sonometer.reporting.Page`: everything that was found, nearly found and computed, as a page, as
    /// Markdown and in figures. `name` is what was read; it is shown unless it holds something that is masked.
    ///
    /// >>> from sonometer import Sensor
    /// >>> report = Sensor("courtesy@1.0").sense("Good morning, thank you so much for your help!").report()
    /// >>> "Why 0.544769?" in report.html()
    /// True
    #[pyo3(signature = (name = ""))]
    fn report<'py>(
        slf: &Bound<'py, Self>,
        #[pyo3(from_py_with = argument::name)] name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("sonometer.reporting")?.call_method1("_talk", (slf, name))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let this = slf.get();
        let class = slf.get_type().name()?;
        let target = &this.target.get().instrument;
        let name = format!("{}@{}", target.id(), target.version());
        let name = PyString::new(slf.py(), &name).repr()?;
        let score = this.score().into_pyobject(slf.py())?.repr()?;
        let evidence = this.inner.evidence().count();
        let fidelity = this.inner.fidelity();
        let fidelity = if fidelity.sufficient { "" } else { ", insufficient" };
        let meaning = match this.score() {
            Some(_) => format!(" ({})", target.score_meaning().trim_start_matches("score ")),
            None => String::new(),
        };
        Ok(format!(
            "<{class} {} score={}{meaning} evidence={evidence}{fidelity}>",
            name.to_string_lossy(),
            score.to_string_lossy()
        ))
    }

    /// For notebooks: the content with its evidence highlighted.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("sonometer._html")?.call_method1("reading", (slf,))
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.options == other.options
            && self.inner.interaction() == other.inner.interaction()
            && self.target.get().is_same(other.target.get())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.target.get().hash(&mut hasher);
        interaction::hash(self.inner.interaction(), &mut hasher);
        hasher.finish()
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("sonometer._sonometer")?.getattr("_restore_reading")?;
        let SenseOptions { usd_per_ics, ignore_fidelity, mask, mask_key } = self.options;
        if mask_key.is_some() {
            let message = "a reading sensed with `mask_key` cannot be pickled, because the key is not stored";
            return Err(Failure::wrong_type("", message, "keep its JSON").into());
        }
        let mask = mask.map(|mask| mask.to_string());
        let target = shared(self.target(py).into_any())?;
        let parts = (target, self.interaction(), usd_per_ics.0, ignore_fidelity, fingerprint(), mask);
        Ok((restore, parts.into_pyobject(py)?))
    }
    /// How evidence is spread over metamarkers and segments (a protocol on SGM 1.5, else None).
    #[getter]
    fn signal<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        model::signal(py, &self.inner)
    }

    /// Which side of a conversation carries which metamarker (a protocol on SGM 1.5, else None).
    #[getter]
    fn actant_flow<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        model::actant_flow(py, &self.inner, FlowOptions::default())
    }

    /// As `actant_flow`, with this role as the primary side.
    #[pyo3(signature = (primary, /))]
    fn flow_from<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::primary)] primary: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        model::actant_flow(py, &self.inner, FlowOptions { primary: Some(primary) })
    }

    /// How the level of the interaction develops (a protocol on SGM 1.5, else None).
    #[getter]
    fn temporal<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        model::temporal(py, &self.inner, TemporalOptions::default())
    }

    /// As `temporal`, with windows of so many seconds.
    #[pyo3(signature = (seconds, /))]
    fn temporal_by<'py>(
        &self,
        py: Python<'py>,
        seconds: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let window = unit(seconds, "seconds", "the window")?;
        if window <= Unit::ZERO {
            return Err(
                Failure::invalid("seconds", "the window has no length", "give more than 0 seconds").into()
            );
        }
        model::temporal(py, &self.inner, TemporalOptions { window: Some(window) })
    }

    /// The parts with a score of their own: the protocols of a metric; the protocols and metrics of a blueprint. Empty for a protocol.
    ///
    /// >>> from sonometer import Metric
    /// >>> calm = Metric({"sonometer_metric": 1, "id": "calm", "version": "1", "components": [{"protocol": "courtesy@1.0"}]})
    /// >>> [(part.id, part.score) for part in calm.sense("Good morning, thank you so much for your help!").parts]
    /// [('courtesy', 0.544769)]
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        model::parts(py, &self.inner)
    }

    /// The whole computation, for the owner of the protocol: every match, why it counts or not, and the sums. A metric or a blueprint
    /// has one for each of its protocols, in `ledgers`.
    ///
    /// >>> from sonometer import Sensor
    /// >>> ledger = Sensor("courtesy@1.0").sense("Good morning, thank you so much for your help!").ledger
    /// >>> [(match.line, match.contribution) for match in ledger.markers[0].matches]
    /// [('(thank you|thanks|thank u|thankyou|thanx|thx)', 0.6)]
    #[getter]
    fn ledger<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.inner.instrument().sensor().is_none() {
            let kind = self.target.get().instrument.kind().as_str();
            let message = format!("the reading of a {kind} has a ledger for each protocol; use `ledgers`");
            return Err(PyAttributeError::new_err(message));
        }
        model::ledger(py, &self.inner.parts()[0])
    }

    /// The computation of each protocol that was sensed, by `id@version`, in the order of the target: of a protocol one.
    #[getter]
    fn ledgers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let ledgers = PyDict::new(py);
        for part in self.inner.parts() {
            let protocol = part.protocol();
            ledgers.set_item(format!("{}@{}", protocol.id, protocol.version), model::ledger(py, part)?)?;
        }
        Ok(ledgers)
    }

    /// The canonical JSON of the ledger; of a metric or a blueprint its `parts` and the `ledgers` of its protocols. Its places are bytes
    /// of UTF-8.
    fn ledger_json(&self) -> String {
        self.inner.ledger_json()
    }

    /// The computation as a text for people.
    fn explain<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("sonometer._explain")?.call_method1("explain", (slf,))
    }
}

/// A mapping that cannot be changed: `sonometer._frozen.Frozen`.
pub(crate) fn frozen(dict: Bound<'_, PyDict>) -> PyResult<Bound<'_, PyAny>> {
    dict.py().import("sonometer._frozen")?.call_method1("Frozen", (dict,))
}

pub(crate) fn loads(py: Python<'_>, json: String) -> PyResult<Bound<'_, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

/// Refuses what another engine measured: computed anew it might be something else.
pub(crate) fn expect_engine(by: &str, what: &str, fix: &str) -> Result<(), Failure> {
    let own = fingerprint();
    if by == own {
        return Ok(());
    }
    let message =
        format!("the {what} was pickled by `{by}`, but this is `{own}`, which might measure differently");
    Err(Failure::invalid("", message, fix))
}

/// Unpickles a reading by sensing anew, which gives an equal one on an engine of the same fingerprint.
#[pyfunction]
#[pyo3(signature = (target, interaction, usd_per_ics, ignore_fidelity, by, mask = None))]
pub(crate) fn _restore_reading<'py>(
    target: &Bound<'py, Target>,
    interaction: &Bound<'py, Interaction>,
    usd_per_ics: i64,
    ignore_fidelity: bool,
    by: &str,
    mask: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    expect_engine(by, "reading", "sense the interaction again, and keep readings as JSON")?;
    let mask = mask.map(Mask::read).transpose().map_err(Failure::from)?;
    let options = SenseOptions { usd_per_ics: Unit(usd_per_ics), ignore_fidelity, mask, mask_key: None };
    let instrument = &target.get().instrument;
    let sensed = guarded(|| instrument.sense_with(&interaction.get().inner, options));
    Reading::object(target, sensed.map_err(Failure::from)?, options)
}
