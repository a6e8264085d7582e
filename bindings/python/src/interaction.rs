//! What is measured, from whatever Python people have: a str, a list of turns, a dict, JSON.

use crate::argument;
use crate::extracted::Extract;
use crate::failure::{Failure, Outcome};
use crate::number::{float, is_missing, kind_of, unit};
use crate::reading::Reading;
use crate::value::{self, text};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMapping, PyString, PyTuple, PyType};
use sonometer::{MessageForm, Messages, Turn, Unit};
use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};

const SHAPES: &str = "give a str, a list of (role, content) tuples or of chat messages, a dict with `content` or `segments`, or an \
                      Interaction";
/// What to do with a chat in a form that is not ours.
const FROM_MESSAGES: &str = "read a chat as other programs write it by Interaction.from_messages(…)";

/// What is measured: a text, or the turns of a conversation. Immutable; cheap to copy.
///
/// Every method that takes an interaction also takes what this constructor takes:
///
/// >>> from sonometer import Interaction
/// >>> Interaction("Thank you so much!")
/// Interaction('Thank you so much!')
/// >>> talk = Interaction([("agent", "Good morning."), ("customer", "Hi!", 2.5)])
/// >>> talk.segments[1]
/// Segment(role='customer', content='Hi!', timestamp=2.5)
/// >>> Interaction({"segments": [{"role": "agent", "content": "Good morning."}], "label": "before"}).label
/// 'before'
/// >>> Interaction([{"role": "user", "content": "Is it raining?"}, {"role": "assistant", "content": None, "tool_calls": [{}]}])
/// Interaction([('user', 'Is it raining?')])
/// >>> Interaction({"contents": "?"})
/// Traceback (most recent call last):
///   ...
/// sonometer.errors.InvalidRequestError: unknown key `contents`; did you mean `content` (at contents)
#[pyclass(frozen, name = "Interaction", module = "sonometer")]
#[derive(Debug)]
pub(crate) struct Interaction {
    pub(crate) inner: sonometer::Interaction,
}

