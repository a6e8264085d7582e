//! A recogniser of speech that is a callable of Python.

use crate::failure::{Failure, Outcome};
use crate::number::{float, kind_of};
use crate::value::{self, text};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString};
use sonometer_ingest::audio::{Recording, Transcriber, Transcript};
use sonometer_ingest::{Limits, ReadError, Reason};
use std::sync::{Mutex, PoisonError};

/// Called with a WAV file for each channel, in the thread of the caller.
pub(crate) struct Callable {
    called: Py<PyAny>,
    name: String,
    /// What it raised.
    raised: Mutex<Option<Failure>>,
}

impl Callable {
    pub(crate) fn new(called: &Bound<'_, PyAny>) -> PyResult<Self> {
        let name = match called.getattr_opt("__name__")?.map(|name| name.extract::<String>()) {
            Some(Ok(name)) => name,
            _ => called.get_type().name()?.to_string_lossy().into_owned(),
        };
        Ok(Self { called: called.clone().unbind(), name, raised: Mutex::new(None) })
    }

    /// What it raised, if it did.
    pub(crate) fn raised(&self) -> Option<Failure> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn ask(&self, py: Python<'_>, sound: &Recording<'_>) -> Outcome<Vec<u8>> {
        let named = PyDict::new(py);
        named.set_item("channel", sound.channel)?;
        named.set_item("seconds", float(sound.seconds))?;
        named.set_item("language", sound.language)?;
        let given = self.called.bind(py).call((sound.wav.as_os_str(),), Some(&named))?;
        if let Ok(given) = given.cast::<PyString>() {
            return Ok(text(given, "transcriber")?.as_bytes().to_vec());
        }
        if let Ok(given) = given.cast::<PyBytes>() {
            return Ok(given.as_bytes().to_vec());
        }
        if let Ok(given) = given.cast::<PyByteArray>() {
            return Ok(given.to_vec());
        }
        if given.is_instance_of::<PyDict>() {
            return Ok(value::json(&given, "transcriber")?.into_bytes());
        }
        let message = format!("`{}` gave {}", self.name, kind_of(&given));
        let fix = "give a transcript: a dict with `segments`, JSON, WebVTT or SubRip as str or bytes";
        Err(Failure::wrong_type("transcriber", message, fix))
    }
}

impl Transcriber for Callable {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn transcribe(&self, sound: &Recording<'_>, limits: &Limits) -> Result<Transcript, ReadError> {
        match Python::attach(|py| self.ask(py, sound)) {
            Ok(given) => Transcript::of_recogniser(&given, &format!("what `{}` gave", self.name), limits),
            Err(failure) => {
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                Err(ReadError::new(Reason::Transcriber, "", "the recogniser raised an exception"))
            }
        }
    }
}
