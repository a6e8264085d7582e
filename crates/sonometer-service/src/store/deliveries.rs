//! Notifications: due when their job has ended, claimed by one worker at a time, logged attempt by attempt.

use super::{Store, count, down, stored};
use crate::refusal::Refusal;
use sqlx::Row;
use sqlx::any::AnyRow;

/// So many organizations can be passed over.
pub(crate) const DELIVERIES_FULL: usize = 3;

/// A notification that a worker has claimed, with what is to be told.
#[derive(Clone, Debug)]
pub(crate) struct Due {
    pub(crate) id: String,
    pub(crate) org: String,
    pub(crate) url: String,
    pub(crate) events: String,
    /// This one included.
    pub(crate) attempts: u64,
    pub(crate) job: String,
    pub(crate) job_status: String,
    pub(crate) job_ended_ms: i64,
    pub(crate) result: String,
}

/// One attempt to deliver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Counted from 1.
    pub number: u64,
    /// When it was made.
    pub at_ms: i64,
    /// How long it took.
    pub took_ms: i64,
    /// The status of the answer; 0: there was none.
    pub answered: u16,
    /// Why there was none.
    pub error: String,
}

/// A notification as it stands, with its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The `webhook-id`.
    pub id: String,
    /// The job that it tells of.
    pub job: String,
    /// Where it goes.
    pub url: String,
    /// `waiting`, `delivered`, `failed`, `gone` or `skipped`.
    pub status: String,
    /// When it is tried next, as long as it waits.
    pub next_ms: i64,
    /// The attempts so far.
    pub attempts: Vec<Attempt>,
}

impl Store {
    /// Takes the notification that is due longest, of an organization that has none under way if there is such a one; none of the
    /// organizations `full`.
    pub(crate) async fn claim_delivery(
        &self,
        worker: &str,
        now_ms: i64,
        lease_ms: i64,
        full: &[&str; DELIVERIES_FULL],
    ) -> Result<Option<Due>, Refusal> {
        const WAITS: &str = "SELECT d.id FROM deliveries d JOIN jobs j ON j.id = d.job_id WHERE d.status = 'waiting' \
             AND d.next_ms <= $1 AND d.lease_ms < $1 AND j.status IN ('completed', 'failed') \
             AND d.org_id NOT IN ($2, $3, $4) \
             ORDER BY CASE WHEN d.org_id IN (SELECT u.org_id FROM deliveries u \
                 WHERE u.status = 'waiting' AND u.lease_ms >= $1) THEN 1 ELSE 0 END, d.next_ms, d.id LIMIT 1";
        // Readers do not wait for writers: most of the time nothing is due.
        let waits = sqlx::query(WAITS).bind(now_ms).bind(full[0]).bind(full[1]).bind(full[2]);
        let waits = waits.fetch_optional(&self.readers).await.map_err(down)?;
        if waits.is_none() {
            return Ok(None);
        }
        let mut work = self.begin().await?;
        let waits = format!("{WAITS}{}", self.dialect.skip_locked("d"));
        let row = sqlx::query(sqlx::AssertSqlSafe(waits)).bind(now_ms);
        let row = row.bind(full[0]).bind(full[1]).bind(full[2]).fetch_optional(&mut *work);
        let Some(row) = row.await.map_err(down)? else { return Ok(None) };
        let id: String = row.try_get(0).map_err(down)?;
        sqlx::query(
            "UPDATE deliveries SET worker = $2, lease_ms = $3, attempts = attempts + 1 WHERE id = $1",
        )
        .bind(&id)
        .bind(worker)
        .bind(now_ms.saturating_add(lease_ms))
        .execute(&mut *work)
        .await
        .map_err(down)?;
        let row = sqlx::query(
            "SELECT d.id, d.org_id, d.url, d.events, d.attempts, j.id, j.status, j.ended_ms, j.result \
             FROM deliveries d JOIN jobs j ON j.id = d.job_id WHERE d.id = $1",
        )
        .bind(&id)
        .fetch_one(&mut *work)
        .await
        .map_err(down)?;
        work.commit().await.map_err(down)?;
        let due = |row: AnyRow| {
            Ok(Due {
                id: row.try_get(0)?,
                org: row.try_get(1)?,
                url: row.try_get(2)?,
                events: row.try_get(3)?,
                attempts: count(row.try_get(4)?),
                job: row.try_get(5)?,
                job_status: row.try_get(6)?,
                job_ended_ms: row.try_get(7)?,
                result: row.try_get(8)?,
            })
        };
        due(row).map(Some).map_err(down)
    }