#[pymethods]
impl Interaction {
    #[new]
    #[pyo3(signature = (content, /, *, label = None))]
    fn new(
        content: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::label)] label: Option<&str>,
    ) -> PyResult<Self> {
        let inner = interaction(content)?;
        let inner = match label {
            Some(label) => inner.with_label(label),
            None => inner,
        };
        Ok(Self { inner })
    }

    /// Reads the JSON text of an interaction, strictly: nothing is accepted and ignored.
    ///
    /// >>> from sonometer import Interaction
    /// >>> Interaction.from_json('{"content": "Thank you!"}').content
    /// 'Thank you!'
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn from_json(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { inner: from_json(text)? })
    }

    /// The turns of a chat in any form that `sonometer.chats.read_messages` reads; each notice of it is a `UserWarning`.
    ///
    /// >>> from sonometer import Interaction
    /// >>> Interaction.from_messages({"conversations": [{"from": "human", "value": "Hi!"}, {"from": "gpt", "value": "Hello."}]})
    /// Interaction([('user', 'Hi!'), … 2 segments])
    #[staticmethod]
    #[pyo3(signature = (messages, /, *, form = None))]
    fn from_messages<'py>(
        messages: &Bound<'py, PyAny>,
        form: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = messages.py();
        let options = PyDict::new(py);
        options.set_item("form", form)?;
        let read =
            py.import("sonometer.chats")?.getattr("read_messages")?.call((messages,), Some(&options))?;
        for notice in read.getattr("notices")?.try_iter()? {
            let notice = CString::new(notice?.extract::<String>()?.replace('\0', "\u{fffd}"))?;
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &notice, 1)?;
        }
        read.getattr("interaction")
    }

    /// `text` or `transcript`; of files also `document` and `audio`.
    #[getter]
    fn modality(&self) -> &'static str {
        self.inner.modality().as_str()
    }

    /// The turns: tuples of role, content and timestamp. A text has one without a role.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let class = py.import("sonometer.model")?.getattr("Segment")?;
        let segment =
            |turn: &Turn| class.call1((turn.role.as_deref(), &*turn.content, turn.timestamp.map(float)));
        PyTuple::new(py, self.inner.turns().iter().map(segment).collect::<PyResult<Vec<_>>>()?)
    }

    /// The text of a text or document; None for a conversation.
    #[getter]
    fn content(&self) -> Option<&str> {
        (!self.inner.is_conversation()).then(|| &*self.inner.turns()[0].content)
    }

    /// The name that comparisons call it by, if it has one.
    #[getter]
    fn label(&self) -> Option<&str> {
        self.inner.label()
    }

    /// The same interaction with another label.
    #[pyo3(signature = (label, /))]
    fn with_label(&self, #[pyo3(from_py_with = argument::label)] label: &str) -> Self {
        Self { inner: self.inner.clone().with_label(label) }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let short = |text: &str| -> PyResult<String> {
            let mut cut: String = text.chars().take(60).collect();
            if cut.len() < text.len() {
                cut.push('…');
            }
            Ok(PyString::new(py, &cut).repr()?.to_string_lossy().into_owned())
        };
        match (self.content(), self.inner.turns()) {
            (Some(content), _) => Ok(format!("Interaction({})", short(content)?)),
            (None, turns) => {
                let first = &turns[0];
                let (role, content) = (short(first.role.as_deref().unwrap_or(""))?, short(&first.content)?);
                let more = match turns.len() {
                    1 => String::new(),
                    count => format!(", … {count} segments"),
                };
                Ok(format!("Interaction([({role}, {content}){more}])"))
            }
        }
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.inner == other.inner
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        hash(&self.inner, &mut hasher);
        hasher.finish()
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("sonometer._sonometer")?.getattr("_restore_interaction")?;
        let segment = |turn: &Turn| {
            let (role, content) = (turn.role.as_deref(), &*turn.content);
            (role, content, turn.timestamp.map(|seconds| seconds.0)).into_pyobject(py)
        };
        let turns = PyTuple::new(py, self.inner.turns().iter().map(segment).collect::<PyResult<Vec<_>>>()?)?;
        let sure = |at| self.inner.confidence(at).map(|share| share.0);
        let sure: Vec<Option<i64>> = (0..turns.len()).map(sure).collect();
        let (modality, label) = (self.modality(), self.label());
        // Only recordings have any.
        Ok(match sure.iter().any(Option::is_some) {
            true => (restore, (modality, turns, label, sure).into_pyobject(py)?),
            false => (restore, (modality, turns, label).into_pyobject(py)?),
        })
    }
}

/// Unpickles an interaction; times and confidences are in millionths, so that none is rounded.
#[pyfunction]
#[pyo3(signature = (modality, segments, label, confidence = None))]
pub(crate) fn _restore_interaction(
    modality: &str,
    segments: Vec<(Option<String>, String, Option<i64>)>,
    label: Option<&str>,
    confidence: Option<Vec<Option<i64>>>,
) -> PyResult<Interaction> {
    let turn = |(role, content, seconds): (Option<String>, String, Option<i64>)| Turn {
        role: role.map(Into::into),
        content: content.into(),
        timestamp: seconds.map(Unit),
    };
    let mut turns: Vec<Turn> = segments.into_iter().map(turn).collect();
    let inner = match (modality, turns.pop()) {
        ("text", Some(only)) if turns.is_empty() => sonometer::Interaction::text(&only.content),
        ("document", Some(only)) if turns.is_empty() => sonometer::Interaction::document(&only.content),
        (modality, last) => {
            turns.extend(last);
            match modality {
                "audio" => sonometer::Interaction::audio(turns),
                _ => sonometer::Interaction::transcript(turns),
            }
        }
    };
    let mut inner = inner.map_err(Failure::from)?;
    if let Some(shares) = confidence {
        let shares = shares.into_iter().map(|share| share.map(Unit)).collect();
        inner = inner.with_confidence(shares).map_err(Failure::from)?;
    }
    Ok(Interaction { inner: label.map_or(inner.clone(), |label| inner.with_label(label)) })
}

/// A chat and, as JSON, what was found beside its turns.
#[pyfunction]
pub(crate) fn _read_messages(
    messages: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = argument::form)] form: Option<&str>,
) -> PyResult<(Interaction, String)> {
    let form = form.map(MessageForm::from_name).transpose().map_err(Failure::from)?;
    let json = match (messages.cast::<PyString>(), messages.cast::<PyBytes>()) {
        (Ok(json), _) => text(json, "messages")?.to_owned(),
        (_, Ok(json)) => utf8(json)?.to_owned(),
        _ => value::json(messages, "messages")?,
    };
    let read = Messages::read(&json, form).map_err(Failure::from)?;
    let told = read.to_json();
    Ok((Interaction { inner: read.interaction }, told))
}

