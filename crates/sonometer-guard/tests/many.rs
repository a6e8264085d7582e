//! Bodies, events and texts of very many values or very much text: refused before they take long, with the setting that says how much there may be.

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

/// At most a thousand bytes of text, with one more rule or none.
fn short(more: &str) -> Guard {
    guard(&format!(
        r#"{{"limits":{{"text_bytes":1000}},"rules":[{more}{{"action":"mask","target":"personal-data"}}]}}"#
    ))
}

/// Refuses all that it reads.
const REFUSING: &str = r#"{"action":"block","target":"personal-data","at_least":0.0},"#;
const REFUSING_ANSWERS: &str =
    r#"{"action":"block","target":"personal-data","on":"response","at_least":0.0},"#;

fn is_told_of_text(blocked: &Blocked, is_answer: bool) -> bool {
    let status = if is_answer { 502 } else { 413 };
    let told = "more than 1000 bytes of text at once that masks or rules read (limits.text_bytes)";
    blocked.kind == Kind::TooLarge && blocked.status() == status && blocked.message.contains(told)
}

#[test]
fn the_text_of_requests_has_a_bound() {
    let bounded = short("");
    let tool = |text: &str| {
        let function = json!({"name": "f", "parameters": {"d": text}});
        json!({"messages": [], "tools": [{"type": "function", "function": function}]})
    };
    for (form, body, beside) in [
        (Form::Chat, (|text| said(&json!(text))) as fn(&str) -> Value, 0),
        (Form::Chat, |text| said(&json!([{"type": "text", "text": text}])), 0),
        (Form::Chat, |text| called(&json!([text]).to_string()), "[\\\"\\\"]".len()),
        (Form::Messages, |text| said(&json!(text)), 0),
        (Form::Responses, |text| json!({"input": text}), 0),
        (Form::Completions, |text| json!({"prompt": [text]}), 0),
        (Form::Embeddings, |text| json!({"input": text}), 0),
    ] {
        let (fits, long) = ("a ".repeat((1_000 - beside) / 2), "a ".repeat((1_002 - beside) / 2));
        let (fits, long) = (body(&fits).to_string(), body(&long).to_string());
        bounded.request(form, fits.as_bytes()).expect("passes");
        let blocked = bounded.request(form, long.as_bytes()).expect_err("is refused");
        assert!(is_told_of_text(&blocked, false), "{long} {blocked}");
    }
    // All texts of a body count, with the names of members of any shape, and numbers.
    let turn = json!({"role": "user", "content": "a ".repeat(300)});
    let two = json!({"messages": [turn, turn]}).to_string();
    for body in [
        two.clone(),
        tool(&"a ".repeat(500)).to_string(),
        format!("{{\"messages\":[],\"metadata\":{{\"n\":{}}}}}", "1".repeat(1_001)),
    ] {
        let blocked = bounded.request(Form::Chat, body.as_bytes()).expect_err("is refused");
        assert!(is_told_of_text(&blocked, false), "{body} {blocked}");
    }
    // Rules read none of it, and those of another role or of answers do not make it count.
    let refused = short(REFUSING).request(Form::Chat, two.as_bytes()).expect_err("is refused");
    assert!(is_told_of_text(&refused, false), "{refused}");
    let refused = short(REFUSING).request(Form::Chat, said(&json!("a")).to_string().as_bytes());
    assert_eq!(refused.expect_err("is refused").kind, Kind::Rule);
    for rule in [r#""roles":["tool"]"#, r#""on":"response""#] {
        let policy = format!(
            r#"{{"limits":{{"text_bytes":1000}},"rules":[{{"action":"mask","target":"personal-data",{rule}}}]}}"#
        );
        guard(&policy).request(Form::Chat, two.as_bytes()).expect("passes");
    }
}

