//! Dives: opened in one transaction with the count of attempts, a step in one with its charge, closed in one with the card.

use super::answers::{Key, answered_in, remember};
use super::{Store, count, down, stored};
use crate::refusal::Refusal;
use sqlx::any::AnyRow;
use sqlx::{Any, AnyConnection, Row, Transaction};

/// A step that a charge takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepDone {
    /// The dive.
    pub dive: String,
    /// The number of the action, from 1. It is taken only if it is the next.
    pub turn: u64,
    /// What was said.
    pub action: String,
    /// The dive behind the action.
    pub state: String,
    /// What the world shows then.
    pub observation: String,
}

/// Whose attempts at what are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counter {
    pub(crate) org: String,
    /// What test tokens try uses up no attempt of live ones.
    pub(crate) account: String,
    pub(crate) stage_org: String,
    pub(crate) stage: String,
    pub(crate) mode: &'static str,
    pub(crate) counted: String,
}

/// How many attempts there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allowed {
    pub(crate) most: Option<u64>,
    /// The window in milliseconds.
    pub(crate) window_ms: Option<i64>,
    pub(crate) now_ms: i64,
}

/// How many attempts there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attempts {
    /// Ever.
    pub(crate) ever: u64,
    /// Within the window.
    pub(crate) used: u64,
    /// When there may be another one again; 0: now, or never.
    pub(crate) resets_ms: i64,
}

/// A dive that is opened.
pub(crate) struct NewDive {
    pub(crate) id: String,
    pub(crate) token: String,
    pub(crate) stage_version: String,
    pub(crate) world: FrozenWorld,
    pub(crate) counter: Counter,
    pub(crate) allowed: Allowed,
    pub(crate) seed_source: &'static str,
    pub(crate) agent: (String, String),
    pub(crate) state: String,
    pub(crate) observation: String,
    pub(crate) key: Option<Key>,
    /// The body of the answer.
    pub(crate) answer: String,
}

/// A stage with what senses it, by the digest of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrozenWorld {
    pub(crate) digest: String,
    pub(crate) stage: String,
    pub(crate) parts: String,
}

/// What came of opening one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// It is open.
    Now,
    /// It was opened before, under the same key: the answer of then.
    Before(String),
    /// There were too many.
    Exhausted(Attempts),
}

/// A dive as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiveRow {
    pub(crate) id: String,
    pub(crate) org: String,
    pub(crate) account: String,
    pub(crate) token: String,
    pub(crate) stage_org: String,
    pub(crate) stage: String,
    pub(crate) world: String,
    pub(crate) mode: String,
    pub(crate) seed_source: String,
    pub(crate) agent: (String, String),
    pub(crate) number: u64,
    pub(crate) is_open: bool,
    pub(crate) turns: u64,
    pub(crate) state: String,
    pub(crate) observation: String,
    pub(crate) card: String,
}

/// What is known of a dive without reading its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DiveSize {
    pub(crate) is_open: bool,
    pub(crate) turns: u64,
    /// Of its state, with all that was said: up to 24 MB.
    pub(crate) bytes: u64,
}

/// A dive as callers look at it: without its state, which is long after many turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiveSeen {
    pub(crate) stage: String,
    pub(crate) is_open: bool,
    pub(crate) turns: u64,
    pub(crate) observation: String,
    pub(crate) card: String,
}

/// A step that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepRow {
    pub(crate) action: String,
    pub(crate) answer: String,
}

/// A dive in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiveLine {
    /// Its id.
    pub id: String,
    /// Who dives.
    pub org: String,
    /// Whose stage it is; empty: it ships.
    pub stage_org: String,
    /// The id of the stage.
    pub stage: String,
    /// Its version.
    pub version: String,
    /// `practice` or `graded`.
    pub mode: String,
    /// The tag of the agent; empty: there is none.
    pub agent: String,
    /// How many actions there were.
    pub turns: u64,
    /// When it was opened.
    pub opened_ms: i64,
    /// When it was closed; 0: it is open.
    pub closed_ms: i64,
    /// Its card; empty as long as it is open.
    pub card: String,
}

const COLUMNS: &str = "id, org_id, token_id, stage_org, stage_id, world, mode, seed_source, agent_id, agent_version, number, status, \
                       turns, state, observation, card, account_id";

