//! Requests to language models and their answers: `ModelGuard`, a policy made ready, and `Exchange`, one request and its answer.
//!
//! Nothing here reads a request: `sonometer-guard` does. What is refused is no exception but an answer in the form of the provider, so
//! that the packages of providers raise their own.

use crate::argument;
use crate::failure::{Failure, Outcome};
use crate::held::{Held, Words};
use crate::source::Source;
use crate::target::Target;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use sonometer::Instrument;
use sonometer_guard::{Blocked, Form, Guard, Kind, Policy, Report, Route, Stream, Tables, Unknown};
use std::collections::HashMap;
use std::sync::Arc;

/// So many bytes are worth letting other threads run.
const WORTH_DETACHING: usize = 2 << 10;
const WORDS: Words = Words {
    gone: ["the engine failed in this exchange", "send the request again"],
    left_behind: [
        "another thread was using the exchange when this process was forked",
        "send the request again in the new process",
    ],
};

/// A policy for what goes to language models and comes from them, compiled once: immutable, shared freely between threads.
///
/// `sonometer.guarding.open_guard` makes one. `policy` is JSON with the keys of `[guard]` in `docs/proxy.md`; `targets` has what its
/// rules name, unless the catalogue or a file has it.
///
/// >>> from sonometer import ModelGuard
/// >>> guard = ModelGuard('{"rules": [{"action": "mask", "target": "personal-data"}], "placeholders": true}')
/// >>> exchange = guard.request("POST", "/v1/chat/completions", b'{"messages":[{"role":"user","content":"I am ann@example.org"}]}')
/// >>> exchange.body
/// b'{"messages":[{"role":"user","content":"I am <EMAIL_ADDRESS_1>"}]}'
/// >>> exchange.response(200, b'{"choices":[{"message":{"role":"assistant","content":"Hello <EMAIL_ADDRESS_1>"}}]}')
/// (200, b'{"choices":[{"message":{"role":"assistant","content":"Hello ann@example.org"}}]}')
#[pyclass(frozen, name = "ModelGuard", module = "sonometer")]
pub(crate) struct ModelGuard {
    guard: Guard,
    /// Of conversations that go on by `previous_response_id`.
    tables: Arc<Tables>,
}

/// One request that was read and masked, and what its answer needs. Made by `ModelGuard.request`.
///
/// An answer is given either as a whole to `response`, or bit by bit to `feed` and then `finish`.
#[pyclass(frozen, name = "Exchange", module = "sonometer")]
pub(crate) struct Exchange {
    form: Form,
    digest: String,
    body: Py<PyBytes>,
    is_stream: bool,
    guards_answers: bool,
    tables: Arc<Tables>,
    held: Held<Live>,
}

/// What is left to do.
struct Live {
    state: State,
    blocked: Option<Blocked>,
}

enum State {
    /// The answer has not begun, or came as a whole.
    Asked(Box<sonometer_guard::Exchange>),
    Coming(Box<Stream>),
    /// The request was refused.
    Refused(Report),
}

