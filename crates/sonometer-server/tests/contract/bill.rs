//! `GET /api/v1/usage/charges` and `GET /api/v1/usage/export`, the ids of requests, and the check of the ledger.

use crate::bench::{Answer, Bench, read};
use crate::dives::opened;
use crate::file_host::{self, Host, Page};
use crate::fixture::{NONE, ONE, TWO, bench, desk, room, sense, target, text};
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};
use sonometer::Unit;
use sonometer_service::bill::Asked;
use sonometer_service::store::Wrong;
use sonometer_service::{Mode, Scope};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

const CHARGES: &str = "/api/v1/usage/charges";
const EXPORT: &str = "/api/v1/usage/export";

/// Senses under the name of a request; the answer has that name.
fn named(bench: &Bench, token: &str, request: &str, content: &str) -> Answer {
    let answer =
        bench.post_with(token, "/api/v1/sense", &sense("desk", content), &[("X-Request-Id", request)]);
    answer.good("Sense");
    assert_eq!(answer.header("x-request-id"), request);
    answer
}

fn charges(bench: &Bench, token: &str, query: &str) -> Vec<Value> {
    let body = bench.get_as(token, &format!("{CHARGES}?{query}")).good("Charges");
    body["charges"].as_array().expect("is a list").clone()
}

fn of(charges: &[Value], key: &str) -> Vec<String> {
    charges.iter().map(|charge| charge[key].as_str().unwrap_or("null").to_owned()).collect()
}

