//! Jobs: made in one transaction with the answer that tells of them, claimed by one worker at a time, ended in one
//! transaction with their charge.

use super::answers::{Key, answered_in, remember};
use super::{Page, Store, count, down, stored};
use crate::refusal::Refusal;
use crate::request::Callback;
use crate::token::Mode;
use sonometer::Unit;
use sqlx::Row;
use sqlx::any::AnyRow;

/// How often a job is begun before it is given up.
const ATTEMPTS: i64 = 5;

// What tenants ask for at will reads their own jobs alone, however many the others have.
const LIST: &str = "SELECT id, status, total, done, created_ms, started_ms, ended_ms, '' FROM jobs \
     WHERE account_id = $1 AND (ended_ms = 0 OR ended_ms >= $2) ORDER BY created_ms DESC, id DESC LIMIT $3 OFFSET $4";
const COUNT: &str = "SELECT COUNT(*) FROM jobs WHERE account_id = $1 AND (ended_ms = 0 OR ended_ms >= $2)";
const AHEAD: &str = "SELECT CAST(COALESCE(SUM(total - done), 0) AS BIGINT) FROM jobs WHERE status = 'processing' AND org_id = $3 \
     AND (created_ms < $1 OR created_ms = $1 AND id < $2)";
const UNDER_WAY: &str = "SELECT COUNT(*), CAST(COALESCE(SUM(OCTET_LENGTH(body)), 0) AS BIGINT) FROM jobs \
     WHERE status = 'processing' AND org_id = $1";

/// A job that is made.
pub(crate) struct NewJob {
    pub(crate) id: String,
    pub(crate) org: String,
    pub(crate) account: String,
    pub(crate) mode: Mode,
    pub(crate) token: String,
    pub(crate) token_cap: Option<Unit>,
    pub(crate) body: String,
    pub(crate) target_version: String,
    pub(crate) total: u64,
    pub(crate) created_ms: i64,
    pub(crate) route: &'static str,
    pub(crate) key: Option<Key>,
    /// The id of the request.
    pub(crate) request: String,
    /// Where its end is reported: the id of the notification, and the address with its events.
    pub(crate) callback: Option<(String, Callback)>,
    /// The body of the answer, 202.
    pub(crate) answer: String,
}

/// A job as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRow {
    /// Its id.
    pub id: String,
    /// `processing`, `completed`, `failed` or `cancelled`.
    pub status: String,
    /// How many items there are.
    pub total: u64,
    /// How many of them are done.
    pub done: u64,
    /// When it was made.
    pub created_ms: i64,
    /// When somebody began with it; 0: nobody has.
    pub started_ms: i64,
    /// When it ended; 0: it has not.
    pub ended_ms: i64,
    /// The answer, or the inner object of the error; empty as long as there is none.
    pub result: String,
}

/// A job that a worker has claimed.
pub(crate) struct Claimed {
    pub(crate) id: String,
    pub(crate) org: String,
    pub(crate) revision: i64,
    pub(crate) account: String,
    pub(crate) mode: Mode,
    pub(crate) token: String,
    pub(crate) token_cap: Option<Unit>,
    pub(crate) route: String,
    pub(crate) body: String,
    pub(crate) target_version: String,
    /// The id of the request that made it; empty if an older version did.
    pub(crate) request: String,
    /// The `Idempotency-Key` of that request; empty if there was none.
    pub(crate) key: String,
}

