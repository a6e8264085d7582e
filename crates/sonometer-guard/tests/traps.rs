//! What goes wrong in streams, one test each.

mod common;

use common::{begin, events, guard, joined, masking, run};
use serde_json::{Value, json};
use sonometer_guard::{Blocked, Form, Kind};

const CHAT: &str = include_str!("recorded/chat.sse");
const MESSAGES: &str = include_str!("recorded/messages.sse");
const RESPONSES: &str = include_str!("recorded/responses.sse");

fn refused(form: Form, bytes: &str) -> (Blocked, String) {
    let (blocked, out) =
        run(begin(&masking(), form).stream(), &[bytes.as_bytes()], |_| {}).expect_err("is refused");
    (blocked, String::from_utf8(out).expect("is UTF-8"))
}

fn shown(form: Form, bytes: &str) -> String {
    let out = run(begin(&masking(), form).stream(), &[bytes.as_bytes()], |_| {});
    String::from_utf8(out.unwrap_or_else(|(blocked, _)| panic!("{blocked}"))).expect("is UTF-8")
}

fn chat(deltas: &[&str]) -> String {
    let chunks = deltas.iter().map(|delta| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}\n\n")
    });
    let end =
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    chunks.chain([end.to_owned()]).collect()
}

fn arguments(parts: &[&str]) -> String {
    let deltas: Vec<String> = parts
        .iter()
        .map(|part| {
            let part = serde_json::to_string(part).expect("is text");
            format!("{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":{part}}}}}]}}")
        })
        .collect();
    chat(&deltas.iter().map(String::as_str).collect::<Vec<_>>())
}

/// T1 and T2: a stream that just ends is an error, of the form of the provider, and nothing that was held is shown.
#[test]
fn t1_a_stream_that_just_ends_is_an_error() {
    for (form, text) in [(Form::Chat, CHAT), (Form::Messages, MESSAGES), (Form::Responses, RESPONSES)] {
        let frames: Vec<&str> = text.split_inclusive("\n\n").collect();
        for kept in [1, frames.len() / 2, frames.len() - 4] {
            let (blocked, out) = refused(form, &frames[..kept].concat());
            assert_eq!(blocked.kind, Kind::Cut, "{form:?} {kept}");
            assert!(!out.contains("4111 1111"), "{form:?}");
            // Within an event.
            let within = frames[..kept].concat();
            assert_eq!(refused(form, &within[..within.len() - 9]).0.kind, Kind::Cut, "{form:?} {kept}");
            let event = String::from_utf8(blocked.event(form)).expect("is UTF-8");
            let data = &events(event.as_bytes())[0];
            match form {
                Form::Chat => {
                    assert!(data["error"]["message"].is_string() && data["error"]["code"].is_string())
                }
                Form::Messages => {
                    assert!(event.starts_with("event: error\n"));
                    assert_eq!(
                        (data["type"].as_str(), data["error"]["type"].as_str()),
                        (Some("error"), Some("api_error"))
                    );
                }
                _ => assert!(
                    event.starts_with("event: error\n")
                        && data["type"] == "error"
                        && data["message"].is_string()
                ),
            }
        }
    }
    assert_eq!(refused(Form::Chat, "").0.kind, Kind::Cut);
    // Not every server sends `[DONE]`.
    shown(Form::Chat, CHAT.strip_suffix("data: [DONE]\n\n").expect("ends so"));
}

