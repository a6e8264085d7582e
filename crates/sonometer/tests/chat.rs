//! Messages of chat interfaces: the table that every door follows, and what is refused.

use serde_json::Value;
use sonometer::{Interaction, Turn};

fn table() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chat/messages.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("is there")).expect("is JSON")
}

fn turns(interaction: &Interaction) -> Value {
    let pair = |turn: &Turn| serde_json::json!([turn.role, turn.content]);
    interaction.turns().iter().map(pair).collect()
}

#[test]
fn the_table_of_all_doors() {
    let table = table();
    assert!(table.len() > 10);
    for case in &table {
        let name = case["name"].as_str().expect("has a name");
        let read = Interaction::from_messages(&case["messages"].to_string());
        match case["error"].as_str() {
            None => {
                assert_eq!(turns(&read.expect(name)), case["turns"], "{name}");
            }
            Some(place) => {
                let error = read.expect_err(name);
                assert_eq!(error.place, format!("segments{place}"), "{name}");
                assert_eq!(error.message, case["message"].as_str().expect("has a message"), "{name}");
            }
        }
    }
}

#[test]
fn what_is_no_message_is_refused_with_its_place() {
    for (json, place, part) in [
        ("[]", "segments", "at least one segment"),
        ("{}", "segments", "expected a list of messages, found a map"),
        ("[", "line 1, column 1", ""),
        ("[null]", "segments[0]", "expected an object, found null"),
        (r#"["hello"]"#, "segments[0]", "expected an object, found text"),
        (r#"[{"content": "a"}]"#, "segments[0].role", "`role` is missing"),
        (r#"[{"role": "", "content": "a"}]"#, "segments[0].role", "every segment needs a role"),
        (r#"[{"role": "user"}]"#, "segments[0].content", "`content` is missing"),
        (r#"[{"role": "user", "content": null}]"#, "segments[0].content", "`content` is null"),
        (r#"[{"role": "assistant", "content": 7}]"#, "segments[0].content", "`content` is a number"),
        (r#"[{"role": "assistant", "content": {"a": 1}}]"#, "segments[0].content", "`content` is a map"),
        (r#"[{"role": "a", "contents": "x"}]"#, "segments[0].contents", "did you mean `content`"),
        (
            r#"[{"role": "a", "content": "x", "said": "y"}]"#,
            "segments[0].said",
            "the known keys are content, role, timestamp",
        ),
        (
            r#"[{"role": "a", "content": ["x"]}]"#,
            "segments[0].content[0]",
            "a content part must be an object",
        ),
        (
            r#"[{"role": "a", "content": [{"text": "x"}]}]"#,
            "segments[0].content[0].type",
            "`type` is missing",
        ),
        (r#"[{"type": "poem", "text": "x"}]"#, "segments[0].text", "unknown key"),
    ] {
        let error = Interaction::from_messages(json).expect_err(json);
        assert_eq!((error.place.as_str(), error.message.contains(part)), (place, true), "{json}: {error}");
    }
}

#[test]
fn messages_may_have_times() {
    let json = r#"[{"role": "a", "content": [{"type": "text", "text": "x"}], "timestamp": 2.5}]"#;
    let read = Interaction::from_messages(json).expect("is read");
    assert_eq!(read.turns()[0].timestamp.map(|time| time.to_string()).as_deref(), Some("2.5"));
}
