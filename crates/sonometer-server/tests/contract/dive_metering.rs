//! Each step of a dive is taken once and paid once.

use crate::bench::{Answer, Bench, send};
use crate::dives::{act, bench, close, open, opened, verified};
use crate::fixture::{NONE, ONE, TWO, room};
use serde_json::{Value, json};
use sonometer_service::Mode;
use sonometer_service::period::parse_moment;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::scope;
use std::time::Duration;

fn act_at(bench: &Bench, at: SocketAddr, dive: &str, body: &Value, key: &str) -> Answer {
    let bearer = format!("Bearer {}", bench.test);
    let mut headers = vec![("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    if !key.is_empty() {
        headers.push(("Idempotency-Key", key));
    }
    send(at, "POST", &format!("{dive}/act"), &headers, body.to_string().as_bytes())
}

/// Many clients act in one dive until it is over: how often each of them was heard, and what they were charged.
fn crowd(bench: &Bench, nodes: &[SocketAddr], dive: &str) -> (u64, u64) {
    let (heard, paid) = (AtomicU64::new(0), AtomicU64::new(0));
    scope(|threads| {
        for client in 0..8 {
            let (heard, paid) = (&heard, &paid);
            threads.spawn(move || {
                for number in client.. {
                    let action = [ONE, TWO, NONE][number % 3];
                    let answer =
                        act_at(bench, nodes[client % nodes.len()], dive, &json!({"action": action}), "");
                    match answer.status {
                        200 => {
                            heard.fetch_add(1, Ordering::SeqCst);
                            paid.fetch_add(answer.number("x-ics-consumed") as u64, Ordering::SeqCst);
                        }
                        _ => return answer.is(409, "dive_closed"),
                    }
                }
            });
        }
    });
    (heard.into_inner(), paid.into_inner())
}

/// That a dive of so many turns is as it must be: the card, the account and the ledger say the same.
#[track_caller]
fn adds_up(bench: &Bench, dive: &str, turns: u64, paid: u64) {
    let closed = close(bench, &bench.test, dive);
    let card = closed.good("StageCard");
    assert_eq!((&card["totals"]["turns"], &card["totals"]["ics"]), (&json!(turns), &json!(paid)));
    verified(bench, &closed.body);
    assert_eq!(bench.used(Mode::Test), paid);
    bench.ledger_is_right();
}

// covers: dive.act.concurrent
#[test]
fn many_at_once_take_each_turn_once() {
    let bench = bench(&[&room("envelope: {max_turns: 60, ics_budget: 1000}")]);
    let dive = opened(&bench, &bench.test, &json!({"stage_id": "room"}));
    let (heard, paid) = crowd(&bench, &[bench.address()], &dive);
    assert_eq!(heard, 60);
    adds_up(&bench, &dive, heard, paid);
}

// covers: dive.act.nodes, dive.act.concurrent
#[test]
fn many_at_two_nodes_take_each_turn_once() {
    let bench = bench(&[&room("envelope: {max_turns: 60, ics_budget: 1000}")]);
    let nodes = [bench.address(), bench.second_node()];
    let dive = opened(&bench, &bench.test, &json!({"stage_id": "room"}));
    let (heard, paid) = crowd(&bench, &nodes, &dive);
    assert_eq!(heard, 60);
    adds_up(&bench, &dive, heard, paid);
}

// covers: dive.act.nodes, dive.act.turn
#[test]
fn the_same_turn_at_the_same_time_is_paid_once() {
    let bench = bench(&[&room("")]);
    let nodes = [bench.address(), bench.second_node()];
    let dive = opened(&bench, &bench.test, &json!({"stage_id": "room"}));
    for turn in 1..=8_u64 {
        let body = json!({"action": TWO, "turn": turn});
        let answers: Vec<Answer> = scope(|threads| {
            let ask = |client: usize| {
                let (bench, at, dive, body) = (&bench, nodes[client % 2], dive.as_str(), &body);
                threads.spawn(move || act_at(bench, at, dive, body, ""))
            };
            let asked: Vec<_> = (0..6).map(ask).collect();
            asked.into_iter().map(|thread| thread.join().expect("does not panic")).collect()
        });
        assert!(answers.iter().all(|answer| answer.status == 200 && answer.body == answers[0].body));
        assert_eq!(answers.iter().map(|answer| answer.number("x-ics-consumed")).sum::<i64>(), 2);
        let others = act_at(&bench, nodes[0], &dive, &json!({"action": ONE, "turn": turn}), "");
        others.is(409, "turn_conflict");
    }
    adds_up(&bench, &dive, 8, 16);
}

// covers: dive.act.idempotency
#[test]
fn the_same_key_acts_once() {
    let bench = bench(&[&room("")]);
    let dive = opened(&bench, &bench.test, &json!({"stage_id": "room"}));
    let other = opened(&bench, &bench.test, &json!({"stage_id": "room"}));
    let at = bench.address();
    let first = act_at(&bench, at, &dive, &json!({"action": ONE}), "k");
    first.good("DiveStep");
    let again = act_at(&bench, at, &dive, &json!({"action": ONE}), "k");
    assert_eq!((&again.body, again.header("idempotency-replayed")), (&first.body, "true"));
    act_at(&bench, at, &dive, &json!({"action": TWO}), "k").is(409, "idempotency_conflict");
    act_at(&bench, at, &other, &json!({"action": ONE}), "k").is(409, "idempotency_conflict");
    adds_up(&bench, &dive, 1, 1);
}

/// Dives that cost nothing fill no disk: beyond their bytes of a day none is opened, and only actions are taken that cost something.
/// What was answered stays, and every dive gets its card.
// covers: dive.open.429.free, dive.act.429
#[test]
fn free_dives_of_a_day_are_bounded() {
    let bench = bench(&[&room("envelope: {max_turns: 60, ics_budget: 1000}")]);
    let other = bench.org("other");
    bench.service.bound_free_dives(8_000);
    let stage = json!({"stage_id": "room"});
    let under_key =
        |token: &str| bench.post_with(token, "/api/v1/dive/open", &stage, &[("Idempotency-Key", "k")]);
    let first = under_key(&bench.test);
    let dive = format!("/api/v1/dive/{}", first.good("DiveOpen")["dive_id"].as_str().expect("is text"));
    let waiting = opened(&bench, &bench.test, &stage);
    for turn in 1..=20 {
        act(&bench, &bench.test, &dive, ONE, Some(turn)).good("DiveStep");
    }
    let free: Vec<Answer> = (21..60)
        .map(|turn| act(&bench, &bench.test, &dive, NONE, Some(turn)))
        .take_while(|answer| answer.status == 200)
        .collect();
    let (taken, last) = (20 + free.len() as u64, free.last().expect("what is paid for was not counted"));
    assert!(free.len() < 15, "{}", free.len());
    let before = bench.get(&dive).body;
    let refused = act_at(&bench, bench.address(), &dive, &json!({"action": NONE, "turn": taken + 1}), "a");
    refused.is(429, "rate_limited");
    assert_eq!(refused.number("retry-after"), 30_230, "until the day ends");
    assert!(refused.refusal().contains("MiB today, the limit"), "{}", refused.body);
    assert_eq!(bench.get(&dive).body, before, "nothing was changed");
    act(&bench, &bench.test, &waiting, NONE, None).is(429, "rate_limited");
    for token in [&bench.test, &bench.live] {
        open(&bench, token, &stage).is(429, "rate_limited");
    }
    assert_eq!(under_key(&bench.test).body, first.body);
    assert_eq!(act(&bench, &bench.test, &dive, NONE, Some(taken)).body, last.body);
    act(&bench, &bench.test, &dive, TWO, Some(taken + 1)).good("DiveStep");
    // What is paid for gives some of it back.
    opened(&bench, &bench.live, &stage);
    opened(&bench, &other, &json!({"stage_id": "drinking-less"}));
    adds_up(&bench, &dive, taken + 1, 22);
    bench.clock.0.fetch_add(30_230_000, Ordering::SeqCst);
    act(&bench, &bench.test, &waiting, NONE, Some(1)).good("DiveStep");
    opened(&bench, &bench.live, &stage);
}

/// A card is kept for ever, so that of a dive that cost nothing counts.
// covers: dive.open.429.free
#[test]
fn cards_of_free_dives_count() {
    for (action, last) in [(ONE, 200), (NONE, 429)] {
        let bench = bench(&[&room("")]);
        let stage = json!({"stage_id": "room"});
        let dives = [0; 3].map(|_| opened(&bench, &bench.test, &stage));
        bench.service.bound_free_dives(10_000);
        for dive in &dives {
            act(&bench, &bench.test, dive, action, None).good("DiveStep");
        }
        assert_eq!(open(&bench, &bench.test, &stage).status, 200);
        for dive in &dives {
            close(&bench, &bench.test, dive).good("StageCard");
        }
        assert_eq!(open(&bench, &bench.test, &stage).status, last);
    }
}

// covers: dive.act.402
#[test]
fn a_quota_that_ends_in_the_middle_changes_nothing() {
    let bench = bench(&[&room("")]);
    bench.account(Mode::Test, |settings| settings.quota = 3);
    let dive = opened(&bench, &bench.test, &json!({"stage_id": "room"}));
    let first = act(&bench, &bench.test, &dive, TWO, Some(1));
    first.good("DiveStep");
    let before = bench.get(&dive).body;
    let short = act(&bench, &bench.test, &dive, TWO, Some(2));
    short.is(402, "quota_exhausted");
    assert_eq!((&short.details()["needed"], short.number("x-ics-remaining")), (&json!(2), 1));
    assert_eq!(bench.get(&dive).body, before);
    act(&bench, &bench.test, &dive, ONE, Some(2)).good("DiveStep");
    act(&bench, &bench.test, &dive, NONE, Some(3)).is(402, "quota_exhausted");
    open(&bench, &bench.test, &json!({"stage_id": "room"})).is(402, "quota_exhausted");
    assert_eq!(
        act(&bench, &bench.test, &dive, TWO, Some(1)).body,
        first.body,
        "what was answered costs nothing"
    );
    bench.account(Mode::Test, |settings| settings.quota = 30);
    act(&bench, &bench.test, &dive, TWO, Some(3)).good("DiveStep");
    adds_up(&bench, &dive, 3, 5);
}

// covers: dive.act.402, dive.act.concurrent
#[test]
fn the_last_of_a_quota_goes_to_one_and_to_whoever_repeats_it() {
    let bench = bench(&[&room("")]);
    bench.account(Mode::Test, |settings| settings.quota = 2);
    let dive = opened(&bench, &bench.test, &json!({"stage_id": "room"}));
    let nodes = [bench.address(), bench.second_node()];
    let body = json!({"action": TWO, "turn": 1});
    scope(|threads| {
        for client in 0..8 {
            let (bench, at, dive, body) = (&bench, nodes[client % 2], dive.as_str(), &body);
            threads.spawn(move || assert_eq!(act_at(bench, at, dive, body, "").status, 200));
        }
    });
    adds_up(&bench, &dive, 1, 2);
}

// covers: dive.act.month
#[test]
fn a_dive_over_the_end_of_a_month_is_charged_to_both() {
    let bench = bench(&[&room("")]);
    bench.account(Mode::Test, |settings| settings.quota = 2);
    let dive = opened(&bench, &bench.test, &json!({"stage_id": "room"}));
    act(&bench, &bench.test, &dive, TWO, None).good("DiveStep");
    act(&bench, &bench.test, &dive, ONE, None).is(402, "quota_exhausted");
    bench.clock.0.store(parse_moment("2026-12-01").expect("is a day"), Ordering::SeqCst);
    act(&bench, &bench.test, &dive, ONE, None).good("DiveStep");
    for (period, ics) in [("2026-11", 2), ("2026-12", 1)] {
        let history = bench.get(&format!("/api/v1/usage/history?period={period}")).good("History");
        assert_eq!(history["totals"]["ics"], json!(ics), "{period}");
    }
    assert_eq!(close(&bench, &bench.test, &dive).good("StageCard")["totals"]["ics"], json!(3));
    bench.ledger_is_right();
}

// covers: dive.close.idle
#[test]
fn a_dive_that_somebody_left_is_closed() {
    let bench = bench(&[&room("")]);
    let day = Duration::from_secs(24 * 3_600);
    let dives: Vec<String> = (0..3)
        .map(|_| opened(&bench, &bench.test, &json!({"stage_id": "room", "agent": {"id": "bot"}})))
        .collect();
    act(&bench, &bench.test, &dives[0], ONE, None).good("DiveStep");
    let idle = || bench.runtime.block_on(bench.service.close_idle_dives(day)).expect("can be closed");
    bench.clock.0.fetch_add(24 * 3_600_000 - 1, Ordering::SeqCst);
    act(&bench, &bench.test, &dives[1], ONE, None).good("DiveStep");
    assert_eq!(idle(), 0);
    bench.clock.0.fetch_add(1, Ordering::SeqCst);
    // Those of a server that has been up for a minute may be closed already.
    assert!(idle() <= 2);
    assert_eq!(idle(), 0);
    assert_eq!(bench.get(&dives[2]).good("Dive")["status"], json!("closed"));
    let look = bench.get(&dives[0]).good("Dive");
    assert_eq!(
        (&look["status"], &look["stagecard"]["verdict"]["reason"]),
        (&json!("closed"), &json!("closed_early"))
    );
    assert_eq!((&look["stagecard"]["agent"]["id"], look["stagecard"].get("summary")), (&json!("bot"), None));
    act(&bench, &bench.test, &dives[0], ONE, Some(2)).is(409, "dive_closed");
    let closed = close(&bench, &bench.test, &dives[0]);
    assert_eq!(closed.good("StageCard"), look["stagecard"]);
    verified(&bench, &closed.body);
    assert_eq!(bench.get(&dives[1]).good("Dive")["status"], json!("open"));
}
