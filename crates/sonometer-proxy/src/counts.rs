//! Counts, the only thing that is kept of what passes.

use sonometer_guard::{Kind, Report};
use std::sync::atomic::{AtomicU64, Ordering};

/// What was done since the start. Counts only, never text.
#[derive(Debug, Default)]
pub struct Counts {
    guarded: AtomicU64,
    passed: AtomicU64,
    masked_request: AtomicU64,
    masked_answer: AtomicU64,
    restored: AtomicU64,
    unknown: AtomicU64,
    ended: AtomicU64,
    blocked: [AtomicU64; Kind::ALL.len()],
}

impl Counts {
    pub(crate) fn guarded(&self) {
        self.guarded.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn passed(&self) {
        self.passed.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn blocked(&self, kind: Kind) {
        if let Some(at) = Kind::ALL.iter().position(|known| *known == kind) {
            self.blocked[at].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Adds an exchange that is over.
    pub(crate) fn add(&self, report: &Report) {
        for (count, more) in [
            (&self.masked_request, report.masked_request),
            (&self.masked_answer, report.masked_answer),
            (&self.restored, report.restored),
            (&self.unknown, report.unknown),
            (&self.ended, report.ended),
        ] {
            count.fetch_add(more, Ordering::Relaxed);
        }
    }

    /// All of them as JSON.
    pub fn to_json(&self) -> String {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let blocked = Kind::ALL.iter().zip(&self.blocked);
        let blocked: Vec<String> =
            blocked.map(|(kind, count)| format!("\"{}\":{}", kind.as_str(), get(count))).collect();
        format!(
            "{{\"guarded\":{},\"passed\":{},\"masked_request\":{},\"masked_answer\":{},\"restored\":{},\"unknown\":{},\"ended\":{},\"blocked\":{{{}}}}}",
            get(&self.guarded),
            get(&self.passed),
            get(&self.masked_request),
            get(&self.masked_answer),
            get(&self.restored),
            get(&self.unknown),
            get(&self.ended),
            blocked.join(",")
        )
    }
}
