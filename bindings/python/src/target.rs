//! What all kinds of target can do in Python: sense, mask, compare, stream and the like; `kinds` has what makes them.

use crate::argument;
use crate::comparison::Comparison;
use crate::failure::{Failure, Finding, Outcome};
use crate::frame;
use crate::instrument::{Masks, Options, estimate_object, fidelity_object};
use crate::interaction::interaction;
use crate::many::{self, OnError};
use crate::model;
use crate::number::{is_missing, kind_of};
use crate::once::Once;
use crate::reading::Reading;
use crate::session::Session;
use crate::source::{self, Source, class_of, files_of};
use crate::table::{self, Table};
use crate::view::offset_unit;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};
use sonometer::batch::guarded;
use sonometer::protocol::{Effect, Marker, Modality};
use sonometer::{Catalog, Instrument, Metric as MetricFile, SessionOptions, TargetKind};
use sonometer_arrow::Frame as Asked;
use sonometer_catalog::{Shelf, rates_of};
use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What all things that measure have in common: `Sensor`, `Metric` and `Blueprint`.
#[pyclass(frozen, subclass, name = "Target", module = "sonometer")]
pub(crate) struct Target {
    pub(crate) instrument: Instrument,
    /// The canonical JSON of the file.
    pub(crate) document: String,
    /// That of every protocol and metric it is made of.
    pub(crate) shelf: Vec<String>,
    digest: String,
    description: String,
    status: &'static str,
    warnings: Vec<Finding>,
    /// The keys of its metamarkers in readings; made when first asked for.
    names: Once<PyTuple>,
}

impl Target {
    pub(crate) fn find(
        target: &Bound<'_, PyAny>,
        kind: TargetKind,
        shelf: Option<&Bound<'_, PyAny>>,
        catalog: bool,
    ) -> Outcome<Self> {
        Self::of(&Source::find(target, Some(kind))?, Some(kind), shelf, catalog)
    }

    /// Makes ready what a source holds; it must be of that `kind`, if one is asked for.
    pub(crate) fn of(
        source: &Source,
        kind: Option<TargetKind>,
        shelf: Option<&Bound<'_, PyAny>>,
        catalog: bool,
    ) -> Outcome<Self> {
        let (document, warnings) = source.document()?;
        let found = document.kind();
        if kind.is_some_and(|kind| kind != found) {
            let message = format!("this is a {}", found.as_str());
            let fix = format!("use sonometer.{}, or sonometer.load for any kind", class_of(found));
            return Err(Failure::invalid("target", message, &fix));
        }
        let (text, digest) = (document.to_canonical_json(), document.digest());
        let (description, status) = (document.description().to_owned(), document.status());
        let on_shelf = match found {
            TargetKind::Protocol => Shelf::alone(),
            TargetKind::Metric | TargetKind::Blueprint => source::shelf(shelf, source, catalog)?,
        };
        let instrument = Instrument::new(document, &on_shelf)?;
        let shelf = used(&instrument, &on_shelf)?;
        let names = Once::new();
        Ok(Self { instrument, document: text, shelf, digest, description, status, warnings, names })
    }

    /// The keys of its metamarkers, in the order of readings. What every reading repeats is one object.
    pub(crate) fn names<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyTuple>> {
        self.names.get(py, || model::names(py, &self.instrument))
    }

    /// The list files of all protocols in it, by their paths.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        self.instrument.sensors().iter().flat_map(|sensor| files_of(sensor.protocol())).collect()
    }
}

/// The canonical JSON of all that something is made of; nothing for a protocol.
fn used(instrument: &Instrument, shelf: &Shelf) -> Outcome<Vec<String>> {
    match instrument.kind() {
        TargetKind::Protocol => Ok(Vec::new()),
        TargetKind::Metric | TargetKind::Blueprint => parts(instrument, shelf),
    }
}

/// The canonical JSON of all that a composition is made of: its protocols, then its metrics.
pub(crate) fn parts(whole: &Instrument, shelf: &Shelf) -> Outcome<Vec<String>> {
    let mut all: Vec<String> = whole.sensors().iter().map(|s| s.protocol().to_canonical_json()).collect();
    if whole.kind() == TargetKind::Blueprint {
        for part in whole.parts().iter().filter(|part| part.kind == TargetKind::Metric) {
            let versions: Vec<MetricFile> = shelf.metrics(&part.id)?;
            let used = versions.into_iter().rfind(|metric| metric.version == part.version);
            all.extend(used.map(|metric| metric.to_canonical_json()));
        }
    }
    Ok(all)
}

