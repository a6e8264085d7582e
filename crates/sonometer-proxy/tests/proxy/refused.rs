//! What the guard cannot read does not pass.

use crate::provider::{MASK, ask, chat, serve};

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_guarded_is_refused() {
    let (address, _, seen) = serve(MASK).await;
    for path in
        ["/v1/responses/r1/input_items", "/v1/chat/completions", "/v1/messages/batches", "/v1/batches"]
    {
        let (head, body, _) = ask(address, "GET", path, "", "").await;
        assert!(head.starts_with("HTTP/1.1 400") && body.contains("error"), "{path} {head}");
    }
    let (head, _, _) = ask(address, "POST", "/v1/messages", "content-encoding: gzip\r\n", "x").await;
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");
    let charset = "content-type: application/json; charset=utf-7\r\n";
    let (head, body, _) = ask(address, "POST", "/v1/messages", charset, "{}").await;
    assert!(head.starts_with("HTTP/1.1 400") && body.contains("charset"), "{head} {body}");
    let (head, body, _) = ask(address, "POST", "/v1/messages", "", "{").await;
    assert!(head.starts_with("HTTP/1.1 400") && body.contains("\"type\":\"error\""), "{head} {body}");
    assert!(seen.asked.lock().expect("is sound").is_empty());
    let (head, body, _) = chat(address, "gzip").await;
    assert!(head.starts_with("HTTP/1.1 502") && body.contains("compressed"), "{head} {body}");
}

/// A client that has sent all of a large body still reads why it is refused; an answer over the bound is not said to be cut.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_refused_with_its_bound() {
    let policy = r#"{"limits":{"body_bytes":60},"rules":[{"action":"mask","target":"personal-data"}]}"#;
    let (address, _, seen) = serve(policy).await;
    let large = format!("{{\"messages\":[],\"user\":\"{}\"}}", "a ".repeat(200));
    let (head, body, _) = ask(address, "POST", "/v1/chat/completions", "", &large).await;
    assert!(head.starts_with("HTTP/1.1 413") && body.contains("more than 60 bytes"), "{head} {body}");
    assert!(seen.asked.lock().expect("is sound").is_empty());
    let (head, body, _) = ask(address, "POST", "/v1/chat/completions", "", "{\"messages\":[]}").await;
    assert!(head.starts_with("HTTP/1.1 502") && body.contains("sonometer_too_large"), "{head} {body}");
}

/// Short values take long each, so their number has a bound as well; the page of LiteLLM's proxy says why, too.
#[tokio::test(flavor = "multi_thread")]
async fn too_many_values_are_refused_with_their_bound() {
    let policy = r#"{"limits":{"values":50},"rules":[{"action":"mask","target":"personal-data"}]}"#;
    let (address, _, seen) = serve(policy).await;
    let texts = vec!["\"a\""; 60].join(",");
    let body = format!("{{\"input\":[{texts}]}}");
    let (head, told, _) = ask(address, "POST", "/v1/embeddings", "", &body).await;
    assert!(head.starts_with("HTTP/1.1 413") && told.contains("limits.values"), "{head} {told}");
    let body = format!("{{\"input_type\":\"request\",\"texts\":[{texts}]}}");
    let (head, told, _) = ask(address, "POST", "/beta/litellm_basic_guardrail_api", "", &body).await;
    let is_blocked = told.contains("\"action\":\"BLOCKED\"") && told.contains("limits.values");
    assert!(head.starts_with("HTTP/1.1 200") && is_blocked, "{head} {told}");
    assert!(seen.asked.lock().expect("is sound").is_empty());
}

/// So has their text, of a request and of an answer.
#[tokio::test(flavor = "multi_thread")]
async fn too_much_text_is_refused_with_its_bound() {
    let policy = r#"{"limits":{"text_bytes":50},"rules":[{"action":"mask","target":"personal-data"}]}"#;
    let (address, _, seen) = serve(policy).await;
    let text = "a ".repeat(26);
    let body = format!("{{\"input\":\"{text}\"}}");
    let (head, told, _) = ask(address, "POST", "/v1/embeddings", "", &body).await;
    assert!(head.starts_with("HTTP/1.1 413") && told.contains("limits.text_bytes"), "{head} {told}");
    let body = format!("{{\"input_type\":\"request\",\"texts\":[\"{}\",\"{text}\"]}}", "a ".repeat(9));
    let (head, told, _) = ask(address, "POST", "/beta/litellm_basic_guardrail_api", "", &body).await;
    let is_blocked = told.contains("\"action\":\"BLOCKED\"") && told.contains("limits.text_bytes");
    assert!(head.starts_with("HTTP/1.1 200") && is_blocked, "{head} {told}");
    assert!(seen.asked.lock().expect("is sound").is_empty());
    let policy =
        r#"{"limits":{"text_bytes":3},"rules":[{"action":"mask","target":"personal-data","on":"response"}]}"#;
    let (address, _, _) = serve(policy).await;
    let body = "{\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
    let (head, told, _) = ask(address, "POST", "/v1/chat/completions", "", body).await;
    assert!(head.starts_with("HTTP/1.1 502") && told.contains("limits.text_bytes"), "{head} {told}");
}

