//! Bodies, events and texts of very many values: refused before they take long, with the setting that says how many there may be.

mod common;

use common::{begin, guard, masking};
use serde_json::{Value, json};
use sonometer_guard::{Blocked, Form, Guard, Kind, On, Role};

/// At most a hundred values.
fn small() -> Guard {
    guard(r#"{"limits":{"values":100},"rules":[{"action":"mask","target":"personal-data"}]}"#)
}

fn many(value: Value, times: usize) -> Value {
    vec![value; times].into()
}

fn said(content: &Value) -> Value {
    json!({"messages": [{"role": "user", "content": content}]})
}

fn called(arguments: &str) -> Value {
    let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}});
    json!({"messages": [{"role": "assistant", "content": null, "tool_calls": [call]}]})
}

fn is_told(blocked: &Blocked, is_answer: bool) -> bool {
    let status = if is_answer { 502 } else { 413 };
    let told = "more than 100 values of JSON at once (limits.values)";
    blocked.kind == Kind::TooLarge && blocked.status() == status && blocked.message.contains(told)
}

#[test]
fn requests_of_too_many_values_are_refused_in_every_form() {
    let guard = small();
    let (texts, numbers) = (many(json!("a"), 120), many(json!(12_345), 120));
    let members: Value =
        (0..60).map(|at| (format!("k{at}"), json!("b"))).collect::<serde_json::Map<_, _>>().into();
    let part = json!({"type": "text", "text": "a"});
    for (form, body) in [
        (Form::Chat, said(&texts)),
        (Form::Chat, said(&many(part.clone(), 30))),
        (Form::Chat, json!({"messages": many(json!({"role": "user", "content": "a"}), 30)})),
        (Form::Chat, json!({"messages": [], "metadata": members})),
        (
            Form::Chat,
            json!({"messages": [], "tools": [{"type": "function", "function": {"name": "f", "parameters": members}}]}),
        ),
        (Form::Chat, called(&texts.to_string())),
        (Form::Chat, called(&numbers.to_string())),
        (
            Form::Chat,
            json!({"messages": [{"role": "tool", "tool_call_id": "c", "content": texts.to_string()}]}),
        ),
        (
            Form::Chat,
            said(&json!("a"))
                .as_object()
                .map(|body| json!({"x": many(json!([{}]), 60), "messages": body["messages"]}))
                .expect("is one"),
        ),
        (Form::Messages, said(&many(part.clone(), 30))),
        (
            Form::Messages,
            said(&json!([{"type": "tool_use", "id": "t", "name": "f", "input": {"x": numbers}}])),
        ),
        (Form::Responses, json!({"input": many(json!({"role": "user", "content": "a"}), 30)})),
        (Form::Completions, json!({"prompt": texts})),
        (Form::Embeddings, json!({"input": texts})),
    ] {
        let blocked = guard.request(form, body.to_string().as_bytes()).expect_err("is refused");
        assert!(is_told(&blocked, false), "{body} {blocked}");
        masking().request(form, body.to_string().as_bytes()).expect("passes");
    }
    // A text is one, however long, and its commas are none.
    let body = said(&json!("1, 2, \"3\", [4] ".repeat(1_000)));
    guard.request(Form::Chat, body.to_string().as_bytes()).expect("passes");
}

#[test]
fn answers_of_too_many_values_are_refused() {
    let texts = many(json!("a"), 120);
    let message = |message: Value| json!({"choices": [{"index": 0, "message": message}]});
    let call = json!({"type": "function", "function": {"name": "f", "arguments": texts.to_string()}});
    for (form, body) in [
        (Form::Chat, message(json!({"role": "assistant", "content": texts}))),
        (Form::Chat, message(json!({"role": "assistant", "tool_calls": [call]}))),
        (Form::Messages, json!({"content": many(json!({"type": "text", "text": "a"}), 30)})),
        (Form::Responses, json!({"output": many(json!({"type": "message", "content": []}), 30)})),
        (Form::Embeddings, json!({"data": texts})),
    ] {
        let refused = begin(&small(), form).response(200, body.to_string().as_bytes());
        assert!(is_told(&refused.expect_err("is refused"), true), "{body}");
    }
    let vector = json!({"object": "embedding", "index": 0, "embedding": many(json!(0.125), 3_072)});
    let body = json!({"data": [vector, vector], "usage": {"prompt_tokens": 1}}).to_string();
    let shown = begin(&small(), Form::Embeddings).response(200, body.as_bytes()).expect("passes");
    assert!(shown == body.as_bytes());
}

