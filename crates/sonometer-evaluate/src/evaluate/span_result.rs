//! The JSON of an evaluation of places: one object, its keys always in the same order.

use super::measure::Estimate;
use super::result::{Intervals, Number};
use super::spans::{FIGURES, SpanEvaluation, Tally, WrongSpan};
use serde::ser::{Serialize, SerializeMap, Serializer};
use sonometer_report::excerpt;
use sonometer_report::json::Target;

impl Serialize for SpanEvaluation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let types: Vec<Row<'_>> = self
            .types
            .iter()
            .map(|(name, markers, tally)| Row { name: ("type", name), markers, tally })
            .collect();
        let markers: Vec<Row<'_>> = self
            .markers
            .iter()
            .map(|(name, tally)| Row { name: ("metamarker", name), markers: &[], tally })
            .collect();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("target", &Target::of(self.sensor.protocol()))?;
        map.serialize_entry("data", &self.data)?;
        map.serialize_entry("rule", &serde_json::json!({"unit": "spans"}))?;
        map.serialize_entry("coverage", &self.coverage().map(Number))?;
        map.serialize_entry("intervals", &Intervals::of(false))?;
        map.serialize_entry("figures", &Block(self.items, &self.all))?;
        map.serialize_entry("covered", &Block(self.covered_items, &self.covered))?;
        map.serialize_entry("types", &types)?;
        map.serialize_entry("markers", &markers)?;
        map.serialize_entry("false_positives", &Wrongs(&self.wrong, "metamarker"))?;
        map.serialize_entry("false_negatives", &Wrongs(&self.missed, "type"))?;
        map.serialize_entry("alarms", &self.alarms)?;
        map.serialize_entry("notes", &self.notes)?;
        map.end()
    }
}

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("labels", &self.labels)?;
        map.serialize_entry("labels_found", &self.labels_found)?;
        map.serialize_entry("labels_exact", &self.labels_exact)?;
        map.serialize_entry("evidence", &self.evidence)?;
        map.serialize_entry("evidence_right", &self.evidence_right)?;
        map.serialize_entry("evidence_exact", &self.evidence_exact)?;
        map.end()
    }
}

struct Block<'a>(u64, &'a (Tally, [Option<Estimate>; 6]));

impl Serialize for Block<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(items, (tally, estimates)) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("items", items)?;
        map.serialize_entry("counts", tally)?;
        for (name, estimate) in FIGURES.iter().zip(estimates) {
            map.serialize_entry(name, estimate)?;
        }
        map.end()
    }
}

struct Row<'a> {
    name: (&'static str, &'a str),
    markers: &'a [String],
    tally: &'a Tally,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(self.name.0, self.name.1)?;
        if !self.markers.is_empty() {
            map.serialize_entry("metamarkers", self.markers)?;
        }
        map.serialize_entry("counts", self.tally)?;
        for (name, value) in FIGURES.iter().zip(self.tally.figures()) {
            map.serialize_entry(name, &value.map(Number))?;
        }
        map.end()
    }
}

struct Wrongs<'a>(&'a (u64, Vec<WrongSpan>), &'static str);

impl Serialize for Wrongs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self((count, wrong), kind) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("count", count)?;
        map.serialize_entry("worst", &wrong.iter().map(|wrong| WrongPlace(wrong, kind)).collect::<Vec<_>>())?;
        map.end()
    }
}

struct WrongPlace<'a>(&'a WrongSpan, &'static str);

impl Serialize for WrongPlace<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(wrong, kind) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &wrong.item.id)?;
        map.serialize_entry("line", &wrong.item.line)?;
        map.serialize_entry(kind, &wrong.kind)?;
        map.serialize_entry("score", &wrong.score.map(Number))?;
        map.serialize_entry("source", &excerpt(&wrong.reading, wrong.turn, &wrong.range).inside)?;
        map.serialize_entry("segment", &wrong.turn)?;
        map.serialize_entry("start", &wrong.range.start)?;
        map.serialize_entry("end", &wrong.range.end)?;
        map.end()
    }
}