#[test]
fn the_text_of_answers_and_events_has_a_bound() {
    let (fits, long) = ("a ".repeat(500), "a ".repeat(501));
    let message = |message: Value| json!({"choices": [{"index": 0, "message": message}]});
    for (form, body) in [
        (
            Form::Chat,
            (|text| json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}))
                as fn(&str) -> Value,
        ),
        (Form::Messages, |text| json!({"content": [{"type": "text", "text": text}]})),
        (
            Form::Messages,
            |text| json!({"content": [{"type": "thinking", "thinking": text, "signature": "s"}]}),
        ),
        (
            Form::Responses,
            |text| json!({"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]}),
        ),
    ] {
        let answer = |text: &str| begin(&short(""), form).response(200, body(text).to_string().as_bytes());
        answer(&fits).expect("passes");
        let blocked = answer(&long).expect_err("is refused");
        assert!(is_told_of_text(&blocked, true), "{} {blocked}", body(&long));
    }
    let body = message(json!({"role": "assistant", "content": long})).to_string();
    let refused = begin(&short(REFUSING_ANSWERS), Form::Chat).response(200, body.as_bytes());
    assert!(is_told_of_text(&refused.expect_err("is refused"), true), "{body}");
    // One event at a time: a stream may have more.
    let event = |text: &str| {
        let delta = json!({"content": text});
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
    };
    let (mut stream, mut out) = (begin(&short(""), Form::Chat).stream(), Vec::new());
    for _ in 0..5 {
        stream.push(event(&fits).as_bytes(), &mut out).expect("passes");
    }
    let blocked = stream.push(event(&long).as_bytes(), &mut out).expect_err("is refused");
    assert!(is_told_of_text(&blocked, true), "{blocked}");
}

/// Images, sound and vectors, which no mask reads.
#[test]
fn media_are_no_text() {
    let policy = r#"{"media":"pass","limits":{"text_bytes":1000},"rules":[{"action":"mask","target":"personal-data"}]}"#;
    let (guard, data) = (guard(policy), "iVBORw0KGgo".repeat(1_000));
    let url = format!("data:image/png;base64,{data}");
    let source = json!({"type": "base64", "media_type": "image/png", "data": data});
    for (form, body) in [
        (Form::Chat, said(&json!([{"type": "image_url", "image_url": {"url": url}}]))),
        (Form::Chat, said(&json!([{"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}]))),
        (Form::Chat, said(&json!([{"type": "file", "file": {"filename": "a.pdf", "file_data": url}}]))),
        (Form::Messages, said(&json!([{"type": "image", "source": source}]))),
        (
            Form::Responses,
            json!({"input": [{"role": "user", "content": [{"type": "input_image", "image_url": url}]}]}),
        ),
    ] {
        guard
            .request(form, body.to_string().as_bytes())
            .unwrap_or_else(|blocked| panic!("{form:?} {blocked}"));
    }
    let audio = json!({"id": "a", "data": data, "transcript": "Hello.", "expires_at": 1});
    let message = json!({"role": "assistant", "content": null, "audio": audio});
    for (form, body) in [
        (Form::Chat, json!({"choices": [{"index": 0, "message": message}]})),
        (Form::Responses, json!({"output": [{"type": "image_generation_call", "id": "i", "result": data}]})),
        (Form::Embeddings, json!({"data": [{"object": "embedding", "index": 0, "embedding": data}]})),
    ] {
        let answer = begin(&guard, form).response(200, body.to_string().as_bytes());
        answer.unwrap_or_else(|blocked| panic!("{form:?} {blocked}"));
    }
}

#[test]
fn texts_of_gateways_count_in_all() {
    let guard = short("");
    let (mut texts, half) = (guard.texts(), "a ".repeat(250));
    texts.text(On::Request, Role::User, &half).expect("passes");
    texts.text(On::Request, Role::User, &half).expect("passes");
    // What comes again and again has a bound of its own.
    texts.so_far(0, &half.repeat(3)).expect("passes");
    let blocked = texts.arguments(On::Request, Role::User, "[1]").expect_err("is refused");
    assert!(is_told_of_text(&blocked, false), "{blocked}");
    assert!(guard.texts().definition(&json!({"d": half.repeat(2)}).to_string()).is_err());
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
