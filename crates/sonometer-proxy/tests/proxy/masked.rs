//! What passes, and what it is when it arrives.

use crate::provider::{MASK, ask, begin, chat, read_until, serve};
use sonometer_proxy::TableKeys;

#[tokio::test(flavor = "multi_thread")]
async fn requests_and_answers_are_masked() {
    let (address, proxy, seen) = serve(MASK).await;
    let (head, body, _) = chat(address, "whole").await;
    assert!(head.starts_with("HTTP/1.1 200") && body.contains("Mail ***@*******.***"), "{head} {body}");
    assert!(head.contains("x-sonometer-masked: request=1, answer=1, restored=0"), "{head}");
    assert!(head.contains("x-request-id: r1") && !head.contains("etag"), "{head}");
    {
        let asked = seen.asked.lock().expect("is sound");
        let (_, headers, sent) = &asked[0];
        assert_eq!(
            (&headers["authorization"], &headers["accept-encoding"]),
            (&"Bearer k".parse().expect("is one"), &"identity".parse().expect("is one"))
        );
        assert!(!sent.windows(3).any(|three| three == b"bob"));
    }
    let (head, body, is_whole) = chat(address, "stream").await;
    assert!(is_whole && body.ends_with("data: [DONE]\n\n"), "{body}");
    assert!(
        head.contains("text/event-stream") && !body.contains("4111 1111") && !body.contains("ann@"),
        "{body}"
    );
    assert!(proxy.counts().to_json().contains("\"guarded\":2"));
    let (_, counts, _) = ask(address, "GET", "/sonometer/counts", "", "").await;
    assert_eq!(counts, proxy.counts().to_json());
}

#[tokio::test(flavor = "multi_thread")]
async fn all_else_passes_through_unchanged() {
    let (address, _, seen) = serve(MASK).await;
    let (head, body, _) =
        ask(address, "POST", "/v1/files?a=b%20c", "x-own: 1\r\nx-own: 2\r\n", "ann@example.org").await;
    assert_eq!(body, "ann@example.org");
    assert!(head.contains("set-cookie: a=1") && head.contains("content-encoding: gzip"), "{head}");
    let asked = seen.asked.lock().expect("is sound");
    assert_eq!(asked[0].0, "/v1/files?a=b%20c");
    assert_eq!(asked[0].1.get_all("x-own").iter().count(), 2);
}

