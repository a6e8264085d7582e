//! The form of a database: the steps that bring it to the newest one, and the errors where a file or a server holds no database
//! that can be used. What is found here ends the start, so it is one line that says what to do.

use super::{Dialect, Store, down};
use crate::refusal::Refusal;
use sqlx::any::AnyConnectOptions;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, AnyPool, ConnectOptions, Connection, Executor, Row, SqlSafeStr};
use std::path::Path;

/// A file up to this size is read whole before it is used; that takes about a tenth of a second. Larger ones are read whole by
/// `sonometer admin check`.
const LOOKED_THROUGH: u64 = 64 << 20;
/// The most faults of a file in a message.
const FAULTS: usize = 10;

/// The steps from an empty database to the newest form, in order; one that was released never changes. Listed here since the
/// macro that would collect them brings a second copy of both database libraries into every build.
const STEPS: [(&str, &str); 9] = [
    ("service", include_str!("../../migrations/0001_service.sql")),
    ("jobs", include_str!("../../migrations/0002_jobs.sql")),
    ("callbacks", include_str!("../../migrations/0003_callbacks.sql")),
    ("dives", include_str!("../../migrations/0004_dives.sql")),
    ("bill", include_str!("../../migrations/0005_bill.sql")),
    ("operate", include_str!("../../migrations/0006_operate.sql")),
    ("spent", include_str!("../../migrations/0007_spent.sql")),
    ("marker lists", include_str!("../../migrations/0008_marker_lists.sql")),
    ("jobs of", include_str!("../../migrations/0009_jobs_of.sql")),
];

const RESTORE: &str = "restore a backup (docs/service.md, Backup and restore)";

fn migrations() -> Migrator {
    let step = |(version, (name, text)): (i64, (&'static str, &'static str))| {
        Migration::new(version, name.into(), MigrationType::Simple, text.into_sql_str(), false)
    };
    Migrator::with_migrations((1..).zip(STEPS).map(step).collect())
}

/// Brings a database to the newest form. Several nodes may do so at once.
pub(super) async fn bring_to_newest(pool: &AnyPool) -> Result<(), String> {
    migrations().run(pool).await.map_err(|error| told(&error))
}

fn told(error: &MigrateError) -> String {
    let newest = STEPS.len();
    match error {
        MigrateError::VersionMissing(form) => format!(
            "a newer version of sonometer has brought this database to form {form}, and this version knows forms up to {newest}; \
             run the newer version, or {RESTORE} of before the upgrade"
        ),
        MigrateError::VersionMismatch(form) => format!(
            "form {form} of this database was made by other steps than those of this version; run the version that made it"
        ),
        MigrateError::Dirty(form) => format!("form {form} of this database is half made; {RESTORE}"),
        MigrateError::ExecuteMigration(error, form) => {
            format!("the database cannot be brought to form {form}, and is as it was: {error}")
        }
        other => format!("the database cannot be brought to form {newest}: {other}"),
    }
}

/// Looks at an SQLite file on a connection that is closed again, before anything is changed in it.
pub(super) async fn examine(options: &AnyConnectOptions, path: &Path) -> Result<(), String> {
    let mut file = options.connect().await.map_err(|error| unusable(&error))?;
    let found = match look(&mut file, path).await {
        // The first thing that is written: where there is no room, this says so.
        Ok(None) => {
            let first = sqlx::query("PRAGMA journal_mode = WAL").fetch_one(&mut file).await;
            first.map(|_| None).map_err(|error| unusable(&error))
        }
        found => found,
    };
    let found = match found {
        // A file that may only be read opens all the same, and then every charge would fail.
        Ok(None) => writable(&mut file).await.map(|()| None),
        found => found,
    };
    let closed = file.close().await.map_err(|error| unusable(&error));
    found?.map_or(closed, Err)
}

/// Whether it can be written. What is tried is taken back, and whether another process writes at this moment does not matter.
async fn writable(file: &mut AnyConnection) -> Result<(), String> {
    file.execute("PRAGMA busy_timeout = 0").await.map_err(|error| unusable(&error))?;
    if file.execute("BEGIN IMMEDIATE").await.is_err() {
        return Ok(());
    }
    // SQLite begins a transaction even on a file that it may only read.
    let tried = file.execute("PRAGMA user_version = 0").await;
    let back = file.execute("ROLLBACK").await;
    match tried {
        Err(error) if code(&error) == Some(READ_ONLY) => Err(unusable(&error)),
        _ => back.map(drop).map_err(|error| unusable(&error)),
    }
}

/// What is wrong with a file, if anything is.
async fn look(file: &mut AnyConnection, path: &Path) -> Result<Option<String>, String> {
    let failed = |error| unusable(&error);
    let tables = sqlx::query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name LIMIT 1000");
    let tables = tables.fetch_all(&mut *file).await.map_err(failed)?;
    let tables: Vec<String> =
        tables.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>().map_err(failed)?;
    if let Some(first) = tables.first()
        && !tables.iter().any(|table| table == "_sqlx_migrations")
    {
        return Ok(Some(format!(
            "this is the database of another program (it has a table `{first}`); give --database another path"
        )));
    }
    if std::fs::metadata(path).is_ok_and(|file| file.len() <= LOOKED_THROUGH) {
        let faults = faults(file, "PRAGMA quick_check(1)").await.map_err(failed)?;
        return Ok(faults.first().map(|fault| corrupt(fault)));
    }
    Ok(None)
}

