//! How a caller sees work go on, and stops it.

use crate::Error;
use std::ops::ControlFlow;

/// How far some work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is done: `sensing`, `comparing` (which texts are alike), `counting`, `fitting`, `measuring`.
    pub work: &'static str,
    /// Steps that are done.
    pub done: usize,
    /// All steps of this work.
    pub of: usize,
}

/// Called again and again while work goes on, on the thread that asked for it; [`ControlFlow::Break`] stops the work with
/// [`Error::Stopped`]. Each kind of work begins again at 0.
pub type Watch<'w> = &'w mut dyn FnMut(Progress) -> ControlFlow<()>;

/// A watch that never stops anything.
pub fn unwatched(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// One kind of work under a watch.
pub(crate) struct Steps<'w> {
    watch: Watch<'w>,
    progress: Progress,
}

impl<'w> Steps<'w> {
    /// So many steps of `work`, of which none is done.
    pub(crate) fn new(watch: Watch<'w>, work: &'static str, of: usize) -> Self {
        Self { watch, progress: Progress { work, done: 0, of } }
    }

    /// Some steps more; 0: the work goes on.
    pub(crate) fn advance(&mut self, steps: usize) -> Result<(), Error> {
        self.progress.done += steps;
        match (self.watch)(self.progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Stopped),
        }
    }
}
