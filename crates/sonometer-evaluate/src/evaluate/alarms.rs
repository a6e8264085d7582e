//! How often ordinary talk is called positive: for pieces as long as the labelled items, and for whole talks.

use super::interval::{Interval, bootstrap, wilson};
use super::measure::share;
use super::result::Number;
use super::sensed::{Outcome, sense_ordinary};
use crate::Error;
use crate::labels::{Background, Item, Voice, usual_turns};
use crate::watch::{Steps, Watch};
use serde::ser::{Serialize, SerializeMap, Serializer};
use sonometer::{Interaction, Sensor, Unit};
use sonometer_report::counted;

/// Alarms on a background.
#[derive(Clone, Debug)]
pub(crate) struct Alarms {
    /// The names of the files, and their SHA-256.
    pub(crate) name: String,
    pub(crate) digest: String,
    /// Turns of a piece.
    pub(crate) turns: usize,
    pub(crate) pieces: Rate,
    pub(crate) talks: Rate,
    /// The share that a threshold may cost, where one was chosen.
    pub(crate) limit: Option<Unit>,
}

/// A share of alarms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    pub(crate) alarms: u64,
    pub(crate) of: u64,
    pub(crate) interval: Option<Interval>,
}

/// What an outcome as a whole is worth, or one turn of it, and whether that is an alarm.
pub(crate) type Judge<'j> = dyn Fn(&Outcome, Option<usize>) -> (Unit, bool) + 'j;

/// What ordinary talk is worth under a question, each piece and each talk: whether it is an alarm, and the value that ranks it.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    turns: usize,
    /// With the number of the talk.
    pub(crate) pieces: Vec<(usize, Unit, bool)>,
    talks: Vec<bool>,
}

impl Heard {
    /// Senses a background. `judge` says what an outcome is worth, or a turn of it; `by_turn`: turns are judged where they stand
    /// in their talks, else by themselves.
    pub(crate) fn of(
        sensor: &Sensor,
        background: &Background,
        items: &[Item],
        by_turn: bool,
        judge: &Judge<'_>,
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        let own = || items.iter().map(|item| &item.interaction);
        let roles: Vec<String> =
            sensor.protocol().markers.iter().flat_map(|marker| marker.by.clone()).collect();
        let everybody = sensor.protocol().markers.iter().any(|marker| marker.by.is_empty());
        let voice = if everybody { None } else { Voice::of(&roles, own()) };
        let turns = if by_turn { 1 } else { usual_turns(own()) };
        let ordinary = background.cut(turns, voice.as_ref())?;
        let talks: Vec<&Interaction> = ordinary.talks.iter().collect();
        let pieces: Vec<&Interaction> = if by_turn { Vec::new() } else { ordinary.pieces().collect() };
        let steps = &mut Steps::new(watch, "sensing", talks.len() + pieces.len());
        let sensed = sense_ordinary(sensor, &background.name, &talks, steps)?;
        let pieces = match by_turn {
            true => {
                let mut all = Vec::new();
                for (number, (talk, outcome)) in talks.iter().zip(&sensed).enumerate() {
                    all.extend((0..talk.turns().len()).map(|turn| {
                        let (value, alarm) = judge(outcome, Some(turn));
                        (number, value, alarm)
                    }));
                }
                all
            }
            false => {
                let outcomes = sense_ordinary(sensor, &background.name, &pieces, steps)?;
                let judged = ordinary.pieces.iter().zip(&outcomes).map(|((talk, _), outcome)| {
                    let (value, alarm) = judge(outcome, None);
                    (*talk, value, alarm)
                });
                judged.collect()
            }
        };
        let alarm = |outcome: &Outcome, talk: &Interaction| match by_turn {
            true => (0..talk.turns().len()).any(|turn| judge(outcome, Some(turn)).1),
            false => judge(outcome, None).1,
        };
        let talks = sensed.iter().zip(&ordinary.talks).map(|(outcome, talk)| alarm(outcome, talk)).collect();
        Ok(Self { turns: ordinary.turns, pieces, talks })
    }

    /// What it comes to.
    pub(crate) fn alarms(&self, background: &Background, limit: Option<Unit>) -> Alarms {
        let hits: Vec<(usize, bool)> = self.pieces.iter().map(|(talk, _, alarm)| (*talk, *alarm)).collect();
        Alarms {
            name: background.name.clone(),
            digest: background.digest.clone(),
            turns: self.turns,
            pieces: Rate::within(&hits),
            talks: Rate::of(self.talks.iter().copied()),
            limit,
        }
    }
}

