//! Charging: one writer puts the charges that wait into one transaction, and answers after the commit.
//!
//! For each charge: look for an answer under its key, check the ceiling, write the ledger, raise the row of the account,
//! keep the answer. All of it or nothing; what was answered is on the disk. Waiting charges share a commit, which is what
//! makes `synchronous=FULL` fast enough.

use super::accounts::settings;
use super::dives::{StepDone, take_step};
use super::{Dialect, Store, begin, count, down, stored};
use crate::account::{Standing, Used, affordable};
use crate::json::TargetUsed;
use crate::period::Period;
use crate::refusal::{Code, Refusal};
use crate::token::Mode;
use sonometer::Unit;
use sqlx::any::AnyRow;
use sqlx::{Any, AnyPool, Row, Transaction};
use std::collections::{BTreeMap, btree_map};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::{mpsc, oneshot};

/// How many charges share a commit at most.
const TOGETHER: usize = 128;

/// What is to be charged.
pub struct Charge {
    /// The account.
    pub account: String,
    /// Which of the two of an organization it is.
    pub mode: Mode,
    /// The token that caused it.
    pub token: String,
    /// The most overage that the token may cause in a period.
    pub token_cap: Option<Unit>,
    /// The period it falls into.
    pub period: Period,
    /// When it was measured.
    pub at_ms: i64,
    /// The route, which is also the scope of the caller's key.
    pub route: &'static str,
    /// The caller's key, if there is one.
    pub key: Option<Key>,
    /// What happens with this charge, in one transaction.
    pub along: Along,
    /// Names this charge. Charging the same twice is an error, not a charge.
    pub id: String,
    /// What was measured.
    pub lines: Vec<Line>,
    /// Writes the answer, once it is known what it costs; again where the charge has to be tried again.
    pub answer: WriteAnswer,
}

/// Writes an answer with what it costs.
pub type WriteAnswer = Box<dyn Fn(Unit) -> String + Send + Sync>;

/// The key of a caller, with the hash of the body it came with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key.
    pub text: String,
    /// SHA-256 of the body.
    pub body_sha: String,
}

/// What a charge does besides, or is not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Along {
    /// Nothing.
    Nothing,
    /// It ends a job.
    Job(JobEnd),
    /// It takes a step of a dive.
    Step(Box<StepDone>),
}

/// A job that a charge ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobEnd {
    /// The job.
    pub id: String,
    /// Who must have it still.
    pub worker: String,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What measured.
    pub target: TargetUsed,
    /// ICS: how many metamarkers triggered.
    pub units: u64,
}

/// What became of a charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    /// 200, or what the answer under the key had.
    pub status: u16,
    /// The answer.
    pub answer: String,
    /// What was charged now; 0 for a repeated answer.
    pub units: u64,
    /// What is left of the quota.
    pub remaining: u64,
    /// Whether the answer was given before.
    pub replayed: bool,
}

/// A charge and who waits for it.
pub(crate) struct Order {
    charge: Charge,
    done: oneshot::Sender<Result<Charged, Refusal>>,
}

impl Store {
    /// Charges, and gives the answer once all of it is on the disk.
    ///
    /// # Errors
    /// `quota_exhausted`, `idempotency_conflict`; `unavailable` if it is not known whether it was charged.
    pub async fn charge(&self, charge: Charge) -> Result<Charged, Refusal> {
        let (done, outcome) = oneshot::channel();
        let gone = || Refusal::unavailable("the writer is gone");
        self.charges.send(Order { charge, done }).await.map_err(|_| gone())?;
        outcome.await.map_err(|_| gone())?
    }

    /// The answer that was given under a key before, if one was.
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
        let done = sqlx::query("DELETE FROM answers WHERE at_ms < $1").bind(before_ms).execute(&self.writer);
        done.await.map(|done| done.rows_affected()).map_err(down)
    }
}

const ANSWERED: &str = "SELECT body_sha, answer, status FROM answers WHERE account_id = $1 AND route = $2 AND idempotency_key = $3";

fn repeated(row: Option<AnyRow>, key: &Key) -> Result<Option<(u16, String)>, Refusal> {
    let Some(row) = row else { return Ok(None) };
    let (sha, answer): (String, String) = (row.try_get(0).map_err(down)?, row.try_get(1).map_err(down)?);
    if sha == key.body_sha {
        let status: i64 = row.try_get(2).map_err(down)?;
        return Ok(Some((u16::try_from(status).unwrap_or(200), answer)));
    }
    let message = "this `Idempotency-Key` was used with another body; use a new key for a new request";
    Err(Refusal::new(Code::IdempotencyConflict, message))
}

