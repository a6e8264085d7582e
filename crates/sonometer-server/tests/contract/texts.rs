//! Texts that no store keeps: U+0000 and half of a surrogate pair.

use crate::bench::{Bench, KIND};
use crate::database;
use crate::fixture::{desk, door, target};
use serde_json::{Value, json};
use sonometer_service::{Mode, Store};

/// JSON escapes that stand for no text that can be kept.
const BAD: [&str; 3] = ["\\u0000", "\\ud83d", "a\\ude00b"];
/// Replaced by one of them, in the text of a body.
const HERE: &str = "HERE";

/// A body of everything that each endpoint knows, valid as it stands but for ids that nobody has.
fn bodies() -> Vec<(&'static str, Value)> {
    let conversation = json!({
        "id": "1", "label": "l", "type": "transcript", "language": "en",
        "segments": [{"role": "agent", "content": KIND}, {"role": "customer", "content": KIND}],
    });
    let text = json!({"id": "2", "label": "l", "type": "text", "language": "en", "content": KIND});
    let file = json!({"id": "3", "label": "l", "type": "audio", "url": "https://files.example/a.wav", "channels": ["a", "b"]});
    let target = json!({"type": "protocol", "id": "courtesy", "version": "1.5"});
    let sense = |interaction: &Value| {
        json!({
            "target": target, "interaction": interaction, "options": {"profile": "raw"},
            "v1_5": {"actant": {"primary": "agent"}},
            "callback": {"url": "https://receiver.example/hook", "events": ["complete"]},
        })
    };
    vec![
        ("/api/v1/sense", sense(&conversation)),
        ("/api/v1/sense", sense(&text)),
        ("/api/v1/sense", sense(&file)),
        (
            "/api/v1/sense/compare",
            json!({"target": target, "interaction_a": conversation, "interaction_b": text}),
        ),
        ("/api/v1/sense/stream", json!({"target": target, "interaction": conversation})),
        ("/api/v1/sense/batch", json!({"target": target, "interactions": [conversation, text, file]})),
        ("/api/v1/fidelity/check", json!({"target": target, "interaction": conversation})),
        ("/api/v1/usage/estimate", json!({"target": target, "content_length": 9, "modality": "text"})),
        (
            "/api/v1/dive/open",
            json!({"stage_id": "door", "session_id": "s", "password": "p", "agent": {"id": "a", "version": "1"}}),
        ),
        ("/api/v1/dive/div_1/act", json!({"action": "hello", "turn": 1})),
        ("/api/v1/dive/div_1/close", json!({"summary": "well"})),
    ]
}

/// Every place of a text in a body.
fn texts(value: &Value, place: &str, all: &mut Vec<(String, String)>, pointer: &str) {
    match value {
        Value::String(_) => all.push((place.to_owned(), pointer.to_owned())),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                texts(item, &format!("{place}[{at}]"), all, &format!("{pointer}/{at}"));
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
                texts(value, &place, all, &format!("{pointer}/{key}"));
            }
        }
        _ => {}
    }
}

/// Addresses with U+0000, and the name of what holds it.
const ADDRESSES: [(&str, &str, &str); 12] = [
    ("GET", "/api/v1/protocols/a%00", "id"),
    ("GET", "/api/v1/protocols/courtesy?version=%00", "version"),
    ("GET", "/api/v1/metrics/%00", "id"),
    ("GET", "/api/v1/blueprints/%00", "id"),
    ("GET", "/api/v1/jobs/job_%00", "id"),
    ("DELETE", "/api/v1/jobs/job_%00", "id"),
    ("GET", "/api/v1/dive/%00", "dive_id"),
    ("GET", "/api/v1/dive/%00/status", "dive_id"),
    ("POST", "/api/v1/dive/%00/act", "dive_id"),
    ("POST", "/api/v1/dive/%00/close", "dive_id"),
    ("GET", "/api/v1/usage/history?period=%00", "period"),
    ("GET", "/api/v1/usage?%00=1", "the query of the address"),
];

