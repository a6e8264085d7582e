//! No unit is lost, none is charged twice.

use crate::bench::{Bench, send};
use crate::database;
use crate::fixture::{ONE, TWO, bench, sense, target};
use serde_json::{Value, json};
use sonometer::Unit;
use sonometer_service::cause::{Cause, Kind};
use sonometer_service::period::Period;
use sonometer_service::store::{Along, Charge, Draft, Line};
use sonometer_service::{Code, Mode, Scope, TargetUsed};
use std::thread;

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

#[test]
fn two_values_of_a_header_that_counts_once_are_refused() {
    let bench = Bench::start();
    let body = sense("courtesy", "Thank you so much for your patience today, I really appreciate it.");
    for name in ["Idempotency-Key", "Last-Event-ID"] {
        let ask = |path, one, two| bench.post_with(&bench.test, path, &body, &[(name, one), (name, two)]);
        let refused = ask("/api/v1/sense/stream", "a", "b");
        refused.is(400, "invalid_request");
        assert!(
            refused.body.contains(&format!("`{name}` stands in the request more than once")),
            "{}",
            refused.body
        );
    }
    let key = |two| [("Idempotency-Key", "a"), ("Idempotency-Key", two)];
    bench.post_with(&bench.test, "/api/v1/sense", &body, &key("b")).is(400, "invalid_request");
    bench.post_with(&bench.test, "/api/v1/sense", &body, &key("a")).good("Sense");
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

/// Answers that cost nothing are kept up to a bound of each organization: keys alone could fill the disk of all. What was paid is
/// always kept.
#[test]
fn free_answers_under_keys_are_kept_up_to_a_bound() {
    let bench = bench();
    // 49 items whose ids make the answer long, and nothing in them that is charged.
    let items: Vec<Value> =
        (0..49).map(|n| json!({"id": format!("{n}{}", "\u{1}".repeat(250)), "content": "hm"})).collect();
    let free = json!({"target": target("desk"), "interactions": items}).to_string();
    let paid = sense("desk", ONE).to_string();
    let caller = bench.runtime.block_on(bench.service.caller(&bench.live)).expect("is good");
    let batch = |key: usize| {
        let key = format!("free-{key}");
        bench
            .runtime
            .block_on(bench.service.batch(&caller, &free, Some(key.as_bytes())))
            .expect("is measured")
    };
    let pay = |key: &str| {
        bench
            .runtime
            .block_on(bench.service.sense(&caller, &paid, Some(key.as_bytes())))
            .expect("is measured")
    };
    let (first, early) = (batch(0), pay("early"));
    assert!(first.consumed == 0 && early.consumed > 0);
    let fit = (32 << 20) / first.body.len();
    for key in 1..=fit {
        assert!(!batch(key).replayed);
    }
    let again = batch(fit);
    assert!(!again.replayed && again.body == first.body && again.consumed == 0, "measured anew, and free");
    assert!(batch(0).replayed, "what was kept stays");
    let late = pay("late");
    for (key, before) in [("early", early), ("late", late)] {
        let again = pay(key);
        assert!(again.replayed && again.consumed == 0 && again.body == before.body, "{key}");
    }
    let other = bench.org("other");
    let other = bench.runtime.block_on(bench.service.caller(&other)).expect("is good");
    let hm = sense("courtesy", "The train to the city leaves at nine in the morning.").to_string();
    let ask = || bench.runtime.block_on(bench.service.sense(&other, &hm, Some(b"x"))).expect("is measured");
    assert!(ask().consumed == 0 && ask().replayed, "another organization has its own bound");
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

// covers: metering.alone
#[test]
fn a_charge_that_the_database_refuses_fails_alone() {
    let bench = bench();
    bench.org("other");
    let now = bench.service.now_ms();
    let (token, _) = bench.token(Mode::Test, &Scope::DEFAULT);
    let target = TargetUsed { r#type: "protocol", id: "desk".to_owned(), version: "1.0".to_owned() };
    let charge = |id: &str, account: &str, route: &'static str| Charge {
        account: account.to_owned(),
        mode: Mode::Test,
        token: token.clone(),
        token_cap: None,
        period: Period::at(now),
        at_ms: now,
        route,
        key: None,
        cause: Cause { request: id.to_owned(), key: String::new(), kind: Kind::Sense },
        along: Along::Nothing,
        id: id.to_owned(),
        lines: vec![Line {
            target: target.clone(),
            digest: "".into(),
            markers: "thanks greeting".to_owned(),
            list: None,
            units: 2,
        }],
        answer: Draft::new(Unit(1), Box::new(|cost| format!("costs {cost}"))),
    };
    let store = bench.service.store();
    // All of them wait before the writer takes the first.
    let mut charges = vec![charge("again", "acme/test", "a")];
    charges.extend((0..20).map(|number| charge(&format!("other {number}"), "other/test", "a")));
    // The ledger has it already.
    charges.push(charge("again", "acme/test", "a"));
    if database::server().is_some() {
        // PostgreSQL keeps no such text.
        charges.push(charge("zero", "acme/test", "a\0"));
    }
    let count = charges.len();
    let outcomes: Vec<_> = bench.runtime.block_on(async {
        let waiting: Vec<_> = charges.into_iter().map(|charge| store.charge(charge)).collect();
        futures_util::future::join_all(waiting).await
    });
    for (at, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Ok(charged) => assert_eq!((charged.units, charged.answer.as_str()), (2, "costs 0"), "{at}"),
            Err(refusal) => assert!(at > 20 && refusal.code == Code::Unavailable, "{at}: {refusal}"),
        }
    }
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_err()).count(), count - 21);
    assert_eq!(bench.used(Mode::Test), 2);
    bench.ledger_is_right();
}
