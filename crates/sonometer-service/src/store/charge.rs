//! Charging: one writer puts the charges that wait into one transaction, and answers after the commit.
//!
//! For each charge, in this order: look for an answer under its key, check the two limits (the account's ceiling, the token's
//! spend cap), see that the answer is written for this cost, do what goes along with it, note the rows of the ledger, keep the answer. All of it or
//! nothing; what was answered is on the disk. Charges that wait together share a commit, which is what makes
//! `synchronous=FULL` fast enough.

use super::accounts::standing;
use super::answers::{Kept, Key, Place, keep, kept_at};
use super::dives::{StepDone, take_step};
use super::draft::Draft;
use super::ledger::{self, Entry};
use super::pulse::Pulse;
use super::{BUSY_MS, Dialect, Store, begin, count, down};
use crate::account::{Standing, affordable};
use crate::cause::Cause;
use crate::json::TargetUsed;
use crate::period::Period;
use crate::refusal::{Code, Refusal};
use crate::token::Mode;
use sonometer::Unit;
use sqlx::any::AnyRow;
use sqlx::{Any, AnyPool, Row, Transaction};
use std::collections::btree_map;
use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout, timeout_at};

/// The most charges in one commit. Each holds the lock of its account until then, and all of them are tried again where one
/// of them makes the database fail.
const TOGETHER: usize = 128;

/// What is to be charged.
pub struct Charge {
    /// The id of the account, which belongs to one organization and mode.
    pub account: String,
    /// Live or test; what is used in test mode costs nothing and never exceeds the quota.
    pub mode: Mode,
    /// The id of the token that caused it.
    pub token: String,
    /// The most US dollars of overage that the token may cause in a period; `None`: no cap.
    pub token_cap: Option<Unit>,
    /// The period it falls into.
    pub period: Period,
    /// When it was measured, in milliseconds since 1970.
    pub at_ms: i64,
    /// The route, which is also the scope of the caller's key.
    pub route: &'static str,
    /// The caller's `Idempotency-Key`, if there is one.
    pub key: Option<Key>,
    /// What caused it.
    pub cause: Cause,
    /// What is done in the same transaction.
    pub along: Along,
    /// Names this charge. Charging the same id twice is an error of the database, not a second charge.
    pub id: String,
    /// What was measured; one row of the ledger each.
    pub lines: Vec<Line>,
    /// The answer.
    pub answer: Draft,
}

/// What is done with a charge in one transaction. If it cannot be done, nothing is charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Along {
    /// Nothing else.
    Nothing,
    /// Ends a job.
    Job(JobEnd),
    /// Takes a step of a dive.
    Step(Box<StepDone>),
}

/// A job that a charge ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobEnd {
    /// The id of the job.
    pub id: String,
    /// The worker that must still hold the lease.
    pub worker: String,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What measured.
    pub target: TargetUsed,
    /// The digest of its file.
    pub digest: Arc<str>,
    /// The keys of the metamarkers that triggered, with a space between them ([`Line::joined`]).
    pub markers: String,
    /// ICS: how many metamarkers triggered.
    pub units: u64,
}

impl Line {
    /// Keys of metamarkers as a line has them; no key holds white space.
    pub fn joined<'m>(markers: impl Iterator<Item = &'m str>) -> String {
        markers.collect::<Vec<_>>().join(" ")
    }
}

/// A charge that was made, or had been made before under the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    /// 200, or the status of the answer under the key.
    pub status: u16,
    /// The body of the answer.
    pub answer: String,
    /// ICS charged now; 0 for a repeated answer.
    pub units: u64,
    /// ICS left of the quota.
    pub remaining: u64,
    /// Whether the answer was given before.
    pub replayed: bool,
}

/// A charge, and where its outcome is sent.
pub(crate) struct Order {
    charge: Charge,
    done: oneshot::Sender<Result<(Made, Draft), Refusal>>,
}

/// A charge that was made; its answer is put together by its caller.
struct Made {
    status: u16,
    answer: Said,
    units: u64,
    remaining: u64,
}

/// What is answered.
enum Said {
    /// What was answered before.
    Before(String),
    /// The draft at this cost.
    At(Unit),
}