fn utf8<'t>(bytes: &'t Bound<'_, PyBytes>) -> Outcome<&'t str> {
    std::str::from_utf8(bytes.as_bytes()).map_err(|error| {
        let message = format!("byte {} is not UTF-8", error.valid_up_to());
        Failure::invalid("", message, "give JSON in UTF-8")
    })
}

pub(crate) fn hash(interaction: &sonometer::Interaction, hasher: &mut DefaultHasher) {
    interaction.label().hash(hasher);
    for turn in interaction.turns() {
        (&turn.role, &turn.content, turn.timestamp).hash(hasher);
    }
}

/// An interaction from any object that is one, also from a cell of a table: an array of numpy, or a scalar of pyarrow.
pub(crate) fn interaction(value: &Bound<'_, PyAny>) -> Outcome<sonometer::Interaction> {
    if value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyDict>()
    {
        return of_object(value);
    }
    let plain = if value.hasattr("as_py")? {
        Some("as_py")
    } else if value.hasattr("__array_interface__")? && value.hasattr("tolist")? {
        Some("tolist")
    } else {
        None
    };
    match plain {
        Some(plain) => of_object(&value.call_method0(plain)?),
        None => of_object(value),
    }
}

fn of_object(value: &Bound<'_, PyAny>) -> Outcome<sonometer::Interaction> {
    if let Ok(content) = value.cast::<PyString>() {
        return Ok(sonometer::Interaction::text(text(content, "content")?)?);
    }
    if let Ok(interaction) = value.cast::<Interaction>() {
        return Ok(interaction.get().inner.clone());
    }
    if let Ok(extract) = value.cast::<Extract>() {
        return Ok(extract.get().read.interaction.clone());
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return transcript(value);
    }
    if value.is_instance_of::<PyDict>() || value.cast::<PyMapping>().is_ok() {
        let json = value::json(value, "")?;
        let read = sonometer::Interaction::from_json(&json);
        return read.map_err(|error| pointed(in_python(error).into(), || Ok(json)));
    }
    if is_model(value) {
        let message = format!("{} is not an interaction", kind_of(value));
        return Err(Failure::wrong_type("interaction", message, FROM_MESSAGES));
    }
    if is_missing(value) {
        let message = format!("{} is not an interaction: the value is missing", kind_of(value));
        let fix = "remove it (in pandas: `column.dropna()`), or give \"\" for an empty text";
        return Err(Failure::wrong_type("interaction", message, fix));
    }
    if value.is_instance_of::<PyBytes>() {
        let fix = "decode a text: data.decode(); read JSON: Interaction.from_json(data)";
        return Err(Failure::wrong_type("interaction", "bytes are not an interaction", fix));
    }
    let fix = if value.is_instance_of::<Reading>() {
        "give its `interaction`".to_owned()
    } else if value.hasattr("__fspath__")? || value.hasattr("read")? {
        "read a file by sonometer.extract(path), and measure what it gives".to_owned()
    } else if value.hasattr("__iter__")? {
        format!("{SHAPES}; for many interactions use `batch`")
    } else {
        SHAPES.to_owned()
    };
    Err(Failure::wrong_type("interaction", format!("{} is not an interaction", kind_of(value)), &fix))
}

fn from_json(value: &Bound<'_, PyAny>) -> Outcome<sonometer::Interaction> {
    if let Ok(json) = value.cast::<PyString>() {
        return Ok(sonometer::Interaction::from_json(text(json, "")?)?);
    }
    let Ok(bytes) = value.cast::<PyBytes>() else {
        let message = format!("{} is not JSON text", kind_of(value));
        return Err(Failure::wrong_type("", message, "give a str or bytes; a dict needs no from_json"));
    };
    Ok(sonometer::Interaction::from_json(utf8(bytes)?)?)
}

