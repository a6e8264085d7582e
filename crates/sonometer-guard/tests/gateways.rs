//! What servers and gateways that speak the forms of providers do otherwise: nothing of it leaks, and nothing of a text is lost.

mod common;

use common::{begin, events, guard, joined, masking, run, sent};
use serde_json::{Value, json};
use sonometer_guard::{Blocked, Form, Guard, Kind};

fn chunk(choice: Value) -> String {
    let chunk = json!({"id": "c", "object": "chat.completion.chunk", "choices": [choice]});
    format!("data: {chunk}\n\n")
}

fn said(content: &str, reason: Value) -> String {
    chunk(json!({"index": 0, "delta": {"content": content}, "finish_reason": reason}))
}

fn streamed(guard: &Guard, form: Form, bytes: &str) -> Result<String, (Blocked, String)> {
    let text = |out| String::from_utf8(out).expect("is UTF-8");
    let result = run(begin(guard, form).stream(), &[bytes.as_bytes()], |_| {});
    result.map(text).map_err(|(blocked, out)| (blocked, text(out)))
}

/// An empty reason in every chunk is none.
#[test]
fn an_empty_finish_reason_ends_nothing() {
    let bytes = [said("Mail ann@", json!("")), said("example.org now", json!("")), said("", json!("stop"))];
    let out = streamed(&masking(), Form::Chat, &bytes.concat()).expect("passes");
    assert_eq!(joined(Form::Chat, out.as_bytes())["0 content"], "Mail ***@*******.*** now");
}

/// What has ended was shown as a whole text: a part behind it would be read without its beginning.
#[test]
fn a_choice_that_goes_on_after_its_end_is_refused() {
    let bytes = [said("Mail ann@", json!("stop")), said("example.org now", json!("stop"))].concat();
    let (blocked, out) = streamed(&masking(), Form::Chat, &bytes).expect_err("is refused");
    assert_eq!(blocked.kind, Kind::Unreadable);
    assert!(!out.contains("example"), "{out}");
    // A reason that is said twice is none.
    let bytes = [said("Hi.", json!("stop")), said("", json!("stop")), "data: [DONE]\n\n".to_owned()].concat();
    streamed(&masking(), Form::Chat, &bytes).expect("passes");
}

/// T1: `"error": null` in every chunk is none.
#[test]
fn an_error_that_is_null_ends_nothing() {
    let bytes = said("Mail me to", json!(null)).replace("\"id\"", "\"error\":null,\"id\"");
    let (blocked, _) = streamed(&masking(), Form::Chat, &bytes).expect_err("is cut");
    assert_eq!(blocked.kind, Kind::Cut);
}

