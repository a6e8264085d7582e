//! The bill of an account: every measurement that was charged, with the request that it came from. As pages, the newest first;
//! or as a whole, to a file.

#[cfg(feature = "parquet")]
mod columns;
mod entry;
mod export;
mod format;
mod query;

pub use export::Export;
pub use format::{Format, Writer};
pub use query::Asked;

use crate::json::number;
use crate::refusal::Refusal;
use crate::store::{LedgerRow, Position, Rows, Store, Sums};
use crate::{Caller, Service};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use entry::Entry;
use serde::Serialize;
use sonometer::Unit;

#[derive(Serialize)]
struct Charges<'a> {
    charges: Vec<Entry<'a>>,
    /// Of all pages together; on the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    totals: Option<Totals>,
    limit: u64,
    next_cursor: Option<String>,
}

#[derive(Serialize)]
struct Totals {
    ics: u64,
    overage_ics: u64,
    #[serde(serialize_with = "number")]
    cost_usd: Unit,
    analyses: u64,
}

impl From<Sums> for Totals {
    fn from(sums: Sums) -> Self {
        let Sums { rows, units, overage, cost_usd } = sums;
        Self { ics: units, overage_ics: overage, cost_usd, analyses: rows }
    }
}

impl Service {
    /// `GET /api/v1/usage/charges`: every measurement that was charged to the account of the token, the newest first.
    ///
    /// # Errors
    /// `invalid_request` for a bad parameter, `unavailable`.
    pub async fn charges(&self, caller: &Caller, asked: &Asked) -> Result<String, Refusal> {
        let Asked { filter, limit, cursor, .. } = asked;
        let behind = cursor.as_deref().map(position).transpose()?;
        let account = Store::account_of(caller.org(), caller.mode());
        let store = &self.inner.store;
        let _place = self.place_at_ledger(caller.org()).await?;
        let totals = match behind {
            None => Some(store.row_sums(&account, filter).await?.into()),
            Some(_) => None,
        };
        // One more says whether there is a next page.
        let Rows { mut rows, is_end } =
            store.newest_rows(&account, filter, behind.as_ref(), limit + 1).await?;
        let most = usize::try_from(*limit).unwrap_or(usize::MAX);
        let more = !is_end;
        rows.truncate(most);
        let next_cursor = rows.last().filter(|_| more).map(cursor_behind);
        let charges = rows.iter().map(|row| Entry::of(row, caller.mode())).collect();
        Ok(crate::json::text(&Charges { charges, totals, limit: *limit, next_cursor }))
    }

    /// `GET /api/v1/usage/export`: the same as a whole, the oldest first, as it is when this is called.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn export(&self, caller: &Caller, asked: &Asked) -> Result<Export, Refusal> {
        Export::begin(self, caller.org(), caller.mode(), asked.filter.clone()).await
    }
}

/// The place behind a row, as clients send it back. It holds nothing that the row did not show.
fn cursor_behind(row: &LedgerRow) -> String {
    let Position { at_ms, charge, line } = Position::behind(row);
    BASE64_URL_SAFE_NO_PAD.encode(format!("{at_ms} {line} {charge}"))
}

/// The longest cursor.
const CURSOR_MOST: usize = 256;

/// The place that a cursor names. Whose row it was does not matter: only rows of the caller's own account are looked for.
fn position(cursor: &str) -> Result<Position, Refusal> {
    let read = || {
        let bytes =
            (cursor.len() <= CURSOR_MOST).then(|| BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()).flatten()?;
        let text = String::from_utf8(bytes).ok()?;
        let (at_ms, rest) = text.split_once(' ')?;
        let (line, charge) = rest.split_once(' ')?;
        crate::text::check("cursor", charge).ok()?;
        Some(Position { at_ms: at_ms.parse().ok()?, charge: charge.to_owned(), line: line.parse().ok()? })
    };
    read().ok_or_else(|| {
        Refusal::invalid(
            "cursor",
            "`cursor` is not one that was given; send `next_cursor` of the page before",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_back_and_nothing_else_does() {
        let at = Position { at_ms: 1_700_000_000_123, charge: "dive_1/3".to_owned(), line: 7 };
        let row = LedgerRow {
            charge: at.charge.clone(),
            line: 7,
            period: String::new(),
            at_ms: at.at_ms,
            token: String::new(),
            request: String::new(),
            key: String::new(),
            kind: String::new(),
            target_type: String::new(),
            target_id: String::new(),
            target_version: String::new(),
            target_digest: String::new(),
            markers: String::new(),
            units: 0,
            overage: 0,
            cost_usd: Unit::ZERO,
        };
        assert_eq!(position(&cursor_behind(&row)), Ok(at));
        let of = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
        let long = "a".repeat(CURSOR_MOST + 1);
        for bad in ["", "!", &of("1"), &of("1 2"), &of("x 2 c"), &of("1 x c"), &of("1 2 c\0"), &long] {
            assert!(position(bad).is_err(), "{bad}");
        }
    }
}