/// The body of an export, put together from its chunks.
fn export(bench: &Bench, token: &str, query: &str) -> Vec<u8> {
    let mut stream = bench.open();
    let ask = format!(
        "GET {EXPORT}?{query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(ask.as_bytes()).expect("is taken");
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("comes");
    let end = all.windows(4).position(|four| four == b"\r\n\r\n").expect("has a head");
    let head = String::from_utf8_lossy(&all[..end]).to_lowercase();
    assert!(head.starts_with("http/1.1 200") && head.contains("content-disposition: attachment"), "{head}");
    let (mut whole, mut rest) = (Vec::new(), &all[end + 4..]);
    loop {
        let line = rest.windows(2).position(|two| two == b"\r\n").expect("is chunked to its end");
        let length = std::str::from_utf8(&rest[..line]).expect("is a number");
        let length = usize::from_str_radix(length, 16).expect("is a number");
        if length == 0 {
            return whole;
        }
        whole.extend_from_slice(&rest[line + 2..line + 2 + length]);
        rest = &rest[line + 2 + length + 2..];
    }
}

fn lines(bench: &Bench, token: &str, query: &str) -> Vec<Value> {
    let body = String::from_utf8(export(bench, token, query)).expect("is UTF-8");
    body.lines().map(|line| serde_json::from_str(line).expect("is JSON")).collect()
}

/// ICS of many charges.
fn sum(charges: &[Value]) -> u64 {
    charges.iter().map(|charge| charge["ics_consumed"].as_u64().expect("is whole")).sum()
}

// covers: wire.request_id
#[test]
fn every_answer_names_its_request() {
    let bench = bench();
    let bearer = format!("Bearer {}", bench.test);
    let mine = ("X-Request-Id", "trace-4bf9:7.a_b");
    let authorized = [mine, ("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let body = sense("desk", ONE).to_string();
    for (method, path, headers, body, status) in [
        ("GET", "/healthz", &authorized[..1], "", 200),
        ("GET", "/metrics", &authorized[..1], "", 200),
        ("GET", "/docs", &authorized[..1], "", 200),
        ("GET", "/api/v1/usage", &authorized[..2], "", 200),
        ("POST", "/api/v1/sense", &authorized[..], &body, 200),
        ("POST", "/api/v1/sense", &authorized[..], "{", 400),
        ("GET", "/api/v1/usage", &authorized[..1], "", 401),
        ("GET", "/api/v1/protocols/none", &authorized[..2], "", 404),
        ("GET", "/nowhere", &authorized[..1], "", 404),
        ("DELETE", "/api/v1/usage", &authorized[..1], "", 405),
        ("POST", "/api/v1/sense", &authorized[..2], "x", 415),
    ] {
        let answer = bench.send(method, path, headers, body.as_bytes());
        assert_eq!((answer.status, answer.header("x-request-id")), (status, mine.1), "{method} {path}");
        if status >= 400 {
            assert_eq!(answer.json()["error"]["request_id"], mine.1, "{method} {path}");
        }
    }
    let streamed = bench.post_with(&bench.test, "/api/v1/sense/stream", &sense("desk", ONE), &[mine]);
    assert_eq!((streamed.status, streamed.header("x-request-id")), (200, mine.1));
    for path in ["/nowhere", "/api/v1/usage"] {
        let answer = bench.send("GET", path, &[], b"");
        let made = answer.header("x-request-id");
        assert!(made.starts_with("req_") && answer.json()["error"]["request_id"] == made, "{made}");
    }
}

// covers: wire.request_id.client
#[test]
fn an_id_that_could_do_harm_is_replaced() {
    let bench = bench();
    let longest = "a".repeat(128);
    let ask = |headers: &[(&str, &str)]| {
        bench.send("GET", "/healthz", headers, b"").header("x-request-id").to_owned()
    };
    assert_eq!(ask(&[("x-request-id", &longest)]), longest);
    let long = "a".repeat(129);
    for bad in ["", "a b", "a\"b", "=1+1", "a,b", "<b>", "a/../b", "-a", "a;b", "\u{e9}", "a\tb", &long] {
        let made = ask(&[("X-Request-Id", bad)]);
        assert!(made.starts_with("req_"), "{bad:?}: {made}");
    }
    assert!(ask(&[("X-Request-Id", "one"), ("X-Request-Id", "two")]).starts_with("req_"));
    // What would end a line of the log ends the request.
    let mut stream = bench.open();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: l\r\nX-Request-Id: a\rb\r\n\r\n").expect("is taken");
    assert_eq!(read(stream).status, 400);
}

/// A protocol with so many metamarkers, all of which trigger on "the cat"; every other one also on "a dog".
fn wide(markers: usize) -> String {
    let markers = (0..markers).map(|number| {
        let dog = if number % 2 == 0 { "\n      a dog" } else { "" };
        let label = format!("a-metamarker-with-a-long-name-{number}");
        format!("  - label: {label}\n    strong: |\n      the cat{dog}\n    hit: the cat\n    miss: an owl\n")
    });
    format!(
        "sonometer: 1\nid: wide\nversion: \"1.0\"\nstatus: published\ntaxonomy: Policy\nlanguage: en\nfidelity: {{words: 1}}\n\
         markers:\n{}",
        markers.collect::<String>()
    )
}

// covers: charges.many
#[test]
fn very_many_metamarkers_are_kept_short_and_told_in_full() {
    const MANY: usize = 300;
    let bench = bench();
    bench.publish("acme", &wide(MANY));
    let every: Vec<String> =
        (0..MANY).map(|number| format!("a-metamarker-with-a-long-name-{number}")).collect();
    let second: Vec<String> = every.iter().step_by(2).cloned().collect();
    let one = bench.post("/api/v1/sense", &sense("wide", "the cat"));
    assert_eq!((one.status, one.number("x-ics-consumed")), (200, 300), "{}", one.body);
    let both =
        json!({"target": target("wide"), "interaction_a": text("a dog"), "interaction_b": text("the cat")});
    bench.post("/api/v1/sense/compare", &both).good("Compare");
    let items: Vec<Value> = (0..50).map(|at| json!({"id": at.to_string(), "content": "a dog"})).collect();
    let job = bench.post("/api/v1/sense/batch", &json!({"target": target("wide"), "interactions": items}));
    let job = job.json()["poll_url"].as_str().expect("is a job").to_owned();
    let begun = Instant::now();
    while bench.get(&job).json()["status"] != "completed" {
        assert!(begun.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(20));
    }
    let said = |charge: &Value| -> Vec<String> {
        let names = charge["metamarkers"].as_array().expect("is a list");
        names.iter().map(|name| name.as_str().expect("is text").to_owned()).collect()
    };
    let all = lines(&bench, &bench.test, "format=jsonl");
    let told: Vec<_> = all.iter().map(said).collect();
    assert_eq!((told.len(), &told[0]), (52, &every));
    assert_eq!(told[1], [second.clone(), every].concat(), "one side after the other");
    assert!(told[2..].iter().all(|names| *names == second));
    assert_eq!(charges(&bench, &bench.test, "limit=52").iter().rev().map(said).collect::<Vec<_>>(), told);
    bench.ledger_is_right();
    // Names of that length would have 5 KB and more in each row.
    bench.sql("DELETE FROM ledger WHERE LENGTH(markers) > 1000");
    bench.ledger_is_right();
    // Without the list nobody knows which they were.
    bench.sql("DELETE FROM marker_lists");
    let checked = bench.runtime.block_on(bench.service.store().check_ledger()).expect("can be read");
    assert_eq!((checked.faults.len(), checked.breaks.len()), (0, 52));
    assert_eq!(checked.breaks[0].what, Wrong::Markers { named: 0, units: 300 });
}

/// What a page would have too much of comes with the next one.
// covers: charges.paging
#[test]
fn a_page_ends_where_its_names_are_too_long() {
    let bench = bench();
    bench.post("/api/v1/sense", &sense("desk", ONE)).good("Sense");
    // 3 MB of names in each of nine rows: no page has more than 8 MiB and one row.
    bench.sql(
        "INSERT INTO ledger SELECT charge_id, line + numbers.column1, account_id, token_id, period, at_ms, route, target_type, target_id, target_version, \
         units, overage, cost_micros, request_id, idempotency_key, kind, target_digest, REPLACE('aaaaaaaaaa', 'a', REPLACE( \
         'aaaaaaaaaa', 'a', REPLACE('aaaaaaaaaa', 'a', REPLACE('aaaaaaaaaa', 'a', 'three hundred bytes of metamarkers in a row of the \
         ledger, which are far more than there can be in fact, since no protocol has so many, and none of them a name of that \
         length; but what is in the way of a page is not how many they are but how long it is what they have to say about it')))), \
         number, used_after, overage_after, cost_after FROM ledger, (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS numbers",
    );
    let mut path = format!("{CHARGES}?limit=10");
    let mut pages = Vec::new();
    loop {
        let page = bench.get(&path).good("Charges");
        pages.push(page["charges"].as_array().expect("is a list").len());
        let Some(next) = page["next_cursor"].as_str() else { break };
        path = format!("{CHARGES}?limit=10&cursor={next}");
    }
    assert_eq!(pages, [3, 3, 3, 1]);
    let rows: Vec<u64> =
        lines(&bench, &bench.test, "format=jsonl").iter().filter_map(|row| row["line"].as_u64()).collect();
    assert_eq!(rows, (0..10).collect::<Vec<_>>());
}

// covers: charges.200, charges.entry
#[test]
fn a_charge_says_what_it_came_from() {
    let bench = bench();
    let (id, token) = bench.token(Mode::Test, &Scope::DEFAULT);
    let more = [("X-Request-Id", "invoice-1"), ("Idempotency-Key", "k \"1\", first")];
    for consumed in [2, 0] {
        let answer = bench.post_with(&token, "/api/v1/sense", &sense("desk", TWO), &more);
        assert_eq!(answer.number("x-ics-consumed"), consumed, "a repetition is no charge");
    }
    let body = bench.get(CHARGES).good("Charges");
    let shelf = bench.runtime.block_on(bench.service.store().targets("acme")).expect("is there");
    let charge = &body["charges"][0];
    let expected = json!({
        "timestamp": "2026-11-21T15:36:10Z", "period": "2026-11", "request_id": "invoice-1",
        "charge_id": charge["charge_id"], "line": 0, "token_id": id, "mode": "test", "kind": "sense",
        "target": {"type": "protocol", "id": "desk", "version": "1.0", "digest": shelf[0].digest},
        "ics_consumed": 2, "metamarkers": ["thanks", "greeting"], "overage_ics": 0, "cost_usd": 0,
        "idempotency_key": "k \"1\", first",
    });
    assert_eq!(charge, &expected);
    assert!(charge["charge_id"].as_str().is_some_and(|id| id.starts_with("chg_")));
    let totals = json!({"ics": 2, "overage_ics": 0, "cost_usd": 0, "analyses": 1});
    assert_eq!((&body["totals"], &body["next_cursor"], &body["limit"]), (&totals, &Value::Null, &json!(20)));
    assert_eq!(body["charges"].as_array().map(Vec::len), Some(1));
}

// covers: charges.kinds
#[test]
fn each_kind_of_request_is_told() {
    let host = Host::start();
    let bench = file_host::bench(&host);
    bench.publish("acme", &room(""));
    let post = |path: &str, body: &Value, request: &str| {
        bench.post_with(&bench.test, path, body, &[("X-Request-Id", request), ("Idempotency-Key", request)])
    };
    post("/api/v1/sense", &sense("desk", ONE), "r-sense").good("Sense");
    let url = host.put("/a.txt", Page::file(TWO));
    post("/api/v1/sense", &file_host::ask("paper", &url), "r-file").good("Sense");
    let pair = json!({"target": target("desk"), "interaction_a": text(ONE), "interaction_b": text(TWO)});
    post("/api/v1/sense/compare", &pair, "r-compare").good("Compare");
    let items = |count: usize| -> Vec<Value> {
        (0..count).map(|at| json!({"id": at.to_string(), "content": ([ONE, NONE, TWO][at % 3])})).collect()
    };
    let batch = |count| json!({"target": target("desk"), "interactions": items(count)});
    post("/api/v1/sense/batch", &batch(3), "r-batch").good("Batch");
    assert_eq!(post("/api/v1/sense/stream", &sense("desk", TWO), "r-stream").status, 200);
    let job = post("/api/v1/sense/batch", &batch(51), "r-job").json();
    let job_id = job["job_id"].as_str().expect("is text");
    let begun = Instant::now();
    while bench.get(&format!("/api/v1/jobs/{job_id}")).json()["status"] == "processing" {
        assert!(begun.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(20));
    }
    let dive = opened(&bench, &bench.test, &json!({"stage_id": "room"}));
    post(&format!("{dive}/act"), &json!({"action": ONE}), "r-dive").good("DiveStep");
    for (kind, rows, ics) in [
        ("sense", 1, 1),
        ("file", 1, 2),
        ("compare", 1, 3),
        ("batch", 3, 3),
        ("stream", 1, 2),
        ("job", 51, 51),
        ("dive", 1, 1),
    ] {
        let request = format!("r-{kind}");
        let found = charges(&bench, &bench.test, &format!("limit=100&request_id={request}"));
        assert_eq!((found.len(), sum(&found)), (rows, ics), "{kind}");
        for charge in &found {
            assert_eq!((&charge["kind"], &charge["idempotency_key"]), (&json!(kind), &json!(request)));
            let markers = charge["metamarkers"].as_array().map_or(99, |markers| markers.len() as u64);
            assert_eq!(json!(markers), charge["ics_consumed"], "{charge}");
            assert!(
                charge["target"]["digest"].as_str().is_some_and(|digest| digest.starts_with("sha256:")),
                "{charge}"
            );
        }
    }
    let of_job = charges(&bench, &bench.test, "request_id=r-job&limit=1");
    assert_eq!(of(&of_job, "charge_id"), [job_id]);
    // The key that the service makes for a stream of its own is none of the client's.
    let own = [("X-Request-Id", "r-own")];
    assert_eq!(bench.post_with(&bench.test, "/api/v1/sense/stream", &sense("desk", ONE), &own).status, 200);
    assert_eq!(charges(&bench, &bench.test, "request_id=r-own")[0]["idempotency_key"], Value::Null);
    bench.ledger_is_right();
}

// covers: charges.filters, charges.errors
#[test]
fn charges_are_found_by_what_caused_them() {
    let bench = bench();
    bench.publish("acme", &desk("2.0", "1.0", "published"));
    let (id, token) = bench.token(Mode::Test, &Scope::DEFAULT);
    named(&bench, &bench.test, "one", ONE);
    bench.clock.0.fetch_add(60_000, Ordering::SeqCst);
    named(&bench, &token, "two", TWO);
    bench.clock.0.fetch_add(60_000, Ordering::SeqCst);
    let old =
        json!({"target": {"type": "protocol", "id": "desk", "version": "1.0"}, "interaction": text(ONE)});
    bench.post_with(&token, "/api/v1/sense", &old, &[("X-Request-Id", "three")]).good("Sense");
    let courtesy = sense("courtesy", "Thank you so much for your patience today, it is appreciated.");
    bench.post_with(&bench.test, "/api/v1/sense", &courtesy, &[("X-Request-Id", "four")]).good("Sense");
    for (query, expected) in [
        ("", &["four", "three", "two", "one"][..]),
        ("request_id=two", &["two"]),
        ("request_id=none", &[]),
        (&format!("token={id}"), &["three", "two"]),
        ("target=desk", &["three", "two", "one"]),
        ("target=desk@1.0", &["three"]),
        ("target=desk@2.0&request_id=one", &["one"]),
        ("target=nothing", &[]),
        ("from=2026-11-21T15:37:10Z", &["four", "three", "two"]),
        ("until=2026-11-21T15:37:10Z", &["one"]),
        ("from=2026-11-21T15:37:10Z&until=2026-11-21T15:38:10Z", &["two"]),
        ("period=2026-11&target=courtesy", &["four"]),
        ("period=2026-10", &[]),
        ("from=2026-11-22", &[]),
    ] {
        let mut found = of(&charges(&bench, &bench.test, query), "request_id");
        let mut expected = expected.to_vec();
        if query.is_empty() || query.starts_with("from=2026-11-21T15:37:10Z") {
            // Two at the same moment have no order that a client could rely on.
            found.sort();
            expected.sort_unstable();
        }
        assert_eq!(found, expected, "{query}");
        let mut exported = of(&lines(&bench, &bench.test, &format!("format=jsonl&{query}")), "request_id");
        exported.sort();
        found.sort();
        assert_eq!(exported, found, "{query}");
    }
    let totals = bench.get(&format!("{CHARGES}?token={id}&limit=1")).good("Charges")["totals"].clone();
    assert_eq!(totals, json!({"ics": 3, "overage_ics": 0, "cost_usd": 0, "analyses": 2}));
    for (bad, place) in [
        ("period=2026-13", "period"),
        ("period=2026-11&from=2026-11-01", "period"),
        ("from=soon", "from"),
        ("from=2026-11-02&until=2026-11-01", "until"),
        ("target=desk@", "target"),
        ("token=", "token"),
        ("cursor=x", "cursor"),
        ("limit=101", "limit"),
        ("offset=1", "offset"),
    ] {
        let refused = bench.get(&format!("{CHARGES}?{bad}"));
        refused.is(400, "invalid_request");
        assert_eq!(refused.details()["place"], place, "{bad}");
    }
    bench.get(&format!("{EXPORT}?format=xlsx")).is(400, "invalid_request");
    for path in [CHARGES, EXPORT] {
        bench.send("GET", path, &[], b"").is(401, "unauthorized");
        let (_, senses) = bench.token(Mode::Test, &[Scope::Sense]);
        bench.get_as(&senses, path).is(403, "forbidden");
    }
}

// covers: charges.paging
#[test]
fn pages_hold_every_charge_once_whatever_comes_meanwhile() {
    let bench = bench();
    for number in 0..7 {
        bench.clock.0.fetch_add(number % 2, Ordering::SeqCst);
        named(&bench, &bench.test, &format!("r{number}"), [ONE, TWO, NONE][number as usize % 3]);
    }
    let (mut seen, mut query, mut pages) = (Vec::new(), String::new(), 0);
    loop {
        let page = bench.get(&format!("{CHARGES}?limit=3{query}")).good("Charges");
        assert_eq!(page.get("totals").is_some(), pages == 0);
        seen.extend(of(page["charges"].as_array().expect("is a list"), "request_id"));
        pages += 1;
        // Newer ones move nothing.
        bench.clock.0.fetch_add(1_000, Ordering::SeqCst);
        named(&bench, &bench.test, &format!("late{pages}"), ONE);
        match page["next_cursor"].as_str() {
            Some(cursor) => query = format!("&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!((pages, seen.len()), (3, 7));
    assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), 7, "{seen:?}");
    assert!(seen.iter().all(|request| request.starts_with('r')), "{seen:?}");
}

// covers: charges.own
#[test]
fn nobody_sees_what_others_were_charged() {
    let bench = bench();
    let (id, token) = bench.token(Mode::Live, &Scope::DEFAULT);
    for number in 0..3 {
        named(&bench, &token, &format!("secret-{number}"), TWO);
    }
    let page = bench.get_as(&token, &format!("{CHARGES}?limit=1")).good("Charges");
    let cursor = page["next_cursor"].as_str().expect("there is more").to_owned();
    let charge = page["charges"][0]["charge_id"].as_str().expect("is text").to_owned();
    let other = bench.org("other");
    bench.publish("other", &desk("1.0", "1.0", "published"));
    named(&bench, &other, "secret-0", ONE);
    // The same organization has another account for tests.
    for (stranger, own) in [(&bench.test, 0), (&other, 1)] {
        for query in [
            format!("token={id}"),
            format!("token={id}&target=desk"),
            format!("cursor={cursor}&token={id}"),
            "request_id=secret-1".to_owned(),
            format!("request_id={charge}"),
            "token=%27%20OR%201%3D1%20--".to_owned(),
            "target=%25".to_owned(),
        ] {
            let answer = bench.get_as(stranger, &format!("{CHARGES}?{query}"));
            let body = answer.good("Charges");
            assert_eq!(body["charges"], json!([]), "{query}");
            assert!(!answer.body.contains("secret-1") && !answer.body.contains(&id), "{query}");
            if !query.contains("cursor") {
                let exported = export(&bench, stranger, &format!("format=jsonl&{query}"));
                assert!(exported.is_empty(), "{query}");
            }
        }
        assert_eq!(charges(&bench, stranger, "request_id=secret-0").len(), own);
        assert_eq!(charges(&bench, stranger, "").len(), own);
        // A cursor of somebody else is a place in time, and shows what is one's own.
        assert!(charges(&bench, stranger, &format!("cursor={cursor}")).len() <= own);
        let csv = String::from_utf8(export(&bench, stranger, "")).expect("is UTF-8");
        assert_eq!(csv.lines().count(), 1 + own, "{csv}");
    }
    assert_eq!(charges(&bench, &token, "request_id=secret-0").len(), 1);
}

// covers: export.200, export.formats
#[test]
fn an_export_says_the_same_in_every_format() {
    let bench = bench();
    bench.account(Mode::Live, |settings| {
        settings.quota = 3;
        settings.overage = true;
        settings.rate_usd = Unit(1_234);
    });
    for number in 0..5 {
        bench.clock.0.fetch_add(1_000, Ordering::SeqCst);
        let more = [("X-Request-Id", format!("r{number}")), ("Idempotency-Key", format!("=1, \"{number}\""))];
        let more = [(more[0].0, more[0].1.as_str()), (more[1].0, more[1].1.as_str())];
        bench.post_with(&bench.live, "/api/v1/sense", &sense("desk", TWO), &more).good("Sense");
    }
    let lines = lines(&bench, &bench.live, "format=jsonl");
    assert_eq!(of(&lines, "request_id"), ["r0", "r1", "r2", "r3", "r4"]);
    let csv = export(&bench, &bench.live, "format=csv");
    assert_eq!(csv, export(&bench, &bench.live, ""), "it is the default");
    let csv = String::from_utf8(csv).expect("is UTF-8");
    let rows: Vec<&str> = csv.split_terminator("\r\n").collect();
    assert_eq!(
        rows[0],
        "timestamp,period,request_id,charge_id,line,token_id,mode,kind,target_type,target_id,target_version,target_digest,\
         ics_consumed,metamarkers,overage_ics,cost_usd,idempotency_key"
    );
    let last = &lines[4];
    let text = |key: &str| last[key].as_str().expect("is text");
    let expected = format!(
        "{},2026-11,r4,{},0,{},live,sense,protocol,desk,1.0,{},2,thanks greeting,2,0.002468,\"=1, \"\"4\"\"\"",
        text("timestamp"),
        text("charge_id"),
        text("token_id"),
        last["target"]["digest"].as_str().expect("is text")
    );
    assert_eq!((rows.len(), rows[5]), (6, expected.as_str()));
    let bytes = axum::body::Bytes::from(export(&bench, &bench.live, "format=parquet"));
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes).expect("is Parquet");
    let (mut ics, mut cost, mut requests) = (0, 0, Vec::new());
    for batch in reader.build().expect("can be read") {
        let batch = batch.expect("can be read");
        let column = |name: &str| batch.column_by_name(name).expect("is there");
        ics += column("ics_consumed").as_primitive::<Int64Type>().values().iter().sum::<i64>();
        cost += column("cost_usd").as_primitive::<Decimal128Type>().values().iter().sum::<i128>();
        requests.extend(column("request_id").as_string::<i32>().iter().flatten().map(str::to_owned));
        let markers = column("metamarkers").as_list::<i32>().value(0);
        assert_eq!(markers.as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["thanks", "greeting"]);
    }
    assert_eq!((ics, cost, requests.len(), sum(&lines)), (10, 7 * 1_234, 5, 10));
    let usage = bench.get_as(&bench.live, "/api/v1/usage").good("Usage");
    assert_eq!((&usage["used"], &usage["overage"]["cost_usd"]), (&json!(10), &json!(0.008638)));
    // Without any charge there is a file all the same.
    let none = export(&bench, &bench.test, "format=parquet");
    let reader = ParquetRecordBatchReaderBuilder::try_new(axum::body::Bytes::from(none)).expect("is Parquet");
    assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    bench.ledger_is_right();
}

// covers: export.sums
#[test]
fn an_export_is_what_the_account_had_used_when_it_began() {
    let bench = bench();
    let items: Vec<Value> = (0..49).map(|at| json!({"id": at.to_string(), "content": TWO})).collect();
    let batch = json!({"target": target("desk"), "interactions": items});
    bench.account(Mode::Test, |settings| {
        settings.quota = 1_000_000;
        settings.per_window = 1_000_000;
    });
    for _ in 0..30 {
        bench.post("/api/v1/sense/batch", &batch).good("Batch");
    }
    scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                for _ in 0..20 {
                    bench.post("/api/v1/sense", &sense("desk", ONE)).good("Sense");
                }
            });
        }
        let asked = Asked::all(0, i64::MAX);
        let used = || bench.used(Mode::Test);
        for _ in 0..5 {
            let (before, mut units) = (used(), 0);
            let service = &bench.service;
            let after = bench.runtime.block_on(async {
                let mut export =
                    service.export_of("acme", Mode::Test, asked.filter.clone()).await.expect("begins");
                let after = service.account("acme", Mode::Test).await.expect("is there").used.units;
                while let Some(rows) = export.next().await.expect("is read") {
                    units += rows.iter().map(|row| row.units).sum::<u64>();
                }
                after
            });
            assert!((before..=after).contains(&units), "{before} <= {units} <= {after}");
        }
    });
    let used = bench.used(Mode::Test);
    assert_eq!(used, 30 * 49 * 2 + 60);
    assert_eq!(sum(&lines(&bench, &bench.test, "format=jsonl")), used);
    bench.ledger_is_right();
}

