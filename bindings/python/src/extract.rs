//! `extract`: files as interactions.

use crate::argument;
use crate::extracted::Extract;
use crate::failure::{Failure, Outcome};
use crate::helper::Helper;
use crate::number::kind_of;
use crate::value::text;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMapping, PyString};
use sonometer::protocol::Modality;
use sonometer_ingest::{Hints, Ingested, Kind, Limits, Quoted, ReadError, Reason, apart};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often it is looked whether somebody pressed Ctrl-C.
const PULSE: Duration = Duration::from_millis(50);
/// As much as the main thread of a process has: the readers of documents go as deep as these are.
const STACK: usize = 8 << 20;

/// What the caller said.
pub(crate) struct Arguments<'py> {
    pub(crate) transcript: Option<Bound<'py, PyAny>>,
    pub(crate) transcriber: Option<Bound<'py, PyAny>>,
    pub(crate) transcriber_seconds: Option<u64>,
    pub(crate) speakers: Option<Bound<'py, PyAny>>,
    pub(crate) channels: Option<Bound<'py, PyAny>>,
    pub(crate) language: Option<String>,
    pub(crate) seconds: Option<u64>,
    pub(crate) memory_bytes: Option<u64>,
}

impl Arguments<'_> {
    /// What the process apart may use; `otherwise` where nothing is said.
    pub(crate) fn budget(&self, otherwise: apart::Budget) -> apart::Budget {
        apart::Budget {
            seconds: self.seconds.unwrap_or(otherwise.seconds),
            memory_bytes: self.memory_bytes.unwrap_or(otherwise.memory_bytes),
            ..otherwise
        }
    }

    /// An argument that is for recordings alone.
    fn unfit_for_others(&self) -> Option<&'static str> {
        [
            ("transcript", self.transcript.is_some()),
            ("transcriber", self.transcriber.is_some()),
            ("transcriber_seconds", self.transcriber_seconds.is_some()),
            ("speakers", self.speakers.is_some()),
            ("channels", self.channels.is_some()),
            ("language", self.language.is_some()),
        ]
        .into_iter()
        .find_map(|(name, is_given)| is_given.then_some(name))
    }
}

/// The bytes of a file, by whatever holds them.
pub(crate) enum Bytes<'py> {
    Python(Bound<'py, PyBytes>),
    /// A copy of what may change meanwhile.
    Own(Vec<u8>),
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Python(bytes) => bytes.as_bytes(),
            Self::Own(bytes) => bytes,
        }
    }
}

/// A file that was read.
pub(crate) struct File<'py> {
    pub(crate) bytes: Bytes<'py>,
    /// Its path; none of bytes.
    name: Option<String>,
}

impl<'py> File<'py> {
    /// From a path, by Python's own `open`, so that what goes wrong is the `OSError` that people know; or bytes as they are.
    pub(crate) fn open(value: &Bound<'py, PyAny>, place: &str) -> Outcome<Self> {
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(Self { bytes: Bytes::Python(bytes.clone()), name: None });
        }
        if let Ok(bytes) = value.cast::<PyByteArray>() {
            return Ok(Self { bytes: Bytes::Own(bytes.to_vec()), name: None });
        }
        // A number would be the file of that descriptor.
        if !value.is_instance_of::<PyString>() && !value.hasattr("__fspath__")? {
            let message = format!("{} is not a file", kind_of(value));
            return Err(Failure::wrong_type(place, message, "give a path, or the bytes of the file"));
        }
        let py = value.py();
        let path = py.import("os")?.call_method1("fspath", (value,))?;
        let file = py.import("io")?.call_method1("open", (&path, "rb"))?;
        // One more than is read of anything, so that what is larger is refused, and what never ends does end.
        let Limits { file_bytes, audio_bytes, .. } = Limits::default();
        let read = file.call_method1("read", (file_bytes.max(audio_bytes) + 1,));
        file.call_method0("close")?;
        let bytes = read?.cast_into::<PyBytes>().map_err(PyErr::from)?;
        let name = py.import("os")?.call_method1("fsdecode", (path,))?.str()?.to_string_lossy().into_owned();
        Ok(Self { bytes: Bytes::Python(bytes), name: Some(name) })
    }
}

fn word<T>(
    given: Option<&str>,
    place: &str,
    find: impl Fn(&str) -> Option<T>,
    words: &str,
) -> Outcome<Option<T>> {
    let unknown =
        |word: &str| Failure::invalid(place, format!("`{place}` is `{word}`"), &format!("give {words}"));
    given.map(|given| find(given).ok_or_else(|| unknown(given))).transpose()
}

