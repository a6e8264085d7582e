//! `sonometer serve` and `sonometer admin` as processes: the first start, administration, what the pages show, and SIGKILL.
#![cfg(all(feature = "serve", unix))]

mod backup;
mod broken;
mod disk;
mod dives;
#[cfg(feature = "documents")]
mod files;
mod kills;
mod lines;
mod load;
mod operate;
mod pages;
mod power;
mod rolling;
mod stages;
mod start;
#[cfg(feature = "otlp")]
mod telemetry;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const SONOMETER: &str = env!("CARGO_BIN_EXE_sonometer");

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

/// Runs SQL on an SQLite file; `false`: there is no `sqlite3` here.
fn sqlite(file: &Path, sql: &str) -> bool {
    match Command::new("sqlite3").arg(file).arg(sql).output() {
        Ok(done) if done.status.success() => true,
        Ok(done) => panic!("{sql}: {}", String::from_utf8_lossy(&done.stderr)),
        Err(_) => {
            println!(
                "skipped: databases made by other means (there is no sqlite3; Debian's package sqlite3)"
            );
            false
        }
    }
}

struct Served {
    child: Child,
    address: String,
    said: Vec<String>,
}

impl Served {
    /// Starts a server in a folder and waits until it listens.
    fn start(folder: &Path, more: &[&str]) -> Self {
        Self::start_by(Command::new(SONOMETER), &database(folder), folder, more)
    }

    /// The same by a command that runs the server, on a database of choice.
    fn start_by(mut command: Command, database: &str, folder: &Path, more: &[&str]) -> Self {
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--database", database])
            .args(more)
            .current_dir(folder)
            // What is left there is seen.
            .env("TMPDIR", folder)
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
        let line = self.said.iter().find_map(|line| line.strip_prefix("test token (shown only once): "));
        line.expect("is shown").to_owned()
    }

    /// Tells it to stop and waits until it has.
    fn stop(mut self) {
        self.signal("-TERM");
        assert!(self.child.wait().expect("ends").success());
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

/// A POST of a body: status, `X-ICS-Consumed` and the answer; `None` if the connection broke.
fn post(address: &str, token: &str, path: &str, key: &str, body: &str) -> Option<(u16, u64, String)> {
    let key = if key.is_empty() { String::new() } else { format!("Idempotency-Key: {key}\r\n") };
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n{key}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    request(address, &head)
}

fn usage(address: &str, token: &str) -> (u16, String) {
    get(address, token, "/api/v1/usage")
}

fn get(address: &str, token: &str, path: &str) -> (u16, String) {
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    let (status, _, body) = request(address, &head).expect("answers");
    (status, body)
}

/// Runs `admin` in a folder: exit code, output, errors.
fn admin(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    admin_of(&database(folder), folder, arguments)
}

/// Runs `admin` on a database of choice.
fn admin_of(database: &str, folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(SONOMETER)
        .args(["admin", "--database", database])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("starts");
    let text = |bytes| String::from_utf8(bytes).expect("is UTF-8");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

#[track_caller]
fn done(folder: &Path, arguments: &[&str]) -> String {
    done_on(&database(folder), folder, arguments)
}

#[track_caller]
fn done_on(database: &str, folder: &Path, arguments: &[&str]) -> String {
    let (code, out, err) = admin_of(database, folder, arguments);
    assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}: {out}");
    out
}
