//! Citations name places in a text. They are right in the text that the client holds, whatever masks and restored values made of it.

mod common;

use common::{REVERSIBLE, events, guard, joined, masking, run, sent};
use serde_json::{Value, json};
use sonometer_guard::{Form, Guard};

const ASK: &str = "Ask ann@example.org and bob@example.net. é";
/// What the model says to it, with two citations: `(source)` and `[one]`.
const SAID: &str = "é: <EMAIL_ADDRESS_1> (source) or <EMAIL_ADDRESS_2> [one]. Card 4111 1111 1111 1111";
const SHOWN: &str = "é: ann@example.org (source) or bob@example.net [one]. Card 4111 1111 1111 1111";

fn find(text: &str, part: &str) -> (usize, usize) {
    let at = text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
    let start = text[..at].chars().count();
    (start, start + part.chars().count())
}

/// What a citation cites.
fn cited(text: &str, citation: &Value) -> String {
    let place = |key: &str| usize::try_from(citation[key].as_u64().expect("is a place")).expect("fits");
    text.chars().skip(place("start_index")).take(place("end_index") - place("start_index")).collect()
}

fn citation(part: &str) -> Value {
    let (start, end) = find(SAID, part);
    json!({"type": "url_citation", "start_index": start, "end_index": end, "title": "t", "url": "https://a.example"})
}

fn in_chat(part: &str) -> Value {
    let mut inner = citation(part);
    inner.as_object_mut().expect("is one").remove("type");
    json!({"type": "url_citation", "url_citation": inner})
}

fn chat(guard: &Guard, answer: &Value) -> Value {
    let request = json!({"messages": [{"role": "user", "content": ASK}]}).to_string();
    let mut exchange = guard.request(Form::Chat, request.as_bytes()).expect("passes");
    let shown = exchange.response(200, answer.to_string().as_bytes()).expect("passes");
    serde_json::from_slice(&shown).expect("is JSON")
}

#[test]
fn places_of_whole_answers_are_those_of_the_shown_text() {
    let citations = json!([in_chat("(source)"), in_chat("[one]"), in_chat("<EMAIL_ADDRESS_2>")]);
    // `annotations` before the text and behind it.
    let before = json!({"choices": [{"message": {"annotations": citations, "content": SAID}}]});
    let behind = json!({"choices": [{"message": {"content": SAID, "role": "assistant", "zannotations": 1}}]})
        .to_string()
        .replace("\"zannotations\":1", &format!("\"annotations\":{citations}"));
    for answer in [before, serde_json::from_str(&behind).expect("is JSON")] {
        let shown = chat(&guard(REVERSIBLE), &answer);
        let message = &shown["choices"][0]["message"];
        assert_eq!(message["content"], SHOWN);
        let found: Vec<String> =
            (0..3).map(|at| cited(SHOWN, &message["annotations"][at]["url_citation"])).collect();
        assert_eq!(found, ["(source)", "[one]", "bob@example.net"]);
    }
    // Masks move places, too; a citation that ends within one has all of it.
    let said = "Write to jo@example.org, see (source).";
    let (start, end) = find(said, "example.org, see");
    let note =
        json!({"type": "url_citation", "url_citation": {"start_index": start, "end_index": end, "url": "u"}});
    let shown = chat(
        &guard(r#"{"rules": [{"action": "mask", "target": "personal-data", "mask": "label"}]}"#),
        &json!({"choices": [{"message": {"content": said, "annotations": [note]}}]}),
    );
    let message = &shown["choices"][0]["message"];
    let text = message["content"].as_str().expect("is text");
    assert_eq!(cited(text, &message["annotations"][0]["url_citation"]), "<EMAIL_ADDRESS>, see");
}

#[test]
fn a_citation_of_a_file_has_one_place() {
    let said = "<EMAIL_ADDRESS_1> wrote it.";
    let answer = json!({"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text",
        "annotations": [{"type": "file_citation", "index": 26, "file_id": "f", "filename": "a.txt"}], "text": said}]}]});
    let request = json!({"input": ASK}).to_string();
    let mut exchange = guard(REVERSIBLE).request(Form::Responses, request.as_bytes()).expect("passes");
    let shown = exchange.response(200, answer.to_string().as_bytes()).expect("passes");
    let shown: Value = serde_json::from_slice(&shown).expect("is JSON");
    assert_eq!(shown["output"][0]["content"][0]["annotations"][0]["index"], 24);
    // The history goes back as the provider wrote it.
    let history = json!({"input": [{"role": "user", "content": ASK}, shown["output"][0]]}).to_string();
    let back: Value =
        serde_json::from_str(&sent(&guard(REVERSIBLE), Form::Responses, &history)).expect("is JSON");
    assert_eq!(back["input"][1], answer["output"][0]);
}

