//! An interaction that comes in bit by bit, as JavaScript holds it.

use crate::ask::{Ask, in_options};
use crate::trouble::thrown;
use sonometer::{Error, Instrument, OffsetUnit, Session, SessionOptions, Step, Turn, Unit};
use wasm_bindgen::prelude::*;

/// One session. Its methods give steps as the engine's JSON.
#[wasm_bindgen(skip_typescript)]
pub struct Stream {
    /// `None` when it is finished.
    session: Option<Session>,
    ask: Ask,
}

#[wasm_bindgen]
impl Stream {
    /// Takes more of the text, or of the open segment.
    ///
    /// # Errors
    /// Those of [`Session::push`].
    pub fn push(&mut self, text: &str) -> Result<String, JsValue> {
        self.step(|session| session.push(text.as_bytes()))
    }

    /// The same from bytes, which may end within a character.
    ///
    /// # Errors
    /// Those of [`Session::push`].
    #[wasm_bindgen(js_name = pushBytes)]
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<String, JsValue> {
        self.step(|session| session.push(bytes))
    }

    /// Begins a segment.
    ///
    /// # Errors
    /// Those of [`Session::begin_segment`], and a `timestamp` that is no number.
    #[wasm_bindgen(js_name = beginSegment)]
    pub fn begin_segment(&mut self, role: &str, timestamp: Option<String>) -> Result<String, JsValue> {
        self.step(|session| {
            let time = seconds(timestamp)?;
            session.begin_segment(role, time)
        })
    }

    /// Takes a whole segment: a message as JSON. One in which nobody says anything changes nothing.
    ///
    /// # Errors
    /// Those of [`Turn::from_message`] and [`Session::push_segment`].
    #[wasm_bindgen(js_name = pushSegment)]
    pub fn push_segment(&mut self, message: &str) -> Result<String, JsValue> {
        self.step(|session| match Turn::from_message(message, "segment")? {
            Some(turn) => session.push_segment(turn),
            None => session.skip(),
        })
    }

    /// Nothing comes.
    ///
    /// # Errors
    /// Those of [`Session::skip`].
    pub fn skip(&mut self) -> Result<String, JsValue> {
        self.step(|session| session.skip())
    }

    /// Nothing more comes.
    ///
    /// # Errors
    /// Those of [`Session::end`].
    pub fn end(&mut self) -> Result<String, JsValue> {
        self.step(|session| session.end())
    }

    /// The canonical JSON of the reading as if the interaction ended here.
    ///
    /// # Errors
    /// Those of [`Session::so_far`].
    #[wasm_bindgen(js_name = soFar)]
    pub fn so_far(&mut self) -> Result<String, JsValue> {
        let view = self.ask.view();
        let session = self.session.as_ref().ok_or_else(finished).map_err(thrown)?;
        session.so_far().map(|reading| reading.to_json(view)).map_err(|error| thrown(in_options(error)))
    }

    /// The canonical JSON of the reading of all that came in. The session is over, unless this is an error.
    ///
    /// # Errors
    /// Those of [`Session::finish`].
    pub fn finish(&mut self) -> Result<String, JsValue> {
        let json = self.so_far()?;
        self.session = None;
        Ok(json)
    }
}

impl Stream {
    pub(crate) fn new(instrument: &Instrument, ask: Ask, release: bool) -> Self {
        let unit = ask.view().offsets.unwrap_or(OffsetUnit::Utf16);
        let options = SessionOptions { sense: ask.options, unit, release };
        Self { session: Some(instrument.session(options)), ask }
    }

    fn step(&mut self, work: impl FnOnce(&mut Session) -> Result<Step, Error>) -> Result<String, JsValue> {
        let session = self.session.as_mut().ok_or_else(finished).map_err(thrown)?;
        work(session).map(|step| step.to_json()).map_err(|error| thrown(in_options(error)))
    }
}

fn finished() -> Error {
    Error::invalid("", "the session has ended; start a new one")
}

fn seconds(text: Option<String>) -> Result<Option<Unit>, Error> {
    let Some(text) = text else { return Ok(None) };
    match Unit::parse(&text) {
        Some(seconds) => Ok(Some(seconds)),
        None => Err(Error::invalid("timestamp", format!("`{text}` is not a number of seconds within 9e12"))),
    }
}
