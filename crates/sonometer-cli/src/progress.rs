//! A bar on standard error for work that takes its time; nothing where that is no terminal.

use crate::paint::{BOLD, Paint, bar};
use sonometer::Unit;
use sonometer_evaluate::Progress;
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;

/// The bar of the work that goes on.
#[derive(Debug)]
pub(crate) struct Bar {
    /// Whether anybody sees it.
    shown: bool,
    last: Progress,
}

impl Bar {
    pub(crate) fn new() -> Self {
        Self { shown: io::stderr().is_terminal(), last: Progress { work: "", done: 0, of: 0 } }
    }

    /// A bar of work whose steps its caller counts.
    pub(crate) fn of(work: &'static str, of: usize) -> Self {
        Self { last: Progress { work, done: 0, of }, ..Self::new() }
    }

    /// Some steps more.
    pub(crate) fn advance(&mut self, steps: usize) {
        let _ = self.see(Progress { done: self.last.done + steps, ..self.last });
    }

    /// Drawn where that is a further hundredth of the work, or another work.
    pub(crate) fn see(&mut self, now: Progress) -> ControlFlow<()> {
        let hundredths = |progress: Progress| progress.done * 100 / progress.of.max(1);
        let last = std::mem::replace(&mut self.last, now);
        if self.shown && now.of > 0 && (last.work != now.work || hundredths(last) < hundredths(now)) {
            let share = Unit::ratio(now.done as i128, now.of as i128);
            let bar = bar(&Paint { colour: false, width: 80 }, share, BOLD);
            let wipe = if last.work == now.work { "" } else { WIPE };
            // Nothing is lost if it cannot be shown.
            let _ = write!(io::stderr(), "{wipe}\r{} {bar} {} of {}", now.work, now.done, now.of);
        }
        ControlFlow::Continue(())
    }
}

/// Empties the line.
const WIPE: &str = "\r\u{1b}[2K";

impl Drop for Bar {
    /// The line is wiped: what comes next begins at its start.
    fn drop(&mut self) {
        if self.shown && !self.last.work.is_empty() {
            let _ = write!(io::stderr(), "{WIPE}");
        }
    }
}