/// The text waits while a mask could still reach it, and a citation waits for its text.
#[test]
fn places_of_streamed_chats_are_those_of_the_shown_text() {
    let both = guard(
        r#"{"placeholders": true, "rules": [{"action": "mask", "target": "personal-data", "on": "request"},
            {"action": "mask", "target": "personal-data", "on": "response", "markers": ["payment_card"]}]}"#,
    );
    let request = json!({"stream": true, "messages": [{"role": "user", "content": ASK}]}).to_string();
    let chunk = |delta: &Value, reason: &Value| {
        let data = json!({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
        format!("data: {data}\n\n")
    };
    for guard in [&guard(REVERSIBLE), &both] {
        for last in [true, false] {
            let mut bytes: String = SAID
                .split_inclusive(' ')
                .map(|part| chunk(&json!({"content": part}), &Value::Null))
                .collect();
            let citations = json!([in_chat("(source)"), in_chat("[one]"), in_chat("1111 1111")]);
            let reason = if last { json!("stop") } else { Value::Null };
            bytes.push_str(&chunk(&json!({"annotations": citations}), &reason));
            if !last {
                bytes.push_str(&chunk(&json!({}), &json!("stop")));
            }
            bytes.push_str("data: [DONE]\n\n");
            let stream = guard.request(Form::Chat, request.as_bytes()).expect("passes").stream();
            let out = run(stream, &[bytes.as_bytes()], |_| {}).expect("passes");
            let text = &joined(Form::Chat, &out)["0 content"];
            let lists: Vec<Value> = events(&out)
                .iter()
                .map(|event| event["choices"][0]["delta"]["annotations"].clone())
                .filter(Value::is_array)
                .collect();
            assert_eq!(lists.len(), 1, "{out:?}");
            let found: Vec<String> = (0..2).map(|at| cited(text, &lists[0][at]["url_citation"])).collect();
            assert_eq!(found, ["(source)", "[one]"]);
        }
    }
}

#[test]
fn places_of_streamed_responses_are_those_of_the_shown_text() {
    let request = json!({"stream": true, "input": ASK}).to_string();
    let mut bytes = String::new();
    let mut number = 0;
    let mut write = |kind: &str, mut event: Value| {
        event["type"] = json!(kind);
        event["sequence_number"] = json!(number);
        number += 1;
        bytes.push_str(&format!("event: {kind}\ndata: {event}\n\n"));
    };
    let place = json!({"item_id": "m", "output_index": 0, "content_index": 0});
    let with = |more: Value| {
        let mut all = place.clone();
        all.as_object_mut().expect("is one").extend(more.as_object().expect("is one").clone());
        all
    };
    let text = "é: <EMAIL_ADDRESS_1> (source) or <EMAIL_ADDRESS_2> [one]";
    for (at, part) in ["é: <EMAIL_ADDRESS_1> (source)", " or <EMAIL_ADDRESS_2> [one]"].into_iter().enumerate()
    {
        write("response.output_text.delta", with(json!({"delta": part})));
        let cites = citation(["(source)", "[one]"][at]);
        write(
            "response.output_text.annotation.added",
            with(json!({"annotation_index": at, "annotation": cites})),
        );
    }
    write("response.output_text.done", with(json!({"text": text})));
    let part = json!({"type": "output_text", "annotations": [citation("(source)"), citation("[one]")], "text": text});
    write("response.content_part.done", with(json!({"part": part})));
    let item = json!({"type": "message", "role": "assistant", "content": [part]});
    write("response.completed", json!({"response": {"id": "r", "output": [item]}}));
    let held = guard(
        r#"{"placeholders": true, "rules": [{"action": "mask", "target": "personal-data", "on": "both"}]}"#,
    );
    for guard in [&guard(REVERSIBLE), &held] {
        let stream = guard.request(Form::Responses, request.as_bytes()).expect("passes").stream();
        let out = run(stream, &[bytes.as_bytes()], |_| {}).expect("passes");
        let all = events(&out);
        let numbers: Vec<u64> =
            all.iter().map(|event| event["sequence_number"].as_u64().expect("is one")).collect();
        assert!(numbers.windows(2).all(|two| two[0] + 1 == two[1]), "{numbers:?}");
        let done = all.iter().find(|event| event["type"] == "response.output_text.done").expect("is there");
        let text = done["text"].as_str().expect("is text");
        let mut found: Vec<Value> = all
            .iter()
            .filter(|event| event["type"] == "response.output_text.annotation.added")
            .map(|event| event["annotation"].clone())
            .collect();
        let wholes =
            [&all[all.len() - 2]["part"], &all[all.len() - 1]["response"]["output"][0]["content"][0]];
        for whole in wholes {
            assert_eq!(whole["text"], text);
            found.extend(whole["annotations"].as_array().expect("is a list").clone());
        }
        let found: Vec<String> = found.iter().map(|citation| cited(text, citation)).collect();
        assert_eq!(found, ["(source)", "[one]"].repeat(3));
    }
}

/// Citations of Anthropic name places in the document of the request, which was masked on its way.
#[test]
fn places_in_documents_are_those_of_the_clients_text() {
    let document = |text: &str| {
        json!({"type": "document", "title": "Ann, ann@example.org", "citations": {"enabled": true},
            "source": {"type": "text", "media_type": "text/plain", "data": text}})
    };
    let (first, second) = ("No data here. None.", "Ann is ann@example.org. The grass is green.");
    let user = json!({"role": "user", "content": [document(first), document(second), {"type": "text", "text": "?"}]});
    let request = json!({"messages": [user]}).to_string();
    for (policy, _) in
        [(REVERSIBLE, true), (r#"{"rules": [{"action": "mask", "target": "personal-data"}]}"#, false)]
    {
        let guard = guard(policy);
        let seen: Value = serde_json::from_str(&sent(&guard, Form::Messages, &request)).expect("is JSON");
        let data = seen["messages"][0]["content"][1]["source"]["data"].as_str().expect("is text");
        assert_ne!(data, second);
        let citation = |document: usize, text: &str, part: &str| {
            let (start, end) = find(text, part);
            json!({"type": "char_location", "document_index": document, "document_title": "t", "cited_text": part,
                "start_char_index": start, "end_char_index": end})
        };
        let citations = [citation(0, first, "None."), citation(1, data, "The grass is green.")];
        let block = json!({"type": "text", "text": "Green.", "citations": citations});
        let answer = json!({"type": "message", "role": "assistant", "content": [block]});
        let mut exchange = guard.request(Form::Messages, request.as_bytes()).expect("passes");
        let shown = exchange.response(200, answer.to_string().as_bytes()).expect("passes");
        let shown: Value = serde_json::from_slice(&shown).expect("is JSON");
        let stream = guard.request(Form::Messages, request.as_bytes()).expect("passes").stream();
        let mut bytes = String::new();
        let mut write = |event: Value| bytes.push_str(&format!("data: {event}\n\n"));
        write(json!({"type": "message_start", "message": {"content": []}}));
        write(
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "", "citations": []}}),
        );
        for citation in &citations {
            write(
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": citation}}),
            );
        }
        write(json!({"type": "content_block_stop", "index": 0}));
        write(json!({"type": "message_stop"}));
        let out = run(stream, &[bytes.as_bytes()], |_| {}).expect("passes");
        let streamed: Vec<Value> = events(&out)
            .iter()
            .map(|event| event["delta"]["citation"].clone())
            .filter(Value::is_object)
            .collect();
        for found in [shown["content"][0]["citations"].as_array().expect("is a list"), &streamed] {
            for (found, text) in found.iter().zip([first, second]) {
                let (start, end) = find(text, found["cited_text"].as_str().expect("is text"));
                assert_eq!(
                    (&found["start_char_index"], &found["end_char_index"]),
                    (&json!(start), &json!(end))
                );
            }
        }
        // The history goes back as the provider wrote it.
        let history =
            json!({"messages": [user, {"role": "assistant", "content": shown["content"]}]}).to_string();
        let back: Value = serde_json::from_str(&sent(&guard, Form::Messages, &history)).expect("is JSON");
        assert_eq!(back["messages"][1]["content"][0]["citations"], json!(citations));
    }
}

