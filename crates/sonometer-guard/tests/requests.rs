//! Requests and whole answers.

mod common;

use common::{REVERSIBLE, begin, events, guard, joined, masking, refused, run, sent};
use sonometer_guard::{Form, Guard, Kind};

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

    // The same where only the end of the text tells, which comes with an event that has none.
    let bytes = [
        chunk(0, "The card number is 4111 1111 1111 1111"),
        chunk(1, "All is well"),
        end(0),
        end(1),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat();
    let out = run(begin(&ending, Form::Chat).stream(), &[bytes.as_bytes()], |_| {}).expect("ends well");
    let text = String::from_utf8_lossy(&out);
    assert!(!text.contains("4111") && text.contains("\"finish_reason\":\"content_filter\""), "{text}");
    assert_eq!(joined(Form::Chat, &out)["1 content"], "All is well");

    let message = include_str!("recorded/messages.sse");
    let out = run(begin(&ending, Form::Messages).stream(), &[message.as_bytes()], |_| {}).expect("ends well");
    let text = String::from_utf8_lossy(&out);
    assert!(
        text.contains("\"stop_reason\":\"refusal\"") && text.ends_with("{\"type\":\"message_stop\"}\n\n")
    );
    assert!(!text.contains("4111"), "{text}");
}

/// A rule that refuses whole answers refuses streams, in arguments of tools and in answers that were asked for as JSON, too.
#[test]
fn a_rule_that_blocks_reads_json_that_streams() {
    let guard = guard(r#"{"rules":[{"action":"block","target":"personal-data","on":"response"}]}"#);
    let json = r#"{"response_format":{"type":"json_object"},"messages":[]}"#;
    for parts in [["{\\\"to\\\":\\\"ann@", "example.org\\\"}"], ["{\\\"card\\\": 41111111", "11111111}"]] {
        for (field, end) in
            [("content\":\"", ""), ("tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"", "}}]")]
        {
            let chunk = |part: &str, reason: &str| {
                format!(
                    "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"{field}{part}\"{end}}},\"finish_reason\":{reason}}}]}}\n\n"
                )
            };
            let bytes = [chunk(parts[0], "null"), chunk(parts[1], "null"), chunk("", "\"stop\"")].concat();
            let exchange = guard.request(Form::Chat, json.as_bytes()).expect("passes");
            let out = run(exchange.stream(), &[bytes.as_bytes()], |_| {}).expect("ends");
            let out = String::from_utf8(out).expect("is UTF-8");
            assert!(
                out.contains("content_filter") && !out.contains("ann@") && !out.contains("4111"),
                "{out}"
            );
        }
    }
    let message = [
        r#"{"type":"message_start","message":{"id":"m","content":[]}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"to\":\"ann@example.org\"}"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
    ];
    let bytes: String = message.iter().map(|event| format!("data: {event}\n\n")).collect();
    let out = run(begin(&guard, Form::Messages).stream(), &[bytes.as_bytes()], |_| {}).expect("ends");
    let out = String::from_utf8(out).expect("is UTF-8");
    assert!(out.contains("\"stop_reason\":\"refusal\"") && !out.contains("ann@"), "{out}");
}

/// What passes as an image is counted as any event, and what is said beside it is masked.
#[test]
fn parts_of_images_keep_their_numbers() {
    let passing = guard(r#"{"media":"pass","rules":[{"action":"mask","target":"personal-data"}]}"#);
    let image = r#"data: {"type":"response.image_generation_call.partial_image","sequence_number":4,"partial_image_b64":"4111111111111111","prompt":"ann@example.org"}"#;
    let last = r#"data: {"type":"response.completed","sequence_number":5,"response":{"id":"r","output":[]}}"#;
    let bytes = format!("{image}\n\n{last}\n\n");
    let out = run(begin(&passing, Form::Responses).stream(), &[bytes.as_bytes()], |_| {}).expect("passes");
    assert_eq!(
        String::from_utf8(out).expect("is UTF-8"),
        bytes.replace("ann@example.org", "***@*******.***")
    );
}

/// Base64 has digits in a row that look like private data by chance. A mask in them would destroy all of it.
#[test]
fn what_is_computed_or_sealed_stays() {
    let data = "AAAA/4111111111111111/BBBB+442079460958==";
    let embeddings = format!(r#"{{"data":[{{"object":"embedding","index":0,"embedding":"{data}"}}]}}"#);
    let chat = format!(
        r#"{{"choices":[{{"message":{{"reasoning_details":[{{"type":"reasoning.encrypted","data":"{data}"}}],
            "provider_specific_fields":{{"thought_signatures":["{data}"]}}}}}}]}}"#
    );
    for (form, answer) in [(Form::Embeddings, &embeddings), (Form::Chat, &chat)] {
        let mut exchange = masking().request(form, br#"{"input":"Hi","messages":[]}"#).expect("passes");
        let shown = exchange.response(200, answer.as_bytes()).expect("passes");
        assert_eq!(String::from_utf8(shown).expect("is UTF-8"), *answer);
    }
    let asked = format!(
        r#"{{"messages":[{{"role":"assistant","reasoning_details":[{{"type":"reasoning.encrypted","data":"{data}"}}]}}]}}"#
    );
    assert_eq!(sent(&masking(), Form::Chat, &asked), asked);
}

/// Texts that a client wrote as numbers, and names of members, are read.
#[test]
fn numbers_and_names_in_place_of_texts_are_read() {
    for body in [
        r#"{"messages":[],"user":4111111111111111}"#,
        r#"{"messages":[{"role":"user","content":4111111111111111}]}"#,
    ] {
        assert_eq!(refused(&masking(), Form::Chat, body), Kind::Unmaskable, "{body}");
    }
    let clean = r#"{"messages":[],"seed":4111111111111111,"user":4155}"#;
    assert_eq!(sent(&masking(), Form::Chat, clean), clean);
    let named = r#"{"messages":[{"role":"user","content":"Hi","card.4111111111111111":"x"}]}"#;
    assert!(!sent(&masking(), Form::Chat, named).contains("411111111111"));
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

/// Members that are called as ids and choices of the forms may be a server's own, and hold text then.
#[test]
fn members_with_names_of_choices_are_read_where_they_hold_text() {
    let guard = masking();
    let said = r#"{"role":"user","content":"Hi","status":"in_progress"}"#;
    for own in [
        r#""chat_template_kwargs":{"background":"Ann is ann@example.org"}"#,
        r#""background":{"who":"ann@example.org"}"#,
        r#""voice":["ann@example.org"]"#,
        r#""id":{"mail":"ann@example.org"}"#,
        r#""documents":[{"status":"of ann@example.org","type":"a note by ann@example.org"}]"#,
        r#""tool_choice":{"type":"function","name":{"a":"ann@example.org"}}"#,
    ] {
        let body = format!(r#"{{"messages":[{said}],{own}}}"#);
        let sent = sent(&guard, Form::Chat, &body);
        assert!(!sent.contains("ann@") && sent.contains(said), "{sent}");
    }
    let plain = r#"{"model":"gpt-4111111111111111","service_tier":"auto","logit_bias":{"4111111111111111":-100},"background":true,"modalities":["text"],"messages":[{"role":"tool","tool_call_id":"call_4111111111111111","content":"x","cache_control":{"type":"ephemeral","ttl":"5m"}}]}"#;
    assert_eq!(sent(&guard, Form::Chat, plain), plain);
}