/// What a check of SQLite finds.
async fn faults(file: &mut AnyConnection, check: &'static str) -> Result<Vec<String>, sqlx::Error> {
    let rows = sqlx::query(check).fetch_all(file).await?;
    let said: Vec<String> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    // The first line may only say which database the others are about.
    let faults =
        said.iter().flat_map(|said| said.lines()).filter(|line| *line != "ok" && !line.starts_with("***"));
    Ok(faults.take(FAULTS).map(str::to_owned).collect())
}

fn corrupt(fault: &str) -> String {
    format!(
        "the database is corrupt ({fault}); move it away, with the files `-wal` and `-shm` beside it, and {RESTORE}"
    )
}

/// The code of SQLite for a file or a folder that may not be written.
const READ_ONLY: u32 = 8;

/// The code of SQLite: the lowest byte of an extended code.
fn code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?.parse::<u32>().ok()?;
    Some(code & 0xFF)
}

/// Why a file cannot be used, by what SQLite says.
fn unusable(error: &sqlx::Error) -> String {
    match code(error) {
        Some(READ_ONLY) => format!(
            "it cannot be written ({error}); let this user write to the file and to its folder, or give --database another path"
        ),
        Some(10 | 13) => {
            format!("it cannot be read or written ({error}); if the disk is full, make room and start again")
        }
        Some(11) => corrupt("the database disk image is malformed"),
        Some(26) => format!("this is not an SQLite database; give --database another path, or {RESTORE}"),
        Some(14) => {
            "it cannot be opened; give --database a file in a folder that this user may write to".to_owned()
        }
        _ => error.to_string(),
    }
}

impl Store {
    /// Reads all of an SQLite file and says what is wrong with it; nothing for PostgreSQL, which has tools of its own
    /// (`pg_amcheck`, checksums).
    ///
    /// # Errors
    /// `unavailable` if it cannot be read.
    pub async fn check_file(&self) -> Result<Vec<String>, Refusal> {
        if self.dialect == Dialect::Postgres {
            return Ok(Vec::new());
        }
        let mut reader = self.readers.acquire().await.map_err(down)?;
        match faults(&mut reader, "PRAGMA integrity_check(10)").await {
            Err(error) if is_corrupt(&error) => Ok(vec![error.to_string()]),
            found => found.map_err(down),
        }
    }
}

fn is_corrupt(error: &sqlx::Error) -> bool {
    matches!(code(error), Some(11 | 26))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// The beginning of the SHA-256 of each step. A new step adds a line; no line ever changes: databases that have made the step would
    /// not be opened any more.
    const MADE: [&str; STEPS.len()] = [
        "cef0dea36686ae45",
        "44583883cf45d691",
        "b46b80f94913058d",
        "143720099bb8eb17",
        "32361f4ee09610ff",
        "f73ffac4e7539c9e",
        "d5730ba812bbae35",
        "9fbe9a7c4a10094a",
        "a3b00b77e52f65a9",
    ];

    #[test]
    fn a_step_that_was_made_never_changes() {
        for ((name, text), made) in STEPS.iter().zip(MADE) {
            let digest: String =
                Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(digest, made, "{name}");
        }
    }

    #[tokio::test]
    async fn a_file_that_may_only_be_read_is_refused_with_what_to_do() {
        let name = format!("sonometer-read-only-{}.sqlite", std::process::id());
        let path = std::env::temp_dir().join(name);
        let text = path.to_str().expect("is UTF-8");
        Store::open(text).await.expect("is made").close().await;
        // What SQLite does by itself if the system lets it read only; the user of a test may be root, whom nothing stops.
        let options = |mode: &str| format!("sqlite://{text}?mode={mode}").parse().expect("is an address");
        let why = examine(&options("ro"), &path).await.expect_err("cannot be written");
        // Where somebody else writes at this moment, the file is fine.
        let mut other = AnyConnectOptions::connect(&options("rw")).await.expect("opens");
        other.execute("BEGIN IMMEDIATE").await.expect("begins");
        let beside = examine(&options("rw"), &path).await;
        other.close().await.expect("closes");
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{text}{ending}"));
        }
        assert!(why.starts_with("it cannot be written (") && why.contains("let this user write"), "{why}");
        assert_eq!(beside, Ok(()));
    }

    #[test]
    fn what_cannot_be_brought_forward_says_what_to_do() {
        for (error, words) in [
            (
                MigrateError::VersionMissing(9),
                "form 9, and this version knows forms up to 9; run the newer version",
            ),
            (MigrateError::VersionMismatch(2), "form 2 of this database was made by other steps"),
            (MigrateError::Dirty(3), "form 3 of this database is half made; restore a backup"),
            (
                MigrateError::ExecuteMigration(sqlx::Error::PoolClosed, 5),
                "cannot be brought to form 5, and is as it was",
            ),
        ] {
            assert!(told(&error).contains(words), "{}", told(&error));
        }
    }
}