/// Writes charges until nobody can send any more.
pub(super) async fn write_all(pool: AnyPool, dialect: Dialect, mut waiting: mpsc::Receiver<Order>) {
    let mut orders = Vec::with_capacity(TOGETHER);
    while waiting.recv_many(&mut orders, TOGETHER).await > 0 {
        // So that two nodes take the locks of accounts in the same order.
        orders.sort_by(|a, b| {
            let of = |order: &Order| (order.charge.account.clone(), order.charge.period);
            of(a).cmp(&of(b))
        });
        let (charges, callers): (Vec<_>, Vec<_>) =
            orders.drain(..).map(|order| (order.charge, order.done)).unzip();
        for (caller, outcome) in callers.into_iter().zip(outcomes(&pool, dialect, &charges).await) {
            // A caller that no longer waits can ask again with the same key.
            let _ = caller.send(outcome);
        }
    }
}

type Outcomes = Vec<Result<Charged, Refusal>>;

/// What became of charges: all in one transaction or, where the database refuses one of them, each in its own, so that nobody
/// fails by somebody else's.
async fn outcomes(pool: &AnyPool, dialect: Dialect, charges: &[Charge]) -> Outcomes {
    let mut outcomes = Vec::with_capacity(charges.len());
    match together(pool, dialect, charges).await {
        Ok(outcomes) => return outcomes,
        Err(error) if charges.len() > 1 && !is_down(&error) => {
            tracing::warn!(charges = charges.len(), %error, "charges failed together; each is tried alone");
        }
        Err(error) => {
            let refusal = down(error);
            outcomes.resize_with(charges.len(), || Err(refusal.clone()));
            return outcomes;
        }
    }
    for charge in charges {
        let alone = match together(pool, dialect, std::slice::from_ref(charge)).await {
            Ok(mut alone) => alone.pop().unwrap_or_else(|| Err(Refusal::internal("a charge has no outcome"))),
            // All others would wait in vain as long as this one.
            Err(error) if is_down(&error) => {
                let refusal = down(error);
                outcomes.resize_with(charges.len(), || Err(refusal.clone()));
                break;
            }
            Err(error) => {
                let Charge { id, account, token, route, .. } = charge;
                tracing::error!(charge = id, account, token, route, %error, "the database refuses a charge");
                Err(down(error))
            }
        };
        outcomes.push(alone);
    }
    outcomes
}

/// Whether an error is about the database and not about what it was given: no connection, no room, a lock that is not let go.
fn is_down(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return !matches!(error, sqlx::Error::Encode(_)) };
    let code = error.code().unwrap_or_default();
    match code.len() {
        // SQLSTATE, by its class: connection, resources, objects in use, operator, system.
        5 => ["08", "53", "55", "57", "58"].iter().any(|class| code.starts_with(class)),
        // SQLite: BUSY, LOCKED, IOERR, FULL; the lowest byte of an extended code.
        _ => code.parse::<u32>().is_ok_and(|code| matches!(code & 0xFF, 5 | 6 | 10 | 13)),
    }
}

async fn together(pool: &AnyPool, dialect: Dialect, charges: &[Charge]) -> Result<Outcomes, sqlx::Error> {
    let mut work = begin(pool, dialect).await?;
    let mut accounts: BTreeMap<(&str, Period), Standing> = BTreeMap::new();
    let mut outcomes = Vec::with_capacity(charges.len());
    let mut entries = Vec::new();
    for charge in charges {
        let standing = match accounts.entry((&charge.account, charge.period)) {
            btree_map::Entry::Occupied(known) => known.into_mut(),
            btree_map::Entry::Vacant(new) => {
                let (account, period) = *new.key();
                let standing = locked(&mut work, dialect, account, charge.mode, period).await?;
                new.insert(standing)
            }
        };
        outcomes.push(one(&mut work, charge, standing, &mut entries).await?);
    }
    write_entries(&mut work, &mut entries).await?;
    work.commit().await?;
    Ok(outcomes)
}

