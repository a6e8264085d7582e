//! Events of shells that a provider runs: commands and what they wrote come in parts, and whole behind them.

mod common;

use common::{begin, events, masking, run};
use serde_json::{Value, json};
use sonometer_guard::{Form, Kind};

const MAIL: &str = "ann@example.org";
const MASKED: &str = "***@*******.***";
const COMMAND: &str = "response.shell_call_command";
const OUTPUT: &str = "response.shell_call_output_content";

fn event(kind: String, more: Value) -> String {
    let mut event = json!({"type": kind, "output_index": 0, "command_index": 1, "sequence_number": 1});
    event.as_object_mut().expect("is one").extend(more.as_object().expect("is one").clone());
    format!("data: {event}\n\n")
}

fn last(item: &Value) -> String {
    event("response.output_item.done".into(), json!({"item": item}))
        + &event("response.completed".into(), json!({"response": {"output": [item]}}))
}

fn shown(bytes: &str) -> Vec<Value> {
    let out = run(begin(&masking(), Form::Responses).stream(), &[bytes.as_bytes()], |held| {
        assert!(!String::from_utf8_lossy(held).contains("ann"), "{}", String::from_utf8_lossy(held));
    });
    events(&out.unwrap_or_else(|(blocked, _)| panic!("{blocked}: {bytes}")))
}

/// A command may begin with an empty text, with its first part, or be whole at once.
#[test]
fn commands_are_masked_in_their_parts() {
    let command = format!("mail -s hello {MAIL} < today.txt");
    let item = json!({"type": "shell_call", "id": "s", "call_id": "c", "status": "completed",
        "action": {"commands": [command], "timeout_ms": null, "max_output_length": null}});
    for first in [0, 17, command.len()] {
        let mut bytes = event(format!("{COMMAND}.added"), json!({"command": command[..first]}));
        for letter in command[first..].chars() {
            bytes += &event(format!("{COMMAND}.delta"), json!({"delta": letter, "obfuscation": "x"}));
        }
        bytes += &event(format!("{COMMAND}.done"), json!({"command": command}));
        bytes += &last(&item);
        let events = shown(&bytes);
        let parts = events.iter().filter_map(|event| {
            let member = if event["type"] == format!("{COMMAND}.added") { "command" } else { "delta" };
            event[member].as_str()
        });
        let joined: String = parts.collect();
        assert_eq!(joined, command.replace(MAIL, MASKED));
        let done = events.iter().find(|event| event["type"] == format!("{COMMAND}.done")).expect("is there");
        assert_eq!(done["command"], joined);
        assert_eq!(events.last().expect("some")["response"]["output"][0]["action"]["commands"][0], joined);
    }
}

/// Both texts of an output come side by side.
#[test]
fn outputs_are_masked_in_their_parts() {
    let (stdout, stderr) = (format!("To: {MAIL}\nsent"), format!("warning: {MAIL} bounces"));
    let output = json!([{"stdout": stdout, "stderr": stderr, "outcome": {"type": "exit", "exit_code": 0}}]);
    let item = json!({"type": "shell_call_output", "id": "o", "call_id": "c", "status": "completed",
        "max_output_length": null, "output": output});
    let mut bytes = String::new();
    let longest = stdout.len().max(stderr.len());
    for at in 0..longest {
        let mut delta = serde_json::Map::new();
        for (name, text) in [("stdout", &stdout), ("stderr", &stderr)] {
            match text.get(at..=at) {
                Some(letter) => delta.insert(name.to_owned(), json!(letter)),
                None => delta.insert(name.to_owned(), Value::Null),
            };
        }
        bytes += &event(format!("{OUTPUT}.delta"), json!({"item_id": "o", "delta": delta}));
    }
    bytes += &event(format!("{OUTPUT}.done"), json!({"item_id": "o", "output": output}));
    bytes += &last(&item);
    let events = shown(&bytes);
    for (name, text) in [("stdout", stdout), ("stderr", stderr)] {
        let joined: String = events.iter().filter_map(|event| event["delta"][name].as_str()).collect();
        assert_eq!(joined, text.replace(MAIL, MASKED));
        let done = events.iter().find(|event| event["type"] == format!("{OUTPUT}.done")).expect("is there");
        assert_eq!(done["output"][0][name], joined);
        assert_eq!(events.last().expect("some")["response"]["output"][0]["output"][0][name], joined);
    }
    let numbers: Vec<&Value> = events.iter().map(|event| &event["sequence_number"]).collect();
    assert!(numbers.iter().all(|number| number.is_u64()), "{numbers:?}");
}

#[test]
fn what_cannot_be_read_is_refused() {
    for more in [json!({"delta": MAIL}), json!({"delta": {"stdout": 7}}), json!({})] {
        let bytes = event(format!("{OUTPUT}.delta"), more);
        let (blocked, _) = run(begin(&masking(), Form::Responses).stream(), &[bytes.as_bytes()], |_| {})
            .expect_err("is refused");
        assert_eq!(blocked.kind, Kind::Unreadable, "{bytes}");
    }
}

/// While a summary is made, an event says so; it has no text.
#[test]
fn a_summary_that_is_made_is_told() {
    let told = event("response.compaction.compacting".into(), json!({"item_id": "x"}));
    let end = event("response.completed".into(), json!({"response": {"output": []}}));
    assert_eq!(shown(&format!("{told}{end}"))[0]["type"], "response.compaction.compacting");
}
