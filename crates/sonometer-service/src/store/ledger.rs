//! The ledger: one row for each line of a charge, and the sums of an account in a period, which are its rows added up.

use super::charge::{Charge, Line};
use super::statements::Texts;
use super::{Dialect, stored};
use crate::account::Used;
use crate::cause::Cause;
use crate::period::Period;
use sonometer::Unit;
use sqlx::any::AnyArguments;
use sqlx::query::Query;
use sqlx::{Any, Transaction};
use std::collections::BTreeMap;

/// Rows in one INSERT. With 22 values each they are 1,408 parameters, within the limits of PostgreSQL (65,535) and of the SQLite
/// that is compiled in (32,766).
pub(super) const ROWS: usize = 64;

/// What [`bound`] gives values for.
pub(super) const COLUMNS: &str = "charge_id, line, account_id, token_id, period, at_ms, route, target_type, target_id, target_version, units, \
     overage, cost_micros, request_id, idempotency_key, kind, target_digest, markers, number, used_after, overage_after, cost_after";
pub(super) const WIDTH: usize = 22;

/// A row of the ledger that is still to be written.
pub(super) struct Entry<'c> {
    pub(super) charge: &'c Charge,
    /// The number of the line in its charge, from 0.
    pub(super) place: i64,
    pub(super) line: &'c Line,
    /// ICS of the line beyond the quota.
    pub(super) overage: u64,
    /// What these cost.
    pub(super) cost: Unit,
    /// The number of the row in its account and period, from 1.
    pub(super) number: i64,
    /// What the account used in the period once this row is written.
    pub(super) after: Used,
}

/// Writes rows and adds them to the sums of their accounts. Few statements for many charges: each is a round trip to the
/// database. Leaves no rows behind.
pub(super) async fn write(
    work: &mut Transaction<'_, Any>,
    dialect: Dialect,
    entries: &mut Vec<Entry<'_>>,
) -> Result<(), sqlx::Error> {
    for ((account, period), sum) in sums(entries) {
        sqlx::query(
            "UPDATE consumption SET used = used + $3, overage = overage + $4, cost_micros = cost_micros + $5, \
             analyses = analyses + $6 WHERE account_id = $1 AND period = $2",
        )
        .bind(account)
        .bind(period.to_string())
        .bind(sum.units)
        .bind(sum.overage)
        .bind(sum.cost)
        .bind(sum.analyses)
        .execute(&mut **work)
        .await?;
    }
    for rows in entries.chunks(ROWS) {
        insert(work, dialect, rows).await?;
    }
    entries.clear();
    Ok(())
}

/// What entries add to the row of one account and period.
#[derive(Default)]
struct Sum {
    units: i64,
    overage: i64,
    cost: i64,
    /// How many lines there are.
    analyses: i64,
}

fn sums<'c>(entries: &[Entry<'c>]) -> BTreeMap<(&'c str, Period), Sum> {
    let mut sums: BTreeMap<_, Sum> = BTreeMap::new();
    for entry in entries {
        let sum = sums.entry((entry.charge.account.as_str(), entry.charge.period)).or_default();
        sum.units = sum.units.saturating_add(stored(entry.line.units));
        sum.overage = sum.overage.saturating_add(stored(entry.overage));
        sum.cost = sum.cost.saturating_add(entry.cost.0);
        sum.analyses = sum.analyses.saturating_add(1);
    }
    sums
}

async fn insert(
    work: &mut Transaction<'_, Any>,
    dialect: Dialect,
    rows: &[Entry<'_>],
) -> Result<(), sqlx::Error> {
    static ALL: Texts<ROWS> = Texts::new();
    let text = ALL
        .of(dialect, rows.len(), WIDTH, |places| format!("INSERT INTO ledger ({COLUMNS}) VALUES {places}"));
    rows.iter().fold(sqlx::query(text), bound).execute(&mut **work).await.map(drop)
}

/// A statement with the values of a row.
pub(super) fn bound<'q>(
    insert: Query<'q, Any, AnyArguments>,
    entry: &Entry<'q>,
) -> Query<'q, Any, AnyArguments> {
    let Entry { charge, place, line, overage, cost, number, after } = entry;
    let Cause { request, key, kind } = &charge.cause;
    insert
        .bind(&charge.id)
        .bind(*place)
        .bind(&charge.account)
        .bind(&charge.token)
        .bind(charge.period.to_string())
        .bind(charge.at_ms)
        .bind(charge.route)
        .bind(line.target.r#type)
        .bind(&line.target.id)
        .bind(&line.target.version)
        .bind(stored(line.units))
        .bind(stored(*overage))
        .bind(cost.0)
        .bind(request)
        .bind(key)
        .bind(kind.as_str())
        .bind(&*line.digest)
        .bind(&line.markers)
        .bind(*number)
        .bind(stored(after.units))
        .bind(stored(after.overage))
        .bind(after.cost_usd.0)
}
