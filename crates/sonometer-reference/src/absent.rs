//! Section 4, absent: what was not said in time.

use crate::candidate::{Candidate, Scene};
use crate::marker::MarkerReading;
use crate::number::{Number, U, divide};
use sonometer::protocol::{Absence, Deadline, Marker};
use std::collections::BTreeSet;

/// What an absent marker comes to.
pub(crate) fn read(scene: &Scene<'_>, marker: &Marker, absence: &Absence) -> MarkerReading {
    let said = scene.candidates(marker);
    let asked = asked(scene, marker, absence);
    let started = asked
        .iter()
        .enumerate()
        .filter(|(_, candidate)| candidate.failed.is_empty())
        .min_by_key(|(_, candidate)| (candidate.hit.order(), candidate.line))
        .map(|(at, _)| at);
    let clock = match (&absence.when, started) {
        (None, _) => Some(Clock::from_the_beginning(scene)),
        (Some(_), Some(at)) => Some(Clock::from_turn(scene, asked[at].hit.turn())),
        (Some(_), None) => None,
    };
    let counted = || said.iter().filter(|candidate| candidate.failed.is_empty());
    let missed = |clock: &Clock| !counted().any(|c| clock.in_time(scene, absence.until, c.hit.turn()));
    let unmet = clock.filter(missed);
    let passed = unmet.as_ref().is_some_and(|clock| clock.has_passed(scene, absence.until));
    let mut contributions = vec![0; said.len() + asked.len()];
    if let Some(at) = started
        && passed
    {
        contributions[said.len() + at] = U;
    }
    let activation = if passed { U } else { 0 };
    let started = started.map(|at| said.len() + at);
    MarkerReading {
        candidates: said.into_iter().chain(asked).collect(),
        contributions,
        evidence: activation,
        activation,
        triggered: activation >= Number::from(marker.trigger.0),
        basis: None,
        deadline: unmet.filter(|_| !passed).and_then(|clock| clock.nearness(scene, absence.until)),
        started,
        stretches: None,
    }
}

/// The matches of `when`, as candidates that fail *role* where somebody else said them.
fn asked(scene: &Scene<'_>, marker: &Marker, absence: &Absence) -> Vec<Candidate> {
    let Some(when) = &absence.when else { return Vec::new() };
    // Nothing but `by` is asked of them; the exclusions of the marker are looked at for its mask only.
    let mut asked = scene.judged(marker, &when.lines, |line| scene.hits(marker, line));
    let lent = scene.counted(&when.markers).into_iter();
    asked.extend(lent.map(|hit| Candidate {
        line: when.lines.len(),
        hit,
        strength: 0,
        failed: BTreeSet::new(),
    }));
    for candidate in &mut asked {
        candidate.line += marker.lines.len();
        candidate.failed.retain(|_| false);
        if !scene.passes_role(&when.by, &scene.turns[candidate.hit.turn()]) {
            candidate.failed.insert(sonometer::protocol::HintKind::Role);
        }
    }
    asked
}

/// Whether a candidate of a marker is a match of another marker that starts its clock.
pub(crate) fn is_lent(marker: &Marker, candidate: &Candidate) -> bool {
    let when = marker.absence.as_ref().and_then(|absence| absence.when.as_ref());
    when.is_some_and(|when| candidate.line == marker.lines.len() + when.lines.len())
}

/// When the clock started.
struct Clock {
    /// The turn of the match of `when`; without `when`, none.
    turn: Option<usize>,
    /// The time from which seconds are counted.
    time: Option<Number>,
}

impl Clock {
    fn from_the_beginning(scene: &Scene<'_>) -> Self {
        Self { turn: None, time: scene.turns.iter().filter_map(|turn| turn.time).min() }
    }

    fn from_turn(scene: &Scene<'_>, turn: usize) -> Self {
        Self { turn: Some(turn), time: scene.turns[turn].time }
    }

    /// Whether a turn stands before the deadline is over.
    fn in_time(&self, scene: &Scene<'_>, until: Deadline, turn: usize) -> bool {
        match (until, self.turn) {
            (Deadline::End, _) => true,
            (Deadline::Turns(n), Some(w)) => turn <= w + n as usize,
            (Deadline::Turns(n), None) => turn < n as usize,
            (Deadline::Seconds(n), _) => {
                let times = scene.turns[turn].time.zip(self.time);
                times.is_some_and(|(time, start)| time - start <= Number::from(n.0))
            }
        }
    }

    /// Whether the interaction reaches the deadline.
    fn has_passed(&self, scene: &Scene<'_>, until: Deadline) -> bool {
        match (until, self.turn) {
            (Deadline::End, _) => true,
            (Deadline::Turns(n), Some(w)) => scene.turns.len() > w + n as usize,
            (Deadline::Turns(n), None) => scene.turns.len() >= n as usize,
            (Deadline::Seconds(n), _) => self.elapsed(scene).is_some_and(|time| time >= Number::from(n.0)),
        }
    }

    /// The latest time less that of the start.
    fn elapsed(&self, scene: &Scene<'_>) -> Option<Number> {
        let latest = scene.turns.iter().filter_map(|turn| turn.time).max();
        Some(latest? - self.time?)
    }

    /// How much of the time has gone by.
    fn nearness(&self, scene: &Scene<'_>, until: Deadline) -> Option<Number> {
        let turns = scene.turns.len() as Number;
        match (until, self.turn) {
            (Deadline::End, _) => None,
            (Deadline::Turns(n), Some(w)) => Some(divide(turns - w as Number, Number::from(n) + 1)),
            (Deadline::Turns(n), None) => Some(divide(turns, Number::from(n))),
            (Deadline::Seconds(n), _) => Some(divide(self.elapsed(scene)?, Number::from(n.0))),
        }
    }
}