    /// Ends a notification, or says when it is tried again (`next_ms`); with the attempt, if there was one.
    pub(crate) async fn delivered(
        &self,
        due: &Due,
        worker: &str,
        attempt: Option<Attempt>,
        status: &str,
        next_ms: i64,
        now_ms: i64,
    ) -> Result<(), Refusal> {
        let mut work = self.begin().await?;
        let ended_ms = if status == "waiting" { 0 } else { now_ms };
        sqlx::query(
            "UPDATE deliveries SET status = $3, next_ms = $4, ended_ms = $5, lease_ms = 0, worker = '' \
             WHERE id = $1 AND worker = $2 AND status = 'waiting'",
        )
        .bind(&due.id)
        .bind(worker)
        .bind(status)
        .bind(next_ms)
        .bind(ended_ms)
        .execute(&mut *work)
        .await
        .map_err(down)?;
        if let Some(Attempt { number, at_ms, took_ms, answered, error }) = attempt {
            sqlx::query(
                "INSERT INTO attempts (delivery_id, number, at_ms, took_ms, answered, error) \
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (delivery_id, number, at_ms) DO NOTHING",
            )
            .bind(&due.id)
            .bind(stored(number))
            .bind(at_ms)
            .bind(took_ms)
            .bind(i64::from(answered))
            .bind(error)
            .execute(&mut *work)
            .await
            .map_err(down)?;
        }
        if status == "gone" {
            // An organization that wants no more gets none of what waits either.
            sqlx::query(
                "UPDATE deliveries SET status = 'gone', ended_ms = $3 \
                 WHERE org_id = $1 AND url = $2 AND status = 'waiting'",
            )
            .bind(&due.org)
            .bind(&due.url)
            .bind(now_ms)
            .execute(&mut *work)
            .await
            .map_err(down)?;
        }
        work.commit().await.map_err(down)
    }

