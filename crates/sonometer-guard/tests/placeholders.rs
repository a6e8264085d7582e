//! Placeholders: their numbers in a history, restored in answers, and how a conversation goes on.

mod common;

use common::{REVERSIBLE, guard, joined, masking, refused, run, sent};
use sonometer_guard::{Form, Kind, Tables};

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

/// A thread of Anthropic goes on by the id of its last answer, as the runners of tools of its packages do.
#[test]
fn a_thread_goes_on_by_its_last_message() {
    let (guard, tables) = (guard(REVERSIBLE), Tables::default());
    let ask = |body: &str| guard.request_kept(&tables, Form::Messages, body.as_bytes());
    let call = r#"{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"tool_use","id":"t","name":"send","input":{"to":"<EMAIL_ADDRESS_1>"}}]}"#;
    let said = r#"{"messages":[{"role":"user","content":"Write to ann@example.org"}]"#;
    let mut first = ask(&format!(r#"{said},"thread":{{"type":"create"}}}}"#)).expect("passes");
    let shown = first.response(200, call.as_bytes()).expect("passes");
    assert!(String::from_utf8_lossy(&shown).contains("ann@example.org"));
    tables.keep(&first);
    let result = r#""messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"to ann@example.org, copy bob@example.net"}]}]"#;
    let after = |id: &str| {
        format!(r#"{{{result},"stream":true,"thread":{{"type":"continue","previous_message_id":"{id}"}}}}"#)
    };
    let second = ask(&after("msg_1")).expect("goes on");
    let sent = String::from_utf8_lossy(second.body()).into_owned();
    assert!(sent.contains("to <EMAIL_ADDRESS_1>, copy <EMAIL_ADDRESS_2>"), "{sent}");
    let mut stream = second.stream();
    let start = r#"{"type":"message_start","message":{"id":"msg_2","type":"message","role":"assistant","content":[]}}"#;
    stream.push(format!("data: {start}\n\n").as_bytes(), &mut Vec::new()).expect("passes");
    tables.keep_of(&stream);
    let mut third = ask(&after("msg_2")).expect("goes on");
    let text = r#"{"id":"msg_3","content":[{"type":"text","text":"<EMAIL_ADDRESS_2>"}]}"#;
    assert!(
        String::from_utf8_lossy(&third.response(200, text.as_bytes()).expect("passes"))
            .contains("bob@example.net")
    );
    // One that asked for no thread is not kept.
    let mut plain = ask(&format!("{said}}}")).expect("passes");
    plain.response(200, call.replace("msg_1", "msg_9").as_bytes()).expect("passes");
    tables.keep(&plain);
    for id in ["msg_0", "msg_9", ""] {
        assert_eq!(ask(&after(id)).expect_err("is refused").kind, Kind::NoTable, "{id}");
    }
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

/// Models write placeholders as the text around them asks for: in HTML, in Markdown that escapes, in addresses. Cut anywhere, they come back, and what
/// somebody typed so comes back as it was typed.
#[test]
fn placeholders_are_restored_as_models_write_them() {
    let guard = guard(REVERSIBLE);
    let request = r#"{"stream":true,"messages":[{"role":"user","content":"Mail ann@example.org. I typed &lt;EMAIL_ADDRESS_1&gt; and \\<EMAIL\\_ADDRESS\\_1\\>."}]}"#;
    let sent = sent(&guard, Form::Chat, request);
    assert!(sent.contains(r"Mail <EMAIL_ADDRESS_1>. I typed &lt;EMAIL_ADDRESS_1_TYPED&gt;"), "{sent}");
    let text = r"a < b && c \ d, 5 % 3; &lt;EMAIL_ADDRESS_1&gt; <EMAIL\_ADDRESS\_1> \<EMAIL\_ADDRESS\_1\> mailto:%3CEMAIL_ADDRESS_1%3E, &lt;EMAIL_ADDRESS_1_TYPED&gt; <EMAIL\_ADDRESS\_1\_TYPED> &lt;EMAIL";
    let shown = r"a < b && c \ d, 5 % 3; ann@example.org ann@example.org ann@example.org mailto:ann%40example.org, &lt;EMAIL_ADDRESS_1&gt; <EMAIL\_ADDRESS\_1> &lt;EMAIL";
    let delta = |text: &str, reason: &str| {
        let text = serde_json::to_string(text).expect("is text");
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}},\"finish_reason\":{reason}}}]}}\n\n"
        )
    };
    for cut in 0..=text.len() {
        let bytes = delta(&text[..cut], "null") + &delta(&text[cut..], "\"stop\"") + "data: [DONE]\n\n";
        let exchange = guard.request(Form::Chat, request.as_bytes()).expect("passes");
        let out = run(exchange.stream(), &[bytes.as_bytes()], |_| {}).expect("passes");
        assert_eq!(joined(Form::Chat, &out)["0 content"], shown, "{cut}");
    }
}
