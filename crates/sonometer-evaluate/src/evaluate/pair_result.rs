//! The JSON of an evaluation of pairs: one object, its keys always in the same order.

use super::interval::RESAMPLES;
use super::measure::share;
use super::pairs::{FIGURES, Figures, MarkerFigures, PairEvaluation, Point, Tally, Wrong};
use super::result::Number;
use super::shown::{By, Shown, Worst};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::json;
use sonometer::Unit;
use sonometer_report::json::Target;

/// The most differences that are listed.
const CURVE: usize = 101;

impl PairEvaluation {
    /// The points of the curve: all, or evenly chosen ones with the first and the last.
    pub(crate) fn curve(&self) -> Vec<Point> {
        let points = &self.points;
        match points.len() <= CURVE {
            true => points.clone(),
            false => (0..CURVE).map(|nth| points[nth * (points.len() - 1) / (CURVE - 1)]).collect(),
        }
    }

    /// The share of the pairs of which both texts were measured.
    pub(crate) fn coverage(&self) -> Option<Unit> {
        share(self.covered.tally.pairs(), self.figures.tally.pairs())
    }

    /// What makes a pair right, in words.
    pub(crate) fn rule(&self) -> String {
        format!("the text with the higher {} is the one that the label names", self.gauge.name())
    }
}

impl Serialize for PairEvaluation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("target", &Target::of_any(&self.instrument))?;
        map.serialize_entry("data", &self.data)?;
        let (ranked_by, right_if) = (self.gauge.name(), self.rule());
        map.serialize_entry("rule", &Rule { unit: "pairs", ranked_by, right_if })?;
        map.serialize_entry("coverage", &self.coverage().map(Number))?;
        map.serialize_entry("intervals", &Intervals::of(self.independent))?;
        map.serialize_entry("figures", &self.figures)?;
        map.serialize_entry("covered", &self.covered)?;
        map.serialize_entry("longer_accuracy", &self.longer.map(Number))?;
        map.serialize_entry("markers", &self.markers)?;
        if let Some((label, parts)) = &self.by {
            let parts = parts.iter().map(|(value, tally)| Part { value, tally }).collect();
            map.serialize_entry("by", &By { label, parts })?;
        }
        map.serialize_entry("curve", &self.curve())?;
        let (count, worst) = &self.errors;
        let explained = self.explain;
        let worst = worst.iter().map(|wrong| WrongPair { wrong, explained }).collect();
        map.serialize_entry("errors", &Worst { count: Some(*count), worst })?;
        map.serialize_entry("notes", &self.notes)?;
        map.end()
    }
}

#[derive(serde::Serialize)]
struct Rule {
    unit: &'static str,
    ranked_by: String,
    right_if: String,
}

/// How the intervals were worked out.
#[derive(serde::Serialize)]
struct Intervals {
    level: Number,
    decided: &'static str,
    decided_accuracy: &'static str,
    accuracy: &'static str,
    resamples: usize,
}

impl Intervals {
    fn of(independent: bool) -> Self {
        let shares = if independent { "wilson" } else { "bootstrap" };
        Self {
            level: Number(Unit(950_000)),
            decided: shares,
            decided_accuracy: shares,
            accuracy: "bootstrap",
            resamples: RESAMPLES,
        }
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("pairs", &self.tally.pairs())?;
        map.serialize_entry("counts", &self.tally)?;
        for (name, estimate) in FIGURES.iter().zip(&self.estimates) {
            map.serialize_entry(name, estimate)?;
        }
        map.end()
    }
}

impl MarkerFigures {
    /// Of the pairs that it decides, the share that is right.
    pub(crate) fn accuracy(&self) -> Option<Unit> {
        share(self.right, self.right + self.wrong)
    }
}

impl Serialize for MarkerFigures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("metamarker", &self.label)?;
        map.serialize_entry("right", &self.right)?;
        map.serialize_entry("wrong", &self.wrong)?;
        map.serialize_entry("decided_accuracy", &self.accuracy().map(Number))?;
        map.end()
    }
}

struct Part<'a> {
    value: &'a str,
    tally: &'a Tally,
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("value", self.value)?;
        map.serialize_entry("pairs", &self.tally.pairs())?;
        map.serialize_entry("counts", self.tally)?;
        map.serialize_entry("accuracy", &self.tally.accuracy().map(Number))?;
        map.serialize_entry("decided_accuracy", &self.tally.decided_accuracy().map(Number))?;
        map.end()
    }
}

impl Point {
    /// Of the pairs that differ so much, the share that is right.
    pub(crate) fn accuracy(&self) -> Option<Unit> {
        share(self.right, self.right + self.wrong)
    }
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("difference", &Number(self.least))?;
        map.serialize_entry("right", &self.right)?;
        map.serialize_entry("wrong", &self.wrong)?;
        map.serialize_entry("decided_accuracy", &self.accuracy().map(Number))?;
        map.end()
    }
}

struct WrongPair<'a> {
    wrong: &'a Wrong,
    explained: bool,
}

impl Serialize for WrongPair<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Wrong { item, case, sensed: [a, b], values } = self.wrong;
        let told = |sensed, value| Shown { sensed, value, explained: self.explained };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &item.id)?;
        map.serialize_entry("line", &item.line)?;
        map.serialize_entry("label", &json!(if case.first { "a" } else { "b" }))?;
        map.serialize_entry("interaction_a", &told(a, values[0]))?;
        map.serialize_entry("interaction_b", &told(b, values[1]))?;
        map.end()
    }
}