impl Store {
    /// Makes a job, unless there is an answer under its key already: then that one, with its status.
    pub(crate) async fn create_job(&self, job: NewJob) -> Result<Option<(u16, String)>, Refusal> {
        let mut work = self.begin().await?;
        if let Some(key) = &job.key {
            // Two nodes with the same key wait for each other.
            self.lock(&mut work, "accounts", &job.account).await?;
            if let Some(before) = answered_in(&mut work, &job.account, job.route, key).await? {
                return Ok(Some(before));
            }
        }
        sqlx::query(
            "INSERT INTO jobs (id, org_id, account_id, mode, token_id, token_cap_micros, status, route, body, target_version, \
             total, done, created_ms, started_ms, ended_ms, worker, lease_ms, attempts, result, request_id, \
             idempotency_key) \
             VALUES ($1, $2, $3, $4, $5, $6, 'processing', $7, $8, $9, $10, 0, $11, 0, 0, '', 0, 0, '', $12, $13)",
        )
        .bind(&job.id)
        .bind(&job.org)
        .bind(&job.account)
        .bind(job.mode.as_str())
        .bind(&job.token)
        .bind(job.token_cap.map_or(-1, |cap| cap.0))
        .bind(job.route)
        .bind(&job.body)
        .bind(&job.target_version)
        .bind(stored(job.total))
        .bind(job.created_ms)
        .bind(&job.request)
        .bind(job.key.as_ref().map_or("", |key| key.text.as_str()))
        .execute(&mut *work)
        .await
        .map_err(down)?;
        if let Some(key) = &job.key {
            remember(&mut work, &job.account, job.route, key, 202, &job.answer, job.created_ms)
                .await
                .map_err(down)?;
        }
        if let Some((delivery, callback)) = &job.callback {
            sqlx::query(
                "INSERT INTO deliveries (id, job_id, org_id, url, events, status, attempts, next_ms, worker, lease_ms, \
                 created_ms, ended_ms) VALUES ($1, $2, $3, $4, $5, 'waiting', 0, 0, '', 0, $6, 0)",
            )
            .bind(delivery)
            .bind(&job.id)
            .bind(&job.org)
            .bind(&callback.url)
            .bind(callback.events.join(" "))
            .bind(job.created_ms)
            .execute(&mut *work)
            .await
            .map_err(down)?;
        }
        work.commit().await.map_err(down)?;
        Ok(None)
    }

    /// A job of an organization and mode.
    pub(crate) async fn job(
        &self,
        account: &str,
        id: &str,
        not_before_ms: i64,
    ) -> Result<Option<JobRow>, Refusal> {
        let row = sqlx::query(
            "SELECT id, status, total, done, created_ms, started_ms, ended_ms, result FROM jobs \
             WHERE id = $1 AND account_id = $2 AND (ended_ms = 0 OR ended_ms >= $3)",
        )
        .bind(id)
        .bind(account)
        .bind(not_before_ms)
        .fetch_optional(&self.readers)
        .await
        .map_err(down)?;
        row.as_ref().map(job).transpose().map_err(down)
    }

    /// The jobs of an account without their results, the newest first, and how many there are.
    pub(crate) async fn jobs(
        &self,
        account: &str,
        not_before_ms: i64,
        page: Page,
    ) -> Result<(Vec<JobRow>, u64), Refusal> {
        let rows = sqlx::query(LIST)
            .bind(account)
            .bind(not_before_ms)
            .bind(stored(page.limit))
            .bind(stored(page.offset))
            .fetch_all(&self.readers)
            .await
            .map_err(down)?;
        let total = sqlx::query(COUNT)
            .bind(account)
            .bind(not_before_ms)
            .fetch_one(&self.readers)
            .await
            .map_err(down)?;
        let jobs = rows.iter().map(job).collect::<Result<_, _>>().map_err(down)?;
        Ok((jobs, count(total.try_get(0).map_err(down)?)))
    }

    /// How many items of an organization wait or are worked on before those of a job. Those of others are not counted: organizations
    /// are served in turn, and how much the others do is not for this one to know.
    pub(crate) async fn items_ahead(&self, org: &str, created_ms: i64, id: &str) -> Result<u64, Refusal> {
        let row = sqlx::query(AHEAD)
            .bind(created_ms)
            .bind(id)
            .bind(org)
            .fetch_one(&self.readers)
            .await
            .map_err(down)?;
        Ok(count(row.try_get(0).map_err(down)?))
    }

