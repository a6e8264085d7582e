//! A provider that replays recorded answers, a proxy before it, and clients by hand.

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
use sonometer_proxy::{Proxy, Upstream};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

pub(crate) const CHAT: &str = include_str!("../../../sonometer-guard/tests/recorded/chat.sse");

pub(crate) fn find(target: &str) -> Result<Instrument, Error> {
    let entry = sonometer_catalog::find_any(target, &TargetKind::ALL)
        .map_err(|none| Error::invalid("", none.to_string()))?;
    Instrument::new(entry.document()?.0, &sonometer_catalog::Shipped)
}

pub(crate) fn guard(policy: &str) -> Guard {
    Guard::new(&serde_json::from_str::<Policy>(policy).expect("is a policy"), find).expect("compiles")
}

pub(crate) const MASK: &str = r#"{"rules":[{"action":"mask","target":"personal-data"}]}"#;

/// What the provider was asked, and how many of its bodies are under way.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    pub(crate) asked: Arc<Mutex<Vec<(String, HeaderMap, Bytes)>>>,
    pub(crate) open: Arc<AtomicUsize>,
    pub(crate) goes_on: Arc<Notify>,
}

/// Counts down when the body that holds it is dropped.
pub(crate) struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

pub(crate) async fn provider(State(seen): State<Seen>, request: Request) -> Response {
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
        "/v1/chat/completions" if body.windows(5).any(|five| five == b"never") => {
            std::future::pending::<()>().await;
            drop(open);
            StatusCode::OK.into_response()
        }
        // A byte a minute, for ever.
        "/v1/chat/completions" if body.windows(8).any(|eight| eight == b"trickles") => {
            let bytes = stream::unfold(open, |open| async {
                sleep(Duration::from_secs(60)).await;
                Some((Ok::<_, std::io::Error>(Bytes::from_static(b" ")), open))
            });
            ([("content-type", "application/json")], Body::from_stream(bytes)).into_response()
        }
        "/v1/chat/completions" if body.windows(4).any(|four| four == b"dies") => {
            let first = stream::iter([Ok(Bytes::from(&CHAT[..3_000]))]);
            // What was sent before has gone out by then.
            let end = stream::once(async {
                sleep(Duration::from_secs(1)).await;
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

pub(crate) async fn serve(policy: &str) -> (SocketAddr, Proxy, Seen) {
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
pub(crate) async fn ask(
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

pub(crate) async fn chat(address: SocketAddr, content: &str) -> (String, String, bool) {
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

/// Reads until the bytes hold something.
pub(crate) async fn read_until(socket: &mut TcpStream, found: impl Fn(&str) -> bool) -> String {
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

pub(crate) async fn begin(address: SocketAddr, content: &str) -> TcpStream {
    let body = format!("{{\"stream\":true,\"messages\":[{{\"role\":\"user\",\"content\":\"{content}\"}}]}}");
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut socket = TcpStream::connect(address).await.expect("connects");
    socket.write_all(request.as_bytes()).await.expect("sends");
    socket
}
