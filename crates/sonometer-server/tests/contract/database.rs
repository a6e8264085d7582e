//! The database of a test: an SQLite file of its own, or a schema of its own on the PostgreSQL that `postgres.sh` started.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

static NUMBER: AtomicU64 = AtomicU64::new(0);

pub(crate) struct Database {
    pub(crate) url: String,
    file: PathBuf,
}

impl Database {
    pub(crate) fn new() -> Self {
        let name = format!("contract_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::SeqCst));
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.sqlite"));
        match server() {
            Some(server) => {
                psql(&format!("CREATE SCHEMA {name}"));
                Self { url: format!("{server}?options[search_path]={name}"), file }
            }
            None => {
                let database = Self { url: file.to_str().expect("is UTF-8").to_owned(), file };
                database.remove();
                database
            }
        }
    }

    fn remove(&self) {
        for ending in ["", "-wal", "-shm"] {
            let mut name = self.file.as_os_str().to_owned();
            name.push(ending);
            let _ = std::fs::remove_file(name);
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A schema goes with the server, which is there for the tests alone.
        self.remove();
    }
}

/// The address of a PostgreSQL server for tests, if there is one.
pub(crate) fn server() -> Option<String> {
    std::env::var("SONOMETER_TEST_POSTGRES").ok()
}

pub(crate) fn psql(command: &str) {
    let psql = std::env::var("SONOMETER_TEST_PSQL").unwrap_or_else(|_| "psql".to_owned());
    let server = server().expect("there is one");
    let status =
        Command::new(psql).args(["-q", "-d", &server, "-c", command]).status().expect("there is psql");
    assert!(status.success(), "{command}");
}
