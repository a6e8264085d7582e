//! SIGKILL under load, during jobs, during a notification; and of the database.

use crate::{ASK, Served, done, folder, request, send, server, usage};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
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
        let begun = Instant::now();
        // Some answers first: a machine that is busy with other things needs its time.
        while told.lock().expect("sound").len() < 5 {
            assert!(begun.elapsed() < Duration::from_secs(60), "there is no load");
            thread::sleep(Duration::from_millis(10));
        }
        thread::sleep(Duration::from_millis(300 + 300 * round));
        served.signal("-KILL");
        over.store(true, Ordering::SeqCst);
        clients.into_iter().for_each(|client| client.join().expect("ends well"));
        drop(served);
        assert!(done(&folder, &["check"]).contains("0 wrong"));
        served = Served::start(&folder, &[]);
        let (told, asked) = (told.lock().expect("sound"), asked.lock().expect("sound"));
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
        // The same statements; the minute until the claim ends is waited for once.
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
                        (503, ..) => {
                            away += 1;
                            // Each key is asked for again at the end, and being sent away takes no time.
                            thread::sleep(Duration::from_millis(20));
                        }
                        (other, _, body) => panic!("{other}: {body}"),
                    }
                }
                away
            })
        })
        .collect();
    let wait_for_answers = |count: usize| {
        let enough = told.lock().expect("sound").len() + count;
        let begun = Instant::now();
        while told.lock().expect("sound").len() < enough {
            assert!(begun.elapsed() < Duration::from_secs(60), "the service answers again");
            thread::sleep(Duration::from_millis(20));
        }
    };
    for _ in 0..3 {
        wait_for_answers(20);
        let status = Command::new("sh").args(["-c", &crash]).status().expect("starts");
        assert!(status.success(), "{crash}");
    }
    wait_for_answers(20);
    over.store(true, Ordering::SeqCst);
    let away: u64 = clients.into_iter().map(|client| client.join().expect("does not panic")).sum();
    let (told, asked) = (told.lock().expect("sound").clone(), asked.lock().expect("sound").clone());
    assert!(away > 0, "{} told, nobody sent away", told.len());
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