    /// How many jobs have not ended, and how many notifications of jobs that have ended wait.
    pub(crate) async fn waiting(&self) -> Result<(u64, u64), Refusal> {
        let row = sqlx::query(
            "SELECT (SELECT COUNT(*) FROM jobs WHERE status = 'processing'), \
             (SELECT COUNT(*) FROM deliveries d JOIN jobs j ON j.id = d.job_id \
              WHERE d.status = 'waiting' AND j.status IN ('completed', 'failed'))",
        );
        let row = row.fetch_one(&self.readers).await.map_err(down)?;
        Ok((count(row.try_get(0).map_err(down)?), count(row.try_get(1).map_err(down)?)))
    }

    /// When the oldest job that has not ended was made, and since when a notification is due longest; 0: there is none.
    pub(crate) async fn oldest(&self) -> Result<(i64, i64), Refusal> {
        let row = sqlx::query(
            "SELECT (SELECT COALESCE(MIN(created_ms), 0) FROM jobs WHERE status = 'processing'), \
             (SELECT COALESCE(MIN(d.next_ms), 0) FROM deliveries d JOIN jobs j ON j.id = d.job_id \
              WHERE d.status = 'waiting' AND j.status IN ('completed', 'failed'))",
        );
        let row = row.fetch_one(&self.readers).await.map_err(down)?;
        Ok((row.try_get(0).map_err(down)?, row.try_get(1).map_err(down)?))
    }

    /// How many jobs of an organization have not ended, and how many bytes their requests have.
    pub(crate) async fn jobs_under_way(&self, org: &str) -> Result<(u64, u64), Refusal> {
        // Neither database reads the texts for their length.
        let row = sqlx::query(UNDER_WAY).bind(org).fetch_one(&self.readers).await.map_err(down)?;
        Ok((count(row.try_get(0).map_err(down)?), count(row.try_get(1).map_err(down)?)))
    }

    /// Takes the job that waits longest, or one whose worker is gone, of an organization that has none under way if there is such
    /// a one; none of the organization `full`.
    pub(crate) async fn claim_job(
        &self,
        worker: &str,
        now_ms: i64,
        lease_ms: i64,
        full: &str,
    ) -> Result<Option<Claimed>, Refusal> {
        // Readers do not wait for writers, and writers not for this: most of the time there is nothing to claim.
        let waits = sqlx::query(
            "SELECT id FROM jobs WHERE status = 'processing' AND lease_ms < $1 AND (org_id <> $2 OR attempts >= $3) LIMIT 1",
        );
        let waits = waits.bind(now_ms).bind(full).bind(ATTEMPTS).fetch_optional(&self.readers);
        if waits.await.map_err(down)?.is_none() {
            return Ok(None);
        }
        let mut work = self.begin().await?;
        let given_up = crate::jobs::given_up();
        sqlx::query(
            "UPDATE jobs SET status = 'failed', result = $3, body = '', ended_ms = $1, lease_ms = 0 \
             WHERE status = 'processing' AND lease_ms < $1 AND attempts >= $2",
        )
        .bind(now_ms)
        .bind(ATTEMPTS)
        .bind(given_up)
        .execute(&mut *work)
        .await
        .map_err(down)?;
        let claim = format!(
            "UPDATE jobs SET worker = $1, lease_ms = $3, attempts = attempts + 1, done = 0, \
             started_ms = CASE WHEN started_ms = 0 THEN $2 ELSE started_ms END \
             WHERE id = (SELECT j.id FROM jobs j WHERE j.status = 'processing' AND j.lease_ms < $2 AND j.org_id <> $4 \
                         ORDER BY CASE WHEN j.org_id IN (SELECT r.org_id FROM jobs r \
                             WHERE r.status = 'processing' AND r.lease_ms >= $2) THEN 1 ELSE 0 END, \
                         j.created_ms, j.id LIMIT 1{}) \
             RETURNING id, org_id, account_id, mode, token_id, token_cap_micros, body, target_version, route, \
             request_id, idempotency_key",
            self.dialect.skip_locked("j")
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(claim))
            .bind(worker)
            .bind(now_ms)
            .bind(now_ms.saturating_add(lease_ms))
            .bind(full)
            .fetch_optional(&mut *work)
            .await
            .map_err(down)?;
        let Some(row) = row else {
            work.commit().await.map_err(down)?;
            return Ok(None);
        };
        let org: String = row.try_get(1).map_err(down)?;
        let revision = sqlx::query("SELECT revision FROM orgs WHERE id = $1").bind(&org);
        let revision: i64 =
            revision.fetch_one(&mut *work).await.and_then(|row| row.try_get(0)).map_err(down)?;
        work.commit().await.map_err(down)?;
        let claimed = || {
            let cap: i64 = row.try_get(5)?;
            let mode: String = row.try_get(3)?;
            Ok(Claimed {
                id: row.try_get(0)?,
                org,
                revision,
                account: row.try_get(2)?,
                mode: Mode::from_name(&mode).ok_or_else(|| sqlx::Error::Decode("an unknown mode".into()))?,
                token: row.try_get(4)?,
                token_cap: (cap >= 0).then_some(Unit(cap)),
                body: row.try_get(6)?,
                target_version: row.try_get(7)?,
                route: row.try_get(8)?,
                request: row.try_get(9)?,
                key: row.try_get(10)?,
            })
        };
        claimed().map(Some).map_err(down)
    }