// covers: charges.old
#[test]
fn what_an_older_version_charged_has_null_for_what_it_did_not_keep() {
    let bench = bench();
    let two = |first: &str| {
        named(&bench, &bench.test, first, TWO);
        bench.clock.0.fetch_add(1_000, Ordering::SeqCst);
        named(&bench, &bench.test, &format!("{first}-again"), ONE);
        bench.clock.0.fetch_add(1_000, Ordering::SeqCst);
    };
    two("old");
    // As they are after the migration.
    bench.sql(
        "UPDATE ledger SET request_id = '', idempotency_key = '', kind = '', target_digest = '', markers = '', number = 0, \
         used_after = 0, overage_after = 0, cost_after = 0",
    );
    two("new");
    let all = charges(&bench, &bench.test, "");
    assert_eq!(of(&all, "request_id"), ["new-again", "new", "null", "null"]);
    for key in ["request_id", "kind", "metamarkers", "idempotency_key"] {
        assert_eq!(all[3][key], Value::Null, "{key}");
    }
    assert_eq!(all[3]["target"]["digest"], Value::Null);
    assert_eq!(sum(&lines(&bench, &bench.test, "format=jsonl")), 6);
    bench.ledger_is_right();
    // One of them is gone: which one nobody kept, but not that it is.
    bench.sql("DELETE FROM ledger WHERE number = 0 AND units = 1");
    let checked = bench.runtime.block_on(bench.service.store().check_ledger()).expect("can be read");
    assert_eq!(checked.faults.len(), 1);
    assert!(matches!(checked.breaks[0].what, Wrong::Gap { rows: 2, held: [3, 0, 0] }), "{checked:?}");
}

