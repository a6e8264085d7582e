//! What is made when it is first asked for, and kept.

use pyo3::prelude::*;
use std::sync::OnceLock;

/// An object that is made once.
///
/// PyO3's own `PyOnceLock` lets go of the interpreter and takes it back while it stores what was made, which takes as long as making an
/// array. Here nothing of Python runs while the lock is held, so nobody who waits for it waits for the interpreter. Where two threads
/// make it at the same time, both get what the first of them has stored.
pub(crate) struct Once<T>(OnceLock<Py<T>>);

impl<T> Once<T> {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    pub(crate) fn get<'py>(
        &self,
        py: Python<'py>,
        make: impl FnOnce() -> PyResult<Bound<'py, T>>,
    ) -> PyResult<&Bound<'py, T>> {
        let kept = match self.0.get() {
            Some(kept) => kept,
            None => {
                let made = make()?.unbind();
                self.0.get_or_init(|| made)
            }
        };
        Ok(kept.bind(py))
    }
}