    /// Says how far a job is, and that its worker is alive; whether it is still theirs.
    pub(crate) async fn progress(
        &self,
        id: &str,
        worker: &str,
        done: u64,
        lease_ms: i64,
    ) -> Result<bool, Refusal> {
        let told = sqlx::query(
            "UPDATE jobs SET done = $3, lease_ms = $4 WHERE id = $1 AND worker = $2 AND status = 'processing'",
        )
        .bind(id)
        .bind(worker)
        .bind(stored(done))
        .bind(lease_ms)
        .execute(&self.writer)
        .await;
        told.map(|told| told.rows_affected() > 0).map_err(down)
    }

    /// Ends a job without a result, for the reason that `error` tells.
    pub(crate) async fn fail_job(
        &self,
        id: &str,
        worker: &str,
        error: &str,
        now_ms: i64,
    ) -> Result<(), Refusal> {
        sqlx::query(
            "UPDATE jobs SET status = 'failed', result = $3, body = '', ended_ms = $4 \
             WHERE id = $1 AND worker = $2 AND status = 'processing'",
        )
        .bind(id)
        .bind(worker)
        .bind(error)
        .bind(now_ms)
        .execute(&self.writer)
        .await
        .map(drop)
        .map_err(down)
    }

    /// Gives a job back before its lease ends.
    pub(crate) async fn hand_back(&self, id: &str, worker: &str) -> Result<(), Refusal> {
        sqlx::query(
            "UPDATE jobs SET worker = '', lease_ms = 0, done = 0, attempts = attempts - 1 \
             WHERE id = $1 AND worker = $2 AND status = 'processing'",
        )
        .bind(id)
        .bind(worker)
        .execute(&self.writer)
        .await
        .map(drop)
        .map_err(down)
    }

    /// Cancels a job of an account, if it has not ended.
    pub(crate) async fn cancel_job(&self, account: &str, id: &str, now_ms: i64) -> Result<(), Refusal> {
        sqlx::query(
            "UPDATE jobs SET status = 'cancelled', body = '', ended_ms = $3 \
             WHERE id = $1 AND account_id = $2 AND status = 'processing'",
        )
        .bind(id)
        .bind(account)
        .bind(now_ms)
        .execute(&self.writer)
        .await
        .map(drop)
        .map_err(down)
    }