#[pymethods]
impl ModelGuard {
    #[new]
    #[pyo3(signature = (policy, /, targets = None))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = argument::policy)] policy: &str,
        #[pyo3(from_py_with = argument::targets)] targets: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let read: Policy = serde_json::from_str(policy).map_err(|error| {
            let fix = "its keys are those of `[guard]` in docs/proxy.md";
            // The JSON is one line that nobody has written.
            let told = error.to_string();
            Failure::invalid("policy", told.split(" at line 1 column ").next().unwrap_or_default(), fix)
        })?;
        let mut found: HashMap<String, Instrument> = HashMap::new();
        for (at, rule) in read.rules.iter().enumerate() {
            if !found.contains_key(&rule.target) {
                let instrument = instrument(py, &rule.target, targets);
                let instrument = instrument.map_err(|failure| failure.within(&format!("rules[{at}]")))?;
                found.insert(rule.target.clone(), instrument);
            }
        }
        let find = |name: &str| {
            let known = found.get(name).cloned();
            known.ok_or_else(|| sonometer::Error::invalid("target", format!("`{name}` was not loaded")))
        };
        let guard = py.detach(|| Guard::new(&read, find)).map_err(Failure::from)?;
        Ok(Self { guard, tables: Arc::default() })
    }

    /// The policy as JSON, with every key.
    #[getter]
    fn policy(&self) -> String {
        serde_json::to_string(self.guard.policy()).unwrap_or_default()
    }

    /// Sixteen hexadecimal digits that differ where the policy or one of its protocols differs.
    #[getter]
    fn digest(&self) -> &str {
        self.guard.digest()
    }

    /// The form of a request by its method and path: `chat`, `responses`, `completions`, `embeddings` or `messages`; None for a
    /// request that passes unread.
    #[pyo3(signature = (method, path, /))]
    fn route(
        &self,
        #[pyo3(from_py_with = argument::method)] method: &str,
        #[pyo3(from_py_with = argument::path)] path: &str,
    ) -> Option<&'static str> {
        self.form(method, path).map(|(form, _)| form.as_str())
    }

    /// Reads and masks a request; None for one that passes unread. Look at `blocked` of what comes back before you send it.
    #[pyo3(signature = (method, path, body, /))]
    fn request(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::method)] method: &str,
        #[pyo3(from_py_with = argument::path)] path: &str,
        #[pyo3(from_py_with = argument::body)] body: &Bound<'_, PyBytes>,
    ) -> PyResult<Option<Exchange>> {
        let bytes = body.as_bytes();
        // The provider might read the body of a method that needs none, such as DELETE.
        let unread =
            || self.form("POST", path).filter(|_| !bytes.is_empty()).map(|(form, _)| (form, Way::Unread));
        let Some((form, way)) = self.form(method, path).or_else(unread) else { return Ok(None) };
        let read = || match way {
            Way::Read => self.guard.request_kept(&self.tables, form, bytes),
            Way::Stored => self.guard.stored_kept(&self.tables, form, path, bytes),
            Way::Refused => {
                let message = "this route gives or takes conversations that the guard does not read; set `unknown` to `pass` to let it through";
                Err(refused(Kind::Unknown, message.to_owned(), false))
            }
            Way::Unread => {
                let message =
                    format!("`{method}` with a body, which the guard does not read; send it without one");
                Err(refused(Kind::Unreadable, message, false))
            }
        };
        let outcome = if bytes.len() < WORTH_DETACHING { guarded(read) } else { py.detach(|| guarded(read)) };
        let digest = self.guard.digest().to_owned();
        let live = |state, blocked| Held::new(Live { state, blocked }, &WORDS);
        let tables = Arc::clone(&self.tables);
        Ok(Some(match outcome? {
            Ok(mut exchange) => Exchange {
                form,
                digest,
                // What was not changed is the same object.
                body: match exchange.take_body() {
                    same if same == bytes => body.clone().unbind(),
                    masked => PyBytes::new(py, &masked).unbind(),
                },
                is_stream: exchange.is_stream(),
                guards_answers: exchange.guards_answers(),
                tables,
                held: live(State::Asked(Box::new(exchange)), None),
            },
            Err(blocked) => Exchange {
                form,
                digest,
                body: PyBytes::new(py, b"").unbind(),
                is_stream: false,
                guards_answers: true,
                tables,
                held: live(State::Refused(Report::default()), Some(blocked)),
            },
        }))
    }

    fn __repr__(&self) -> String {
        format!("<ModelGuard {}>", self.guard.digest())
    }

    /// Copies are the same object: it cannot change.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }
}

/// What is done with a request that is not open.
enum Way {
    Read,
    /// It asks for a stored answer.
    Stored,
    /// It gives or takes conversations in a form that is not read.
    Refused,
    /// Its method needs no body, and it has one.
    Unread,
}

impl ModelGuard {
    /// The form of a request that is not open, and what is done with it.
    fn form(&self, method: &str, path: &str) -> Option<(Form, Way)> {
        match Route::of(method, path) {
            Route::Guarded(form) => Some((form, Way::Read)),
            Route::Stored(form) => Some((form, Way::Stored)),
            Route::Apart(form) if self.guard.policy().unknown != Unknown::Pass => Some((form, Way::Refused)),
            Route::Apart(_) | Route::Open => None,
        }
    }
}