/// A client that follows would send its request there as it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_does_not_lead_past_the_guard() {
    let only_requests = r#"{"rules":[{"action":"mask","target":"personal-data","on":"request"}]}"#;
    for policy in [MASK, only_requests] {
        let (address, _, _) = serve(policy).await;
        let (head, body, _) = chat(address, "moved").await;
        assert!(head.starts_with("HTTP/1.1 502") && !head.contains("location"), "{head}");
        assert!(body.contains("give that address as `upstream`"), "{body}");
    }
}

/// Of two different values, none says which of them counts.
#[tokio::test(flavor = "multi_thread")]
async fn a_header_that_stands_twice_is_refused_by_its_name() {
    let (address, _, seen) = serve(MASK).await;
    let body = r#"{"messages":[{"role":"user","content":"Hi."}]}"#;
    for name in ["x-sonometer-table", "x-sonometer-guard"] {
        let headers = format!("{name}: a\r\n{name}: b\r\n");
        let (head, body, _) = ask(address, "POST", "/v1/chat/completions", &headers, body).await;
        let told = format!("`{name}` stands in the request more than once");
        assert!(head.starts_with("HTTP/1.1 400") && body.contains(&told), "{head} {body}");
    }
    assert!(seen.asked.lock().expect("is sound").is_empty());
}

/// A page of a browser asks with OPTIONS before it may call.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_browser_asks_first_goes_on() {
    let (address, _, seen) = serve(MASK).await;
    let (head, _, _) =
        ask(address, "OPTIONS", "/v1/messages", "origin: https://app.example.com\r\n", "").await;
    assert!(head.starts_with("HTTP/1.1 200") && seen.asked.lock().expect("is sound").len() == 1, "{head}");
}

/// No browser sends a body with it; whatever does would send it past the guard.
#[tokio::test(flavor = "multi_thread")]
async fn methods_without_bodies_carry_none_past_the_guard() {
    let (address, _, seen) = serve(MASK).await;
    let body = r#"{"messages":[{"role":"user","content":"bob@example.net"}]}"#;
    for (method, path) in [
        ("OPTIONS", "/v1/messages"),
        ("options", "/v1/chat/completions"),
        ("OPTIONS", "/v1/batches"),
        ("DELETE", "/v1/responses/resp_1"),
    ] {
        let (head, told, _) = ask(address, method, path, "", body).await;
        assert!(head.starts_with("HTTP/1.1 400"), "{method} {path}: {head}");
        assert!(told.contains(&format!("`{method}` with a body")), "{told}");
    }
    assert!(seen.asked.lock().expect("is sound").is_empty());
    let (head, _, _) = ask(address, "DELETE", "/v1/responses/resp_1", "", "").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    // What passes unread with any method does so with these.
    let (head, _, _) = ask(address, "OPTIONS", "/v1/files", "", body).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
}

/// A client whose `HTTPS_PROXY` is the address of the proxy asks for a tunnel.
#[tokio::test(flavor = "multi_thread")]
async fn a_tunnel_is_refused_with_what_to_set() {
    let (address, _, seen) = serve(MASK).await;
    let (head, body, _) = ask(address, "CONNECT", "api.example.org:443", "", "").await;
    assert!(head.starts_with("HTTP/1.1 405") && body.contains("OPENAI_BASE_URL"), "{head} {body}");
    assert!(seen.asked.lock().expect("is sound").is_empty());
}

/// Upstreams decode paths, and some know no capitals.
#[tokio::test(flavor = "multi_thread")]
async fn a_route_is_guarded_however_it_is_written() {
    let (address, _, seen) = serve(MASK).await;
    let body = r#"{"messages":[{"role":"user","content":"bob@example.net"}]}"#;
    for path in ["/v1/message%73", "/v1/Messages", "/v1/messages;x"] {
        ask(address, "POST", path, "", body).await;
    }
    let asked = seen.asked.lock().expect("is sound");
    assert_eq!(asked[0].0, "/v1/message%73", "the path itself goes on as it came");
    assert!(asked.iter().all(|(_, _, body)| !body.windows(3).any(|three| three == b"bob")));
}