/// The account of a charge, which nobody else can change until the commit.
async fn locked(
    work: &mut Transaction<'static, Any>,
    dialect: Dialect,
    account: &str,
    mode: Mode,
    period: Period,
) -> Result<Standing, sqlx::Error> {
    sqlx::query(
        "INSERT INTO consumption (account_id, period, used, overage, cost_micros, analyses) \
         VALUES ($1, $2, 0, 0, 0, 0) ON CONFLICT (account_id, period) DO NOTHING",
    )
    .bind(account)
    .bind(period.to_string())
    .execute(&mut **work)
    .await?;
    let row = format!(
        "SELECT used, overage, cost_micros FROM consumption WHERE account_id = $1 AND period = $2{}",
        dialect.for_update()
    );
    let row = sqlx::query(sqlx::AssertSqlSafe(row))
        .bind(account)
        .bind(period.to_string())
        .fetch_one(&mut **work)
        .await?;
    let used = Used {
        units: count(row.try_get(0)?),
        overage: count(row.try_get(1)?),
        cost_usd: Unit(row.try_get(2)?),
    };
    let row = sqlx::query(
        "SELECT tier, quota, overage, rate_micros, cap_micros, per_window FROM accounts WHERE id = $1",
    )
    .bind(account)
    .fetch_one(&mut **work)
    .await?;
    Ok(Standing { settings: settings(&row)?, mode, period, used })
}

