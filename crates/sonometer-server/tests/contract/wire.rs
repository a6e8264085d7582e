//! Tokens, limits, errors of the wire, and what is served beside the interface.

use crate::bench::{Bench, KIND, read};
use crate::fixture::{ONE, bench, sense, target};
use serde_json::json;
use sonometer_server::Limits;
use sonometer_service::{Mode, Scope};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::Duration;

// covers: auth.bearer, auth.401, error.unauthorized, auth.expired, auth.modes, sense.401, compare.401, batch.401, protocols.401, estimate.401
#[test]
fn a_bad_token_is_told_nothing() {
    let bench = Bench::start();
    let body = sense("courtesy", KIND).to_string();
    let mut wrong = bench.test.clone();
    wrong.replace_range(12..13, if &wrong[12..13] == "0" { "1" } else { "0" });
    let bad = [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        format!("Basic {}", bench.test),
        bench.test.clone(),
        format!("Bearer {wrong}"),
        format!("Bearer {}x", bench.test),
        format!("Bearer {}", bench.test.replace("test", "live")),
    ];
    let mut bodies = Vec::new();
    for value in &bad {
        for path in [
            "/api/v1/sense",
            "/api/v1/sense/compare",
            "/api/v1/sense/batch",
            "/api/v1/fidelity/check",
            "/api/v1/usage/estimate",
        ] {
            let mut headers = vec![("Content-Type", "application/json")];
            if !value.is_empty() {
                headers.push(("Authorization", value));
            }
            let answer = bench.send("POST", path, &headers, body.as_bytes());
            answer.is(401, "unauthorized");
            assert_eq!(answer.header("www-authenticate"), "Bearer");
            assert!(
                !answer
                    .headers
                    .keys()
                    .any(|name| name.starts_with("x-ics") || name.starts_with("x-ratelimit"))
            );
            bodies.push(answer.refusal());
        }
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "all are told alike");
    assert!(bodies[0].contains("; send a good one as `Authorization: Bearer sono_…`\""), "{}", bodies[0]);
    for path in [
        "protocols",
        "protocols/courtesy",
        "metrics",
        "metrics/tone",
        "blueprints",
        "blueprints/x",
        "usage",
        "status",
        "usage/history",
    ] {
        bench.get_as("nobody", &format!("/api/v1/{path}")).is(401, "unauthorized");
    }
    let both = format!("Bearer {}", bench.test);
    bench
        .send("GET", "/api/v1/usage", &[("Authorization", &both), ("Authorization", &both)], b"")
        .is(401, "unauthorized");
    let (id, token) = bench.token(Mode::Test, &Scope::DEFAULT);
    bench.get_as(&token, "/api/v1/usage").good("Usage");
    let now = bench.service.now_ms();
    bench.runtime.block_on(bench.service.expire_token(&id, now + 1)).expect("is there");
    bench.get_as(&token, "/api/v1/usage").good("Usage");
    bench.clock.0.fetch_add(1, Ordering::SeqCst);
    bench.get_as(&token, "/api/v1/usage").is(401, "unauthorized");
    bench.runtime.block_on(bench.service.expire_token(&id, 0)).expect("is there");
    bench.get_as(&token, "/api/v1/usage").good("Usage");
    bench.runtime.block_on(bench.service.revoke_token(&id)).expect("is there");
    bench.get_as(&token, "/api/v1/usage").is(401, "unauthorized");
}

// covers: auth.scopes
#[test]
fn a_token_does_only_what_its_scopes_say() {
    let bench = Bench::start();
    let (_, reader) = bench.token(Mode::Test, &[Scope::Read]);
    let (_, sensor) = bench.token(Mode::Test, &[Scope::Sense]);
    bench.get_as(&reader, "/api/v1/protocols").good("Protocols");
    bench.post_as(&reader, "/api/v1/sense", &sense("courtesy", KIND)).is(403, "forbidden");
    bench.post_as(&sensor, "/api/v1/sense", &sense("courtesy", KIND)).good("Sense");
    bench.get_as(&sensor, "/api/v1/usage").is(403, "forbidden");
    bench.get_as(&sensor, "/api/v1/status").good("Status");
}

