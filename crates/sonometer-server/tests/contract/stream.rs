//! `POST /api/v1/sense/stream`.

use crate::bench::{Answer, Bench, KIND};
use crate::fixture::{LITTLE, NONE, ONE, TWO, bench, desk, sense, target};
use crate::schema;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use serde_json::{Value, json};
use sonometer_server::{Control, Limits, router};
use sonometer_service::Mode;
use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const PATH: &str = "/api/v1/sense/stream";

/// The body of a chunked response.
fn unchunked(body: &str) -> String {
    let (mut whole, mut rest) = (String::new(), body);
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap_or_else(|e| panic!("{e}: {body:?}"));
        if length == 0 {
            return whole;
        }
        whole.push_str(&after[..length]);
        rest = &after[length + 2..];
    }
    panic!("broken off: {body:?}");
}

/// The events, numbered from 0; comments are left out.
#[track_caller]
fn events(answer: &Answer) -> Vec<(String, Value)> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.header("content-type"), "text/event-stream; charset=utf-8");
    assert_eq!((answer.header("cache-control"), answer.header("x-accel-buffering")), ("no-cache", "no"));
    let text = unchunked(&answer.body);
    let blocks = text.split_terminator("\n\n").filter(|block| !block.starts_with(':'));
    let events = blocks.enumerate().map(|(number, block)| {
        let mut lines = block.lines();
        let mut field = |name: &str| {
            let line = lines.next().unwrap_or_default();
            line.strip_prefix(name).unwrap_or_else(|| panic!("no {name} in {block:?}")).to_owned()
        };
        let name = field("event: ");
        let id = field("id: ");
        let mut parts = id.split('-');
        assert!(parts.next().is_some_and(|stream| stream.starts_with("str_")), "{id}");
        assert_eq!(parts.next(), Some(number.to_string().as_str()), "{id}");
        assert_eq!(parts.next(), (name == "complete").then_some("complete"), "{id}");
        let data = serde_json::from_str(&field("data: ")).expect("is JSON");
        assert_eq!(lines.next(), None, "{block:?}");
        (name, data)
    });
    events.collect()
}

/// What was told of each metamarker last, and the data of the other two.
#[track_caller]
fn told(events: &[(String, Value)]) -> (BTreeMap<String, Value>, Value, Value) {
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    let (before, ends) = names.split_at(names.len().saturating_sub(2));
    assert_eq!(ends, ["fidelity", "complete"], "{names:?}");
    assert!(before.iter().all(|name| *name == "resonance"), "{names:?}");
    let mut resonance = BTreeMap::new();
    for (_, data) in &events[..before.len()] {
        assert_eq!(data.as_object().map(|data| data.len()), Some(2), "{data}");
        resonance.insert(data["metamarker"].as_str().expect("is text").to_owned(), data["score"].clone());
    }
    (resonance, events[events.len() - 2].1.clone(), events[events.len() - 1].1.clone())
}

/// The same request to `sense`.
fn sensed(bench: &Bench, body: &Value) -> (BTreeMap<String, Value>, Value, Value) {
    let body = json!({"target": body["target"], "interaction": body["interaction"]});
    let reading = bench.post("/api/v1/sense", &body).good("Sense");
    let resonance = reading["resonance"].as_object().expect("is an object").iter();
    let resonance =
        resonance.filter(|(_, score)| **score != 0).map(|(key, score)| (key.clone(), score.clone()));
    let complete = json!({"score": reading["score"], "ics_consumed": reading["ics"]["consumed"]});
    let fidelity =
        json!({"index": reading["fidelity"]["index"], "sufficient": reading["fidelity"]["sufficient"]});
    (resonance.collect(), fidelity, complete)
}

fn talk() -> Value {
    json!({"segments": [
        {"role": "customer", "content": "good morning, the ticket machine is broken", "timestamp": 0},
        {"role": "agent", "content": "I am very sorry, thank you for telling us", "timestamp": 12.5},
        {"role": "customer", "content": "", "timestamp": 13},
        {"role": "customer", "content": "thank you 🎫 näher", "timestamp": 70},
    ]})
}