    /// Forgets jobs that ended before a moment, some at a time; how many.
    pub(crate) async fn forget_jobs(&self, before_ms: i64) -> Result<u64, Refusal> {
        let mut done = 0;
        loop {
            let old = sqlx::query(
                "SELECT id FROM jobs WHERE ended_ms > 0 AND ended_ms < $1 ORDER BY ended_ms, id LIMIT $2",
            );
            let old =
                old.bind(before_ms).bind(super::ROWS_AT_ONCE).fetch_all(&self.readers).await.map_err(down)?;
            if old.is_empty() {
                return Ok(done);
            }
            let mut work = self.begin().await?;
            for row in &old {
                let id: String = row.try_get(0).map_err(down)?;
                for what in [
                    "DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE job_id = $1)",
                    "DELETE FROM deliveries WHERE job_id = $1",
                    "DELETE FROM jobs WHERE id = $1",
                ] {
                    sqlx::query(what).bind(&id).execute(&mut *work).await.map_err(down)?;
                }
                done += 1;
            }
            work.commit().await.map_err(down)?;
        }
    }
}

fn job(row: &AnyRow) -> Result<JobRow, sqlx::Error> {
    Ok(JobRow {
        id: row.try_get(0)?,
        status: row.try_get(1)?,
        total: count(row.try_get(2)?),
        done: count(row.try_get(3)?),
        created_ms: row.try_get(4)?,
        started_ms: row.try_get(5)?,
        ended_ms: row.try_get(6)?,
        result: row.try_get(7)?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::accounts::account_id;
    use super::super::{OrgRow, Store};
    use super::*;
    use crate::account::Settings;

    #[tokio::test]
    async fn nobody_reads_the_jobs_of_others() {
        let path = std::env::temp_dir().join(format!("sonometer-jobs-of-{}.sqlite", std::process::id()));
        let store = Store::open(path.to_str().expect("is UTF-8")).await.expect("opens");
        for (asked, by) in [
            (LIST, "jobs_of_account (account_id=?)"),
            (COUNT, "COVERING INDEX jobs_of_account (account_id=?)"),
            (AHEAD, "jobs_of_org (org_id=? AND status=?"),
            (UNDER_WAY, "jobs_of_org (org_id=? AND status=?"),
        ] {
            let mut plan = sqlx::query(sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {asked}")));
            for _ in 0..4 {
                plan = plan.bind(1_i64);
            }
            let plan = plan.fetch_all(&store.readers).await.expect("can be planned");
            let plan: Vec<String> = plan.iter().map(|row| row.try_get(3).expect("is text")).collect();
            let plan = plan.join("; ");
            assert!(
                plan.contains(by) && !plan.contains("SCAN") && !plan.contains("TEMP B-TREE"),
                "{asked}: {plan}"
            );
        }
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
        }
    }

    #[tokio::test]
    async fn jobs_under_way_are_counted_with_the_bytes_of_their_requests() {
        let path = std::env::temp_dir().join(format!("sonometer-jobs-{}.sqlite", std::process::id()));
        let store = Store::open(path.to_str().expect("is UTF-8")).await.expect("opens");
        for org in ["a", "b"] {
            let row = OrgRow { id: org.to_owned(), name: org.to_owned(), created_ms: 0 };
            store.create_org(&row, &[(Mode::Live, Settings::new(Mode::Live))]).await.expect("is new");
        }
        let job = |id: &str, org: &str, body: String| NewJob {
            id: id.to_owned(),
            org: org.to_owned(),
            account: account_id(org, Mode::Live),
            mode: Mode::Live,
            token: "t".to_owned(),
            token_cap: None,
            body,
            target_version: "1".to_owned(),
            total: 1,
            created_ms: 1,
            route: "POST /api/v1/sense",
            key: None,
            request: String::new(),
            callback: None,
            answer: String::new(),
        };
        // Bytes and not characters; the longer one goes on behind its page.
        for (id, org, body) in
            [("1", "a", "é".repeat(3)), ("2", "a", "x".repeat(100_000)), ("3", "b", "y".into())]
        {
            store.create_job(job(id, org, body)).await.expect("is made");
        }
        assert_eq!(store.jobs_under_way("a").await, Ok((2, 100_006)));
        assert_eq!(store.jobs_under_way("b").await, Ok((1, 1)));
        assert_eq!(store.jobs_under_way("c").await, Ok((0, 0)));
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
        }
    }
}
