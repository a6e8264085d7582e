//! JSON as every door prints it: numbers never by way of a float, one object a line.

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;
use sonometer::{Fidelity, Instrument, Protocol, Unit};

/// A number as the engine prints it, never by way of a float.
///
/// # Errors
/// Those of the serializer.
pub fn number<S: Serializer>(value: &Unit, serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(value.to_string()).map_err(S::Error::custom)?.serialize(serializer)
}

/// The same, or null.
///
/// # Errors
/// Those of the serializer.
pub fn optional_number<S: Serializer>(value: &Option<Unit>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => number(value, serializer),
        None => serializer.serialize_none(),
    }
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

/// Whether content holds enough.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Sufficiency {
    /// Density times clarity, 0 to 1.
    #[serde(serialize_with = "number")]
    pub index: Unit,
    /// Whether that is enough for the target.
    pub sufficient: bool,
    /// How much there is of what is needed; on SGM 1.5.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_number")]
    pub density: Option<Unit>,
    /// How much of it can be read; on SGM 1.5.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_number")]
    pub clarity: Option<Unit>,
    /// The roles that metamarkers ask for, if nobody has one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles_asked: Option<Vec<String>>,
    /// The roles that speak then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles_seen: Option<Vec<String>>,
}

impl From<Fidelity> for Sufficiency {
    fn from(fidelity: Fidelity) -> Self {
        let roles = fidelity.unheard.as_deref().cloned();
        let (roles_asked, roles_seen) = roles.map(|roles| (roles.asked, roles.seen)).unzip();
        let Fidelity { index, sufficient, .. } = fidelity;
        Self { index, sufficient, density: None, clarity: None, roles_asked, roles_seen }
    }
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