impl Store {
    /// Charges, and gives the answer once all of it is on the disk.
    ///
    /// # Errors
    /// `quota_exhausted`, `idempotency_conflict`; `unavailable` if it is not known whether it was charged.
    pub async fn charge(&self, charge: Charge) -> Result<Charged, Refusal> {
        if self.unmetered {
            let units = charge.lines.iter().map(|line| line.units).sum();
            let answer = charge.answer.finish(Unit::ZERO);
            return Ok(Charged { status: 200, answer, units, remaining: 0, replayed: false });
        }
        let (done, outcome) = oneshot::channel();
        let gone = || Refusal::unavailable("the writer is gone");
        self.charges.send(Order { charge, done }).await.map_err(|_| gone())?;
        let (made, draft) = outcome.await.map_err(|_| gone())??;
        let Made { status, answer, units, remaining } = made;
        let (answer, replayed) = match answer {
            Said::Before(answer) => (answer, true),
            Said::At(cost) => (draft.finish(cost), false),
        };
        Ok(Charged { status, answer, units, remaining, replayed })
    }
}

/// Writes charges until every sender is gone.
pub(super) async fn write_all(
    pool: AnyPool,
    dialect: Dialect,
    pulse: Arc<Pulse>,
    mut waiting: mpsc::Receiver<Order>,
) {
    let mut orders = Vec::with_capacity(TOGETHER);
    let mut pace = Pace::default();
    while waiting.recv_many(&mut orders, TOGETHER).await > 0 {
        pace.gather(&mut orders, &mut waiting).await;
        // Nobody would see the answer.
        orders.retain(|order| !order.done.is_closed());
        // All nodes lock accounts in the same order, so that no two wait for each other. The sort is stable: charges of one
        // account keep the order in which they came in.
        orders.sort_by(|a, b| {
            let of = |order: &Order| order.charge.period;
            a.charge.account.cmp(&b.charge.account).then_with(|| of(a).cmp(&of(b)))
        });
        let (charges, callers): (Vec<_>, Vec<_>) =
            orders.drain(..).map(|order| (order.charge, order.done)).unzip();
        let began = Instant::now();
        let made = outcomes(&pool, dialect, &pulse, &charges).await;
        pace.committed(charges.len(), waiting.len(), began.elapsed());
        if made.iter().any(Result::is_ok) {
            pulse.beat();
        }
        let drafts = charges.into_iter().map(|charge| charge.answer);
        for ((caller, outcome), draft) in callers.into_iter().zip(made).zip(drafts) {
            // A caller that no longer waits can ask again with the same key.
            let _ = caller.send(outcome.map(|made| (made, draft)));
        }
    }
}

/// How long the writer waits for more charges before it commits. Clients that were answered by the last commit ask again, and a
/// disk that takes long for a commit does better with one for all of them than with two for a half each.
#[derive(Default)]
struct Pace {
    /// How many charges may come soon: those of the last commit, and those that waited for it.
    expected: usize,
    /// How long it is waited for them.
    patience: Duration,
}

impl Pace {
    /// Shorter commits are not worth waiting for, and timers are no finer than a millisecond.
    const SLOW: Duration = Duration::from_millis(2);
    /// The longest wait, however long the last commit took.
    const MOST: Duration = Duration::from_millis(10);

    /// Takes more orders, until as many are there as are expected or the patience is at its end.
    async fn gather(&self, orders: &mut Vec<Order>, waiting: &mut mpsc::Receiver<Order>) {
        let until = Instant::now() + self.patience;
        while orders.len() < self.expected && !self.patience.is_zero() {
            let more = waiting.recv_many(orders, TOGETHER - orders.len());
            if !matches!(timeout_at(until, more).await, Ok(1..)) {
                break;
            }
        }
    }

    fn committed(&mut self, charges: usize, waiting: usize, took: Duration) {
        self.expected = (charges + waiting).min(TOGETHER);
        // Half of what a commit takes: a wait in vain costs no more than that.
        self.patience = if took < Self::SLOW { Duration::ZERO } else { (took / 2).min(Self::MOST) };
    }
}

/// One for each charge, in the order of the charges.
type Outcomes = Vec<Result<Made, Refusal>>;

