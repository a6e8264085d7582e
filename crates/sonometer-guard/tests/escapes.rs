//! Records in texts: what a program wrote with `json.dumps` and put into a question hides nothing by its escapes.

mod common;

use common::{REVERSIBLE, begin, guard, joined, masking, run, sent};
use serde_json::{Value, json};
use sonometer_guard::Form;

fn asked(role: &str, content: &str) -> String {
    json!({"messages": [{"role": role, "content": content}]}).to_string()
}

fn content(body: &str) -> String {
    let body: Value = serde_json::from_str(body).expect("is JSON");
    body["messages"][0]["content"].as_str().expect("is text").to_owned()
}

#[test]
fn escapes_in_texts_hide_nothing() {
    for role in ["user", "system", "tool"] {
        for (text, shown) in [
            (r#"Her record: {"mail":"ann\u0040example.org"}"#, r#"Her record: {"mail":"***@*******.***"}"#),
            ("{\"a\":1}\n{\"mail\":\"ann\\u0040example.org\"}", "{\"a\":1}\n{\"mail\":\"***@*******.***\"}"),
            (r#"{"at":"Hauptstra\u00dfe 12, 10115 Berlin", "#, r#"{"at":"*********** **, ***** ******", "#),
        ] {
            assert_eq!(content(&sent(&masking(), Form::Chat, &asked(role, text))), shown, "{role}");
        }
    }
}

#[test]
fn what_is_not_masked_stays_as_it_was_written() {
    for text in [r"C:\new\users\u00e9\", r"\usepackage{x} \u", r"\ud83d\ude00 \ud83d", r"a\\u0041 \<b\>"] {
        let body = asked("user", text);
        assert_eq!(sent(&masking(), Form::Chat, &body), body);
        let chunk = json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]});
        let bytes = format!(
            "data: {chunk}\n\ndata: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}\n\n"
        );
        let out = run(begin(&masking(), Form::Chat).stream(), &[bytes.as_bytes()], |_| {}).expect("passes");
        assert_eq!(joined(Form::Chat, &out)["0 content"], text);
    }
}

#[test]
fn values_behind_escapes_have_placeholders() {
    let guard = guard(REVERSIBLE);
    let body = asked("user", r#"{"mail":"ann\u0040example.org"} is ann@example.org"#);
    let exchange = guard.request(Form::Chat, body.as_bytes()).expect("passes");
    let sent = String::from_utf8_lossy(exchange.body()).into_owned();
    assert_eq!(content(&sent), r#"{"mail":"<EMAIL_ADDRESS_1>"} is <EMAIL_ADDRESS_1>"#);
}

/// Places in an answer count escapes as they are shown.
#[test]
fn places_behind_escapes_are_those_of_the_shown_text() {
    let text = r"caf\u00e9 ann@example.org, see page";
    let start = text.find("see").expect("is there");
    let citation = json!({"type": "url_citation", "url_citation": {"start_index": start, "end_index": start + 3, "url": "https://example.org", "title": "t"}});
    let message = json!({"role": "assistant", "content": text, "annotations": [citation]});
    let answer = json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
    let mut exchange = begin(&masking(), Form::Chat);
    let shown = exchange.response(200, answer.to_string().as_bytes()).expect("passes");
    let shown: Value = serde_json::from_slice(&shown).expect("is JSON");
    let message = &shown["choices"][0]["message"];
    let at = message["annotations"][0]["url_citation"]["start_index"].as_u64().expect("is a number") as usize;
    assert!(message["content"].as_str().expect("is text")[at..].starts_with("see page"), "{message}");
}
