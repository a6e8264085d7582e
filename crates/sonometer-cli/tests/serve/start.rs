//! The first start, and administration beside a running server.

use crate::{SONOMETER, Served, admin, database, done, folder, send, server, usage};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

#[test]
fn the_first_start_shows_a_token_and_later_ones_do_not() {
    let folder = folder("first");
    let mut first = Served::start(&folder, &[]);
    let token = first.token();
    assert_eq!(send(&first.address, &token, "").map(|(status, ..)| status), Some(200));
    first.signal("-TERM");
    assert!(first.child.wait().expect("ends").success());
    let is_file = server().is_none();
    let mode = fs::metadata(if is_file { folder.join("db.sqlite") } else { folder.clone() })
        .expect("is there")
        .permissions()
        .mode();
    assert!(!is_file || mode & 0o077 == 0, "the file is for its owner only");
    let again = Served::start(&folder, &[]);
    assert_eq!(again.said.len(), 1, "{:?}", again.said);
    let (status, body) = usage(&again.address, &token);
    assert!(status == 200 && !body.contains("\"used\":0,\"remaining\""), "{body}");
    let stored = if is_file { fs::read(folder.join("db.sqlite")).expect("can be read") } else { Vec::new() };
    let secret = &token.as_bytes()[10..40];
    assert!(!stored.windows(secret.len()).any(|bytes| bytes == secret), "the token itself is not kept");
    drop(again);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn a_server_can_be_stopped_as_soon_as_it_listens() {
    let folder = folder("at-once");
    for _ in 0..5 {
        Served::start(&folder, &[]).stop();
    }
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn an_address_that_is_taken_is_told_with_what_to_do() {
    let folder = folder("taken");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("is bound").to_string();
    let output = Command::new(SONOMETER)
        .args(["serve", "--listen", &address, "--database", &database(&folder)])
        .current_dir(&folder)
        .output()
        .expect("starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains(&format!("error: {address}: ")), "{said}");
    assert!(said.contains("another program listens there: end it, or choose another port"), "{said}");
    // A file with keys that others can read is warned of, and no other.
    let (_, key, _) = admin(&folder, &["new-key"]);
    fs::write(folder.join("keys"), key).expect("is written");
    for (mode, told) in [(0o644, 1), (0o600, 0)] {
        fs::set_permissions(folder.join("keys"), fs::Permissions::from_mode(mode)).expect("is its owner");
        let output = Command::new(SONOMETER)
            .args(["serve", "--listen", &address, "--database", &database(&folder), "--key-file", "keys"])
            .current_dir(&folder)
            .output()
            .expect("starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.matches("run `chmod 600 keys`").count(), told, "{said}");
    }
    let _ = fs::remove_dir_all(folder);
}

/// Else each recording would fail, hours later perhaps.
#[cfg(feature = "audio")]
#[test]
fn a_recogniser_that_is_not_there_is_told_at_once() {
    let folder = folder("no-recogniser");
    let output = Command::new(SONOMETER)
        .args(["serve", "--listen", "127.0.0.1:0", "--database", &database(&folder)])
        .args(["--transcriber", "no-such-recogniser {wav}"])
        .current_dir(&folder)
        .output()
        .expect("starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let told = "error: --transcriber: `transcriber.command`: there is no program `no-such-recogniser`; install it, or name it by its path";
    assert!(output.status.code() == Some(2) && said.contains(told), "{said}");
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn scripts_get_the_first_token_in_a_file() {
    let folder = folder("file");
    let served = Served::start(&folder, &["--first-token", "token"]);
    assert_eq!(served.said.len(), 1, "it is not printed: {:?}", served.said);
    let token = fs::read_to_string(folder.join("token")).expect("is written");
    assert_eq!(fs::metadata(folder.join("token")).expect("is there").permissions().mode() & 0o077, 0);
    assert_eq!(usage(&served.address, token.trim()).0, 200);
    drop(served);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn a_first_token_is_never_lost_and_never_for_others() {
    let folder = folder("file-there");
    // Where it cannot be written there is no token yet, and the next start makes it.
    let output = Command::new(SONOMETER)
        .args(["serve", "--listen", "127.0.0.1:0", "--database", &database(&folder)])
        .args(["--first-token", "nowhere/token"])
        .current_dir(&folder)
        .output()
        .expect("starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("nowhere/token"), "{said}");
    let file = folder.join("token");
    // What somebody wrote is kept.
    fs::write(&file, "what was there before").expect("is written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("is its owner");
    let output = Command::new(SONOMETER)
        .args(["serve", "--listen", "127.0.0.1:0", "--database", &database(&folder)])
        .args(["--first-token", "token"])
        .current_dir(&folder)
        .output()
        .expect("starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let told = "error: token: is there already and not empty, and the token of the first start would overwrite it; name another file";
    assert!(output.status.code() == Some(2) && said.contains(told), "{said}");
    assert_eq!(fs::read_to_string(&file).expect("is there"), "what was there before");
    assert_eq!(fs::metadata(&file).expect("is there").permissions().mode() & 0o777, 0o644);
    fs::write(&file, "").expect("is written");
    let served = Served::start(&folder, &["--first-token", "token"]);
    assert_eq!(fs::metadata(&file).expect("is there").permissions().mode() & 0o077, 0);
    let token = fs::read_to_string(&file).expect("is written");
    assert_eq!(usage(&served.address, token.trim()).0, 200);
    served.stop();
    // Later starts write none, and need no place for one.
    Served::start(&folder, &["--first-token", "nowhere/token"]).stop();
    assert_eq!(fs::read_to_string(&file).expect("is there"), token);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn a_bill_is_written_and_checked() {
    let folder = folder("bill");
    let served = Served::start(&folder, &[]);
    let token = served.token();
    let units: u64 =
        (0..3).map(|n| send(&served.address, &token, &format!("k{n}")).expect("answers").1).sum();
    let said = done(&folder, &["usage", "first", "--out", "bill.csv"]);
    assert_eq!(said, format!("bill.csv: 3 charges, {units} ICS, $0\n"));
    let csv = fs::read_to_string(folder.join("bill.csv")).expect("is written");
    assert_eq!(csv, done(&folder, &["usage", "first"]));
    let rows: Vec<&str> = csv.lines().collect();
    assert!(rows[0].starts_with("timestamp,period,request_id,") && rows[1].ends_with(",k0"), "{csv}");
    let jsonl = done(&folder, &["usage", "first", "--format", "jsonl", "--target", "courtesy"]);
    assert!(jsonl.lines().count() == 3 && jsonl.contains("\"kind\":\"sense\""), "{jsonl}");
    assert_eq!(done(&folder, &["usage", "first", "--live", "--format", "jsonl"]), "");
    let said = done(&folder, &["usage", "first", "--out", "bill.parquet"]);
    assert!(said.starts_with("bill.parquet: 3 charges"), "{said}");
    let parquet = fs::read(folder.join("bill.parquet")).expect("is written");
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    for (arguments, said) in [
        (&["usage", "nobody"][..], "unknown organization"),
        (&["usage", "first", "--period", "november"], "2026-11"),
        (&["usage", "first", "--format", "xlsx"], "csv, jsonl, parquet"),
        (&["usage", "first", "--format", "parquet"], "--out"),
        (
            &["usage", "first", "--out", "bill.xlsx"],
            "let it end with .csv or .jsonl or .parquet, or name the format",
        ),
        (&["usage", "first", "--out", "-"], "leave it out"),
    ] {
        let (code, out, err) = admin(&folder, arguments);
        assert!(code == 2 && out.is_empty() && err.contains(said), "{arguments:?}: {code} {out} {err}");
    }
    assert!(!folder.join("bill.csv.part").exists() && !folder.join("bill.xlsx").exists());
    assert!(done(&folder, &["check"]).contains("0 wrong; 0 rows of the ledger wrong"));
    drop(served);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn administration_beside_a_running_server() {
    let folder = folder("admin");
    if server().is_none() {
        let (code, _, err) = admin(&folder, &["check"]);
        assert!(code == 2 && err.contains("no such file") && !folder.join("db.sqlite").exists(), "{err}");
        // A copy that failed is no backup that was checked.
        fs::write(folder.join("db.sqlite"), "").expect("can be written");
        let (code, out, err) = admin(&folder, &["check"]);
        assert!(code == 2 && out.is_empty() && err.contains("the file is empty"), "{out}{err}");
        assert_eq!(fs::metadata(folder.join("db.sqlite")).map(|file| file.len()).ok(), Some(0));
    }
    let served = Served::start(&folder, &[]);
    done(&folder, &["create-org", "acme", "--name", "Acme"]);
    let made = done(&folder, &["create-token", "acme", "--live", "--name", "desk", "--scopes", "sense,read"]);
    let (id, token) = made.trim().split_once('\n').expect("two lines");
    assert!(token.starts_with("sono_live_"));
    let listed = done(&folder, &["tokens", "acme"]);
    assert!(listed.contains(id) && listed.contains("good") && !listed.contains(token), "{listed}");
    assert!(done(&folder, &["orgs"]).contains("Acme"));
    done(&folder, &["account", "acme", "--live", "--quota", "1", "--tier", "free"]);
    assert_eq!(send(&served.address, token, "").map(|(status, ..)| status), Some(402));
    let account =
        done(&folder, &["account", "acme", "--live", "--overage", "on", "--rate", "0.01", "--cap", "5"]);
    assert!(account.contains("overage on at $0.01, cap $5"), "{account}");
    let (status, units, _) = send(&served.address, token, "").expect("answers");
    assert!(status == 200 && units > 1);
    let account = done(&folder, &["account", "acme", "--live"]);
    assert!(account.contains(&format!("{units} of 1 ICS used")), "{account}");
    done(&folder, &["expire-token", id, "2020-01-01"]);
    assert_eq!(usage(&served.address, token).0, 401);
    done(&folder, &["expire-token", id, "never"]);
    assert_eq!(usage(&served.address, token).0, 200);
    // The second new token ends with the old one, which the first rotation made end in a day.
    for (ends, rotation) in [(false, "first"), (true, "second")] {
        let (code, out, err) = admin(&folder, &["rotate-token", id]);
        assert!(code == 0 && out.lines().count() == 2, "{rotation}: {out} {err}");
        assert_eq!(err.contains("the new token is valid until"), ends, "{rotation}: {err}");
    }
    done(&folder, &["revoke-token", id]);
    assert_eq!(usage(&served.address, token).0, 401);
    assert_eq!(admin(&folder, &["revoke-token", id]).0, 2);
    assert_eq!(admin(&folder, &["expire-token", id, "never"]).0, 2);
    assert_eq!(admin(&folder, &["create-org", "Acme"]).0, 2);
    assert_eq!(admin(&folder, &["create-token", "nobody"]).0, 2);
    for verb in ["tokens", "shelf", "dives"] {
        let (code, out, err) = admin(&folder, &[verb, "nobody"]);
        let is_told = err.contains("unknown organization `nobody`");
        assert!(code == 2 && out.is_empty() && is_told, "{verb}: {code} {out} {err}");
    }
    // A name that somebody wrote begins no line, and says nothing to a terminal.
    done(&folder, &["create-org", "odd", "--name", "a\nb \u{1b}[31m"]);
    done(&folder, &["create-token", "odd", "--name", "a\nb \u{1b}[31m"]);
    assert_eq!(admin(&folder, &["revoke-token", "tok_x\nadt_y"]).0, 2);
    for (verb, lines) in [(&["tokens", "odd"][..], 1), (&["orgs"], 3), (&["audit", "--limit", "1"], 1)] {
        let listed = done(&folder, verb);
        assert!(listed.lines().count() == lines && !listed.contains('\u{1b}'), "{listed:?}");
    }

    let protocol = "sonometer: 1\nid: own\nversion: \"1\"\nstatus: published\ntaxonomy: Signal\nmarkers:\n  - label: a\n    strong: thank you\n";
    fs::write(folder.join("own.yaml"), protocol).expect("can be written");
    let (code, _, err) = admin(&folder, &["publish", "acme", "own.yaml"]);
    assert!(code == 2 && err.contains("0 tests"), "{err}");
    let tested = format!("{protocol}    hit: thank you\n    miss: good morning\n");
    fs::write(folder.join("own.yaml"), tested).expect("can be written");
    assert!(done(&folder, &["publish", "acme", "own.yaml"]).contains("own@1 is published: sha256:"));
    assert!(done(&folder, &["shelf", "acme"]).contains("protocol  own@1  published"));
    done(&folder, &["archive", "acme", "protocol", "own", "1"]);
    assert!(done(&folder, &["shelf", "acme"]).contains("protocol  own@1  archived"));
    assert!(done(&folder, &["check"]).contains("0 wrong"));
    drop(served);
    let _ = fs::remove_dir_all(folder);
}
