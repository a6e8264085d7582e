//! The proxy before a provider that replays recorded answers, over sockets of the machine.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use sonometer::{Error, Instrument, TargetKind};
use sonometer_guard::{Guard, Policy};
use sonometer_proxy::{Proxy, TableKeys, Upstream};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

const CHAT: &str = include_str!("../../sonometer-guard/tests/recorded/chat.sse");

fn find(target: &str) -> Result<Instrument, Error> {
    let entry = sonometer_catalog::find_any(target, &TargetKind::ALL)
        .map_err(|none| Error::invalid("", none.to_string()))?;
    Instrument::new(entry.document()?.0, &sonometer_catalog::Shipped)
}

fn guard(policy: &str) -> Guard {
    Guard::new(&serde_json::from_str::<Policy>(policy).expect("is a policy"), find).expect("compiles")
}

const MASK: &str = r#"{"rules":[{"action":"mask","target":"personal-data"}]}"#;

/// What the provider was asked, and how many of its bodies are under way.
#[derive(Clone, Default)]
struct Seen {
    asked: Arc<Mutex<Vec<(String, HeaderMap, Bytes)>>>,
    open: Arc<AtomicUsize>,
    goes_on: Arc<Notify>,
}

/// Counts down when the body that holds it is dropped.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn provider(State(seen): State<Seen>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.expect("comes whole").to_bytes();
    let path = parts.uri.path().to_owned();
    seen.asked.lock().expect("is sound").push((parts.uri.to_string(), parts.headers, body.clone()));
    seen.open.fetch_add(1, Ordering::SeqCst);
    let open = Open(Arc::clone(&seen.open));
    let events = [("content-type", "text/event-stream; charset=utf-8"), ("set-cookie", "a=1")];
    match path.as_str() {
        "/v1/chat/completions" if body.windows(5).any(|five| five == b"moved") => {
            (StatusCode::TEMPORARY_REDIRECT, [("location", "http://upstream.invalid/v1/chat/completions/")]).into_response()
        }
        "/v1/chat/completions" if body.windows(5).any(|five| five == b"crowd") => {
            let page = "<html>ann@example.org is too fast</html>";
            (StatusCode::TOO_MANY_REQUESTS, [("content-type", "text/html"), ("retry-after", "7")], page)
                .into_response()
        }
        "/v1/chat/completions" if body.windows(6).any(|six| six == b"silent") => {
            sleep(Duration::from_secs(30)).await;
            drop(open);
            StatusCode::OK.into_response()
        }
        "/v1/chat/completions" if body.windows(4).any(|four| four == b"dies") => {
            let first = stream::iter([Ok(Bytes::from(&CHAT[..3_000]))]);
            // What was sent before has gone out by then.
            let end = stream::once(async {
                sleep(Duration::from_millis(200)).await;
                Err(std::io::Error::other("dies"))
            });
            let parts = first.chain(end);
            (events, Body::from_stream(parts.inspect(move |_| { let _ = &open; }))).into_response()
        }
        "/v1/chat/completions" if body.windows(4).any(|four| four == b"slow") => {
            let frames = CHAT.split_inclusive("\n\n").take(3).map(|frame| Ok::<_, std::io::Error>(Bytes::from(frame)));
            let silent = stream::pending::<Result<Bytes, std::io::Error>>();
            (events, Body::from_stream(stream::iter(frames.collect::<Vec<_>>()).chain(silent).inspect(move |_| { let _ = &open; })))
                .into_response()
        }
        // The first half of the stream, and the second when the test says so.
        "/v1/chat/completions" if body.windows(5).any(|five| five == b"halts") => {
            let (first, second) = CHAT.split_at(CHAT.len() / 2);
            let first = stream::iter([Ok::<_, std::io::Error>(Bytes::from(first))]);
            let goes_on = Arc::clone(&seen.goes_on);
            let second = stream::once(async move {
                goes_on.notified().await;
                Ok(Bytes::from(second))
            });
            (events, Body::from_stream(first.chain(second))).into_response()
        }
        "/v1/chat/completions" if body.windows(7).any(|seven| seven == b"endless") => {
            let chunk = |text: &str| {
                format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n")
            };
            let words = (0..400).map(move |at| Ok::<_, std::io::Error>(Bytes::from(chunk(&format!("word{at} and ")))));
            let silent = stream::pending::<Result<Bytes, std::io::Error>>();
            (events, Body::from_stream(stream::iter(words).chain(silent))).into_response()
        }
        "/v1/files/flood/content" => {
            let bytes = stream::repeat(Bytes::from_static(&[b'x'; 16 << 10])).map(Ok::<_, std::io::Error>);
            Body::from_stream(bytes.inspect(move |_| { let _ = &open; })).into_response()
        }
        "/v1/responses" => {
            let text = r#"{"id":"r1","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"<EMAIL_ADDRESS_1>, <EMAIL_ADDRESS_2>"}]}]}"#;
            ([("content-type", "application/json")], text).into_response()
        }
        "/v1/responses/r1" | "/v1/responses/r1/cancel" if parts.uri.query() != Some("stream=true") => {
            // It says itself that its text is JSON, whose escapes hide nothing then.
            let text = r#"{"id":"r1","status":"completed","text":{"format":{"type":"json_object"}},"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"{\"to\":\"ann\\u0040example.org\",\"by\":\"<EMAIL_ADDRESS_1>\"}"}]}]}"#;
            ([("content-type", "application/json")], text).into_response()
        }
        "/v1/responses/r1" => {
            (events, "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"ann@example.org\"}\n\n").into_response()
        }
        "/v1/chat/completions" if body.windows(6).any(|six| six == b"stream") => {
            let parts = CHAT.as_bytes().chunks(11).map(|part| Ok::<_, std::io::Error>(Bytes::from(part)));
            (events, Body::from_stream(stream::iter(parts.collect::<Vec<_>>()))).into_response()
        }
        "/v1/chat/completions" if body.windows(4).any(|four| four == b"gzip") => {
            ([("content-encoding", "gzip")], "\x1f").into_response()
        }
        "/v1/chat/completions" => (
            [("content-type", "application/json"), ("etag", "\"x\""), ("x-request-id", "r1")],
            r#"{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"Mail ann@example.org"},"finish_reason":"stop"}]}"#,
        )
            .into_response(),
        _ => ([("set-cookie", "a=1"), ("content-encoding", "gzip")], body).into_response(),
    }
}

