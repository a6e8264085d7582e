//! Everything that lasts: organizations, accounts, tokens, the ledger, what organizations publish. SQLite or PostgreSQL, by
//! the same SQL.

mod accounts;
mod answers;
mod audit;
mod charge;
mod charging;
mod check;
mod claims;
mod deliveries;
mod dives;
mod draft;
mod form;
mod history;
mod holders;
mod jobs;
mod keys;
mod known;
mod ledger;
mod lines;
mod lists;
mod pulse;
mod queue;
mod reckon;
mod sealed;
mod stages;
mod statements;
mod targets;
mod tokens;
mod windows;
mod writer;

pub use crate::names::Names;
pub use accounts::OrgRow;
pub use answers::Key;
pub use audit::{AuditLine, NewAudit};
pub use charge::{Along, Charge, Charged, JobEnd, Line};
pub use check::{Break, Checked, Fault, Wrong};
pub(crate) use claims::{Claimable, PLANS};
pub use deliveries::{Attempt, Delivery};
pub(crate) use deliveries::{DELIVERIES_FULL, Due};
pub(crate) use dives::{
    Allowed, Attempts, Counter, DiveRow, DiveSeen, DiveSize, FrozenWorld, NewDive, Opened,
};
pub use dives::{DiveLine, StepDone};
pub use draft::{Draft, WriteAnswer};
pub use history::{Entry, Page, Totals};
pub use jobs::JobRow;
pub(crate) use jobs::{Claimed, NewJob};
pub(crate) use keys::{KeyRow, NewKey};
pub use lines::{Filter, LedgerRow};
pub(crate) use lines::{Month, Position, Rows, Sums};
pub use stages::StageRow;
pub(crate) use stages::{Grant, StageAccess};
pub use targets::TargetRow;
pub use tokens::{NewToken, TokenRow};

use crate::refusal::Refusal;
use crate::vault::Vault;
use charge::Order;
use holders::Holders;
use pulse::Pulse;
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{Any, AnyConnection, AnyPool, ConnectOptions, Connection, Executor, Row, Transaction};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Readers of an SQLite file beside its one writer.
const SQLITE_READERS: u32 = 4;
/// What SQLite is told for its writer. A statement that changes many pages keeps what they were until it has ended: in memory, or a file
/// is made and deleted for every other commit. Not for others: what they sort (new indexes, a ledger that is checked) may be large.
const SQLITE_WRITES: &str = "PRAGMA temp_store = MEMORY;";
/// Connections to PostgreSQL: one of the writers charges, the others work on jobs and notifications.
const POSTGRES_WRITERS: u32 = 4;
const POSTGRES_READERS: u32 = 8;
/// How long a statement waits for a lock that another process holds.
const BUSY_MS: u64 = 10_000;
/// How often it is tried to empty the log of SQLite.
const WIPES: usize = 20;
/// So many rows are deleted at once.
const ROWS_AT_ONCE: i64 = 500;
/// How many charges may wait for the writer.
const WAITING: usize = 1_024;

/// Which database it is, where that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// Of the address of a store.
    fn of(url: &str) -> Result<Self, String> {
        match url.split_once("://").map(|(scheme, _)| scheme) {
            None | Some("sqlite") => Ok(Self::Sqlite),
            Some("postgres" | "postgresql") => Ok(Self::Postgres),
            Some(scheme) => Err(format!(
                "`{scheme}://` is not a supported database; give the path of an SQLite file, or `postgres://…`"
            )),
        }
    }

    /// What begins a transaction that writes. SQLite takes the lock at once: a reader that becomes a writer could not wait for it.
    fn begin(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN",
        }
    }

    /// What a SELECT adds to lock its rows until the commit. SQLite has one writer, who took the lock at the beginning.
    fn for_update(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            // Rows that point to these may still be written.
            Self::Postgres => " FOR NO KEY UPDATE",
        }
    }

    /// The same for the rows of one table, leaving out those that others have locked.
    fn skip_locked(self, table: &str) -> String {
        match self {
            Self::Sqlite => String::new(),
            Self::Postgres => format!(" FOR UPDATE OF {table} SKIP LOCKED"),
        }
    }
}

