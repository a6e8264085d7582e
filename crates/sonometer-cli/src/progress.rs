//! A bar on standard error for work that takes its time; nothing where that is no terminal.

use crate::bar::bar;
use crate::paint::{BOLD, Paint};
use sonometer::Unit;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Work of which so many steps are done. Threads share it.
#[derive(Debug)]
pub(crate) struct Progress {
    what: &'static str,
    steps: usize,
    done: AtomicUsize,
    shown: bool,
}

impl Progress {
    pub(crate) fn new(what: &'static str, steps: usize) -> Self {
        Self { what, steps, done: AtomicUsize::new(0), shown: steps > 0 && io::stderr().is_terminal() }
    }

    /// Some steps more; drawn where that is a further hundredth of the work.
    pub(crate) fn advance(&self, steps: usize) {
        let before = self.done.fetch_add(steps, Ordering::Relaxed);
        let now = before + steps;
        if self.shown && before * 100 / self.steps < now * 100 / self.steps {
            let share = Unit::ratio(now as i128, self.steps as i128);
            let bar = bar(&Paint { colour: false, width: 80 }, share, BOLD);
            // Nothing is lost if it cannot be shown.
            let _ = write!(io::stderr(), "\r{} {bar} {now} of {}", self.what, self.steps);
        }
    }
}

impl Drop for Progress {
    /// The line is wiped: what comes next begins at its start.
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\u{1b}[2K");
        }
    }
}
