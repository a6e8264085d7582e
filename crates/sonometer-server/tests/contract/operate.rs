//! What an operator sets: origins, limits, bad tokens, what all nodes count, and how long things are kept.

use crate::bench::{Answer, Bench, read, send};
use crate::database;
use crate::fixture::{ONE, TWO, bench, sense, text};
use serde_json::json;
use sonometer_server::{Limits, Live};
use sonometer_service::{Mode, Retention};
use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What no document describes: a browser that asks first.
fn asks(bench: &Bench, origin: &str) -> Answer {
    let mut stream = bench.open();
    let head = format!(
        "OPTIONS /api/v1/sense HTTP/1.1\r\nHost: a\r\nConnection: close\r\nOrigin: {origin}\r\n\
         Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("is taken");
    read(stream)
}

// covers: wire.cors.list
#[test]
fn pages_of_listed_origins_may_call_and_no_others() {
    let bench = Bench::start();
    let (good, other) = ("https://app.example.com", "https://evil.example.com");
    asks(&bench, good).is(405, "method_not_allowed");
    bench.control.set(Live { origins: vec![good.to_owned()], ..Live::default() });
    let answer = asks(&bench, good);
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (204, good));
    assert!(answer.header("access-control-allow-headers").contains("authorization"));
    assert!(answer.header("access-control-allow-methods").contains("POST"));
    assert_eq!(answer.header("access-control-allow-credentials"), "");
    let refused = asks(&bench, other);
    refused.is(405, "method_not_allowed");
    assert_eq!(refused.header("access-control-allow-origin"), "");
    let bearer = format!("Bearer {}", bench.test);
    let get =
        |origin| bench.send("GET", "/api/v1/usage", &[("Authorization", &bearer), ("Origin", origin)], b"");
    let answer = get(good);
    answer.good("Usage");
    assert_eq!((answer.header("access-control-allow-origin"), answer.header("vary")), (good, "Origin"));
    assert!(answer.header("access-control-expose-headers").contains("x-ics-remaining"));
    assert_eq!(get(other).header("access-control-allow-origin"), "");
    assert_eq!(get(good.strip_suffix(".com").unwrap_or_default()).header("access-control-allow-origin"), "");
    let lost = bench.send("GET", "/nowhere", &[("Origin", good)], b"");
    lost.is(404, "not_found");
    assert_eq!(lost.header("access-control-allow-origin"), good, "a page sees why it was refused");
}

// covers: operate.failures
#[test]
fn many_bad_tokens_are_sent_away_and_good_ones_are_not() {
    let bench = Bench::with(Limits { failures_of_client: 3, ..Limits::default() });
    bench.get("/api/v1/usage").good("Usage");
    let (_, unseen) = bench.token(Mode::Test, &sonometer_service::Scope::DEFAULT);
    for _ in 0..3 {
        bench.get_as("nobody", "/api/v1/usage").is(401, "unauthorized");
    }
    let refused = bench.get_as("nobody", "/api/v1/usage");
    refused.is(429, "rate_limited");
    assert!((1..=60).contains(&refused.number("retry-after")));
    bench.send("GET", "/api/v1/usage", &[], b"").is(401, "unauthorized");
    bench.get("/api/v1/usage").good("Usage");
    bench.get_as(&unseen, "/api/v1/usage").is(429, "rate_limited");
    bench.clock.0.fetch_add(60_000, Ordering::SeqCst);
    bench.get_as(&unseen, "/api/v1/usage").good("Usage");
    bench.get_as("nobody", "/api/v1/usage").is(401, "unauthorized");
}

// covers: operate.live
#[test]
fn limits_change_while_it_runs() {
    let bench = Bench::start();
    let body =
        json!({"target": {"type": "protocol", "id": "courtesy"}, "interaction": text(&ONE.repeat(80))});
    bench.post("/api/v1/sense", &body).good("Sense");
    bench.control.set(Live::from(Limits { body_bytes: 1_024, ..Limits::default() }));
    bench.post("/api/v1/sense", &body).is(413, "payload_too_large");
    bench.control.set(Live::from(Limits {
        body_bytes: 1 << 20,
        in_flight: 1,
        waiting: 1,
        ..Limits::default()
    }));
    bench.post("/api/v1/sense", &body).good("Sense");
    let text = bench.send("GET", "/metrics", &[], b"").body;
    assert!(text.contains("sonometer_queue_held{queue=\"requests\"} 0"), "{text}");
}

