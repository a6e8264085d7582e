//! Texts that come whole within a stream, twice, or where no text belongs: none of it leaks, and rules read it.

mod common;

use common::{begin, guard, joined, masking, refused, run, sent};
use serde_json::{Value, json};
use sonometer_guard::{Blocked, Form, Guard, Kind, On, Role};

const MAIL: &str = "ann@example.org";
const MASKED: &str = "***@*******.***";
const CARD: u64 = 4_111_111_111_111_111;

fn streamed(guard: &Guard, form: Form, events: &[Value]) -> Result<String, (Blocked, String)> {
    let data = |event: &Value| match event.as_str() {
        Some(text) => format!("data: {text}\n\n"),
        None => format!("data: {event}\n\n"),
    };
    let bytes: String = events.iter().map(data).collect();
    let text = |out| String::from_utf8(out).expect("is UTF-8");
    let result = run(begin(guard, form).stream(), &[bytes.as_bytes()], |_| {});
    result.map(text).map_err(|(blocked, out)| (blocked, text(out)))
}

fn answered(form: Form, answer: &Value) -> Result<String, Kind> {
    let shown = begin(&masking(), form).response(200, answer.to_string().as_bytes());
    shown.map(|shown| String::from_utf8(shown).expect("is UTF-8")).map_err(|blocked| blocked.kind)
}

fn chunk(choice: Value) -> Value {
    let mut whole = json!({"index": 0, "delta": {}, "finish_reason": null});
    for (name, value) in choice.as_object().expect("is an object") {
        whole[name] = value.clone();
    }
    json!({"id": "c", "choices": [whole]})
}

fn event(kind: &str, more: &Value) -> Value {
    let mut event =
        json!({"type": format!("response.{kind}"), "output_index": 0, "content_index": 0, "item_id": "i"});
    for (name, value) in more.as_object().expect("is an object") {
        event[name] = value.clone();
    }
    event
}

fn completed(output: &Value) -> Value {
    json!({"type": "response.completed", "response": {"id": "r", "output": output}})
}

fn message(blocks: &[Value]) -> Vec<Value> {
    let mut all = vec![json!({"type": "message_start", "message": {"id": "m", "content": []}})];
    all.extend(blocks.iter().cloned());
    all.extend([json!({"type": "content_block_stop", "index": 0}), json!({"type": "message_stop"})]);
    all
}