fn dive(row: &AnyRow) -> Result<DiveRow, sqlx::Error> {
    let status: String = row.try_get(11)?;
    Ok(DiveRow {
        id: row.try_get(0)?,
        org: row.try_get(1)?,
        token: row.try_get(2)?,
        stage_org: row.try_get(3)?,
        stage: row.try_get(4)?,
        world: row.try_get(5)?,
        mode: row.try_get(6)?,
        seed_source: row.try_get(7)?,
        agent: (row.try_get(8)?, row.try_get(9)?),
        number: count(row.try_get(10)?),
        is_open: status == "open",
        turns: count(row.try_get(12)?),
        state: row.try_get(13)?,
        observation: row.try_get(14)?,
        card: row.try_get(15)?,
        account: row.try_get(16)?,
    })
}

/// Counts attempts.
async fn attempts(
    connection: &mut AnyConnection,
    counter: &Counter,
    allowed: Allowed,
) -> Result<Attempts, sqlx::Error> {
    let Counter { account, stage_org, stage, mode, counted, .. } = counter;
    let since = allowed.window_ms.map_or(-1, |window| allowed.now_ms.saturating_sub(window));
    let row = sqlx::query(
        "SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN opened_ms > $6 THEN 1 ELSE 0 END), 0) AS BIGINT) FROM dives \
         WHERE account_id = $1 AND stage_org = $2 AND stage_id = $3 AND mode = $4 AND counted = $5",
    )
    .bind(account)
    .bind(stage_org)
    .bind(stage)
    .bind(*mode)
    .bind(counted)
    .bind(since)
    .fetch_one(&mut *connection)
    .await?;
    let (ever, used) = (count(row.try_get(0)?), count(row.try_get(1)?));
    let mut found = Attempts { ever, used, resets_ms: 0 };
    if let (Some(most), Some(window)) = (allowed.most, allowed.window_ms)
        && used >= most
    {
        // So many of the oldest must have left the window.
        let row = sqlx::query(
            "SELECT opened_ms FROM dives WHERE account_id = $1 AND stage_org = $2 AND stage_id = $3 AND mode = $4 \
             AND counted = $5 AND opened_ms > $6 ORDER BY opened_ms LIMIT 1 OFFSET $7",
        )
        .bind(account)
        .bind(stage_org)
        .bind(stage)
        .bind(*mode)
        .bind(counted)
        .bind(since)
        .bind(stored(used - most))
        .fetch_one(connection)
        .await?;
        found.resets_ms = row.try_get::<i64, _>(0)?.saturating_add(window);
    }
    Ok(found)
}

impl Attempts {
    /// Whether there may be another one.
    pub(crate) fn are_left(&self, allowed: Allowed) -> bool {
        allowed.most.is_none_or(|most| self.used < most)
    }
}