/// An answer that was made in the background, or stored, is asked for by its id.
#[tokio::test(flavor = "multi_thread")]
async fn a_stored_answer_is_guarded() {
    let (address, _, seen) = serve(MASK).await;
    for (method, path) in [("GET", "/v1/responses/r1"), ("POST", "/v1/responses/r1/cancel")] {
        let (head, body, _) = ask(address, method, path, "", "").await;
        assert!(
            head.starts_with("HTTP/1.1 200") && body.contains(r#"\"to\":\"***@*******.***\""#),
            "{head} {body}"
        );
    }
    assert!(seen.asked.lock().expect("is sound").iter().all(|(_, _, body)| body.is_empty()));
    let (_, body, _) = ask(address, "GET", "/v1/responses/r1?stream=true", "", "").await;
    assert!(body.contains("ask for it without `stream`") && !body.contains("ann@"), "{body}");
    // What deletes one passes.
    let (head, _, _) = ask(address, "DELETE", "/v1/responses/r1", "", "").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
}

/// With placeholders, a stored answer needs the table of its conversation.
#[tokio::test(flavor = "multi_thread")]
async fn a_stored_answer_is_restored_by_its_table() {
    const POLICY: &str =
        r#"{"placeholders":true,"rules":[{"action":"mask","target":"personal-data","on":"request"}]}"#;
    let (address, proxy, seen) = serve(POLICY).await;
    proxy.seal_tables(Some(TableKeys::read(&"0f".repeat(32), true).expect("is a key")));
    let body = r#"{"model":"m","background":true,"input":"I am bob@example.net"}"#;
    let (head, _, _) = ask(address, "POST", "/v1/responses", "authorization: Bearer a\r\n", body).await;
    let table = head.lines().find_map(|line| line.strip_prefix("x-sonometer-table: ")).expect("has a table");
    let headers = format!("authorization: Bearer a\r\nx-sonometer-table: {table}\r\n");
    let (_, body, _) = ask(address, "GET", "/v1/responses/r1", &headers, "").await;
    assert!(body.contains(r#"\"by\":\"bob@example.net\""#), "{body}");
    let (head, body, _) = ask(address, "GET", "/v1/responses/r1", "authorization: Bearer a\r\n", "").await;
    assert!(head.starts_with("HTTP/1.1 400") && body.contains("no_table"), "{head} {body}");
    assert_eq!(seen.asked.lock().expect("is sound").len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_that_cannot_be_read_keeps_its_status() {
    let (address, _, _) = serve(MASK).await;
    let (head, body, _) = chat(address, "crowd").await;
    assert!(head.starts_with("HTTP/1.1 429") && head.contains("retry-after: 7"), "{head}");
    assert!(body.contains("sonometer_unreadable") && !body.contains("ann@"), "{body}");
    assert!(!head.contains("x-should-retry"), "{head}");
    // What the guard refuses would be refused again: the SDKs try 502 anew otherwise.
    let (head, _, _) = chat(address, "gzip").await;
    assert!(head.starts_with("HTTP/1.1 502") && head.contains("x-should-retry: false"), "{head}");
}

/// A stream that never ends a sentence comes through, with a lag that does not grow.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_without_sentences_comes_through() {
    let (address, _, _) = serve(MASK).await;
    let mut socket = begin(address, "endless").await;
    // The upstream is silent after word399, so all that is held back is missing.
    let text = read_until(&mut socket, |text| text.contains("word390")).await;
    assert!(text.contains("word0") && !text.contains("[DONE]"));
}

/// A conversation whose history the provider keeps goes on with its table, on another node, for the same client only.
#[tokio::test(flavor = "multi_thread")]
async fn a_sealed_table_goes_on_elsewhere() {
    const POLICY: &str =
        r#"{"placeholders":true,"rules":[{"action":"mask","target":"personal-data","on":"request"}]}"#;
    let key = "0f".repeat(32);
    let keys = || Some(TableKeys::read(&key, true).expect("is a key"));
    let (one, first, _) = serve(POLICY).await;
    let (other, second, seen) = serve(POLICY).await;
    first.seal_tables(keys());
    second.seal_tables(keys());
    let ask =
        async |address, headers: &str, body: &str| ask(address, "POST", "/v1/responses", headers, body).await;
    let (head, body, _) =
        ask(one, "authorization: Bearer a\r\n", r#"{"model":"m","input":"I am ann@example.org"}"#).await;
    assert!(body.contains("ann@example.org, <EMAIL_ADDRESS_2>"), "{body}");
    let table = head.lines().find_map(|line| line.strip_prefix("x-sonometer-table: ")).expect("has a table");
    assert!(table.starts_with("snmt1:") && !head.contains("ann@"), "{head}");
    // The other node goes on with the numbers.
    let next =
        r#"{"model":"m","previous_response_id":"r1","input":"Copy bob@example.net and ann@example.org"}"#;
    let headers = format!("authorization: Bearer a\r\nx-sonometer-table: {table}\r\n");
    let (head, body, _) = ask(other, &headers, next).await;
    assert!(body.contains("ann@example.org, bob@example.net"), "{head} {body}");
    {
        let asked = seen.asked.lock().expect("is sound");
        let sent = String::from_utf8_lossy(&asked[0].2);
        assert!(sent.contains("Copy <EMAIL_ADDRESS_2> and <EMAIL_ADDRESS_1>"), "{sent}");
        assert!(!asked[0].1.contains_key("x-sonometer-table"), "the provider gets no table");
    }
    // Without its table, with that of another client, or with another key there is no way on.
    for headers in [
        "authorization: Bearer a\r\n".to_owned(),
        format!("authorization: Bearer b\r\nx-sonometer-table: {table}\r\n"),
        format!("x-sonometer-table: {table}\r\n"),
    ] {
        let (head, body, _) = ask(other, &headers, next).await;
        assert!(head.starts_with("HTTP/1.1 400") && body.contains("no_table"), "{headers} {head} {body}");
    }
    second.seal_tables(None);
    let (head, _, _) = ask(other, &headers, next).await;
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");
    assert_eq!(seen.asked.lock().expect("is sound").len(), 1);
    // A request without credentials gets no table: nothing would bind it.
    let (head, _, _) = ask(one, "", r#"{"model":"m","input":"I am ann@example.org"}"#).await;
    assert!(!head.contains("x-sonometer-table"), "{head}");
}
