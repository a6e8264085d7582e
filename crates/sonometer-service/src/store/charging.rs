//! Charging within one transaction.
//!
//! For each charge, in this order: look for an answer under its key, check the two limits (the account's ceiling, the token's
//! spend cap), see that the answer is written for this cost, do what goes along with it, note the rows of the ledger, keep the answer. All of it or
//! nothing; what was answered is on the disk.

use super::Dialect;
use super::accounts::standing;
use super::answers::{Kept, Key, Place, keep, kept_at};
use super::charge::{Along, Charge, JobEnd, Made, Said};
use super::dives::take_step;
use super::known::Known;
use super::ledger::{self, Entry};
use super::reckon::{Account, Spent};
use crate::account::Standing;
use crate::period::Period;
use crate::refusal::{Code, Refusal};
use sonometer::Unit;
use sqlx::any::AnyRow;
use sqlx::{Any, AnyConnection, Connection, Row, Transaction};
use std::collections::btree_map;
use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeMap, HashMap};

/// One for each charge, in the order of the charges.
pub(super) type Outcomes = Vec<Result<Made, Refusal>>;

/// Accounts in a period.
pub(super) type Accounts<'c> = BTreeMap<(&'c str, Period), Account>;

/// Charges in one transaction, and tells what it left of their accounts. After an error none of them is charged.
pub(super) async fn together<'c>(
    connection: &mut AnyConnection,
    dialect: Dialect,
    known: &Known,
    charges: &'c [Charge],
) -> Result<(Outcomes, Accounts<'c>), sqlx::Error> {
    let work = connection.begin_with(dialect.begin()).await?;
    let mut batch =
        Batch { work, dialect, accounts: BTreeMap::new(), kept: HashMap::new(), entries: Vec::new() };
    batch.lock(known, charges).await?;
    let mut outcomes = Vec::with_capacity(charges.len());
    for charge in charges {
        outcomes.push(match batch.charge(charge).await {
            Ok(charged) => Ok(charged),
            Err(NotCharged::Refused(refusal)) => Err(refusal),
            Err(NotCharged::Database(error)) => return Err(error),
        });
    }
    batch.write().await?;
    let Batch { work, accounts, .. } = batch;
    work.commit().await?;
    Ok((outcomes, accounts))
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

/// Charges that share a transaction.
struct Batch<'w, 'c> {
    work: Transaction<'w, Any>,
    dialect: Dialect,
    /// The accounts met so far, all locked until the commit.
    accounts: Accounts<'c>,
    /// Answers under the keys of the charges: those that were given before, and those that are given now.
    kept: HashMap<Place<'c>, Kept<'c>>,
    /// Rows of the ledger that are not written yet.
    entries: Vec<Entry<'c>>,
}

/// Where the answer of a charge is kept.
fn place<'c>(charge: &'c Charge, key: &'c Key) -> Place<'c> {
    (&charge.account, charge.route, &key.text)
}

impl<'c> Batch<'_, 'c> {
    /// Locks all accounts, and then finds the answers that were given before: nobody else can give one now.
    async fn lock(&mut self, known: &Known, charges: &'c [Charge]) -> Result<(), sqlx::Error> {
        let Self { work, dialect, accounts, kept, .. } = self;
        for charge in charges {
            let of = (charge.account.as_str(), charge.period);
            if let btree_map::Entry::Vacant(missing) = accounts.entry(of) {
                let account = locked(work, *dialect, charge).await?;
                let spent = known.spent(&charge.account, &account);
                missing.insert(Account { spent, ..account });
            }
        }
        let keys = charges.iter().filter_map(|charge| Some(place(charge, charge.key.as_ref()?)));
        let keys: Vec<Place<'c>> = keys.collect();
        if !keys.is_empty() {
            *kept = kept_at(work, *dialect, &keys).await?;
        }
        Ok(())
    }

    /// Writes what the charges came to.
    async fn write(&mut self) -> Result<(), sqlx::Error> {
        let Self { work, dialect, kept, entries, .. } = self;
        let mut new: Vec<_> =
            kept.iter().filter(|(_, kept)| !kept.is_written).map(|(place, kept)| (*place, kept)).collect();
        // In one order, so that the pages of the database are met in that order too.
        new.sort_by_key(|(place, _)| *place);
        keep(work, *dialect, &new).await?;
        ledger::write(work, *dialect, entries).await
    }

    /// Makes one charge. What can refuse it comes before what it writes.
    async fn charge(&mut self, charge: &'c Charge) -> Result<Made, NotCharged> {
        let Self { work, dialect, accounts, kept, entries } = self;
        let missing = || Refusal::internal("an account was not locked");
        let account = accounts.get_mut(&(charge.account.as_str(), charge.period)).ok_or_else(missing)?;
        let mut slot = None;
        if let Some(key) = &charge.key {
            match kept.entry(place(charge, key)) {
                Slot::Occupied(before) => {
                    let (status, answer) = before.get().under(key)?;
                    let remaining = account.standing.remaining();
                    return Ok(Made { status, answer: Said::Before(answer), units: 0, remaining });
                }
                Slot::Vacant(vacant) => slot = Some((vacant, &key.body_sha)),
            }
        }
        let due = account.bear(charge)?;
        if let (Some(cap), 1..) = (charge.token_cap, due.overage) {
            let spent = match account.spent.get(&charge.token).copied() {
                Some(Spent { all, only_up_to: None, .. }) => all,
                before => {
                    // The ledger is asked, so it must have the earlier charges of this transaction.
                    ledger::write(work, *dialect, entries).await?;
                    let spent = spent_by_token(work, charge, before.unwrap_or_default()).await?;
                    account.remember(&charge.token, spent);
                    spent.all
                }
            };
            if spent.0.saturating_add(due.cost.0) > cap.0 {
                return Err(token_is_spent(&account.standing, due.units).into());
            }
        }
        let answer = charge.answer.at(due.cost)?;
        do_along(work, charge, &answer, due.units).await?;
        if let Some((slot, body_sha)) = slot {
            let (body_sha, at_ms) = (body_sha.into(), charge.at_ms);
            slot.insert(Kept { body_sha, answer, status: 200, at_ms, is_written: false });
        }
        account.note(entries, charge, &due);
        Ok(Made {
            status: 200,
            answer: Said::At(due.cost),
            units: due.units,
            remaining: account.standing.remaining(),
        })
    }
}