/// The one list of endpoints says which take a body, and which a parameter in their path: none is forgotten here.
#[test]
fn every_endpoint_is_tried() {
    let like = |path: &str, pattern: &str| {
        let (given, named): (Vec<_>, Vec<_>) = (path.split('/').collect(), pattern.split('/').collect());
        given.len() == named.len()
            && given.iter().zip(named).all(|(part, name)| *part == name || name.starts_with('{'))
    };
    let bodies = bodies();
    let mut checked = 0;
    for (pattern, operations) in sonometer_server::openapi()["paths"].as_object().expect("there are some") {
        for (method, operation) in operations.as_object().expect("is one") {
            if operation.get("requestBody").is_some() {
                assert!(bodies.iter().any(|(path, _)| like(path, pattern)), "no body for {pattern}");
                checked += 1;
            }
            if pattern.contains('{') {
                let tried = ADDRESSES.iter().any(|(tried, path, _)| {
                    tried.eq_ignore_ascii_case(method)
                        && like(path.split('?').next().unwrap_or(path), pattern)
                });
                assert!(tried, "no address for {method} {pattern}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 15, "{checked}");
}

// covers: wire.text
#[test]
fn what_no_store_keeps_is_refused_in_every_field() {
    let bench = Bench::start();
    let mut tried = 0;
    for (path, body) in bodies() {
        let mut all = Vec::new();
        texts(&body, "", &mut all, "");
        assert!(!all.is_empty());
        for (place, pointer) in all {
            for bad in BAD {
                let mut body = body.clone();
                *body.pointer_mut(&pointer).expect("is there") = json!(HERE);
                let answer = bench.post_text(path, &body.to_string().replace(HERE, bad));
                answer.is(400, "invalid_request");
                assert_eq!(answer.details()["place"], json!(place), "{path}: {}", answer.body);
                tried += 1;
            }
        }
        let body = body.to_string();
        for (bad, place) in BAD.iter().zip(["HERE\\u0000", "HERE\\ud83d", "HEREa\\ude00b"]) {
            let answer = bench.post_text(path, &body.replacen('{', &format!("{{\"HERE{bad}\": 1, "), 1));
            answer.is(400, "invalid_request");
            assert_eq!(answer.details()["place"], json!(place), "{path}: {}", answer.body);
        }
    }
    assert!(tried > 150, "{tried}");
    assert_eq!(bench.used(Mode::Test), 0);
    // What JSON spells alike and what is text.
    let body = r#"{"target": {"type": "protocol", "id": "courtesy"}, "interaction": {"content": "Thank you \\u0000 so much, I really appreciate it \ud83d\ude00"}}"#;
    bench.post_text("/api/v1/sense", body).good("Sense");
}

// covers: wire.text.address
#[test]
fn what_no_store_keeps_is_refused_in_addresses() {
    let bench = Bench::start();
    for (method, path, place) in ADDRESSES {
        let bearer = format!("Bearer {}", bench.test);
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        let answer = bench.send(method, path, &headers, b"{}");
        answer.is(400, "invalid_request");
        assert_eq!(answer.details()["place"], place, "{method} {path}");
    }
}

#[test]
fn what_no_store_keeps_is_refused_of_administrators() {
    let bench = Bench::start();
    let (block, service) = (&bench.runtime, &bench.service);
    let name = block.block_on(service.create_org("new", "a\0b")).expect_err("is refused");
    assert_eq!(name.details.place.as_deref(), Some("name"));
    for source in [desk("1.0\0", "1.0", "published"), format!("{}#\0", door(""))] {
        let file = block.block_on(service.publish("acme", &source)).expect_err("is refused");
        assert_eq!(file.details.place.as_deref(), Some("the file"));
    }
    bench.publish("acme", &desk("1.0", "1.0", "published"));
    // A file may spell it: what it says is kept as it is written there.
    bench.publish("acme", &desk("1.1", "1.0", "published").replace("Somebody is sorry.", "\"Sorry.\\0\""));
    bench
        .post("/api/v1/sense", &json!({"target": target("desk"), "interaction": {"content": KIND}}))
        .good("Sense");
}

/// A database with an old encoding would keep German texts and refuse Chinese ones, with 503 and for ever.
#[test]
fn a_database_that_cannot_hold_every_text_is_refused_at_the_start() {
    let Some(server) = database::server() else { return };
    let name = format!("latin_{}", std::process::id());
    database::psql(&format!("CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"));
    let (host, _) = server.rsplit_once('/').expect("names a database");
    let runtime = tokio::runtime::Runtime::new().expect("can be made");
    let told = runtime.block_on(Store::open(&format!("{host}/{name}"))).map(drop).expect_err("is refused");
    assert!(told.contains("its encoding LATIN1") && told.contains("--encoding=UTF8"), "{told}");
}
