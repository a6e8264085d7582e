//! `sonometer proxy` as a user starts it.
#![cfg(all(feature = "proxy", unix))]

mod built;

use built::Running;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

impl Running {
    /// Has it read its file again.
    fn hang_up(&self) {
        let process = self.0.id().to_string();
        assert!(Command::new("kill").args(["-HUP", &process]).status().expect("there is kill").success());
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sonometer"));
    command.arg("proxy").args(arguments);
    command
}

/// A file that masks private data.
fn write_policy(path: &Path, upstream: &str, mask: &str) {
    let text = format!(
        "upstream = \"{upstream}\"\n[[guard.rules]]\naction = \"mask\"\ntarget = \"personal-data\"\nmask = \"{mask}\"\n"
    );
    std::fs::write(path, text).expect("writes");
}

fn start(arguments: &[&str]) -> (Running, String) {
    let mut child = command(arguments).stdout(Stdio::piped()).spawn().expect("starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("is piped")).read_line(&mut line).expect("reads");
    let address = line.trim().strip_prefix("listening on http://").expect("says where").to_owned();
    (Running(child), address)
}

/// Reads a request with a length.
fn read(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut part = [0; 4_096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        match socket.read(&mut part) {
            Ok(0) | Err(_) => return text,
            Ok(read) => bytes.extend_from_slice(&part[..read]),
        }
    }
}

/// A provider that keeps what it was asked and repeats it.
fn provider() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = format!("http://{}", listener.local_addr().expect("is bound"));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    thread::spawn(move || {
        for socket in listener.incoming() {
            let Ok(mut socket) = socket else { return };
            let asked = read(&mut socket);
            kept.lock().expect("is sound").push(asked);
            let body = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Sent to <EMAIL_ADDRESS_1>."}}]}"#;
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            let _ = socket.write_all(answer.as_bytes());
        }
    });
    (address, seen)
}

fn ask(address: &str) -> String {
    let body = r#"{"model":"m","messages":[{"role":"user","content":"Write to ann@example.org."}]}"#;
    let mut socket = TcpStream::connect(address).expect("connects");
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    socket.write_all(request.as_bytes()).expect("sends");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("reads");
    answer
}

#[test]
fn masks_by_two_flags() {
    let (upstream, seen) = provider();
    let (_running, address) = start(&[
        "--listen",
        "127.0.0.1:0",
        "--upstream",
        &upstream,
        "--mask",
        "personal-data",
        "--placeholders",
    ]);
    let answer = ask(&address);
    assert!(answer.contains("Sent to ann@example.org."), "{answer}");
    assert!(seen.lock().expect("is sound")[0].contains("Write to <EMAIL_ADDRESS_1>."));
}

#[test]
fn reads_its_file_again() {
    let (upstream, seen) = provider();
    let path = std::env::temp_dir().join(format!("sonometer-guard-{}.toml", std::process::id()));
    write_policy(&path, &upstream, "label");
    let name = path.to_string_lossy().into_owned();
    let (running, address) = start(&["--listen", "127.0.0.1:0", "--config", &name]);
    ask(&address);
    write_policy(&path, &upstream, "stars");
    running.hang_up();
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        ask(&address);
        let seen = seen.lock().expect("is sound");
        assert!(seen[0].contains("Write to <EMAIL_ADDRESS>."), "{}", seen[0]);
        if seen.last().is_some_and(|asked| asked.contains("Write to ***@*******.***.")) {
            break;
        }
        assert!(Instant::now() < until, "the file was not read again");
        drop(seen);
        thread::sleep(Duration::from_millis(50));
    }
    let _ = std::fs::remove_file(&path);
}

/// A client that asks on and on and reads no answer, by the file, by the flag, and after a hang-up.
#[test]
fn lets_go_who_reads_nothing() {
    let path = std::env::temp_dir().join(format!("sonometer-stalled-{}.toml", std::process::id()));
    let write = |seconds: u64| {
        write_policy(&path, "http://127.0.0.1:1", "label");
        let policy = std::fs::read_to_string(&path).expect("reads");
        let (upstream, rules) = policy.split_once('\n').expect("has lines");
        let text = format!("{upstream}\n[limits]\nstalled_seconds = {seconds}\n{rules}");
        std::fs::write(&path, text).expect("writes");
    };
    let name = path.to_string_lossy().into_owned();
    let floods = |address: &str| {
        let mut socket = TcpStream::connect(address).expect("connects");
        let asks = b"GET /sonometer/counts HTTP/1.1\r\nhost: x\r\n\r\n".repeat(100);
        socket.set_write_timeout(Some(Duration::from_secs(60))).expect("is set");
        let error = loop {
            if let Err(error) = socket.write_all(&asks) {
                break error;
            }
        };
        assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock, "is still connected");
    };
    write(1);
    let (running, address) = start(&["--listen", "127.0.0.1:0", "--config", &name]);
    floods(&address);
    drop(running);
    write(86_400);
    let flag = ["--listen", "127.0.0.1:0", "--config", &name, "--stalled-seconds", "1"];
    let (running, address) = start(&flag);
    floods(&address);
    drop(running);
    let mut command = command(&["--listen", "127.0.0.1:0", "--config", &name]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let (out, err) = (child.stdout.take().expect("is piped"), child.stderr.take().expect("is piped"));
    let running = Running(child);
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line).expect("reads");
    write(1);
    running.hang_up();
    let mut told = String::new();
    BufReader::new(err).read_line(&mut told).expect("reads");
    assert!(told.contains("new conversations are guarded by policy"), "{told}");
    floods(line.trim().strip_prefix("listening on http://").expect("says where"));
    let _ = std::fs::remove_file(&path);
}

