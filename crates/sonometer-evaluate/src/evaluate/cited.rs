//! The evidence of any reading, each piece with the marker it is of, and names that hold from one version to the next.

use sonometer::{AnyReading, Evidence, Protocol, Reading, Resonance};

/// A piece of evidence.
#[derive(Debug)]
pub struct Cited<'r> {
    /// What the target calls the marker.
    pub marker: &'r str,
    /// The place of the reading of its protocol.
    pub at: usize,
    /// The reading of its protocol.
    pub reading: &'r Reading,
    /// The place of the marker in that.
    pub number: usize,
    /// The piece itself.
    pub evidence: Evidence<'r>,
}

/// What each marker came to, with its full name.
pub fn named_resonance(reading: &AnyReading) -> Vec<(String, Resonance)> {
    let mut all = Vec::new();
    for (at, own) in reading.readings().iter().enumerate() {
        all.extend(own.resonance().map(|(label, found)| (full_name(reading, at, label), found)));
    }
    all
}

/// The name of a marker that stays the same whatever other protocols come or go: its label, in a composition
/// `protocol/label`, where that has several versions of a protocol `protocol@version/label`. `at`: the place of its reading.
pub fn full_name(reading: &AnyReading, at: usize, label: &str) -> String {
    let AnyReading::Composition(whole) = reading else { return label.to_owned() };
    let readings = whole.readings();
    let Protocol { id, version, .. } = readings[at].protocol();
    match readings.iter().filter(|other| other.protocol().id == *id).count() {
        1 => format!("{id}/{label}"),
        _ => format!("{id}@{version}/{label}"),
    }
}

/// The evidence in the order of the text.
pub fn cited(reading: &AnyReading) -> Vec<Cited<'_>> {
    let mut all = Vec::new();
    for (at, own) in reading.readings().iter().enumerate() {
        let markers = &own.protocol().markers;
        for evidence in own.evidence() {
            let number = markers.iter().position(|marker| marker.label == evidence.metamarker);
            let number = number.unwrap_or_default();
            let marker = match reading {
                AnyReading::Sensor(_) => evidence.metamarker,
                AnyReading::Composition(whole) => whole.composition().key(at, number),
            };
            all.push(Cited { marker, at, reading: own, number, evidence });
        }
    }
    all.sort_by_key(|cited| (cited.evidence.turn, cited.evidence.range.start, cited.evidence.range.end));
    all
}