/// Charges one. What is refused writes nothing, so that the others of the transaction stand.
async fn one(
    work: &mut Transaction<'static, Any>,
    charge: &Charge,
    standing: &mut Standing,
    entries: &mut Vec<Entry>,
) -> Result<Result<Charged, Refusal>, sqlx::Error> {
    let Charge { account, mode, token, token_cap, period, at_ms, route, key, along, id, lines, answer } =
        charge;
    let (mode, at_ms, route, period) = (*mode, *at_ms, *route, period.to_string());
    if let Some(key) = key {
        let row = sqlx::query(ANSWERED).bind(account).bind(route).bind(&key.text);
        match repeated(row.fetch_optional(&mut **work).await?, key) {
            Ok(None) => {}
            Ok(Some((status, answer))) => {
                let remaining = standing.remaining();
                return Ok(Ok(Charged { status, answer, units: 0, remaining, replayed: true }));
            }
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    let units: u64 = lines.iter().map(|line| line.units).sum();
    let quota = standing.settings.quota;
    let before = standing.used.units;
    let Some(after) = before.checked_add(units).filter(|after| *after <= standing.settings.ceiling(mode))
    else {
        return Ok(Err(standing.exhausted(Some(units))));
    };
    let over = after.saturating_sub(quota.max(before));
    if let (Some(cap), 1..) = (*token_cap, over) {
        write_entries(work, entries).await?;
        let row = sqlx::query(
            "SELECT CAST(COALESCE(SUM(overage), 0) AS BIGINT) FROM ledger WHERE token_id = $1 AND period = $2",
        )
        .bind(token)
        .bind(&period)
        .fetch_one(&mut **work)
        .await?;
        let spent = count(row.try_get(0)?);
        if spent.saturating_add(over) > affordable(cap, standing.settings.rate_usd) {
            let mut refusal = standing.exhausted(Some(units));
            refusal.message = "the spend cap of this token is reached".to_owned();
            refusal.details.reason = Some("token_spend_cap");
            return Ok(Err(refusal));
        }
    }
    let cost = standing.settings.cost(mode, over);
    let Ok(answer) = catch_unwind(AssertUnwindSafe(|| answer(cost))) else {
        return Ok(Err(Refusal::internal("an answer could not be written")));
    };
    let gone = match along {
        Along::Nothing => None,
        Along::Job(end) if end_job(work, end, &answer, at_ms).await? => None,
        Along::Job(_) => Some(Refusal::new(Code::JobNotFound, "the job has ended, or is somebody else's")),
        Along::Step(step) if take_step(work, step, &answer, units, at_ms).await? => None,
        Along::Step(_) => Some(Refusal::new(Code::TurnConflict, "somebody else acted")),
    };
    if let Some(refusal) = gone {
        return Ok(Err(refusal));
    }
    // The first units of a charge are those of the quota, the last those beyond it.
    let mut left = units - over;
    for (number, line) in (0_i64..).zip(lines) {
        let within = left.min(line.units);
        left -= within;
        let line_over = line.units - within;
        entries.push(Entry {
            charge: id.clone(),
            number,
            account: account.clone(),
            token: token.clone(),
            period: period.clone(),
            at_ms,
            route,
            target: line.target.clone(),
            units: line.units,
            overage: line_over,
            cost: standing.settings.cost(mode, line_over),
        });
    }
    if let Some(key) = key {
        remember(work, account, route, key, 200, &answer, at_ms).await?;
    }
    standing.used.units = after;
    standing.used.overage += over;
    standing.used.cost_usd = standing.used.cost_usd + cost;
    Ok(Ok(Charged { status: 200, answer, units, remaining: standing.remaining(), replayed: false }))
}

/// Ends a job with its answer; whether it was there to be ended.
async fn end_job(
    work: &mut Transaction<'static, Any>,
    end: &JobEnd,
    answer: &str,
    at_ms: i64,
) -> Result<bool, sqlx::Error> {
    let ended = sqlx::query(
        "UPDATE jobs SET status = 'completed', result = $3, body = '', done = total, ended_ms = $4 \
         WHERE id = $1 AND worker = $2 AND status = 'processing'",
    )
    .bind(&end.id)
    .bind(&end.worker)
    .bind(answer)
    .bind(at_ms)
    .execute(&mut **work)
    .await?;
    Ok(ended.rows_affected() > 0)
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

/// The answer under a key, within a transaction.
pub(super) async fn repeated_in(
    work: &mut Transaction<'static, Any>,
    account: &str,
    route: &str,
    key: &Key,
) -> Result<Option<(u16, String)>, Refusal> {
    let row = sqlx::query(ANSWERED).bind(account).bind(route).bind(&key.text);
    repeated(row.fetch_optional(&mut **work).await.map_err(down)?, key)
}

/// A line of the ledger that is still to be written.
struct Entry {
    charge: String,
    number: i64,
    account: String,
    token: String,
    period: String,
    at_ms: i64,
    route: &'static str,
    target: TargetUsed,
    units: u64,
    overage: u64,
    cost: Unit,
}

/// So many lines go into one statement.
const LINES: usize = 64;

/// Writes lines of the ledger and what they add to the rows of their accounts: few statements for many charges, since every
/// statement is a way to the database and back.
async fn write_entries(
    work: &mut Transaction<'static, Any>,
    entries: &mut Vec<Entry>,
) -> Result<(), sqlx::Error> {
    let mut sums: BTreeMap<(&str, &str), [i64; 4]> = BTreeMap::new();
    for entry in entries.iter() {
        let sum = sums.entry((&entry.account, &entry.period)).or_default();
        let adds = [stored(entry.units), stored(entry.overage), entry.cost.0, 1];
        sum.iter_mut().zip(adds).for_each(|(sum, adds)| *sum = sum.saturating_add(adds));
    }
    for ((account, period), [units, overage, cost, analyses]) in sums {
        sqlx::query(
            "UPDATE consumption SET used = used + $3, overage = overage + $4, cost_micros = cost_micros + $5, \
             analyses = analyses + $6 WHERE account_id = $1 AND period = $2",
        )
        .bind(account)
        .bind(period)
        .bind(units)
        .bind(overage)
        .bind(cost)
        .bind(analyses)
        .execute(&mut **work)
        .await?;
    }
    for some in entries.chunks(LINES) {
        let mut insert = String::from(
            "INSERT INTO ledger (charge_id, line, account_id, token_id, period, at_ms, route, target_type, target_id, \
             target_version, units, overage, cost_micros) VALUES ",
        );
        for row in 0..some.len() {
            let values: Vec<String> = (1..=13).map(|column| format!("${}", 13 * row + column)).collect();
            insert.push_str(if row == 0 { "(" } else { ", (" });
            insert.push_str(&values.join(", "));
            insert.push(')');
        }
        let mut insert = sqlx::query(sqlx::AssertSqlSafe(insert));
        for entry in some {
            insert = insert
                .bind(&entry.charge)
                .bind(entry.number)
                .bind(&entry.account)
                .bind(&entry.token)
                .bind(&entry.period)
                .bind(entry.at_ms)
                .bind(entry.route)
                .bind(entry.target.r#type)
                .bind(&entry.target.id)
                .bind(&entry.target.version)
                .bind(stored(entry.units))
                .bind(stored(entry.overage))
                .bind(entry.cost.0);
        }
        insert.execute(&mut **work).await?;
    }
    entries.clear();
    Ok(())
}
