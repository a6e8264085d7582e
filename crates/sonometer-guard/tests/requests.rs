//! Requests, whole answers, and placeholders.

mod common;

use common::{begin, events, guard, joined, masking, run};
use sonometer_guard::{Form, Guard, Kind};

fn sent(guard: &Guard, form: Form, body: &str) -> String {
    let exchange = guard.request(form, body.as_bytes()).unwrap_or_else(|blocked| panic!("{blocked}"));
    String::from_utf8(exchange.body().to_vec()).expect("is UTF-8")
}

fn refused(guard: &Guard, form: Form, body: &str) -> Kind {
    guard.request(form, body.as_bytes()).expect_err("is refused").kind
}

const REVERSIBLE: &str =
    r#"{"placeholders": true, "rules": [{"action": "mask", "target": "personal-data", "on": "request"}]}"#;

#[test]
fn only_private_text_changes() {
    let body = r#"{ "model" : "m-4111111111111111", "temperature":1.50,"messages":[
        {"role":"system","content":"Be brief\u002e"},
        {"role":"user","content":[{"type":"text","text":"I am at ann@example.org"}],"name":"x"}], "user":"bob@example.net","stop":["bob@example.net"],
        "metadata":{"mail":"c@example.org"},"tools":[{"type":"function","function":{"name":"send","description":"ask d@example.org","parameters":{"type":"object"}}}] }"#;
    let masked = sent(&masking(), Form::Chat, body);
    let expected = body
        .replace("ann@example.org", "***@*******.***")
        .replace("bob@example.net", "***@*******.***")
        .replace("c@example.org", "*@*******.***")
        .replace("d@example.org", "*@*******.***");
    assert_eq!(masked, expected);
}

#[test]
fn every_form_is_masked() {
    let guard = masking();
    for (form, body) in [
        (Form::Embeddings, r#"{"model":"m","input":"I am ann@example.org","encoding_format":"base64"}"#),
        (Form::Embeddings, r#"{"model":"m","input":["I am ann@example.org","two"]}"#),
        (Form::Completions, r#"{"model":"m","prompt":["I am ann@example.org"],"suffix":"x"}"#),
        (Form::Responses, r#"{"model":"m","instructions":"x","input":"I am ann@example.org"}"#),
        (
            Form::Responses,
            r#"{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"I am ann@example.org"}]}]}"#,
        ),
        (
            Form::Responses,
            r#"{"model":"m","input":[{"type":"function_call_output","call_id":"c","output":"{\"mail\":\"ann\\u0040example.org\"}"}]}"#,
        ),
        (
            Form::Messages,
            r#"{"model":"m","system":[{"type":"text","text":"I am ann@example.org","cache_control":{"type":"ephemeral"}}],"messages":[]}"#,
        ),
        (
            Form::Messages,
            r#"{"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"a":["ann@example.org"]}}]}]}"#,
        ),
        (
            Form::Messages,
            r#"{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ann@example.org"}]}]}"#,
        ),
        (
            Form::Messages,
            r#"{"model":"m","messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"ann@example.org"}}]}]}"#,
        ),
    ] {
        let masked = sent(&guard, form, body);
        assert!(!masked.contains("ann") && masked.contains("***@*******.***"), "{form:?} {masked}");
        serde_json::from_str::<serde_json::Value>(&masked).expect("is JSON");
    }
}

#[test]
fn what_cannot_be_masked_is_refused() {
    let guard = masking();
    for (form, body, kind) in [
        (Form::Embeddings, r#"{"input":[1,2,3]}"#, Kind::Unmaskable),
        (Form::Embeddings, r#"{"input":[[1,2],[3]]}"#, Kind::Unmaskable),
        (Form::Completions, r#"{"prompt":[1,2,3]}"#, Kind::Unmaskable),
        (
            Form::Chat,
            r#"{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}"#,
            Kind::Unmaskable,
        ),
        (
            Form::Chat,
            r#"{"messages":[{"role":"user","content":[{"type":"hologram","data":"x"}]}]}"#,
            Kind::Unknown,
        ),
        (Form::Chat, r#"{"messages":[],"logprobs":true}"#, Kind::Unmaskable),
        (Form::Chat, r#"{"messages":[],"messages":[]}"#, Kind::Unreadable),
        (Form::Chat, r#"{"messages":["#, Kind::Unreadable),
        (
            Form::Messages,
            r#"{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"x"}}]}]}"#,
            Kind::Unmaskable,
        ),
        (Form::Responses, r#"{"input":[{"type":"hologram"}]}"#, Kind::Unknown),
        // T4.
        (
            Form::Messages,
            r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"card":4111111111111111}}]}]}"#,
            Kind::Unmaskable,
        ),
    ] {
        assert_eq!(refused(&guard, form, body), kind, "{body}");
    }
    assert_eq!(
        guard.request(Form::Chat, b"{\"a\":\"\xff\"}").expect_err("is refused").kind,
        Kind::Unreadable
    );
    // What is switched on passes; what is dropped leaves the rest.
    let open = common::guard(
        r#"{"media":"pass","unknown":"drop","logprobs":"drop","numbers":"nines","rules":[{"action":"mask","target":"personal-data"}]}"#,
    );
    let body = r#"{"messages":[{"role":"user","content":[{"type":"hologram"},{"type":"image_url","image_url":{"url":"x"}},{"type":"hologram","a":1},{"type":"text","text":"a"}]}],"logprobs":true}"#;
    let dropped = r#"{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"a"}]}],"logprobs":true}"#;
    assert_eq!(sent(&open, Form::Chat, body), dropped);
    let body = r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"card":4111111111111111}}]}]}"#;
    assert!(sent(&open, Form::Messages, body).contains("9999999999999999"));
}

