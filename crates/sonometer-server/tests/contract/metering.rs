//! No unit is lost, none is charged twice.

use crate::bench::{Bench, send};
use crate::fixture::{ONE, TWO, desk, sense};
use serde_json::json;
use sonometer_service::Mode;
use std::thread;

fn bench() -> Bench {
    let bench = Bench::start();
    bench.publish("acme", &desk("1.0", "1.0", "published"));
    bench
}

// covers: metering.exact
#[test]
fn a_quota_of_500_hit_by_many_ends_at_exactly_500() {
    let bench = bench();
    bench.account(Mode::Test, |settings| {
        settings.quota = 500;
        settings.per_window = 1_000_000;
    });
    let (address, bearer) = (bench.address(), format!("Bearer {}", bench.test));
    let clients: Vec<_> = (0..16)
        .map(|client: usize| {
            let bearer = bearer.clone();
            thread::spawn(move || {
                // Two and one at a time, so that the last unit is fought for by both kinds.
                let content = if client.is_multiple_of(2) { ONE } else { TWO };
                let body = sense("desk", content).to_string();
                let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
                let mut sum = 0;
                let mut refused = 0;
                while refused < 3 {
                    let answer = send(address, "POST", "/api/v1/sense", &headers, body.as_bytes());
                    sum += answer.number("x-ics-consumed");
                    match answer.status {
                        200 => assert!(answer.number("x-ics-consumed") > 0),
                        402 => refused += 1,
                        other => panic!("{other}: {}", answer.body),
                    }
                }
                sum
            })
        })
        .collect();
    let told: i64 = clients.into_iter().map(|client| client.join().expect("ends well")).sum();
    assert_eq!((told, bench.used(Mode::Test)), (500, 500));
    bench.ledger_is_right();
}

// covers: idempotency.replay, idempotency.conflict, idempotency.key
#[test]
fn the_same_key_gets_the_same_answer_once_paid() {
    let bench = bench();
    let ask = |key: &str, content: &str| {
        bench.post_with(&bench.test, "/api/v1/sense", &sense("desk", content), &[("Idempotency-Key", key)])
    };
    let first = ask("a", TWO);
    first.good("Sense");
    assert_eq!(first.header("idempotency-replayed"), "");
    let again = ask("a", TWO);
    assert_eq!((again.status, &again.body, again.header("idempotency-replayed")), (200, &first.body, "true"));
    assert_eq!((again.number("x-ics-consumed"), again.number("x-ics-remaining")), (0, 9_998));
    ask("a", ONE).is(409, "idempotency_conflict");
    assert_eq!(bench.used(Mode::Test), 2);
    assert_eq!(ask("b", TWO).header("idempotency-replayed"), "");
    // Keys are told apart by route and by account.
    let compare = json!({"target": {"type": "protocol", "id": "desk"}, "interaction_a": {"content": ONE}, "interaction_b": {"content": ONE}});
    bench
        .post_with(&bench.test, "/api/v1/sense/compare", &compare, &[("Idempotency-Key", "a")])
        .good("Compare");
    bench
        .post_with(&bench.live, "/api/v1/sense", &sense("desk", TWO), &[("Idempotency-Key", "a")])
        .good("Sense");
    assert_eq!((bench.used(Mode::Test), bench.used(Mode::Live)), (6, 2));
    let long = "k".repeat(256);
    for bad in ["", &long, "sch\u{f6}n"] {
        ask(bad, ONE).is(400, "invalid_request");
    }
    // What was refused can be asked again; what was answered is answered even where nothing is left.
    bench.account(Mode::Test, |settings| settings.quota = 6);
    ask("c", ONE).is(402, "quota_exhausted");
    assert_eq!(ask("a", TWO).body, first.body);
    bench.account(Mode::Test, |settings| settings.quota = 7);
    ask("c", ONE).good("Sense");
    bench.ledger_is_right();
}

// covers: idempotency.race
#[test]
fn the_same_key_at_the_same_time_is_charged_once() {
    let bench = bench();
    let (address, bearer) = (bench.address(), format!("Bearer {}", bench.test));
    for round in 0..10 {
        let clients: Vec<_> = (0..8)
            .map(|_| {
                let (bearer, key) = (bearer.clone(), format!("race-{round}"));
                thread::spawn(move || {
                    let headers = [
                        ("Authorization", bearer.as_str()),
                        ("Content-Type", "application/json"),
                        ("Idempotency-Key", key.as_str()),
                    ];
                    let answer = send(
                        address,
                        "POST",
                        "/api/v1/sense",
                        &headers,
                        sense("desk", TWO).to_string().as_bytes(),
                    );
                    assert_eq!(answer.status, 200, "{}", answer.body);
                    (answer.number("x-ics-consumed"), answer.body)
                })
            })
            .collect();
        let answers: Vec<_> = clients.into_iter().map(|client| client.join().expect("ends well")).collect();
        assert_eq!(answers.iter().map(|(consumed, _)| consumed).sum::<i64>(), 2);
        assert!(answers.iter().all(|(_, body)| *body == answers[0].1));
    }
    assert_eq!(bench.used(Mode::Test), 20);
    bench.ledger_is_right();
}
