//! The invariant of metering: the sums of the ledger are the rows of consumption.

use super::{Store, down};
use crate::refusal::Refusal;
use sqlx::Row;

/// An account whose ledger says something else than its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The account: organization and mode.
    pub account: String,
    /// The period.
    pub period: String,
    /// Units, overage, cost and analyses of the row.
    pub row: [i64; 4],
    /// The same by the ledger.
    pub ledger: [i64; 4],
}

impl Store {
    /// Compares every row with its ledger, within one snapshot: how many rows there are, and what is wrong.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn check_ledger(&self) -> Result<(usize, Vec<Fault>), Refusal> {
        let rows = sqlx::query(
            "SELECT account_id, period, CAST(SUM(a) AS BIGINT), CAST(SUM(b) AS BIGINT), CAST(SUM(c) AS BIGINT), \
                    CAST(SUM(d) AS BIGINT), CAST(SUM(e) AS BIGINT), CAST(SUM(f) AS BIGINT), \
                    CAST(SUM(g) AS BIGINT), CAST(SUM(h) AS BIGINT) \
             FROM (SELECT account_id, period, used AS a, overage AS b, cost_micros AS c, analyses AS d, \
                          0 AS e, 0 AS f, 0 AS g, 0 AS h FROM consumption \
                   UNION ALL \
                   SELECT account_id, period, 0, 0, 0, 0, units, overage, cost_micros, 1 FROM ledger) AS both_sides \
             GROUP BY account_id, period ORDER BY account_id, period",
        )
        .fetch_all(&self.readers)
        .await
        .map_err(down)?;
        let mut faults = Vec::new();
        for row in &rows {
            let four = |from: usize| -> Result<[i64; 4], sqlx::Error> {
                Ok([
                    row.try_get(from)?,
                    row.try_get(from + 1)?,
                    row.try_get(from + 2)?,
                    row.try_get(from + 3)?,
                ])
            };
            let (said, summed) = (four(2).map_err(down)?, four(6).map_err(down)?);
            if said != summed {
                faults.push(Fault {
                    account: row.try_get(0).map_err(down)?,
                    period: row.try_get(1).map_err(down)?,
                    row: said,
                    ledger: summed,
                });
            }
        }
        Ok((rows.len(), faults))
    }
}
