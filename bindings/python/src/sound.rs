//! Recordings: where their words come from.

use crate::extract::{Arguments, Bytes, File, watched};
use crate::failure::{Failure, Outcome};
use crate::hearing::Callable;
use crate::helper::Helper;
use crate::number::kind_of;
use crate::value::text;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use sonometer_ingest::audio::{self, Channels, External, PocketSphinx, Request, Transcriber, Words};
use sonometer_ingest::{Hints, Ingested, ReadError, Reason};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// What hears words.
enum Hearer {
    /// A transcript is there already.
    Nobody,
    /// A program.
    Program(Box<dyn Transcriber + Send + Sync>),
    /// A callable of Python.
    Called(Callable),
}

impl Hearer {
    fn read(arguments: &Arguments<'_>) -> Outcome<Self> {
        let seconds = arguments.transcriber_seconds;
        let Some(given) = &arguments.transcriber else { return Ok(Self::Nobody) };
        if let Ok(line) = given.cast::<PyString>() {
            return Ok(Self::Program(match (text(line, "transcriber")?, seconds) {
                ("pocketsphinx", Some(seconds)) => Box::new(PocketSphinx::new(None).within(seconds)),
                ("pocketsphinx", None) => Box::new(PocketSphinx::new(None)),
                (line, Some(seconds)) => Box::new(External::new(line)?.within(seconds)),
                (line, None) => Box::new(External::new(line)?),
            }));
        }
        if !given.is_callable() {
            let message = format!("the transcriber is {}", kind_of(given));
            let fix = "give a command line with `{wav}`, \"pocketsphinx\", or a callable";
            return Err(Failure::wrong_type("transcriber", message, fix));
        }
        match seconds {
            Some(_) => {
                let message = "it applies to programs; a callable cannot be stopped from outside";
                Err(Failure::invalid("transcriber_seconds", message.to_owned(), "remove it"))
            }
            None => Ok(Self::Called(Callable::new(given)?)),
        }
    }
}

fn channels(given: Option<&Bound<'_, PyAny>>) -> Outcome<Channels> {
    const FIX: &str = "give the roles in their order, such as [\"agent\", \"customer\"], or \"mixed\"";
    let Some(given) = given else { return Ok(Channels::Auto) };
    if let Ok(word) = given.cast::<PyString>() {
        return match text(word, "channels")? {
            "mixed" => Ok(Channels::Mixed),
            other => Err(Failure::invalid("channels", format!("`{other}` is not a list of roles"), FIX)),
        };
    }
    if !given.is_instance_of::<PyList>() && !given.is_instance_of::<PyTuple>() {
        let message = format!("the channels are {}", kind_of(given));
        return Err(Failure::wrong_type("channels", message, FIX));
    }
    let mut roles = Vec::new();
    for (at, role) in given.try_iter()?.enumerate() {
        let (role, place) = (role?, format!("channels[{at}]"));
        let Ok(role) = role.cast::<PyString>() else {
            return Err(Failure::wrong_type(place, format!("a role is {}", kind_of(&role)), "give a str"));
        };
        let role = text(role, &place)?.trim();
        if role.is_empty() {
            return Err(Failure::invalid(place, "a role is missing", FIX));
        }
        roles.push(role.to_owned());
    }
    match roles.is_empty() {
        true => Err(Failure::invalid("channels", "the list of channels is empty", FIX)),
        false => Ok(Channels::Named(roles)),
    }
}

/// The bytes of a file beside the recording.
fn beside<'py>(given: Option<&Bound<'py, PyAny>>, place: &str) -> Outcome<Option<Bytes<'py>>> {
    given.map(|given| Ok(File::open(given, place)?.bytes)).transpose()
}

/// Reads a recording; `helper` starts the process that decodes it.
pub(crate) fn read(
    py: Python<'_>,
    bytes: &[u8],
    hints: &Hints,
    arguments: &Arguments<'_>,
    helper: Option<&Helper>,
) -> Outcome<Ingested> {
    let hearer = Hearer::read(arguments)?;
    let channels = channels(arguments.channels.as_ref())?;
    let given = beside(arguments.transcript.as_ref(), "transcript")?;
    let speakers = beside(arguments.speakers.as_ref(), "speakers")?;
    let (given, speakers) = (given.as_deref(), speakers.as_deref());
    if matches!(hearer, Hearer::Nobody) {
        let odd = [
            ("language", arguments.language.is_some()),
            ("transcriber_seconds", arguments.transcriber_seconds.is_some()),
        ];
        if let Some((name, _)) = odd.into_iter().find(|(_, is_given)| *is_given) {
            let message = format!("`{name}` needs a `transcriber`, but none is given");
            return Err(Failure::invalid(name, message, "remove it"));
        }
    }
    let words = match (given, &hearer) {
        (Some(_), Hearer::Program(_) | Hearer::Called(_)) => {
            let message = "`transcript` and `transcriber` are both given";
            return Err(Failure::invalid("transcriber", message, "give one of them"));
        }
        (Some(given), Hearer::Nobody) => Some(given),
        (None, Hearer::Nobody) => {
            let message = "the file is a sound recording, which needs its words; give `transcript=` (a path or bytes of \
                           WebVTT, SubRip or JSON) or `transcriber=` (a command line with `{wav}`, \"pocketsphinx\", a callable)";
            return Err(ReadError::new(Reason::Unsupported, "", message).into());
        }
        (None, _) => None,
    };
    let budget = arguments.budget(audio::Request::new(Words::Given(b"")).budget);
    let language = arguments.language.as_deref();
    let ask = |words: Words<'_>, stop: &AtomicBool| {
        let start = |helper: &Helper| helper.command();
        let start: Option<Box<dyn Fn() -> Command>> = match helper {
            Some(helper) => Some(Box::new(move || start(helper))),
            None => None,
        };
        let request = Request {
            channels: &channels,
            speakers,
            language,
            helper: start.as_deref(),
            budget,
            stop: Some(stop),
            ..Request::new(words)
        };
        audio::read(bytes, hints, &request)
    };
    match (words, &hearer) {
        // A callable is called in the thread that asks, as Python people expect.
        (None, Hearer::Called(callable)) => {
            let read = crate::extract::guarded(|| {
                py.detach(|| ask(Words::Heard(callable), &AtomicBool::new(false)))
            });
            match callable.raised() {
                Some(failure) => Err(failure),
                None => Ok(read?),
            }
        }
        (None, Hearer::Program(program)) => watched(py, |stop| ask(Words::Heard(&**program), stop)),
        (words, _) => watched(py, |stop| ask(Words::Given(words.unwrap_or_default()), stop)),
    }
}
