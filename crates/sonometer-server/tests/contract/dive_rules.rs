//! Who may open a dive, how often, and what they are told if not.

use crate::bench::{Bench, send};
use crate::dives::{bench, close, open, opened};
use crate::fixture::door;
use serde_json::{Value, json};
use sonometer::stage::Access;
use sonometer_service::dive::PasswordRule;
use sonometer_service::period::parse_moment;
use sonometer_service::{Mode, Scope};
use std::sync::atomic::Ordering;
use std::thread::scope;

const RIGHT: &str = "the third wrong bill";

fn let_in(bench: &Bench, mode: Option<Access>, password: PasswordRule) {
    let set = bench.service.set_stage_access("acme", "door", mode, password);
    bench.runtime.block_on(set).expect("can be set");
}

fn invite(bench: &Bench, token: &str) {
    bench.runtime.block_on(bench.service.invite("acme", "door", token)).expect("is invited");
}

// covers: dive.open.order, dive.open.402, dive.open.403.access, dive.open.409, dive.open.403.password, dive.open.password
#[test]
fn access_then_metering_then_attempts_then_password() {
    let rules = "publication: {access_mode: invite, password: argon2id}\n\
                 attempts: {practice: {max: 1, window: 30d, per: organization}}";
    let bench = bench(&[&door(rules)]);
    let (id, guest) = bench.token(Mode::Test, &Scope::DEFAULT);
    let ask = |token: &str, password: Value| {
        let mut body = json!({"stage_id": "door"});
        if !password.is_null() {
            body["password"] = password;
        }
        open(&bench, token, &body)
    };
    let quota = |quota| bench.account(Mode::Test, |settings| settings.quota = quota);
    invite(&bench, &id);
    // The file asks for a password that nobody has set yet: it lets nobody in.
    for password in [json!(null), json!(""), json!("none"), json!(RIGHT)] {
        ask(&guest, password).is(403, "password_invalid");
    }
    let_in(&bench, None, PasswordRule::Ask(RIGHT.to_owned()));
    let told = ask(&guest, json!(RIGHT)).good("DiveOpen");
    assert_eq!(told["envelope"]["access_mode"], json!("invite"));
    let spent = ask(&guest, json!("wrong"));
    spent.is(409, "attempts_exhausted");
    let details = json!({"max": 1, "used": 1, "window": 2_592_000, "resets": "2026-12-21T15:36:10Z"});
    assert_eq!(spent.details(), details);
    quota(0);
    ask(&guest, json!("wrong")).is(402, "quota_exhausted");
    let uninvited = ask(&bench.test, json!("wrong"));
    uninvited.is(403, "access_denied");
    assert_eq!(uninvited.details()["reason"], json!("not_invited"));
    open(&bench, &bench.test, &json!({"stage_id": "gate", "password": "wrong"})).is(404, "target_not_found");
    quota(10);
    let later = parse_moment("2026-12-21T15:36:10Z").expect("is a moment");
    bench.clock.0.store(later - 1, Ordering::SeqCst);
    ask(&guest, json!("wrong")).is(409, "attempts_exhausted");
    bench.clock.0.store(later, Ordering::SeqCst);
    let (wrong, missing) = (ask(&guest, json!("wrong")), ask(&guest, json!(null)));
    wrong.is(403, "password_invalid");
    assert_eq!(wrong.refusal(), missing.refusal(), "told alike");
    ask(&guest, json!(RIGHT)).good("DiveOpen");
    let_in(&bench, Some(Access::Free), PasswordRule::Nobody);
    ask(&bench.test, json!(null)).is(409, "attempts_exhausted");
    assert_eq!(bench.used(Mode::Test), 0);
}