impl Rate {
    /// Of things that are independent of each other.
    pub(crate) fn of(hits: impl IntoIterator<Item = bool>) -> Self {
        let (mut alarms, mut of) = (0, 0);
        hits.into_iter().for_each(|hit| {
            alarms += u64::from(hit);
            of += 1;
        });
        Self { alarms, of, interval: wilson(alarms, of) }
    }

    /// Of pieces of talks, each with the number of its talk, in order. Where alarms gather in some talks, whole talks are drawn.
    pub(crate) fn within(hits: &[(usize, bool)]) -> Self {
        let plain = Self::of(hits.iter().map(|(_, hit)| *hit));
        let talks: Vec<[u64; 2]> = hits
            .chunk_by(|a, b| a.0 == b.0)
            .map(|talk| [talk.iter().filter(|(_, hit)| *hit).count() as u64, talk.len() as u64])
            .collect();
        if talks.iter().all(|[alarms, _]| *alarms < 2) {
            return plain;
        }
        let drawn = |weights: &[u32]| {
            let sum = |at: usize| weights.iter().zip(&talks).map(|(w, talk)| u64::from(*w) * talk[at]).sum();
            [share(sum(0), sum(1))]
        };
        let [interval] = bootstrap(talks.len(), drawn);
        Self { interval, ..plain }
    }

    pub(crate) fn share(self) -> Option<Unit> {
        share(self.alarms, self.of)
    }

    /// `0.31 % [0.22, 0.43]`, or `n/a`.
    pub(crate) fn told(self) -> String {
        let Some(share) = self.share() else { return "n/a".to_owned() };
        let span =
            self.interval.map(|span| format!(" [{}, {}]", hundredths(span.low), hundredths(span.high)));
        format!("{} %{}", hundredths(share), span.unwrap_or_default())
    }
}

impl Alarms {
    /// What a piece is called.
    pub(crate) fn piece(&self) -> String {
        match self.turns {
            1 => "turn".to_owned(),
            more => format!("{more} turns"),
        }
    }

    /// In one line.
    pub(crate) fn told(&self) -> String {
        let (pieces, talks) = (self.pieces, self.talks);
        format!(
            "{} per {} ({} of {}), {} per talk ({} of {})",
            pieces.told(),
            self.piece(),
            pieces.alarms,
            pieces.of,
            talks.told(),
            talks.alarms,
            talks.of
        )
    }

    /// What it was counted on.
    pub(crate) fn source(&self) -> String {
        format!("{}, {}", self.name, counted(usize::try_from(self.talks.of).unwrap_or(usize::MAX), "talk"))
    }
}

/// Per cent with two decimals, rounded half up.
pub(crate) fn hundredths(share: Unit) -> String {
    let all = (share.0 + 50) / 100;
    format!("{}.{:02}", all / 100, all % 100)
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("alarms", &self.alarms)?;
        map.serialize_entry("of", &self.of)?;
        map.serialize_entry("value", &self.share().map(Number))?;
        map.serialize_entry("low", &self.interval.map(|interval| Number(interval.low)))?;
        map.serialize_entry("high", &self.interval.map(|interval| Number(interval.high)))?;
        map.end()
    }
}

impl Serialize for Alarms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("background", &self.name)?;
        map.serialize_entry("sha256", &self.digest)?;
        map.serialize_entry("limit", &self.limit.map(Number))?;
        map.serialize_entry("turns", &self.turns)?;
        map.serialize_entry("per_piece", &self.pieces)?;
        map.serialize_entry("per_talk", &self.talks)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_told_in_per_cent() {
        let rate = Rate::of((0..1000).map(|n| n < 3));
        // Wilson's interval of 3 of 1,000.
        assert_eq!(rate.told(), "0.30 % [0.10, 0.88]");
        assert_eq!(Rate::of([]).told(), "n/a");
    }

    #[test]
    fn alarms_that_gather_in_a_talk_have_a_wider_interval() {
        let width = |hits: &[(usize, bool)]| {
            Rate::within(hits).interval.map(|interval| (interval.high - interval.low).0)
        };
        let spread: Vec<(usize, bool)> = (0..400).map(|n| (n / 10, n % 100 == 0)).collect();
        let gathered: Vec<(usize, bool)> = (0..400).map(|n| (n / 10, n < 4)).collect();
        assert_eq!(Rate::within(&spread).alarms, Rate::within(&gathered).alarms);
        assert!(width(&gathered) > width(&spread));
    }
}