/// Where the provider keeps the documents before it, nothing says which one a number means.
#[test]
fn places_in_documents_of_a_thread_stay_as_they_came() {
    let guard = guard(r#"{"rules": [{"action": "mask", "target": "personal-data"}]}"#);
    let source = json!({"type": "text", "media_type": "text/plain", "data": ASK});
    let user = json!({"role": "user", "content": [{"type": "document", "source": source}]});
    let thread = json!({"type": "continue", "previous_message_id": "m"});
    let request = json!({"messages": [user], "thread": thread}).to_string();
    let citation = json!({"type": "char_location", "document_index": 0, "cited_text": "é", "start_char_index": 41,
        "end_char_index": 42});
    let answer = json!({"content": [{"type": "text", "text": "é", "citations": [citation]}]}).to_string();
    let mut exchange = guard.request(Form::Messages, request.as_bytes()).expect("passes");
    assert_eq!(exchange.response(200, answer.as_bytes()).expect("passes"), answer.as_bytes());
}

#[test]
fn what_is_not_moved_stays_as_it_came() {
    let answer = r#"{"choices": [{"message": {"annotations": [{"type":"url_citation","url_citation":{"start_index": 2.0, "end_index":-1,"index":"x"}}], "content": "Nothing."}}]}"#;
    let request = json!({"messages": [{"role": "user", "content": ASK}]}).to_string();
    let mut exchange = masking().request(Form::Chat, request.as_bytes()).expect("passes");
    assert_eq!(exchange.response(200, answer.as_bytes()).expect("passes"), answer.as_bytes());
}
