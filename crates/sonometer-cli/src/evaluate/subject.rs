//! What is evaluated, as headings show it.

use crate::target::reference;
use sonometer::Instrument;
use sonometer::protocol::Protocol;

/// A protocol, metric or blueprint.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) name: String,
    /// `courtesy@1.0`, `metric reply-quality@1.0`.
    pub(crate) reference: String,
    /// Empty where there is none.
    pub(crate) description: String,
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