/// Names in the file and the roles that they are.
fn roles(given: Option<&Bound<'_, PyAny>>) -> Outcome<Vec<(String, String)>> {
    const FIX: &str = "give a dict such as {\"Ann Lee\": \"agent\"}";
    let Some(given) = given else { return Ok(Vec::new()) };
    let Ok(mapping) = given.cast::<PyMapping>() else {
        return Err(Failure::wrong_type("roles", format!("the roles are {}", kind_of(given)), FIX));
    };
    let mut roles = Vec::new();
    for pair in mapping.items()?.try_iter()? {
        let (name, role) = pair?.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let word = |value: &Bound<'_, PyAny>, what: &str| -> Outcome<String> {
            let Ok(value) = value.cast::<PyString>() else {
                return Err(Failure::wrong_type("roles", format!("a {what} is {}", kind_of(value)), FIX));
            };
            match text(value, "roles")?.trim() {
                "" => Err(Failure::invalid("roles", format!("a {what} is empty"), FIX)),
                value => Ok(value.to_owned()),
            }
        };
        roles.push((word(&name, "name")?, word(&role, "role")?));
    }
    Ok(roles)
}

/// What a hint is called that does not fit interactions in JSON: nothing is accepted and ignored.
fn unfit_for_json(hints: &Hints) -> Option<&'static str> {
    [
        ("turns", hints.turns),
        ("column", hints.column.is_some()),
        ("sheet", hints.sheet.is_some()),
        ("quoted", hints.quoted != Quoted::Cut),
        ("roles", !hints.roles.is_empty()),
        ("modality", hints.modality.is_some()),
    ]
    .into_iter()
    .find_map(|(name, is_given)| is_given.then_some(name))
}

/// A panic of a reader is an error of the engine.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, ReadError>) -> Result<T, ReadError> {
    sonometer::batch::guarded(|| Ok(work())).unwrap_or_else(|error| Err(error.into()))
}

/// Works in a thread without the interpreter, while this one looks for signals: Ctrl-C ends what takes minutes.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T, ReadError> + Send,
) -> Outcome<T> {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
                let done = guarded(|| work(&stop));
                // Who waits for it also sees that it has ended.
                let _ = sender.send(());
                done
            });
            let worker = match worker {
                Ok(worker) => worker,
                Err(error) => {
                    let message = format!("no thread can be started: {error}");
                    return Err(ReadError::new(Reason::Internal, "", message).into());
                }
            };
            let mut raised = None;
            while receiver.recv_timeout(PULSE) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals())
                {
                    stop.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
            let panicked = |_| Err(ReadError::new(Reason::Internal, "", "the reader failed"));
            let done = worker.join().unwrap_or_else(panicked);
            match raised {
                Some(error) => Err(Failure::Python(error)),
                None => done.map_err(Failure::from),
            }
        })
    })
}

