//! Backup under load, and restore, by the commands that `docs/service.md` shows.

use crate::load::Load;
use crate::pages::blocks;
use crate::{SONOMETER, Served, done_on, folder, send, server};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The PostgreSQL of the page.
const SHOWN: &str = "postgres://sonometer@db.internal";

fn there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|done| done.status.success());
    if !there {
        println!("skipped: backup and restore (there is no {program})");
    }
    there
}

/// Runs a block of the page as it stands there.
#[track_caller]
fn run(folder: &Path, block: &str, server: &str) {
    let own = Path::new(SONOMETER).parent().expect("lies somewhere").to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths([own].into_iter().chain(std::env::split_paths(&others))).expect("can be joined");
    let script = block.replace(SHOWN, server);
    let done = Command::new("sh").args(["-ec", &script]).current_dir(folder).env("PATH", path).output();
    let done = done.expect("there is sh");
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{script}\n{said}");
    if script.contains(" check") {
        assert!(said.contains("0 wrong; 0 rows of the ledger wrong"), "{said}");
    }
}

/// Backs up under load by one block, loses the database, restores it by another, and looks at what clients were told.
fn comes_back(name: &str, [backup, restore]: [&str; 2], server: &str, [old, new]: [&str; 2]) {
    let folder = folder(name);
    let served = Served::start_by(Command::new(SONOMETER), old, &folder, &[]);
    let token = served.token();
    done_on(old, &folder, &["account", "first", "--quota", "1000000", "--per-minute", "1000000"]);
    let (_, units, _) = send(&served.address, &token, "warm").expect("answers");
    let load = Load::begin("backup", 4, &[&served.address], &token);
    load.wait_for(50);
    let before = load.told_so_far();
    run(&folder, backup, server);
    load.wait_for(50);
    let (told, others) = load.end();
    assert!(others.is_empty(), "a backup disturbs nobody: {others:?}");
    assert!(before.len() >= 50 && told.len() >= before.len() + 50);
    served.signal("-KILL");
    drop(served);
    if old == new {
        fs::write(folder.join(old), "no database any more").expect("can be written");
    }
    run(&folder, restore, server);
    let served = Served::start_by(Command::new(SONOMETER), new, &folder, &[]);
    for (key, answer) in &before {
        let again = send(&served.address, &token, key).expect("answers");
        assert_eq!(again, (200, 0, answer.clone()), "{key} was answered before the backup");
    }
    let mut gone = 0;
    for key in told.keys() {
        let (status, consumed, _) = send(&served.address, &token, key).expect("answers");
        assert_eq!(status, 200);
        gone += u64::from(consumed > 0);
    }
    println!("{} answers before the backup are there, {gone} later ones are not", before.len());
    assert!(gone > 0, "what came after the backup is not in it");
    let (_, body) = crate::usage(&served.address, &token);
    assert!(body.contains(&format!("\"used\":{},", units * (1 + told.len() as u64))), "{body}");
    assert!(done_on(new, &folder, &["check"]).contains("0 wrong; 0 rows of the ledger wrong"));
    drop(served);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn the_commands_of_the_page_back_up_and_restore() {
    let blocks = blocks("docs/service.md", "Backup and restore", "sh");
    let [sqlite_backup, sqlite_restore, dump, restore] = &blocks[..] else { panic!("{blocks:?}") };
    match server() {
        None if there("sqlite3") => {
            let file = "sonometer.sqlite";
            comes_back("backup", [sqlite_backup, sqlite_restore], SHOWN, [file, file]);
        }
        Some(any) if ["pg_dump", "pg_restore", "createdb"].iter().all(|program| there(program)) => {
            let (server, _) = any.rsplit_once('/').expect("names a database");
            let made =
                Command::new("createdb").arg(format!("--maintenance-db={any}")).arg("sonometer").status();
            assert!(made.expect("is there").success());
            let databases = [format!("{server}/sonometer"), format!("{server}/restored")];
            comes_back("dump", [dump, restore], server, [&databases[0], &databases[1]]);
        }
        _ => {}
    }
}
