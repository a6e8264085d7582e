//! The evidence of any reading, each piece with the marker it is of, and names that hold from one version to the next.

use sonometer::{Evidence, Protocol, Reading, Resonance};

/// A piece of evidence.
#[derive(Debug)]
pub struct Cited<'r> {
    /// What the target calls the marker.
    pub marker: &'r str,
    /// The place of its protocol in the reading.
    pub at: usize,
    /// The reading.
    pub reading: &'r Reading,
    /// The place of the marker in its protocol.
    pub number: usize,
    /// The piece itself.
    pub evidence: Evidence<'r>,
}

impl Cited<'_> {
    /// The protocol that found it.
    pub fn protocol(&self) -> &Protocol {
        self.reading.parts()[self.at].protocol()
    }
}

/// What each marker came to, with its full name.
pub fn named_resonance(reading: &Reading) -> Vec<(String, Resonance)> {
    let mut all = Vec::new();
    for (at, own) in reading.parts().iter().enumerate() {
        all.extend(own.resonance().map(|(label, found)| (full_name(reading, at, label), found)));
    }
    all
}

/// The name of a marker that stays the same whatever other protocols come or go: its label, in a composition
/// `protocol/label`, where that has several versions of a protocol `protocol@version/label`. `at`: the place of its reading.
pub fn full_name(reading: &Reading, at: usize, label: &str) -> String {
    if reading.instrument().sensor().is_some() {
        return label.to_owned();
    }
    let readings = reading.parts();
    let Protocol { id, version, .. } = readings[at].protocol();
    match readings.iter().filter(|other| other.protocol().id == *id).count() {
        1 => format!("{id}/{label}"),
        _ => format!("{id}@{version}/{label}"),
    }
}

/// The evidence in the order of the text.
pub fn cited(reading: &Reading) -> Vec<Cited<'_>> {
    reading
        .evidence()
        .map(|evidence| Cited {
            marker: evidence.metamarker,
            at: evidence.part,
            reading,
            number: evidence.marker,
            evidence,
        })
        .collect()
}
