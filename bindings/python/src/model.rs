//! The parts of a reading as the dataclasses of `sonometer.model`.

use crate::number::float;
use crate::offsets::Rulers;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use sonometer::measure::actant::Side;
use sonometer::measure::temporal::Level;
use sonometer::{
    Counts, Evidence, FlowOptions, Instrument, MarkerEntry, MatchEntry, Measured, Reading, Stretch,
    TemporalOptions, Unheard,
};

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("sonometer.model")?.getattr(name)
}

/// Makes the objects of places, with offsets in code points.
struct Places<'py, 't> {
    py: Python<'py>,
    rulers: Rulers<'t>,
}

impl<'py, 't> Places<'py, 't> {
    fn of(py: Python<'py>, turns: &'t [sonometer::Turn]) -> Self {
        Self { py, rulers: Rulers::of(turns) }
    }

    fn ends(&mut self, turn: usize, range: &std::ops::Range<usize>) -> (usize, usize) {
        (self.rulers.at(turn, range.start), self.rulers.at(turn, range.end))
    }

    fn joined(&mut self, stretches: &[Stretch]) -> PyResult<Bound<'py, PyTuple>> {
        if stretches.is_empty() {
            return Ok(PyTuple::empty(self.py));
        }
        let class = class(self.py, "Stretch")?;
        let mut objects = Vec::with_capacity(stretches.len());
        for Stretch { turn, range } in stretches {
            let (start, end) = self.ends(*turn, range);
            objects.push(class.call1((*turn, start, end))?);
        }
        PyTuple::new(self.py, objects)
    }
}

/// The keys of an instrument's metamarkers, in the order of readings. What readings repeat is one object.
pub(crate) fn names<'py>(py: Python<'py>, instrument: &Instrument) -> PyResult<Bound<'py, PyTuple>> {
    let names = instrument.markers().map(|(key, _)| PyString::intern(py, key));
    PyTuple::new(py, names.collect::<Vec<_>>())
}

/// A class that is asked for with every reading, looked up once.
type Kept<T> = PyOnceLock<Py<T>>;

/// Makes the objects of matches.
struct Matches<'py, 't> {
    names: &'t Bound<'py, PyTuple>,
    class: &'t Bound<'py, PyType>,
    /// `tuple.__new__`, by which a named tuple is made without a call of Python code.
    new: &'t Bound<'py, PyAny>,
    places: Places<'py, 't>,
    reading: &'t Reading,
    /// Role and actant of each turn, made where a match is.
    speakers: Vec<Option<Speaker<'py>>>,
}

type Speaker<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

impl<'py, 't> Matches<'py, 't> {
    fn of(names: &'t Bound<'py, PyTuple>, reading: &'t Reading) -> PyResult<Self> {
        static CLASS: Kept<PyType> = Kept::new();
        static NEW: Kept<PyAny> = Kept::new();
        let py = names.py();
        let class = CLASS.import(py, "sonometer.model", "Evidence")?;
        let new =
            NEW.get_or_try_init(py, || PyResult::Ok(py.get_type::<PyTuple>().getattr("__new__")?.unbind()))?;
        let turns = reading.interaction().turns();
        let speakers = vec![None; turns.len()];
        Ok(Self { names, class, new: new.bind(py), places: Places::of(py, turns), reading, speakers })
    }

    fn object(&mut self, found: &Evidence<'_>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.names.py();
        let (start, end) = self.places.ends(found.turn, &found.range);
        let name = self.names.get_item(self.reading.instrument().marker_number(found.part, found.marker))?;
        let (role, actant) = self.speaker(found.turn)?;
        let joined = self.places.joined(&found.joined)?;
        let (score, source) = (float(found.score), &*found.source);
        let parts = (name, score, source, found.turn, start, end, role, actant, joined).into_pyobject(py)?;
        self.new.call1((self.class, parts))
    }

    fn speaker(&mut self, turn: usize) -> PyResult<Speaker<'py>> {
        let py = self.names.py();
        if let Some(known) = &self.speakers[turn] {
            return Ok(known.clone());
        }
        let role = self.reading.interaction().turns()[turn].role.as_deref().into_pyobject(py)?;
        let actant = self.reading.parts()[0].actant(turn).into_pyobject(py)?;
        Ok(self.speakers[turn].insert((role, actant)).clone())
    }
}

pub(crate) fn evidence<'py>(names: &Bound<'py, PyTuple>, reading: &Reading) -> PyResult<Bound<'py, PyTuple>> {
    let mut matches = Matches::of(names, reading)?;
    let objects = reading.evidence().map(|found| matches.object(&found));
    PyTuple::new(names.py(), objects.collect::<PyResult<Vec<_>>>()?)
}

