//! `sonometer serve` and `sonometer admin` as processes: the first start, administration, and SIGKILL under load.
#![cfg(all(feature = "serve", unix))]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Triggers two metamarkers of `courtesy` or more.
const ASK: &str = r#"{"target": {"type": "protocol", "id": "courtesy"}, "interaction": {"content": "Good morning! Thank you so much for your help, I really appreciate it."}}"#;

fn folder(name: &str) -> PathBuf {
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("serve-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("can be made");
    folder
}

/// The PostgreSQL server for tests, if there is one (`sonometer-server/tests/postgres.sh` starts it).
fn server() -> Option<String> {
    std::env::var("SONOMETER_TEST_POSTGRES").ok()
}

/// The database of a test: an SQLite file in its folder, or a schema of its own.
fn database(folder: &Path) -> String {
    let Some(server) = server() else { return "db.sqlite".to_owned() };
    let name = folder.file_name().and_then(|name| name.to_str()).expect("has a name").replace('-', "_");
    let psql = std::env::var("SONOMETER_TEST_PSQL").unwrap_or_else(|_| "psql".to_owned());
    let create = format!("CREATE SCHEMA IF NOT EXISTS {name}");
    let made = Command::new(psql).args(["-q", "-d", &server, "-c", &create]).stderr(Stdio::null()).status();
    assert!(made.expect("there is psql").success());
    format!("{server}?options[search_path]={name}")
}

struct Served {
    child: Child,
    address: String,
    said: Vec<String>,
}

impl Served {
    /// Starts a server in a folder and waits until it listens.
    fn start(folder: &PathBuf, more: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sonometer"))
            .args(["serve", "--listen", "127.0.0.1:0", "--database", &database(folder)])
            .args(more)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let mut said = Vec::new();
        let mut address = None;
        for line in BufReader::new(child.stdout.take().expect("is piped")).lines() {
            let line = line.expect("is text");
            address = line.strip_prefix("listening on http://").map(str::to_owned);
            said.push(line);
            if address.is_some() {
                break;
            }
        }
        let address = address.unwrap_or_else(|| panic!("{said:?}"));
        Self { child, address, said }
    }

    fn token(&self) -> String {
        let line = self.said.iter().find_map(|line| line.strip_prefix("test token, shown only now: "));
        line.expect("is shown").to_owned()
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().expect("there is kill").success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Status, `X-ICS-Consumed` and body; `None` if the connection broke.
fn send(address: &str, token: &str, key: &str) -> Option<(u16, u64, String)> {
    let key = if key.is_empty() { String::new() } else { format!("Idempotency-Key: {key}\r\n") };
    request(
        address,
        &format!(
            "POST /api/v1/sense HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n{key}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{ASK}",
            ASK.len()
        ),
    )
}

fn request(address: &str, text: &str) -> Option<(u16, u64, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
    stream.write_all(text.as_bytes()).ok()?;
    let mut all = String::new();
    stream.read_to_string(&mut all).ok()?;
    let (head, body) = all.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let consumed = head.lines().find_map(|line| line.strip_prefix("x-ics-consumed: "));
    Some((status, consumed.and_then(|n| n.parse().ok()).unwrap_or(0), body.to_owned()))
}

fn usage(address: &str, token: &str) -> (u16, String) {
    let head = format!(
        "GET /api/v1/usage HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    let (status, _, body) = request(address, &head).expect("answers");
    (status, body)
}

/// Runs `admin` in a folder: exit code, output, errors.
fn admin(folder: &PathBuf, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_sonometer"))
        .args(["admin", "--database", &database(folder)])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("starts");
    let text = |bytes| String::from_utf8(bytes).expect("is UTF-8");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

#[track_caller]
fn done(folder: &PathBuf, arguments: &[&str]) -> String {
    let (code, out, err) = admin(folder, arguments);
    assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}: {out}");
    out
}

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
fn administration_beside_a_running_server() {
    let folder = folder("admin");
    if server().is_none() {
        let (code, _, err) = admin(&folder, &["check"]);
        assert!(code == 2 && err.contains("no such file") && !folder.join("db.sqlite").exists(), "{err}");
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
    done(&folder, &["revoke-token", id]);
    assert_eq!(usage(&served.address, token).0, 401);
    assert_eq!(admin(&folder, &["revoke-token", id]).0, 2);
    assert_eq!(admin(&folder, &["create-org", "Acme"]).0, 2);
    assert_eq!(admin(&folder, &["create-token", "nobody"]).0, 2);

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

#[test]
fn a_kill_under_load_loses_nothing_and_doubles_nothing() {
    let folder = folder("kill");
    let mut served = Served::start(&folder, &[]);
    let token = served.token();
    done(&folder, &["account", "first", "--quota", "1000000", "--per-minute", "1000000"]);
    let (_, units, _) = send(&served.address, &token, "warm").expect("answers");
    assert!(units > 1);
    let mut keys = 1;
    for round in 0..3 {
        let told: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let over = Arc::new(AtomicBool::new(false));
        let clients: Vec<_> = (0..6)
            .map(|client| {
                let (told, asked, over) = (told.clone(), asked.clone(), over.clone());
                let (address, token) = (served.address.clone(), token.clone());
                thread::spawn(move || {
                    for number in 0.. {
                        if over.load(Ordering::SeqCst) {
                            break;
                        }
                        let key = format!("{round}-{client}-{number}");
                        asked.lock().expect("sound").push(key.clone());
                        match send(&address, &token, &key) {
                            Some((200, _, body)) => drop(told.lock().expect("sound").insert(key, body)),
                            Some((status, _, body)) => panic!("{status}: {body}"),
                            // The server is gone.
                            None => break,
                        }
                    }
                })
            })
            .collect();
        thread::sleep(Duration::from_millis(700 + 300 * round));
        served.signal("-KILL");
        over.store(true, Ordering::SeqCst);
        clients.into_iter().for_each(|client| client.join().expect("ends well"));
        drop(served);
        assert!(done(&folder, &["check"]).contains("0 wrong"));
        served = Served::start(&folder, &[]);
        let (told, asked) = (told.lock().expect("sound"), asked.lock().expect("sound"));
        assert!(told.len() >= 5, "there was load: {}", told.len());
        for key in asked.iter() {
            let (status, consumed, body) = send(&served.address, &token, key).expect("answers");
            assert_eq!(status, 200, "{body}");
            if let Some(before) = told.get(key) {
                assert_eq!((consumed, &body), (0, before), "what was answered is kept");
            }
        }
        keys += asked.len() as u64;
        let (_, body) = usage(&served.address, &token);
        assert!(body.contains(&format!("\"used\":{},", keys * units)), "{keys} keys of {units}: {body}");
        assert!(done(&folder, &["check"]).contains("0 wrong"));
    }
    drop(served);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn a_kill_during_jobs_charges_each_of_them_once() {
    let folder = folder("jobs");
    let mut served = Served::start(&folder, &[]);
    let token = served.token();
    done(&folder, &["account", "first", "--quota", "10000000", "--per-minute", "1000000"]);
    let item = |n: usize| {
        format!(r#"{{"id": "{n}", "content": "Thank you so much for your help, I really appreciate it."}}"#)
    };
    let items: Vec<String> = (0..1_000).map(item).collect();
    let body = format!(
        r#"{{"target": {{"type": "protocol", "id": "courtesy"}}, "interactions": [{}]}}"#,
        items.join(", ")
    );
    let post = |address: &str| {
        let head = format!(
            "POST /api/v1/sense/batch HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let (status, _, answer) = request(address, &head).expect("answers");
        assert_eq!(status, 202, "{answer}");
        answer.split('"').nth(3).expect("has an id").to_owned()
    };
    let get = |address: &str, job: &str| {
        let path = format!("/api/v1/jobs/{job}");
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        let (status, _, answer) = request(address, &head).expect("answers");
        assert_eq!(status, 200, "{answer}");
        answer
    };
    let jobs: Vec<String> = (0..6).map(|_| post(&served.address)).collect();
    for wait in [50, 150, 400] {
        thread::sleep(Duration::from_millis(wait));
        served.signal("-KILL");
        drop(served);
        assert!(done(&folder, &["check"]).contains("0 wrong"));
        served = Served::start(&folder, &[]);
    }
    let mut results = Vec::new();
    for job in &jobs {
        let begun = std::time::Instant::now();
        let answer = loop {
            let answer = get(&served.address, job);
            if !answer.contains("\"status\":\"processing\"") {
                break answer;
            }
            // A claim that died is free again after a while.
            assert!(begun.elapsed() < Duration::from_secs(240), "{answer}");
            thread::sleep(Duration::from_millis(100));
        };
        assert!(answer.contains("\"status\":\"completed\""), "{}", &answer[..200]);
        let (_, result) = answer.split_once("\"result\":").expect("has one");
        results.push(result.to_owned());
    }
    assert!(results.iter().all(|result| *result == results[0]), "the same work has the same result");
    let (_, units) = results[0].split_once("\"total_consumed\":").expect("has a sum");
    let units: u64 = units.split(',').next().and_then(|n| n.parse().ok()).expect("is a number");
    let (_, body) = usage(&served.address, &token);
    assert!(body.contains(&format!("\"used\":{},", units * jobs.len() as u64)), "{units}: {body}");
    assert!(done(&folder, &["check"]).contains("0 wrong"));
    drop(served);
    let _ = fs::remove_dir_all(folder);
}

#[test]
#[ignore = "kills the PostgreSQL of all tests; postgres.sh runs it alone"]
fn a_database_that_dies_under_load_loses_nothing_and_comes_back() {
    let crash = std::env::var("SONOMETER_TEST_CRASH").expect("postgres.sh sets it");
    let folder = folder("crash");
    let served = Served::start(&folder, &[]);
    let token = served.token();
    done(&folder, &["account", "first", "--quota", "1000000", "--per-minute", "1000000"]);
    let (_, units, _) = send(&served.address, &token, "warm").expect("answers");
    let told: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let over = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..6)
        .map(|client| {
            let (told, asked, over) = (told.clone(), asked.clone(), over.clone());
            let (address, token) = (served.address.clone(), token.clone());
            thread::spawn(move || {
                let mut away = 0;
                for number in 0.. {
                    if over.load(Ordering::SeqCst) {
                        break;
                    }
                    let key = format!("{client}-{number}");
                    asked.lock().expect("sound").push(key.clone());
                    match send(&address, &token, &key)
                        .expect("the service answers, whatever the database does")
                    {
                        (200, _, body) => drop(told.lock().expect("sound").insert(key, body)),
                        (503, ..) => away += 1,
                        (other, _, body) => panic!("{other}: {body}"),
                    }
                }
                away
            })
        })
        .collect();
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(700));
        let status = Command::new("sh").args(["-c", &crash]).status().expect("starts");
        assert!(status.success(), "{crash}");
    }
    thread::sleep(Duration::from_millis(700));
    over.store(true, Ordering::SeqCst);
    let away: u64 = clients.into_iter().map(|client| client.join().expect("does not panic")).sum();
    let (told, asked) = (told.lock().expect("sound").clone(), asked.lock().expect("sound").clone());
    assert!(told.len() > 20 && away > 0, "{} told, {away} sent away", told.len());
    assert!(done(&folder, &["check"]).contains("0 wrong"));
    for (key, body) in &told {
        assert_eq!(
            send(&served.address, &token, key).expect("answers"),
            (200, 0, body.clone()),
            "{key} was paid"
        );
    }
    for key in &asked {
        assert_eq!(send(&served.address, &token, key).expect("answers").0, 200);
    }
    let (_, body) = usage(&served.address, &token);
    let used = units * (1 + asked.len() as u64);
    assert!(body.contains(&format!("\"used\":{used},")), "{used}: {body}");
    assert!(done(&folder, &["check"]).contains("0 wrong"));
    println!("{} told, {away} sent away, {} asked", told.len(), asked.len());
    drop(served);
    let _ = fs::remove_dir_all(folder);
}
