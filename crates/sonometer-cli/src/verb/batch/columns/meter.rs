//! How far a run is: a bar on a terminal, a line now and then elsewhere.

use crate::tables::files::Count;
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Seconds between lines where no terminal is. The first comes after as long, so a short run says nothing.
const EVERY: Duration = Duration::from_secs(10);

/// What is counted.
enum Whole {
    /// The rows are known.
    Rows(u64),
    /// The bytes of the files are: these are read.
    Bytes(u64, Count),
}

/// How far a run is.
pub(super) struct Meter {
    bar: ProgressBar,
    whole: Whole,
    rows: u64,
    before: u64,
    start: Instant,
    last: Instant,
    quiet: bool,
}

impl Meter {
    /// A meter of a run that begins after `before` rows. `shown`: whether nothing else is written to the terminal.
    pub(super) fn new(rows: Option<u64>, bytes: u64, count: Count, before: u64, shown: bool) -> Self {
        let whole = match rows {
            Some(rows) => Whole::Rows(rows),
            None => Whole::Bytes(bytes, count),
        };
        let (length, template) = match &whole {
            Whole::Rows(rows) => {
                (*rows, "sensing {wide_bar} {human_pos} of {human_len} rows {msg}, {eta} left")
            }
            Whole::Bytes(bytes, _) => {
                (*bytes, "sensing {wide_bar} {bytes} of {total_bytes} {msg}, {eta} left")
            }
        };
        let bar = if shown { ProgressBar::new(length) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if matches!(whole, Whole::Rows(_)) {
            // The rate is of this run alone.
            bar.inc(before);
            bar.reset_eta();
        }
        let now = Instant::now();
        Self { bar, whole, rows: before, before, start: now, last: now, quiet: !shown }
    }

    pub(super) fn advance(&mut self, rows: u64) {
        self.rows += rows;
        let seconds = self.start.elapsed().as_secs_f64().max(1e-9);
        let rate = (self.rows - self.before) as f64 / seconds;
        match &self.whole {
            Whole::Rows(_) => self.bar.set_position(self.rows),
            Whole::Bytes(_, count) => self.bar.set_position(count.bytes()),
        }
        self.bar.set_message(match self.whole {
            Whole::Rows(_) => format!("({rate:.0}/s)"),
            Whole::Bytes(..) => format!("({} rows, {rate:.0}/s)", HumanCount(self.rows)),
        });
        if self.bar.is_hidden() && !self.quiet && self.last.elapsed() >= EVERY {
            self.last = Instant::now();
            // Nothing is lost if it cannot be shown.
            let _ = writeln!(io::stderr(), "{}", self.line(rate));
        }
    }

    fn line(&self, rate: f64) -> String {
        let rows = HumanCount(self.rows);
        let share = match &self.whole {
            Whole::Rows(all) => {
                (self.rows - self.before) as f64 / all.saturating_sub(self.before).max(1) as f64
            }
            Whole::Bytes(all, count) => count.bytes() as f64 / (*all).max(1) as f64,
        };
        let left = match share > 0.0 && share <= 1.0 {
            true => {
                let seconds = self.start.elapsed().as_secs_f64() * (1.0 - share) / share;
                format!(", {} left", HumanDuration(Duration::from_secs_f64(seconds)))
            }
            false => String::new(),
        };
        let all = match self.whole {
            Whole::Rows(all) => format!(" of {}", HumanCount(all)),
            Whole::Bytes(..) => String::new(),
        };
        format!("{rows}{all} rows, {rate:.0} rows/s{left}")
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