/// T3: escapes in arguments hide nothing, pairs may be cut, long texts are bounded.
#[test]
fn t3_arguments_are_read_as_json() {
    let json = r#"{"to":"ann\u0040ex\u0061mple.org","x":"\ud83d\ude00 ok","y":"a\/b"}"#;
    for first in 0..json.len() {
        for second in (first..json.len()).step_by(7) {
            let out = shown(Form::Chat, &arguments(&[&json[..first], &json[first..second], &json[second..]]));
            let joined = &joined(Form::Chat, out.as_bytes())["0 tool 0"];
            assert_eq!(
                joined, r#"{"to":"***@*******.***","x":"\ud83d\ude00 ok","y":"a\/b"}"#,
                "{first} {second}"
            );
        }
    }
    assert_eq!(refused(Form::Chat, &arguments(&["{\"to\":\"ann@exam"])).0.kind, Kind::Unreadable);
    assert_eq!(refused(Form::Chat, &arguments(&["{to: ann@example.org}"])).0.kind, Kind::Unreadable);
    let long = format!("{{\"card\":\"{}", "1".repeat(100_000));
    assert_eq!(refused(Form::Chat, &arguments(&[&long])).0.kind, Kind::TooLarge);
}

/// T4: no mask fits in a number.
#[test]
fn t4_numbers_are_held_to_their_end() {
    let parts = ["{\"card\": 411111", "1111111", "111", "}"];
    // As tables write whole numbers, too.
    for parts in [
        &parts[..],
        &["{\"card\": 4111111111111111", ".0", "0}"],
        &["{\"card\": 4.1111111", "11111111e", "15}"],
        &["{\"card\": 4111111111111111", "e0}"],
    ] {
        let (blocked, out) = refused(Form::Chat, &arguments(parts));
        assert_eq!(blocked.kind, Kind::Unmaskable);
        assert!(!out.contains("4111"), "{out}");
    }
    let nines = guard(r#"{"numbers":"nines","rules":[{"action":"mask","target":"personal-data"}]}"#);
    let out =
        run(begin(&nines, Form::Chat).stream(), &[arguments(&parts).as_bytes()], |_| {}).expect("passes");
    assert_eq!(joined(Form::Chat, &out)["0 tool 0"], "{\"card\": 9999999999999999}");
    for (number, nines_of_it) in
        [("4.111111111111111e15", "9.999999999999999e15"), ("0.0e-4111111111111111", "9.9e-0000000000000000")]
    {
        let parts: Vec<String> = format!("{{\"card\": {number}}}").chars().map(String::from).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let out =
            run(begin(&nines, Form::Chat).stream(), &[arguments(&parts).as_bytes()], |_| {}).expect("passes");
        assert_eq!(joined(Form::Chat, &out)["0 tool 0"], format!("{{\"card\": {nines_of_it}}}"));
    }
    let plain = shown(Form::Chat, &arguments(&["{\"n\": 12", "34.5e2}"]));
    assert_eq!(joined(Form::Chat, plain.as_bytes())["0 tool 0"], "{\"n\": 1234.5e2}");
}

/// A number is read with the name of its member, in parts as in one, and in JSON as in a text that holds it.
#[test]
fn t4_numbers_are_what_their_names_call_them() {
    for (json, passes) in [
        (r#"{"order_id": 2025550143}"#, true),
        (r#"{"orderId":2025550143,"size_bytes":5368709120}"#, true),
        (r#"{"orders":[{"phone":"no","user_id":[48123456789]}]}"#, true),
        (r#"{"phone": 2025550143}"#, false),
        (r#"{"order_id":{"phone":2025550143}}"#, false),
        (r#"{"order_id":[{"phone":"no"}],"n":2025550143}"#, false),
        (r#"{"fax": 901820}"#, false),
        (r#"{"order_id":4111111111111111}"#, false),
        ("[2025550143]", false),
    ] {
        let cut: Vec<String> = json.chars().map(String::from).collect();
        let cut: Vec<&str> = cut.iter().map(String::as_str).collect();
        let bytes = arguments(&cut);
        let streamed = run(begin(&masking(), Form::Chat).stream(), &[bytes.as_bytes()], |_| {});
        let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": json}});
        let call = json!({"choices": [{"index": 0, "message": {"role": "assistant", "tool_calls": [call]}}]});
        let whole = begin(&masking(), Form::Chat).response(200, call.to_string().as_bytes());
        let input: Value = serde_json::from_str(json).expect("is JSON");
        let used = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": input}]});
        let answer = begin(&masking(), Form::Messages).response(200, used.to_string().as_bytes());
        let ok = (streamed.is_ok(), whole.is_ok(), answer.is_ok());
        assert_eq!(ok, (passes, passes, passes), "{json}");
    }
}

/// T5: what is restored in arguments is escaped.
#[test]
fn t5_restored_values_are_escaped() {
    let guard =
        guard(r#"{"placeholders":true,"rules":[{"action":"mask","target":"personal-data","on":"request"}]}"#);
    // The address has a line break in it.
    let request = r#"{"stream":true,"messages":[{"role":"user","content":"I live at 12 Old Mill Road,\nSpringfield, IL 62704"}]}"#;
    let exchange = guard.request(Form::Chat, request.as_bytes()).expect("passes");
    assert!(String::from_utf8_lossy(exchange.body()).contains("<POSTAL_ADDRESS_1>"));
    let bytes = arguments(&["{\"at\":\"<POSTAL_AD", "DRESS_1>\"}"]);
    let out = run(exchange.stream(), &[bytes.as_bytes()], |_| {}).expect("passes");
    let json = &joined(Form::Chat, &out)["0 tool 0"];
    let value: serde_json::Value = serde_json::from_str(json).expect("is JSON");
    assert_eq!(value["at"], "12 Old Mill Road,\nSpringfield, IL 62704");
}

/// T6: thinking is signed: what would be masked in it is refused, what is clean passes unchanged.
#[test]
fn t6_thinking_is_never_changed() {
    let leaky = MESSAGES.replace("a letter. I", "ann@example.org");
    let leaky = if leaky == MESSAGES { MESSAGES.replace("a letter", "x@ex.org a") } else { leaky };
    let (blocked, out) = refused(Form::Messages, &leaky);
    assert_eq!(blocked.kind, Kind::Unmaskable);
    assert!(!out.contains("@ex"), "{out}");
    let out = shown(Form::Messages, MESSAGES);
    assert_eq!(
        joined(Form::Messages, out.as_bytes())["0 thinking"],
        "The user wants a letter. I write it now."
    );
    let (signature, before) = (out.find("signature_delta"), out.rfind("thinking_delta"));
    assert!(before < signature, "thinking ends before its signature");
}

/// T6: a block of thinking may begin with words; the policy says the same of them as of the words that follow.
#[test]
fn t6_thinking_may_begin_with_words() {
    const START: &str = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"ann@example.org\",\"signature\":\"\"}}\n\n";
    let bytes = format!(
        "{START}data: {{\"type\":\"content_block_stop\",\"index\":0}}\n\ndata: {{\"type\":\"message_stop\"}}\n\n"
    );
    let asked = |thinking: &str| {
        let rules = r#""rules":[{"action":"mask","target":"personal-data"}]"#;
        let policy = guard(&format!(r#"{{"thinking":"{thinking}",{rules}}}"#));
        run(begin(&policy, Form::Messages).stream(), &[bytes.as_bytes()], |_| {})
    };
    assert_eq!(asked("pass").expect("passes"), bytes.as_bytes());
    for thinking in ["check", "block"] {
        assert_eq!(asked(thinking).expect_err("is refused").0.kind, Kind::Unmaskable, "{thinking}");
    }
}

/// T9: log probabilities repeat the text.
#[test]
fn t9_log_probabilities_are_taken_out() {
    let bytes = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ann@example.org\"},\"logprobs\":{\"content\":[{\"token\":\"ann@\",\"bytes\":[97]}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let out = shown(Form::Chat, bytes);
    assert!(out.contains("\"logprobs\":null") && !out.contains("ann"), "{out}");
}

/// T10: a mask may break what the request asks of the JSON in the answer. It is refused then, unless a rule puts something there that fits.
#[test]
fn t10_masked_json_fits_its_schema_or_is_refused() {
    const SCHEMA: &str = r#"{"type":"object","properties":{"mail":{"type":"string","format":"email"},"note":{"type":"string"}},"required":["mail"]}"#;
    const GOOD: &str = r#"{"mail":"ann@example.org","note":"a"}"#;
    let policy = |more: &str| {
        guard(&format!("{{{more}\"rules\":[{{\"action\":\"mask\",\"target\":\"personal-data\"}}]}}"))
    };
    let fitting = guard(
        r#"{"rules":[{"action":"replace","target":"personal-data","markers":["email_address"],"text":"someone@masked.invalid"}]}"#,
    );
    let quoted = serde_json::to_string(GOOD).expect("is text");
    let tool = format!("\"name\":\"send\",\"parameters\":{SCHEMA}");
    let delta = "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":";
    // The form, what the request has, the answer whole, and as a stream.
    let cases = [
        (
            Form::Chat,
            format!(
                "\"response_format\":{{\"type\":\"json_schema\",\"json_schema\":{{\"name\":\"n\",\"schema\":{SCHEMA}}}}}"
            ),
            format!(
                "{{\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":{quoted}}}}}]}}"
            ),
            chat(&[&format!("{{\"content\":{quoted}}}")]),
        ),
        (
            Form::Chat,
            format!("\"tools\":[{{\"type\":\"function\",\"function\":{{{tool}}}}}]"),
            format!(
                "{{\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"tool_calls\":[{{\"id\":\"1\",\"type\":\"function\",\"function\":{{\"name\":\"send\",\"arguments\":{quoted}}}}}]}}}}]}}"
            ),
            chat(&[
                r#"{"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"send","arguments":""}}]}"#,
                &format!("{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":{quoted}}}}}]}}"),
            ]),
        ),
        (
            Form::Messages,
            format!("\"tools\":[{{\"name\":\"send\",\"input_schema\":{SCHEMA}}}]"),
            format!(
                "{{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"send\",\"input\":{GOOD}}}]}}"
            ),
            format!(
                "data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"send\",\"input\":{{}}}}}}\n\n\
                 data: {delta}{quoted}}}}}\n\ndata: {{\"type\":\"content_block_stop\",\"index\":0}}\n\ndata: {{\"type\":\"message_stop\"}}\n\n"
            ),
        ),
        (
            Form::Responses,
            format!(
                "\"text\":{{\"format\":{{\"type\":\"json_schema\",\"name\":\"n\",\"schema\":{SCHEMA}}}}}"
            ),
            format!(
                "{{\"output\":[{{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{{\"type\":\"output_text\",\"text\":{quoted}}}]}}]}}"
            ),
            format!(
                "data: {{\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":{quoted}}}\n\n\
                 data: {{\"type\":\"response.output_text.done\",\"output_index\":0,\"content_index\":0,\"text\":{quoted}}}\n\n\
                 data: {{\"type\":\"response.completed\",\"response\":{{}}}}\n\n"
            ),
        ),
        (
            Form::Responses,
            format!("\"tools\":[{{\"type\":\"function\",{tool}}}]"),
            format!(
                "{{\"output\":[{{\"type\":\"function_call\",\"call_id\":\"1\",\"name\":\"send\",\"arguments\":{quoted}}}]}}"
            ),
            format!(
                "data: {{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{{\"type\":\"function_call\",\"call_id\":\"1\",\"name\":\"send\",\"arguments\":\"\"}}}}\n\n\
                 data: {{\"type\":\"response.function_call_arguments.delta\",\"output_index\":0,\"delta\":{quoted}}}\n\n\
                 data: {{\"type\":\"response.function_call_arguments.done\",\"output_index\":0,\"arguments\":{quoted}}}\n\n\
                 data: {{\"type\":\"response.completed\",\"response\":{{}}}}\n\n"
            ),
        ),
    ];
    for (form, asked, whole, stream) in &cases {
        let request = format!("{{\"model\":\"m\",{asked}}}");
        let answers = |guard: &sonometer_guard::Guard| {
            let begin = || {
                guard
                    .request(*form, request.as_bytes())
                    .unwrap_or_else(|blocked| panic!("{form:?} {blocked}"))
            };
            let whole = begin().response(200, whole.as_bytes());
            let streamed = run(begin().stream(), &[stream.as_bytes()], |_| {});
            [
                whole,
                streamed.map_err(|(blocked, out)| {
                    assert!(!String::from_utf8_lossy(&out).contains("ann@"));
                    blocked
                }),
            ]
        };
        for answer in answers(&policy("")) {
            assert_eq!(
                answer.map_err(|blocked| (blocked.kind, blocked.status())),
                Err((Kind::Schema, 502)),
                "{form:?} {asked}"
            );
        }
        for (guard, shown) in
            [(&policy("\"schema\":\"pass\","), "***@*******.***"), (&fitting, "someone@masked.invalid")]
        {
            for answer in answers(guard) {
                let answer =
                    String::from_utf8(answer.unwrap_or_else(|blocked| panic!("{form:?} {asked} {blocked}")));
                let answer = answer.expect("is text");
                assert!(answer.contains(shown) && !answer.contains("ann@"), "{answer}");
            }
        }
    }
    // A mask where the schema asks for any text breaks nothing.
    let (form, asked, whole, _) = &cases[0];
    let request = format!("{{\"model\":\"m\",{}}}", asked.replace(",\"format\":\"email\"", ""));
    let mut exchange = policy("").request(*form, request.as_bytes()).expect("passes");
    assert!(exchange.response(200, whole.as_bytes()).is_ok());
}