// covers: check.places
#[test]
fn the_check_names_the_charge_that_is_wrong() {
    let bench = bench();
    let spoil = |statement: &'static str| {
        bench.sql(statement);
        bench.runtime.block_on(bench.service.store().check_ledger()).expect("can be read")
    };
    for request in ["a", "b", "c"] {
        named(&bench, &bench.test, request, TWO);
    }
    bench.ledger_is_right();
    let at = |request: &str| charges(&bench, &bench.test, &format!("request_id={request}"))[0].clone();
    let of_b = |found: &sonometer_service::store::Break| {
        let charge = at("b")["charge_id"].clone();
        assert_eq!((found.account.as_str(), found.period.as_str(), found.line), ("acme/test", "2026-11", 0));
        assert_eq!((json!(found.charge), found.number), (charge, 2));
        assert_eq!((found.request.as_str(), found.target.as_str()), ("b", "protocol desk@1.0"));
    };
    // More units than the account was charged.
    let checked = spoil("UPDATE ledger SET units = 5 WHERE request_id = 'b'");
    assert_eq!((checked.faults.len(), checked.breaks.len()), (1, 2), "{checked:?}");
    checked.breaks.iter().for_each(of_b);
    assert_eq!(checked.breaks[0].what, Wrong::Changed { expected: [2, 0, 0], found: [5, 0, 0] });
    assert_eq!(checked.breaks[1].what, Wrong::Markers { named: 2, units: 5 });
    // Two faults that add up to none.
    let checked = spoil("UPDATE ledger SET units = 2 - 3 WHERE request_id = 'c'");
    assert!(checked.faults.is_empty() && checked.breaks.len() == 4, "{checked:?}");
    bench.sql("UPDATE ledger SET units = 2");
    bench.ledger_is_right();
    // A cost that nobody was told.
    let checked = spoil("UPDATE ledger SET cost_micros = 700 WHERE request_id = 'b'");
    of_b(&checked.breaks[0]);
    assert_eq!(checked.breaks[0].what, Wrong::Changed { expected: [2, 0, 0], found: [2, 0, 700] });
    bench.sql("UPDATE ledger SET cost_micros = 0");
    // The account says more than all its charges.
    let checked = spoil("UPDATE consumption SET used = used + 1");
    assert_eq!(checked.breaks.len(), 1, "{checked:?}");
    assert_eq!((checked.breaks[0].request.as_str(), checked.breaks[0].number), ("c", 3));
    assert_eq!(checked.breaks[0].what, Wrong::Last { expected: [6, 0, 0, 3], found: [7, 0, 0, 3] });
    bench.sql("UPDATE consumption SET used = used - 1");
    bench.ledger_is_right();
    // A charge that is gone: the next one knows.
    let checked = spoil("DELETE FROM ledger WHERE request_id = 'b'");
    assert_eq!((checked.faults.len(), checked.breaks.len()), (1, 1), "{checked:?}");
    assert_eq!(checked.breaks[0].request, "c");
    assert_eq!(checked.breaks[0].what, Wrong::Gap { rows: 1, held: [2, 0, 0] });
    let checked = spoil("DELETE FROM ledger WHERE request_id = 'c'");
    assert_eq!(checked.breaks[0].what, Wrong::Last { expected: [2, 0, 0, 1], found: [6, 0, 0, 3] });
    assert_eq!(checked.breaks[0].request, "a");
    assert!(checked.breaks[0].what.to_string().contains("[2, 0, 0, 1]"));
}

/// A client that takes only the head of an export and goes away leaves its place to others.
#[test]
fn a_client_that_goes_away_gives_its_place_back() {
    let bench = bench();
    named(&bench, &bench.test, "one", ONE);
    for _ in 0..20 {
        let mut stream: TcpStream = bench.open();
        let ask = format!("GET {EXPORT} HTTP/1.1\r\nHost: l\r\nAuthorization: Bearer {}\r\n\r\n", bench.test);
        stream.write_all(ask.as_bytes()).expect("is taken");
        let mut some = [0; 16];
        stream.read_exact(&mut some).expect("begins");
    }
    assert_eq!(lines(&bench, &bench.test, "format=jsonl").len(), 1);
    let held = |bench: &Bench| {
        let figures = bench.send("GET", "/metrics", &[], b"").body;
        let line =
            figures.lines().find_map(|line| line.strip_prefix("sonometer_queue_held{queue=\"streams\"} "));
        line.map_or(99, |count| count.parse::<u64>().expect("is a number"))
    };
    let begun = Instant::now();
    while held(&bench) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(20));
        sleep(Duration::from_millis(20));
    }
}
