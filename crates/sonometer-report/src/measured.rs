//! With what something was measured: the protocols with their digests, as reports name them.

use crate::json::{Target, number};
use serde::Serialize;
use sonometer::{Instrument, Unit};

/// A number as the engine prints it.
#[derive(Clone, Copy, Serialize)]
#[serde(transparent)]
pub(crate) struct Number(#[serde(serialize_with = "number")] pub(crate) Unit);

/// A protocol with its digest.
#[derive(Serialize)]
pub(crate) struct Measurer<'i> {
    id: &'i str,
    version: &'i str,
    digest: String,
}

/// What the figures of every report begin with.
#[derive(Serialize)]
pub(crate) struct Head<'i> {
    /// The version of this form.
    sonometer_report: u8,
    kind: &'static str,
    target: Target<'i>,
    protocols: Vec<Measurer<'i>>,
    engine: String,
    data: &'i str,
}

impl<'i> Head<'i> {
    /// Of a report of this kind; `data` is what was measured.
    pub(crate) fn of(kind: &'static str, instrument: &'i Instrument, data: &'i str) -> Self {
        let target = Target::of_any(instrument);
        let engine = sonometer::fingerprint().to_string();
        Self { sonometer_report: 1, kind, target, protocols: measurers(instrument), engine, data }
    }
}

/// The protocols of a target.
pub(crate) fn measurers(instrument: &Instrument) -> Vec<Measurer<'_>> {
    let of = |sensor: &sonometer::Sensor| sensor.protocol().digest().to_string();
    instrument
        .sensors()
        .iter()
        .map(|sensor| Measurer {
            id: &sensor.protocol().id,
            version: &sensor.protocol().version,
            digest: of(sensor),
        })
        .collect()
}

/// Rows that say with what was measured.
pub(crate) fn facts(instrument: &Instrument) -> Vec<(&'static str, String)> {
    let own = measurers(instrument)
        .into_iter()
        .map(|own| ("protocol", format!("{}@{}, digest {}", own.id, own.version, own.digest)));
    own.chain([("engine", sonometer::fingerprint().to_string())]).collect()
}
