//! The JSON that is the command's own: envelopes, fidelity, lists. Readings and ledgers are written by the engine.

use crate::echo::short;
use crate::failure::Told;
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;
use sonometer::{Fidelity, Instrument, Protocol, Unit};

/// A number as the engine prints it, never by way of a float.
pub(crate) fn number<S: Serializer>(value: &Unit, serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(value.to_string()).map_err(S::Error::custom)?.serialize(serializer)
}

/// One line of JSON.
pub(crate) fn line(value: &impl Serialize) -> String {
    // Plain structs of texts and numbers always have a JSON form.
    let mut text = serde_json::to_string(value).unwrap_or_default();
    text.push('\n');
    text
}

/// What was used.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Target<'a> {
    r#type: &'static str,
    id: &'a str,
    version: &'a str,
}

impl<'a> Target<'a> {
    pub(crate) fn of(protocol: &'a Protocol) -> Self {
        Self { r#type: "protocol", id: &protocol.id, version: &protocol.version }
    }

    pub(crate) fn of_any(instrument: &'a Instrument) -> Self {
        Self { r#type: instrument.kind().as_str(), id: instrument.id(), version: instrument.version() }
    }
}

/// How much an input holds.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Sufficiency {
    #[serde(serialize_with = "number")]
    index: Unit,
    sufficient: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    roles_asked: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    roles_seen: Option<Vec<String>>,
}

impl From<Fidelity> for Sufficiency {
    fn from(fidelity: Fidelity) -> Self {
        let roles = fidelity.unheard.as_deref().cloned();
        let (roles_asked, roles_seen) = roles.map(|roles| (roles.asked, roles.seen)).unzip();
        Self { index: fidelity.index, sufficient: fidelity.sufficient, roles_asked, roles_seen }
    }
}

#[derive(serde::Serialize)]
struct Envelope<'a> {
    error: Body<'a>,
}

#[derive(serde::Serialize)]
struct Body<'a> {
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details>,
}

#[derive(serde::Serialize)]
struct Details {
    fidelity: Sufficiency,
}

/// The error envelope of the interface, on one line.
pub(crate) fn error(told: &Told) -> String {
    let details = told.fidelity.clone().map(|fidelity| Details { fidelity: fidelity.into() });
    line(&Envelope { error: Body { code: told.code.as_str(), message: &short(&told.message), details } })
}
