//! The JSON that is the command's own: envelopes, fidelity, lists. Readings and ledgers are written by the engine.

use crate::echo::short;
use crate::failure::Told;
use sonometer::{Fidelity, Unit};
pub(crate) use sonometer_report::json::{Target, line, number};

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
