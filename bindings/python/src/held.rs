//! What changes while it is used, and is used by one thread at a time: sessions and dives.

use crate::failure::{Failure, Outcome};
use pyo3::prelude::*;
use sonometer::Error;
use sonometer::batch::guarded;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Between two looks at something that another thread works with. A lock to wait for would stay locked for ever in a process
/// forked at that moment.
const PAUSE: Duration = Duration::from_micros(200);

/// A value that a caller takes out to work with, and puts back.
pub(crate) struct Held<T> {
    /// Locked only with the interpreter attached and never for longer than a move, so that nobody waits for it, and no
    /// process that forks finds it locked.
    state: Mutex<State<T>>,
    words: &'static Words,
}

struct State<T> {
    /// None while somebody works with it, and when nothing is left of it.
    thing: Option<T>,
    /// The process in which somebody works with it.
    by: Option<u32>,
}

/// What is said when it cannot be had, each with what to do.
pub(crate) struct Words {
    pub(crate) gone: [&'static str; 2],
    pub(crate) left_behind: [&'static str; 2],
}

impl Words {
    fn say([message, fix]: [&'static str; 2]) -> Failure {
        Failure::invalid("", message, fix)
    }
}

impl<T: Send> Held<T> {
    pub(crate) fn new(thing: T, words: &'static Words) -> Self {
        Self { state: Mutex::new(State { thing: Some(thing), by: None }), words }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes it; where another thread works with it, waits for it without keeping the interpreter from it.
    fn take(&self, py: Python<'_>) -> Outcome<T> {
        loop {
            let mut state = self.state();
            match state.by {
                None => {
                    let thing = state.thing.take().ok_or_else(|| Words::say(self.words.gone))?;
                    state.by = Some(std::process::id());
                    return Ok(thing);
                }
                // The thread that has it went on in the process before the fork, and never comes here.
                Some(process) if process != std::process::id() => {
                    return Err(Words::say(self.words.left_behind));
                }
                Some(_) => {}
            }
            drop(state);
            py.detach(|| std::thread::sleep(PAUSE));
            py.check_signals()?;
        }
    }

    fn put_back(&self, thing: Option<T>) {
        *self.state() = State { thing, by: None };
    }

    /// Works with it, without the interpreter if `detached`. `work` says what is left of it; a panic leaves nothing, for it
    /// may be half done.
    pub(crate) fn using<R: Send>(
        &self,
        py: Python<'_>,
        detached: bool,
        work: impl FnOnce(T) -> (Result<R, Error>, Option<T>) + Send,
    ) -> Outcome<R> {
        let thing = self.take(py)?;
        let work = || guarded(|| Ok(work(thing)));
        match if detached { py.detach(work) } else { work() } {
            Ok((outcome, left)) => {
                self.put_back(left);
                Ok(outcome?)
            }
            Err(error) => {
                self.put_back(None);
                Err(error.into())
            }
        }
    }

    /// Works with it, and it goes on.
    pub(crate) fn with<R: Send>(
        &self,
        py: Python<'_>,
        detached: bool,
        work: impl FnOnce(&mut T) -> Result<R, Error> + Send,
    ) -> Outcome<R> {
        self.using(py, detached, |mut thing| {
            let outcome = work(&mut thing);
            (outcome, Some(thing))
        })
    }
}
