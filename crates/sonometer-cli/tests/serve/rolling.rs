//! A rolling upgrade: two nodes on one database are stopped and started one after the other, under load.

use crate::load::{Load, stands};
use crate::{SONOMETER, Served, database, done, folder, get, post, send, server};
use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A job of 60 items.
fn batch() -> String {
    let item = |n: usize| {
        format!(r#"{{"id": "{n}", "content": "Thank you so much for your help, I really appreciate it."}}"#)
    };
    let items: Vec<String> = (0..60).map(item).collect();
    format!(
        r#"{{"target": {{"type": "protocol", "id": "courtesy"}}, "interactions": [{}]}}"#,
        items.join(", ")
    )
}

/// With `SONOMETER_BEFORE`, the path of an older command, the nodes are of that version first.
#[test]
fn two_nodes_are_upgraded_one_after_the_other_and_nothing_is_lost() {
    if server().is_none() {
        println!("skipped: a rolling upgrade (needs PostgreSQL: crates/sonometer-server/tests/postgres.sh)");
        return;
    }
    let folder = folder("rolling");
    let before = std::env::var("SONOMETER_BEFORE").unwrap_or_else(|_| SONOMETER.to_owned());
    let database = database(&folder);
    let start = |command: &str| Served::start_by(Command::new(command), &database, &folder, &[]);
    let first = start(&before);
    let token = first.token();
    let mut nodes = vec![first, start(&before)];
    // By the older command: the newer one would bring the database to its form.
    let account = ["account", "first", "--quota", "100000000", "--per-minute", "1000000"];
    let set = Command::new(&before).args(["admin", "--database", &database]).args(account).output();
    assert!(set.expect("starts").status.success());
    let (_, units, _) = send(&nodes[0].address, &token, "warm").expect("answers");
    let load = Load::begin("roll", 4, &[&nodes[0].address, &nodes[1].address], &token);
    let mut jobs = Vec::new();
    let mut job = |address: &str| {
        let key = format!("job {}", jobs.len());
        let (status, _, answer) =
            post(address, &token, "/api/v1/sense/batch", &key, &batch()).expect("answers");
        assert_eq!(status, 202, "{answer}");
        jobs.push(answer.split('"').nth(3).expect("has an id").to_owned());
    };
    load.wait_for(20);
    for turn in 0..2 {
        let other = nodes[1 - turn].address.clone();
        // What its workers hold is handed back, or done by the other.
        job(&nodes[turn].address);
        job(&other);
        let stopped = nodes.remove(turn);
        load.ask_at(&[&other]);
        stopped.stop();
        load.wait_for(20);
        nodes.insert(turn, start(SONOMETER));
        load.ask_at(&[&nodes[0].address, &nodes[1].address]);
        load.wait_for(20);
        job(&nodes[turn].address);
    }
    let (told, others) = load.end();
    println!("{} answers, {} jobs, other answers by status: {others:?}", told.len(), jobs.len());
    assert!(others.keys().all(|status| *status == 0), "nobody was refused: {others:?}");
    let mut used = units * (1 + told.len() as u64);
    for job in &jobs {
        let begun = Instant::now();
        let answer = loop {
            let (status, answer) = get(&nodes[0].address, &token, &format!("/api/v1/jobs/{job}"));
            assert_eq!(status, 200, "{answer}");
            if !answer.contains("\"status\":\"processing\"") {
                break answer;
            }
            assert!(begun.elapsed() < Duration::from_secs(120), "{answer}");
            sleep(Duration::from_millis(100));
        };
        assert!(answer.contains("\"status\":\"completed\""), "{answer}");
        let (_, units) = answer.split_once("\"total_consumed\":").expect("has a sum");
        used += units.split(',').next().and_then(|n| n.parse::<u64>().ok()).expect("is a number");
    }
    stands(&nodes[1].address, &token, &told, used);
    assert!(done(&folder, &["check"]).contains("0 wrong; 0 rows of the ledger wrong"));
    drop(nodes);
    let _ = fs::remove_dir_all(folder);
}