    /// The latest notifications of an organization, newest first.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn deliveries(&self, org: &str, limit: u64) -> Result<Vec<Delivery>, Refusal> {
        // One statement, so that a notification and its log are of one moment.
        let rows = sqlx::query(
            "SELECT d.id, d.job_id, d.url, d.status, d.next_ms, COALESCE(a.number, 0), COALESCE(a.at_ms, 0), \
             COALESCE(a.took_ms, 0), COALESCE(a.answered, 0), COALESCE(a.error, '') \
             FROM (SELECT id, job_id, url, status, next_ms, created_ms FROM deliveries WHERE org_id = $1 \
                   ORDER BY created_ms DESC, id DESC LIMIT $2) d \
             LEFT JOIN attempts a ON a.delivery_id = d.id ORDER BY d.created_ms DESC, d.id DESC, 7, 6",
        )
        .bind(org)
        .bind(stored(limit))
        .fetch_all(&self.readers)
        .await
        .map_err(down)?;
        let mut deliveries: Vec<Delivery> = Vec::new();
        for row in &rows {
            let (delivery, attempt) = both(row).map_err(down)?;
            if deliveries.last().is_none_or(|last| last.id != delivery.id) {
                deliveries.push(delivery);
            }
            if let Some(last) = deliveries.last_mut().filter(|_| attempt.number > 0) {
                last.attempts.push(attempt);
            }
        }
        Ok(deliveries)
    }

    /// The secrets that sign for an organization now, the newest first.
    pub(crate) async fn secrets(&self, org: &str, now_ms: i64) -> Result<Vec<String>, Refusal> {
        let rows = sqlx::query(
            "SELECT secret FROM secrets WHERE org_id = $1 AND (until_ms = 0 OR until_ms > $2) \
             ORDER BY until_ms = 0 DESC, created_ms DESC, secret",
        );
        let rows = rows.bind(org).bind(now_ms).fetch_all(&self.readers).await.map_err(down)?;
        let open = |row: &AnyRow| {
            let kept: String = row.try_get(0).map_err(down)?;
            Ok(self.vault.open(&secret_of(org), &kept)?)
        };
        rows.iter().map(open).collect()
    }

    /// Sends a notification that has ended once more, at once; whether there is one of this organization (empty: of any).
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn redeliver(&self, org: &str, id: &str, now_ms: i64) -> Result<bool, Refusal> {
        let done = sqlx::query(
            "UPDATE deliveries SET status = 'waiting', next_ms = $3, ended_ms = 0, lease_ms = 0, worker = '', attempts = 0 \
             WHERE id = $1 AND ($2 = '' OR org_id = $2) AND status <> 'skipped'",
        );
        let done = done.bind(id).bind(org).bind(now_ms).execute(&self.writer).await;
        done.map(|done| done.rows_affected() > 0).map_err(down)
    }

    /// Gives an organization a new secret; those it has sign until a moment. With `only_first`, only if it has none.
    pub(crate) async fn add_secret(
        &self,
        org: &str,
        secret: &str,
        now_ms: i64,
        until_ms: i64,
        only_first: bool,
    ) -> Result<(), Refusal> {
        let mut work = self.begin().await?;
        // Its row is the lock: two processes do not both make the first.
        self.lock(&mut work, "orgs", org).await?;
        let there = sqlx::query("SELECT secret FROM secrets WHERE org_id = $1 AND until_ms = 0").bind(org);
        if only_first && there.fetch_optional(&mut *work).await.map_err(down)?.is_some() {
            return Ok(());
        }
        // Two at a time: whatever was on its way out ends now.
        sqlx::query("DELETE FROM secrets WHERE org_id = $1 AND until_ms > 0")
            .bind(org)
            .execute(&mut *work)
            .await
            .map_err(down)?;
        sqlx::query("UPDATE secrets SET until_ms = $2 WHERE org_id = $1 AND until_ms = 0")
            .bind(org)
            .bind(until_ms)
            .execute(&mut *work)
            .await
            .map_err(down)?;
        sqlx::query("INSERT INTO secrets (org_id, secret, created_ms, until_ms) VALUES ($1, $2, $3, 0)")
            .bind(org)
            .bind(self.vault.seal(&secret_of(org), secret)?)
            .bind(now_ms)
            .execute(&mut *work)
            .await
            .map_err(down)?;
        work.commit().await.map_err(down)
    }
}

/// What a secret is and whose, for the vault.
pub(super) fn secret_of(org: &str) -> String {
    format!("secrets {org}")
}

fn both(row: &AnyRow) -> Result<(Delivery, Attempt), sqlx::Error> {
    let delivery = Delivery {
        id: row.try_get(0)?,
        job: row.try_get(1)?,
        url: row.try_get(2)?,
        status: row.try_get(3)?,
        next_ms: row.try_get(4)?,
        attempts: Vec::new(),
    };
    let attempt = Attempt {
        number: count(row.try_get(5)?),
        at_ms: row.try_get(6)?,
        took_ms: row.try_get(7)?,
        answered: u16::try_from(row.try_get::<i64, _>(8)?).unwrap_or(0),
        error: row.try_get(9)?,
    };
    Ok((delivery, attempt))
}
