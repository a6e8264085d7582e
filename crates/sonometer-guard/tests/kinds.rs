//! Kinds of items, blocks and events that came later to the forms: texts in them are masked, ids pass.

mod common;

use common::{begin, events, guard, masking, run};
use serde_json::{Value, json};
use sonometer_guard::{Form, Guard, Kind};

/// A mask would find this in a text; it is no text where it stands for an id.
const ID: &str = "4111111111111111";
const MAIL: &str = "ann@example.org";
const MASKED: &str = "***@*******.***";

/// Items of responses, each with a text in every place that has one.
fn items() -> Vec<Value> {
    vec![
        json!({"type": "tool_search_call", "id": ID, "call_id": ID, "execution": "client", "status": "completed",
            "arguments": {"goal": MAIL, "id": MAIL, "all": [{"type": MAIL}]}}),
        json!({"type": "tool_search_call", "call_id": null, "execution": "server", "arguments": [{"id": MAIL}]}),
        json!({"type": "tool_search_output", "id": ID, "call_id": ID, "execution": "client", "tools": [
            {"type": "function", "name": "send", "description": MAIL, "defer_loading": true, "strict": null,
             "parameters": {"type": "object", "properties": {"id": {"description": MAIL, "maximum": 4111111111111111_u64}}}}]}),
        json!({"type": "additional_tools", "id": ID, "role": "developer",
            "tools": [{"type": "namespace", "name": "crm", "description": MAIL, "tools": []}]}),
        json!({"type": "program", "id": ID, "call_id": ID, "fingerprint": ID, "code": format!("send('{MAIL}')")}),
        json!({"type": "program_output", "id": ID, "call_id": ID, "status": "completed",
            "result": format!("{{\"to\":\"{}\"}}", MAIL.replace('@', "\\u0040"))}),
        json!({"type": "function_call", "id": ID, "call_id": ID, "name": "send", "namespace": "crm",
            "caller": {"type": "program", "caller_id": ID}, "arguments": format!("{{\"to\":\"{MAIL}\"}}")}),
        json!({"type": "mcp_approval_response", "approval_request_id": ID, "approve": false, "reason": MAIL}),
        json!({"type": "agent_message", "id": ID, "author": "/lead", "recipient": "/lead/mail", "content": [
            {"type": "input_text", "text": MAIL}, {"type": "encrypted_content", "encrypted_content": ID}]}),
        json!({"type": "multi_agent_call", "id": ID, "call_id": ID, "action": "send_message",
            "arguments": format!("{{\"message\":\"{MAIL}\"}}"), "agent": {"agent_name": "/lead"}}),
        json!({"type": "multi_agent_call_output", "id": ID, "call_id": ID, "action": "send_message",
            "output": [{"type": "output_text", "text": MAIL, "annotations": []}]}),
        json!({"type": "file_search_call", "id": ID, "queries": [MAIL], "results": [
            {"file_id": ID, "filename": MAIL, "text": MAIL, "attributes": {"id": MAIL, "status": MAIL}}]}),
    ]
}

/// Items of which one side alone makes use, without a text.
fn settings() -> Vec<Value> {
    vec![
        json!({"type": "compaction_trigger"}),
        json!({"type": "configuration_update", "reasoning": {"effort": "high"}, "text": {"format": {"type": "text"}}}),
        json!({"type": "compaction", "id": ID, "encrypted_content": ID}),
    ]
}

