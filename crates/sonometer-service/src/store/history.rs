//! The ledger, read.

use super::accounts::account_id;
use super::{Store, count, down};
use crate::period::Period;
use crate::refusal::Refusal;
use crate::token::Mode;
use sonometer::Unit;
use sqlx::Row;
use sqlx::any::AnyRow;

/// One measurement that was charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub at_ms: i64,
    /// `protocol`, `metric` or `blueprint`.
    pub target_type: String,
    /// The id of the target.
    pub target_id: String,
    /// The version that was used.
    pub target_version: String,
    /// ICS, which is also the number of triggered metamarkers.
    pub units: u64,
    /// What it cost.
    pub cost_usd: Unit,
}

/// Which entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many at most.
    pub limit: u64,
    /// How many are left out before them.
    pub offset: u64,
}

/// The sums of a period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// ICS.
    pub units: u64,
    /// What they cost.
    pub cost_usd: Unit,
    /// Measurements.
    pub analyses: u64,
}

impl Store {
    /// Entries of a period, the newest first, and the sums of all of them.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn history(
        &self,
        org: &str,
        mode: Mode,
        period: Period,
        page: Page,
    ) -> Result<(Vec<Entry>, Totals), Refusal> {
        let account = account_id(org, mode);
        let rows = sqlx::query(
            "SELECT at_ms, target_type, target_id, target_version, units, cost_micros FROM ledger \
             WHERE account_id = $1 AND period = $2 ORDER BY at_ms DESC, charge_id DESC, line DESC \
             LIMIT $3 OFFSET $4",
        )
        .bind(&account)
        .bind(period.to_string())
        .bind(super::stored(page.limit))
        .bind(super::stored(page.offset))
        .fetch_all(&self.readers)
        .await
        .map_err(down)?;
        let entry = |row: &AnyRow| {
            Ok(Entry {
                at_ms: row.try_get(0)?,
                target_type: row.try_get(1)?,
                target_id: row.try_get(2)?,
                target_version: row.try_get(3)?,
                units: count(row.try_get(4)?),
                cost_usd: Unit(row.try_get(5)?),
            })
        };
        let entries = rows.iter().map(entry).collect::<Result<_, _>>().map_err(down)?;
        let sums = sqlx::query(
            "SELECT used, cost_micros, analyses FROM consumption WHERE account_id = $1 AND period = $2",
        )
        .bind(&account)
        .bind(period.to_string())
        .fetch_optional(&self.readers)
        .await
        .map_err(down)?;
        let totals = |row: AnyRow| {
            Ok(Totals {
                units: count(row.try_get(0)?),
                cost_usd: Unit(row.try_get(1)?),
                analyses: count(row.try_get(2)?),
            })
        };
        Ok((entries, sums.map(totals).transpose().map_err(down)?.unwrap_or_default()))
    }
}