// covers: limits.rate, headers.retry_after, error.rate_limited
#[test]
fn one_request_too_many_waits_for_the_next_window() {
    let bench = Bench::start();
    bench.account(Mode::Test, |settings| settings.per_window = 2);
    for left in [1, 0] {
        assert_eq!(bench.get("/api/v1/usage").number("x-ratelimit-remaining"), left);
    }
    let answer = bench.post("/api/v1/sense", &sense("courtesy", KIND));
    answer.is(429, "rate_limited");
    assert_eq!((answer.number("x-ratelimit-remaining"), answer.number("retry-after")), (0, 50));
    assert_eq!((answer.number("x-ics-consumed"), answer.number("x-ics-remaining")), (0, 10_000));
    assert_eq!(answer.number("x-ratelimit-reset") * 1_000, bench.service.now_ms() + 50_000);
    bench.get_as(&bench.live, "/api/v1/usage").good("Usage");
    bench.clock.0.fetch_add(50_000, Ordering::SeqCst);
    bench.post("/api/v1/sense", &sense("courtesy", KIND)).good("Sense");
}

#[test]
fn an_account_that_takes_no_requests_says_so_and_names_no_time() {
    let bench = Bench::start();
    bench.account(Mode::Test, |settings| settings.per_window = 0);
    let answer = bench.post("/api/v1/sense", &sense("courtesy", KIND));
    answer.is(403, "forbidden");
    assert!(answer.body.contains("(its limit is 0 in a minute); ask the operator"), "{}", answer.body);
    assert_eq!(answer.header("retry-after"), "", "waiting does not help");
    // Where no scope is asked for as well, and documented there.
    for path in ["/api/v1/status", "/api/v1/capabilities"] {
        bench.get(path).is(403, "forbidden");
    }
}

// covers: wire.404, wire.405, wire.415, wire.413, wire.utf8, error.envelope, wire.json
#[test]
fn errors_of_the_wire_have_the_same_envelope() {
    let bench = Bench::start();
    for path in [
        "/doc",
        "/api/v1",
        "/api/v1/",
        "/api/v2/sense",
        "/api/v1/sense/",
        "/api/v1/dive",
        "/api/v1/protocols/a/b",
    ] {
        bench.get(path).is(404, "not_found");
    }
    for (method, path, allow) in [
        ("GET", "/api/v1/sense", "POST"),
        ("DELETE", "/api/v1/usage", "GET"),
        ("OPTIONS", "/api/v1/sense", "POST"),
    ] {
        let answer = bench.send(method, path, &[], b"");
        answer.is(405, "method_not_allowed");
        assert!(answer.header("allow").contains(allow), "{:?}", answer.headers);
        assert!(answer.body.contains(&format!("; send {allow}\"")), "{}", answer.body);
        assert_eq!(answer.header("access-control-allow-origin"), "");
    }
    let bearer = format!("Bearer {}", bench.test);
    let body = sense("courtesy", KIND).to_string();
    let post = |headers: &[(&str, &str)], body: &[u8]| {
        let mut all = vec![("Authorization", bearer.as_str())];
        all.extend(headers);
        bench.send("POST", "/api/v1/sense", &all, body)
    };
    for media in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin1",
        "application/jsonx",
    ] {
        post(&[("Content-Type", media)], body.as_bytes()).is(415, "unsupported_media_type");
    }
    post(&[], body.as_bytes()).is(415, "unsupported_media_type");
    let packed = post(&[("Content-Type", "application/json"), ("Content-Encoding", "gzip")], b"x");
    packed.is(415, "unsupported_media_type");
    assert!(packed.body.contains("must not be compressed"), "{}", packed.body);
    post(&[("Content-Type", "application/json"), ("Content-Encoding", "identity")], body.as_bytes())
        .good("Sense");
    for media in ["application/json", "Application/JSON; charset=UTF-8"] {
        post(&[("Content-Type", media)], body.as_bytes()).good("Sense");
    }
    let latin = post(&[("Content-Type", "application/json")], b"{\"target\": \"\xff\"}");
    latin.is(400, "invalid_request");
    assert_eq!(latin.details()["place"], "byte 12");
    let large = format!("{{\"target\": \"{}\"}}", "x".repeat(1 << 20));
    let answer = post(&[("Content-Type", "application/json")], large.as_bytes());
    answer.is(413, "payload_too_large");
    assert_eq!(answer.details()["limit"], 1 << 20);
    let chunked = format!("{:x}\r\n{large}\r\n0\r\n\r\n", large.len());
    let headers = [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")];
    post(&headers, chunked.as_bytes()).is(413, "payload_too_large");
    // Chunks that break the rules are not a connection that closes.
    let text = sense("courtesy", KIND).to_string();
    let long = format!("{:x}\r\n{text}\r\n0\r\nX-A: {}\r\n\r\n", text.len(), "a".repeat(200_000));
    let refused = post(&headers, long.as_bytes());
    refused.is(400, "invalid_request");
    assert!(refused.body.contains("is not written in chunks as HTTP asks for: "), "{}", refused.body);
    let refused = post(&headers, b"no size\r\n");
    assert!(refused.body.contains("; send it with `Content-Length`\""), "{}", refused.body);
    let query = bench.post("/api/v1/sense?profile=raw", &sense("courtesy", KIND));
    query.is(400, "invalid_request");
    assert_eq!(query.details()["place"], "profile");
}

