//! What the database holds of A before a crowd asks for it. Rows are written beside the service, since to make each by a request
//! would take hours.

use sqlx::{Connection, SqliteConnection};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// So many rows are one statement: the service waits for no longer one.
const AT_ONCE: u64 = 50_000;

pub(crate) struct Database {
    connection: SqliteConnection,
    now_ms: i64,
}

/// What is asked for once, about some of the rows: `$1` to `$2`; `$3` is the present.
type Statement = &'static str;

/// Jobs that have ended.
const JOBS: Statement = "
    WITH RECURSIVE n (i) AS (VALUES ($1) UNION ALL SELECT i + 1 FROM n WHERE i < $2)
    INSERT INTO jobs (id, org_id, account_id, mode, token_id, token_cap_micros, status, route, body, target_version, total, done,
        created_ms, started_ms, ended_ms, worker, lease_ms, attempts, result)
    SELECT 'job_' || lower(hex(randomblob(16))), 'a', 'a/test', 'test', 't', -1, 'completed', 'POST /api/v1/sense/batch', '', '1.0', 50,
        50, $3 - i, 1, $3, '', 0, 1, printf('\"%.1500c\"', 'r') FROM n";

/// Jobs that another node says it works on.
const UNDER_WAY: Statement = "
    WITH RECURSIVE n (i) AS (VALUES ($1) UNION ALL SELECT i + 1 FROM n WHERE i < $2)
    INSERT INTO jobs (id, org_id, account_id, mode, token_id, token_cap_micros, status, route, body, target_version, total, done,
        created_ms, started_ms, ended_ms, worker, lease_ms, attempts, result)
    SELECT 'job_' || lower(hex(randomblob(16))), 'a', 'a/test', 'test', 't', -1, 'processing', 'POST /api/v1/sense/batch', '', '1.0', 50,
        0, $3 - i, 1, 0, 'other', 9000000000000000, 1, '' FROM n";

/// The notification that each of those is to end with.
const NOTIFICATIONS: Statement = "
    INSERT INTO deliveries (id, job_id, org_id, url, events, status, attempts, next_ms, worker, lease_ms, created_ms, ended_ms)
    SELECT 'msg_' || id, id, org_id, 'https://receiver.example', 'complete', 'waiting', 0, 0, '', 0, created_ms, 0 FROM jobs
    WHERE status = 'processing' AND $1 <= $2 AND $3 > 0";

/// Charges of this month, without numbers, as versions before the chain wrote them.
const CHARGES: Statement = "
    WITH RECURSIVE n (i) AS (VALUES ($1) UNION ALL SELECT i + 1 FROM n WHERE i < $2)
    INSERT INTO ledger (charge_id, line, account_id, token_id, period, at_ms, route, target_type, target_id, target_version, units,
        overage, cost_micros)
    SELECT 'chg_' || lower(hex(randomblob(16))), 0, 'a/test', 't', strftime('%Y-%m', $3 / 1000, 'unixepoch'), $3 - i,
        'POST /api/v1/sense', 'protocol', 'courtesy', '1.0', 1, 0, 0 FROM n";

/// What the account used by them.
const USED: Statement = "
    INSERT INTO consumption (account_id, period, used, overage, cost_micros, analyses)
    SELECT account_id, period, COUNT(*), 0, 0, COUNT(*) FROM ledger WHERE account_id = 'a/test' AND $1 <= $2 AND $3 > 0 GROUP BY 1, 2";

impl Database {
    pub(crate) async fn open(file: &Path) -> Self {
        let url = format!("sqlite://{}", file.display());
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("is later");
        Self {
            connection: SqliteConnection::connect(&url).await.expect("opens"),
            now_ms: i64::try_from(since.as_millis()).expect("is soon"),
        }
    }

    pub(crate) async fn add_jobs(&mut self, count: u64) {
        self.add(JOBS, count).await;
    }

    pub(crate) async fn add_jobs_under_way(&mut self, count: u64) {
        self.add(UNDER_WAY, count).await;
        self.add(NOTIFICATIONS, 1).await;
    }

    pub(crate) async fn add_charges(&mut self, count: u64) {
        self.add(CHARGES, count).await;
        self.add(USED, 1).await;
    }

    /// A dive as if it had gone on.
    pub(crate) async fn set_dive(&mut self, id: &str, turns: u64, state: &str, observation: &str) {
        sqlx::query("UPDATE dives SET turns = $2, state = $3, observation = $4 WHERE id = $1")
            .bind(id)
            .bind(whole(turns))
            .bind(state)
            .bind(observation)
            .execute(&mut self.connection)
            .await
            .unwrap_or_else(|error| panic!("{error}"));
    }

    async fn add(&mut self, statement: Statement, count: u64) {
        let mut first = 1;
        while first <= count {
            let last = count.min(first + AT_ONCE - 1);
            let query = sqlx::query(statement).bind(whole(first)).bind(whole(last)).bind(self.now_ms);
            query.execute(&mut self.connection).await.unwrap_or_else(|error| panic!("{error}: {statement}"));
            first = last + 1;
        }
    }
}

fn whole(count: u64) -> i64 {
    i64::try_from(count).expect("is no more")
}
