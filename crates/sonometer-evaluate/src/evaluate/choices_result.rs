//! The JSON of an evaluation of choices: one object, its keys always in the same order.

use super::choices::{ChoiceEvaluation, FIGURES, Figures, Wrong};
use super::interval::RESAMPLES;
use super::measure::{Counts, share};
use super::result::Number;
use super::shown::{By, Shown, Worst};
use serde::ser::{Serialize, SerializeMap, Serializer};
use sonometer::Unit;
use sonometer_report::json::Target;

impl ChoiceEvaluation {
    /// The share of the items that were measured.
    pub(crate) fn coverage(&self) -> Option<Unit> {
        share(self.covered.items as u64, self.figures.items as u64)
    }
}

impl Serialize for ChoiceEvaluation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("target", &Target::of(self.sensor.protocol()))?;
        map.serialize_entry("data", &self.data)?;
        map.serialize_entry("rule", &Rule { unit: "choice", chosen: self.values.rule() })?;
        map.serialize_entry("coverage", &self.coverage().map(Number))?;
        map.serialize_entry("intervals", &Intervals::of(self.independent))?;
        map.serialize_entry("figures", &self.figures)?;
        map.serialize_entry("covered", &self.covered)?;
        let values = self.values.names.iter().zip(&self.counts).zip(&self.confusion);
        let values =
            values.map(|((value, counts), row)| Value { value, counts, row, names: &self.values.names });
        map.serialize_entry("values", &values.collect::<Vec<_>>())?;
        if let Some((label, parts)) = &self.by {
            let part = |(value, items, right): &(String, u64, u64)| Part {
                value: value.clone(),
                items: *items,
                accuracy: share(*right, *items).map(Number),
            };
            map.serialize_entry("by", &By { label, parts: parts.iter().map(part).collect() })?;
        }
        let (count, worst) = &self.errors;
        let worst = worst.iter().map(|wrong| Error { wrong, explained: self.explain }).collect();
        map.serialize_entry("errors", &Worst { count: Some(*count), worst })?;
        map.serialize_entry("notes", &self.notes)?;
        map.end()
    }
}

#[derive(serde::Serialize)]
struct Rule {
    unit: &'static str,
    chosen: String,
}

/// How the intervals were worked out.
#[derive(serde::Serialize)]
struct Intervals {
    level: Number,
    accuracy: &'static str,
    macro_f1: &'static str,
    resamples: usize,
}

impl Intervals {
    fn of(independent: bool) -> Self {
        Self {
            level: Number(Unit(950_000)),
            accuracy: if independent { "wilson" } else { "bootstrap" },
            macro_f1: "bootstrap",
            resamples: RESAMPLES,
        }
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("items", &self.items)?;
        for (name, estimate) in FIGURES.iter().zip(&self.estimates) {
            map.serialize_entry(name, estimate)?;
        }
        map.end()
    }
}

/// One value: its figures, and what was chosen for the items that have it.
struct Value<'a> {
    value: &'a str,
    counts: &'a Counts,
    row: &'a [u64],
    names: &'a [String],
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("value", self.value)?;
        map.serialize_entry("items", &self.counts.positives())?;
        map.serialize_entry("chosen", &self.counts.predicted())?;
        map.serialize_entry("precision", &self.counts.precision().map(Number))?;
        map.serialize_entry("recall", &self.counts.recall().map(Number))?;
        map.serialize_entry("f1", &self.counts.f1().map(Number))?;
        map.serialize_entry("chosen_for_them", &Row { names: self.names, counts: self.row })?;
        map.end()
    }
}

/// How often each value was chosen for the items of one; `(none)`: nothing was chosen.
struct Row<'a> {
    names: &'a [String],
    counts: &'a [u64],
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = self.names.iter().map(String::as_str).chain(["(none)"]);
        serializer.collect_map(names.zip(self.counts))
    }
}

#[derive(serde::Serialize)]
struct Part {
    value: String,
    items: u64,
    accuracy: Option<Number>,
}

struct Error<'a> {
    wrong: &'a Wrong,
    explained: bool,
}

impl Serialize for Error<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Wrong { item, reading, right, chosen, value } = self.wrong;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &item.id)?;
        map.serialize_entry("line", &item.line)?;
        map.serialize_entry("right", right)?;
        map.serialize_entry("chosen", chosen)?;
        Shown { sensed: reading, value: *value, explained: self.explained }.entries(&mut map)?;
        map.end()
    }
}