#[test]
fn events_of_too_many_values_end_a_stream() {
    let texts = many(json!("a"), 120);
    let chunk = |delta: Value| {
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
    };
    let arguments =
        |text: &str| chunk(json!({"tool_calls": [{"index": 0, "function": {"arguments": text}}]}));
    for event in
        [format!("data: {}\n\n", json!({"choices": [], "citations": texts})), arguments(&texts.to_string())]
    {
        let blocked = begin(&small(), Form::Chat).stream().push(event.as_bytes(), &mut Vec::new());
        assert!(is_told(&blocked.expect_err("is refused"), true), "{event}");
    }
    // Each event by itself: how many there are is the provider's.
    let mut stream = begin(&small(), Form::Chat).stream();
    let mut out = Vec::new();
    stream.push(arguments("[").as_bytes(), &mut out).expect("passes");
    for _ in 0..200 {
        stream.push(arguments("\"a\",1,").as_bytes(), &mut out).expect("passes");
    }
}

#[test]
fn texts_of_gateways_have_the_same_bound() {
    let (guard, json) = (small(), many(json!("a"), 60).to_string());
    let mut texts = guard.texts();
    texts.arguments(On::Response, Role::Assistant, &json).expect("passes");
    let blocked = texts.definition(&json).expect_err("is refused");
    assert!(is_told(&blocked, false), "{blocked}");
    assert!(
        guard.check_values(&json).is_ok() && guard.check_values(&many(json!("a"), 100).to_string()).is_err()
    );
}

/// As long as requests get: a million tokens, two thousand messages, 128 tools with large schemas; 2,048 texts to embed.
#[test]
fn real_long_requests_pass() {
    let property =
        json!({"type": "string", "description": "What the shop calls so.", "enum": ["a", "b", "c"]});
    let properties: serde_json::Map<_, _> =
        (0..40).map(|at| (format!("field_{at}"), property.clone())).collect();
    let schema = json!({"type": "object", "properties": properties, "required": ["field_0", "field_1"]});
    let tools: Vec<Value> = (0..128)
        .map(|at| json!({"type": "function", "function": {"name": format!("f{at}"), "description": "Does it.", "parameters": schema}}))
        .collect();
    let row = json!({"id": 12_345, "name": "Lamp", "price": 19.5, "left": true, "tags": ["new", "home"]});
    let rows = json!(vec![row; 25]).to_string();
    let messages: Vec<Value> = (0..500)
        .flat_map(|at| {
            let id = format!("call_{at}");
            let call = json!({"id": id, "type": "function", "function": {"name": "f1", "arguments": "{\"field_0\":\"a\"}"}});
            [
                json!({"role": "user", "content": "I ordered a lamp last week and have heard nothing since. ".repeat(40)}),
                json!({"role": "assistant", "content": null, "tool_calls": [call]}),
                json!({"role": "tool", "tool_call_id": id, "content": rows}),
                json!({"role": "assistant", "content": "It is on its way, and will be there on Friday. ".repeat(20)}),
            ]
        })
        .collect();
    let body = json!({"model": "m", "messages": messages, "tools": tools}).to_string();
    assert!(body.len() > 3 << 20, "{}", body.len());
    masking().request(Form::Chat, body.as_bytes()).expect("passes");
    let body = json!({"model": "m", "input": vec!["The lamp is on its way."; 2_048]}).to_string();
    masking().request(Form::Embeddings, body.as_bytes()).expect("passes");
}