/// Blocks of messages, each with a text in every place that has one.
fn blocks() -> Vec<Value> {
    vec![
        json!({"type": "server_tool_use", "id": ID, "name": "tool_search_tool_bm25", "input": {"query": MAIL},
            "caller": {"type": "code_execution_20260120", "tool_id": ID}}),
        json!({"type": "tool_search_tool_result", "tool_use_id": ID, "content": {"type": "tool_search_tool_search_result",
            "tool_references": [{"type": "tool_reference", "tool_name": "send"}]}}),
        json!({"type": "tool_search_tool_result", "tool_use_id": ID,
            "content": {"type": "tool_search_tool_result_error", "error_code": "unavailable", "error_message": MAIL}}),
        json!({"type": "advisor_tool_result", "tool_use_id": ID,
            "content": {"type": "advisor_result", "text": MAIL, "stop_reason": "end_turn"}}),
        json!({"type": "advisor_tool_result", "tool_use_id": ID,
            "content": {"type": "advisor_redacted_result", "encrypted_content": ID, "stop_reason": null}}),
        json!({"type": "code_execution_tool_result", "tool_use_id": ID, "content": {"type": "encrypted_code_execution_result",
            "content": [], "encrypted_stdout": ID, "return_code": 0, "stderr": MAIL}}),
        json!({"type": "mcp_tool_use", "id": ID, "name": "send", "server_name": "crm", "input": [{"id": MAIL}]}),
        json!({"type": "mcp_tool_listing", "mcp_server_name": "crm",
            "tools": [{"name": "send", "description": MAIL, "input_schema": {"properties": {"id": {"title": MAIL}}}}]}),
        json!({"type": "fallback", "from": {"model": ID}, "to": {"model": ID},
            "trigger": {"type": "refusal", "category": null, "explanation": MAIL}}),
        json!({"type": "compaction", "content": MAIL, "encrypted_content": ID, "tool_changes": [
            {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": {"name": "send", "description": MAIL,
                "input_schema": {"type": "object", "properties": {"id": {"title": MAIL, "maximum": 4111111111111111_u64}}}}}},
            {"type": "tool_removal", "tool": {"type": "mcp_tool_reference", "name": "send", "server_name": "crm"}}]}),
        json!({"type": "tool_addition", "tool": {"type": "tool_reference", "name": "send"}}),
        json!({"type": "tool_removal", "tool": {"type": "mcp_toolset_reference", "server_name": "crm"}}),
        json!({"type": "tool_result", "tool_use_id": ID, "content": [{"type": "browser_state",
            "tabs": [{"tab_id": ID, "title": MAIL, "url": format!("https://a.org/?to={MAIL}"), "active": true}],
            "state_changes": [{"type": "tab_opened", "tab_id": ID},
                {"type": "download_failed", "download_id": ID, "url": "https://a.org", "error": MAIL}]}]}),
    ]
}

fn masked(text: &str) -> String {
    text.replace(MAIL, MASKED)
}

fn request(form: Form, all: &[Value]) -> String {
    let body = match form {
        Form::Messages => json!({"model": "m", "messages": [{"role": "user", "content": all}]}),
        _ => json!({"model": "m", "input": all}),
    };
    body.to_string()
}

fn answer(form: Form, all: &[Value]) -> String {
    let body = match form {
        Form::Messages => {
            json!({"id": "a", "type": "message", "role": "assistant", "content": all, "stop_reason": "end_turn"})
        }
        _ => json!({"id": "a", "object": "response", "output": all}),
    };
    body.to_string()
}