/// The store. Cheap to clone; all clones share one writer.
#[derive(Clone, Debug)]
pub struct Store {
    readers: AnyPool,
    writer: AnyPool,
    dialect: Dialect,
    charges: mpsc::Sender<Order>,
    /// Requests that wait to be told who calls.
    holders: Arc<Holders>,
    /// What encrypts the secrets in it.
    vault: Vault,
    pulse: Arc<Pulse>,
    lists: Arc<lists::Kept>,
    /// Whether charges are answered and not written.
    unmetered: bool,
}

impl Store {
    /// Opens a store, creates it where there is none, and brings it to the newest form. Must be called within a Tokio
    /// runtime, where its writer lives.
    ///
    /// `url` is the path of an SQLite file, with or without `sqlite:` before it, or `postgres://user@host/database`. Several
    /// processes may share a PostgreSQL database.
    ///
    /// # Errors
    /// What keeps it from being opened, in words; never with a password.
    pub async fn open(url: &str) -> Result<Self, String> {
        Self::open_with(url, Vault::default(), |_| {}).await
    }

    /// As [`Store::open`], with the keys that encrypt what is secret in it. A server that refuses is tried for some seconds, for it
    /// may be starting: `waits` is told so at once.
    ///
    /// # Errors
    /// Also if something in it is encrypted with a key that is not given.
    pub async fn open_with(url: &str, vault: Vault, waits: impl Fn(&str)) -> Result<Self, String> {
        sqlx::any::install_default_drivers();
        let dialect = Dialect::of(url)?;
        let (name, full) = match dialect {
            Dialect::Sqlite => {
                let path = path(url);
                if path.is_empty() || path == ":memory:" {
                    return Err("give the path of an SQLite file".to_owned());
                }
                create(Path::new(path)).map_err(|error| {
                    let fix =
                        "give --database a file in a folder that is there and that this user may write to";
                    format!("{path}: {error}; {fix}")
                })?;
                (path.to_owned(), format!("sqlite://{}?mode=rwc", escaped(path)))
            }
            Dialect::Postgres => ("the PostgreSQL database".to_owned(), url.to_owned()),
        };
        let seconds = BUSY_MS / 1_000;
        let options = AnyConnectOptions::from_str(&full).map_err(|error| format!("{name}: {error}"))?;
        let pool = |most: u32, own_settings: &'static str| {
            AnyPoolOptions::new()
                .max_connections(most)
                .min_connections(1)
                .acquire_timeout(Duration::from_millis(BUSY_MS))
                .idle_timeout(None)
                .max_lifetime(None)
                // A file does not go away; a connection to another machine may have.
                .test_before_acquire(dialect == Dialect::Postgres)
                // If the disk is full, SQLite ends a transaction itself. The library does not notice, and would begin no other on
                // this connection: it is closed, and the next one is a new one.
                .before_acquire(|connection, _| {
                    let is_free = !connection.is_in_transaction();
                    Box::pin(std::future::ready(Ok(is_free)))
                })
                .after_connect(move |connection, _| {
                    Box::pin(async move {
                        // What was answered is on the disk, a power cut included.
                        let settings = match dialect {
                            Dialect::Sqlite => format!(
                                "PRAGMA busy_timeout = {BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
                                 PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; \
                                 {own_settings}"
                            ),
                            Dialect::Postgres => format!(
                                "SET lock_timeout = {BUSY_MS}; SELECT set_config('synchronous_commit', 'on', false) \
                                 WHERE current_setting('synchronous_commit') = 'off';"
                            ),
                        };
                        connection.execute(sqlx::AssertSqlSafe(settings)).await.map(drop)
                    })
                })
        };
        let failed = |error: sqlx::Error| format!("{name}: {error}");
        let (writers, readers) = match dialect {
            Dialect::Sqlite => (1, SQLITE_READERS),
            Dialect::Postgres => (POSTGRES_WRITERS, POSTGRES_READERS),
        };
        if dialect == Dialect::Sqlite {
            // A pool would try a file that cannot be used again and again, and say only that it took too long.
            form::examine(&options, Path::new(path(url)))
                .await
                .map_err(|error| format!("{name}: {error}"))?;
        }
        if dialect == Dialect::Postgres
            && let Some(why) = not_yet(&options).await
        {
            waits(&format!("{name}: {why}; trying for {seconds} seconds"));
        }
        let readers = match pool(readers, "").connect_with(options.clone()).await {
            // A pool tries a server that refuses again and again, for it may be starting, and says only that it took too long.
            Err(sqlx::Error::PoolTimedOut) => {
                let why = why_not(&options).await;
                return Err(format!(
                    "{name}: {why}; check that the server runs, and host and port of the address (after {seconds} seconds)"
                ));
            }
            readers => readers.map_err(failed)?,
        };
        if dialect == Dialect::Postgres {
            let encoding =
                sqlx::query_scalar("SELECT current_setting('server_encoding')").fetch_one(&readers);
            let encoding: String = encoding.await.map_err(failed)?;
            // Without an encoding of its own (SQL_ASCII) it keeps every byte.
            if !matches!(&*encoding, "UTF8" | "SQL_ASCII") {
                return Err(format!(
                    "{name}: its encoding {encoding} cannot hold every text; make one with `createdb --encoding=UTF8 --template=template0`"
                ));
            }
        }
        form::bring_to_newest(&readers).await.map_err(|error| format!("{name}: {error}"))?;
        let writer = pool(writers, SQLITE_WRITES).connect_with(options.clone()).await.map_err(failed)?;
        let (charges, waiting) = mpsc::channel(WAITING);
        let pulse = match dialect {
            Dialect::Sqlite => Pulse::steady(),
            Dialect::Postgres => Pulse::of(options),
        };
        tokio::spawn(writer::write_all(writer.clone(), dialect, pulse.clone(), waiting));
        let holders = Arc::new(Holders::new(dialect));
        let store = Self {
            readers,
            writer,
            dialect,
            charges,
            holders,
            vault,
            pulse,
            lists: Arc::default(),
            unmetered: false,
        };
        store.check_vault().await.map_err(|error| format!("{name}: {error}"))?;
        Ok(store)
    }

    /// Whether there is a store to open; if there is none, opening makes one. Only files can be missing: with any other address,
    /// opening says what is wrong, without its password.
    pub fn is_there(url: &str) -> bool {
        !matches!(Dialect::of(url), Ok(Dialect::Sqlite)) || Path::new(path(url)).exists()
    }

    /// Whether the file of a store is there and holds nothing, as a copy that failed does. Opening would make a new store of it.
    pub fn is_empty(url: &str) -> bool {
        matches!(Dialect::of(url), Ok(Dialect::Sqlite))
            && std::fs::metadata(path(url)).is_ok_and(|file| file.is_file() && file.len() == 0)
    }

    /// Whether the store answers.
    ///
    /// # Errors
    /// `unavailable` if it does not.
    pub async fn ping(&self) -> Result<(), Refusal> {
        sqlx::query("SELECT 1").fetch_one(&self.readers).await.map(drop).map_err(down)
    }

    /// Connections, each with those that nobody uses: to write and to read.
    pub fn connections(&self) -> [(&'static str, u32, usize); 2] {
        let of = |name, pool: &AnyPool| (name, pool.size(), pool.num_idle());
        [of("write", &self.writer), of("read", &self.readers)]
    }

    /// Leaves nothing of what was deleted beside the database: SQLite keeps it in the file `-wal` until that is begun anew.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn wipe(&self) -> Result<(), Refusal> {
        if self.dialect == Dialect::Postgres {
            return Ok(());
        }
        for _ in 0..WIPES {
            // Not on the writer, which others wait for.
            let row = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&self.readers).await;
            let busy: i64 = row.and_then(|row| row.try_get(0)).map_err(down)?;
            if busy == 0 {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        tracing::warn!(
            "the log of the database was in use and was not emptied; it is tried again in an hour"
        );
        Ok(())
    }

    /// The same store, which answers charges and writes none: to measure what metering costs.
    #[doc(hidden)]
    #[must_use]
    pub fn unmetered(self) -> Self {
        Self { unmetered: true, ..self }
    }

    /// Whether the database is there, as far as is known.
    pub(crate) fn is_here(&self) -> bool {
        self.pulse.is_here()
    }

    /// Waits until the database is away.
    pub(crate) async fn goes_away(&self) {
        self.pulse.stops().await;
    }

    /// Gives everything back; charges that wait are written first.
    pub async fn close(self) {
        let Self { readers, writer, charges, .. } = self;
        drop(charges);
        readers.close().await;
        writer.close().await;
    }

    /// Whether it was closed, by this one or by a clone.
    pub fn is_closed(&self) -> bool {
        self.readers.is_closed()
    }

    async fn begin(&self) -> Result<Transaction<'static, Any>, Refusal> {
        self.writer.begin_with(self.dialect.begin()).await.map_err(down)
    }

    /// Holds the row of an organization, account or token until the commit: others wait for it, on several nodes too.
    async fn lock(&self, work: &mut AnyConnection, table: &'static str, id: &str) -> Result<(), Refusal> {
        let row = format!("SELECT id FROM {table} WHERE id = $1{}", self.dialect.for_update());
        let row = sqlx::query(sqlx::AssertSqlSafe(row)).bind(id).fetch_optional(work);
        row.await.map(drop).map_err(down)
    }
}

