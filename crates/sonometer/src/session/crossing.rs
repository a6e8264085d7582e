//! Whether a match of a regular expression reaches over a place where a turn could be parted.

use crate::expression::{Fate, follow};
use crate::sensor::Plan;
use regex_automata::hybrid::dfa::{Cache, DFA};
use std::ops::Range;

/// The most bytes over which a match is followed; a turn in which one lives longer is read as a whole. Each time a cut is asked
/// about, the oldest open match is followed anew, so this bounds what a chunk costs (`session/mod.rs` promises the number).
const LONGEST_OPEN_MATCH: usize = 4096;

/// The watch over one turn for one protocol.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    /// Every way of matching that begins before this byte of the turn has ended, so it is never looked at again.
    dead_before: usize,
    /// What the matches among them cover, apart from each other and in order: nothing parts a turn within.
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
        Self { dead_before: 0, covered: Vec::new(), has_given_up: is_blind, is_blind, is_idle }
    }

    /// A new turn begins.
    pub(super) fn reset(&mut self) {
        (self.dead_before, self.has_given_up) = (0, self.is_blind);
        self.covered.clear();
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
        if self.dead_before < cut {
            let Some(reaches) = plan.reaches() else { return false };
            if !reaches.with_cache(|automaton, cache| self.follow_all(automaton, cache, known, base, cut)) {
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

    /// Notes what matched from a byte on; bytes come in order.
    fn cover(&mut self, start: usize, end: usize) {
        match self.covered.last_mut().filter(|last| start < last.end) {
            Some(last) => last.end = last.end.max(end),
            None => self.covered.push(start..end),
        }
    }

    /// Follows every way of matching that begins before `cut`. Whether all of them have died.
    fn follow_all(
        &mut self,
        automaton: &DFA,
        cache: &mut Cache,
        known: &str,
        base: usize,
        cut: usize,
    ) -> bool {
        while self.dead_before < cut {
            let start = self.dead_before.max(base);
            // No match begins within a character.
            if known.is_char_boundary(start - base) {
                match follow(automaton, cache, known, start - base) {
                    Fate::Dead { reached } if base + reached > start => self.cover(start, base + reached),
                    Fate::Dead { .. } => {}
                    Fate::Alive { length } => {
                        self.has_given_up = length > LONGEST_OPEN_MATCH;
                        return false;
                    }
                    Fate::Unknown => {
                        self.has_given_up = true;
                        return false;
                    }
                }
            }
            self.dead_before = start + 1;
        }
        true
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