/// T11: the final event is one that the SDKs read.
#[test]
fn t11_the_final_event_has_the_form_of_a_chunk() {
    let telling = guard(r#"{"final_event":true,"rules":[{"action":"mask","target":"personal-data"}]}"#);
    let out = run(begin(&telling, Form::Chat).stream(), &[CHAT.as_bytes()], |_| {}).expect("passes");
    let last = events(&out).pop().expect("is there");
    assert_eq!(last["choices"], serde_json::json!([]));
    assert_eq!(
        (last["id"].as_str(), last["sonometer"]["masked_answer"].as_u64()),
        (Some("chatcmpl-1"), Some(10))
    );
    let out = run(begin(&telling, Form::Messages).stream(), &[MESSAGES.as_bytes()], |_| {}).expect("passes");
    let delta = events(&out).into_iter().find(|event| event["type"] == "message_delta").expect("is there");
    assert!(delta["sonometer"]["masked_answer"].as_u64() > Some(3));
}

/// T13: usage is the provider's; padding is not that of another text.
#[test]
fn t13_usage_stays_and_padding_goes() {
    assert!(
        shown(Form::Chat, CHAT)
            .contains("\"usage\": {\"prompt_tokens\": 9, \"completion_tokens\": 99, \"total_tokens\": 108}")
    );
    let out = shown(Form::Responses, RESPONSES);
    assert!(!out.contains("\"abc\"") && out.contains("\"obfuscation\": \"\""));
}

/// T15: lone surrogates stay as they are written.
#[test]
fn t15_lone_surrogates_stay() {
    let out = shown(
        Form::Chat,
        &chat(&[r#"{"content":"a \ud83d b ann@example.org "}"#, r#"{"content":"\ude00 c"}"#]),
    );
    assert!(out.contains("a \\ud83d b") && out.contains("*** \\ude00") && !out.contains("ann"), "{out}");
    // A pair that is cut between two deltas is one character.
    let out = shown(Form::Chat, &chat(&[r#"{"content":"x\ud83d"}"#, r#"{"content":"\ude00y"}"#]));
    assert_eq!(joined(Form::Chat, out.as_bytes())["0 content"], "x😀y");
    let out = shown(Form::Chat, &arguments(&[r#"{"a":"\ud83d","b":"ann@example.org"}"#]));
    assert_eq!(joined(Form::Chat, out.as_bytes())["0 tool 0"], r#"{"a":"\ud83d","b":"***@*******.***"}"#);
}

/// Unknown types are refused, left out or passed, as the policy says.
#[test]
fn unknown_types_do_not_pass_unseen() {
    for (form, bytes) in [
        (
            Form::Chat,
            chat(&[r#"{"content":"a"}"#, r#"{"telepathy":"ann@"}"#, r#"{"telepathy":"example.org"}"#]),
        ),
        (Form::Messages, MESSAGES.replace("\"type\": \"text_delta\"", "\"type\": \"telepathy_delta\"")),
        (
            Form::Messages,
            MESSAGES.replace("\"type\": \"tool_use\", \"id\"", "\"type\": \"telepathy\", \"id\""),
        ),
        (Form::Responses, RESPONSES.replace("response.output_text.delta", "response.telepathy.delta")),
        (Form::Responses, RESPONSES.replace("\"type\": \"function_call\"", "\"type\": \"telepathy_call\"")),
    ] {
        assert_eq!(refused(form, &bytes).0.kind, Kind::Unknown, "{form:?}");
        let dropping = guard(r#"{"unknown":"drop","rules":[{"action":"mask","target":"personal-data"}]}"#);
        if let Ok(out) = run(begin(&dropping, form).stream(), &[bytes.as_bytes()], |_| {}) {
            let text = String::from_utf8_lossy(&out);
            assert!(!text.contains("ann@") && !text.contains("telepathy\":\""), "{form:?} {text}");
        }
    }
}

/// The same text comes five times in responses: all the same, numbered without gaps; what differs is refused.
#[test]
fn responses_repeat_the_same_text() {
    let out = shown(Form::Responses, RESPONSES);
    let events = events(out.as_bytes());
    let numbers: Vec<u64> = events.iter().filter_map(|event| event["sequence_number"].as_u64()).collect();
    assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    let find = |kind: &str| events.iter().find(|event| event["type"] == kind).expect("is there");
    let deltas = joined(Form::Responses, out.as_bytes())["1 response.output_text.delta 0"].clone();
    assert_eq!(find("response.output_text.done")["text"], deltas.as_str());
    assert_eq!(find("response.content_part.done")["part"]["text"], deltas.as_str());
    let last = &find("response.completed")["response"]["output"];
    assert_eq!(last[1]["content"][0]["text"], deltas.as_str());
    assert_eq!(
        last[2]["arguments"],
        joined(Form::Responses, out.as_bytes())["2 response.function_call_arguments.delta null"]
    );
    assert!(!last.to_string().contains("ann@") && !last.to_string().contains("ann.b"), "{last}");

    let differs = RESPONSES.replacen("\"delta\": \"Sure.", "\"delta\": \"Sura.", 1);
    assert_ne!(differs, RESPONSES);
    assert_eq!(refused(Form::Responses, &differs).0.kind, Kind::Differs);
}

/// A stream that never ends a sentence is still let through with a bounded lag, and a match that never ends is refused.
#[test]
fn a_stream_that_never_ends_a_sentence() {
    let words: Vec<String> = (0..500).map(|n| format!("{{\"content\":\"word{n} and \"}}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut stream = begin(&masking(), Form::Chat).stream();
    let (mut out, mut sent) = (Vec::new(), 0);
    for word in &words {
        let chunk =
            format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{word},\"finish_reason\":null}}]}}\n\n");
        stream.push(chunk.as_bytes(), &mut out).expect("passes");
        sent += word.len() - 14;
    }
    let held = joined(Form::Chat, &out)["0 content"].len();
    assert!(sent - held < 250, "{sent} {held}");
    let error = "x".repeat(1 << 21);
    assert_eq!(refused(Form::Chat, &format!("data: {error}")).0.kind, Kind::TooLarge);
}