// covers: limits.sizes
#[test]
fn interactions_have_limits() {
    let bench = bench();
    let ask = |interaction| {
        bench.post("/api/v1/sense", &json!({"target": target("desk"), "interaction": interaction}))
    };
    let most = format!("{}that is ", "that is the ".repeat(16_666));
    ask(json!({"content": most})).good("Sense");
    let long = ask(json!({"content": format!("{most}!")}));
    long.is(413, "payload_too_large");
    assert_eq!(long.details(), json!({"place": "interaction.content", "limit": 200_000}));
    let turns =
        |count: usize| json!({"segments": vec![json!({"role": "a", "content": "thank you all"}); count]});
    ask(turns(2_000)).good("Sense");
    let many = ask(turns(2_001));
    many.is(413, "payload_too_large");
    assert_eq!(many.details(), json!({"place": "interaction.segments", "limit": 2_000}));
}

/// A request whose body the service asks for.
fn under_way(bench: &Bench, length: usize) -> TcpStream {
    let mut stream = bench.open();
    let head = format!(
        "POST /api/v1/sense HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nExpect: 100-continue\r\n\r\n",
        bench.test
    );
    stream.write_all(head.as_bytes()).expect("is taken");
    let mut told = *b"HTTP/1.1 100 Continue\r\n\r\n";
    stream.read_exact(&mut told).expect("is answered");
    assert_eq!(String::from_utf8_lossy(&told), "HTTP/1.1 100 Continue\r\n\r\n");
    stream
}

// covers: limits.time, limits.concurrency
#[test]
fn slow_bodies_and_crowds_are_sent_away() {
    let limits = Limits {
        arrival: Duration::from_secs(5),
        turn: Duration::from_secs(1),
        arriving: 1,
        ..Limits::default()
    };
    let bench = Bench::with(limits);
    let mut slow = under_way(&bench, 100);
    slow.write_all(b"{").expect("is taken");
    let crowded = bench.post("/api/v1/sense", &sense("desk", ONE));
    crowded.is(503, "unavailable");
    assert!(crowded.number("retry-after") >= 1);
    bench.get("/api/v1/usage").good("Usage");
    for path in ["/healthz", "/readyz"] {
        assert_eq!(bench.send("GET", path, &[], b"").status, 200, "who watches is always answered");
    }
    read(slow).is(408, "request_timeout");
    bench.get("/api/v1/usage").good("Usage");
    let mut silent = bench.open();
    silent.write_all(b"GET /api/v1/usage HTT").expect("is taken");
    let mut rest = Vec::new();
    silent.set_read_timeout(Some(Duration::from_secs(60))).expect("can be set");
    let _ = silent.read_to_end(&mut rest).expect("the server ends it");
}

// covers: wire.shutdown
#[test]
fn a_stop_lets_what_is_under_way_finish() {
    let mut bench = Bench::start();
    let body = sense("courtesy", KIND).to_string();
    let mut under_way = under_way(&bench, body.len());
    under_way.write_all(&body.as_bytes()[..10]).expect("is taken");
    let rest = body.as_bytes()[10..].to_vec();
    let answered = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        under_way.write_all(&rest).expect("is taken");
        read(under_way)
    });
    assert!(bench.stop());
    answered.join().expect("ends well").good("Sense");
    assert!(TcpStream::connect(bench.address()).is_err(), "nobody is let in any more");
}

