//! The figures of a corpus as JSON, with the names that may be shown and no text of any talk.

use super::drawings::BINS;
use super::picks::SHOWN;
use super::scores::Quantiles;
use super::{Corpus, Picked};
use crate::json::{self, number};
use crate::measured::{Head, Number};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Figures<'c> {
    #[serde(flatten)]
    head: Head<'c>,
    talks: u64,
    turns: u64,
    measured: u64,
    /// By reason, how many talks were not measured.
    insufficient: BTreeMap<&'static str, u64>,
    /// By code, how many talks could not be read.
    errors: BTreeMap<&'static str, u64>,
    mean_fidelity: Option<Number>,
    score: Option<Score>,
    /// Talks by score, in equal parts from 0 to 1.
    histogram: Vec<u64>,
    markers: Vec<Marker<'c>>,
    roles: Vec<Role>,
    course: Option<Periods>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Groups>,
    worst: Vec<Shown>,
    median: Vec<Shown>,
    best: Vec<Shown>,
    ics: u64,
}

#[derive(Serialize)]
struct Score {
    mean: Number,
    least: Number,
    tenth: Number,
    quarter: Number,
    median: Number,
    three_quarters: Number,
    nine_tenths: Number,
    most: Number,
}

#[derive(Serialize)]
struct Marker<'c> {
    label: &'c str,
    effect: &'static str,
    triggered: u64,
    evidence: u64,
    mean_activation: Number,
}

#[derive(Serialize)]
struct Role {
    role: String,
    talks: u64,
    turns: u64,
    improves: u64,
    worsens: u64,
}

#[derive(Serialize)]
struct Periods {
    period: &'static str,
    periods: Vec<Period>,
}

#[derive(Serialize)]
struct Period {
    from: String,
    talks: u64,
    mean: Number,
}

#[derive(Serialize)]
struct Groups {
    by: String,
    groups: Vec<Group>,
}

#[derive(Serialize)]
struct Group {
    group: String,
    talks: u64,
    measured: u64,
    mean: Option<Number>,
    #[serde(serialize_with = "numbers")]
    quartiles: Option<[sonometer::Unit; 3]>,
}

#[derive(Serialize)]
struct Shown {
    /// The place among all talks, from 1.
    number: u64,
    name: String,
    #[serde(serialize_with = "number")]
    score: sonometer::Unit,
}

fn numbers<S: serde::Serializer>(
    own: &Option<[sonometer::Unit; 3]>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    own.map(|own| own.map(Number)).serialize(serializer)
}

impl Corpus<'_> {
    /// One object.
    pub(super) fn figures(&self, picked: &[Picked]) -> String {
        let score = self.scores.quantiles().zip(self.scores.mean()).map(|(all, mean)| {
            let Quantiles { least, tenth, quarter, median, three_quarters, nine_tenths, most } = all;
            let [mean, least, tenth, quarter] = [mean, least, tenth, quarter].map(Number);
            let [median, three_quarters, nine_tenths, most] =
                [median, three_quarters, nine_tenths, most].map(Number);
            Score { mean, least, tenth, quarter, median, three_quarters, nine_tenths, most }
        });
        let markers = self.instrument.markers().zip(&self.effects).zip(&self.markers);
        let markers = markers.map(|(((label, _), effect), found)| Marker {
            label,
            effect: effect.as_str(),
            triggered: found.triggered,
            evidence: found.pieces,
            mean_activation: Number(self.mean(found.activation)),
        });
        let roles = self.speakers.shown().into_iter().map(|(role, own)| {
            let [improves, worsens] = own.evidence;
            Role { role, talks: own.talks, turns: own.turns, improves, worsens }
        });
        let periods = self.course.periods().0;
        let periods = periods.into_iter().map(|own| Period {
            from: own.from,
            talks: own.count,
            mean: Number(own.mean),
        });
        let periods: Vec<Period> = periods.collect();
        let groups = self.by().map(|by| Groups {
            by,
            groups: self
                .groups
                .shown()
                .into_iter()
                .map(|(group, own)| Group {
                    group,
                    talks: own.talks,
                    measured: own.measured(),
                    mean: own.mean().map(Number),
                    quartiles: own.quartiles(),
                })
                .collect(),
        });
        let shown = |numbers: Vec<u64>| -> Vec<Shown> {
            let found = numbers.iter().filter_map(|number| picked.iter().find(|own| own.number == *number));
            found
                .take(SHOWN)
                .map(|own| Shown {
                    number: own.number + 1,
                    name: self.name_of(own),
                    score: own.reading.score().unwrap_or_default(),
                })
                .collect()
        };
        json::text(&Figures {
            head: Head::of("corpus", self.instrument, self.source()),
            talks: self.items,
            turns: self.turns,
            measured: self.measured(),
            insufficient: self.insufficient.0.iter().map(|own| (own.name, own.count)).collect(),
            errors: self.errors.0.iter().map(|own| (own.name, own.count)).collect(),
            mean_fidelity: (self.measured() > 0).then(|| Number(self.mean(self.fidelity))),
            score,
            histogram: self.scores.bins(BINS),
            markers: markers.collect(),
            roles: roles.collect(),
            course: (!periods.is_empty()).then(|| Periods { period: self.course.length(), periods }),
            groups,
            worst: shown(self.picks.worst()),
            median: shown(self.median()),
            best: shown(self.picks.best()),
            ics: self.ics,
        })
    }
}