#[pymethods]
impl Exchange {
    /// The form of both: `chat`, `responses`, `completions`, `embeddings` or `messages`.
    #[getter]
    fn form(&self) -> &'static str {
        self.form.as_str()
    }

    /// The body as it is to be sent; empty if the request was refused.
    #[getter]
    fn body(&self, py: Python<'_>) -> Py<PyBytes> {
        self.body.clone_ref(py)
    }

    /// Whether the request asks for a stream.
    #[getter]
    fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// Whether the answer has to be read at all.
    #[getter]
    fn guards_answers(&self) -> bool {
        self.guards_answers
    }

    /// Why the request or the answer was refused: its kind and a message without any text of it; None if it was not.
    #[getter]
    fn blocked(&self, py: Python<'_>) -> PyResult<Option<(&'static str, String)>> {
        Ok(self.held.with(py, false, |live| {
            Ok(live.blocked.as_ref().map(|blocked| (blocked.kind.as_str(), blocked.message.clone())))
        })?)
    }

    /// Status and body of what was refused, in the form of the provider; None if nothing was.
    #[getter]
    fn refusal(&self, py: Python<'_>) -> PyResult<Option<(u16, Py<PyBytes>)>> {
        let form = self.form;
        let answer = self
            .held
            .with(py, false, |live| Ok(live.blocked.as_ref().map(|blocked| blocked.answer(form))))?;
        Ok(answer.map(|(status, body)| (status, PyBytes::new(py, &body).unbind())))
    }

    /// Refuses the request or the answer for a reason that only the caller sees: `kind` is `unreadable`, `unknown_type`, `too_large` or
    /// `cut`.
    #[pyo3(signature = (kind, message, /, *, is_answer = true))]
    fn refuse(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::kind)] kind: &str,
        #[pyo3(from_py_with = argument::message)] message: String,
        #[pyo3(from_py_with = argument::is_answer)] is_answer: bool,
    ) -> PyResult<(u16, Py<PyBytes>)> {
        let Some(kind) = Kind::ALL.into_iter().find(|known| known.as_str() == kind) else {
            let fix = "write unreadable, unknown_type, too_large or cut";
            return Err(Failure::invalid("kind", "there is no such kind of refusal", fix).into());
        };
        let blocked = refused(kind, message, is_answer);
        let (status, body) = blocked.answer(self.form);
        self.held.with(py, false, |live| {
            live.blocked = Some(blocked);
            Ok(())
        })?;
        Ok((status, PyBytes::new(py, &body).unbind()))
    }

    /// A whole answer: its status and body as they may be shown. A refusal is an answer of the same shape; see `blocked`.
    #[pyo3(signature = (status, body, /))]
    fn response(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::status)] status: u16,
        #[pyo3(from_py_with = argument::body)] body: &Bound<'_, PyBytes>,
    ) -> PyResult<(u16, Py<PyBytes>)> {
        let (form, bytes) = (self.form, body.as_bytes());
        let shown = self.held.with(py, bytes.len() >= WORTH_DETACHING, |live| {
            if let Some(blocked) = &live.blocked {
                return Ok(blocked.answer(form));
            }
            let outcome = match &mut live.state {
                State::Asked(exchange) => exchange.response(status, bytes),
                State::Coming(_) | State::Refused(_) => {
                    Err(refused(Kind::Unreadable, "a whole answer after a stream".to_owned(), true))
                }
            };
            live.keep(&self.tables);
            Ok(match outcome {
                Ok(shown) => (status, shown),
                Err(blocked) => live.block(blocked).answer(form),
            })
        })?;
        let body = if shown.1 == bytes { body.clone() } else { PyBytes::new(py, &shown.1) };
        Ok((shown.0, body.unbind()))
    }

    /// The next bytes of an answer that streams, cut anywhere: what may be shown of it so far. Where it is refused, an error event of
    /// the provider is the last that comes out; see `is_over`.
    #[pyo3(signature = (bytes, /))]
    fn feed(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::bytes)] bytes: &Bound<'_, PyBytes>,
    ) -> PyResult<Py<PyBytes>> {
        let (form, taken) = (self.form, bytes.as_bytes());
        self.advance(py, taken.len() >= WORTH_DETACHING, |live, out| {
            live.advance(form, out, |stream, out| stream.push(taken, out));
        })
    }

    /// Ends an answer that streams: the rest of it. One that ends before it is complete is refused.
    fn finish(&self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        let form = self.form;
        self.advance(py, false, |live, out| live.advance(form, out, Stream::finish))
    }

    /// Whether nothing more will come out of the stream.
    #[getter]
    fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.held.with(py, false, |live| {
            let is_over = matches!(&live.state, State::Coming(stream) if stream.is_over());
            Ok(live.blocked.is_some() || is_over)
        })?)
    }

    /// What was done so far, as headers: the digest of the policy, counts, tags and scores; never text.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut headers = self.held.with(py, false, |live| Ok(live.report().headers()))?;
        headers.push(("x-sonometer-guard", self.digest.clone()));
        PyTuple::new(py, headers)
    }

    /// What was done so far: counts by name.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = self.held.with(py, false, |live| Ok(live.report().clone()))?;
        let counts = PyDict::new(py);
        for (name, count) in [
            ("masked_request", report.masked_request),
            ("masked_answer", report.masked_answer),
            ("restored", report.restored),
            ("unknown", report.unknown),
            ("ended", report.ended),
        ] {
            counts.set_item(name, count)?;
        }
        Ok(counts)
    }

    fn __repr__(&self) -> String {
        format!("<Exchange {}>", self.form.as_str())
    }
}

