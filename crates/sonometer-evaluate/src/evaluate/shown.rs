//! What was found in a text by any target, for programs.

use super::cited::cited;
use super::result::Number;
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use sonometer::{AnyReading, Reading, Unit};

/// One text with its evidence, for programs.
pub(crate) struct Shown<'r> {
    pub(crate) sensed: &'r AnyReading,
    pub(crate) value: Unit,
    pub(crate) explained: bool,
}

#[derive(serde::Serialize)]
struct Quoted<'r> {
    metamarker: &'r str,
    score: Number,
    source: &'r str,
    segment: usize,
    start: usize,
    end: usize,
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
        let quoted = evidence.iter().map(|cited| Quoted {
            metamarker: cited.marker,
            score: Number(cited.evidence.score),
            source: &cited.evidence.source,
            segment: cited.evidence.turn,
            start: cited.evidence.range.start,
            end: cited.evidence.range.end,
        });
        map.serialize_entry("value", &Number(self.value))?;
        map.serialize_entry("score", &self.sensed.score().map(Number))?;
        map.serialize_entry("fidelity", &Number(fidelity.index))?;
        map.serialize_entry("sufficient", &fidelity.sufficient)?;
        map.serialize_entry("evidence", &quoted.collect::<Vec<_>>())?;
        if self.explained {
            map.serialize_entry("ledgers", &ledgers(self.sensed.readings()).map_err(M::Error::custom)?)?;
        }
        Ok(())
    }
}

/// The ledger of every reading, as the engine writes it.
pub(crate) fn ledgers(readings: &[Reading]) -> Result<Vec<Box<RawValue>>, serde_json::Error> {
    readings.iter().map(|reading| RawValue::from_string(reading.ledger().to_json())).collect()
}
