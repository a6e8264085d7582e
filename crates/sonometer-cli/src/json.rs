//! The JSON that is the command's own: envelopes, fidelity, lists. Readings and ledgers are written by the engine.

use crate::echo::short;
use crate::failure::Told;
pub(crate) use sonometer_report::json::{Sufficiency, Target, line, number, optional_number};
use sonometer_report::listing::Page;

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

/// The most items of a list that the interface gives at once.
const PAGE: usize = 100;

/// The first page of a list, as the interface gives it.
pub(crate) fn list<T: serde::Serialize>(name: &'static str, all: Vec<T>) -> String {
    let total = all.len();
    let items = all.into_iter().take(PAGE).collect();
    line(&Page { name, items, total, limit: PAGE as u64, offset: 0 })
}