/// A rule that refuses whole answers refuses what comes whole in a stream: the text of a server that sends no parts, results, citations.
#[test]
fn a_rule_that_blocks_reads_what_comes_whole_in_a_stream() {
    let guard = guard(r#"{"rules":[{"action":"block","target":"personal-data","on":"response"}]}"#);
    let said = json!([{"type": "message", "content": [{"type": "output_text", "text": MAIL}]}]);
    let start = |block: Value| json!({"type": "content_block_start", "index": 0, "content_block": block});
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": 0, "delta": delta});
    let cited = json!({"type": "char_location", "cited_text": MAIL, "document_index": 0});
    let title = json!([{"type": "url_citation", "url_citation": {"title": MAIL, "url": "u"}}]);
    for (form, events) in [
        (Form::Responses, vec![completed(&said)]),
        (Form::Responses, vec![event("output_text.done", &json!({"text": MAIL})), completed(&json!([]))]),
        (Form::Responses, vec![event("output_item.done", &json!({"item": said[0]})), completed(&json!([]))]),
        (Form::Chat, vec![chunk(json!({"delta": {"annotations": title}, "finish_reason": "stop"}))]),
        (
            Form::Messages,
            message(&[start(
                json!({"type": "mcp_tool_result", "content": [{"type": "text", "text": MAIL}]}),
            )]),
        ),
        (Form::Messages, message(&[start(json!({"type": "tool_use", "name": "f", "input": {"to": MAIL}}))])),
        (
            Form::Messages,
            message(&[
                start(json!({"type": "text", "text": ""})),
                delta(json!({"type": "citations_delta", "citation": cited})),
            ]),
        ),
    ] {
        let shown = match streamed(&guard, form, &events) {
            Ok(shown) => {
                assert!(shown.contains("\"refusal\""), "{shown}");
                shown
            }
            Err((blocked, shown)) => {
                assert_eq!(blocked.kind, Kind::Rule, "{blocked}");
                shown
            }
        };
        assert!(!shown.contains(MAIL), "{shown}");
    }
    // What is repeated of the request is not said in the answer, and what streamed is not judged twice.
    let echo = json!({"id": "r", "instructions": MAIL, "metadata": {"a": MAIL}, "output": []});
    for kind in ["created", "completed"] {
        let events = [json!({"type": format!("response.{kind}"), "response": echo}), completed(&json!([]))];
        streamed(&guard, Form::Responses, &events).expect("passes");
    }
    begin(&guard, Form::Responses).response(200, echo.to_string().as_bytes()).expect("passes");
}

/// What was shown as a whole text must not go on.
#[test]
fn no_text_goes_on_after_its_end() {
    let (first, second) = ("ann@exam", "ple.org");
    let part = |text: &str| json!({"part": {"type": "output_text", "text": text}});
    let item = json!({"item": {"type": "message", "content": [{"type": "output_text", "text": first}]}});
    let custom = json!({"item": {"type": "custom_tool_call", "name": "f", "input": first}});
    let delta = |text: &str| event("output_text.delta", &json!({"delta": text}));
    let end = completed(&json!([]));
    for events in [
        vec![delta(first), event("output_text.done", &json!({"text": first})), delta(second), end.clone()],
        vec![event("output_text.done", &json!({"text": first})), delta(second), end.clone()],
        vec![event("output_item.added", &item), delta(second), end.clone()],
        vec![
            event("output_item.added", &custom),
            json!({"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": second}),
            end.clone(),
        ],
    ] {
        let (blocked, shown) = streamed(&masking(), Form::Responses, &events).expect_err("is refused");
        assert!(blocked.kind == Kind::Unreadable && !shown.contains(second), "{blocked} {shown}");
    }
    // A part may begin with words.
    let events = [event("content_part.added", &part(first)), delta(second), end.clone()];
    let shown = streamed(&masking(), Form::Responses, &events).expect("passes");
    assert!(shown.contains(MASKED) && !shown.contains("ann") && !shown.contains(second), "{shown}");
    // Of another item.
    let other = json!({"type": "response.output_text.delta", "item_id": "j", "output_index": 0, "content_index": 0, "delta": "Hi"});
    let events = [delta("Yes"), event("output_text.done", &json!({"text": "Yes"})), other, end.clone()];
    streamed(&masking(), Form::Responses, &events).expect("passes");
    // Nobody reads what comes behind the end, and nothing is shown of it.
    let said = |text: &str| chunk(json!({"delta": {"content": text}}));
    for (form, events) in [
        (Form::Chat, vec![said(first), json!("[DONE]"), said(second), chunk(json!({"finish_reason": "stop"}))]),
        (Form::Responses, vec![delta(first), end.clone(), delta(second), end]),
        (Form::Messages, [message(&[json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": first}})]), message(&[json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": second}})])].concat()),
    ] {
        let shown = streamed(&masking(), form, &events).expect("passes");
        assert!(shown.contains(first) && !shown.contains(second), "{shown}");
    }
}

