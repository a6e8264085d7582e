//! SIGKILL under load, during jobs, during a notification; and of the database.

use crate::load::{Load, stands};
use crate::{ASK, Served, done, folder, request, send, server, sqlite, usage};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn a_kill_under_load_loses_nothing_and_doubles_nothing() {
    let folder = folder("kill");
    let mut served = Served::start(&folder, &[]);
    let token = served.token();
    done(&folder, &["account", "first", "--quota", "1000000", "--per-minute", "1000000"]);
    let (_, units, _) = send(&served.address, &token, "warm").expect("answers");
    assert!(units > 1);
    let load = Load::begin("kill", 6, &[&served.address], &token);
    for round in 0..3 {
        load.wait_for(5);
        thread::sleep(Duration::from_millis(300 + 300 * round));
        served.signal("-KILL");
        drop(served);
        assert!(done(&folder, &["check"]).contains("0 wrong"));
        served = Served::start(&folder, &[]);
        load.ask_at(&[&served.address]);
    }
    load.wait_for(5);
    let (told, others) = load.end();
    assert!(others.keys().eq([&0]), "each kill is seen, and nothing is refused: {others:?}");
    stands(&served.address, &token, &told, units * (1 + told.len() as u64));
    assert!(done(&folder, &["check"]).contains("0 wrong"));
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
        let begun = Instant::now();
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

/// Takes one request whole: its head and its body.
fn take(listener: &TcpListener) -> (TcpStream, String, String) {
    let (mut stream, _) = listener.accept().expect("somebody calls");
    let mut all = String::new();
    let mut bytes = [0; 4096];
    loop {
        let read = stream.read(&mut bytes).expect("can be read");
        all.push_str(std::str::from_utf8(&bytes[..read]).expect("is ASCII"));
        let Some((head, body)) = all.split_once("\r\n\r\n") else { continue };
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if length.is_some_and(|length: usize| body.len() >= length) {
            let (head, body) = (head.to_owned(), body.to_owned());
            return (stream, head, body);
        }
    }
}

#[test]
fn a_kill_during_a_notification_sends_it_again() {
    if server().is_some() {
        // The same statements.
        return;
    }
    let folder = folder("notify");
    let receiver = TcpListener::bind("127.0.0.1:0").expect("listens");
    let address = receiver.local_addr().expect("has one").to_string();
    let served = Served::start(&folder, &["--allow-callback", &address]);
    let token = served.token();
    let body = ASK.replacen('{', &format!(r#"{{"callback": {{"url": "http://{address}/hook"}}, "#), 1);
    let head = format!(
        "POST /api/v1/sense HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let (status, _, answer) = request(&served.address, &head).expect("answers");
    assert_eq!(status, 202, "{answer}");
    let id = |head: &str| {
        head.lines().find_map(|line| line.strip_prefix("webhook-id: ").map(str::to_owned)).expect("has an id")
    };
    let (stream, first, told) = take(&receiver);
    served.signal("-KILL");
    drop((served, stream));
    // The worker that was killed holds the notification for a minute, which ends at once here; without sqlite3 it is waited for.
    sqlite(&folder.join("db.sqlite"), "UPDATE deliveries SET lease_ms = lease_ms - 60000 WHERE lease_ms > 0");
    let served = Served::start(&folder, &["--allow-callback", &address]);
    let (mut stream, second, again) = take(&receiver);
    assert_eq!((id(&first), told), (id(&second), again));
    stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").expect("can be answered");
    let begun = Instant::now();
    loop {
        let log = done(&folder, &["deliveries", "first"]);
        if log.contains("delivered") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{log}");
        thread::sleep(Duration::from_millis(50));
    }
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
    let load = Load::begin("crash", 6, &[&served.address], &token);
    for _ in 0..3 {
        load.wait_for(20);
        let status = Command::new("sh").args(["-c", &crash]).status().expect("starts");
        assert!(status.success(), "{crash}");
    }
    load.wait_for(20);
    let (told, others) = load.end();
    assert!(others.keys().eq([&503]), "the service answers, whatever the database does: {others:?}");
    assert!(done(&folder, &["check"]).contains("0 wrong"));
    stands(&served.address, &token, &told, units * (1 + told.len() as u64));
    assert!(done(&folder, &["check"]).contains("0 wrong"));
    println!("{} told, {others:?} otherwise", told.len());
    drop(served);
    let _ = fs::remove_dir_all(folder);
}
