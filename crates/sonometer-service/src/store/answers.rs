//! Answers kept under the caller's `Idempotency-Key`, so that a request that is sent twice is charged once.

use super::statements::Texts;
use super::{Dialect, Store, down};
use crate::refusal::{Code, Refusal};
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};
use std::borrow::Cow;
use std::collections::HashMap;

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
    work: &mut Transaction<'_, Any>,
    account: &str,
    route: &str,
    key: &Key,
) -> Result<Option<(u16, String)>, Refusal> {
    let row = sqlx::query(ANSWERED).bind(account).bind(route).bind(&key.text);
    repeated(row.fetch_optional(&mut **work).await.map_err(down)?, key)
}

/// Where an answer is kept: account, route and the text of the key.
pub(super) type Place<'k> = (&'k str, &'k str, &'k str);

/// An answer that is kept, with the hash of the body that it answers.
pub(super) struct Kept<'k> {
    pub(super) body_sha: Cow<'k, str>,
    pub(super) answer: Cow<'k, str>,
    pub(super) status: i64,
    pub(super) at_ms: i64,
    /// Whether it is in the database already.
    pub(super) is_written: bool,
}

impl Kept<'_> {
    /// The status and the answer, if the body is the same.
    ///
    /// # Errors
    /// `idempotency_conflict`.
    pub(super) fn under(&self, key: &Key) -> Result<(u16, String), Refusal> {
        if self.body_sha == key.body_sha {
            return Ok((u16::try_from(self.status).unwrap_or(200), self.answer.clone().into_owned()));
        }
        let message = match key.is_own {
            // The caller sent no key, but named a stream.
            true => {
                "the stream that `Last-Event-ID` names had another body; leave the header out for a new stream"
            }
            false => "this `Idempotency-Key` was used with another body; use a new key for a new request",
        };
        Err(Refusal::new(Code::IdempotencyConflict, message))
    }
}

/// Places in one statement, and answers.
const PLACES: usize = 64;

/// The answers at places, within a transaction: a few statements for many places, since each is a way to the database and back.
pub(super) async fn kept_at<'k>(
    work: &mut Transaction<'_, Any>,
    dialect: Dialect,
    places: &[Place<'k>],
) -> Result<HashMap<Place<'k>, Kept<'k>>, sqlx::Error> {
    static ALL: Texts<PLACES> = Texts::new();
    let mut kept = HashMap::with_capacity(places.len());
    for places in places.chunks(PLACES) {
        let text = ALL.of(dialect, places.len(), 3, |rows| {
            format!(
                "SELECT k.column1, k.column2, k.column3, a.body_sha, a.answer, a.status, a.at_ms FROM (VALUES {rows}) AS k \
                 JOIN answers a ON a.account_id = k.column1 AND a.route = k.column2 AND a.idempotency_key = k.column3"
            )
        });
        let mut query = sqlx::query(text);
        for (account, route, key) in places {
            query = query.bind(*account).bind(*route).bind(*key);
        }
        for row in query.fetch_all(&mut **work).await? {
            let (account, route, key): (String, String, String) =
                (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            // The place of the caller, which outlives the row.
            let Some(place) = places.iter().find(|place| **place == (&*account, &*route, &*key)) else {
                continue;
            };
            let (body_sha, answer): (String, String) = (row.try_get(3)?, row.try_get(4)?);
            let (status, at_ms) = (row.try_get(5)?, row.try_get(6)?);
            let (body_sha, answer) = (body_sha.into(), answer.into());
            kept.insert(*place, Kept { body_sha, answer, status, at_ms, is_written: true });
        }
    }
    Ok(kept)
}

/// Keeps answers at their places.
pub(super) async fn keep(
    work: &mut Transaction<'_, Any>,
    dialect: Dialect,
    kept: &[(Place<'_>, &Kept<'_>)],
) -> Result<(), sqlx::Error> {
    static ALL: Texts<PLACES> = Texts::new();
    for kept in kept.chunks(PLACES) {
        let text = ALL.of(dialect, kept.len(), 7, |rows| {
            format!(
                "INSERT INTO answers (account_id, route, idempotency_key, body_sha, answer, at_ms, status) VALUES {rows}"
            )
        });
        let mut insert = sqlx::query(text);
        for ((account, route, key), Kept { body_sha, answer, status, at_ms, .. }) in kept {
            insert = insert.bind(*account).bind(*route).bind(*key).bind(&**body_sha).bind(&**answer);
            insert = insert.bind(*at_ms).bind(*status);
        }
        insert.execute(&mut **work).await?;
    }
    Ok(())
}

/// Keeps an answer under its key.
pub(super) async fn remember(
    work: &mut Transaction<'_, Any>,
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
fn repeated(row: Option<AnyRow>, key: &Key) -> Result<Option<(u16, String)>, Refusal> {
    let Some(row) = row else { return Ok(None) };
    let (body_sha, answer): (String, String) = (row.try_get(0).map_err(down)?, row.try_get(1).map_err(down)?);
    let (body_sha, answer) = (body_sha.into(), answer.into());
    let status = row.try_get(2).map_err(down)?;
    Kept { body_sha, answer, status, at_ms: 0, is_written: true }.under(key).map(Some)
}
