//! Charges by what the writer knows of accounts since its last commit.
//!
//! Step by step ([`together`](super::charging::together)), a commit asks the database five times: begin, read and lock the accounts,
//! add to them, write the rows, commit. On a busy machine the way to the database and back costs more than its work. But the writer
//! knows what its last commit left of an account. So it works out the charges from that, and sends one message: if the accounts are
//! still what they were, write these rows. The database writes all of them or none. It writes none if another node or an operator has
//! changed one of the accounts. Then the charges are made step by step.

use super::charge::{Along, Charge, Made, Said};
use super::charging::{Accounts, Outcomes};
use super::ledger::{self, Entry};
use super::reckon::{Account, Spent};
use super::statements::places;
use super::{Dialect, stored};
use crate::period::Period;
use sqlx::any::AnyArguments;
use sqlx::query::Query;
use sqlx::{Any, AnyConnection, AssertSqlSafe, Row};
use std::collections::HashMap;
use std::collections::btree_map::{self, BTreeMap};
use std::sync::Arc;

/// The most accounts in one statement. So there are at most `ACCOUNTS` × [`ledger::ROWS`] = 1,024 texts of it, of 13 KB or less.
const ACCOUNTS: usize = 16;
/// So many accounts are remembered (a few hundred bytes each); then all are forgotten.
const REMEMBERED: usize = 4_096;

/// What must still be so in the database, and what shall be so then.
const CHANGE: &str = "account_id, period, used, over_used, cost_micros, analyses, quota, overage, rate_micros, cap_micros, \
     used_after, overage_after, cost_after, analyses_after";
const CHANGE_WIDTH: usize = 14;
/// A row of `change` that is so: `c` is the row of `consumption`, `a` that of `accounts`.
const IS_SO: &str = "change JOIN consumption c ON c.account_id = change.account_id AND c.period = change.period \
     JOIN accounts a ON a.id = change.account_id \
     WHERE c.used = change.used AND c.overage = change.over_used AND c.cost_micros = change.cost_micros \
     AND c.analyses = change.analyses AND a.quota = change.quota AND a.overage = change.overage \
     AND a.rate_micros = change.rate_micros AND a.cap_micros = change.cap_micros";
/// What an UPDATE of `consumption` says.
const SET: &str = "SET used = change.used_after, overage = change.overage_after, cost_micros = change.cost_after, \
     analyses = change.analyses_after FROM change \
     WHERE consumption.account_id = change.account_id AND consumption.period = change.period";

/// What the writer knows.
pub(super) struct Known {
    dialect: Dialect,
    /// By id, each in the period of its last charge.
    accounts: HashMap<String, Account>,
    /// Texts of the statement, by the numbers of accounts and of rows.
    texts: HashMap<(usize, usize), Arc<str>>,
}

/// An account before and after charges.
struct Change {
    before: Account,
    after: Account,
}

/// What charges come to, if all is as it is known.
pub(super) struct Reckoned<'c> {
    changes: BTreeMap<(&'c str, Period), Change>,
    entries: Vec<Entry<'c>>,
    outcomes: Outcomes,
}