// covers: dive.open.429
#[test]
fn five_wrong_passwords_and_the_right_one_is_not_even_looked_at() {
    let bench = bench(&[&door("publication: {password: argon2id}")]);
    let_in(&bench, None, PasswordRule::Ask(RIGHT.to_owned()));
    let guess =
        |token: &str, password: &str| open(&bench, token, &json!({"stage_id": "door", "password": password}));
    let address = bench.address();
    let bearer = format!("Bearer {}", bench.test);
    let mut statuses: Vec<u16> = scope(|threads| {
        let ask = |number: usize| {
            let bearer = bearer.as_str();
            threads.spawn(move || {
                let body = json!({"stage_id": "door", "password": format!("guess {number}")}).to_string();
                let headers = [("Authorization", bearer), ("Content-Type", "application/json")];
                send(address, "POST", "/api/v1/dive/open", &headers, body.as_bytes()).status
            })
        };
        let asked: Vec<_> = (0..12).map(ask).collect();
        asked.into_iter().map(|thread| thread.join().expect("does not panic")).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [[403; 5].as_slice(), &[429; 7]].concat(), "guessing in parallel gains nothing");
    let right = guess(&bench.test, RIGHT);
    right.is(429, "rate_limited");
    assert_eq!((right.number("retry-after"), &right.details()["reason"]), (900, &json!("password_tries")));
    guess(&bench.live, RIGHT).good("DiveOpen");
    bench.clock.0.fetch_add(899_999, Ordering::SeqCst);
    guess(&bench.test, RIGHT).is(429, "rate_limited");
    bench.clock.0.fetch_add(1, Ordering::SeqCst);
    for _ in 0..4 {
        guess(&bench.test, "wrong").is(403, "password_invalid");
    }
    guess(&bench.test, RIGHT).good("DiveOpen");
    guess(&bench.test, "wrong").is(403, "password_invalid");
    guess(&bench.test, RIGHT).good("DiveOpen");
}

// covers: dive.open.session_id, dive.open.403.access, dive.open.404
#[test]
fn stages_of_others_open_to_those_they_are_opened_to() {
    let bench = bench(&[&door("publication: {access_mode: entitled}")]);
    let other = bench.org("other");
    let body = json!({"stage_id": "door"});
    open(&bench, &bench.test, &body).good("DiveOpen");
    open(&bench, &other, &body).is(404, "target_not_found");
    let (invited, token) = bench.runtime.block_on(async {
        let made = bench.service.create_token("other", Mode::Live, "", &Scope::DEFAULT, None, 0).await;
        made.expect("is made")
    });
    invite(&bench, &invited);
    // It may know of the stage, and is let in by another rule.
    let denied = open(&bench, &token, &body);
    denied.is(403, "access_denied");
    assert_eq!(denied.details()["reason"], json!("not_entitled"));
    bench.runtime.block_on(bench.service.entitle("acme", "door", "other")).expect("is entitled");
    let dive = opened(&bench, &other, &body);
    close(&bench, &other, &dive).good("StageCard");
    open(&bench, &token, &body).good("DiveOpen");

    let_in(&bench, Some(Access::Session), PasswordRule::Keep);
    let third = bench.org("third");
    let until = parse_moment("2026-11-22").expect("is a day");
    let session =
        bench.runtime.block_on(bench.service.open_session("acme", "door", until)).expect("is opened");
    let within =
        |token: &str, session: &str| open(&bench, token, &json!({"stage_id": "door", "session_id": session}));
    assert_eq!(within(&third, &session).good("DiveOpen")["envelope"]["access_mode"], json!("session"));
    within(&third, "ses_0").is(404, "target_not_found");
    let wrong = within(&bench.test, "ses_0");
    wrong.is(403, "access_denied");
    assert_eq!(wrong.details()["reason"], json!("no_session"));
    open(&bench, &other, &body).is(403, "access_denied");
    bench.clock.0.store(until, Ordering::SeqCst);
    let over = within(&third, &session);
    over.is(403, "access_denied");
    assert_eq!(over.details()["reason"], json!("session_ended"));
    assert!(
        bench.runtime.block_on(bench.service.open_session("other", "door", 0)).is_err(),
        "of one's own only"
    );
}

// covers: dive.open.attempts
#[test]
fn every_attempt_counts_also_those_that_are_left() {
    let rules = "attempts: {practice: {max: 2}, graded: {max: 3, per: organization, record: best}}";
    let bench = bench(&[&door(rules)]);
    let as_agent = |token: &str, agent: &str| {
        let mut body = json!({"stage_id": "door"});
        if !agent.is_empty() {
            body["agent"] = json!({"id": agent});
        }
        open(&bench, token, &body)
    };
    for agent in ["a", "b", ""] {
        as_agent(&bench.test, agent).good("DiveOpen");
        let dive = as_agent(&bench.test, agent).good("DiveOpen");
        let dive = format!("/api/v1/dive/{}", dive["dive_id"].as_str().expect("is text"));
        let spent = as_agent(&bench.test, agent);
        spent.is(409, "attempts_exhausted");
        assert_eq!(spent.details(), json!({"max": 2, "used": 2}), "for ever");
        let card = close(&bench, &bench.test, &dive).good("StageCard");
        assert_eq!(card["attempt"], json!({"number": 2, "graded_so_far": 0, "record": "first"}));
    }
    let (_, second) = bench.token(Mode::Test, &Scope::DEFAULT);
    as_agent(&second, "").good("DiveOpen");
    as_agent(&second, "a").is(409, "attempts_exhausted");

    let (address, bearer) = (bench.address(), format!("Bearer {}", bench.live));
    let opened: Vec<u16> = scope(|threads| {
        let ask = |number: usize| {
            let bearer = bearer.as_str();
            threads.spawn(move || {
                let body = json!({"stage_id": "door", "agent": {"id": format!("{number}")}}).to_string();
                let headers = [("Authorization", bearer), ("Content-Type", "application/json")];
                send(address, "POST", "/api/v1/dive/open", &headers, body.as_bytes()).status
            })
        };
        let asked: Vec<_> = (0..9).map(ask).collect();
        asked.into_iter().map(|thread| thread.join().expect("does not panic")).collect()
    });
    assert_eq!(opened.iter().filter(|status| **status == 200).count(), 3, "{opened:?}");
    assert_eq!(opened.iter().filter(|status| **status == 409).count(), 6, "{opened:?}");
}

// covers: dive.open.idempotency
#[test]
fn the_same_key_opens_one_dive() {
    let bench = bench(&[&door("publication: {password: argon2id}\nattempts: {practice: {max: 1}}")]);
    let_in(&bench, None, PasswordRule::Ask(RIGHT.to_owned()));
    let ask =
        |body: &Value| bench.post_with(&bench.test, "/api/v1/dive/open", body, &[("Idempotency-Key", "k")]);
    let body = json!({"stage_id": "door", "password": RIGHT});
    let first = ask(&body);
    first.good("DiveOpen");
    let again = ask(&body);
    assert_eq!((&again.body, again.header("idempotency-replayed")), (&first.body, "true"));
    // What is kept tells nothing of the password, so another one is the same request.
    assert_eq!(ask(&json!({"stage_id": "door", "password": "wrong"})).body, first.body);
    ask(&json!({"stage_id": "door", "password": RIGHT, "seed": 1})).is(409, "idempotency_conflict");
    open(&bench, &bench.test, &body).is(409, "attempts_exhausted");
}
