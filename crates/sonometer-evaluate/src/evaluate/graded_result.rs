//! The JSON of an evaluation against grades: one object, its keys always in the same order.

use super::graded::{Bin, GradedEvaluation, MarkerFigures, Wrong};
use super::interval::RESAMPLES;
use super::measure::{Estimate, share};
use super::result::Number;
use super::shown::{By, Shown, Worst};
use serde::ser::{Serialize, SerializeMap, Serializer};
use sonometer::Unit;
use sonometer_report::json::Target;

impl GradedEvaluation {
    /// The share of the items that were measured.
    pub(crate) fn coverage(&self) -> Option<Unit> {
        share(self.covered_items as u64, self.items as u64)
    }
}

impl Serialize for GradedEvaluation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("target", &Target::of_any(&self.instrument))?;
        map.serialize_entry("data", &self.data)?;
        map.serialize_entry("rule", &Rule { unit: "graded", ranked_by: self.gauge.name() })?;
        map.serialize_entry("coverage", &self.coverage().map(Number))?;
        map.serialize_entry("intervals", &Intervals::of(self.independent))?;
        map.serialize_entry("figures", &Figures { items: self.items, spearman: self.correlation })?;
        map.serialize_entry("covered", &Figures { items: self.covered_items, spearman: self.covered })?;
        map.serialize_entry("bins", &self.bins)?;
        map.serialize_entry("markers", &self.markers)?;
        if let Some((label, parts)) = &self.by {
            let part = |(value, items, spearman): &(String, usize, Option<Estimate>)| {
                let (value, items, spearman) = (value.clone(), *items, *spearman);
                Part { value, items, spearman }
            };
            map.serialize_entry("by", &By { label, parts: parts.iter().map(part).collect() })?;
        }
        let [high, low] = &self.errors;
        for (name, wrong) in [("too_high", high), ("too_low", low)] {
            let worst = wrong.iter().map(|wrong| Item { wrong, explained: self.explain }).collect();
            map.serialize_entry(name, &Worst { count: None, worst })?;
        }
        map.serialize_entry("notes", &self.notes)?;
        map.end()
    }
}

#[derive(serde::Serialize)]
struct Rule {
    unit: &'static str,
    ranked_by: String,
}

#[derive(serde::Serialize)]
struct Figures {
    items: usize,
    spearman: Option<Estimate>,
}

/// How the intervals were worked out.
#[derive(serde::Serialize)]
struct Intervals {
    level: Number,
    spearman: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    resamples: Option<usize>,
}

impl Intervals {
    fn of(independent: bool) -> Self {
        Self {
            level: Number(Unit(950_000)),
            spearman: if independent { "fisher_z_bonett_wright" } else { "bootstrap" },
            resamples: (!independent).then_some(RESAMPLES),
        }
    }
}

/// A grade; what is whole is written so.
struct Grade(f64);

impl Serialize for Grade {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match Unit::parse(&self.0.to_string()).filter(|unit| unit.0 % 1_000_000 == 0) {
            Some(whole) => serializer.serialize_i64(whole.0 / 1_000_000),
            None => serializer.serialize_f64(self.0),
        }
    }
}

impl Serialize for Bin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [first, median, third] = self.quartiles();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("from", &Grade(self.grades.0))?;
        map.serialize_entry("to", &Grade(self.grades.1))?;
        map.serialize_entry("items", &self.values.len())?;
        map.serialize_entry("mean", &Number(self.mean()))?;
        map.serialize_entry("first_quartile", &Number(first))?;
        map.serialize_entry("median", &Number(median))?;
        map.serialize_entry("third_quartile", &Number(third))?;
        map.end()
    }
}

impl Serialize for MarkerFigures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("metamarker", &self.label)?;
        map.serialize_entry("triggered", &self.triggered)?;
        map.serialize_entry("spearman", &self.correlation)?;
        map.end()
    }
}

#[derive(serde::Serialize)]
struct Part {
    value: String,
    items: usize,
    spearman: Option<Estimate>,
}

struct Item<'a> {
    wrong: &'a Wrong,
    explained: bool,
}

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Wrong { item, case, sensed, graded_above, ranked_above } = self.wrong;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &item.id)?;
        map.serialize_entry("line", &item.line)?;
        map.serialize_entry("grade", &Grade(case.grade))?;
        map.serialize_entry("graded_above", &Number(*graded_above))?;
        map.serialize_entry("ranked_above", &Number(*ranked_above))?;
        Shown { sensed, value: case.value, explained: self.explained }.entries(&mut map)?;
        map.end()
    }
}