impl Known {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, accounts: HashMap::new(), texts: HashMap::new() }
    }

    /// What a commit left of accounts.
    pub(super) fn learn(&mut self, accounts: Accounts<'_>) {
        if self.accounts.len() >= REMEMBERED {
            self.accounts.clear();
        }
        self.accounts.extend(accounts.into_iter().map(|((id, _), account)| (id.to_owned(), account)));
    }

    /// What tokens of an account spent, as far as it is known.
    pub(super) fn spent(&self, id: &str, account: &Account) -> BTreeMap<String, Spent> {
        let before =
            |known: &&Account| known.standing.period == account.standing.period && known.rows <= account.rows;
        self.accounts.get(id).filter(before).map(|known| known.spent_since(account.rows)).unwrap_or_default()
    }

    /// After an error nobody knows.
    pub(super) fn forget(&mut self) {
        self.accounts.clear();
    }

    /// What charges come to. `None` if one of them needs more than its account: an answer that may be kept already, a job, a
    /// step, the cap of a token, or a refusal, which is not told by what may have changed.
    pub(super) fn reckon<'c>(&self, charges: &'c [Charge]) -> Option<Reckoned<'c>> {
        let mut changes: BTreeMap<_, Change> = BTreeMap::new();
        let (mut entries, mut outcomes) = (Vec::new(), Vec::with_capacity(charges.len()));
        for charge in charges {
            if charge.key.is_some() || charge.along != Along::Nothing || charge.lines.is_empty() {
                return None;
            }
            let change = match changes.entry((charge.account.as_str(), charge.period)) {
                btree_map::Entry::Occupied(change) => change.into_mut(),
                btree_map::Entry::Vacant(vacant) => {
                    let account = self.accounts.get(&charge.account)?;
                    if account.standing.period != charge.period {
                        return None;
                    }
                    vacant.insert(Change { before: account.clone(), after: account.clone() })
                }
            };
            let due = change.after.bear(charge).ok()?;
            if charge.token_cap.is_some() && due.overage > 0 {
                return None;
            }
            charge.answer.at(due.cost).ok()?;
            change.after.note(&mut entries, charge, &due);
            let remaining = change.after.standing.remaining();
            outcomes.push(Ok(Made { status: 200, answer: Said::At(due.cost), units: due.units, remaining }));
        }
        let fits = changes.len() <= ACCOUNTS && entries.len() <= ledger::ROWS;
        fits.then_some(Reckoned { changes, entries, outcomes })
    }

    /// Writes what was reckoned; `None` if it is no longer so, and nothing was written.
    ///
    /// # Errors
    /// Then it is not known whether it was written. A connection to SQLite may be within a transaction, and is of no more use.
    pub(super) async fn write(
        &mut self,
        connection: &mut AnyConnection,
        reckoned: Reckoned<'_>,
    ) -> Result<Option<Outcomes>, sqlx::Error> {
        let Reckoned { changes, entries, outcomes } = reckoned;
        let (accounts, rows) = (changes.len(), entries.len());
        let text = self.texts.entry((accounts, rows)).or_insert_with(|| text(self.dialect, accounts, rows));
        let mut query = sqlx::query(AssertSqlSafe(text.clone()));
        for ((account, period), change) in &changes {
            query = bound(query, account, *period, change);
        }
        query = entries.iter().fold(query, ledger::bound);
        let written = match self.dialect {
            Dialect::Sqlite => match query.fetch_all(connection).await?.last() {
                Some(row) => row.try_get::<i64, _>(0)?,
                None => return Err(sqlx::Error::RowNotFound),
            },
            Dialect::Postgres => stored(query.execute(connection).await?.rows_affected()),
        };
        if written == 0 {
            return Ok(None);
        }
        self.learn(changes.into_iter().map(|(of, change)| (of, change.after)).collect());
        Ok(Some(outcomes))
    }
}

/// Writes all rows if all accounts are as they were, and else none.
fn text(dialect: Dialect, accounts: usize, rows: usize) -> Arc<str> {
    let changes = places(dialect, 0, accounts, CHANGE_WIDTH);
    let entries = places(dialect, accounts * CHANGE_WIDTH, rows, ledger::WIDTH);
    let (columns, change) = (ledger::COLUMNS, format!("WITH change ({CHANGE}) AS (VALUES {changes})"));
    match dialect {
        // Within a transaction nobody else writes. `changes()` is the number of rows that the statement before changed.
        Dialect::Sqlite => format!(
            "BEGIN IMMEDIATE; \
             {change} UPDATE OR ROLLBACK consumption {SET} AND (SELECT COUNT(*) FROM {IS_SO}) = {accounts}; \
             INSERT OR ROLLBACK INTO ledger ({columns}) SELECT * FROM (VALUES {entries}) WHERE changes() = {accounts}; \
             COMMIT; \
             SELECT changes()"
        ),
        // One statement is a transaction by itself. It locks the accounts in their order, as all nodes do, so that no two wait for each
        // other. Where it had to wait for a lock, PostgreSQL compares the row anew.
        Dialect::Postgres => format!(
            "{change}, \
             so AS (SELECT c.account_id FROM {IS_SO} ORDER BY c.account_id, c.period FOR NO KEY UPDATE OF c), \
             changed AS (UPDATE consumption {SET} AND (SELECT COUNT(*) FROM so) = {accounts} RETURNING 1) \
             INSERT INTO ledger ({columns}) SELECT * FROM (VALUES {entries}) AS entry \
             WHERE (SELECT COUNT(*) FROM changed) = {accounts}"
        ),
    }
    .into()
}