/// T6, T8: signed thinking is never touched, and equal history gives equal bytes.
#[test]
fn a_history_that_grows_keeps_its_beginning() {
    let guard = guard(REVERSIBLE);
    let first = r#"{"messages":[{"role":"user","content":"Mail ann@example.org and bob@example.net"}"#;
    let second = format!(
        r#"{first},{{"role":"assistant","content":[{{"type":"thinking","thinking":"<EMAIL_ADDRESS_1> ann@example.org","signature":"abc="}},{{"type":"text","text":"Done: bob@example.net, BOB@example.net"}}]}},{{"role":"user","content":"Also carl@example.org"}}"#
    );
    let one = sent(&guard, Form::Messages, &format!("{first}]}}"));
    let two = sent(&guard, Form::Messages, &format!("{second}]}}"));
    assert!(one.contains("Mail <EMAIL_ADDRESS_1> and <EMAIL_ADDRESS_2>"), "{one}");
    assert!(two.starts_with(one.strip_suffix("]}").expect("ends so")), "{two}");
    assert!(two.contains(r#""thinking":"<EMAIL_ADDRESS_1> ann@example.org","signature":"abc=""#), "{two}");
    assert!(
        two.contains("Done: <EMAIL_ADDRESS_2>, <EMAIL_ADDRESS_2>") && two.contains("Also <EMAIL_ADDRESS_3>"),
        "{two}"
    );
}

#[test]
fn state_that_the_provider_keeps_has_no_table() {
    let guard = guard(REVERSIBLE);
    assert_eq!(
        refused(&guard, Form::Responses, r#"{"input":"x","previous_response_id":"r"}"#),
        Kind::NoTable
    );
    sent(&masking(), Form::Responses, r#"{"input":"x","previous_response_id":"r"}"#);
}

/// Restored in texts and in arguments, cut anywhere; T5: what is restored is escaped in JSON.
#[test]
fn placeholders_are_restored_in_streams() {
    let guard = guard(REVERSIBLE);
    let request = r#"{"stream":true,"messages":[{"role":"user","content":"Mail o\"neil@example.org or ann@example.org. I typed <EMAIL_ADDRESS_1>."}]}"#;
    let text = "To <EMAIL_ADDRESS_1> and <EMAIL_ADDRESS_2>, not <EMAIL_ADDRESS_9>, <EMAIL_ADDRESS_1_TYPED>, <b>EMAIL_ADDRESS_1</b> <EMAIL_ADDR";
    let (own, other) = {
        let sent = sent(&guard, Form::Chat, request);
        assert!(sent.contains("I typed <EMAIL_ADDRESS_1_TYPED>."), "{sent}");
        let mut exchange = guard.request(Form::Chat, request.as_bytes()).expect("passes");
        let body = format!(
            r#"{{"choices":[{{"index":0,"message":{{"role":"assistant","content":"{text}","tool_calls":[{{"id":"c","type":"function","function":{{"name":"n","arguments":"{{\"to\":\"<EMAIL_ADDRESS_1>\"}}"}}}}]}}}}]}}"#
        );
        let shown = exchange.response(200, body.as_bytes()).expect("passes");
        let shown: serde_json::Value = serde_json::from_slice(&shown).expect("is JSON");
        let message = &shown["choices"][0]["message"];
        (
            message["content"].as_str().expect("is text").to_owned(),
            message["tool_calls"][0]["function"]["arguments"].as_str().expect("is text").to_owned(),
        )
    };
    assert!(own.contains("and ann@example.org, not <EMAIL_ADDRESS_9>, <EMAIL_ADDRESS_1>, <b>EMAIL_ADDRESS_1</b> <EMAIL_ADDR"), "{own}");
    serde_json::from_str::<serde_json::Value>(&other).expect("restored arguments are JSON");
    for cut in 0..=text.len() {
        for size in [1, 5] {
            let mut parts = vec![&text[..cut]];
            parts.extend(
                text.as_bytes()[cut..].chunks(size).map(|part| std::str::from_utf8(part).expect("is ASCII")),
            );
            let chunk = |delta: String| {
                format!(
                    "data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}\n\n"
                )
            };
            let mut bytes: String =
                parts.iter().map(|part| chunk(format!("{{\"content\":\"{part}\"}}"))).collect();
            bytes.push_str("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
            let stream = guard.request(Form::Chat, request.as_bytes()).expect("passes").stream();
            let out = run(stream, &[bytes.as_bytes()], |_| {}).expect("passes");
            assert_eq!(joined(Form::Chat, &out)["0 content"], own, "{cut} {size}");
        }
    }
}

/// Rules that judge: a request is refused with an error of the provider's form; tags and scores are reported.
#[test]
fn rules_judge_requests_and_answers() {
    let judging = guard(
        r#"{"rules":[{"action":"block","target":"personal-data","on":"request","roles":["user"],"markers":["payment_card"]},
            {"action":"tag","target":"courtesy","text":"polite","on":"request"},
            {"action":"sense","target":"courtesy","on":"request"}]}"#,
    );
    let body = |text: &str| format!(r#"{{"messages":[{{"role":"user","content":"{text}"}}]}}"#);
    let blocked = judging
        .request(Form::Chat, body("My card number is 4111 1111 1111 1111").as_bytes())
        .expect_err("is refused");
    let (status, answer) = blocked.answer(Form::Chat);
    let answer: serde_json::Value = serde_json::from_slice(&answer).expect("is JSON");
    assert_eq!((status, answer["error"]["code"].as_str()), (400, Some("content_filter")));
    let (_, answer) = blocked.answer(Form::Messages);
    let answer: serde_json::Value = serde_json::from_slice(&answer).expect("is JSON");
    assert_eq!(
        (answer["type"].as_str(), answer["error"]["type"].as_str()),
        (Some("error"), Some("invalid_request_error"))
    );
    let polite =
        "Thank you very much for your help, I really appreciate it. Could you please look at my order?";
    let exchange = judging.request(Form::Chat, body(polite).as_bytes()).expect("passes");
    assert_eq!(exchange.report().tags, ["polite"]);
    assert_eq!(exchange.report().scores.len(), 1);

    // T12: one of two choices ends, the other goes on; a message ends as refused.
    let ending = guard(
        r#"{"rules":[{"action":"block","target":"personal-data","on":"response","markers":["payment_card"]}]}"#,
    );
    let chunk = |index, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
        )
    };
    let end = |index| {
        format!("data: {{\"choices\":[{{\"index\":{index},\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}\n\n")
    };
    let bytes = [
        chunk(0, "Here it is. "),
        chunk(1, "All is well. "),
        chunk(0, "The card number is 4111 1111 1111 1111. "),
        chunk(0, "And so on. "),
        chunk(1, "Bye."),
        end(0),
        end(1),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat();
    let out = run(begin(&ending, Form::Chat).stream(), &[bytes.as_bytes()], |_| {}).expect("ends well");
    let texts = joined(Form::Chat, &out);
    assert!(!texts["0 content"].contains("4111") && !texts["0 content"].contains("so on"), "{texts:?}");
    assert_eq!(texts["1 content"], "All is well. Bye.");
    let reasons: Vec<String> = events(&out)
        .iter()
        .flat_map(|event| event["choices"].as_array().cloned().unwrap_or_default())
        .filter_map(|choice| Some(format!("{} {}", choice["index"], choice["finish_reason"].as_str()?)))
        .collect();
    assert_eq!(reasons, ["0 content_filter", "1 stop"]);

    let message = include_str!("recorded/messages.sse");
    let out = run(begin(&ending, Form::Messages).stream(), &[message.as_bytes()], |_| {}).expect("ends well");
    let text = String::from_utf8_lossy(&out);
    assert!(
        text.contains("\"stop_reason\":\"refusal\"") && text.ends_with("{\"type\":\"message_stop\"}\n\n")
    );
    assert!(!text.contains("4111"), "{text}");
}

/// Errors of the provider repeat what was sent.
#[test]
fn errors_of_providers_are_masked() {
    let mut exchange = begin(&masking(), Form::Chat);
    let body = br#"{"error":{"message":"no such user ann@example.org","type":"x","param":null,"code":null}}"#;
    let shown = exchange.response(404, body).expect("passes");
    assert!(!String::from_utf8_lossy(&shown).contains("ann"));
    assert_eq!(
        exchange.response(502, b"<html>ann@example.org</html>").expect_err("is refused").kind,
        Kind::Unreadable
    );
}

#[test]
fn policies_that_cannot_be_are_refused() {
    for (policy, place) in [
        (r#"{"rules":[{"action":"mask","target":"no-such"}]}"#, "rules[0].target"),
        (r#"{"rules":[{"action":"mask","target":"courtesy"}]}"#, "rules[0].target"),
        (r#"{"rules":[{"action":"mask","target":"personal-data","markers":["x"]}]}"#, "rules[0].markers"),
        (r#"{"rules":[{"action":"mask","target":"personal-data","mask":"strs"}]}"#, "rules[0].mask"),
        (r#"{"rules":[{"action":"replace","target":"personal-data"}]}"#, "rules[0].text"),
        (r#"{"rules":[{"action":"block","target":"courtesy","at_least":7}]}"#, "rules[0].at_least"),
    ] {
        let policy = serde_json::from_str(policy).expect("reads");
        let error = Guard::new(&policy, common::find).expect_err("is refused");
        assert_eq!(error.place, place, "{error}");
    }
    let one = guard(REVERSIBLE);
    assert_eq!(one.digest().len(), 16);
    assert_ne!(one.digest(), masking().digest());
    assert_eq!(one.digest(), guard(REVERSIBLE).digest());
    // Numbers, labels and texts of one's own.
    let body =
        r#"{"messages":[{"role":"user","content":"ann@example.org, bob@example.org, ann@example.org"}]}"#;
    for (rule, expected) in [
        (r#""action":"mask","mask":"numbered""#, "<EMAIL_ADDRESS_1>, <EMAIL_ADDRESS_2>, <EMAIL_ADDRESS_1>"),
        (r#""action":"mask","mask":"label""#, "<EMAIL_ADDRESS>, <EMAIL_ADDRESS>, <EMAIL_ADDRESS>"),
        (r#""action":"replace","text":"[mail]""#, "[mail], [mail], [mail]"),
    ] {
        let guard = guard(&format!(r#"{{"rules":[{{"target":"personal-data",{rule}}}]}}"#));
        assert!(sent(&guard, Form::Chat, body).contains(expected), "{rule}");
    }
}

/// A gateway that sends the whole text each time: what is not held back never changes.
#[test]
fn texts_may_grow() {
    let guard = masking();
    let text = "Her mail is ann.b@example.org, her card 4111 1111 1111 1111. 😀 Bye";
    let whole = guard
        .texts()
        .text(sonometer_guard::On::Response, sonometer_guard::Role::Assistant, text)
        .expect("passes");
    let mut texts = guard.texts();
    let mut fixed = String::new();
    for end in text.char_indices().map(|(at, c)| at + c.len_utf8()) {
        let (shown, held) = texts.so_far(0, &text[..end]).expect("passes");
        let now: String = shown.chars().take(shown.chars().count() - held).collect();
        assert!(now.starts_with(&fixed) && whole.starts_with(&now), "{now}");
        fixed = now;
        if end == text.len() {
            assert_eq!(shown, whole);
        }
    }
    assert!(!fixed.is_empty());
}