/// Charges all in one transaction. If the database refuses that because of one of them, each gets its own, so that no caller
/// fails because of another's charge.
async fn outcomes(pool: &AnyPool, dialect: Dialect, pulse: &Pulse, charges: &[Charge]) -> Outcomes {
    match in_time(dialect, pulse, together(pool, dialect, charges)).await {
        Ok(outcomes) => outcomes,
        Err(error) if charges.len() == 1 || is_down(&error) => {
            let refusal = down(error);
            charges.iter().map(|_| Err(refusal.clone())).collect()
        }
        Err(error) => {
            tracing::warn!(charges = charges.len(), %error, "charges failed together; each is tried alone");
            one_by_one(pool, dialect, pulse, charges).await
        }
    }
}

async fn one_by_one(pool: &AnyPool, dialect: Dialect, pulse: &Pulse, charges: &[Charge]) -> Outcomes {
    let mut outcomes = Vec::with_capacity(charges.len());
    for charge in charges {
        let alone = together(pool, dialect, std::slice::from_ref(charge));
        let alone = match in_time(dialect, pulse, alone).await {
            Ok(mut alone) => alone.pop().unwrap_or_else(|| Err(Refusal::internal("a charge has no outcome"))),
            // The rest would fail likewise, each only after waiting for a connection or a lock (10 seconds).
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

/// Whether an error is the database's own (no connection, no room, a lock that is not released) and not one of what was sent.
fn is_down(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return !matches!(error, sqlx::Error::Encode(_)) };
    let code = error.code().unwrap_or_default();
    match code.len() {
        // SQLSTATE (PostgreSQL) has five characters, the first two the class: connection, resources, objects in use,
        // operator, system.
        5 => ["08", "53", "55", "57", "58"].iter().any(|class| code.starts_with(class)),
        // SQLite's codes are decimal, at most 4 digits: BUSY, LOCKED, IOERR, FULL are the lowest byte of an extended code.
        _ => code.parse::<u32>().is_ok_and(|code| matches!(code & 0xFF, 5 | 6 | 10 | 13)),
    }
}

/// Gives a server up that is away, or of which one connection does not answer: it may have lost its power, and say nothing ever
/// again. Whether the charges were made is not known then.
async fn in_time(
    dialect: Dialect,
    pulse: &Pulse,
    work: impl Future<Output = Result<Outcomes, sqlx::Error>>,
) -> Result<Outcomes, sqlx::Error> {
    if dialect == Dialect::Sqlite {
        return work.await;
    }
    tokio::select! {
        biased;
        // It waits for locks half as long itself, and says so.
        made = timeout(Duration::from_millis(2 * BUSY_MS), work) => made.unwrap_or(Err(sqlx::Error::PoolTimedOut)),
        () = pulse.stops() => Err(sqlx::Error::PoolTimedOut),
    }
}

/// Charges in one transaction. After an error none of them is charged.
async fn together(pool: &AnyPool, dialect: Dialect, charges: &[Charge]) -> Result<Outcomes, sqlx::Error> {
    let work = begin(pool, dialect).await?;
    let mut batch =
        Batch { work, dialect, accounts: BTreeMap::new(), kept: HashMap::new(), entries: Vec::new() };
    batch.lock(charges).await?;
    let mut outcomes = Vec::with_capacity(charges.len());
    for charge in charges {
        outcomes.push(match batch.charge(charge).await {
            Ok(charged) => Ok(charged),
            Err(NotCharged::Refused(refusal)) => Err(refusal),
            Err(NotCharged::Database(error)) => return Err(error),
        });
    }
    batch.write().await?;
    batch.work.commit().await?;
    Ok(outcomes)
}

/// Why a charge was not made.
enum NotCharged {
    /// By our rules. It wrote nothing, so the other charges of the transaction stand.
    Refused(Refusal),
    /// By the database, with all others of the transaction.
    Database(sqlx::Error),
}

impl From<Refusal> for NotCharged {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<sqlx::Error> for NotCharged {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

/// An account that is locked, with what the earlier charges of the transaction used.
struct Account {
    standing: Standing,
    /// How many rows the ledger has of it in its period.
    rows: i64,
}

/// Charges that share a transaction.
struct Batch<'c> {
    work: Transaction<'static, Any>,
    dialect: Dialect,
    /// The accounts met so far, all locked until the commit.
    accounts: BTreeMap<(&'c str, Period), Account>,
    /// Answers under the keys of the charges: those that were given before, and those that are given now.
    kept: HashMap<Place<'c>, Kept<'c>>,
    /// Rows of the ledger that are not written yet.
    entries: Vec<Entry<'c>>,
}

/// Where the answer of a charge is kept.
fn place<'c>(charge: &'c Charge, key: &'c Key) -> Place<'c> {
    (&charge.account, charge.route, &key.text)
}

impl<'c> Batch<'c> {
    /// Locks all accounts, and then finds the answers that were given before: nobody else can give one now.
    async fn lock(&mut self, charges: &'c [Charge]) -> Result<(), sqlx::Error> {
        let Self { work, dialect, accounts, kept, .. } = self;
        for charge in charges {
            let of = (charge.account.as_str(), charge.period);
            if let btree_map::Entry::Vacant(missing) = accounts.entry(of) {
                missing.insert(locked(work, *dialect, charge).await?);
            }
        }
        let keys = charges.iter().filter_map(|charge| Some(place(charge, charge.key.as_ref()?)));
        let keys: Vec<Place<'c>> = keys.collect();
        if !keys.is_empty() {
            *kept = kept_at(work, &keys).await?;
        }
        Ok(())
    }

    /// Writes what the charges came to.
    async fn write(&mut self) -> Result<(), sqlx::Error> {
        let Self { work, kept, entries, .. } = self;
        let mut new: Vec<_> =
            kept.iter().filter(|(_, kept)| !kept.is_written).map(|(place, kept)| (*place, kept)).collect();
        // In one order, so that the pages of the database are met in that order too.
        new.sort_by_key(|(place, _)| *place);
        keep(work, &new).await?;
        ledger::write(work, entries).await
    }

    /// Makes one charge. What can refuse it comes before what it writes.
    async fn charge(&mut self, charge: &'c Charge) -> Result<Made, NotCharged> {
        let Self { work, accounts, kept, entries, .. } = self;
        let missing = || Refusal::internal("an account was not locked");
        let account = accounts.get_mut(&(charge.account.as_str(), charge.period)).ok_or_else(missing)?;
        let Account { standing, .. } = account;
        let Charge { mode, key, at_ms, lines, .. } = charge;
        let mut slot = None;
        if let Some(key) = key {
            match kept.entry(place(charge, key)) {
                Slot::Occupied(before) => {
                    let (status, answer) = before.get().under(key)?;
                    let remaining = standing.remaining();
                    return Ok(Made { status, answer: Said::Before(answer), units: 0, remaining });
                }
                Slot::Vacant(vacant) => slot = Some((vacant, &key.body_sha)),
            }
        }
        let units: u64 = lines.iter().map(|line| line.units).sum();
        let before = standing.used.units;
        let after = before.checked_add(units).filter(|after| *after <= standing.settings.ceiling(*mode));
        let after = after.ok_or_else(|| standing.exhausted(Some(units)))?;
        // What is beyond the quota now and was not before.
        let overage = after.saturating_sub(standing.settings.quota.max(before));
        if let (Some(cap), 1..) = (charge.token_cap, overage) {
            // The ledger is asked what the token spent, so it must have the earlier charges of this transaction.
            ledger::write(work, entries).await?;
            let spent = spent_by_token(work, charge).await?;
            if spent.saturating_add(overage) > affordable(cap, standing.settings.rate_usd) {
                return Err(token_is_spent(standing, units).into());
            }
        }
        let cost = standing.settings.cost(*mode, overage);
        let answer = charge.answer.at(cost)?;
        do_along(work, charge, &answer, units).await?;
        if let Some((slot, body_sha)) = slot {
            let body_sha = body_sha.into();
            slot.insert(Kept { body_sha, answer, status: 200, at_ms: *at_ms, is_written: false });
        }
        account.note(entries, charge, units - overage);
        let remaining = account.standing.remaining();
        Ok(Made { status: 200, answer: Said::At(cost), units, remaining })
    }
}

/// The account of a charge, which no other transaction can change until the commit.
async fn locked(
    work: &mut Transaction<'static, Any>,
    dialect: Dialect,
    charge: &Charge,
) -> Result<Account, sqlx::Error> {
    if let Some(account) = lock_row(work, dialect, charge).await? {
        return Ok(account);
    }
    // The first charge of a month: a row must be there to be locked.
    sqlx::query(
        "INSERT INTO consumption (account_id, period, used, overage, cost_micros, analyses) \
         VALUES ($1, $2, 0, 0, 0, 0) ON CONFLICT (account_id, period) DO NOTHING",
    )
    .bind(&charge.account)
    .bind(charge.period.to_string())
    .execute(&mut **work)
    .await?;
    lock_row(work, dialect, charge).await?.ok_or(sqlx::Error::RowNotFound)
}

async fn lock_row(
    work: &mut Transaction<'static, Any>,
    dialect: Dialect,
    charge: &Charge,
) -> Result<Option<Account>, sqlx::Error> {
    const ROW: &str = "SELECT c.used, c.overage AS over_used, c.cost_micros, c.analyses, a.tier, a.quota, a.overage, \
                       a.rate_micros, a.cap_micros, a.per_window \
                       FROM consumption c JOIN accounts a ON a.id = c.account_id WHERE c.account_id = $1 AND c.period = $2";
    let row = match dialect {
        Dialect::Sqlite => sqlx::query(ROW),
        Dialect::Postgres => sqlx::query(sqlx::AssertSqlSafe(format!("{ROW}{} OF c", dialect.for_update()))),
    };
    let row = row.bind(&charge.account).bind(charge.period.to_string()).fetch_optional(&mut **work).await?;
    let account = |row: AnyRow| {
        Ok(Account { standing: standing(&row, charge.mode, charge.period)?, rows: row.try_get("analyses")? })
    };
    row.map(account).transpose()
}

/// The ICS beyond the quota that the token of a charge caused in its period.
async fn spent_by_token(work: &mut Transaction<'static, Any>, charge: &Charge) -> Result<u64, sqlx::Error> {
    // PostgreSQL's sum of BIGINT is NUMERIC, and of no rows NULL.
    let row = sqlx::query(
        "SELECT CAST(COALESCE(SUM(overage), 0) AS BIGINT) FROM ledger WHERE token_id = $1 AND period = $2",
    )
    .bind(&charge.token)
    .bind(charge.period.to_string())
    .fetch_one(&mut **work)
    .await?;
    Ok(count(row.try_get(0)?))
}

fn token_is_spent(standing: &Standing, needed: u64) -> Refusal {
    let mut refusal = standing.exhausted(Some(needed));
    refusal.message = "the spend cap of this token is reached".to_owned();
    refusal.details.reason = Some("token_spend_cap");
    refusal
}

/// Does what goes along with a charge, or refuses the charge: its UPDATE then found no row, and nothing was written.
async fn do_along(
    work: &mut Transaction<'static, Any>,
    charge: &Charge,
    answer: &str,
    units: u64,
) -> Result<(), NotCharged> {
    let (done, gone) = match &charge.along {
        Along::Nothing => return Ok(()),
        Along::Job(end) => (
            end_job(work, end, answer, charge.at_ms).await?,
            (Code::JobNotFound, "the job has ended, or is somebody else's"),
        ),
        Along::Step(step) => (
            take_step(work, step, answer, units, charge.at_ms).await?,
            (Code::TurnConflict, "somebody else acted"),
        ),
    };
    if done { Ok(()) } else { Err(Refusal::new(gone.0, gone.1).into()) }
}

/// Ends a job with its answer; whether its worker still held it.
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

impl Account {
    /// Notes the rows of a charge, of whose ICS the first `within` are still within the quota.
    fn note<'c>(&mut self, entries: &mut Vec<Entry<'c>>, charge: &'c Charge, mut within: u64) {
        let Standing { settings, used, .. } = &mut self.standing;
        for (place, line) in (0_i64..).zip(&charge.lines) {
            let included = within.min(line.units);
            within -= included;
            let overage = line.units - included;
            let cost = settings.cost(charge.mode, overage);
            used.units = used.units.saturating_add(line.units);
            used.overage = used.overage.saturating_add(overage);
            used.cost_usd = Unit(used.cost_usd.0.saturating_add(cost.0));
            self.rows += 1;
            entries.push(Entry { charge, place, line, overage, cost, number: self.rows, after: *used });
        }
    }
}
