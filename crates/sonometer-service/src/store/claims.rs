//! Claims of jobs and notifications that end later than anybody here could have made them: by the clock of another node that is
//! ahead, or by this one before it was set back.

use super::{Store, down};
use crate::refusal::Refusal;
use sqlx::Row;

/// So many are looked at at once.
const MOST: i64 = 1_000;

/// What is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Claimable {
    Job,
    Delivery,
}

impl Store {
    /// Id and end of each claim that ends behind a moment.
    pub(crate) async fn claims_beyond(
        &self,
        what: Claimable,
        ms: i64,
    ) -> Result<Vec<(String, i64)>, Refusal> {
        let query = match what {
            Claimable::Job => {
                "SELECT id, lease_ms FROM jobs WHERE status = 'processing' AND lease_ms > $1 ORDER BY id LIMIT $2"
            }
            Claimable::Delivery => {
                "SELECT id, lease_ms FROM deliveries WHERE status = 'waiting' AND lease_ms > $1 ORDER BY id LIMIT $2"
            }
        };
        let rows = sqlx::query(query).bind(ms).bind(MOST).fetch_all(&self.readers).await.map_err(down)?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect::<Result<_, _>>().map_err(down)
    }

    /// Ends a claim, if it is still the same; whether it was. A worker that lives all the same may come to its end, as long as
    /// nobody else has begun.
    pub(crate) async fn end_claim(&self, what: Claimable, id: &str, lease_ms: i64) -> Result<bool, Refusal> {
        let statement = match what {
            Claimable::Job => {
                "UPDATE jobs SET lease_ms = 0 WHERE id = $1 AND lease_ms = $2 AND status = 'processing'"
            }
            Claimable::Delivery => {
                "UPDATE deliveries SET lease_ms = 0 WHERE id = $1 AND lease_ms = $2 AND status = 'waiting'"
            }
        };
        let done = sqlx::query(statement).bind(id).bind(lease_ms).execute(&self.writer).await;
        done.map(|done| done.rows_affected() > 0).map_err(down)
    }
}