/// A statement with the values of a row of `change`.
fn bound<'q>(
    query: Query<'q, Any, AnyArguments>,
    account: &'q str,
    period: Period,
    change: &Change,
) -> Query<'q, Any, AnyArguments> {
    let (before, after) = (&change.before, &change.after);
    let settings = &before.standing.settings;
    let (was, is) = (before.standing.used, after.standing.used);
    query
        .bind(account)
        .bind(period.to_string())
        .bind(stored(was.units))
        .bind(stored(was.overage))
        .bind(was.cost_usd.0)
        .bind(before.rows)
        .bind(stored(settings.quota))
        .bind(i64::from(settings.overage))
        .bind(settings.rate_usd.0)
        .bind(settings.cap_usd.map_or(-1, |cap| cap.0))
        .bind(stored(is.units))
        .bind(stored(is.overage))
        .bind(is.cost_usd.0)
        .bind(after.rows)
}

#[cfg(test)]
mod tests {
    use super::super::Store;
    use super::super::accounts::{OrgRow, account_id};
    use super::super::charge::JobEnd;
    use super::super::charging::together;
    use super::*;
    use crate::account::Settings;
    use crate::token::Mode;
    use sonometer::Unit;

    fn charge(id: &str, org: &str) -> Charge {
        Charge::example(id, account_id(org, Mode::Live))
    }

    #[tokio::test]
    async fn all_is_written_if_all_is_known_and_else_nothing() {
        let path = std::env::temp_dir().join(format!("sonometer-known-{}.sqlite", std::process::id()));
        let store = Store::open(path.to_str().expect("is UTF-8")).await.expect("opens");
        for org in ["a", "b"] {
            let row = OrgRow { id: org.to_owned(), name: org.to_owned(), created_ms: 0 };
            store.create_org(&row, &[(Mode::Live, Settings::new(Mode::Live))]).await.expect("is new");
        }
        let mut connection = store.writer.acquire().await.expect("is there");
        let rows = async || -> i64 {
            let row = sqlx::query("SELECT COUNT(*) FROM ledger").fetch_one(&store.readers).await;
            row.and_then(|row| row.try_get(0)).expect("can be read")
        };
        let mut known = Known::new(Dialect::Sqlite);
        let first = [charge("1", "a"), charge("2", "b")];
        assert!(known.reckon(&first).is_none(), "nothing is known yet");
        let made = together(&mut connection, Dialect::Sqlite, &known, &first).await;
        let (_, accounts) = made.expect("is made");
        known.learn(accounts);
        let second = [charge("3", "a"), charge("4", "b"), charge("5", "a")];
        let reckoned = known.reckon(&second).expect("both are known");
        let outcomes = known.write(&mut connection, reckoned).await.expect("is written").expect("all is so");
        let left: Vec<u64> = outcomes.iter().flatten().map(|made| made.remaining).collect();
        assert_eq!((left, rows().await), (vec![9_994, 9_994, 9_991], 5));
        let settings = Settings { rate_usd: Unit(7), ..Settings::new(Mode::Live) };
        drop(connection);
        store.set_account("b", Mode::Live, &settings).await.expect("is there");
        let mut connection = store.writer.acquire().await.expect("is there");
        let third = [charge("6", "a"), charge("7", "b")];
        let reckoned = known.reckon(&third).expect("both are known");
        assert!(
            known.write(&mut connection, reckoned).await.expect("can be asked").is_none(),
            "one is not so"
        );
        assert_eq!(rows().await, 5, "and nothing of the other was written");
        let mut with_job = charge("8", "a");
        with_job.along = Along::Job(JobEnd { id: "j".to_owned(), worker: "w".to_owned() });
        assert!(known.reckon(&[with_job]).is_none(), "a job needs more than its account");
        known.forget();
        assert!(known.reckon(&[charge("9", "a")]).is_none());
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
        }
    }
}
