//! Recorded streams of every form, cut at every byte.

mod common;

use common::{begin, joined, masking, run};
use sonometer_guard::{Form, On, Role};

const RECORDED: [(Form, &str); 4] = [
    (Form::Chat, include_str!("recorded/chat.sse")),
    (Form::Messages, include_str!("recorded/messages.sse")),
    (Form::Completions, include_str!("recorded/completions.sse")),
    (Form::Responses, include_str!("recorded/responses.sse")),
];

/// What must never reach a client, in any part.
const PRIVATE: [&str; 9] =
    ["4111 1111", "4111-", "1111 1111 1111", "ann.b", "ann@", "u0040", "bob@", "Old Mill", "555-0143"];

fn recorded(form: Form) -> &'static str {
    RECORDED.iter().find(|(known, _)| *known == form).map(|(_, text)| *text).expect("is recorded")
}

/// Every text of the stream as the guard masks it as a whole.
fn expected(form: Form) -> Vec<(String, String)> {
    let guard = masking();
    let texts = joined(form, recorded(form).as_bytes());
    let masked = texts.into_iter().map(|(key, text)| {
        let mut all = guard.texts();
        let is_json = key.contains("tool") || key.contains("json") || key.contains("arguments");
        let shown = match is_json {
            true => all.arguments(On::Response, Role::Assistant, &text),
            false => all.text(On::Response, Role::Assistant, &text),
        };
        (key, shown.expect("passes"))
    });
    masked.collect()
}

fn check(form: Form, parts: &[&[u8]], expected: &[(String, String)]) -> Vec<u8> {
    let guard = masking();
    let stream = begin(&guard, form).stream();
    let out = run(stream, parts, |held| {
        // Every text that the client has is the beginning of the masked one: no character of a masked span is there.
        let now = joined(form, held);
        for (key, text) in &now {
            let whole = expected.iter().find(|(known, _)| known == key).map(|(_, text)| text.as_str());
            assert!(whole.is_some_and(|whole| whole.starts_with(text.as_str())), "{form:?} {key}: {text}");
        }
    });
    let out = out.unwrap_or_else(|(blocked, _)| panic!("{form:?}: {blocked}"));
    let now: Vec<(String, String)> = joined(form, &out).into_iter().collect();
    assert_eq!(now, expected, "{form:?}");
    let text = String::from_utf8_lossy(&out);
    for private in PRIVATE {
        assert!(!text.contains(private), "{form:?} shows {private}");
    }
    out
}

#[test]
fn what_is_recorded_holds_private_data_and_masks_hide_it() {
    for (form, text) in RECORDED {
        assert!(text.contains("ann"), "{form:?}");
        for (key, masked) in expected(form) {
            let text = joined(form, text.as_bytes()).remove(&key).expect("is there");
            println!("{form:?} {key}\n  {text}\n  {masked}");
            if !key.contains("thinking") {
                assert_ne!(text, masked, "{form:?} {key}");
            }
        }
    }
}

/// A cut at every byte, far from others and near to them, and single bytes.
#[test]
fn every_cut_gives_the_same_answer() {
    for (form, text) in RECORDED {
        let expected = expected(form);
        let bytes = text.as_bytes();
        let whole = check(form, &[bytes], &expected);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(check_quick(form, &single), whole, "{form:?} by single bytes");
        // Every byte is a cut in one run of each length.
        for length in [13, 97] {
            for first in 0..length {
                let (before, after) = bytes.split_at(first);
                let parts: Vec<&[u8]> = std::iter::once(before).chain(after.chunks(length)).collect();
                assert_eq!(
                    check_quick(form, &parts),
                    whole,
                    "{form:?} cut at {first} and each {length} bytes behind"
                );
            }
        }
        // Event by event, as networks bring it: what the client holds is looked at after each.
        let frames: Vec<&[u8]> = text.split_inclusive("\n\n").map(str::as_bytes).collect();
        assert_eq!(check(form, &frames, &expected), whole, "{form:?}");
    }
}

fn check_quick(form: Form, parts: &[&[u8]]) -> Vec<u8> {
    let stream = begin(&masking(), form).stream();
    run(stream, parts, |_| {}).unwrap_or_else(|(blocked, _)| panic!("{form:?}: {blocked}"))
}

/// Deltas of other sizes: every place of the text is once the end of a delta.
#[test]
fn deltas_may_be_of_any_size() {
    let guard = masking();
    let text = "Ann's card is 4111 1111 1111 1111, her mail ann.b@example.org, and that is all 😀.";
    let whole = guard.texts().text(On::Response, Role::Assistant, text).expect("passes");
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    for cut in ends {
        for size in [1, 3, 1_000] {
            let mut parts = vec![text[..cut].to_owned()];
            let rest: Vec<char> = text[cut..].chars().collect();
            parts.extend(rest.chunks(size).map(|part| part.iter().collect()));
            let mut bytes = String::new();
            for part in parts {
                let content = serde_json::to_string(&part).expect("is text");
                bytes.push_str(&format!(
                    "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{content}}},\"finish_reason\":null}}]}}\n\n"
                ));
            }
            bytes.push_str("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
            let out = check_quick(Form::Chat, &[bytes.as_bytes()]);
            assert_eq!(joined(Form::Chat, &out)["0 content"], whole, "{cut} {size}");
        }
    }
}

/// What holds nothing private passes byte for byte.
#[test]
fn unchanged_streams_keep_their_bytes() {
    let plain = "data: { \"id\":\"1\", \"choices\" : [{\"index\":0,\"delta\":{\"content\":\"Hi \\u00e9. \"},\"finish_reason\":null}]}\r\n\r\n\
                 : ping\n\n\
                 data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let guard = common::guard("{}");
    let out = run(begin(&guard, Form::Chat).stream(), &[plain.as_bytes()], |_| {}).expect("passes");
    assert_eq!(String::from_utf8_lossy(&out), plain);
    let out = check_quick(Form::Chat, &[plain.as_bytes()]);
    assert_eq!(joined(Form::Chat, &out)["0 content"], "Hi é. ");
    let texts: String = String::from_utf8_lossy(&out).into_owned();
    assert!(texts.contains("\r\n\r\n:\n\n") && texts.ends_with("data: [DONE]\n\n"));
}