/// What a server adds to each chunk repeats what the model says.
#[test]
fn members_that_repeat_parts_of_an_answer_are_unknown() {
    let chunks = ["Mail ann@exam", "ple.org"].map(|part| {
        let mut chunk = chunk(json!({"delta": {"content": part}}));
        chunk["__verbose"] = json!({"index": 0, "content": part});
        chunk
    });
    let all = [chunks[0].clone(), chunks[1].clone(), json!("[DONE]")];
    let (blocked, shown) = streamed(&masking(), Form::Chat, &all).expect_err("is refused");
    assert!(blocked.message.contains("`__verbose`") && !shown.contains("ann"), "{blocked} {shown}");
    let drop = guard(r#"{"unknown":"drop","rules":[{"action":"mask","target":"personal-data"}]}"#);
    let shown = streamed(&drop, Form::Chat, &all).expect("passes");
    assert!(shown.contains(MASKED) && !shown.contains("ple.org"), "{shown}");
    // What stands whole in a chunk passes.
    let mut found = chunk(json!({"finish_reason": "stop"}));
    found["search_results"] = json!([{"title": "t", "text": MAIL}]);
    found["x_own"] = json!({"id": "a", "queue_time": 0.1, "note": "b"});
    let shown = streamed(&masking(), Form::Chat, &[found]).expect("passes");
    assert!(shown.contains(MASKED) && shown.contains("x_own"), "{shown}");
}

/// Ids of tokens are the text once more: the vocabulary of the model turns them back.
#[test]
fn ids_of_tokens_are_left_out_as_log_probabilities_are() {
    let stream = [
        chunk(json!({"delta": {"content": "Hi", "token_id": 1234}, "token_ids": [12, 34]})),
        chunk(json!({"finish_reason": "stop"})),
    ];
    let shown = streamed(&masking(), Form::Chat, &stream).expect("passes");
    assert!(shown.contains("\"token_id\":null") && !shown.contains("12"), "{shown}");
    let whole = json!({"prompt_token_ids": [12], "choices": [{"index": 0, "token_ids": [12], "prompt_logprobs": [{"12": {"decoded_token": "ann"}}]}]});
    let shown = answered(Form::Chat, &whole).expect("passes");
    assert!(!shown.contains("12") && !shown.contains("ann"), "{shown}");
    let passing = guard(r#"{"logprobs":"pass","rules":[{"action":"mask","target":"personal-data"}]}"#);
    let shown = streamed(&passing, Form::Chat, &stream).expect("passes");
    assert!(shown.contains("[12,34]"), "{shown}");
}

/// Ids, counts and signed blocks hold texts where somebody puts one there.
#[test]
fn texts_in_odd_places_are_read() {
    let tool = json!({"role": "tool", "tool_call_id": "c", "content": {"id": MAIL, "model": MAIL}});
    let body = json!({"messages": [tool], "extra": {"id": MAIL}, "chat_template_kwargs": {"model": MAIL}, "logit_bias": [[MAIL, 1]]});
    let shown = sent(&masking(), Form::Chat, &body.to_string());
    assert!(!shown.contains(MAIL), "{shown}");
    for body in [
        json!({"messages": [{"role": "tool", "tool_call_id": "c", "content": {"card": CARD}}]}),
        json!({"messages": [], "chat_template_kwargs": {"card": CARD}}),
    ] {
        assert_eq!(refused(&masking(), Form::Chat, &body.to_string()), Kind::Unmaskable, "{body}");
    }
    let answer = json!({"id": MAIL, "usage": {"note": MAIL}, "choices": [{"index": 0, "content_filter_results": {"citation": {"license": MAIL}}}]});
    assert!(!answered(Form::Chat, &answer).expect("passes").contains(MAIL));
    let answer = json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": CARD}}]});
    assert_eq!(answered(Form::Chat, &answer), Err(Kind::Unmaskable));
    let text = [json!({"choices": [{"index": 0, "text": CARD, "finish_reason": "stop"}]})];
    assert_eq!(streamed(&masking(), Form::Completions, &text).expect_err("is refused").0.kind, Kind::Unknown);
    // Beside and within thinking.
    let block = json!({"type": "thinking", "signature": "AA", "thinking": "Hm", "note": MAIL});
    let shown = answered(Form::Messages, &json!({"type": "message", "content": [block]})).expect("passes");
    assert!(shown.contains(MASKED) && !shown.contains(MAIL), "{shown}");
    let block = json!({"type": "thinking", "signature": "AA", "thinking": [{"type": "text", "text": MAIL}]});
    let answer = json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": [block]}}]});
    assert_eq!(answered(Form::Chat, &answer), Err(Kind::Unmaskable));
}

/// Something is kept of each text, so their number and size have bounds.
#[test]
fn what_is_kept_of_a_stream_is_bounded() {
    let small =
        guard(r#"{"limits":{"body_bytes":4096},"rules":[{"action":"mask","target":"personal-data"}]}"#);
    let mut stream = begin(&small, Form::Responses).stream();
    let mut out = Vec::new();
    let refused = (0..100).find_map(|at| {
        let text = "word ".repeat(20);
        let ids = json!({"output_index": at, "item_id": format!("i{at}")});
        let delta = |kind: &str, name: &str| {
            let mut event = event(kind, &ids);
            event[name] = json!(text);
            format!("data: {event}\n\n")
        };
        let bytes = delta("output_text.delta", "delta") + &delta("output_text.done", "text");
        stream.push(bytes.as_bytes(), &mut out).err()
    });
    let blocked = refused.expect("is refused");
    assert!(blocked.kind == Kind::TooLarge && blocked.message.contains("limits.body_bytes"), "{blocked}");
    let mut stream = begin(&masking(), Form::Chat).stream();
    let refused = (0..70).find_map(|from| {
        let choices: Vec<Value> =
            (0..1_000).map(|at| json!({"index": from * 1_000 + at, "delta": {}})).collect();
        let bytes = format!("data: {}\n\n", json!({"choices": choices}));
        stream.push(bytes.as_bytes(), &mut out).err()
    });
    assert_eq!(refused.map(|blocked| blocked.kind), Some(Kind::TooLarge));
}

/// Digits in quotes are read with the name beside them, as numbers are: whole, in parts, and in input that is an object.
#[test]
fn digits_in_quotes_have_the_name_beside_them() {
    let call = |arguments: &str| {
        chunk(json!({"delta": {"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]}}))
    };
    for (json, shown) in [
        (r#"{"order_id":"2025550143"}"#, r#"{"order_id":"2025550143"}"#),
        (r#"{"a":{"order_id":["2025550143"]}}"#, r#"{"a":{"order_id":["2025550143"]}}"#),
        (r#"{"phone":"2025550143"}"#, r#"{"phone":"**********"}"#),
        (r#"{"to":"2025550143"}"#, r#"{"to":"**********"}"#),
        (r#"{"note":"call 202 555 0143"}"#, r#"{"note":"call *** *** ****"}"#),
        (r#"{"order_id":"call 2025550143"}"#, r#"{"order_id":"call **********"}"#),
        // Long ones are private under any name.
        (r#"{"order_id":"4111111111111111"}"#, r#"{"order_id":"************1111"}"#),
        // Without their name nothing is found.
        (r#"{"phone":"901820"}"#, r#"{"phone":"******"}"#),
        (r#"{"ssn":"078051120"}"#, r#"{"ssn":"*****1120"}"#),
        (r#"{"account_number":"12345678"}"#, r#"{"account_number":"****5678"}"#),
        (r#"{"cvv":"123","page":"123"}"#, r#"{"cvv":"***","page":"123"}"#),
        // A name has no name.
        (r#"{"order_id":{"2025550143":1}}"#, r#"{"order_id":{"**********":1}}"#),
        (r#"{"order_id":1,"2025550143":2}"#, r#"{"order_id":1,"**********":2}"#),
        (r#"["2025550143"]"#, r#"["**********"]"#),
    ] {
        let mut texts = masking().texts();
        assert_eq!(texts.arguments(On::Response, Role::Assistant, json).expect("passes"), shown);
        for cut in 0..=json.len() {
            let events =
                [call(&json[..cut]), call(&json[cut..]), chunk(json!({"finish_reason": "tool_calls"}))];
            let out = streamed(&masking(), Form::Chat, &events).expect("passes");
            assert_eq!(joined(Form::Chat, out.as_bytes())["0 tool 0"], shown, "{cut}");
        }
        let block = format!(r#"{{"type":"tool_use","id":"t","name":"f","input":{json}}}"#);
        let answer = format!(r#"{{"type":"message","content":[{block}]}}"#);
        let whole = begin(&masking(), Form::Messages).response(200, answer.as_bytes()).expect("passes");
        assert_eq!(String::from_utf8_lossy(&whole), answer.replace(json, shown));
    }
    for (json, told) in [
        (r#"{"cvv":123}"#, "under `cvv`"),
        (r#"{"pin":[1234]}"#, "under `pin`"),
        (r#"{"Phone of Ann":2025550143}"#, "in a number, where"),
    ] {
        let refused =
            masking().texts().arguments(On::Response, Role::Assistant, json).expect_err("is refused");
        assert!(refused.kind == Kind::Unmaskable && refused.message.contains(told), "{refused}");
    }
    // Rules that block read the same.
    let guard = guard(r#"{"rules":[{"action":"block","target":"personal-data","on":"response"}]}"#);
    for (json, is_refused) in [(r#"{"order_id":"2025550143"}"#, false), (r#"{"ssn":"078051120"}"#, true)] {
        let events = [call(json), chunk(json!({"finish_reason": "tool_calls"}))];
        let out = streamed(&guard, Form::Chat, &events).expect("ends");
        assert_eq!(out.contains("content_filter"), is_refused, "{out}");
    }
}

/// A number that stood there before is as private as it was, and with placeholders one that has become known is.
#[test]
fn numbers_that_come_again_are_read_as_before() {
    let mut texts = masking().texts();
    let rows =
        r#"[{"n":123,"cvv":"123"},{"n":123,"cvv":"123"},{"cvv":"123","n":"123"},{"order_id":"2025550143"}]"#;
    let shown = texts.arguments(On::Response, Role::Assistant, rows).expect("passes");
    assert_eq!(shown, rows.replace(r#""cvv":"123""#, r#""cvv":"***""#));
    let reversible = guard(common::REVERSIBLE);
    let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments":
        r#"[{"order_id":"2025550143"},{"phone":"2025550143"},{"order_id":"2025550143"}]"#}});
    let body = sent(
        &reversible,
        Form::Chat,
        &json!({"messages": [{"role": "assistant", "tool_calls": [call]}]}).to_string(),
    );
    assert_eq!(body.matches("2025550143").count(), 1, "{body}");
}
