//! JSON as every door prints it: numbers never by way of a float, one object a line.

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;
use sonometer::{Instrument, Protocol, Unit};

/// A number as the engine prints it, never by way of a float.
///
/// # Errors
/// Those of the serializer.
pub fn number<S: Serializer>(value: &Unit, serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(value.to_string()).map_err(S::Error::custom)?.serialize(serializer)
}

/// One line of JSON, with its line break.
pub fn line(value: &impl Serialize) -> String {
    text(value) + "\n"
}

/// The same without the line break.
pub fn text(value: &impl Serialize) -> String {
    // Plain structs of texts and numbers always have a JSON form.
    serde_json::to_string(value).unwrap_or_default()
}

/// What was used.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Target<'a> {
    r#type: &'static str,
    id: &'a str,
    version: &'a str,
}

impl<'a> Target<'a> {
    /// A protocol.
    pub fn of(protocol: &'a Protocol) -> Self {
        Self { r#type: "protocol", id: &protocol.id, version: &protocol.version }
    }

    /// A protocol, metric or blueprint.
    pub fn of_any(instrument: &'a Instrument) -> Self {
        Self { r#type: instrument.kind().as_str(), id: instrument.id(), version: instrument.version() }
    }
}
