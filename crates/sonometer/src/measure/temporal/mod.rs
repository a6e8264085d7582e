//! Temporal analysis on SGM 1.5: how the level of an interaction develops, window by window.

mod phase;
mod trend;

pub use phase::phase_shifts;
pub use trend::{Trend, trend};

use crate::json::Json;
use crate::measure::Measured;
use crate::measure::part::portions;
use crate::measure::score;
use crate::protocol::Sgm;
use crate::unit::{Unit, saturate};

/// How temporal analysis is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TemporalOptions {
    /// The length of a window in seconds, above 0; the protocol's own without it.
    pub window: Option<Unit>,
}

/// The most windows that are looked at; where there would be more, they are made twice as long until there are not.
const MOST_WINDOWS: usize = 512;

/// How an interaction develops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Temporal {
    /// Which way the level goes.
    pub trend: Trend,
    /// How often it changes for good.
    pub phase_shifts: u64,
    /// The length of a window, as it was used.
    pub window: Window,
    /// The windows that have a turn, in order.
    pub levels: Vec<Level>,
}

/// A length of window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// So many seconds (held in millionths).
    Seconds(i128),
    /// At least so many turns.
    Turns(usize),
}

/// A window and its level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// How many turns stand in it.
    pub turns: usize,
    /// The earliest of them in the interaction, from 0.
    pub first: usize,
    /// Its level, 0 to 1.
    pub level: Unit,
}

impl Measured {
    /// The temporal analysis; `None` on SGM 1.0.
    pub fn temporal(&self, options: TemporalOptions) -> Option<Temporal> {
        (self.protocol().sgm >= Sgm::V1_5).then(|| self.development(options))
    }

    fn development(&self, options: TemporalOptions) -> Temporal {
        let times: Option<Vec<i64>> =
            self.interaction().turns().iter().map(|turn| turn.timestamp.map(|time| time.0)).collect();
        let windows = &self.protocol().temporal;
        let (window, window_of) = match times {
            Some(times) => by_time(&times, options.window.unwrap_or(windows.seconds)),
            None => by_turn(self.interaction().turns().len(), windows.turns as usize),
        };
        let count = window_of.iter().max().map_or(0, |last| last + 1);
        let mut levels = vec![Level::default(); count];
        for (turn, window) in window_of.iter().enumerate().rev() {
            levels[*window].first = turn;
            levels[*window].turns += 1;
        }
        let plan = self.sensor.plan();
        let portions = portions(plan, &self.candidates, |turn| Some(window_of[turn]));
        let mut rest = portions.as_slice();
        for (number, level) in levels.iter_mut().enumerate() {
            let (own, others) = rest.split_at(rest.partition_point(|portion| portion.part <= number));
            rest = others;
            level.level = score::level(plan, || {
                own.iter().map(|portion| {
                    let marker = &plan.protocol.markers[portion.marker];
                    (marker, saturate(portion.evidence.0.into(), marker.half))
                })
            });
        }
        // Without enough to measure there is no development either.
        let known: &[Level] = if self.measured { &levels } else { &[] };
        let numbers: Vec<Unit> = known.iter().map(|level| level.level).collect();
        Temporal { trend: trend(&numbers), phase_shifts: phase_shifts(&numbers), window, levels }
    }
}

impl Temporal {
    /// The members of the result.
    pub(crate) fn write(&self, json: &mut Json) {
        json.key("trend").string(self.trend.as_str());
        json.key("phase_shifts").count(self.phase_shifts);
    }

    /// The members of the ledger: those of the result, and the windows that they come from.
    pub(crate) fn write_all(&self, json: &mut Json) {
        self.write(json);
        json.key("window").string(&self.window.to_string());
        json.key("levels").list(|json| {
            for level in &self.levels {
                json.object(|json| {
                    json.key("segment").count(level.first as u64);
                    json.key("segments").count(level.turns as u64);
                    json.key("level").number(level.level);
                });
            }
        });
    }
}

impl std::fmt::Display for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Seconds(millionths) => {
                write!(f, "{} seconds", Unit(i64::try_from(*millionths).unwrap_or(i64::MAX)))
            }
            Self::Turns(turns) => write!(f, "{turns} turns"),
        }
    }
}

/// The window of each turn, those without a turn left out, whatever order the times come in.
fn by_time(times: &[i64], window: Unit) -> (Window, Vec<usize>) {
    let start = times.iter().min().copied().map_or(0, i128::from);
    let mut length = i128::from(window.0.max(1));
    loop {
        let number = |time: i64| (i128::from(time) - start) / length;
        let mut all: Vec<i128> = times.iter().map(|time| number(*time)).collect();
        all.sort_unstable();
        all.dedup();
        if all.len() <= MOST_WINDOWS {
            let place = |time: &i64| all.partition_point(|other| *other < number(*time));
            return (Window::Seconds(length), times.iter().map(place).collect());
        }
        length *= 2;
    }
}

/// The window of each turn: as many windows as there are whole ones, their sizes as equal as can be.
fn by_turn(turns: usize, window: usize) -> (Window, Vec<usize>) {
    let mut length = window.max(1);
    while turns / length > MOST_WINDOWS {
        length *= 2;
    }
    let count = (turns / length).max(1);
    (Window::Turns(length), (0..turns).map(|turn| turn * count / turns).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_cut_from_the_earliest_turn_on() {
        let seconds = |times: &[i64]| times.iter().map(|t| t * 1_000_000).collect::<Vec<i64>>();
        let cut = |times: &[i64], window: i64| by_time(&seconds(times), Unit(window * 1_000_000)).1;
        assert_eq!(cut(&[0, 59, 60, 61, 200], 60), [0, 0, 1, 1, 2]);
        assert_eq!(cut(&[100, 40, 100], 60), [1, 0, 1]);
        assert_eq!(cut(&[-61, -1], 60), [0, 1]);
        assert_eq!(by_time(&[i64::MIN, i64::MAX, 0], Unit(1)).1, [0, 2, 1]);
    }

    #[test]
    fn many_windows_become_longer_ones() {
        let times: Vec<i64> = (0..2_000).collect();
        let (window, of) = by_time(&times, Unit(1));
        assert_eq!((window, of[1_999]), (Window::Seconds(4), 499));
        let (window, of) = by_turn(2_000, 1);
        assert_eq!((window, of[1_999]), (Window::Turns(4), 499));
    }

    #[test]
    fn turns_are_shared_out_evenly() {
        assert_eq!(by_turn(10, 3).1, [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
        assert_eq!(by_turn(5, 2).1, [0, 0, 0, 1, 1]);
        assert_eq!(by_turn(1, 2).1, [0]);
    }
}