/// Reads a file of any kind that is known: a text, a document, a mail, a table, a chat, captions, a recording.
///
/// `source` is a path, or the bytes of the file; `name` is its name where there are only bytes, and `kind` says what it is, where
/// its content does not tell: text, json, turns, timed, vtt, srt, whatsapp, chat, speech, pdf, docx, odt, html, markdown, rtf, mail,
/// sheet, csv or audio. What comes out is sensed like any other interaction, and says where in the file everything stands:
///
/// >>> import sonometer
/// >>> talk = sonometer.extract(b"WEBVTT\n\n00:01.500 --> 00:04.000\n<v Ann>Thank you so much!\n", roles={"Ann": "agent"})
/// >>> talk.kind, talk.interaction.segments
/// ('vtt', (Segment(role='agent', content='Thank you so much!', timestamp=1.5),))
/// >>> found = sonometer.Sensor("courtesy@1.0").sense(talk).evidence[0]
/// >>> found.source, str(talk.place(found))
/// ('Thank you', '00:00:01.5')
///
/// `turns`: the document consists of lines such as `agent: Good morning.` `column`, `role_column`, `sheet`: which cells of a table
/// are what is said, and who says it. `quoted`: cut or keep what a mail quotes. `roles`: names in the file and the roles that they
/// are. `modality`: sense it as text, document or transcript.
///
/// The words of a recording are not in it: `transcript` is their file (WebVTT, SubRip, JSON) or its bytes, or `transcriber` hears
/// them: a command line with `{wav}`, "pocketsphinx", or a callable. It is called as `transcriber(wav, *, channel, seconds,
/// language)` for each channel, and gives a transcript: a dict with `segments` (`start`, `end`, `text`), or JSON, WebVTT or SubRip.
/// `channels` are the roles of the channels, or "mixed"; `speakers` is an RTTM file that says who speaks when.
///
/// Files are read in a process apart, which may take so many `seconds` (60; 600 for recordings) and `memory_bytes` (2 GiB); with
/// `apart=False`, for files that you trust, in this one.
///
/// >>> sonometer.extract(b"%PDF-1.7\n%broken")
/// Traceback (most recent call last):
///   ...
/// sonometer.errors.InvalidRequestError: the file is damaged ...
#[pyfunction]
#[pyo3(signature = (
    source, /, *, name = None, kind = None, turns = false, column = None, role_column = None, sheet = None, quoted = "cut",
    roles = None, modality = None, transcript = None, transcriber = None, transcriber_seconds = None, speakers = None,
    channels = None, language = None, apart = true, seconds = None, memory_bytes = None,
))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn extract<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = argument::name)] name: Option<String>,
    #[pyo3(from_py_with = argument::kind)] kind: Option<&str>,
    #[pyo3(from_py_with = argument::turns)] turns: bool,
    #[pyo3(from_py_with = argument::column)] column: Option<String>,
    #[pyo3(from_py_with = argument::role_column)] role_column: Option<String>,
    #[pyo3(from_py_with = argument::sheet)] sheet: Option<String>,
    #[pyo3(from_py_with = argument::quoted)] quoted: &str,
    roles: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = argument::modality)] modality: Option<&str>,
    transcript: Option<Bound<'py, PyAny>>,
    transcriber: Option<Bound<'py, PyAny>>,
    #[pyo3(from_py_with = argument::transcriber_seconds)] transcriber_seconds: Option<usize>,
    speakers: Option<Bound<'py, PyAny>>,
    channels: Option<Bound<'py, PyAny>>,
    #[pyo3(from_py_with = argument::language)] language: Option<String>,
    #[pyo3(from_py_with = argument::apart)] apart: bool,
    #[pyo3(from_py_with = argument::seconds)] seconds: Option<usize>,
    #[pyo3(from_py_with = argument::memory_bytes)] memory_bytes: Option<usize>,
) -> PyResult<Extract> {
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    let find_quoted = |word: &str| match word {
        "cut" => Some(Quoted::Cut),
        "keep" => Some(Quoted::Keep),
        _ => None,
    };
    let find_modality = |word: &str| Modality::from_name(word).filter(|found| *found != Modality::Audio);
    let hints = Hints {
        name,
        kind: word(kind, "kind", Kind::from_name, &kinds.join(", "))?,
        turns,
        column,
        role_column,
        sheet,
        quoted: word(Some(quoted), "quoted", find_quoted, "cut or keep")?.unwrap_or_default(),
        roles: self::roles(roles)?,
        modality: word(modality, "modality", find_modality, "text, document or transcript")?,
        builtin_pdf: false,
    };
    let arguments = Arguments {
        transcript,
        transcriber,
        transcriber_seconds: transcriber_seconds.map(|seconds| seconds as u64),
        speakers,
        channels,
        language,
        seconds: seconds.map(|seconds| seconds as u64),
        memory_bytes: memory_bytes.map(|bytes| bytes as u64),
    };
    let odd = [("seconds", seconds.is_some()), ("memory_bytes", memory_bytes.is_some())];
    if let (false, Some((name, _))) = (apart, odd.into_iter().find(|(_, is_given)| *is_given)) {
        let message = format!("`{name}` limits the separate process, but `apart` is False");
        return Err(Failure::invalid(name, message, "remove one of them").into());
    }
    Ok(Extract::new(read(py, source, hints, &arguments, apart)?))
}

fn read(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    mut hints: Hints,
    arguments: &Arguments<'_>,
    apart: bool,
) -> Outcome<Ingested> {
    let file = File::open(source, "source")?;
    hints.name = hints.name.or(file.name);
    let bytes = &*file.bytes;
    if bytes.trim_ascii().is_empty() {
        return Err(ReadError::new(Reason::NoText, "", "the file is empty; give one with text").into());
    }
    let kind = match hints.kind {
        Some(kind) => kind,
        None => guarded(|| py.detach(|| sonometer_ingest::sniff(bytes, hints.name.as_deref())))?,
    };
    hints.kind = Some(kind);
    if let (Kind::Json, Some(name)) = (kind, unfit_for_json(&hints)) {
        let message = format!("`{name}` does not apply to interactions in JSON");
        return Err(Failure::invalid(name, message, "remove it"));
    }
    if let (true, Some(name)) = (kind != Kind::Audio, arguments.unfit_for_others()) {
        let message = format!("`{name}` applies to recordings only, and this file is {}", kind.shown());
        return Err(Failure::invalid(name, message, "remove it"));
    }
    let budget = arguments.budget(apart::Budget::default());
    // What a few lines of our own read needs no process, unless somebody limits it.
    let is_limited = kind != Kind::Json && arguments.seconds.or(arguments.memory_bytes).is_some();
    let is_apart = apart && (kind.is_intricate() || is_limited);
    let helper = is_apart.then(|| Helper::find(py)).transpose()?;
    if let Some(helper) = &helper {
        py.detach(|| helper.tried())?;
    }
    #[cfg(feature = "audio")]
    if kind == Kind::Audio {
        return crate::sound::read(py, bytes, &hints, arguments, helper.as_ref());
    }
    watched(py, |stop| match &helper {
        Some(helper) => apart::read_unless(helper.command(), bytes, &hints, &budget, stop),
        None => sonometer_ingest::read(bytes, &hints),
    })
}