// covers: wire.cors
#[test]
fn pages_of_other_places_are_let_in_nowhere() {
    let bench = Bench::start();
    let origin = ("Origin", "https://elsewhere.example");
    let ask = ("Access-Control-Request-Method", "POST");
    let asked = bench.send("OPTIONS", "/api/v1/sense", &[origin, ask], b"");
    asked.is(405, "method_not_allowed");
    let bearer = format!("Bearer {}", bench.test);
    let answer = bench.send("GET", "/api/v1/usage", &[origin, ("Authorization", &bearer)], b"");
    for answer in [asked, answer] {
        assert!(
            !answer.headers.keys().any(|name| name.starts_with("access-control-")),
            "{:?}",
            answer.headers
        );
    }
}

#[test]
fn a_client_that_asks_before_it_sends_is_not_told_to_send_what_is_refused() {
    let bench = bench();
    let good = format!("Bearer {}", bench.test);
    for (bearer, length, status) in [("Bearer nobody", 99, 401), (good.as_str(), 99_999_999, 413)] {
        let mut stream = bench.open();
        let head = format!(
            "POST /api/v1/sense HTTP/1.1\r\nHost: localhost\r\nAuthorization: {bearer}\r\nContent-Type: application/json\r\n\
             Expect: 100-continue\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("is taken");
        assert_eq!(read(stream).status, status, "not 100");
    }
}

// covers: wire.health, wire.metrics, wire.openapi, wire.docs, wire.request_id
#[test]
fn what_is_served_beside_the_interface() {
    let bench = bench();
    for path in ["/healthz", "/readyz"] {
        bench.send("GET", path, &[], b"").good("Health");
    }
    bench.post("/api/v1/sense", &sense("desk", ONE)).good("Sense");
    bench.send("GET", "/nowhere", &[], b"").is(404, "not_found");
    let figures = bench.send("GET", "/metrics", &[], b"");
    assert!(figures.header("content-type").starts_with("application/openmetrics-text"));
    for gauge in ["sonometer_jobs 0", "sonometer_notifications 0", "sonometer_streams 0"] {
        assert!(figures.body.lines().any(|line| line == gauge), "{gauge}: {}", figures.body);
    }
    // Nobody can make a label of a path that is none, and the help says that these are not counted.
    let about = "# HELP sonometer_requests Requests that an endpoint answered; unknown paths and wrong methods are in the log only.";
    assert!(
        figures.body.lines().any(|line| line == about) && !figures.body.contains("status=\"404\""),
        "{}",
        figures.body
    );
    let line = "sonometer_requests_total{method=\"POST\",route=\"/api/v1/sense\",status=\"200\"} 1";
    assert!(
        figures.body.contains(line) && figures.body.contains("sonometer_ics_total{mode=\"test\"} 1"),
        "{}",
        figures.body
    );
    assert!(!figures.body.contains("acme") && !figures.body.contains("tok_"));
    let document = bench.send("GET", "/openapi.json", &[], b"").json();
    assert_eq!(
        (&document["openapi"], document["paths"].as_object().map(serde_json::Map::len)),
        (&json!("3.1.0"), Some(31))
    );
    let page = bench.send("GET", "/docs", &[], b"");
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    for outside in ["http://", "https://", "<script ", "<link", "<img", "@import", "url("] {
        assert!(!page.body.contains(outside), "{outside}");
    }
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; ") && policy.contains("connect-src 'self'"), "{policy}");
    let home = bench.send("GET", "/", &[], b"");
    assert_eq!((home.status, home.header("location"), home.body.as_str()), (303, "/docs", ""));
    let ids: Vec<_> = (0..2).map(|_| bench.get("/api/v1/usage").header("x-request-id").to_owned()).collect();
    assert!(ids[0].starts_with("req_") && ids[0] != ids[1]);
    assert_eq!(bench.send("HEAD", "/api/v1/capabilities", &[], b"").body, "");
}