impl Exchange {
    fn advance(
        &self,
        py: Python<'_>,
        is_detached: bool,
        work: impl FnOnce(&mut Live, &mut Vec<u8>) + Send,
    ) -> PyResult<Py<PyBytes>> {
        let out = self.held.with(py, is_detached, |live| {
            let mut out = Vec::new();
            work(live, &mut out);
            live.keep(&self.tables);
            Ok(out)
        })?;
        Ok(PyBytes::new(py, &out).unbind())
    }
}

impl Live {
    fn report(&self) -> &Report {
        match &self.state {
            State::Asked(exchange) => exchange.report(),
            State::Coming(stream) => stream.report(),
            State::Refused(report) => report,
        }
    }

    /// Keeps the table of the conversation as soon as its answer has an id, or a sealed summary.
    fn keep(&self, tables: &Tables) {
        match &self.state {
            State::Asked(exchange) => tables.keep(exchange),
            State::Coming(stream) => tables.keep_of(stream),
            State::Refused(_) => false,
        };
    }

    fn block(&mut self, blocked: Blocked) -> &Blocked {
        self.blocked.insert(blocked)
    }

    /// Goes on with a stream; after a refusal nothing comes out.
    fn advance(
        &mut self,
        form: Form,
        out: &mut Vec<u8>,
        step: impl FnOnce(&mut Stream, &mut Vec<u8>) -> Result<(), Blocked>,
    ) {
        if self.blocked.is_some() {
            return;
        }
        let state = std::mem::replace(&mut self.state, State::Refused(Report::default()));
        let mut stream = match state {
            State::Asked(exchange) => Box::new(exchange.stream()),
            State::Coming(stream) => stream,
            State::Refused(report) => {
                self.state = State::Refused(report);
                return;
            }
        };
        if let Err(blocked) = step(&mut stream, out) {
            out.extend_from_slice(&self.block(blocked).event(form));
        }
        self.state = State::Coming(stream);
    }
}

/// What a rule names: one of the given objects, or whatever the catalogue or a file has by that name.
fn instrument(py: Python<'_>, name: &str, targets: Option<&Bound<'_, PyDict>>) -> Outcome<Instrument> {
    if let Some(given) = targets.map(|targets| targets.get_item(name)).transpose()?.flatten() {
        let target = given.cast::<Target>().map_err(PyErr::from)?;
        return Ok(target.get().instrument.clone());
    }
    let source = Source::find(PyString::new(py, name).as_any(), None)?;
    Ok(Target::of(&source, None, None, true)?.instrument)
}

/// A panic of the engine is an error, so that nothing is sent or shown.
fn guarded<T>(work: impl FnOnce() -> T) -> Outcome<T> {
    Ok(sonometer::batch::guarded(|| Ok(work()))?)
}

fn refused(kind: Kind, message: String, is_answer: bool) -> Blocked {
    Blocked { kind, message, is_answer }
}
