//! Sessions: an interaction that comes in bit by bit.

use crate::argument;
use crate::failure::Failure;
use crate::held::{Held, Words};
use crate::interaction::{is_model, pointed, segment};
use crate::number::{float, kind_of, unit};
use crate::reading::Reading;
use crate::target::Target;
use crate::value::{self, text};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString, PyTuple};
use sonometer::session::Place;
use sonometer::{Event, SenseOptions, Session as Live, SessionOptions, Step, Unit};

/// A chunk of so many bytes is worth letting other threads run.
const WORTH_DETACHING: usize = 2 << 10;
const WORDS: Words = Words {
    gone: ["the session has ended", "start a new one"],
    left_behind: [
        "another thread was using the session when this process was forked",
        "start a new one after the fork",
    ],
};

/// One interaction that comes in bit by bit, sensed as it comes.
///
/// A session is a text, to which `push` adds, or a transcript of segments; what is called first decides. Everything before
/// `settled_to` can change no more, and its evidence and masks have been reported; text before `released_to` may be shown. `finish` gives the
/// reading of the whole, the same however the interaction was cut.
///
/// >>> from sonometer import Sensor
/// >>> session = Sensor("personal-data@1.0").session(release=True)
/// >>> for chunk in ("My card is 4111 11", "11 1111 1111, right? Pl", "ease charge it."):
/// ...     print(session.push(chunk).released)
/// (Released(segment=0, text='My '),)
/// (Released(segment=0, text='card is **** **** **** 1111, right? '),)
/// (Released(segment=0, text='Please charge '),)
/// >>> session.end().released
/// (Released(segment=0, text='it.'),)
/// >>> session.finish() == Sensor("personal-data@1.0").sense("My card is 4111 1111 1111 1111, right? Please charge it.")
/// True
#[pyclass(frozen, name = "Session", module = "sonometer")]
pub(crate) struct Session {
    target: Py<Target>,
    options: SenseOptions,
    /// `sonometer.model`: looking it up would take longer than most pushes.
    model: Py<PyModule>,
    held: Held<Live>,
}

impl Session {
    pub(crate) fn new(target: &Bound<'_, Target>, options: SessionOptions) -> PyResult<Self> {
        let model = target.py().import("sonometer.model")?.unbind();
        let running = target.get().instrument.session(options);
        let held = Held::new(running, &WORDS);
        Ok(Self { target: target.clone().unbind(), options: options.sense, model, held })
    }
}