// covers: stream.200, stream.emit_partial, stream.interval_ms, stream.order, stream.headers
#[test]
fn what_is_told_last_is_what_sense_says() {
    let bench = bench();
    let long =
        format!("{} {TWO}. so sorry.", "The train leaves at nine. Thank you for the ticket. ".repeat(200));
    let composed = |kind, id| json!({"type": kind, "id": id});
    for (target, interaction) in [
        (target("desk"), json!({"content": TWO})),
        (target("desk"), json!({"content": NONE})),
        (target("desk"), json!({"content": long})),
        (target("desk"), talk()),
        (target("courtesy"), json!({"content": KIND})),
        (composed("metric", "reply-quality"), json!({"content": KIND})),
        (composed("blueprint", "service-call"), talk()),
    ] {
        let plain = json!({"target": target, "interaction": interaction});
        let expected = sensed(&bench, &plain);
        for pace in [
            json!(null),
            json!({}),
            json!({"emit_partial": false}),
            json!({"interval_ms": 0}),
            json!({"emit_partial": true, "interval_ms": 60_000}),
        ] {
            let mut body = plain.clone();
            if !pace.is_null() {
                body["stream"] = pace.clone();
            }
            let before = bench.used(Mode::Test);
            let answer = bench.post(PATH, &body);
            let events = events(&answer);
            assert_eq!(told(&events), expected, "{body}: {events:?}");
            assert_eq!(
                bench.used(Mode::Test) - before,
                expected.2["ics_consumed"].as_u64().expect("is whole")
            );
            assert_eq!(answer.number("x-ics-remaining"), 10_000 - i64::try_from(before).expect("is small"));
            assert!(answer.header("x-ics-consumed").is_empty(), "that is not known at the beginning");
            assert!(!answer.header("x-ratelimit-reset").is_empty());
            if pace["emit_partial"] == false {
                let (resonance, ..) = told(&events);
                assert_eq!(events.len(), resonance.len() + 2, "each is told once: {events:?}");
            }
        }
    }
    bench.ledger_is_right();
}

// covers: stream.partial
#[test]
fn what_changes_on_the_way_is_told_on_the_way() {
    let bench = bench();
    let filler = "The train leaves at nine. ".repeat(200);
    let content = format!("We are thankful. {filler}").repeat(3) + "Thank you!";
    let mut body = sense("desk", &content);
    body["stream"] = json!({"interval_ms": 0});
    let partial = events(&bench.post(PATH, &body));
    let of = |label: &str| partial.iter().filter(|(_, data)| data["metamarker"] == label).count();
    assert!(of("thanks") >= 3, "{partial:?}");
    body["stream"] = json!({"interval_ms": 60_000});
    let slow = events(&bench.post(PATH, &body));
    assert!(slow.len() < partial.len(), "{slow:?}");
    assert_eq!(told(&slow), told(&partial));
}

// covers: stream.401, stream.errors
#[test]
fn what_is_wrong_is_told_before_the_first_event() {
    let bench = bench();
    bench.send("POST", PATH, &[("Content-Type", "application/json")], b"{}").is(401, "unauthorized");
    bench.post(PATH, &sense("none", ONE)).is(404, "target_not_found");
    bench.post(PATH, &sense("desk", LITTLE)).is(422, "insufficient_signal");
    for stream in [
        json!(null),
        json!({"interval_ms": -1}),
        json!({"interval_ms": 60_001}),
        json!({"interval_ms": "1"}),
        json!({"emit_partial": 1}),
        json!({"every": 1}),
    ] {
        let mut body = sense("desk", ONE);
        body["stream"] = stream;
        bench.post(PATH, &body).is(400, "invalid_request");
    }
    let mut body = sense("desk", ONE);
    body["options"] = json!({"profile": "raw"});
    bench.post(PATH, &body).is(400, "invalid_request");
    assert_eq!(bench.used(Mode::Test), 0);
    bench.account(Mode::Test, |settings| settings.quota = 0);
    bench.post(PATH, &sense("desk", ONE)).is(402, "quota_exhausted");
}