/// The events of an answer in which each item or block stands whole.
fn stream(form: Form, all: &[Value]) -> String {
    let mut out = String::new();
    let mut event = |event: Value| out.push_str(&format!("data: {event}\n\n"));
    for (at, item) in all.iter().enumerate() {
        if form == Form::Messages {
            event(json!({"type": "content_block_start", "index": at, "content_block": item}));
            event(json!({"type": "content_block_stop", "index": at}));
        } else {
            event(json!({"type": "response.output_item.added", "output_index": at, "item": item}));
            event(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
        }
    }
    match form {
        Form::Messages => event(json!({"type": "message_stop"})),
        _ => event(json!({"type": "response.completed", "response": {"id": "a", "output": all}})),
    }
    out
}

fn shown(guard: &Guard, form: Form, bytes: &str) -> String {
    let out = run(begin(guard, form).stream(), &[bytes.as_bytes()], |_| {});
    String::from_utf8(out.unwrap_or_else(|(blocked, _)| panic!("{blocked}: {bytes}"))).expect("is UTF-8")
}

#[test]
fn texts_in_every_kind_are_masked_and_ids_pass() {
    let guard = masking();
    for (form, all) in [(Form::Responses, items()), (Form::Messages, blocks())] {
        for one in all {
            let one = &[one][..];
            // What stands in JSON within a text is written with an escape.
            let expected = |text: &str| masked(&text.replace("ann\\\\u0040", "ann@"));
            let body = request(form, one);
            let exchange =
                guard.request(form, body.as_bytes()).unwrap_or_else(|blocked| panic!("{blocked}: {body}"));
            assert_eq!(String::from_utf8_lossy(exchange.body()), expected(&body));
            let body = answer(form, one);
            let whole = begin(&guard, form).response(200, body.as_bytes());
            let whole = whole.unwrap_or_else(|blocked| panic!("{blocked}: {body}"));
            assert_eq!(String::from_utf8_lossy(&whole), expected(&body));
            let bytes = stream(form, one);
            assert_eq!(shown(&guard, form, &bytes), expected(&bytes));
        }
    }
    for one in settings() {
        let body = request(Form::Responses, &[one]);
        let exchange = guard.request(Form::Responses, body.as_bytes()).expect("passes");
        assert_eq!(String::from_utf8_lossy(exchange.body()), body);
    }
}

/// The diff of a patch comes as deltas, and whole behind them.
#[test]
fn the_diff_of_a_patch_is_masked_in_its_deltas() {
    let item = |diff: &str| {
        json!({"type": "apply_patch_call", "id": "p", "call_id": "c", "status": "completed",
            "operation": {"type": "create_file", "path": "a.txt", "diff": diff}})
    };
    let event = |kind: &str, more: Value| {
        let mut event = json!({"type": kind, "output_index": 0});
        event.as_object_mut().expect("is one").extend(more.as_object().expect("is one").clone());
        format!("data: {event}\n\n")
    };
    const DIFF: &str = "response.apply_patch_call_operation_diff";
    let diff = format!("+Write to {MAIL} today");
    let mut bytes = event("response.output_item.added", json!({"item": item("")}));
    for letter in diff.chars() {
        bytes +=
            &event(&format!("{DIFF}.delta"), json!({"item_id": "p", "delta": letter, "obfuscation": "x"}));
    }
    bytes += &event(&format!("{DIFF}.done"), json!({"item_id": "p", "diff": diff}));
    bytes += &event("response.output_item.done", json!({"item": item(&diff)}));
    bytes += &event("response.completed", json!({"response": {"output": [item(&diff)]}}));
    let out = shown(&masking(), Form::Responses, &bytes);
    let events = events(out.as_bytes());
    let deltas: String = events.iter().filter_map(|event| event["delta"].as_str()).collect();
    let find = |kind: &str| events.iter().find(|event| event["type"] == kind).expect("is there");
    assert_eq!(deltas, masked(&diff));
    assert_eq!(find(&format!("{DIFF}.done"))["diff"], deltas);
    assert_eq!(find("response.output_item.done")["item"]["operation"]["diff"], deltas);
    assert_eq!(find("response.completed")["response"]["output"][0]["operation"]["diff"], deltas);
}

/// A summary of the conversation comes in one delta. With a signature it is never changed, as thinking.
#[test]
fn summaries_are_masked_or_refused_where_they_are_signed() {
    let stream = |signature: Value, summary: &str| {
        let start = json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "compaction", "content": null, "encrypted_content": null, "signature": signature}});
        let delta = json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "compaction_delta", "content": summary, "encrypted_content": ID}});
        format!(
            "data: {start}\n\ndata: {delta}\n\ndata: {{\"type\":\"content_block_stop\",\"index\":0}}\n\n\
             data: {{\"type\":\"message_stop\"}}\n\n"
        )
    };
    let block = |signature: Value, summary: &str| json!({"type": "compaction", "content": summary, "encrypted_content": ID, "signature": signature});
    let guard = masking();
    let bytes = stream(Value::Null, MAIL);
    assert_eq!(shown(&guard, Form::Messages, &bytes), masked(&bytes));
    // Signed: in an answer it is refused, unless nothing is found in it; in the history it stays.
    let bytes = stream(json!("s="), MAIL);
    let (blocked, out) =
        run(begin(&guard, Form::Messages).stream(), &[bytes.as_bytes()], |_| {}).expect_err("is refused");
    assert_eq!(blocked.kind, Kind::Unmaskable);
    assert!(!String::from_utf8_lossy(&out).contains("ann@"));
    let whole = answer(Form::Messages, &[block(json!("s="), MAIL)]);
    let refused = begin(&guard, Form::Messages).response(200, whole.as_bytes()).expect_err("is refused");
    assert_eq!(refused.kind, Kind::Unmaskable);
    let body = request(Form::Messages, &[block(json!("s="), MAIL)]);
    let exchange = guard.request(Form::Messages, body.as_bytes()).expect("passes");
    assert_eq!(String::from_utf8_lossy(exchange.body()), body);
    // A policy against thinking says nothing of summaries.
    let blocking =
        common::guard(r#"{"thinking":"block","rules":[{"action":"mask","target":"personal-data"}]}"#);
    for guard in [&guard, &blocking] {
        let clean = stream(json!("s="), "They spoke of the weather.");
        assert_eq!(shown(guard, Form::Messages, &clean), clean);
        let whole = answer(Form::Messages, &[block(json!("s="), "They spoke of the weather.")]);
        let out = begin(guard, Form::Messages).response(200, whole.as_bytes()).expect("passes");
        assert_eq!(String::from_utf8_lossy(&out), whole);
    }
}

