//! A disk that is full: requests fail clearly, nothing that was answered is lost, and all goes on once there is room.

use crate::load::{Load, stands};
use crate::{SONOMETER, Served, admin_of, done_on, folder, get, send, server};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small file system in memory, gone with this value.
struct Small(PathBuf);

impl Small {
    /// `None`: this user may not mount one.
    fn new(at: PathBuf, options: &str) -> Option<Self> {
        fs::create_dir_all(&at).expect("can be made");
        let options = format!("mode=700,{options}");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "sonometer"]).arg(&at).output();
        if !mounted.is_ok_and(|mounted| mounted.status.success()) {
            println!("skipped: a file system without room (this user may not mount a tmpfs)");
            return None;
        }
        Some(Self(at))
    }

    /// Takes all the room that is left.
    fn fill(&self) -> PathBuf {
        let at = self.0.join("filler");
        let mut file = File::create(&at).expect("can be made");
        for size in [65_536, 4_096, 1] {
            while file.write_all(&vec![1; size]).is_ok() {}
        }
        at
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

fn on_postgres(what: &str) -> bool {
    if server().is_some() {
        println!("skipped: {what} (the disk of PostgreSQL is its server's)");
    }
    server().is_some()
}

/// Requests while there is no room, and after it was made.
fn survives(served: &Served, file: &str, folder: &Path, fill: impl FnOnce(), make_room: impl FnOnce()) {
    let token = served.token();
    done_on(file, folder, &["account", "first", "--quota", "1000000", "--per-minute", "1000000"]);
    let (_, units, _) = send(&served.address, &token, "warm").expect("answers");
    let load = Load::begin("full", 4, &[&served.address], &token);
    load.wait_for(20);
    fill();
    load.wait_until("the disk is not full", |load| load.others(503) >= 20);
    let before = load.told();
    let (status, body) = get(&served.address, &token, "/api/v1/usage");
    assert_eq!(status, 200, "what writes nothing is answered: {body}");
    make_room();
    load.wait_for(20);
    let (told, others) = load.end();
    assert!(others.keys().all(|status| *status == 503), "no connection broke: {others:?}");
    println!("{before} answers, {} refusals, then {} answers", others[&503], told.len() - before);
    stands(&served.address, &token, &told, units * (1 + told.len() as u64));
    assert!(done_on(file, folder, &["check"]).contains("0 wrong; 0 rows of the ledger wrong"));
}

#[test]
fn a_file_system_without_room_refuses_and_loses_nothing() {
    if on_postgres("a full disk") {
        return;
    }
    let folder = folder("full");
    let Some(small) = Small::new(folder.join("small"), "size=4m") else { return };
    let file = "small/db.sqlite";
    let start = || Served::start_by(Command::new(SONOMETER), file, &folder, &[]);
    let served = start();
    let token = served.token();
    let filler = small.0.join("filler");
    let room = || fs::remove_file(&filler).expect("is there");
    survives(&served, file, &folder, || drop(small.fill()), room);
    // A start on a full disk, after a kill.
    let (status, _, told) = send(&served.address, &token, "last").expect("answers");
    assert_eq!(status, 200);
    small.fill();
    served.signal("-KILL");
    drop(served);
    let (code, out, err) = admin_of(file, &folder, &["check"]);
    match code {
        0 => assert!(out.contains("0 wrong; 0 rows of the ledger wrong"), "{out}"),
        _ => assert!(
            err.lines().count() == 1 && err.contains("small/db.sqlite: ") && err.contains("make room"),
            "{code} {out} {err}"
        ),
    }
    room();
    let served = start();
    assert_eq!(send(&served.address, &token, "last"), Some((200, 0, told)));
    assert!(done_on(file, &folder, &["check"]).contains("0 wrong; 0 rows of the ledger wrong"));
    drop((served, small));
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn a_tablespace_without_room_refuses_and_loses_nothing() {
    let Some(any) = server() else {
        println!("skipped: a full disk of PostgreSQL (sonometer-server/tests/postgres.sh starts one)");
        return;
    };
    let psql = |command: &str| {
        let psql = std::env::var("SONOMETER_TEST_PSQL").unwrap_or_else(|_| "psql".to_owned());
        let done = Command::new(psql).args(["-q", "-d", &any, "-c", command]).status();
        assert!(done.expect("there is psql").success(), "{command}");
    };
    let folder = folder("tablespace");
    // Where the user of the server may look, too.
    let at = std::env::temp_dir().join(format!("sonometer-tablespace-{}", std::process::id()));
    let owner = Command::new("id").args(["-u", "postgres"]).output().expect("there is id").stdout;
    let owner = String::from_utf8(owner).expect("is UTF-8").trim().parse().unwrap_or(0_u32);
    let Some(small) = Small::new(at.clone(), &format!("size=16m,uid={owner}")) else { return };
    psql(&format!("CREATE TABLESPACE small LOCATION '{}'", at.display()));
    let database = format!("{}&options[default_tablespace]=small", crate::database(&folder));
    let served = Served::start_by(Command::new(SONOMETER), &database, &folder, &[]);
    let filler = small.0.join("filler");
    survives(
        &served,
        &database,
        &folder,
        || drop(small.fill()),
        || fs::remove_file(&filler).expect("is there"),
    );
    served.stop();
    let schema = crate::database(&folder).rsplit('=').next().expect("has one").to_owned();
    psql(&format!("DROP SCHEMA {schema} CASCADE"));
    psql("DROP TABLESPACE small");
    drop(small);
    let _ = fs::remove_dir(at);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn a_limit_on_the_size_of_files_refuses_and_loses_nothing() {
    if on_postgres("a limit on the size of files") {
        return;
    }
    let there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !there("prlimit") {
        println!("skipped: a limit on the size of files (there is no prlimit; Debian's package util-linux)");
        return;
    }
    let folder = folder("limit");
    // Without this the signal of the limit would end the process.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", SONOMETER]);
    let served = Served::start_by(command, "db.sqlite", &folder, &[]);
    let limit = |bytes: &str| {
        let done = Command::new("prlimit")
            .args(["--pid", &served.child.id().to_string(), &format!("--fsize={bytes}:unlimited")])
            .status();
        assert!(done.expect("there is prlimit").success());
    };
    survives(&served, "db.sqlite", &folder, || limit("200000"), || limit("unlimited"));
    drop(served);
    let _ = fs::remove_dir_all(folder);
}