pub(crate) fn against<'py>(names: &Bound<'py, PyTuple>, reading: &Reading) -> PyResult<Bound<'py, PyTuple>> {
    let mut matches = Matches::of(names, reading)?;
    let objects = reading.against().map(|found| matches.object(&found));
    PyTuple::new(names.py(), objects.collect::<PyResult<Vec<_>>>()?)
}

pub(crate) fn metamarkers<'py>(
    names: &Bound<'py, PyTuple>,
    reading: &Reading,
) -> PyResult<Bound<'py, PyTuple>> {
    static CLASS: Kept<PyType> = Kept::new();
    let py = names.py();
    let class = CLASS.import(py, "sonometer.model", "Metamarker")?;
    let object = |(name, (_, came_to)): (_, (&str, sonometer::Resonance))| {
        class.call1((name, float(came_to.activation), float(came_to.evidence), came_to.triggered))
    };
    PyTuple::new(
        py,
        names.iter_borrowed().zip(reading.resonance()).map(object).collect::<PyResult<Vec<_>>>()?,
    )
}

pub(crate) fn weak_signals<'py>(
    names: &Bound<'py, PyTuple>,
    reading: &Reading,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = names.py();
    let class = class(py, "WeakSignal")?;
    let mut matches = Matches::of(names, reading)?;
    let mut objects = Vec::new();
    for weak in reading.weak_signals() {
        let found = weak.found.as_ref().map(|found| matches.object(found)).transpose()?;
        let (proximity, kind) = (float(weak.proximity), weak.kind.as_str());
        objects.push(class.call1((weak.metamarker, proximity, &*weak.hint, kind, found))?);
    }
    PyTuple::new(py, objects)
}

pub(crate) fn unheard<'py>(py: Python<'py>, reading: &Reading) -> PyResult<Bound<'py, PyTuple>> {
    let class = class(py, "Unheard")?;
    let object = |unheard: Unheard<'_>| class.call1((unheard.metamarker, PyTuple::new(py, unheard.roles)?));
    PyTuple::new(py, reading.unheard().map(object).collect::<PyResult<Vec<_>>>()?)
}

pub(crate) fn ics<'py>(py: Python<'py>, reading: &Reading) -> PyResult<Bound<'py, PyAny>> {
    let ics = reading.ics();
    let sgm = reading.parts().iter().map(|reading| reading.protocol().sgm).max();
    let markers = PyTuple::new(py, reading.triggered().collect::<Vec<_>>())?;
    let sgm = sgm.map_or("1.0", |sgm| sgm.as_str());
    class(py, "Ics")?.call1((ics.consumed, float(ics.cost_usd), sgm, markers))
}

pub(crate) fn signal<'py>(py: Python<'py>, reading: &Reading) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(signal) = reading.signal() else { return Ok(None) };
    let parts = (float(signal.spread), float(signal.coherence), signal.dominant_mode);
    class(py, "Signal")?.call1(parts).map(Some)
}

pub(crate) fn actant_flow<'py>(
    py: Python<'py>,
    reading: &Reading,
    options: FlowOptions<'_>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(flow) = reading.actant_flow(options) else { return Ok(None) };
    let (side_class, marker_class) = (class(py, "Side")?, class(py, "MarkerFlow")?);
    let side = |side: &Side| side_class.call1((side.role.as_deref(), side.words, float(side.weighted)));
    let mut markers = Vec::with_capacity(flow.markers.len());
    for marker in &flow.markers {
        let [primary, secondary] = marker.evidence.map(float);
        let [leads, follows] = marker.leads;
        markers.push(marker_class.call1((marker.label, (primary, secondary), (leads, follows)))?);
    }
    let parts = (
        PyTuple::new(py, &flow.primary_driven)?,
        PyTuple::new(py, &flow.secondary_driven)?,
        flow.direction.as_str(),
        float(flow.balance),
        side(&flow.sides[0])?,
        side(&flow.sides[1])?,
        PyTuple::new(py, markers)?,
    );
    class(py, "ActantFlow")?.call1(parts).map(Some)
}

pub(crate) fn temporal<'py>(
    py: Python<'py>,
    reading: &Reading,
    options: TemporalOptions,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(temporal) = reading.temporal(options) else { return Ok(None) };
    let level_class = class(py, "Level")?;
    let level = |level: &Level| level_class.call1((level.first, level.turns, float(level.level)));
    let levels: Vec<_> = temporal.levels.iter().map(level).collect::<PyResult<_>>()?;
    let window = temporal.window.to_string();
    let parts = (temporal.trend.as_str(), temporal.phase_shifts, window, PyTuple::new(py, levels)?);
    class(py, "Temporal")?.call1(parts).map(Some)
}

