//! Whether a match of a regular expression reaches over a place where a turn could be parted.

use super::ways::{Blind, Known, Ways};
use crate::sensor::Plan;
use std::ops::Range;

/// The watch over one turn for one protocol.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    ways: Ways,
    /// What matches cover that are certain, apart from each other and in order: nothing parts a turn within.
    covered: Vec<Range<usize>>,
    /// No cut of this turn is allowed any more.
    has_given_up: bool,
    /// No cut of any turn is allowed: turns are read when they are complete.
    is_blind: bool,
    /// No expression to watch: every cut is allowed.
    is_idle: bool,
}

impl Watch {
    pub(super) fn new(plan: &Plan) -> Self {
        let is_idle = plan.regexes.is_empty() && !reads_disguises_as_written(plan);
        let is_blind = !is_idle && (reads_disguises_as_written(plan) || plan.reaches().is_none());
        Self { ways: Ways::default(), covered: Vec::new(), has_given_up: is_blind, is_blind, is_idle }
    }

    /// A new turn begins.
    pub(super) fn reset(&mut self) {
        (self.ways, self.has_given_up) = (Ways::default(), self.is_blind);
        self.covered.clear();
    }

    /// Whether it allows no further cut of this turn.
    pub(super) fn has_given_up(&self) -> bool {
        self.has_given_up
    }

    /// Whether it is certain that no match of `plan` reaches over byte `cut` of a turn; `known` is the turn from byte `base` on,
    /// as far as it is known.
    pub(super) fn allows(&mut self, plan: &Plan, known: &str, base: usize, cut: usize) -> bool {
        if self.is_idle {
            return true;
        }
        if self.has_given_up {
            return false;
        }
        let Self { ways, covered, .. } = self;
        match ways.follow(plan, Known { text: known, base }, cut, |_, found| cover(covered, found)) {
            Ok(open) if open < cut => return false,
            Ok(_) => {}
            Err(Blind) => {
                self.has_given_up = true;
                return false;
            }
        }
        // Few are left here: those before the last cut are forgotten.
        let is_free = !self.covered.iter().any(|found| found.start < cut && cut < found.end);
        if is_free {
            self.covered.retain(|found| found.end > cut);
        }
        is_free
    }
}

/// Notes a match; they come in the order of where they begin.
fn cover(covered: &mut Vec<Range<usize>>, found: Range<usize>) {
    match covered.last_mut().filter(|last| found.start < last.end) {
        Some(last) => last.end = last.end.max(found.end),
        None => covered.push(found),
    }
}

/// Whether a protocol undoes disguises and looks at how the result is written: a turn is read a second time if there is a
/// disguise anywhere in it, which is not known before it ends.
fn reads_disguises_as_written(plan: &Plan) -> bool {
    plan.unfolding.is_some() && (plan.shout || !plan.exacts.is_empty() || !plan.regexes.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::{Interaction, Protocol, Sensor, SessionOptions, View};

    #[test]
    fn follows_expressions_that_ignore_case() {
        let source = r#"{"sonometer": 1, "id": "x", "version": "1.0", "taxonomy": "Signal",
            "markers": [{"label": "m", "strong": "/stop.{0,40}now/i", "hit": "stop now", "miss": "go"}]}"#;
        let sensor = Sensor::new(Protocol::read(source).expect("valid").0).expect("small");
        for content in ["Please STOP it. Do that NOW. Yes.", "STOP. It is. Enough. Do that Now."] {
            let mut session = sensor.session(SessionOptions::default());
            for byte in content.as_bytes() {
                session.push(&[*byte]).expect("is taken");
            }
            session.end().expect("ends");
            let reading = session.finish().expect("is measured").to_json(View::default());
            let whole = sensor.sense(&Interaction::text(content).expect("short")).expect("is measured");
            assert_eq!(reading, whole.to_json(View::default()));
            assert!(reading.contains(r#""source":"STOP"#), "{reading}");
        }
    }
}
