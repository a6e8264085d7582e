//! Answers kept under the caller's `Idempotency-Key`, so that a request that is sent twice is charged once.

use super::{Store, down};
use crate::refusal::{Code, Refusal};
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

/// An `Idempotency-Key` of a caller, with the hash of the body it came with. The hash tells a repeated request from a new one
/// that reuses the key by mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The header's value.
    pub text: String,
    /// SHA-256 of the body.
    pub body_sha: String,
    /// Whether the service made it, since the caller sent none.
    pub is_own: bool,
}

const ANSWERED: &str = "SELECT body_sha, answer, status FROM answers WHERE account_id = $1 AND route = $2 AND idempotency_key = $3";

impl Store {
    /// The status and the answer given under a key before, if one was.
    ///
    /// # Errors
    /// `idempotency_conflict` if the body was another.
    pub async fn answered(
        &self,
        account: &str,
        route: &str,
        key: &Key,
    ) -> Result<Option<(u16, String)>, Refusal> {
        let row = sqlx::query(ANSWERED).bind(account).bind(route).bind(&key.text);
        let row = row.fetch_optional(&self.readers).await.map_err(down)?;
        repeated(row, key)
    }

    /// Forgets answers that were given before a moment; how many.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn forget_answers(&self, before_ms: i64) -> Result<u64, Refusal> {
        self.delete_in_parts(
            "DELETE FROM answers WHERE (account_id, route, idempotency_key) IN \
             (SELECT account_id, route, idempotency_key FROM answers WHERE at_ms < $1 LIMIT $2)",
            before_ms,
        )
        .await
    }

    /// Deletes what is older than a moment (`$1`), some rows (`$2`) at a time, so that nobody waits long; how many.
    pub(super) async fn delete_in_parts(&self, sql: &'static str, before_ms: i64) -> Result<u64, Refusal> {
        let mut all = 0;
        loop {
            let done = sqlx::query(sql).bind(before_ms).bind(super::ROWS_AT_ONCE).execute(&self.writer).await;
            let done = done.map_err(down)?.rows_affected();
            all += done;
            if done == 0 {
                return Ok(all);
            }
        }
    }
}

/// As [`Store::answered`], within a transaction.
pub(super) async fn answered_in(
    work: &mut Transaction<'static, Any>,
    account: &str,
    route: &str,
    key: &Key,
) -> Result<Option<(u16, String)>, Refusal> {
    repeated(row_under(work, account, route, key).await.map_err(down)?, key)
}

/// The row under a key, within a transaction.
pub(super) async fn row_under(
    work: &mut Transaction<'static, Any>,
    account: &str,
    route: &str,
    key: &Key,
) -> Result<Option<AnyRow>, sqlx::Error> {
    let row = sqlx::query(ANSWERED).bind(account).bind(route).bind(&key.text);
    row.fetch_optional(&mut **work).await
}

/// Keeps an answer under its key.
pub(super) async fn remember(
    work: &mut Transaction<'static, Any>,
    account: &str,
    route: &str,
    key: &Key,
    status: i64,
    answer: &str,
    at_ms: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO answers (account_id, route, idempotency_key, body_sha, answer, at_ms, status) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(account)
    .bind(route)
    .bind(&key.text)
    .bind(&key.body_sha)
    .bind(answer)
    .bind(at_ms)
    .bind(status)
    .execute(&mut **work)
    .await
    .map(drop)
}

/// The answer in a row that was found under a key.
pub(super) fn repeated(row: Option<AnyRow>, key: &Key) -> Result<Option<(u16, String)>, Refusal> {
    let Some(row) = row else { return Ok(None) };
    let (sha, answer): (String, String) = (row.try_get(0).map_err(down)?, row.try_get(1).map_err(down)?);
    if sha == key.body_sha {
        let status: i64 = row.try_get(2).map_err(down)?;
        return Ok(Some((u16::try_from(status).unwrap_or(200), answer)));
    }
    let message = "this `Idempotency-Key` was used with another body; use a new key for a new request";
    Err(Refusal::new(Code::IdempotencyConflict, message))
}