#[pymethods]
impl Target {
    /// `protocol`, `metric` or `blueprint`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.instrument.kind().as_str()
    }

    /// Its id.
    #[getter]
    fn id(&self) -> &str {
        self.instrument.id()
    }

    /// Its version.
    #[getter]
    fn version(&self) -> &str {
        self.instrument.version()
    }

    /// Its name for people.
    #[getter]
    fn name(&self) -> &str {
        self.instrument.name()
    }

    /// What it is for, for people.
    #[getter]
    fn description(&self) -> &str {
        &self.description
    }

    /// `draft`, `published` or `archived`; of metrics and blueprints `active` or `archived`.
    #[getter]
    fn status(&self) -> &'static str {
        self.status
    }

    /// Whether `higher` or `lower` scores are the good ones.
    #[getter]
    fn better(&self) -> &'static str {
        self.instrument.better().as_str()
    }

    /// The meaning of scores 0 and 1 and which is better, in one line.
    ///
    /// >>> from sonometer import Sensor
    /// >>> Sensor("personal-data@1.0").score_meaning
    /// 'score 1 = no risk found, 0 = a critical risk found; higher is better'
    #[getter]
    fn score_meaning(&self) -> String {
        self.instrument.score_meaning()
    }

    /// What it reads: `text`, `transcript`.
    #[getter]
    fn modalities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.instrument.modalities().into_iter().map(Modality::as_str))
    }

    /// Its metamarkers, in the order of readings.
    #[getter]
    fn metamarkers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let class = py.import("sonometer.model")?.getattr("Marker")?;
        let object = |((key, marker), effect): ((&str, &Marker), Effect)| {
            let (importance, pole) = (marker.importance.as_str(), marker.pole.as_str());
            class.call1((key, &marker.description, importance, pole, effect.as_str()))
        };
        let markers = self.instrument.markers().zip(self.instrument.effects());
        PyTuple::new(py, markers.map(object).collect::<PyResult<Vec<_>>>()?)
    }

    /// The identity of this version: `sha256:` and the SHA-256 of its canonical JSON.
    #[getter]
    fn digest(&self) -> &str {
        &self.digest
    }

    /// Its canonical JSON. Reading it back gives an equal target; list files and what a metric or blueprint names are not in it, so give `files`
    /// or `shelf` again.
    #[getter]
    fn source(&self) -> &str {
        &self.document
    }

    /// What its author should look at.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.warnings.iter().map(|f| f.object(py)).collect::<PyResult<Vec<_>>>()?)
    }

    /// Measures an interaction: a str, a list of `(role, content[, seconds])` or of chat messages, a dict, or an `Interaction`.
    ///
    /// Content that is insufficient gives a reading too: one whose `fidelity` says so, and that reports nothing else.
    /// `usd_per_ics` is the price of one ICS; `ignore_fidelity` measures regardless of fidelity.
    ///
    /// `mask` is how masked places are shown, in the place of what the protocol says: `stars`, `first1` to `first8`, `last1` to
    /// `last8`, `label`, `numbered`, `keyed` (with `mask_key`, 16 bytes or more, which are shown nowhere) or `remove`.
    ///
    /// >>> from sonometer import Sensor
    /// >>> reading = Sensor("courtesy@1.0").sense([
    /// ...     ("agent", "Good morning, thank you for calling. How can I help?"),
    /// ...     ("customer", "Hi. My router is dead again, could you please check the line?"),
    /// ... ])
    /// >>> reading.sufficient
    /// True
    /// >>> [(e.metamarker, e.source, e.role, e.start, e.end) for e in reading.evidence][:2]
    /// [('greeting', 'Good morning', 'agent', 0, 12), ('gratitude', 'thank you', 'agent', 14, 23)]
    #[pyo3(signature = (interaction, /, *, usd_per_ics = None, ignore_fidelity = false, mask = None, mask_key = None))]
    fn sense<'py>(
        slf: &Bound<'py, Self>,
        interaction: &Bound<'py, PyAny>,
        usd_per_ics: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::ignore_fidelity)] ignore_fidelity: bool,
        #[pyo3(from_py_with = argument::mask)] mask: Option<&str>,
        mask_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = Options::read(usd_per_ics, ignore_fidelity, Masks(mask, mask_key))?;
        let interaction = self::interaction(interaction)?;
        let instrument = &slf.get().instrument;
        let sensed = slf.py().detach(|| guarded(|| instrument.sense_with(&interaction, options)));
        Reading::object(slf, sensed.map_err(Failure::from)?, options)
    }

    /// A text with everything masked that the target masks: what may be shown or stored. The options are those of `sense`; of
    /// a conversation, `sense` gives it as `masked`.
    ///
    /// >>> from sonometer import Sensor
    /// >>> Sensor("personal-data@1.0").mask("My card is 4111 1111 1111 1111.", mask="label")
    /// 'My card is <PAYMENT_CARD>.'
    #[pyo3(signature = (text, /, *, mask = None, mask_key = None))]
    fn mask(
        slf: &Bound<'_, Self>,
        text: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::mask)] mask: Option<&str>,
        mask_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        if !text.is_instance_of::<PyString>() {
            let fix = match is_missing(text) {
                true => "the value is missing; remove it, or give \"\" for an empty text",
                false => "give a str; of a conversation, `sense(…).masked` has the text of each turn",
            };
            return Err(Failure::wrong_type("text", format!("{} is not a text", kind_of(text)), fix).into());
        }
        let options = Options::read(None, false, Masks(mask, mask_key))?;
        let interaction = self::interaction(text)?;
        let instrument = &slf.get().instrument;
        tell_if_idle(slf.py(), instrument)?;
        let sensed = slf.py().detach(|| guarded(|| instrument.sense_with(&interaction, options)));
        let reading = sensed.map_err(Failure::from)?;
        Ok(reading.masked_turn(0).into_owned())
    }

    /// Whether an interaction holds enough for a reliable reading; costs no ICS.
    ///
    /// >>> from sonometer import Sensor
    /// >>> Sensor("courtesy@1.0").fidelity("Thanks!").sufficient
    /// False
    #[pyo3(signature = (interaction, /))]
    fn fidelity<'py>(&self, interaction: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, interaction) = (interaction.py(), self::interaction(interaction)?);
        let fidelity = py.detach(|| guarded(|| self.instrument.fidelity(&interaction)));
        fidelity_object(py, fidelity.map_err(Failure::from)?)
    }

    /// Measures two interactions and what lies between them.
    ///
    /// >>> from sonometer import Sensor
    /// >>> courtesy = Sensor("courtesy@1.0")
    /// >>> comparison = courtesy.compare("Tell me the version of the app you use now.",
    /// ...     "Could you please tell me which version of the app you use? Thank you!")
    /// >>> comparison.direction, comparison.shifts["gratitude"].change
    /// ('improvement', 0.75)
    #[pyo3(signature = (a, b, /, *, usd_per_ics = None, ignore_fidelity = false))]
    fn compare<'py>(
        slf: &Bound<'py, Self>,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        usd_per_ics: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::ignore_fidelity)] ignore_fidelity: bool,
    ) -> PyResult<Comparison> {
        let options = Options::read(usd_per_ics, ignore_fidelity, Masks(None, None))?;
        let side = |value, name: &str| interaction(value).map_err(|failure| failure.within(name));
        let (a, b) = (side(a, "interaction_a")?, side(b, "interaction_b")?);
        Ok(Comparison::of(slf, a, b, options)?)
    }

    /// Measures many interactions on all cores; the readings are in the order of the interactions.
    ///
    /// With `errors="return"` what is wrong with one interaction stands in its place as an exception and costs the others
    /// nothing; with `errors="raise"` the first of these is raised. An exception of the iterable itself is always raised.
    /// For more than memory holds, use `map`.
    ///
    /// >>> from sonometer import Sensor
    /// >>> outcomes = Sensor("courtesy@1.0").batch(["Thank you so much for your help!", 7], errors="return")
    /// >>> outcomes[0].score, outcomes[1].place
    /// (0.494769, 'interactions[1]')
    #[pyo3(signature = (interactions, /, *, errors = "raise", threads = None, usd_per_ics = None, ignore_fidelity = false, mask = None, mask_key = None))]
    #[allow(clippy::too_many_arguments, reason = "each is an argument of Python")]
    fn batch<'py>(
        slf: &Bound<'py, Self>,
        interactions: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = argument::errors)] errors: &str,
        #[pyo3(from_py_with = argument::threads)] threads: Option<usize>,
        usd_per_ics: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::ignore_fidelity)] ignore_fidelity: bool,
        #[pyo3(from_py_with = argument::mask)] mask: Option<&str>,
        mask_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = Options::read(usd_per_ics, ignore_fidelity, Masks(mask, mask_key))?;
        let items = many::items(interactions)?;
        let all = many::all(slf, &items, OnError::read(errors)?, many::threads(threads), options)?;
        Ok(all.into_any())
    }

    /// Measures many interactions on all cores, into arrays: the scores of all, and their evidence, without an object for any of them.
    /// Readings are not kept, so that a table takes a few bytes for each piece of evidence.
    ///
    /// `errors` and the other options are those of `batch`; an interaction in error is a row without a score, and stands in
    /// `errors` of the table. `offsets` is the unit of the places: `chars` (Python's own), `bytes` or `utf16`.
    ///
    /// >>> from sonometer import Sensor
    /// >>> table = Sensor("courtesy@1.0").table(["Thank you so much for your help!", "Good morning, thank you so much!"])
    /// >>> places = table.places
    /// >>> [(places.names[marker], row, start, end) for marker, row, start, end in zip(
    /// ...     places.markers, places.rows, places.starts, places.ends)]
    /// [('gratitude', 0, 0, 9), ('greeting', 1, 0, 12), ('gratitude', 1, 14, 23)]
    #[pyo3(signature = (interactions, /, *, offsets = "chars", errors = "raise", threads = None, usd_per_ics = None, ignore_fidelity = false, mask = None, mask_key = None))]
    #[allow(clippy::too_many_arguments, reason = "each is an argument of Python")]
    fn table<'py>(
        slf: &Bound<'py, Self>,
        interactions: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = argument::offsets)] offsets: &str,
        #[pyo3(from_py_with = argument::errors)] errors: &str,
        #[pyo3(from_py_with = argument::threads)] threads: Option<usize>,
        usd_per_ics: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::ignore_fidelity)] ignore_fidelity: bool,
        #[pyo3(from_py_with = argument::mask)] mask: Option<&str>,
        mask_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Table> {
        let options = Options::read(usd_per_ics, ignore_fidelity, Masks(mask, mask_key))?;
        let (unit, items) = (offset_unit(offsets)?, many::items(interactions)?);
        table::of_interactions(slf, &items, unit, OnError::read(errors)?, many::threads(threads), options)
    }

    /// Senses a column of texts or conversations, and gives readings as columns of the same kind: a Polars series gives a Polars
    /// DataFrame, one of pandas or pyarrow a table of theirs; other columns that speak Arrow give a `Frame`.
    ///
    /// A conversation is a `list<struct<role, content, timestamp?>>`; with `input="json"`, texts are interactions as JSON. `columns` are
    /// of `score`, `sufficient`, `fidelity`, `resonance`, `triggered`, `evidence`, `signal`, `actant_flow`, `temporal`, `ics` and `json`;
    /// by default `score` and `sufficient`. A null is null in all of them, and so are `score` and findings where there is too little to
    /// measure. Rows that cannot be read are null, too, and the column `error` says why; with `errors="raise"` the first is an exception.
    /// `offsets` is the unit of places, as in `sense`. The schema's metadata says what measured.
    #[pyo3(signature = (column, /, *, columns = None, input = "text", errors = "null", offsets = "chars", threads = None, usd_per_ics = None, ignore_fidelity = false, mask = None, mask_key = None))]
    #[allow(clippy::too_many_arguments, reason = "each is an argument of Python")]
    fn frame<'py>(
        &self,
        column: &Bound<'py, PyAny>,
        columns: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::input)] input: &str,
        #[pyo3(from_py_with = argument::errors)] errors: &str,
        #[pyo3(from_py_with = argument::offsets)] offsets: &str,
        #[pyo3(from_py_with = argument::threads)] threads: Option<usize>,
        usd_per_ics: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::ignore_fidelity)] ignore_fidelity: bool,
        #[pyo3(from_py_with = argument::mask)] mask: Option<&str>,
        mask_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = Options::read(usd_per_ics, ignore_fidelity, Masks(mask, mask_key))?;
        let asked = Asked::new(&self.instrument)
            .columns(frame::columns(columns)?)
            .input(frame::input(input)?)
            .bad_rows(frame::bad_rows(errors)?)
            .offsets(offset_unit(offsets)?)
            .options(options);
        let py = column.py();
        let found = frame::sense(py, &asked, frame::column(column)?, many::threads(threads))?;
        py.import("sonometer.columns")?.call_method1("alike", (column, found))
    }

    /// A column as it may be shown, of the same kind: what the target masks is hidden. What is null or cannot be read is null, never shown
    /// as it was; with `errors="raise"` the first that cannot be read is an exception.
    #[pyo3(signature = (column, /, *, errors = "null", threads = None, mask = None, mask_key = None))]
    fn mask_column<'py>(
        &self,
        column: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = argument::errors)] errors: &str,
        #[pyo3(from_py_with = argument::threads)] threads: Option<usize>,
        #[pyo3(from_py_with = argument::mask)] mask: Option<&str>,
        mask_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = Options::read(None, false, Masks(mask, mask_key))?;
        let asked = Asked::new(&self.instrument).bad_rows(frame::bad_rows(errors)?).options(options);
        let py = column.py();
        tell_if_idle(py, &self.instrument)?;
        let masked = frame::mask(py, &asked, frame::column(column)?, many::threads(threads))?;
        py.import("sonometer.columns")?.call_method1("alike_column", (column, masked))
    }

    /// As `batch`, one reading after the other, in memory that does not grow: an iterator for any number of interactions.
    ///
    /// `chunk` interactions are taken and measured at once; 1 answers each before the next is taken. Where the iterable
    /// raises an exception, the readings of what came before it are given out first.
    ///
    /// >>> from sonometer import Sensor
    /// >>> lines = (line for line in ["Thank you so much for your help!", "Hurry up, will you, I am waiting!"])
    /// >>> [reading.score for reading in Sensor("courtesy@1.0").map(lines)]
    /// [0.494769, 0.373445]
    #[pyo3(signature = (interactions, /, *, errors = "raise", threads = None, chunk = 256, usd_per_ics = None, ignore_fidelity = false, mask = None, mask_key = None))]
    #[allow(clippy::too_many_arguments, reason = "each is an argument of Python")]
    fn map<'py>(
        slf: &Bound<'py, Self>,
        interactions: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = argument::errors)] errors: &str,
        #[pyo3(from_py_with = argument::threads)] threads: Option<usize>,
        #[pyo3(from_py_with = argument::chunk)] chunk: usize,
        usd_per_ics: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::ignore_fidelity)] ignore_fidelity: bool,
        #[pyo3(from_py_with = argument::mask)] mask: Option<&str>,
        mask_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<many::Readings> {
        let options = Options::read(usd_per_ics, ignore_fidelity, Masks(mask, mask_key))?;
        let items = many::items(interactions)?;
        let (errors, threads) = (OnError::read(errors)?, many::threads(threads));
        Ok(many::Readings::new(slf, &items, errors, threads, chunk, options))
    }

    /// Begins to sense an interaction that comes in bit by bit. `offsets` is the unit of the places in steps; with `release`
    /// steps carry the masked text that may be shown.
    #[pyo3(signature = (*, offsets = "chars", release = false, usd_per_ics = None, ignore_fidelity = false, mask = None, mask_key = None))]
    fn session(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = argument::offsets)] offsets: &str,
        #[pyo3(from_py_with = argument::release)] release: bool,
        usd_per_ics: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::ignore_fidelity)] ignore_fidelity: bool,
        #[pyo3(from_py_with = argument::mask)] mask: Option<&str>,
        mask_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Session> {
        let sense = Options::read(usd_per_ics, ignore_fidelity, Masks(mask, mask_key))?;
        let unit = offset_unit(offsets)?;
        Session::new(slf, SessionOptions { sense, unit, release })
    }

    /// Senses what comes in, such as the tokens of a language model: a step for each, and one more at the end.
    ///
    /// `chunks` is an iterable or an async iterable of str or bytes, or of whole segments; None and empty ones are skipped. The stream is an iterator of the
    /// same kind; its `reading` is there at the end. The options are those of `session`.
    ///
    /// >>> from sonometer import Sensor
    /// >>> stream = Sensor("courtesy@1.0").stream(["Thank", " you so", " much. ", "It works", " again."])
    /// >>> [event.source for step in stream for event in step.events if event.event == "evidence"]
    /// ['Thank you']
    /// >>> stream.reading.triggered
    /// ('gratitude',)
    #[pyo3(signature = (chunks, /, *, offsets = "chars", release = false, usd_per_ics = None, ignore_fidelity = false, mask = None, mask_key = None))]
    #[allow(clippy::too_many_arguments, reason = "each is an argument of Python")]
    fn stream<'py>(
        slf: &Bound<'py, Self>,
        chunks: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = argument::offsets)] offsets: &str,
        #[pyo3(from_py_with = argument::release)] release: bool,
        usd_per_ics: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::ignore_fidelity)] ignore_fidelity: bool,
        #[pyo3(from_py_with = argument::mask)] mask: Option<&str>,
        mask_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let session = Self::session(slf, offsets, release, usd_per_ics, ignore_fidelity, mask, mask_key)?;
        slf.py().import("sonometer.streaming")?.call_method1("Stream", (session, chunks))
    }

    /// Guards a text that comes in: masks what the target masks, and passes text on as soon as no masked pattern can reach it.
    /// An iterator of str over an iterable of str or bytes, async over an async one; None and empty chunks are skipped.
    ///
    /// >>> from sonometer import Sensor
    /// >>> tokens = ["Your card ", "4111 1111 ", "1111 1111 was ", "charged today. Any", "thing else?"]
    /// >>> list(Sensor("personal-data@1.0").guard(tokens))
    /// ['Your ', 'card **** **** **** 1111 was charged today. ', 'Anything else?']
    #[pyo3(signature = (chunks, /, *, offsets = "chars", usd_per_ics = None, ignore_fidelity = false, mask = None, mask_key = None))]
    fn guard<'py>(
        slf: &Bound<'py, Self>,
        chunks: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = argument::offsets)] offsets: &str,
        usd_per_ics: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::ignore_fidelity)] ignore_fidelity: bool,
        #[pyo3(from_py_with = argument::mask)] mask: Option<&str>,
        mask_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let session = Self::session(slf, offsets, true, usd_per_ics, ignore_fidelity, mask, mask_key)?;
        slf.py().import("sonometer.streaming")?.call_method1("Guard", (session, chunks))
    }

    /// What content of `length` code points will cost, before it is sensed.
    ///
    /// >>> from sonometer import Sensor
    /// >>> estimate = Sensor("courtesy@1.0").estimate(2000, "transcript")
    /// >>> estimate.min, estimate.max, estimate.measured
    /// (0, 9, True)
    #[pyo3(signature = (length, /, modality = "text", *, usd_per_ics = None))]
    fn estimate<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::length)] length: usize,
        #[pyo3(from_py_with = argument::modality)] modality: &str,
        usd_per_ics: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = Options::read(usd_per_ics, false, Masks(None, None))?;
        let named = Modality::from_name(modality).ok_or_else(|| {
            let fix = format!("one of {}", Modality::NAMES.join(", "));
            Failure::invalid("modality", format!("unknown modality `{modality}`"), &fix)
        })?;
        let estimate = self.instrument.estimate(length as u64, named, rates_of).map_err(Failure::from)?;
        estimate_object(py, estimate, options)
    }

    /// For annotations: `Target[Reading]`.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::generic_alias(cls, item)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let this = slf.get();
        let name = format!("{}@{}", this.id(), this.version());
        let quoted = PyString::new(slf.py(), &name).repr()?;
        Ok(format!("{}({})", class_of(this.instrument.kind()), quoted.to_string_lossy()))
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.is_same(&other)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("sonometer._targets")?.getattr("restored")?;
        let (shelf, files) = (PyTuple::new(py, &self.shelf)?, PyTuple::new(py, self.files())?);
        Ok((restore, (&self.document, shelf, files).into_pyobject(py)?))
    }
}

/// A target or a stage as pickles hold it: equal ones are the same object, which a pickle has once.
pub(crate) fn shared<'py>(thing: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    thing.py().import("sonometer._targets")?.call_method1("shared", (thing,))
}

impl Target {
    /// Whether another measures the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || (&self.document, &self.shelf) == (&other.document, &other.shelf)
    }

    pub(crate) fn hash(&self, hasher: &mut DefaultHasher) {
        (&self.digest, self.shelf.len()).hash(hasher);
    }
}

/// Warns that a target masks nothing, before its texts are taken for masked ones.
fn tell_if_idle(py: Python<'_>, instrument: &Instrument) -> PyResult<()> {
    if instrument.markers().any(|(_, marker)| marker.mask.is_some()) {
        return Ok(());
    }
    let (id, version) = (instrument.id(), instrument.version());
    let told = format!("`{id}@{version}` masks nothing: none of its markers has the key `mask`");
    // A text without a NUL, as ids and versions are.
    let told = CString::new(told).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &told, 1)
}
