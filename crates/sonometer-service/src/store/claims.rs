//! What a clock that was ahead left behind, of another node or of this one before it was set back: claims that end later than
//! anybody here could have made them, and notifications that are planned later than anybody would plan them.

use super::{Store, down};
use crate::refusal::Refusal;
use sqlx::{Any, Row};

/// For so many numbers of attempts there is a plan of its own: none, and one for each pause.
pub(crate) const PLANS: usize = 7;
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

    /// Makes notifications due that are planned later than anybody would plan them: `furthest` says how far ahead of now that is,
    /// by the attempts they have had. How many there were.
    pub(crate) async fn plan_anew(&self, now_ms: i64, furthest: &[i64; PLANS]) -> Result<u64, Refusal> {
        const LATE: &str = "status = 'waiting' AND next_ms > $1 AND next_ms - $1 > CASE attempts \
             WHEN 0 THEN $2 WHEN 1 THEN $3 WHEN 2 THEN $4 WHEN 3 THEN $5 WHEN 4 THEN $6 WHEN 5 THEN $7 ELSE $8 END";
        let with = |sql: String| {
            let query = sqlx::query::<Any>(sqlx::AssertSqlSafe(sql)).bind(now_ms);
            furthest.iter().fold(query, |query, ahead| query.bind(*ahead))
        };
        // Readers do not wait for writers, and hardly ever is there one to change.
        let late = with(format!("SELECT id FROM deliveries WHERE {LATE} LIMIT 1"));
        if late.fetch_optional(&self.readers).await.map_err(down)?.is_none() {
            return Ok(0);
        }
        let done =
            with(format!("UPDATE deliveries SET next_ms = $1 WHERE {LATE}")).execute(&self.writer).await;
        done.map(|done| done.rows_affected()).map_err(down)
    }
}