/// Where texts of the conversation are sealed or kept by the provider, their numbers are not known.
#[test]
fn placeholders_need_the_texts_or_a_table() {
    let guard = guard(
        r#"{"placeholders": true, "rules": [{"action": "mask", "target": "personal-data", "on": "request"}]}"#,
    );
    let sealed = [
        (
            Form::Responses,
            request(Form::Responses, &[json!({"type": "compaction", "encrypted_content": "e"})]),
        ),
        (
            Form::Messages,
            request(Form::Messages, &[json!({"type": "compaction", "content": "c", "signature": "s"})]),
        ),
        (
            Form::Messages,
            json!({"messages": [], "thread": {"type": "continue", "previous_message_id": "m"}}).to_string(),
        ),
    ];
    for (form, body) in sealed {
        let blocked = guard.request(form, body.as_bytes()).expect_err("is refused");
        assert_eq!(blocked.kind, Kind::NoTable, "{body}");
        let table = begin(&guard, form).table();
        guard.request_after(&table, form, body.as_bytes()).expect("goes on");
        masking().request(form, body.as_bytes()).expect("passes");
    }
    let plain = [
        request(Form::Messages, &[json!({"type": "compaction", "content": "c", "signature": null})]),
        json!({"messages": [], "thread": {"type": "create"}}).to_string(),
    ];
    for body in plain {
        guard.request(Form::Messages, body.as_bytes()).expect("passes");
    }
}

/// Tools and formats come with the items of a conversation, too.
#[test]
fn what_items_ask_for_is_held() {
    let schema = json!({"type": "object", "properties": {"to": {"type": "string", "format": "email"}}});
    let tool = json!({"type": "function", "name": "send", "parameters": schema});
    let space = json!({"type": "namespace", "name": "crm", "description": "d", "tools": [tool]});
    let quoted = format!("{{\"to\":\"{MAIL}\"}}");
    let call = answer(
        Form::Responses,
        &[json!({"type": "function_call", "call_id": "c", "name": "send", "arguments": quoted})],
    );
    for body in [
        json!({"input": "Hi", "tools": [space]}),
        json!({"input": [{"type": "tool_search_output", "tools": [tool]}]}),
        json!({"input": [{"type": "additional_tools", "role": "developer", "tools": [space]}]}),
    ] {
        let mut exchange = masking().request(Form::Responses, body.to_string().as_bytes()).expect("passes");
        let blocked = exchange.response(200, call.as_bytes()).expect_err("is refused");
        assert_eq!(blocked.kind, Kind::Schema, "{body}");
    }
    let definition = json!({"name": "send", "input_schema": schema});
    let body = request(
        Form::Messages,
        &[json!({"type": "tool_addition", "tool": {"type": "tool_definition", "definition": definition}})],
    );
    let call = answer(
        Form::Messages,
        &[json!({"type": "tool_use", "id": "t", "name": "send", "input": {"to": MAIL}})],
    );
    let mut exchange = masking().request(Form::Messages, body.as_bytes()).expect("passes");
    assert_eq!(exchange.response(200, call.as_bytes()).expect_err("is refused").kind, Kind::Schema);

    // JSON is read as JSON, whose escapes hide nothing; text is read as text.
    let update = |format: Value| json!({"type": "configuration_update", "text": {"format": format}});
    let said = "{\\\"to\\\":\\\"ann\\\\u0040example.org\\\"}";
    let events = |text: &str| {
        format!(
            "data: {{\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"{text}\"}}\n\n\
             data: {{\"type\":\"response.output_text.done\",\"output_index\":0,\"content_index\":0,\"text\":\"{text}\"}}\n\n\
             data: {{\"type\":\"response.completed\",\"response\":{{}}}}\n\n"
        )
    };
    let json_object = json!({"type": "json_object"});
    let body = json!({"input": [update(json_object.clone())]}).to_string();
    let exchange = masking().request(Form::Responses, body.as_bytes()).expect("passes");
    let out = run(exchange.stream(), &[events(said).as_bytes()], |_| {}).expect("passes");
    assert!(String::from_utf8_lossy(&out).contains(MASKED), "{}", String::from_utf8_lossy(&out));
    let body =
        json!({"text": {"format": json_object}, "input": [update(json!({"type": "text"}))]}).to_string();
    let exchange = masking().request(Form::Responses, body.as_bytes()).expect("passes");
    run(exchange.stream(), &[events("No JSON any more.").as_bytes()], |_| {}).expect("passes");
}