/// What is held of a block comes before the end of the message, where the block has no end of its own.
#[test]
fn a_message_without_ends_of_blocks_is_shown_whole() {
    let all = [
        json!({"type": "message_start", "message": {"id": "m", "content": []}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Mail ann@example.org soon and"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        json!({"type": "message_stop"}),
    ];
    let bytes: String = all.iter().map(|event| format!("data: {event}\n\n")).collect();
    let out = streamed(&masking(), Form::Messages, &bytes).expect("passes");
    assert_eq!(joined(Form::Messages, out.as_bytes())["0 text"], "Mail ***@*******.*** soon and");
}

/// The same for a response without `.done`.
#[test]
fn a_response_without_ends_of_texts_is_shown_whole() {
    let text = "Mail ann@example.org soon and";
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    for last in ["response.completed", "response.incomplete"] {
        let all = [
            json!({"type": "response.output_text.delta", "sequence_number": 0, "output_index": 0, "content_index": 0, "item_id": "i", "delta": text}),
            json!({"type": "response.function_call_arguments.delta", "sequence_number": 1, "output_index": 1, "item_id": "j", "delta": "{\"a\":\"cut"}),
            json!({"type": last, "sequence_number": 2, "response": {"id": "r", "output": [{"type": "message", "content": [part]}]}}),
        ];
        let bytes: String = all.iter().map(|event| format!("data: {event}\n\n")).collect();
        let out = streamed(&masking(), Form::Responses, &bytes).expect("passes");
        let shown = joined(Form::Responses, out.as_bytes());
        assert_eq!(shown["0 response.output_text.delta 0"], "Mail ***@*******.*** soon and");
        let numbers: Vec<Value> =
            events(out.as_bytes()).iter().map(|event| event["sequence_number"].clone()).collect();
        assert_eq!(numbers, [json!(0), json!(1), json!(2), json!(3)], "{out}");
        assert!(out.contains("\"item_id\":\"i\",\"output_index\":0,\"content_index\":0"), "{out}");
    }
}

/// An answer that was asked for as JSON may be cut off at its longest, and models also refuse or put it into a block of code.
#[test]
fn an_answer_that_is_no_json_comes_as_text() {
    let ask = r#"{"stream":true,"response_format":{"type":"json_object"},"messages":[{"role":"user","content":"Hi"}]}"#;
    for (parts, shown) in [
        (["I can not, ask ann@", "example.org"], "I can not, ask ***@*******.***"),
        (["```json\n{\"to\":\"ann@exam", "ple.org\"}\n```"], "```json\n{\"to\":\"***@*******.***\"}\n```"),
        (["<think>Hm", "</think>{}"], "<think>Hm</think>{}"),
        ([" \n", " {\"to\":\"ann@example.org\"}"], " \n {\"to\":\"***@*******.***\"}"),
        ([" ", "\n"], " \n"),
        // Cut off.
        (["{\"to\":\"ann@", "example.org, b"], "{\"to\":\"***@*******.***, b"),
        (["{\"to\":\"a", "\\"], "{\"to\":\"a"),
        (["{\"to\":", " tru"], "{\"to\": tru"),
    ] {
        let exchange = masking().request(Form::Chat, ask.as_bytes()).expect("passes");
        let bytes: String = parts.iter().map(|part| said(part, json!(null))).collect();
        let bytes = bytes + &said("", json!("length")) + "data: [DONE]\n\n";
        let out = run(exchange.stream(), &[bytes.as_bytes()], |_| {}).expect("passes");
        assert_eq!(joined(Form::Chat, &out)["0 content"], shown);
    }
    // Rules that end answers read it as text, too.
    let blocking = guard(
        r#"{"rules":[{"action":"mask","target":"personal-data"},{"action":"block","target":"personal-data","on":"response"}]}"#,
    );
    let exchange = blocking.request(Form::Chat, ask.as_bytes()).expect("passes");
    let bytes = said("Ask ann@example.org, please.", json!(null)) + &said("", json!("stop"));
    let out = run(exchange.stream(), &[bytes.as_bytes()], |_| {}).expect("ends");
    assert!(String::from_utf8_lossy(&out).contains("content_filter"));
}

/// A text of one choice would be read as part of another.
#[test]
fn an_index_that_is_no_number_is_refused() {
    for index in [json!("1"), json!(1.0), json!(-1)] {
        let choice = chunk(json!({"index": index, "delta": {"content": "ann@"}, "finish_reason": null}));
        let call = json!({"index": index, "function": {"arguments": "{}"}});
        let call = chunk(json!({"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}));
        for bytes in [choice, call] {
            let (blocked, _) = streamed(&masking(), Form::Chat, &bytes).expect_err("is refused");
            assert_eq!(blocked.kind, Kind::Unreadable, "{index}");
        }
        for name in ["output_index", "content_index"] {
            let event =
                json!({"type": "response.output_text.delta", name: index, "item_id": "i", "delta": "ann@"});
            let bytes = format!("data: {event}\n\n");
            let (blocked, _) = streamed(&masking(), Form::Responses, &bytes).expect_err("is refused");
            assert_eq!(blocked.kind, Kind::Unreadable, "{name} {index}");
        }
    }
}

/// The reason that some servers give is the stop word that was met.
#[test]
fn a_stop_word_is_masked_in_the_reason_too() {
    let bytes =
        chunk(json!({"index": 0, "delta": {}, "finish_reason": "stop", "stop_reason": "ann@example.org"}));
    let out = streamed(&masking(), Form::Chat, &bytes).expect("passes");
    assert!(out.contains(r#""finish_reason":"stop","index":0,"stop_reason":"***@*******.***""#), "{out}");
}

/// Calls of tools as servers send them whose parts have empty types, and signatures of Gemini.
#[test]
fn calls_of_other_servers_pass() {
    let extra = json!({"google": {"thought_signature": "abc", "note": "ann@example.org"}});
    let first = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"to\":\"ann@"}, "extra_content": extra});
    let second = json!({"id": "", "type": "", "function": {"arguments": "example.org\"}"}});
    let bytes: String = [first, second]
        .iter()
        .map(|call| chunk(json!({"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null})))
        .collect();
    let bytes = bytes
        + &chunk(
            json!({"index": 0, "delta": {"content": "", "extra_content": {"google": {"thought": true}}}, "finish_reason": null}),
        )
        + &said("", json!("tool_calls"));
    let out = streamed(&masking(), Form::Chat, &bytes).expect("passes");
    let calls: Vec<Value> = events(out.as_bytes())
        .iter()
        .map(|event| event["choices"][0]["delta"]["tool_calls"][0].clone())
        .collect();
    let arguments: String = calls.iter().filter_map(|call| call["function"]["arguments"].as_str()).collect();
    assert_eq!(arguments, r#"{"to":"***@*******.***"}"#);
    assert_eq!(
        calls[0]["extra_content"]["google"],
        json!({"note": "***@*******.***", "thought_signature": "abc"})
    );
}

/// A role, the name of a tool and a number in the place of a text are texts where they do not read as what they should be.
#[test]
fn members_that_hold_no_text_by_rights_are_read() {
    const MAIL: &str = "ann@example.org";
    let call = |name: Value, id: Value| {
        let call =
            json!({"index": 0, "id": id, "type": "function", "function": {"name": name, "arguments": "{}"}});
        chunk(json!({"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}))
    };
    for bytes in [
        chunk(json!({"index": 0, "delta": {"role": MAIL, "content": "a"}, "finish_reason": "stop"})),
        chunk(json!({"index": 0, "delta": {"role": {"a": MAIL}}, "finish_reason": "stop"})),
        call(json!(MAIL), json!("c")),
        call(json!([MAIL]), json!({"a": MAIL})),
    ] {
        let shown = streamed(&masking(), Form::Chat, &bytes).expect("passes");
        assert!(!shown.contains(MAIL) && shown.contains("***@*******.***"), "{shown}");
    }
    let clean = call(json!("mcp__mail.send-4"), json!("c"));
    assert_eq!(streamed(&masking(), Form::Chat, &clean).expect("passes"), clean);
    let number = chunk(json!({"index": 0, "delta": {"content": 4_111_111_111_111_111_u64}}));
    let (blocked, shown) = streamed(&masking(), Form::Chat, &number).expect_err("is refused");
    assert!(blocked.kind == Kind::Unknown && !shown.contains("4111"), "{blocked} {shown}");
    // The same in a whole answer, and in a history.
    let call = json!({"id": "c", "type": "function", "function": {"name": MAIL, "arguments": "{}"}});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let answer =
        json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}).to_string();
    let shown = begin(&masking(), Form::Chat).response(200, answer.as_bytes()).expect("passes");
    assert!(!String::from_utf8_lossy(&shown).contains(MAIL));
    let body = json!({"messages": [message]}).to_string();
    assert!(!sent(&masking(), Form::Chat, &body).contains(MAIL));
}

/// All members of an event are read, not only its block or delta.
#[test]
fn members_beside_blocks_and_deltas_are_read() {
    const MAIL: &str = "ann@example.org";
    let stream = |events: &[Value]| {
        let events = events.iter().map(|event| {
            format!("event: {}\ndata: {event}\n\n", event["type"].as_str().expect("has a type"))
        });
        events.collect::<String>()
    };
    let start =
        |block: Value| json!({"type": "content_block_start", "index": 0, "content_block": block, "x": MAIL});
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": 0, "delta": delta, "x": MAIL});
    let begin_of = json!({"type": "message_start", "message": {"id": "m", "content": []}});
    let ping = json!({"type": "ping", "x": MAIL});
    let stop =
        json!({"type": "content_block_stop", "index": 0, "content_block": {"text": MAIL}, "delta": MAIL});
    let end = json!({"type": "message_stop"});
    for (block, part) in [
        (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": "Hi"})),
        (
            json!({"type": "thinking", "thinking": ""}),
            json!({"type": "signature_delta", "signature": "AA", "text": MAIL}),
        ),
        (
            json!({"type": "thinking", "thinking": ""}),
            json!({"type": "signature_delta", "signature": {"a": MAIL}}),
        ),
        (
            json!({"type": "tool_use", "id": "t", "name": MAIL, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": "{}"}),
        ),
    ] {
        let all = [begin_of.clone(), ping.clone(), start(block), delta(part), stop.clone(), end.clone()];
        let shown = streamed(&masking(), Form::Messages, &stream(&all)).expect("passes");
        assert!(
            !shown.contains(MAIL) && shown.contains("\"AA\"") == stream(&all).contains("\"AA\""),
            "{shown}"
        );
    }
    let all = [begin_of, start(json!({"type": "text", "text": 4_111_111_111_111_111_u64})), stop, end];
    let (blocked, shown) = streamed(&masking(), Form::Messages, &stream(&all)).expect_err("is refused");
    assert!(blocked.kind == Kind::Unreadable && !shown.contains("4111"), "{blocked} {shown}");
}