/// A stop waits for answers, and an answer may never end.
#[test]
fn who_asks_twice_to_stop_does_not_wait_for_answers() {
    let upstream = TcpListener::bind("127.0.0.1:0").expect("binds");
    let place = format!("http://{}", upstream.local_addr().expect("is bound"));
    let (mut running, address) =
        start(&["--listen", "127.0.0.1:0", "--upstream", &place, "--mask", "personal-data"]);
    let asking = thread::spawn(move || ask(&address));
    let (mut socket, _) = upstream.accept().expect("is asked");
    read(&mut socket);
    let stop = |running: &Running| {
        let process = running.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &process]).status().expect("there is kill").success());
    };
    // The second one right behind it may be the same, from a wrapper.
    stop(&running);
    stop(&running);
    thread::sleep(Duration::from_millis(1_500));
    assert!(running.0.try_wait().expect("is a child").is_none(), "it waits for the answer");
    stop(&running);
    let ends = Instant::now() + Duration::from_secs(10);
    while running.0.try_wait().expect("is a child").is_none() {
        assert!(Instant::now() < ends, "it still waits");
        thread::sleep(Duration::from_millis(20));
    }
    drop(socket);
    let _ = asking.join();
}

#[test]
fn says_what_stays_until_it_is_started_again() {
    let path = std::env::temp_dir().join(format!("sonometer-fixed-{}.toml", std::process::id()));
    write_policy(&path, "http://127.0.0.1:1", "label");
    let name = path.to_string_lossy().into_owned();
    let mut command = command(&["--listen", "127.0.0.1:0", "--config", &name]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let (out, err) = (child.stdout.take().expect("is piped"), child.stderr.take().expect("is piped"));
    let running = Running(child);
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line).expect("reads");
    write_policy(&path, "http://127.0.0.1:2", "label");
    // As soon as it listens.
    running.hang_up();
    let (tell, told) = std::sync::mpsc::channel();
    thread::spawn(move || {
        BufReader::new(err).lines().map_while(Result::ok).try_for_each(|line| tell.send(line))
    });
    let next = || told.recv_timeout(Duration::from_secs(60)).expect("says something");
    let (policy, upstream) = (next(), next());
    assert!(policy.contains("new conversations are guarded by policy "), "{policy}");
    assert!(
        upstream.contains("`upstream` was changed too; for that, stop the proxy and start it again"),
        "{upstream}"
    );
    let _ = std::fs::remove_file(&path);
}

#[test]
fn says_what_is_wrong() {
    let said = |arguments: &[&str]| {
        let output = command(arguments).output().expect("runs");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).expect("is UTF-8")
    };
    assert!(said(&["--mask", "personal-data"]).contains("give --upstream URL"));
    assert!(
        said(&["--mask", "personal-data", "--upstream", "api.openai.com"])
            .contains("needs http:// or https://")
    );
    assert!(said(&["--mask", "courtesy", "--upstream", "http://h"]).contains("masks nothing"));
    let behind = said(&["--mask", "personal-data", "--mask", "courtesy", "--upstream", "http://h"]);
    assert!(behind.contains("rules[1].target: `courtesy` masks nothing"), "{behind}");
    let upstream = ["--mask", "personal-data", "--upstream", "http://h", "--table-keys"];
    let path = std::env::temp_dir().join(format!("sonometer-keys-{}", std::process::id()));
    std::fs::write(&path, "0f\n").expect("writes");
    let name = path.to_string_lossy().into_owned();
    assert!(said(&[&upstream[..], &[&name]].concat()).contains("give --placeholders"));
    let wrong = said(&[&upstream[..], &[&name, "--placeholders"]].concat());
    assert!(wrong.contains("line 1: not a key; write 64 hexadecimal digits"), "{wrong}");
    let _ = std::fs::remove_file(&path);
    let path = std::env::temp_dir().join(format!("sonometer-wrong-{}.toml", std::process::id()));
    std::fs::write(&path, "listen = \"127.0.0.1:0\"\n\n[guard]\nunknwon = \"block\"\n").expect("writes");
    let name = path.to_string_lossy().into_owned();
    let wrong = said(&["--config", &name]);
    assert!(wrong.contains(", line 4") && wrong.contains("unknwon"), "{wrong}");
    for seconds in ["0", "-1", "86401", "1.5", "\"60\""] {
        std::fs::write(&path, format!("[limits]\nstalled_seconds = {seconds}\n")).expect("writes");
        let wrong = said(&["--config", &name]);
        let why = ", line 2: a whole number of seconds from 1 to 86400, without quotes";
        assert!(wrong.contains(why), "{seconds}: {wrong}");
    }
    std::fs::write(&path, "[limits]\nbodies_bytes = \"1\"\n").expect("writes");
    let wrong = said(&["--config", &name]);
    assert!(wrong.contains(", line 2: a whole number of bytes, 0 or more, without quotes"), "{wrong}");
    std::fs::write(&path, "[guard.limits]\nlanes = -1\n").expect("writes");
    let wrong = said(&["--config", &name]);
    assert!(wrong.contains("line 2") && wrong.contains("expected a whole number, 0 or more"), "{wrong}");
    let _ = std::fs::remove_file(&path);
}
