//! Databases that cannot be used end the start with one line: which file, what is wrong, what to do. Nothing is written to them.

use crate::{SONOMETER, Served, admin, database, folder, send, server, sqlite};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Neither the server nor the administration starts, and both say these words in one line.
#[track_caller]
fn ends_the_start(folder: &Path, words: &[&str]) {
    let file = folder.join("db.sqlite");
    let before = fs::read(&file).ok();
    let output = Command::new(SONOMETER)
        .args(["serve", "--listen", "127.0.0.1:0", "--database", &database(folder)])
        .current_dir(folder)
        .output()
        .expect("starts");
    let served = String::from_utf8(output.stderr).expect("is UTF-8");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{served}");
    let (code, out, administered) = admin(folder, &["check"]);
    assert_eq!((code, out.as_str()), (2, ""), "{administered}");
    for said in [served, administered] {
        assert_eq!(said.lines().count(), 1, "{said}");
        for word in words {
            assert!(said.contains(word), "`{word}` in {said}");
        }
    }
    assert_eq!(fs::read(&file).ok(), before, "nothing was written");
}

/// A folder with a database that some requests were answered from; `false`: it is not an SQLite file.
fn used(name: &str) -> Option<(PathBuf, PathBuf)> {
    if server().is_some() {
        println!("skipped: broken files (PostgreSQL keeps its own)");
        return None;
    }
    let folder = folder(name);
    let served = Served::start(&folder, &[]);
    let token = served.token();
    for number in 0..20 {
        assert_eq!(
            send(&served.address, &token, &format!("k{number}")).map(|(status, ..)| status),
            Some(200)
        );
    }
    served.stop();
    assert!(!folder.join("db.sqlite-wal").exists(), "a stop leaves one file");
    let file = folder.join("db.sqlite");
    Some((folder, file))
}

#[test]
fn a_file_that_is_no_database() {
    let Some((folder, file)) = used("nodb") else { return };
    fs::write(&file, "organization,quota\nacme,100\n".repeat(400)).expect("can be written");
    ends_the_start(&folder, &["db.sqlite: this is not an SQLite database", "--database", "restore a backup"]);
    fs::remove_file(&file).expect("is there");
    fs::create_dir(&file).expect("can be made");
    ends_the_start(&folder, &["db.sqlite: it cannot be opened", "--database"]);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn a_database_that_is_corrupt() {
    let Some((folder, file)) = used("corrupt") else { return };
    let good = fs::read(&file).expect("can be read");
    assert!(good.len() > 40 * 4_096, "{}", good.len());
    let corrupt =
        ["db.sqlite: the database is corrupt (", "move it away", "restore a backup", "docs/service.md"];
    // Any page may be hit; those that are not read at the start are found as well.
    for page in (1..good.len() / 4_096).step_by(5) {
        let open = OpenOptions::new().write(true).open(&file).expect("is there");
        open.write_all_at(&[0xA5; 4_096], page as u64 * 4_096).expect("can be written");
        ends_the_start(&folder, &corrupt);
        fs::write(&file, &good).expect("can be written");
    }
    fs::write(&file, &good[..good.len() / 2]).expect("can be written");
    ends_the_start(&folder, &corrupt);
    fs::write(&file, &good).expect("can be written");
    assert!(crate::done(&folder, &["check"]).contains("0 wrong"), "put back, it is as it was");
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn a_database_of_a_newer_version_or_of_somebody_else() {
    let Some((folder, file)) = used("newer") else { return };
    let good = fs::read(&file).expect("can be read");
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                 VALUES (99, 'later', 1, x'00', 0)";
    if !sqlite(&file, newer) {
        return;
    }
    ends_the_start(
        &folder,
        &[
            "db.sqlite: a newer version of sonometer has brought this database to form 99",
            "run the newer version",
        ],
    );
    fs::write(&file, &good).expect("can be written");
    assert!(sqlite(&file, "UPDATE _sqlx_migrations SET checksum = x'00' WHERE version = 2"));
    ends_the_start(&folder, &["db.sqlite: form 2 of this database was made by other steps"]);
    fs::remove_file(&file).expect("is there");
    assert!(sqlite(&file, "CREATE TABLE songs (title TEXT)"));
    ends_the_start(&folder, &["db.sqlite: this is the database of another program (it has a table `songs`)"]);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn a_server_with_a_database_of_a_newer_version() {
    let Some(server) = server() else {
        println!("skipped: a newer database on PostgreSQL (sonometer-server/tests/postgres.sh starts one)");
        return;
    };
    let folder = folder("newer-server");
    Served::start(&folder, &[]).stop();
    let schema = database(&folder).rsplit('=').next().expect("has one").to_owned();
    let newer = format!(
        "INSERT INTO {schema}._sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (99, 'later', true, '', 0)"
    );
    let psql = std::env::var("SONOMETER_TEST_PSQL").unwrap_or_else(|_| "psql".to_owned());
    assert!(
        Command::new(psql)
            .args(["-q", "-d", &server, "-c", &newer])
            .status()
            .expect("there is psql")
            .success()
    );
    ends_the_start(
        &folder,
        &["the PostgreSQL database: a newer version of sonometer has brought this database to form 99"],
    );
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn the_check_reads_all_of_a_file() {
    let Some((folder, file)) = used("whole") else { return };
    // Reading it quickly at the start does not compare indexes with their tables.
    let spoil = "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE INDEX ledger_spent ON ledger (period, token_id, number, cost_micros)' \
                 WHERE name = 'ledger_spent'";
    if !sqlite(&file, spoil) {
        return;
    }
    let (code, out, err) = admin(&folder, &["check"]);
    assert!(
        code == 1 && out.contains("the file of the database is corrupt: ") && out.contains("ledger_spent"),
        "{code} {out} {err}"
    );
    assert!(
        out.contains("restore a backup") && out.ends_with("0 wrong; 0 rows of the ledger wrong\n"),
        "{out}"
    );
    let _ = fs::remove_dir_all(folder);
}