fn transcript(list: &Bound<'_, PyAny>) -> Outcome<sonometer::Interaction> {
    let mut turns = Vec::with_capacity(list.len()?);
    for (at, item) in list.try_iter()?.enumerate() {
        let turn = segment(&item?, &format!("segments[{at}]"));
        let turn = turn.map_err(|failure| pointed(failure, || value::json(list, "")));
        turns.push(turn?);
    }
    Ok(sonometer::Interaction::of_messages(turns)?)
}

/// A segment from a tuple, or from a message as a dict; none where nobody says anything.
pub(crate) fn segment(item: &Bound<'_, PyAny>, place: &str) -> Outcome<Option<Turn>> {
    if item.is_instance_of::<PyTuple>() || item.is_instance_of::<PyList>() {
        return turn(item, place).map(Some);
    }
    if item.is_instance_of::<PyDict>() || item.cast::<PyMapping>().is_ok() {
        return Ok(Turn::from_message(&value::json(item, place)?, place).map_err(in_python)?);
    }
    let message = format!("{} is not a segment", kind_of(item));
    if is_model(item) {
        return Err(Failure::wrong_type(place, message, FROM_MESSAGES));
    }
    let fix = match item.is_instance_of::<PyString>() {
        true => "give (role, content) for each turn; for many texts use `batch`",
        false => "give (role, content) or (role, content, seconds)",
    };
    Err(Failure::wrong_type(place, message, fix))
}

/// `(role, content)` or `(role, content, timestamp)`.
fn turn(item: &Bound<'_, PyAny>, place: &str) -> Outcome<Turn> {
    let count = item.len()?;
    if !(2..=3).contains(&count) {
        let message = format!("a segment of {count} parts");
        return Err(Failure::invalid(place, message, "give (role, content) or (role, content, seconds)"));
    }
    let part = |at: usize, name: &str| -> Outcome<Box<str>> {
        let (value, place) = (item.get_item(at)?, format!("{place}.{name}"));
        match value.cast::<PyString>() {
            Ok(value) => Ok(text(value, &place)?.into()),
            Err(_) => {
                let message = format!("the {name} is {}", kind_of(&value));
                Err(Failure::wrong_type(place, message, "give a str"))
            }
        }
    };
    let (role, content) = (part(0, "role")?, part(1, "content")?);
    let timestamp = match count {
        3 => Some(item.get_item(2)?).filter(|seconds| !seconds.is_none()),
        _ => None,
    };
    let timestamp = timestamp.map(|seconds| unit(&seconds, &format!("{place}.timestamp"), "the timestamp"));
    Ok(Turn { role: Some(role), content, timestamp: timestamp.transpose()? })
}

/// Whether an object is of the packages whose messages `from_messages` takes.
pub(crate) fn is_model(value: &Bound<'_, PyAny>) -> bool {
    !value.is_instance_of::<PyType>() && value.hasattr("model_dump").unwrap_or(false)
}

/// What is wrong with an object that is meant as a chat of another program, as `json` gives it: that it is read elsewhere.
pub(crate) fn pointed(failure: Failure, json: impl FnOnce() -> Outcome<String>) -> Failure {
    let Failure::Told(told) = &failure else { return failure };
    let Ok(json) = json() else { return failure };
    let (place, message) = (told.error.place.as_str(), told.error.message.as_str());
    let is_chat = match MessageForm::of(&json) {
        None => false,
        // A list of these is read here, too.
        Some(MessageForm::Chat) => {
            json.starts_with('{') && json.contains("\"role\"") && !place.starts_with("segments")
        }
        Some(_) => true,
    };
    if is_chat {
        // The advice for what is written here would mislead.
        return Failure::invalid(place, message.split("; ").next().unwrap_or_default(), FROM_MESSAGES);
    }
    match message.split_once("; the known keys are ") {
        Some((wrong, _)) if place.starts_with("segments[") => {
            let fix =
                "to skip keys of messages, read them by Interaction.from_messages(messages, form=\"openai\")";
            Failure::invalid(place, wrong, fix)
        }
        _ => failure,
    }
}

/// What the engine says of JSON, said of Python's objects: `null` is None there.
fn in_python(mut error: sonometer::Error) -> sonometer::Error {
    if let Some((key, rest)) = error.message.split_once("` is null, not a ") {
        error.message = format!("{key}` is None, not a {}", rest.replace("text in quotes", "str"));
    }
    error
}