/// Takes a step, if it is the next and the dive is open; whether it was.
pub(super) async fn take_step(
    work: &mut Transaction<'_, Any>,
    step: &StepDone,
    answer: &str,
    units: u64,
    at_ms: i64,
) -> Result<bool, sqlx::Error> {
    let StepDone { dive, turn, action, state, observation } = step;
    let moved = sqlx::query(
        "UPDATE dives SET turns = $2, state = $3, observation = $4, touched_ms = $5 \
         WHERE id = $1 AND turns = $2 - 1 AND status = 'open'",
    )
    .bind(dive)
    .bind(stored(*turn))
    .bind(state)
    .bind(observation)
    .bind(at_ms)
    .execute(&mut **work)
    .await?;
    if moved.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query(
        "INSERT INTO dive_steps (dive_id, turn, action, answer, units, at_ms) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(dive)
    .bind(stored(*turn))
    .bind(action)
    .bind(answer)
    .bind(stored(units))
    .bind(at_ms)
    .execute(&mut **work)
    .await?;
    Ok(true)
}

impl Store {
    /// How many attempts there were.
    pub(crate) async fn attempts(&self, counter: &Counter, allowed: Allowed) -> Result<Attempts, Refusal> {
        let mut connection = self.readers.acquire().await.map_err(down)?;
        attempts(&mut connection, counter, allowed).await.map_err(down)
    }

    /// Opens a dive, unless there were too many. The count and the row are one transaction.
    pub(crate) async fn open_dive(&self, new: NewDive) -> Result<Opened, Refusal> {
        const ROUTE: &str = crate::dive::OPEN;
        let NewDive { counter, allowed, world, .. } = &new;
        let mut work = self.begin().await?;
        self.lock(&mut work, "orgs", &counter.org).await?;
        if let Some(key) = &new.key
            && let Some((_, answer)) = answered_in(&mut work, &counter.account, ROUTE, key).await?
        {
            return Ok(Opened::Before(answer));
        }
        let before = attempts(&mut work, counter, *allowed).await.map_err(down)?;
        if !before.are_left(*allowed) {
            return Ok(Opened::Exhausted(before));
        }
        sqlx::query(
            "INSERT INTO worlds (digest, stage, parts) VALUES ($1, $2, $3) ON CONFLICT (digest) DO NOTHING",
        )
        .bind(&world.digest)
        .bind(&world.stage)
        .bind(&world.parts)
        .execute(&mut *work)
        .await
        .map_err(down)?;
        sqlx::query(
            "INSERT INTO dives (id, org_id, account_id, token_id, stage_org, stage_id, stage_version, world, mode, \
             seed_source, agent_id, agent_version, counted, number, status, turns, state, observation, opened_ms, \
             touched_ms, closed_ms, card) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'open', 0, $15, $16, $17, $17, 0, '')",
        )
        .bind(&new.id)
        .bind(&counter.org)
        .bind(&counter.account)
        .bind(&new.token)
        .bind(&counter.stage_org)
        .bind(&counter.stage)
        .bind(&new.stage_version)
        .bind(&world.digest)
        .bind(counter.mode)
        .bind(new.seed_source)
        .bind(&new.agent.0)
        .bind(&new.agent.1)
        .bind(&counter.counted)
        .bind(stored(before.ever + 1))
        .bind(&new.state)
        .bind(&new.observation)
        .bind(allowed.now_ms)
        .execute(&mut *work)
        .await
        .map_err(down)?;
        if let Some(key) = &new.key {
            let kept = remember(&mut work, &counter.account, ROUTE, key, 200, &new.answer, allowed.now_ms);
            kept.await.map_err(down)?;
        }
        work.commit().await.map_err(down)?;
        Ok(Opened::Now)
    }

    /// A dive of an account.
    pub(crate) async fn dive(&self, account: &str, id: &str) -> Result<Option<DiveRow>, Refusal> {
        let query = format!("SELECT {COLUMNS} FROM dives WHERE id = $1 AND account_id = $2");
        let row = sqlx::query(sqlx::AssertSqlSafe(query)).bind(id).bind(account);
        let row = row.fetch_optional(&self.readers).await.map_err(down)?;
        row.as_ref().map(dive).transpose().map_err(down)
    }

    /// A dive of any account.
    pub(crate) async fn dive_of_any(&self, id: &str) -> Result<Option<DiveRow>, Refusal> {
        let query = format!("SELECT {COLUMNS} FROM dives WHERE id = $1");
        let row = sqlx::query(sqlx::AssertSqlSafe(query)).bind(id);
        let row = row.fetch_optional(&self.readers).await.map_err(down)?;
        row.as_ref().map(dive).transpose().map_err(down)
    }

    /// Whether a dive of an account is open, its turns, and how many bytes its state has. The state is not read for it.
    pub(crate) async fn dive_size(&self, account: &str, id: &str) -> Result<Option<DiveSize>, Refusal> {
        let row = sqlx::query(
            "SELECT status, turns, CAST(OCTET_LENGTH(state) AS BIGINT) FROM dives WHERE id = $1 AND account_id = $2",
        );
        let row = row.bind(id).bind(account).fetch_optional(&self.readers).await.map_err(down)?;
        let size = |row: AnyRow| {
            let status: String = row.try_get(0)?;
            Ok(DiveSize {
                is_open: status == "open",
                turns: count(row.try_get(1)?),
                bytes: count(row.try_get(2)?),
            })
        };
        row.map(size).transpose().map_err(down)
    }

    /// What a caller sees of a dive of an account.
    pub(crate) async fn dive_seen(&self, account: &str, id: &str) -> Result<Option<DiveSeen>, Refusal> {
        let row = sqlx::query(
            "SELECT stage_id, status, turns, observation, card FROM dives WHERE id = $1 AND account_id = $2",
        );
        let row = row.bind(id).bind(account).fetch_optional(&self.readers).await.map_err(down)?;
        let seen = |row: AnyRow| {
            let status: String = row.try_get(1)?;
            Ok(DiveSeen {
                stage: row.try_get(0)?,
                is_open: status == "open",
                turns: count(row.try_get(2)?),
                observation: row.try_get(3)?,
                card: row.try_get(4)?,
            })
        };
        row.map(seen).transpose().map_err(down)
    }

    /// A step of a dive.
    pub(crate) async fn step(&self, id: &str, turn: u64) -> Result<Option<StepRow>, Refusal> {
        let row = sqlx::query("SELECT action, answer FROM dive_steps WHERE dive_id = $1 AND turn = $2")
            .bind(id)
            .bind(stored(turn))
            .fetch_optional(&self.readers)
            .await
            .map_err(down)?;
        let step = |row: AnyRow| Ok(StepRow { action: row.try_get(0)?, answer: row.try_get(1)? });
        row.map(step).transpose().map_err(down)
    }

    /// Closes a dive that has had so many turns; whether it was open and had.
    pub(crate) async fn close_dive(
        &self,
        id: &str,
        turns: u64,
        card: &str,
        now_ms: i64,
    ) -> Result<bool, Refusal> {
        let closed = sqlx::query(
            "UPDATE dives SET status = 'closed', card = $3, state = '', closed_ms = $4 \
             WHERE id = $1 AND turns = $2 AND status = 'open'",
        )
        .bind(id)
        .bind(stored(turns))
        .bind(card)
        .bind(now_ms)
        .execute(&self.writer)
        .await;
        closed.map(|closed| closed.rows_affected() > 0).map_err(down)
    }

    /// Some dives that are open and in which nothing happened since a moment, the oldest first. Each may be long.
    pub(crate) async fn idle_dives(&self, before_ms: i64, most: u64) -> Result<Vec<String>, Refusal> {
        let rows = sqlx::query(
            "SELECT id FROM dives WHERE status = 'open' AND touched_ms <= $1 ORDER BY touched_ms, id LIMIT $2",
        );
        let rows = rows.bind(before_ms).bind(stored(most)).fetch_all(&self.readers).await.map_err(down)?;
        rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>().map_err(down)
    }

    /// Looks at an open dive no more before it is idle anew.
    pub(crate) async fn put_off(&self, id: &str, now_ms: i64) -> Result<(), Refusal> {
        let put = sqlx::query("UPDATE dives SET touched_ms = $2 WHERE id = $1 AND status = 'open'");
        put.bind(id).bind(now_ms).execute(&self.writer).await.map(drop).map_err(down)
    }

    /// The stage and the parts of a world.
    pub(crate) async fn world(&self, digest: &str) -> Result<Option<(String, String)>, Refusal> {
        let row = sqlx::query("SELECT stage, parts FROM worlds WHERE digest = $1").bind(digest);
        let row = row.fetch_optional(&self.readers).await.map_err(down)?;
        row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose().map_err(down)
    }

    /// What was said in dives that were closed before a moment is forgotten; their cards stay.
    pub(crate) async fn forget_steps(&self, before_ms: i64) -> Result<u64, Refusal> {
        self.delete_in_parts(
            "DELETE FROM dive_steps WHERE (dive_id, turn) IN (SELECT s.dive_id, s.turn FROM dive_steps s \
             JOIN dives d ON d.id = s.dive_id WHERE d.closed_ms > 0 AND d.closed_ms < $1 LIMIT $2)",
            before_ms,
        )
        .await
    }

    /// The latest dives of an organization and in its stages.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn dives(&self, org: &str, most: u64) -> Result<Vec<DiveLine>, Refusal> {
        let rows = sqlx::query(
            "SELECT id, org_id, stage_org, stage_id, stage_version, mode, agent_id, turns, opened_ms, closed_ms, card FROM dives \
             WHERE org_id = $1 OR stage_org = $1 ORDER BY opened_ms DESC, id DESC LIMIT $2",
        )
        .bind(org)
        .bind(stored(most))
        .fetch_all(&self.readers)
        .await
        .map_err(down)?;
        let line = |row: &AnyRow| {
            Ok(DiveLine {
                id: row.try_get(0)?,
                org: row.try_get(1)?,
                stage_org: row.try_get(2)?,
                stage: row.try_get(3)?,
                version: row.try_get(4)?,
                mode: row.try_get(5)?,
                agent: row.try_get(6)?,
                turns: count(row.try_get(7)?),
                opened_ms: row.try_get(8)?,
                closed_ms: row.try_get(9)?,
                card: row.try_get(10)?,
            })
        };
        rows.iter().map(line).collect::<Result<_, _>>().map_err(down)
    }
}