async fn serve(policy: &str) -> (SocketAddr, Proxy, Seen) {
    let seen = Seen::default();
    let upstream = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = upstream.local_addr().expect("is bound");
    let router = Router::new().fallback(provider).with_state(seen.clone());
    tokio::spawn(async move { axum::serve(upstream, router).await });
    let proxy =
        Proxy::new(Upstream::new(&format!("http://{address}")).expect("is an address"), guard(policy));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("is bound");
    tokio::spawn(proxy.clone().serve(listener, std::future::pending()));
    (address, proxy, seen)
}

/// Sends a request by hand and reads all of the answer, decoded if it is chunked. `false`: the connection broke off.
async fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> (String, String, bool) {
    let mut socket = TcpStream::connect(address).await.expect("connects");
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    );
    socket.write_all(request.as_bytes()).await.expect("sends");
    let mut answer = Vec::new();
    timeout(Duration::from_secs(20), socket.read_to_end(&mut answer)).await.expect("ends").expect("reads");
    let answer = String::from_utf8(answer).expect("is UTF-8");
    let (head, body) = answer.split_once("\r\n\r\n").expect("has a head");
    if !head.contains("transfer-encoding: chunked") {
        return (head.to_owned(), body.to_owned(), true);
    }
    let (mut rest, mut whole) = (body, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("is a size");
        if size == 0 {
            return (head.to_owned(), whole, true);
        }
        whole.push_str(&after[..size]);
        rest = &after[size + 2..];
    }
    (head.to_owned(), whole, false)
}

