//! Requests, whole answers, and placeholders.

mod common;

use common::{begin, events, guard, joined, masking, run};
use sonometer_guard::{Form, Guard, Kind, Tables};

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

/// A refusal says what is wrong, where it stands and what to do. It quotes only names that belong to the form.
#[test]
fn a_body_that_cannot_be_read_is_refused_with_its_place() {
    let guard = common::masking();
    for (body, told) in [
        ("", "an empty body; send one object of JSON"),
        ("{\n \"model\": \"ann@example.org\",\n \"messages\": [,]}", "expected value at line 3, column 15;"),
        ("{\"model\": \"änn@example.org\" \"messages\": []}", "expected `,` or `}` at line 1, column 29;"),
        ("{\"messages\": [", "EOF while parsing a list at line 1, column 14;"),
        ("{\"messages\": []} ann@example.org", "trailing characters at line 1, column 18;"),
        ("\"ann@example.org\"", "a body that is no object of JSON;"),
        ("\u{feff}{\"messages\": []}", "a body that begins with a byte order mark; send it without"),
        (
            "{\"messages\": [],\n\"messages\": []}",
            "an object with `messages` in it twice, the second time at line 2, column 1;",
        ),
        (
            "{\"messages\": [\n  {\"role\": \"user\", \"ann@example.org\": 1,\n   \"ä\": 1, \"ann@example.org\": 2}]}",
            "an object with a name in it twice, the second time at line 3, column 12;",
        ),
    ] {
        let blocked = guard.request(Form::Chat, body.as_bytes()).expect_err("is refused");
        assert_eq!(blocked.kind, Kind::Unreadable, "{body}");
        assert!(blocked.message.contains(told) && !blocked.message.contains("ann@"), "{body}: {blocked}");
    }
    let blocked = guard.request(Form::Chat, b"{\n\"a\":\"\xff\"}").expect_err("is refused");
    assert!(blocked.message.contains("UTF-8 from line 2, column 6 on; only UTF-8"), "{blocked}");
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
    assert_eq!(exchange.report().sensed.len(), 1);

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

/// A conversation goes on by a sealed summary that came in an answer, whole or streamed; one that did not is refused.
#[test]
fn a_conversation_goes_on_by_its_sealed_summary() {
    let (guard, tables) = (guard(REVERSIBLE), Tables::default());
    let ask = |body: &str| guard.request_kept(&tables, Form::Responses, body.as_bytes());
    let item = |sealed: &str| format!(r#"{{"id":"c","type":"compaction","encrypted_content":"{sealed}"}}"#);
    let mut first = ask(r#"{"model":"m","input":"I am ann@example.org"}"#).expect("passes");
    let answer = format!(r#"{{"id":"p1","object":"response.compaction","output":[{}]}}"#, item("AAAA"));
    first.response(200, answer.as_bytes()).expect("passes");
    tables.keep(&first);

    let user = r#"{"role":"user","content":"Ask bob@example.net, not ann@example.org"}"#;
    let second = ask(&format!(r#"{{"stream":true,"input":[{},{user}]}}"#, item("AAAA"))).expect("goes on");
    let sent = String::from_utf8_lossy(second.body()).into_owned();
    assert!(sent.contains("Ask <EMAIL_ADDRESS_2>, not <EMAIL_ADDRESS_1>"), "{sent}");
    let mut stream = second.stream();
    let mut out = Vec::new();
    let done = format!(
        "event: response.output_item.done\ndata: {{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{}}}\n\n",
        item("BBBB")
    );
    stream.push(done.as_bytes(), &mut out).expect("passes");
    tables.keep_of(&stream);

    // Both summaries are of one conversation; the later one has what the earlier one has.
    for items in [item("BBBB"), format!("{},{}", item("AAAA"), item("BBBB"))] {
        let mut third = ask(&format!(r#"{{"input":[{items}]}}"#)).expect("goes on");
        let text = r#"{"id":"r3","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"<EMAIL_ADDRESS_1>, <EMAIL_ADDRESS_2>"}]}]}"#;
        let shown = third.response(200, text.as_bytes()).expect("passes");
        let shown = String::from_utf8_lossy(&shown);
        assert!(shown.contains("ann@example.org, bob@example.net"), "{shown}");
    }

    // So it is with a signed summary of Anthropic.
    let ask_signed = |body: &str| guard.request_kept(&tables, Form::Messages, body.as_bytes());
    let block = r#"{"type":"compaction","content":"Of <EMAIL_ADDRESS_1>.","signature":"EEEE"}"#;
    let mut signed =
        ask_signed(r#"{"messages":[{"role":"user","content":"I am ann@example.org"}]}"#).expect("passes");
    let answer = format!(r#"{{"id":"m1","type":"message","role":"assistant","content":[{block}]}}"#);
    signed.response(200, answer.as_bytes()).expect("passes");
    tables.keep(&signed);
    let body = format!(
        r#"{{"messages":[{{"role":"assistant","content":[{block}]}},{{"role":"user","content":"Ask eve@example.com"}}]}}"#
    );
    let sent = ask_signed(&body).expect("goes on");
    assert!(String::from_utf8_lossy(sent.body()).contains("Ask <EMAIL_ADDRESS_2>"));

    // Of another conversation, in which the same number is another value.
    let mut other = ask(r#"{"model":"m","input":"I am eve@example.com"}"#).expect("passes");
    let answer = format!(r#"{{"id":"p2","output":[{}]}}"#, item("CCCC"));
    other.response(200, answer.as_bytes()).expect("passes");
    tables.keep(&other);
    for body in [
        format!(r#"{{"input":[{}]}}"#, item("DDDD")),
        format!(r#"{{"input":[{},{}]}}"#, item("AAAA"), item("CCCC")),
        format!(r#"{{"input":[{},{}]}}"#, item("DDDD"), item("AAAA")),
        format!(r#"{{"conversation":"conv_1","input":[{}]}}"#, item("AAAA")),
        format!(r#"{{"previous_response_id":"r9","input":[{}]}}"#, item("AAAA")),
    ] {
        let refused = ask(&body).expect_err(&body);
        assert_eq!(refused.kind, Kind::NoTable, "{body}");
    }
    let refused = ask(&format!(r#"{{"input":[{}]}}"#, item("DDDD"))).expect_err("is refused");
    assert!(refused.message.contains("the guard that saw the answer with it"), "{}", refused.message);
}

/// A conversation goes on by the id of its last answer, whole or streamed, with the numbers that it had; one that is not known is refused.
#[test]
fn a_conversation_whose_history_the_provider_keeps_goes_on() {
    let (guard, tables) = (guard(REVERSIBLE), Tables::default());
    let ask = |body: &str| guard.request_kept(&tables, Form::Responses, body.as_bytes());
    let answer = |id: &str, text: &str| {
        format!(
            r#"{{"id":"{id}","output":[{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{text}"}}]}}]}}"#
        )
    };
    let mut first = ask(r#"{"model":"m","input":"I am ann@example.org"}"#).expect("passes");
    assert!(!tables.keep(&first), "no answer has come");
    first.response(200, answer("r1", "Hello <EMAIL_ADDRESS_1>").as_bytes()).expect("passes");
    assert!(tables.keep(&first));

    let second = ask(r#"{"model":"m","stream":true,"previous_response_id":"r1","input":"Ask bob@example.net, not ann@example.org"}"#)
        .expect("goes on");
    let sent = String::from_utf8_lossy(second.body()).into_owned();
    assert!(sent.contains("Ask <EMAIL_ADDRESS_2>, not <EMAIL_ADDRESS_1>"), "{sent}");
    let mut stream = second.stream();
    let mut out = Vec::new();
    let created = "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r2\",\"output\":[]}}\n\n";
    stream.push(created.as_bytes(), &mut out).expect("passes");
    assert!(tables.keep_of(&stream));

    // From either answer; each has the values of its own history.
    for (id, text) in
        [("r1", "ann@example.org, <EMAIL_ADDRESS_2>"), ("r2", "ann@example.org, bob@example.net")]
    {
        let body = format!(r#"{{"model":"m","previous_response_id":"{id}","input":"Who?"}}"#);
        let mut third = ask(&body).expect("goes on");
        let shown = third
            .response(200, answer("r3", "<EMAIL_ADDRESS_1>, <EMAIL_ADDRESS_2>").as_bytes())
            .expect("passes");
        assert!(String::from_utf8_lossy(&shown).contains(text), "{}", String::from_utf8_lossy(&shown));
    }
    let unknown = ask(r#"{"model":"m","previous_response_id":"r9","input":"Who?"}"#).expect_err("is refused");
    assert_eq!(unknown.kind, Kind::NoTable);
    assert!(unknown.message.contains("previous_response_id"), "{}", unknown.message);

    // The last thousand are kept.
    for number in 0..1_000 {
        let mut exchange = ask(r#"{"model":"m","input":"Hi"}"#).expect("passes");
        exchange.response(200, answer(&format!("n{number}"), "Hi").as_bytes()).expect("passes");
        assert!(tables.keep(&exchange));
    }
    assert_eq!(
        ask(r#"{"previous_response_id":"r1","input":"Who?"}"#).expect_err("is refused").kind,
        Kind::NoTable
    );
    ask(r#"{"previous_response_id":"n0","input":"Who?"}"#).expect("goes on");
}

/// What rules with `sense` and `tag` say of an answer is the same whether it comes whole or as events, cut anywhere.
#[test]
fn answers_are_measured_whole_and_streamed_alike() {
    // `escalation` reads conversations only.
    let measuring = guard(
        r#"{"final_event":true,"rules":[{"action":"sense","target":"courtesy","on":"response"},
            {"action":"tag","target":"courtesy","text":"polite","on":"response"},
            {"action":"sense","target":"escalation","on":"response"}]}"#,
    );
    let text = "Good morning! Thank you so much for your help, I really appreciate it.";
    let other = "No. That is not my job, and I will not do it for you at all.";
    let think = "Thank you, thank you, thank you. The user wants help.";
    let whole = [
        (
            Form::Chat,
            format!(
                r#"{{"id":"a1","choices":[{{"index":0,"message":{{"role":"assistant","reasoning_content":"{think}","content":"{text}"}},"finish_reason":"stop"}},
                    {{"index":1,"message":{{"role":"assistant","content":"{other}"}},"finish_reason":"stop"}}]}}"#
            ),
        ),
        (
            Form::Messages,
            format!(
                r#"{{"id":"a1","type":"message","role":"assistant","content":[{{"type":"text","text":"{text}"}},{{"type":"text","text":"{other}"}}],"stop_reason":"end_turn"}}"#
            ),
        ),
        (
            Form::Responses,
            format!(
                r#"{{"id":"a1","output":[{{"type":"reasoning","id":"rs","summary":[{{"type":"summary_text","text":"{think}"}}]}},
                    {{"type":"message","id":"m","role":"assistant","content":[{{"type":"output_text","text":"{text}","annotations":[]}},
                    {{"type":"output_text","text":"{other}","annotations":[]}}]}}]}}"#
            ),
        ),
    ];
    for (form, body) in whole {
        let mut exchange = begin(&measuring, form);
        exchange.response(200, body.as_bytes()).expect("passes");
        let report = exchange.report();
        assert_eq!(report.tags, ["polite"], "{form:?}");
        assert_eq!(report.response_id.as_deref(), Some("a1"), "{form:?}");
        let targets: Vec<(&str, bool)> =
            report.sensed.iter().map(|sensed| (sensed.target.as_str(), sensed.score.is_some())).collect();
        let once = [("courtesy", true), ("escalation", targets[1].1)];
        assert_eq!(targets, [once, once].concat(), "{form:?}");
        assert!(report.sensed[0].score > report.sensed[2].score, "{form:?}");
        assert!(report.sensed[0].places.starts_with("greeting 0:0-12"), "{}", report.sensed[0].places);

        let bytes = as_events(form, &[text, other], think);
        for size in [1, 7, bytes.len()] {
            let mut stream = begin(&measuring, form).stream();
            let mut out = Vec::new();
            for part in bytes.as_bytes().chunks(size) {
                stream.push(part, &mut out).expect("passes");
            }
            stream.finish(&mut out).expect("ends well");
            assert_eq!(stream.report(), report, "{form:?} in pieces of {size}");
            if form != Form::Responses {
                let told = r#""scores":[{"on":"response","target":"courtesy","score":"#;
                assert!(String::from_utf8_lossy(&out).contains(told), "{}", String::from_utf8_lossy(&out));
            }
        }
    }
}

/// What is reported has a bound, whatever a provider sends.
#[test]
fn reports_are_bounded() {
    let measuring = guard(r#"{"rules":[{"action":"sense","target":"courtesy","on":"response"}]}"#);
    let texts = vec![r#"{"type":"text","text":"Thank you."}"#; 1_000].join(",");
    let id = "i".repeat(10_000);
    let body = format!(
        r#"{{"id":"{id}","type":"message","role":"assistant","content":[{texts}],"stop_reason":"end_turn"}}"#
    );
    let mut exchange = begin(&measuring, Form::Messages);
    exchange.response(200, body.as_bytes()).expect("passes");
    assert_eq!((exchange.report().sensed.len(), &exchange.report().response_id), (256, &None));
}

/// An answer of two texts in the events of a provider, each text in pieces of eleven characters.
fn as_events(form: Form, texts: &[&str], think: &str) -> String {
    let mut out = String::new();
    let mut event = |kind: &str, data: String| {
        if form != Form::Chat {
            out.push_str(&format!("event: {kind}\n"));
        }
        out.push_str(&format!("data: {data}\n\n"));
    };
    let pieces = |text: &str| {
        let letters: Vec<char> = text.chars().collect();
        letters.chunks(11).map(|piece| piece.iter().collect::<String>()).collect::<Vec<_>>()
    };
    match form {
        Form::Messages => {
            event(
                "message_start",
                r#"{"type":"message_start","message":{"id":"a1","type":"message","role":"assistant","content":[],"stop_reason":null}}"#.to_owned(),
            );
            for (at, text) in texts.iter().enumerate() {
                event(
                    "content_block_start",
                    format!(
                        r#"{{"type":"content_block_start","index":{at},"content_block":{{"type":"text","text":""}}}}"#
                    ),
                );
                for piece in pieces(text) {
                    let delta = format!(r#"{{"type":"text_delta","text":"{piece}"}}"#);
                    event(
                        "content_block_delta",
                        format!(r#"{{"type":"content_block_delta","index":{at},"delta":{delta}}}"#),
                    );
                }
                event("content_block_stop", format!(r#"{{"type":"content_block_stop","index":{at}}}"#));
            }
            event(
                "message_delta",
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}"#
                    .to_owned(),
            );
            event("message_stop", r#"{"type":"message_stop"}"#.to_owned());
        }
        Form::Responses => {
            event(
                "response.created",
                r#"{"type":"response.created","response":{"id":"a1","output":[]}}"#.to_owned(),
            );
            for piece in pieces(think) {
                event(
                    "response.reasoning_summary_text.delta",
                    format!(
                        r#"{{"type":"response.reasoning_summary_text.delta","item_id":"rs","output_index":0,"summary_index":0,"delta":"{piece}"}}"#
                    ),
                );
            }
            for (at, text) in texts.iter().enumerate() {
                let place = format!(r#""item_id":"m","output_index":1,"content_index":{at}"#);
                for piece in pieces(text) {
                    event(
                        "response.output_text.delta",
                        format!(r#"{{"type":"response.output_text.delta",{place},"delta":"{piece}"}}"#),
                    );
                }
                event(
                    "response.output_text.done",
                    format!(r#"{{"type":"response.output_text.done",{place},"text":"{text}"}}"#),
                );
            }
            event(
                "response.completed",
                r#"{"type":"response.completed","response":{"id":"a1","output":[]}}"#.to_owned(),
            );
        }
        _ => {
            let chunk = |at: usize, delta: String, reason: &str| {
                format!(
                    r#"{{"id":"a1","object":"chat.completion.chunk","choices":[{{"index":{at},"delta":{delta},"finish_reason":{reason}}}]}}"#
                )
            };
            for piece in pieces(think) {
                event("", chunk(0, format!(r#"{{"reasoning_content":"{piece}"}}"#), "null"));
            }
            for (at, text) in texts.iter().enumerate() {
                for piece in pieces(text) {
                    event("", chunk(at, format!(r#"{{"content":"{piece}"}}"#), "null"));
                }
                event("", chunk(at, "{}".to_owned(), "\"stop\""));
            }
            event("", "[DONE]".to_owned());
        }
    }
    out
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
    // Errors have any shape: those of FastAPI, a list as Gemini sends it, ids and names that are texts.
    for body in [
        r#"{"detail":"no such user ann@example.org"}"#,
        r#"{"detail":[{"loc":["body"],"msg":"x","input":{"id":"ann@example.org"}}]}"#,
        r#"[{"error":{"code":400,"message":"no ann@example.org","status":"ann@example.org"}}]"#,
        r#"{"errors":{"ann@example.org":"unknown"},"status":"ann@example.org"}"#,
        r#""no such user ann@example.org""#,
    ] {
        let shown = exchange.response(422, body.as_bytes()).expect("passes");
        assert!(!String::from_utf8_lossy(&shown).contains("ann"), "{body}");
    }
    // Also within an answer that came with status 200.
    for body in [
        r#"{"detail":"no such user ann@example.org"}"#,
        r#"{"choices":[],"error":{"status":"no ann@example.org"}}"#,
        r#"{"choices":[],"ann@example.org":1}"#,
    ] {
        let shown = exchange.response(200, body.as_bytes()).expect("passes");
        assert!(!String::from_utf8_lossy(&shown).contains("ann"), "{body}");
    }
}

/// A file is one wherever it stands, and sound is one in whole answers too. Beside what passes, texts are masked.
#[test]
fn files_are_refused_or_pass_with_their_names_masked() {
    let open = common::guard(
        r#"{"media":"pass","rules":[{"action":"mask","target":"personal-data","mask":"label"}]}"#,
    );
    let (file, data) = (r#""type":"base64","media_type":"application/pdf","data""#, "UERG");
    for (form, body) in [
        (Form::Messages, format!(r#"{{"type":"document","title":"TEXT","source":{{{file}:"{data}"}}}}"#)),
        (
            Form::Messages,
            format!(r#"{{"type":"document","context":"TEXT","source":{{"type":"url","url":"{data}"}}}}"#),
        ),
        (
            Form::Messages,
            format!(
                r#"{{"type":"tool_result","tool_use_id":"t","content":[{{"type":"document","title":"TEXT","source":{{{file}:"{data}"}}}}]}}"#
            ),
        ),
        (Form::Chat, format!(r#"{{"type":"file","file":{{"filename":"TEXT","file_data":"{data}"}}}}"#)),
    ] {
        let body = format!(r#"{{"messages":[{{"role":"user","content":[{body}]}}]}}"#)
            .replace("TEXT", "ann@example.org");
        assert_eq!(refused(&masking(), form, &body), Kind::Unmaskable, "{body}");
        assert_eq!(sent(&open, form, &body), body.replace("ann@example.org", "<EMAIL_ADDRESS>"));
    }
    let text = r#"{"messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"by ann@example.org"}}]}]}"#;
    assert!(!sent(&masking(), Form::Messages, text).contains("ann"));
    let spoken = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":null,"audio":{"id":"a","data":"UERG","transcript":"ann@example.org"}}}]}"#;
    let answer = |guard: &Guard| begin(guard, Form::Chat).response(200, spoken.as_bytes());
    assert_eq!(answer(&masking()).expect_err("is refused").kind, Kind::Unmaskable);
    let shown = String::from_utf8(answer(&open).expect("passes")).expect("is UTF-8");
    assert_eq!(shown, spoken.replace("ann@example.org", "<EMAIL_ADDRESS>"));
    let drawn = r#"{"output":[{"type":"image_generation_call","id":"i","result":"UERG","revised_prompt":"ann@example.org"}]}"#;
    let shown = begin(&open, Form::Responses).response(200, drawn.as_bytes()).expect("passes");
    assert_eq!(String::from_utf8_lossy(&shown), drawn.replace("ann@example.org", "<EMAIL_ADDRESS>"));
}

/// A tool that makes images may be given one in its definition.
#[test]
fn an_image_in_a_definition_of_a_tool_is_media() {
    let image = r#"{"image_url":"data:image/png;base64,NTU1LTAxMjMtNDU2Nw=="}"#;
    let tool = format!(r#"{{"type":"image_generation","quality":"high","input_image_mask":{image}}}"#);
    let body = format!(r#"{{"model":"m","input":"by ann@example.org","tools":[{tool}]}}"#);
    assert_eq!(refused(&masking(), Form::Responses, &body), Kind::Unmaskable);
    let open = common::guard(
        r#"{"media":"pass","rules":[{"action":"mask","target":"personal-data","mask":"label"}]}"#,
    );
    assert_eq!(sent(&open, Form::Responses, &body), body.replace("ann@example.org", "<EMAIL_ADDRESS>"));
    let none = body.replace(image, "null");
    assert!(sent(&masking(), Form::Responses, &none).contains("input_image_mask"), "without an image");
}

/// Log probabilities of an earlier answer hold its text token by token, and go back with the history.
#[test]
fn log_probabilities_of_the_history_are_not_sent() {
    let body = r#"{"input":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a","logprobs":[{"token":"ann@"}]}]}]}"#;
    let none = body.replace(r#"[{"token":"ann@"}]"#, "[]");
    assert_eq!(sent(&masking(), Form::Responses, body), none);
    let open = common::guard(r#"{"logprobs":"pass","rules":[{"action":"mask","target":"personal-data"}]}"#);
    assert_eq!(sent(&open, Form::Responses, body), body);
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
        (
            r#"{"rules":[{"action":"block","target":"courtesy","at_least":0.6,"at_most":0.2}]}"#,
            "rules[0].at_least",
        ),
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
