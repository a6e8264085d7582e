//! Records and addresses in texts: what a program wrote with `json.dumps`, as HTML or into the address of a page hides nothing by its escapes.

mod common;

use common::{REVERSIBLE, begin, cases, guard, joined, masking, refused, run, sent};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use sonometer_guard::{Form, Kind, On, Role};

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

/// An address of a page has private data in its query, HTML writes signs as names and numbers.
#[test]
fn addresses_and_html_hide_nothing() {
    for (text, shown) in [
        ("https://x.org/?m=ann%40example.org&n=1", "https://x.org/?m=***@*******.***&n=1"),
        ("pay?card=4111%201111%201111%201111", "pay?card=**** **** **** 1111"),
        // An address within an address.
        ("/login?next=/m?to=ann%2540example%252eorg", "/login?next=/m?to=***@*******.***"),
        ("pay?card=4111%25201111%25201111%25201111", "pay?card=**** **** **** 1111"),
        ("ann&#64;example.org, ann&#X40;example&period;org", "***@*******.***, ***@*******.***"),
        ("<b>ann&commat;example.org</b>", "<b>***@*******.***</b>"),
    ] {
        assert_eq!(content(&sent(&masking(), Form::Chat, &asked("user", text))), shown);
        let parts: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(streamed(&parts), shown);
    }
    let guard = guard(REVERSIBLE);
    let body = sent(&guard, Form::Chat, &asked("user", "ann@example.org is in /?m=ann%40example.org"));
    assert_eq!(content(&body), "<EMAIL_ADDRESS_1> is in /?m=<EMAIL_ADDRESS_1>");
    // Also in the arguments of a tool.
    let call = json!({"id": "c", "type": "function", "function": {"name": "get", "arguments": r#"{"u":"/?m=ann%40example.org"}"#}});
    let body =
        json!({"messages": [{"role": "assistant", "content": null, "tool_calls": [call]}]}).to_string();
    assert!(sent(&guard, Form::Chat, &body).contains("/?m=<EMAIL_ADDRESS_1>"));
}

/// Markdown, HTML, addresses and programs write other signs than `@` with escapes, too; and a line break in a record ends a word.
#[test]
fn no_escape_hides_a_value() {
    for (text, shown) in [
        (r"Mail ann@example\.org or ann\_berg\@example.org", "Mail ***@*******.*** or ***_****@*******.***"),
        (r"Call \+1 202\-555\-0143 or \(202\) 555\-0143", "Call +* ***-***-**** or (***) ***-****"),
        (r"card 4111\ 1111\ 1111\ 1111", "card **** **** **** 1111"),
        (r#"Record: {"note":"call\n2025550143"}"#, r#"Record: {"note":"call\n**********"}"#),
        (r#"Record: {"card":"x\t4111111111111111"}"#, r#"Record: {"card":"x\t************1111"}"#),
        (
            r#"Record: {"iban":"x\r\nDE89370400440532013000"}"#,
            r#"Record: {"iban":"x\r\n******************3000"}"#,
        ),
        (r"'ann\x40example.org' or 'ann\u{40}example.org'", "'***@*******.***' or '***@*******.***'"),
        (
            "call:%20202%2D555%2D0143 or mailto:x?body=%0A2025550143",
            "call:%20***-***-**** or mailto:x?body=%0A**********",
        ),
        (
            "12%20Old%20Mill%20Road%2C%20Springfield%2C%20IL%2062704",
            "** *** **** ****, ***********, ** *****",
        ),
        ("Hauptstra%C3%9Fe%2012%2C%2010115%20Berlin", "*********** **, ***** ******"),
        ("Hauptstra&szlig;e 12, 10115 Berlin", "*********** **, ***** ******"),
        ("andr%E9%40example.org", "andr%**@*******.***"),
        ("&#97;&#110;n&#64;&#101;xample.org, 202&#45;555&hyphen;0143", "***@*******.***, ***-***-****"),
        ("4111&#32;1111&#x20;1111&nbsp;1111", "**** **** **** 1111"),
        // A percent sign before a number is no escape.
        ("card like '%4012888888881881%'", "card like '%************1881%'"),
        ("phone like '%2025550143' or '%202-555-0143'", "phone like '%**********' or '%***-***-****'"),
        // But these are.
        ("call:%202025550143", "call:%20**********"),
        (" %202025550143", " %20**********"),
    ] {
        assert_eq!(content(&sent(&masking(), Form::Chat, &asked("user", text))), shown, "{text}");
        let parts: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(streamed(&parts), shown, "{text}");
    }
}

/// Rules that block read through escapes, too: requests, whole answers, streams and texts by themselves.
#[test]
fn no_escape_passes_a_rule_that_blocks() {
    let blocking = guard(r#"{"rules":[{"action":"block","target":"personal-data"}]}"#);
    for text in
        [r"Mail ann@example\.org now.", "Mail ann%40example.org now.", "Mail ann&#64;example.org now."]
    {
        assert_eq!(refused(&blocking, Form::Chat, &asked("user", text)), Kind::Rule, "{text}");
        let answer = json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]});
        let whole = begin(&blocking, Form::Chat).response(200, answer.to_string().as_bytes());
        assert_eq!(whole.expect_err("is refused").kind, Kind::Rule, "{text}");
        let text = blocking.texts().text(On::Response, Role::Assistant, text);
        assert_eq!(text.expect_err("is refused").kind, Kind::Rule);
    }
}

#[test]
fn what_is_not_masked_stays_as_it_was_written() {
    for text in [
        r"5% &amp; 4%4 &#6;4 %40 &nbsp;&#x &",
        r"%25 %2540 %252 %25%40 %252540 %25",
        r"C:\new\users\u00e9\",
        r"\usepackage{x} \u",
        r"\ud83d\ude00 \ud83d",
        r"a\\u0041 \<b\>",
        r"1\. a\_b \* \d \x4 \u{4 50% '%20 %C3%9 %C3%40 %2041 &hyphen &#45",
    ] {
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

/// The content of a chat that streams in these parts.
fn streamed(parts: &[String]) -> String {
    let chunk = |delta: Value, reason: Value| {
        let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
        format!("data: {chunk}\n\n")
    };
    let bytes: String = parts.iter().map(|part| chunk(json!({"content": part}), Value::Null)).collect();
    let bytes = bytes + &chunk(json!({}), json!("stop"));
    let out = run(begin(&masking(), Form::Chat).stream(), &[bytes.as_bytes()], |_| {}).expect("passes");
    joined(Form::Chat, &out)["0 content"].clone()
}

fn cut(text: &str, sizes: &[usize]) -> Vec<String> {
    let (mut parts, mut rest) = (Vec::new(), text);
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let at = rest.char_indices().nth(*size).map_or(rest.len(), |(at, _)| at);
        parts.push(rest[..at].to_owned());
        rest = &rest[at..];
    }
    parts
}

const SIGNS: [&str; 27] = [
    "%20",
    "%C3",
    "\\_",
    "7",
    "'",
    "%40",
    "%2540",
    "%25",
    "%",
    "%2",
    "&",
    "&nbsp;",
    "&#x",
    "\\u00e9",
    "\\u",
    "\\",
    "\\\\u0041",
    "\\ud83d",
    "\\ude00",
    "\\u00",
    "<",
    "\"",
    "ab ",
    "\n",
    "é",
    "😀",
    "{",
];
const PRIVATE: [&str; 8] = [
    "'%4012888888881881'",
    "ann\\_berg@example\\.org",
    "ann%40example.org",
    "ann%2540example%252Eorg",
    "ann&#64;example&period;org",
    "ann\\u0040example.org",
    "\\u0034111 1111 1111 1111",
    "Hauptstra\\u00dfe 12, 10115 Berlin",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(200)))]

    /// What is not masked stays as it was written, however it is cut.
    #[test]
    fn escapes_stay(signs in prop::collection::vec(select(&SIGNS[..]), 1..12), sizes in prop::collection::vec(1_usize..6, 1..5)) {
        let text = signs.concat();
        prop_assert_eq!(streamed(&cut(&text, &sizes)), text);
    }

    /// What is masked in a whole text is masked in its parts.
    #[test]
    fn parts_of_escapes_hide_nothing(
        before in select(&SIGNS[..]),
        value in select(&PRIVATE[..]),
        sizes in prop::collection::vec(1_usize..6, 1..5),
    ) {
        let text = format!("{before} {value} .");
        let whole = masking().texts().text(On::Response, Role::Assistant, &text).expect("passes");
        prop_assert!(!whole.contains(value), "{}", whole);
        prop_assert_eq!(streamed(&cut(&text, &sizes)), whole);
    }
}
