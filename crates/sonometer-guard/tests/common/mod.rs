//! What the tests share: guards, recorded streams, and what a client would have read.
#![allow(dead_code)]

use serde_json::Value;
use sonometer::{Error, Instrument, TargetKind};
use sonometer_catalog::{Shipped, find_any};
use sonometer_guard::{Blocked, Exchange, Form, Guard, Kind, Policy, Stream};
use std::sync::LazyLock;

/// How many cases a property is tried on: as many as `SONOMETER_CASES` says, or else `usual`.
pub(crate) fn cases(usual: u32) -> u32 {
    std::env::var("SONOMETER_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

pub(crate) fn find(target: &str) -> Result<Instrument, Error> {
    let entry = find_any(target, &TargetKind::ALL).map_err(|none| Error::invalid("", none.to_string()))?;
    Instrument::new(entry.document()?.0, &Shipped)
}

pub(crate) fn guard(policy: &str) -> Guard {
    let policy: Policy = serde_json::from_str(policy).expect("is a policy");
    Guard::new(&policy, find).expect("compiles")
}

/// What the provider gets of a request that passes.
pub(crate) fn sent(guard: &Guard, form: Form, body: &str) -> String {
    let exchange = guard.request(form, body.as_bytes()).unwrap_or_else(|blocked| panic!("{blocked}"));
    String::from_utf8(exchange.body().to_vec()).expect("is UTF-8")
}

/// Why a request is refused.
pub(crate) fn refused(guard: &Guard, form: Form, body: &str) -> Kind {
    guard.request(form, body.as_bytes()).expect_err("is refused").kind
}

/// Placeholders for all that `personal-data` finds in requests.
pub(crate) const REVERSIBLE: &str =
    r#"{"placeholders": true, "rules": [{"action": "mask", "target": "personal-data", "on": "request"}]}"#;

/// Masks everything by `personal-data`.
pub(crate) fn masking() -> Guard {
    static GUARD: LazyLock<Guard> =
        LazyLock::new(|| Guard::new(&Policy::mask("personal-data"), find).expect("compiles"));
    GUARD.clone()
}

pub(crate) fn begin(guard: &Guard, form: Form) -> Exchange {
    let body = match form {
        Form::Messages => {
            r#"{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"Hi"}]}"#
        }
        Form::Responses => r#"{"model":"m","stream":true,"input":"Hi"}"#,
        Form::Completions => r#"{"model":"m","stream":true,"prompt":"Hi"}"#,
        _ => r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}"#,
    };
    guard.request(form, body.as_bytes()).expect("passes")
}

/// Everything that comes out of a stream that comes in as these parts. `look` sees what the client holds after each.
pub(crate) fn run(
    mut stream: Stream,
    parts: &[&[u8]],
    mut look: impl FnMut(&[u8]),
) -> Result<Vec<u8>, (Blocked, Vec<u8>)> {
    let mut out = Vec::new();
    for part in parts {
        if let Err(blocked) = stream.push(part, &mut out) {
            return Err((blocked, out));
        }
        look(&out);
    }
    match stream.finish(&mut out) {
        Ok(()) => Ok(out),
        Err(blocked) => Err((blocked, out)),
    }
}

/// The data of every event.
pub(crate) fn events(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).expect("is UTF-8");
    let data =
        text.split("\n\n").filter_map(|frame| frame.lines().find_map(|line| line.strip_prefix("data: ")));
    data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).expect("is JSON")).collect()
}

/// The texts of a stream by name, as a client puts them together. The bytes may end within an event.
pub(crate) fn joined(form: Form, bytes: &[u8]) -> std::collections::BTreeMap<String, String> {
    let whole = bytes.windows(2).rposition(|two| two == b"\n\n").map_or(0, |at| at + 2);
    let mut all = std::collections::BTreeMap::<String, String>::new();
    let mut add =
        |key: String, text: Option<&str>| all.entry(key).or_default().push_str(text.unwrap_or_default());
    for event in events(&bytes[..whole]) {
        match form {
            Form::Messages => {
                let index = &event["index"];
                for (key, text) in [
                    ("text", &event["delta"]["text"]),
                    ("json", &event["delta"]["partial_json"]),
                    ("thinking", &event["delta"]["thinking"]),
                ] {
                    if text.is_string() {
                        add(format!("{index} {key}"), text.as_str());
                    }
                }
            }
            Form::Responses => {
                let kind = event["type"].as_str().unwrap_or_default();
                if kind.ends_with(".delta") {
                    add(
                        format!("{} {kind} {}", event["output_index"], event["content_index"]),
                        event["delta"].as_str(),
                    );
                }
            }
            _ => {
                for choice in event["choices"].as_array().into_iter().flatten() {
                    let index = &choice["index"];
                    let delta = &choice["delta"];
                    for key in ["content", "refusal", "reasoning_content"] {
                        if delta[key].is_string() {
                            add(format!("{index} {key}"), delta[key].as_str());
                        }
                    }
                    if choice["text"].is_string() {
                        add(format!("{index} text"), choice["text"].as_str());
                    }
                    for call in delta["tool_calls"].as_array().into_iter().flatten() {
                        add(
                            format!("{index} tool {}", call["index"]),
                            call["function"]["arguments"].as_str(),
                        );
                    }
                }
            }
        }
    }
    all
}