async fn chat(address: SocketAddr, content: &str) -> (String, String, bool) {
    let stream = if content == "whole" || content == "gzip" { "" } else { "\"stream\":true," };
    let body = format!(
        "{{\"model\":\"m\",{stream}\"messages\":[{{\"role\":\"user\",\"content\":\"{content} bob@example.net\"}}]}}"
    );
    ask(
        address,
        "POST",
        "/v1/chat/completions",
        "authorization: Bearer k\r\naccept-encoding: gzip\r\n",
        &body,
    )
    .await
}

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

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_that_dies_breaks_the_answer() {
    let (address, _, _) = serve(MASK).await;
    let (_, body, is_whole) = chat(address, "dies").await;
    assert!(!is_whole && !body.contains("[DONE]"));
    let gone = Upstream::new("http://127.0.0.1:1").expect("is an address");
    let proxy = Proxy::new(gone, guard(MASK));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("is bound");
    tokio::spawn(proxy.serve(listener, std::future::pending()));
    let (head, body, _) = chat(address, "stream").await;
    assert!(head.starts_with("HTTP/1.1 502") && body.contains("upstream_unreachable"), "{head} {body}");
    assert!(body.contains("refused"), "it says why: {body}");
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

/// A client that leaves ends the request upstream: before its headers, and while it is silent in the middle.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_ends_the_upstream() {
    let (address, _, seen) = serve(MASK).await;
    for content in ["silent", "slow"] {
        let body =
            format!("{{\"stream\":true,\"messages\":[{{\"role\":\"user\",\"content\":\"{content}\"}}]}}");
        let request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut socket = TcpStream::connect(address).await.expect("connects");
        socket.write_all(request.as_bytes()).await.expect("sends");
        let reached = async {
            while seen.open.load(Ordering::SeqCst) == 0 {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(10), reached).await.expect("reaches the provider");
        if content == "slow" {
            let mut start = [0; 64];
            socket.read_exact(&mut start).await.expect("reads");
        }
        drop(socket);
        let left = async {
            while seen.open.load(Ordering::SeqCst) > 0 {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(10), left)
            .await
            .unwrap_or_else(|_| panic!("{content}: the provider goes on"));
    }
}

/// T7: another policy is for new conversations.
#[tokio::test(flavor = "multi_thread")]
async fn a_reload_is_for_new_conversations() {
    let (address, proxy, seen) = serve(MASK).await;
    let digest = guard(MASK).digest().to_owned();
    proxy.reload(guard(r#"{"rules":[{"action":"mask","target":"personal-data","mask":"label"}]}"#));
    let (head, _, _) = chat(address, "whole").await;
    assert!(head.contains("x-sonometer-guard: ") && !head.contains(&digest), "{head}");
    let body = r#"{"messages":[{"role":"user","content":"bob@example.net"}]}"#;
    let old =
        ask(address, "POST", "/v1/chat/completions", &format!("x-sonometer-guard: {digest}\r\n"), body).await;
    assert!(old.0.contains(&digest), "{}", old.0);
    let unknown = ask(address, "POST", "/v1/chat/completions", "x-sonometer-guard: 0\r\n", body).await;
    assert!(unknown.0.starts_with("HTTP/1.1 400"), "{}", unknown.0);
    let asked = seen.asked.lock().expect("is sound");
    let sent: Vec<String> =
        asked.iter().map(|(_, _, body)| String::from_utf8_lossy(body).into_owned()).collect();
    assert!(sent[0].contains("<EMAIL_ADDRESS>") && sent[1].contains("***@*******.***"), "{sent:?}");
    assert!(!asked[1].1.contains_key("x-sonometer-guard"));
}

/// Reads until the bytes hold something.
async fn read_until(socket: &mut TcpStream, found: impl Fn(&str) -> bool) -> String {
    let (mut bytes, mut part) = (Vec::new(), [0; 4_096]);
    let reading = async {
        while !found(&String::from_utf8_lossy(&bytes)) {
            let read = socket.read(&mut part).await.expect("reads");
            assert!(read > 0, "ended: {}", String::from_utf8_lossy(&bytes));
            bytes.extend_from_slice(&part[..read]);
        }
    };
    timeout(Duration::from_secs(30), reading).await.expect("comes in time");
    String::from_utf8_lossy(&bytes).into_owned()
}

async fn begin(address: SocketAddr, content: &str) -> TcpStream {
    let body = format!("{{\"stream\":true,\"messages\":[{{\"role\":\"user\",\"content\":\"{content}\"}}]}}");
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut socket = TcpStream::connect(address).await.expect("connects");
    socket.write_all(request.as_bytes()).await.expect("sends");
    socket
}

/// The clock of this test stands, and jumps where everybody waits.
#[tokio::test(start_paused = true)]
async fn slow_clients_are_let_go() {
    let (address, ..) = serve(MASK).await;
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n";
    for (sent, answer, after) in [
        ("", "", 60),
        (head, "", 60),
        (&format!("{head}content-length: 500\r\n\r\n{{\"messages\""), "HTTP/1.1 408", 300),
    ] {
        let mut socket = TcpStream::connect(address).await.expect("connects");
        socket.write_all(sent.as_bytes()).await.expect("sends");
        let (start, mut bytes) = (tokio::time::Instant::now(), Vec::new());
        let _ = socket.read_to_end(&mut bytes).await;
        let waited = start.elapsed().as_secs();
        assert!(bytes.starts_with(answer.as_bytes()), "{}", String::from_utf8_lossy(&bytes));
        assert!((after..after + 5).contains(&waited), "{sent:?}: {waited} s");
    }
}

/// Such a client holds its connection no longer, nor the one upstream. The clock jumps where everybody waits.
#[tokio::test(start_paused = true)]
async fn a_client_that_reads_nothing_is_let_go() {
    let (address, proxy, seen) = serve(MASK).await;
    for after in [None, Some(5)] {
        if let Some(after) = after {
            proxy.end_stalled(Duration::from_secs(after));
        }
        let mut socket = TcpStream::connect(address).await.expect("connects");
        socket.write_all(b"GET /v1/files/flood/content HTTP/1.1\r\nhost: x\r\n\r\n").await.expect("sends");
        let start = tokio::time::Instant::now();
        for open in [1, 0] {
            while seen.open.load(Ordering::SeqCst) != open {
                sleep(Duration::from_millis(100)).await;
                assert!(start.elapsed() < Duration::from_secs(600), "the provider goes on");
            }
        }
        let (waited, after) = (start.elapsed().as_secs(), after.unwrap_or(60));
        assert!((after..after + 5).contains(&waited), "{waited} s");
    }
}

/// T7: an answer that is under way keeps the policy that it began with.
#[tokio::test(flavor = "multi_thread")]
async fn a_reload_leaves_streams_that_are_under_way() {
    let (address, proxy, seen) = serve(MASK).await;
    let mut socket = begin(address, "halts").await;
    let before = read_until(&mut socket, |text| text.contains("data:")).await;
    proxy.reload(guard(r#"{"rules":[{"action":"mask","target":"personal-data","mask":"label"}]}"#));
    let (_, after, _) = chat(address, "whole").await;
    assert!(after.contains("<EMAIL_ADDRESS>"), "{after}");
    seen.goes_on.notify_one();
    let rest = read_until(&mut socket, |text| text.contains("[DONE]")).await;
    let all = before + &rest;
    assert!(all.contains("***") && !all.contains("<EMAIL") && !all.contains("<PAYMENT"), "{all}");
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

#[tokio::test(flavor = "multi_thread")]
async fn litellm_is_answered() {
    let (address, _, _) = serve(MASK).await;
    let ask = async |body: &str| {
        let (head, body, _) = ask(address, "POST", "/beta/litellm_basic_guardrail_api", "", body).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head} {body}");
        serde_json::from_str::<serde_json::Value>(&body).expect("is JSON")
    };
    let answer =
        ask(r#"{"input_type":"request","texts":["I am ann@example.org","no"],"litellm_call_id":"1"}"#).await;
    assert_eq!(
        (answer["action"].as_str(), &answer["texts"]),
        (Some("GUARDRAIL_INTERVENED"), &serde_json::json!(["I am ***@*******.***", "no"]))
    );
    assert_eq!(ask(r#"{"input_type":"request","texts":["Hello."],"images":[]}"#).await["action"], "NONE");
    assert_eq!(ask(r#"{"input_type":"request","texts":[],"images":["x"]}"#).await["action"], "BLOCKED");
    let call = r#"{"input_type":"response","texts":[],"tool_calls":[{"function":{"arguments":"{\"a\":\"ann@example.org\"}"}}]}"#;
    assert_eq!(ask(call).await["action"], "BLOCKED");
    let custom =
        r#"{"input_type":"response","tool_calls":[{"type":"custom","custom":{"input":"ann@example.org"}}]}"#;
    assert_eq!(ask(custom).await["action"], "BLOCKED");
    assert_eq!(
        ask(r#"{"input_type":"response","tool_calls":[{"type":"other","x":"a"}]}"#).await["action"],
        "BLOCKED"
    );
    assert_eq!(
        ask(r#"{"input_type":"response","tool_calls":[{"function":{"name":"n"}}]}"#).await["action"],
        "NONE"
    );
    // Descriptions of tools are texts of the request.
    let tools = r#"{"input_type":"request","texts":["Hello."],"tools":[{"type":"function","function":{"name":"n","description":"Ask ann@example.org","parameters":{}}}]}"#;
    let answer = ask(tools).await;
    assert_eq!(answer["tools"][0]["function"]["description"], "Ask ***@*******.***");
    assert_eq!(answer["texts"], serde_json::json!(["Hello."]));
    // Numbers in them are bounds, whatever they look like.
    let bounds = r#"{"input_type":"request","texts":[],"tools":[{"type":"function","function":{"name":"n","parameters":{"maximum":2147483647}}}]}"#;
    assert_eq!(ask(bounds).await["action"], "NONE");
    // An answer that streams is sent again from its beginning.
    let text = "Write to ann@example.org or call.";
    let mut fixed = String::new();
    for end in 1..=text.len() {
        let body =
            serde_json::json!({"input_type": "response", "texts": [&text[..end]], "litellm_call_id": "2"});
        let answer = ask(&body.to_string()).await;
        let shown = answer["texts"][0].as_str().unwrap_or(&text[..end]);
        let held = answer["stream_holdback_chars"][0].as_u64().unwrap_or(0) as usize;
        let now = &shown[..shown.len() - held];
        assert!(now.starts_with(&fixed) && "Write to ***@*******.*** or call.".starts_with(now), "{now}");
        fixed = now.to_owned();
    }
    assert!(fixed.starts_with("Write to ***@*******.***"), "{fixed}");
}

/// Rules that refuse are asked for each text, whether LiteLLM can show it or not.
#[tokio::test(flavor = "multi_thread")]
async fn rules_that_block_refuse_for_litellm() {
    let (address, _, _) = serve(r#"{"rules":[{"action":"block","target":"personal-data"}]}"#).await;
    for input in ["request", "response"] {
        let call = r#"[{"function":{"arguments":"{\"a\":\"ann@example.org\"}"}}]"#;
        for (more, action) in [
            (r#""texts":["I am ann@example.org"]"#.to_owned(), "BLOCKED"),
            (r#""texts":["I am ann@example.org"],"litellm_call_id":"1""#.to_owned(), "BLOCKED"),
            (format!(r#""tool_calls":{call}"#), "BLOCKED"),
            (r#""texts":["Hello."]"#.to_owned(), "NONE"),
        ] {
            let body = format!(r#"{{"input_type":"{input}",{more}}}"#);
            let (_, answer, _) = ask(address, "POST", "/beta/litellm_basic_guardrail_api", "", &body).await;
            assert!(answer.contains(&format!(r#""action":"{action}""#)), "{body} {answer}");
        }
    }
}

/// A report of an exchange has what was measured, of whole answers and of streams, and the trace of the request, but no text.
#[tokio::test(flavor = "multi_thread")]
async fn exchanges_that_are_over_are_reported() {
    let policy =
        r#"{"rules":[{"action":"mask","target":"personal-data"},{"action":"sense","target":"courtesy"}]}"#;
    let (address, proxy, _) = serve(policy).await;
    let told: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    let to = Arc::clone(&told);
    proxy.observe(move |ended| {
        let trace = ended.trace.get("traceparent").and_then(|value| value.to_str().ok()).unwrap_or_default();
        assert_eq!(ended.policy.len(), 16);
        to.lock().expect("is sound").push((trace.to_owned(), format!("{:?}", ended.report)));
    });
    for stream in ["", "\"stream\":true,"] {
        let body = format!(
            "{{{stream}\"messages\":[{{\"role\":\"user\",\"content\":\"Thank you so much for all of your help, bob@example.net\"}}]}}"
        );
        let headers = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\nauthorization: Bearer k\r\n";
        let (head, _, _) = ask(address, "POST", "/v1/chat/completions", headers, &body).await;
        assert!(head.contains("x-sonometer-scores: courtesy="), "{head}");
    }
    let all_reported = async {
        while told.lock().expect("is sound").len() < 2 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(10), all_reported).await.expect("both are reported");
    for (trace, report) in told.lock().expect("is sound").iter() {
        assert!(trace.starts_with("00-4bf9"), "{trace}");
        assert!(report.contains("on: Request") && report.contains("on: Response"), "{report}");
        assert!(report.contains("gratitude 0:0-"), "{report}");
        assert!(!report.contains("bob") && !report.contains("Thank"), "{report}");
    }
}