// covers: stream.error
#[test]
fn a_quota_that_ends_on_the_way_is_an_event_and_costs_nothing() {
    let bench = bench();
    bench.account(Mode::Test, |settings| settings.quota = 1);
    let events = events(&bench.post(PATH, &sense("desk", TWO)));
    let (name, data) = events.last().expect("there is one");
    assert_eq!((name.as_str(), &data["error"]["code"]), ("error", &json!("quota_exhausted")));
    schema::check("Error", data);
    assert!(events.iter().all(|(name, _)| name != "complete" && name != "fidelity"), "{events:?}");
    assert_eq!(bench.used(Mode::Test), 0);
}

/// What is partial is sent before the charge. An account that may not be able to pay gets none of it.
#[test]
fn what_may_not_be_paid_is_not_given_away_bit_by_bit() {
    let bench = bench();
    let mut body = sense("desk", &format!("{TWO}. {}", "The train to the city leaves at nine. ".repeat(200)));
    body["stream"] = json!({"interval_ms": 0});
    let names = |quota: u64| {
        let used = bench.used(Mode::Test);
        bench.account(Mode::Test, |settings| settings.quota = used + quota);
        let events = events(&bench.post(PATH, &body));
        events.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    // The desk has three metamarkers, of which two trigger.
    assert_eq!(names(1), ["error"]);
    assert_eq!(bench.used(Mode::Test), 0);
    assert_eq!(names(2), ["resonance", "resonance", "fidelity", "complete"], "all of it behind the charge");
    let first = names(3);
    assert!(first.len() >= 4 && first.last().is_some_and(|name| name == "complete"), "{first:?}");
    assert_eq!(bench.used(Mode::Test), 4);
    bench.account(Mode::Test, |settings| settings.quota = 3);
    bench.post(PATH, &body).is(402, "quota_exhausted");
}

// covers: stream.idempotency
#[test]
fn the_same_key_is_told_again_and_paid_once() {
    let bench = bench();
    let post = |body: &Value| bench.post_with(&bench.test, PATH, body, &[("Idempotency-Key", "live")]);
    let first = post(&sense("desk", TWO));
    let again = post(&sense("desk", TWO));
    assert_eq!((first.header("idempotency-replayed"), again.header("idempotency-replayed")), ("", "true"));
    assert_eq!(told(&events(&again)), told(&events(&first)));
    assert_eq!(bench.used(Mode::Test), 2);
    post(&sense("desk", ONE)).is(409, "idempotency_conflict");
    bench.ledger_is_right();
}

/// What is sent before a charge that is refused is given away, so streams that begin together are covered together.
#[test]
fn streams_that_begin_together_send_partial_numbers_as_far_as_the_quota_goes() {
    let bench = Bench::start();
    bench.publish("acme", &many());
    bench.account(Mode::Test, |settings| settings.quota = 120);
    let mut body = sense("many", &many_words()[..190_000]);
    body["stream"] = json!({"interval_ms": 0});
    let text = body.to_string();
    let caller = bench.runtime.block_on(bench.service.caller(&bench.test)).expect("is good");
    // So that both charges are refused: whatever was sent before was sent for nothing.
    bench.account(Mode::Test, |settings| settings.quota = 1);
    let [first, second] = bench.runtime.block_on(async {
        let begin = || async {
            let begun = bench.service.stream(&caller, &text, None, None, ()).await.expect("begins");
            begun.expect("is no repetition").events
        };
        // Nobody reads the first until the second has ended, so that it is under way all that time.
        let (mut first, mut second) = (begin().await, begin().await);
        let mut told = [Vec::new(), Vec::new()];
        while let Some(event) = second.recv().await {
            told[1].push(event.name);
        }
        while let Some(event) = first.recv().await {
            told[0].push(event.name);
        }
        told
    });
    assert!(first.len() > 50 && first.last() == Some(&"error"), "covered alone: {first:?}");
    assert_eq!(second, ["error"], "not covered beside the first");
    assert_eq!(bench.used(Mode::Test), 0);
}

/// A protocol of so many metamarkers that their events do not fit into what waits for a reader.
fn many() -> String {
    let mut source = String::from(
        "sonometer: 1\nid: many\nversion: \"1\"\nstatus: published\ntaxonomy: Signal\nlanguage: en\nmodalities: [text]\n\
         fidelity: {words: 4, turns: 1, sufficient: 0.5}\nmarkers:\n",
    );
    for number in 0..120 {
        source.push_str(&format!("  - label: m{number}\n    strong: word{number} here\n"));
    }
    source
}

fn many_words() -> String {
    let filler = "the train to the city leaves at nine. ".repeat(60);
    (0..120).map(|number| format!("word{number} here. {filler}")).collect()
}

// covers: stream.gone
#[test]
fn whoever_goes_away_before_the_first_event_pays_nothing() {
    let bench = Bench::start();
    bench.publish("acme", &many());
    let mut body = sense("many", &many_words()[..190_000]);
    body["stream"] = json!({"interval_ms": 0});
    let text = body.to_string();
    let caller = bench.runtime.block_on(bench.service.caller(&bench.test)).expect("is good");
    // On one thread the work begins when this test waits, and by then the reader has gone.
    let alone = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("starts");
    alone.block_on(async {
        let began = bench.service.stream(&caller, &text, None, None, ()).await.expect("begins");
        drop(began.expect("is no repetition"));
        while tokio::runtime::Handle::current().metrics().num_alive_tasks() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    assert_eq!(bench.used(Mode::Test), 0);
    bench.ledger_is_right();
}

// covers: stream.gone
#[test]
fn whoever_goes_away_behind_the_first_event_pays_once_and_can_read_the_rest() {
    let bench = Bench::start();
    bench.publish("acme", &many());
    let mut body = sense("many", &many_words()[..190_000]);
    body["stream"] = json!({"interval_ms": 0});
    let text = body.to_string();
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        bench.test,
        text.len()
    );
    // Through a pipe of 4 KiB: what a socket holds could be all of it, and then a slow client has heard it to its end.
    let read = bench.runtime.block_on(async {
        let (mut client, server) = tokio::io::duplex(4 << 10);
        let service = TowerToHyperService::new(router(bench.service.clone(), &Control::default()));
        let connection =
            http1::Builder::new().max_buf_size(8 << 10).serve_connection(TokioIo::new(server), service);
        let served = tokio::spawn(connection);
        client.write_all(head.as_bytes()).await.expect("is taken");
        client.write_all(text.as_bytes()).await.expect("is taken");
        let mut read = Vec::new();
        while !read.windows(6).any(|bytes| bytes == b"data: ") {
            let more = client.read_buf(&mut read).await.expect("is told");
            assert!(more > 0, "{}", String::from_utf8_lossy(&read));
        }
        drop(client);
        assert!(served.await.expect("no panic").is_err(), "the connection broke off");
        String::from_utf8_lossy(&read).into_owned()
    });
    assert!(!read.contains("complete"));
    let id = read
        .split("\nid: ")
        .nth(1)
        .and_then(|rest| rest.lines().next())
        .expect("has an id")
        .trim()
        .to_owned();
    let begun = Instant::now();
    while bench.used(Mode::Test) == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is charged");
        sleep(Duration::from_millis(20));
    }
    let again = bench.post_with(&bench.test, PATH, &body, &[("Last-Event-ID", &id)]);
    assert_eq!(again.header("idempotency-replayed"), "true");
    let consumed = told(&events(&again)).2["ics_consumed"].as_u64().expect("is whole");
    assert!(consumed > 50);
    assert_eq!(bench.used(Mode::Test), consumed, "once, for the whole");
    bench.ledger_is_right();
}

// covers: stream.slow
#[test]
fn the_work_waits_for_a_slow_reader() {
    let bench = Bench::start();
    bench.publish("acme", &many());
    let mut body = sense("many", &many_words()[..150_000]);
    body["stream"] = json!({"interval_ms": 0});
    let text = body.to_string();
    let read = bench.runtime.block_on(async {
        let caller = bench.service.caller(&bench.test).await.expect("is good");
        let begun = bench.service.stream(&caller, &text, None, None, ()).await.expect("begins");
        let mut streaming = begun.expect("is no repetition");
        tokio::time::sleep(Duration::from_secs(3)).await;
        let used = bench.service.account("acme", Mode::Test).await.expect("is there").used.units;
        assert_eq!(used, 0, "it has not come to its end");
        let mut read = Vec::new();
        while let Some(told) = streaming.events.recv().await {
            read.push(told.name);
        }
        read
    });
    assert!(read.len() > 50 && read.last() == Some(&"complete"), "{read:?}");
    assert!(bench.used(Mode::Test) > 50);
}

/// The ids of events.
fn ids(answer: &Answer) -> Vec<String> {
    let text = unchunked(&answer.body);
    text.lines().filter_map(|line| line.strip_prefix("id: ")).map(str::to_owned).collect()
}

// covers: stream.reconnect
#[test]
fn a_client_that_reconnects_pays_once() {
    let bench = bench();
    let body = sense("desk", TWO);
    let again = |last: &str| bench.post_with(&bench.test, PATH, &body, &[("Last-Event-ID", last)]);
    let first = bench.post(PATH, &body);
    let (all, told_first) = (ids(&first), told(&events(&first)));
    assert_eq!(bench.used(Mode::Test), 2);
    // Behind the end there is nothing, and nothing is looked at but the token.
    let end = again(all.last().expect("there are some"));
    assert_eq!((end.status, end.body.as_str()), (204, ""));
    bench.post_with("nobody", PATH, &body, &[("Last-Event-ID", &all[0])]).is(401, "unauthorized");
    // Before it: the same stream once more, for nothing.
    for last in &all[..all.len() - 1] {
        let answer = again(last);
        assert_eq!(answer.header("idempotency-replayed"), "true");
        assert_eq!(told(&events(&answer)), told_first);
        assert_eq!(ids(&answer).last(), all.last());
    }
    assert_eq!(bench.used(Mode::Test), 2);
    // Another text is another stream.
    let other = bench.post_with(&bench.test, PATH, &sense("desk", ONE), &[("Last-Event-ID", &all[0])]);
    other.is(409, "idempotency_conflict");
    assert!(other.body.contains("`Last-Event-ID`"), "it names the header that was sent: {}", other.body);
    // What is no id of ours says nothing.
    for last in ["0", "", "str_-", "complete"] {
        let answer = again(last);
        assert_eq!((answer.status, answer.header("idempotency-replayed")), (200, ""), "{last}");
    }
    assert_eq!(bench.used(Mode::Test), 10);
    // One that broke off before it was charged is charged once, under its name.
    let lost = "str_0123456789abcdef-0";
    assert_eq!(again(lost).header("idempotency-replayed"), "");
    assert_eq!(again(lost).header("idempotency-replayed"), "true");
    assert_eq!(bench.used(Mode::Test), 12);
    bench.ledger_is_right();
}

// covers: stream.heartbeat
#[test]
fn a_silent_stream_says_that_it_lives() {
    let bench = Bench::with(Limits { heartbeat: Duration::from_millis(1), ..Limits::default() });
    bench.publish("acme", &many());
    let mut body = sense("many", &many_words()[..190_000]);
    body["stream"] = json!({"emit_partial": false});
    let answer = bench.post(PATH, &body);
    told(&events(&answer));
    assert!(unchunked(&answer.body).contains(": still here\n\n"), "{}", answer.body);
}

// covers: stream.limit
#[test]
fn so_many_streams_and_no_more() {
    let bench = Bench::with(Limits { streams: 0, ..Limits::default() });
    bench.publish("acme", &desk("1.0", "1.0", "published"));
    bench.post(PATH, &sense("desk", ONE)).is(503, "unavailable");
    bench.post("/api/v1/sense", &sense("desk", ONE)).good("Sense");
}
