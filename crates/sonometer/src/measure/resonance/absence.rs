//! Markers of what was not said in time.

use super::{Resonance, Sums};
use crate::evidence::{Candidate, Setting};
use crate::protocol::{Absence, Deadline, LineList};
use crate::sensor::Plan;
use crate::unit::Unit;

/// How the clock of an absent marker stands when the interaction ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Clock {
    /// It never started, or what it waited for was said, or the deadline has passed.
    #[default]
    Still,
    /// It runs.
    Runs {
        /// The share of the time that is over.
        over: Unit,
        /// The candidate that started it, among those of the marker.
        since: Option<usize>,
    },
}

/// Whether it was said in time; sets the contribution of the match that started the clock.
pub(super) fn measure(
    plan: &Plan,
    setting: &Setting,
    absence: &Absence,
    candidates: &mut [Candidate],
) -> (Resonance, Sums) {
    let list = |candidate: &Candidate| plan.line(candidate.marker, candidate.line).list;
    let counted = || (0..).zip(candidates.iter()).filter(|(_, c)| c.failed == 0);
    let started = counted().filter(|(_, c)| list(c) == LineList::When);
    let first: Option<(usize, &Candidate)> = started.min_by_key(|(_, c)| (c.turn, c.start, c.end, c.line));
    if absence.when.is_some() && first.is_none() {
        return Default::default();
    }
    let start = first.map(|(_, c)| c.turn as usize);
    let said = counted().filter(|(_, c)| list(c) == LineList::Absent);
    let met = said.map(|(_, c)| c.turn as usize).any(|turn| is_in_time(setting, absence.until, start, turn));
    if met {
        return Default::default();
    }
    if let Some(over) = still_running(setting, absence.until, start) {
        let clock = Clock::Runs { over, since: first.map(|(at, _)| at) };
        return (Resonance::default(), Sums { clock, ..Sums::default() });
    }
    if let Some(at) = first.map(|(at, _)| at) {
        candidates[at].contribution = Unit::ONE;
    }
    // The trigger is at most 1.
    (Resonance { evidence: Unit::ONE, activation: Unit::ONE, triggered: true }, Sums::default())
}

/// The time of the turn that started the clock; without one, of the earliest turn.
fn start_time(setting: &Setting, start: Option<usize>) -> Option<Unit> {
    match start {
        Some(turn) => setting.turns[turn].timestamp,
        None => setting.earliest,
    }
}

fn is_in_time(setting: &Setting, until: Deadline, start: Option<usize>, turn: usize) -> bool {
    match until {
        Deadline::End => true,
        Deadline::Turns(n) => match start {
            Some(start) => turn <= start + n as usize,
            None => turn < n as usize,
        },
        Deadline::Seconds(n) => {
            let times = setting.turns[turn].timestamp.zip(start_time(setting, start));
            times.is_some_and(|(time, start)| i128::from(time.0) - i128::from(start.0) <= i128::from(n.0))
        }
    }
}

/// The share of the time that is over, if the deadline has not passed when the interaction ends.
fn still_running(setting: &Setting, until: Deadline, start: Option<usize>) -> Option<Unit> {
    let turns = setting.turns.len();
    let (over, all) = match until {
        Deadline::End => return None,
        Deadline::Turns(n) => match start {
            Some(start) if turns <= start + n as usize => ((turns - start) as i128, i128::from(n) + 1),
            None if turns < n as usize => (turns as i128, i128::from(n)),
            _ => return None,
        },
        Deadline::Seconds(n) => {
            let Some((latest, start)) = setting.latest.zip(start_time(setting, start)) else {
                // Without times nothing is ever due.
                return Some(Unit::ZERO);
            };
            let over = i128::from(latest.0) - i128::from(start.0);
            if over >= i128::from(n.0) {
                return None;
            }
            (over.max(0), i128::from(n.0))
        }
    };
    Some(Unit::ratio(over, all))
}