#[pymethods]
impl Session {
    /// What is sensed with.
    #[getter]
    fn target<'py>(&self, py: Python<'py>) -> Bound<'py, Target> {
        self.target.bind(py).clone()
    }

    /// Takes the next part of the text, or of the segment that was begun last: a str, or bytes of UTF-8 that may be cut
    /// within a character; None, as the first and the last delta of a chat interface have it, is nothing. What is refused is
    /// not taken, and the session goes on as if it had not come.
    #[pyo3(signature = (chunk, /))]
    fn push<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = chunk.py();
        if chunk.is_none() {
            let step = self.held.with(py, false, |running| running.skip())?;
            return step_object(self.model.bind(py), &step);
        }
        let owned;
        let bytes = if let Ok(chunk) = chunk.cast::<PyString>() {
            text(chunk, "content")?.as_bytes()
        } else if let Ok(chunk) = chunk.cast::<PyBytes>() {
            chunk.as_bytes()
        } else if let Ok(chunk) = chunk.cast::<PyByteArray>() {
            owned = chunk.to_vec();
            &owned
        } else {
            let message = format!("{} is not a chunk of text", kind_of(chunk));
            let fix = match is_model(chunk) {
                true => "give the text in it, such as chunk.choices[0].delta.content",
                false => "give a str, or bytes of UTF-8",
            };
            return Err(Failure::wrong_type("content", message, fix).into());
        };
        let detached = bytes.len() >= WORTH_DETACHING;
        let step = self.held.with(py, detached, |running| running.push(bytes))?;
        step_object(self.model.bind(py), &step)
    }

    /// Ends the segment that came in, if there is one, and begins another. `timestamp` is in seconds.
    #[pyo3(signature = (role, /, timestamp = None))]
    fn begin_segment<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::role)] role: &str,
        timestamp: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let seconds = timestamp.map(|seconds| unit(seconds, "timestamp", "the timestamp"));
        let seconds: Option<Unit> = seconds.transpose()?;
        let step = self.held.with(py, false, |running| running.begin_segment(role, seconds))?;
        step_object(self.model.bind(py), &step)
    }

    /// Takes a whole segment: `(role, content)`, `(role, content, seconds)` or a chat message; one in which nobody says
    /// anything is nothing.
    #[pyo3(signature = (segment, /))]
    fn push_segment<'py>(&self, segment: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = segment.py();
        let turn = self::segment(segment, "segment");
        let Some(turn) = turn
            .map_err(|failure| pointed(failure, || Ok(format!("[{}]", value::json(segment, "segment")?))))?
        else {
            let step = self.held.with(py, false, |running| running.skip())?;
            return step_object(self.model.bind(py), &step);
        };
        let detached = turn.content.len() >= WORTH_DETACHING;
        let step = self.held.with(py, detached, |running| running.push_segment(turn))?;
        step_object(self.model.bind(py), &step)
    }

    /// Ends the input: everything settles, and the remaining events are returned. `finish` needs no `end` before it.
    fn end<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let step = self.held.with(py, true, |running| running.end())?;
        step_object(self.model.bind(py), &step)
    }

    /// Everything before this place can change no more.
    #[getter]
    fn settled_to<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let place = self.held.with(py, false, |running| Ok(running.settled_to()))?;
        place_object(self.model.bind(py), place)
    }

    /// Text before this place may be shown with the masks reported so far; with `release` it runs ahead of `settled_to`.
    #[getter]
    fn released_to<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let place = self.held.with(py, false, |running| Ok(running.released_to()))?;
        place_object(self.model.bind(py), place)
    }

    /// The reading as if the interaction ended here. The session goes on.
    fn so_far<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let reading = self.held.with(py, true, |running| running.so_far())?;
        Reading::object(self.target.bind(py), reading, self.options)
    }

    /// Ends the session: the reading of all that came in.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // A session that cannot end here, within a character, goes on.
        let reading = self.held.using(py, true, |running| match running.so_far() {
            Ok(reading) => (Ok(reading), None),
            Err(error) => (Err(error), Some(running)),
        })?;
        Reading::object(self.target.bind(py), reading, self.options)
    }

    /// A session that goes its own way from here.
    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        let running = self.held.with(py, false, |running| Ok(running.clone()))?;
        let target = self.target.clone_ref(py);
        let model = self.model.clone_ref(py);
        Ok(Self { target, options: self.options, model, held: Held::new(running, &WORDS) })
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.__copy__(py)
    }

    /// Only what has come to its end has a lasting form.
    fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
        let fix = "pickle its reading, or start a new session there";
        Err(Failure::wrong_type("", "a session cannot be pickled", fix).into())
    }

    /// For notebooks: the reading so far.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("sonometer._html")?.call_method1("session", (slf,))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let instrument = &self.target.get().instrument;
        let name = format!("{}@{}", instrument.id(), instrument.version());
        let name = PyString::new(py, &name).repr()?.to_string_lossy().into_owned();
        let place = self.held.with(py, false, |running| Ok(running.settled_to()));
        Ok(match place {
            Ok(Place { segment, offset }) => format!("<Session {name} settled_to={segment}:{offset}>"),
            Err(_) => format!("<Session {name} finished>"),
        })
    }

    /// For annotations: `Session[Reading]`.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, pyo3::types::PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::generic_alias(cls, item)
    }
}

fn place_object<'py>(model: &Bound<'py, PyModule>, place: Place) -> PyResult<Bound<'py, PyAny>> {
    model.getattr(intern!(model.py(), "Place"))?.call1((place.segment, place.offset))
}

/// `sonometer.model.Step`.
fn step_object<'py>(model: &Bound<'py, PyModule>, step: &Step) -> PyResult<Bound<'py, PyAny>> {
    let py = model.py();
    let events = step.events.iter().map(|event| event_object(model, event)).collect::<PyResult<Vec<_>>>()?;
    let released = match step.released.as_slice() {
        [] => PyTuple::empty(py),
        parts => {
            let class = model.getattr(intern!(py, "Released"))?;
            let released = parts.iter().map(|part| class.call1((part.segment, &part.text)));
            PyTuple::new(py, released.collect::<PyResult<Vec<_>>>()?)?
        }
    };
    let settled = place_object(model, step.settled_to)?;
    let passed = place_object(model, step.released_to)?;
    let events = PyTuple::new(py, events)?;
    model.getattr(intern!(py, "Step"))?.call1((settled, passed, events, released, step.to_json()))
}

fn event_object<'py>(model: &Bound<'py, PyModule>, event: &Event) -> PyResult<Bound<'py, PyAny>> {
    match event {
        Event::Evidence { metamarker, score, source, segment, start, end, joined } => {
            let stretch = model.getattr("Stretch")?;
            let joined = joined.iter().map(|span| stretch.call1((span.segment, span.start, span.end)));
            let joined = PyTuple::new(model.py(), joined.collect::<PyResult<Vec<_>>>()?)?;
            let parts = (metamarker, float(*score), source, *segment, *start, *end, joined);
            model.getattr("EvidenceFound")?.call1(parts)
        }
        Event::Mask { segment, start, end, shown } => {
            model.getattr("Masked")?.call1((*segment, *start, *end, shown))
        }
        Event::Resonance { metamarker, score } => {
            model.getattr("ResonanceChanged")?.call1((metamarker, float(*score)))
        }
        Event::Fidelity(fidelity) => {
            let parts = (
                float(fidelity.index),
                fidelity.sufficient,
                float(fidelity.density),
                float(fidelity.clarity),
            );
            model.getattr("FidelityChanged")?.call1(parts)
        }
    }
}
