//! Requests that all nodes count together: each takes some for itself, so that most requests ask nobody.

use super::{Dialect, Store, down, stored};
use crate::refusal::Refusal;
use sqlx::Row;

impl Store {
    /// Whether several nodes may share this store.
    pub(crate) fn is_shared(&self) -> bool {
        self.dialect == Dialect::Postgres
    }

    /// Takes requests of a token in a minute: how many all nodes have taken then, these included.
    pub(crate) async fn take_requests(&self, token: &str, minute: i64, count: u64) -> Result<u64, Refusal> {
        let taken = sqlx::query(
            "INSERT INTO rate_windows (token_id, minute, taken) VALUES ($1, $2, $3) \
             ON CONFLICT (token_id, minute) DO UPDATE SET taken = rate_windows.taken + $3 RETURNING taken",
        );
        let taken = taken.bind(token).bind(minute).bind(stored(count)).fetch_one(&self.writer).await;
        taken.and_then(|row| row.try_get(0)).map(super::count).map_err(down)
    }

    /// Forgets minutes that have passed.
    pub(crate) async fn forget_windows(&self, now_ms: i64) -> Result<(), Refusal> {
        // An hour stays, for nodes whose clocks differ.
        let before = now_ms.div_euclid(60_000) - 60;
        let done =
            sqlx::query("DELETE FROM rate_windows WHERE minute < $1").bind(before).execute(&self.writer);
        done.await.map(drop).map_err(down)
    }
}
