//! What measures, as headings show it.

use sonometer::protocol::Protocol;
use sonometer::{Instrument, TargetKind};

/// A protocol, metric or blueprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// `courtesy@1.0`, `metric reply-quality@1.0`.
    pub reference: String,
    /// Empty where there is none.
    pub description: String,
}

impl From<&Protocol> for Subject {
    fn from(protocol: &Protocol) -> Self {
        Self {
            name: protocol.name.clone(),
            reference: format!("{}@{}", protocol.id, protocol.version),
            description: protocol.description.clone(),
        }
    }
}

impl From<&Instrument> for Subject {
    fn from(instrument: &Instrument) -> Self {
        match instrument.sensor() {
            Some(sensor) => Self::from(sensor.protocol()),
            None => Self {
                name: instrument.name().to_owned(),
                reference: reference(instrument),
                description: String::new(),
            },
        }
    }
}

/// Whether it is a protocol, metric or blueprint, and which: `metric reply-quality@1.0`; of a protocol the rest alone.
pub fn reference(instrument: &Instrument) -> String {
    let (id, version) = (instrument.id(), instrument.version());
    match instrument.kind() {
        TargetKind::Protocol => format!("{id}@{version}"),
        kind => format!("{} {id}@{version}", kind.as_str()),
    }
}
