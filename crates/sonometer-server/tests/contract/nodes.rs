//! Two nodes on one database.

use crate::bench::{Answer, Bench, send};
use crate::fixture::{LITTLE, ONE, TWO, bench, desk, sense, target};
use serde_json::{Value, json};
use sonometer_service::Mode;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

fn post(bench: &Bench, at: SocketAddr, path: &str, body: &Value, key: &str) -> Answer {
    let bearer = format!("Bearer {}", bench.test);
    let mut headers = vec![("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    if !key.is_empty() {
        headers.push(("Idempotency-Key", key));
    }
    send(at, "POST", path, &headers, body.to_string().as_bytes())
}

// covers: nodes.quota
#[test]
fn a_quota_that_both_charge_ends_at_exactly_500() {
    let bench = bench();
    bench.account(Mode::Test, |settings| (settings.quota, settings.per_window) = (500, 1_000_000));
    let nodes = [bench.address(), bench.second_node()];
    let (paid, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    scope(|threads| {
        for client in 0..12 {
            let (bench, nodes, paid, refused) = (&bench, &nodes, &paid, &refused);
            threads.spawn(move || {
                for number in 0..60 {
                    let content = if number % 3 == 0 { TWO } else { ONE };
                    let answer = post(bench, nodes[client % 2], "/api/v1/sense", &sense("desk", content), "");
                    match answer.status {
                        200 => paid.fetch_add(answer.number("x-ics-consumed") as u64, Ordering::SeqCst),
                        402 => refused.fetch_add(1, Ordering::SeqCst),
                        other => panic!("{other}: {}", answer.body),
                    };
                }
            });
        }
    });
    assert_eq!((paid.load(Ordering::SeqCst), bench.used(Mode::Test)), (500, 500));
    assert!(refused.load(Ordering::SeqCst) > 0);
    bench.ledger_is_right();
}

// covers: nodes.known
#[test]
fn what_a_node_knew_of_an_account_is_not_charged_by() {
    let bench = bench();
    let nodes = [bench.address(), bench.second_node()];
    let ask = |node: usize| post(&bench, nodes[node], "/api/v1/sense", &sense("desk", ONE), "");
    // What either knows is old as soon as the other has charged.
    for (used, node) in [0, 0, 1, 1, 0, 1, 0, 0].into_iter().enumerate() {
        let answer = ask(node);
        let told = (answer.number("x-ics-consumed"), answer.number("x-ics-remaining"));
        assert_eq!((answer.status, told), (200, (1, 10_000 - 1 - used as i64)));
    }
    bench.account(Mode::Test, |settings| settings.quota = 8);
    for node in [0, 1] {
        ask(node).is(402, "quota_exhausted");
    }
    bench.account(Mode::Test, |settings| settings.quota = 10);
    assert_eq!([ask(0), ask(1)].map(|answer| answer.number("x-ics-remaining")), [1, 0]);
    ask(0).is(402, "quota_exhausted");
    assert_eq!(bench.used(Mode::Test), 10);
    bench.ledger_is_right();
}

// covers: nodes.idempotency
#[test]
fn the_same_key_on_both_is_paid_once() {
    let bench = bench();
    let nodes = [bench.address(), bench.second_node()];
    for round in 0..10_u64 {
        let key = format!("round {round}");
        let answers: Vec<Answer> = scope(|threads| {
            let ask = |client: usize| {
                let (bench, at, key) = (&bench, nodes[client % 2], key.as_str());
                threads.spawn(move || post(bench, at, "/api/v1/sense", &sense("desk", TWO), key))
            };
            let asked: Vec<_> = (0..6).map(ask).collect();
            asked.into_iter().map(|thread| thread.join().expect("does not panic")).collect()
        });
        let first = answers.iter().filter(|answer| answer.header("idempotency-replayed").is_empty()).count();
        assert_eq!(first, 1);
        assert!(answers.iter().all(|answer| answer.status == 200 && answer.body == answers[0].body));
        assert_eq!(bench.used(Mode::Test), 2 * (round + 1));
    }
    bench.ledger_is_right();
}

// covers: nodes.idempotency
#[test]
fn the_same_key_on_both_makes_one_job() {
    let bench = bench();
    let nodes = [bench.address(), bench.second_node()];
    let items: Vec<Value> = (0..50).map(|n| json!({"id": format!("i{n}"), "content": ONE})).collect();
    let body = json!({"target": target("desk"), "interactions": items});
    for round in 0..5 {
        let key = format!("night {round}");
        let answers: Vec<Answer> = scope(|threads| {
            let ask = |client: usize| {
                let (bench, at, key, body) = (&bench, nodes[client % 2], key.as_str(), &body);
                threads.spawn(move || post(bench, at, "/api/v1/sense/batch", body, key))
            };
            let asked: Vec<_> = (0..6).map(ask).collect();
            asked.into_iter().map(|thread| thread.join().expect("does not panic")).collect()
        });
        assert!(
            answers.iter().all(|answer| answer.status == 202 && answer.body == answers[0].body),
            "{}",
            answers[0].body
        );
    }
    let begun = Instant::now();
    while bench.used(Mode::Test) < 250 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", bench.used(Mode::Test));
        sleep(Duration::from_millis(50));
    }
    sleep(Duration::from_millis(300));
    assert_eq!(bench.used(Mode::Test), 250);
    bench.ledger_is_right();
}

// covers: nodes.jobs
#[test]
fn each_job_is_worked_on_by_one_and_can_be_asked_for_at_both() {
    let bench = bench();
    let nodes = [bench.address(), bench.second_node()];
    let content = |n: usize| [ONE, TWO, LITTLE][n % 3];
    let items: Vec<Value> = (0..60).map(|n| json!({"id": format!("i{n}"), "content": content(n)})).collect();
    let body = json!({"target": target("desk"), "interactions": items});
    let jobs: Vec<String> = (0..10)
        .map(|n| {
            let answer = post(&bench, nodes[n % 2], "/api/v1/sense/batch", &body, "");
            assert_eq!(answer.status, 202, "{}", answer.body);
            answer.json()["poll_url"].as_str().expect("is text").to_owned()
        })
        .collect();
    let bearer = format!("Bearer {}", bench.test);
    for (number, path) in jobs.iter().enumerate() {
        let begun = Instant::now();
        loop {
            let job =
                send(nodes[(number + 1) % 2], "GET", path, &[("Authorization", &bearer)], b"").good("Job");
            if job["status"] != "processing" {
                assert_eq!(
                    (&job["status"], &job["result"]["ics"]["total_consumed"]),
                    (&json!("completed"), &json!(60))
                );
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{job}");
            sleep(Duration::from_millis(20));
        }
    }
    assert_eq!(bench.used(Mode::Test), 600);
    bench.ledger_is_right();
}

// covers: nodes.changes
#[test]
fn what_changes_on_one_counts_on_the_other_at_once() {
    let bench = bench();
    let other = bench.second_node();
    let version = |at| {
        let answer = post(&bench, at, "/api/v1/sense", &sense("desk", ONE), "");
        answer.json()["target"]["version"].as_str().map(str::to_owned)
    };
    assert_eq!(version(other).as_deref(), Some("1.0"));
    bench.publish("acme", &desk("2.0", "1.0", "published"));
    assert_eq!((version(other).as_deref(), version(bench.address()).as_deref()), (Some("2.0"), Some("2.0")));
    bench.account(Mode::Test, |settings| settings.quota = 3);
    post(&bench, other, "/api/v1/sense", &sense("desk", ONE), "").is(402, "quota_exhausted");
    let (id, token) = bench.token(Mode::Test, &sonometer_service::Scope::DEFAULT);
    let bearer = format!("Bearer {token}");
    let usage = || send(other, "GET", "/api/v1/usage", &[("Authorization", &bearer)], b"");
    usage().good("Usage");
    bench.runtime.block_on(bench.service.revoke_token(&id)).expect("is there");
    usage().is(401, "unauthorized");
}