/// The account of a charge, which no other transaction can change until the commit.
async fn locked(
    work: &mut Transaction<'_, Any>,
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
    work: &mut Transaction<'_, Any>,
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
        Ok(Account {
            standing: standing(&row, charge.mode, charge.period)?,
            rows: row.try_get("analyses")?,
            spent: BTreeMap::new(),
        })
    };
    row.map(account).transpose()
}

/// What the ICS beyond the quota cost that the token of a charge caused in its period, from what is known of it on.
async fn spent_by_token(
    work: &mut Transaction<'_, Any>,
    charge: &Charge,
    before: Spent,
) -> Result<Spent, sqlx::Error> {
    // PostgreSQL's sum of BIGINT is NUMERIC, and of no rows NULL.
    let row = sqlx::query(
        "SELECT CAST(COALESCE((SELECT SUM(cost_micros) FROM ledger WHERE token_id = $1 AND period = $2 AND number > $3), 0) AS BIGINT), \
         CAST(COALESCE((SELECT SUM(cost_micros) FROM ledger WHERE token_id = $1 AND period = $2 AND number = 0), 0) AS BIGINT)",
    )
    .bind(&charge.token)
    .bind(charge.period.to_string())
    .bind(before.only_up_to.unwrap_or(0))
    .fetch_one(&mut **work)
    .await?;
    let (since, unnumbered): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    let numbered = before.all.0 - before.unnumbered.0;
    let all = Unit(numbered.saturating_add(since).saturating_add(unnumbered));
    Ok(Spent { all, unnumbered: Unit(unnumbered), only_up_to: None })
}

fn token_is_spent(standing: &Standing, needed: u64) -> Refusal {
    let mut refusal = standing.exhausted(Some(needed));
    refusal.message = "the spend cap of this token is reached".to_owned();
    refusal.details.reason = Some("token_spend_cap");
    refusal
}

/// Does what goes along with a charge, or refuses the charge: its UPDATE then found no row, and nothing was written.
async fn do_along(
    work: &mut Transaction<'_, Any>,
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
    work: &mut Transaction<'_, Any>,
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
