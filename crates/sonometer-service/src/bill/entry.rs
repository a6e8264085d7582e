//! A row of the ledger in JSON: an entry of a page, or a line of an export.

use crate::json::number;
use crate::period::iso;
use crate::store::LedgerRow;
use crate::token::Mode;
use serde::Serialize;
use sonometer::Unit;

/// A row; what is not known of it is null.
#[derive(Serialize)]
pub(super) struct Entry<'a> {
    timestamp: String,
    period: &'a str,
    request_id: Option<&'a str>,
    charge_id: &'a str,
    line: u64,
    token_id: &'a str,
    mode: &'static str,
    kind: Option<&'a str>,
    target: Measured<'a>,
    ics_consumed: u64,
    metamarkers: Option<Vec<&'a str>>,
    overage_ics: u64,
    #[serde(serialize_with = "number")]
    cost_usd: Unit,
    idempotency_key: Option<&'a str>,
}

#[derive(Serialize)]
struct Measured<'a> {
    r#type: &'a str,
    id: &'a str,
    version: &'a str,
    digest: Option<&'a str>,
}

/// A text that may not be known.
pub(super) fn known(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// The metamarkers of a row; `None` if it was written by a version that kept none.
pub(super) fn markers(row: &LedgerRow) -> Option<Vec<&str>> {
    known(&row.kind).map(|_| row.markers.split_ascii_whitespace().collect())
}

impl<'a> Entry<'a> {
    pub(super) fn of(row: &'a LedgerRow, mode: Mode) -> Self {
        Self {
            timestamp: iso(row.at_ms),
            period: &row.period,
            request_id: known(&row.request),
            charge_id: &row.charge,
            line: row.line,
            token_id: &row.token,
            mode: mode.as_str(),
            kind: known(&row.kind),
            target: Measured {
                r#type: &row.target_type,
                id: &row.target_id,
                version: &row.target_version,
                digest: known(&row.target_digest),
            },
            ics_consumed: row.units,
            metamarkers: markers(row),
            overage_ics: row.overage,
            cost_usd: row.cost_usd,
            idempotency_key: known(&row.key),
        }
    }
}
