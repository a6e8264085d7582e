//! Messages of chat interfaces: the table that every door follows, and what is refused.

use serde_json::Value;
use sonometer::interaction::{Apart, MAX_NOTICES};
use sonometer::{Interaction, MessageForm, Messages, Turn};

fn table(name: &str) -> Vec<Value> {
    let path = format!("{}/../../fixtures/chat/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).expect("is there")).expect("is JSON")
}

fn turns(interaction: &Interaction) -> Value {
    let pair = |turn: &Turn| serde_json::json!([turn.role, turn.content]);
    interaction.turns().iter().map(pair).collect()
}

#[test]
fn the_table_of_all_doors() {
    let table = table("messages");
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

/// The turns with their places, and their times where they have one.
fn placed(messages: &Messages) -> Value {
    let turns = messages.interaction.turns().iter().zip(&messages.places);
    turns
        .map(|(turn, place)| {
            let mut row = vec![serde_json::json!(turn.role), (&*turn.content).into(), place.as_str().into()];
            row.extend(
                turn.timestamp.map(|time| serde_json::from_str(&time.to_string()).expect("is a number")),
            );
            Value::Array(row)
        })
        .collect()
}

#[test]
fn chats_of_every_form() {
    for case in table("forms") {
        let name = case["name"].as_str().expect("has a name");
        let form = case["named"].as_str().map(MessageForm::from_name).transpose();
        let read = form.and_then(|form| Messages::read(&case["json"].to_string(), form));
        match case["error"].as_str() {
            None => {
                let read = read.unwrap_or_else(|error| panic!("{name}: {error}"));
                let apart = |a: &Apart| serde_json::json!([a.kind.name(), a.name, a.text, a.place]);
                assert_eq!(read.form.name(), case["form"], "{name}");
                assert_eq!(placed(&read), case["turns"], "{name}");
                assert_eq!(read.apart.iter().map(apart).collect::<Value>(), case["apart"], "{name}");
                assert_eq!(serde_json::json!(read.notices), case["notices"], "{name}");
                let json: Value = serde_json::from_str(&read.to_json()).expect("is JSON");
                assert_eq!((&json["form"], &json["notices"]), (&case["form"], &case["notices"]), "{name}");
                let again =
                    Interaction::from_json(&json["interaction"].to_string()).expect("is an interaction");
                assert_eq!(again, read.interaction, "{name}");
            }
            Some(place) => {
                let error = read.expect_err(name);
                assert_eq!(
                    (error.place.as_str(), error.message.as_str()),
                    (place, case["message"].as_str().expect(name)),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn lists_of_turns_are_of_no_other_form() {
    let json = r#"[{"type": "human", "data": {"content": "Hi"}}]"#;
    assert!(Interaction::from_messages(json).is_ok());
    assert_eq!(Interaction::from_turns(json).expect_err("is refused").place, "segments[0].data");
}

#[test]
fn every_form_has_a_name() {
    for name in MessageForm::NAMES {
        let form = MessageForm::from_name(name).expect("is a form");
        assert_eq!(form.name(), name.replace("anthropic", "openai"));
    }
}

#[test]
fn notices_are_few_however_much_is_unknown() {
    let keys: Vec<String> = (0..5_000).map(|at| format!("\"k{at}\": 1")).collect();
    let json = format!(r#"{{"contents": [{{"parts": [{{"text": "Hi", {}}}]}}]}}"#, keys.join(","));
    let read = Messages::read(&json, None).expect("is read");
    assert_eq!(read.notices.len(), MAX_NOTICES + 1);
    assert_eq!(read.notices[MAX_NOTICES], "and 4980 more were skipped");
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
        assert_eq!(Interaction::from_turns(json).expect_err(json), error);
        assert_eq!((error.place.as_str(), error.message.contains(part)), (place, true), "{json}: {error}");
    }
}

#[test]
fn an_empty_chat_is_told_as_one() {
    for json in ["", " \n"] {
        let error = Interaction::from_messages(json).expect_err("is refused");
        assert!(
            error.place.is_empty() && error.message.starts_with("the input is empty; write `[{"),
            "{error}"
        );
    }
}

#[test]
fn messages_may_have_times() {
    let json = r#"[{"role": "a", "content": [{"type": "text", "text": "x"}], "timestamp": 2.5}]"#;
    let read = Interaction::from_messages(json).expect("is read");
    assert_eq!(read.turns()[0].timestamp.map(|time| time.to_string()).as_deref(), Some("2.5"));
}

#[test]
fn a_time_that_is_null_is_none() {
    let of = |time: &str| {
        Interaction::from_json(&format!(r#"{{"segments": [{{"role": "a", "content": "x"{time}}}]}}"#))
    };
    assert_eq!(of(r#", "timestamp": null"#).expect("is read"), of("").expect("is read"));
    let error = of(r#", "timestamp": "null""#).expect_err("a text is no time");
    assert_eq!(error.place, "segments[0].timestamp");
}