pub(crate) fn parts<'py>(py: Python<'py>, reading: &Reading) -> PyResult<Bound<'py, PyTuple>> {
    let class = class(py, "Part")?;
    let mut objects = Vec::new();
    for (at, part) in reading.instrument().parts().iter().enumerate() {
        let score = reading.part_score(at).map(float);
        let kind = part.kind.as_str();
        objects.push(class.call1((
            kind,
            &part.id,
            &part.version,
            float(part.weight),
            part.complement,
            score,
        ))?);
    }
    PyTuple::new(py, objects)
}

pub(crate) fn ledger<'py>(py: Python<'py>, reading: &Measured) -> PyResult<Bound<'py, PyAny>> {
    let ledger = reading.ledger();
    let mut places = Places::of(py, reading.interaction().turns());
    let (entry_class, match_class) = (class(py, "LedgerMarker")?, class(py, "LedgerMatch")?);
    let mut markers = Vec::with_capacity(ledger.markers.len());
    for entry in &ledger.markers {
        let mut matches = Vec::with_capacity(entry.matches.len());
        for found in &entry.matches {
            matches.push(ledger_match(&match_class, found, &mut places)?);
        }
        let matches = PyTuple::new(py, matches)?;
        markers.push(ledger_marker(&entry_class, entry, matches)?);
    }
    let parts = (
        ledger.score_kind.as_str(),
        ledger.score.map(float),
        float(ledger.density),
        float(ledger.clarity),
        float(ledger.index),
        float(ledger.sufficient_from),
        counts(py, &ledger.counts)?,
        PyTuple::new(py, markers)?,
    );
    class(py, "Ledger")?.call1(parts)
}

fn counts<'py>(py: Python<'py>, counts: &Counts) -> PyResult<Bound<'py, PyAny>> {
    let parts = PyDict::new(py);
    parts.set_item("words", counts.words)?;
    parts.set_item("words_needed", counts.words_needed)?;
    parts.set_item("turns", counts.turns)?;
    parts.set_item("turns_needed", counts.turns_needed)?;
    let roles = PyDict::new(py);
    for role in &counts.roles {
        roles.set_item(&role.role, (role.words, role.needed))?;
    }
    parts.set_item("roles", roles)?;
    parts.set_item("readable", float(counts.readable))?;
    parts.set_item("noise", counts.noise)?;
    let told = counts.language.as_ref();
    parts.set_item("language", told.map(|told| told.code))?;
    parts.set_item("function_words", told.map(|told| told.function_words))?;
    parts.set_item("foreign_words", told.map(|told| told.foreign_words))?;
    class(py, "Counts")?.call((), Some(&parts))
}

fn ledger_marker<'py>(
    class: &Bound<'py, PyAny>,
    entry: &MarkerEntry<'_>,
    matches: Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let parts = PyDict::new(class.py());
    parts.set_item("label", entry.label)?;
    parts.set_item("weight", entry.importance.weight())?;
    parts.set_item("pole", entry.pole.as_str())?;
    parts.set_item("repeat", entry.repeat.as_str())?;
    parts.set_item("bias", float(entry.bias))?;
    parts.set_item("per_words", entry.per)?;
    parts.set_item("share_full", entry.share_full.map(float))?;
    let scope = entry.scope.as_ref().map(|own| {
        let parts = PyDict::new(class.py());
        parts.set_item("of", own.scope.to_string())?;
        parts.set_item("turns", PyTuple::new(class.py(), &own.turns)?)?;
        parts.set_item("stretches", own.stretches)?;
        parts.set_item("held", own.held)?;
        parts.set_item("strongest", own.strongest)?;
        self::class(class.py(), "LedgerScope")?.call((), Some(&parts))
    });
    parts.set_item("scope", scope.transpose()?)?;
    parts.set_item("evidence", float(entry.resonance.evidence))?;
    parts.set_item("half", float(entry.half))?;
    parts.set_item("activation", float(entry.resonance.activation))?;
    parts.set_item("trigger", float(entry.trigger))?;
    parts.set_item("triggered", entry.resonance.triggered)?;
    parts.set_item("matches", matches)?;
    class.call((), Some(&parts))
}

fn ledger_match<'py>(
    class: &Bound<'py, PyAny>,
    found: &MatchEntry<'_>,
    places: &mut Places<'py, '_>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let (start, end) = places.ends(found.turn, &found.range);
    let parts = PyDict::new(py);
    parts.set_item("list", found.list.as_str())?;
    parts.set_item("line", found.line)?;
    parts.set_item("strength", float(found.strength))?;
    parts.set_item("segment", found.turn)?;
    parts.set_item("start", start)?;
    parts.set_item("end", end)?;
    parts.set_item("joined", places.joined(&found.joined)?)?;
    parts.set_item("unfolded", found.unfolded)?;
    parts.set_item("source", &*found.source)?;
    parts.set_item("contribution", float(found.contribution))?;
    parts.set_item("failed", PyTuple::new(py, &found.failed)?)?;
    parts.set_item("lacks", PyTuple::new(py, &found.lacks)?)?;
    class.call((), Some(&parts))
}