/// Why a server is not there yet, from one attempt; `None`: it is, or what is wrong is said without waiting.
async fn not_yet(options: &AnyConnectOptions) -> Option<String> {
    const AT_ONCE: Duration = Duration::from_secs(1);
    match tokio::time::timeout(AT_ONCE, options.connect()).await {
        Ok(Ok(connection)) => {
            let _ = connection.close().await;
            None
        }
        Ok(Err(error @ sqlx::Error::Io(_))) => Some(error.to_string()),
        Ok(Err(sqlx::Error::Database(error))) if error.is_transient_in_connect_phase() => {
            Some(error.to_string())
        }
        Ok(Err(_)) => None,
        Err(_) => Some("no answer yet".to_owned()),
    }
}

/// Why no connection can be opened, from one attempt.
async fn why_not(options: &AnyConnectOptions) -> String {
    match tokio::time::timeout(Duration::from_millis(BUSY_MS), options.connect()).await {
        Ok(Err(error)) => error.to_string(),
        Ok(Ok(_)) => "it was too slow to answer".to_owned(),
        Err(_) => "it does not answer".to_owned(),
    }
}

/// Makes the file where there is none, for its owner only: it holds answers that were given.
fn create(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// The path of an SQLite file.
fn path(url: &str) -> &str {
    url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:")).unwrap_or(url)
}

/// A path inside a URL.
fn escaped(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3F").replace('#', "%23")
}

/// What the database says goes to the log.
fn down(error: sqlx::Error) -> Refusal {
    Refusal::unavailable(&format!("database: {error}"))
}

/// A count that the store keeps as BIGINT.
fn count(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}

/// A count as the store keeps it.
fn stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_that_refuses_is_told_as_one() {
        // Nothing listens on the port of a listener that is gone.
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let url = format!("postgres://nobody@127.0.0.1:{}/none", port.expect("binds").port());
        let told = std::sync::Mutex::new(Vec::new());
        let waits = |text: &str| told.lock().expect("is free").push(text.to_owned());
        let why = Store::open_with(&url, Vault::default(), waits).await.expect_err("is not there");
        assert!(why.starts_with("the PostgreSQL database: ") && why.contains("refused"), "{why}");
        assert!(why.contains("check that the server runs"), "{why}");
        let told = told.into_inner().expect("is free");
        assert!(told.len() == 1 && told[0].contains("refused") && told[0].contains("trying"), "{told:?}");
    }
}
