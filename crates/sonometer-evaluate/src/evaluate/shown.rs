//! What was found in a text by any target, for programs.

use super::result::Number;
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use sonometer::{Evidence, Reading, Unit};
use sonometer_report::cited;

/// One text with its evidence, for programs.
pub(crate) struct Shown<'r> {
    pub(crate) sensed: &'r Reading,
    pub(crate) value: Unit,
    pub(crate) explained: bool,
}

/// The figures for each value of another label.
#[derive(serde::Serialize)]
pub(super) struct By<'a, P> {
    pub(super) label: &'a str,
    pub(super) parts: Vec<P>,
}

/// The worst errors of one kind.
#[derive(serde::Serialize)]
pub(super) struct Worst<E> {
    /// How many there are; not told of grades, where nearly every item is above or below its grade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count: Option<usize>,
    pub(super) worst: Vec<E>,
}

/// A piece of evidence with its place.
#[derive(serde::Serialize)]
pub(super) struct Quoted<'r> {
    metamarker: &'r str,
    score: Number,
    source: &'r str,
    segment: usize,
    start: usize,
    end: usize,
}

impl<'r> Quoted<'r> {
    /// `marker`: what the target calls it.
    pub(super) fn of(marker: &'r str, found: &'r Evidence<'r>) -> Self {
        Self {
            metamarker: marker,
            score: Number(found.score),
            source: &found.source,
            segment: found.turn,
            start: found.range.start,
            end: found.range.end,
        }
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

impl Shown<'_> {
    /// Writes its keys into an object.
    pub(crate) fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let fidelity = self.sensed.fidelity();
        let evidence = cited(self.sensed);
        let quoted = evidence.iter().map(|cited| Quoted::of(cited.marker, &cited.evidence));
        map.serialize_entry("value", &Number(self.value))?;
        map.serialize_entry("score", &self.sensed.score().map(Number))?;
        map.serialize_entry("fidelity", &Number(fidelity.index))?;
        map.serialize_entry("sufficient", &fidelity.sufficient)?;
        map.serialize_entry("evidence", &quoted.collect::<Vec<_>>())?;
        if self.explained {
            map.serialize_entry("ledgers", &ledgers(self.sensed).map_err(M::Error::custom)?)?;
        }
        Ok(())
    }
}

/// The ledger of every reading, as the engine writes it.
pub(crate) fn ledgers(sensed: &Reading) -> Result<Vec<Box<RawValue>>, serde_json::Error> {
    sensed.parts().iter().map(|part| RawValue::from_string(part.ledger().to_json())).collect()
}