// covers: nodes.rate
#[test]
fn requests_that_two_nodes_count_end_at_the_limit() {
    if database::server().is_none() {
        println!("skipped: only PostgreSQL has several nodes (tests/postgres.sh)");
        return;
    }
    let bench = Bench::start();
    bench.account(Mode::Test, |settings| settings.per_window = 400);
    let bearer = format!("Bearer {}", bench.test);
    let nodes = [bench.address(), bench.second_node()];
    let (mut good, mut refused) = (0, 0);
    while refused < 6 {
        let node = nodes[(good + refused) % 2];
        let answer = send(node, "GET", "/api/v1/usage", &[("Authorization", &bearer)], b"");
        match answer.status {
            200 => good += 1,
            429 => refused += 1,
            other => panic!("{other}: {}", answer.body),
        }
    }
    assert!((390..=400).contains(&good), "{good}");
    bench.clock.0.fetch_add(60_000, Ordering::SeqCst);
    let again = send(nodes[1], "GET", "/api/v1/usage", &[("Authorization", &bearer)], b"");
    assert_eq!((again.status, again.number("x-ratelimit-remaining")), (200, 399));
}

/// Whether any file of an SQLite store holds a text.
fn files_hold(url: &str, text: &str) -> Vec<&'static str> {
    let holds = |ending: &&&str| {
        let bytes = std::fs::read(format!("{url}{ending}")).unwrap_or_default();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    ["", "-wal", "-shm"].iter().filter(holds).copied().collect()
}

// covers: operate.retention
#[test]
fn what_is_old_is_forgotten_in_the_files_too() {
    let bench = bench();
    let words = format!("{TWO} quintessential marmalade");
    let items: Vec<_> = (0..60).map(|n| json!({"id": n.to_string(), "content": words})).collect();
    let body = json!({"target": {"type": "protocol", "id": "desk"}, "interactions": items});
    let queued = bench.post_with(&bench.test, "/api/v1/sense/batch", &body, &[("Idempotency-Key", "k")]);
    assert_eq!(queued.status, 202, "{}", queued.body);
    let path = format!("/api/v1/jobs/{}", queued.json()["job_id"].as_str().expect("is text"));
    let began = Instant::now();
    while bench.get(&path).json()["status"] != "completed" {
        assert!(began.elapsed() < Duration::from_secs(60), "{}", bench.get(&path).body);
        std::thread::sleep(Duration::from_millis(50));
    }
    let keyed =
        bench.post_with(&bench.test, "/api/v1/sense", &sense("desk", TWO), &[("Idempotency-Key", "own")]);
    let evidence = "good morning";
    assert!(keyed.body.contains(evidence), "{}", keyed.body);
    let tidy = || bench.runtime.block_on(bench.service.tidy()).expect("can be forgotten");
    let is_file = database::server().is_none();
    // The content of a job goes with its end, and is wiped with the next round.
    tidy();
    if is_file {
        assert!(files_hold(bench.database(), "marmalade").is_empty(), "what was sent is gone");
        assert!(!files_hold(bench.database(), evidence).is_empty(), "results are there");
    }
    let kept = Retention { results_days: 2, answers_days: 1, ..bench.service.retention() };
    bench.service.set_retention(kept);
    bench.clock.0.fetch_add(3 * 24 * 3_600_000, Ordering::SeqCst);
    bench.get(&path).is(404, "job_not_found");
    tidy();
    if is_file {
        assert!(files_hold(bench.database(), "\"evidence\"").is_empty(), "answers are gone");
        assert_eq!(std::fs::metadata(format!("{}-wal", bench.database())).map_or(0, |about| about.len()), 0);
    }
    let again =
        bench.post_with(&bench.test, "/api/v1/sense", &sense("desk", ONE), &[("Idempotency-Key", "own")]);
    assert_eq!((again.status, again.header("idempotency-replayed")), (200, ""), "the key is free again");
}