/// Variables of a stored prompt are texts or parts of a message: an image is one there, too.
#[test]
fn variables_are_read_as_what_they_are() {
    let body =
        |value: Value| json!({"prompt": {"id": ID, "variables": {"a": value, "id": MAIL}}}).to_string();
    for value in [json!(MAIL), json!({"type": "input_text", "text": MAIL})] {
        let body = body(value);
        let exchange = masking().request(Form::Responses, body.as_bytes()).expect("passes");
        assert_eq!(String::from_utf8_lossy(exchange.body()), masked(&body));
    }
    let image = body(json!({"type": "input_image", "image_url": "data:image/png;base64,AAAA"}));
    let blocked = masking().request(Form::Responses, image.as_bytes()).expect_err("is refused");
    assert_eq!(blocked.kind, Kind::Unmaskable);
    let open = guard(r#"{"media":"pass","rules":[{"action":"mask","target":"personal-data"}]}"#);
    let exchange = open.request(Form::Responses, image.as_bytes()).expect("passes");
    assert_eq!(String::from_utf8_lossy(exchange.body()), masked(&image));
}

/// Calls and thinking in the history of responses are the model's, their results the tools'; none of them is the person's.
#[test]
fn items_of_a_history_have_the_role_of_who_made_them() {
    let rule = |role: &str| {
        guard(&format!(r#"{{"rules":[{{"action":"mask","target":"personal-data","roles":["{role}"]}}]}}"#))
    };
    let text = format!("{{\"to\":\"{MAIL}\"}}");
    for (item, role) in [
        (json!({"type": "function_call", "call_id": "c", "name": "n", "arguments": text}), "assistant"),
        (json!({"type": "custom_tool_call", "call_id": "c", "name": "n", "input": MAIL}), "assistant"),
        (
            json!({"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": MAIL}]}),
            "assistant",
        ),
        (json!({"type": "program", "call_id": "c", "code": MAIL, "fingerprint": "f"}), "assistant"),
        (json!({"type": "program_output", "call_id": "c", "result": MAIL}), "tool"),
        (json!({"type": "function_call_output", "call_id": "c", "output": MAIL}), "tool"),
        (json!({"type": "message", "role": "user", "content": MAIL}), "user"),
        (json!({"role": "user", "content": MAIL}), "user"),
    ] {
        let body = request(Form::Responses, &[item]);
        for other in ["assistant", "tool", "user"] {
            let guard = rule(other);
            let exchange = guard.request(Form::Responses, body.as_bytes()).expect("passes");
            let sent = String::from_utf8_lossy(exchange.body()).into_owned();
            assert_eq!(sent != body, role == other, "{other}: {sent}");
        }
    }
}

/// A refusal names the type, where it stands and what to set. A type that could be a text is not quoted.
#[test]
fn a_refusal_names_what_is_unknown() {
    let dropping = guard(r#"{"unknown":"drop","rules":[{"action":"mask","target":"personal-data"}]}"#);
    let said = |guard: &Guard, form, all: &[Value]| {
        guard.request(form, request(form, all).as_bytes()).expect_err("is refused").message
    };
    let hologram = json!({"type": "hologram_20260801"});
    for (guard, kind, told) in [
        (
            &masking(),
            &hologram,
            "an unknown type `hologram_20260801` in `content`; set `unknown` to `drop` or `pass`",
        ),
        (
            &dropping,
            &hologram,
            "`hologram_20260801` in `content`; it cannot be left out; set `unknown` to `pass`",
        ),
        (&masking(), &json!({"type": MAIL}), "an unknown type in `content`; set"),
        (&masking(), &json!({"type": format!("id-{ID}")}), "an unknown type in `content`; set"),
    ] {
        let message = said(guard, Form::Messages, std::slice::from_ref(kind));
        assert!(message.contains(told), "{message}");
    }
    let event = |event: Value| format!("data: {event}\n\n");
    for (form, bytes, told) in [
        (
            Form::Responses,
            event(json!({"type": "response.hologram.delta"})),
            "`response.hologram.delta` in `event`; set `unknown` to `drop`",
        ),
        (
            Form::Responses,
            event(json!({"type": "response.output_item.added", "item": {"type": "hologram"}})),
            "`hologram` in `item`; it cannot be left out",
        ),
        (Form::Messages, event(json!({"type": "hologram"})), "`hologram` in `event`; set"),
        (
            Form::Messages,
            event(json!({"type": "content_block_start", "index": 0, "content_block": {"type": "hologram"}})),
            "`hologram` in `content_block`; set",
        ),
        (
            Form::Chat,
            event(json!({"choices": [{"index": 0, "delta": {"hologram": "a"}}]})),
            "an unknown member `hologram`; set `unknown`",
        ),
    ] {
        let (blocked, _) =
            run(begin(&masking(), form).stream(), &[bytes.as_bytes()], |_| {}).expect_err("is refused");
        assert_eq!(blocked.kind, Kind::Unknown);
        assert!(blocked.message.contains(told), "{}", blocked.message);
    }
}
