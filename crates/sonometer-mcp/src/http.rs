//! Streamable HTTP behind a token. The server keeps no sessions: each request stands for itself, and dives have names that nobody can guess. So there
//! is nothing that a client could leave behind.

use crate::bench::Bench;
use crate::limits::{MESSAGE_BYTES, WAITING_OF_ALL, grouped};
use crate::server::Server;
use crate::sieve;
use crate::works::Client;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use sonometer_listen::{Bounds, STALLED};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{sleep, timeout};

/// Where the server is.
const PATH: &str = "/mcp";
/// How long others may keep the server waiting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// A client, until the headers of its next request have come in.
    pub(crate) head: Duration,
    /// A client, until its message has come in: that is read whole, and holds one of the places of all.
    pub(crate) message: Duration,
    /// A client that takes nothing of an answer.
    pub(crate) stalled: Duration,
    /// What is under way at a stop: longer than a call takes. A connection on which nothing comes any more would keep it for ever.
    pub(crate) drain: Duration,
}

impl Default for Times {
    fn default() -> Self {
        let minute = Duration::from_secs(60);
        Self { head: minute, message: minute, stalled: STALLED, drain: Duration::from_secs(15) }
    }
}

/// What is read of a refused message at most, and for how long.
const REST: (usize, Duration) = (8 * MESSAGE_BYTES, Duration::from_secs(5));
/// The same where the client has no token, or no place: enough for most messages, and no work to speak of.
const REST_OF_FEW: (usize, Duration) = (64 << 10, Duration::from_secs(1));

/// Who may come in, and how many at once.
#[derive(Clone)]
struct Door {
    token: Arc<str>,
    places: Arc<Semaphore>,
    message: Duration,
}

/// Serves until `stop` ends.
pub(crate) async fn serve(
    bench: Arc<Bench>,
    listener: TcpListener,
    token: &str,
    times: Times,
    stop: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let is_local = listener.local_addr()?.ip().is_loopback();
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None);
    // No page of a browser is a client. Beyond loopback the host may have any name; the token keeps out who rebinds one.
    let config = config.enforce_origin_validation();
    let mut config = if is_local { config } else { config.disable_allowed_hosts() };
    config.max_request_body_bytes = MESSAGE_BYTES;
    let service = StreamableHttpService::new(
        move || Ok(Server::new(Arc::clone(&bench))),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let places = Arc::new(Semaphore::new(WAITING_OF_ALL));
    let door = Door { token: token.into(), places, message: times.message };
    let router = Router::new()
        .route_service(PATH, service)
        .fallback(|| async { refused(StatusCode::NOT_FOUND, "the address of the server ends in /mcp") })
        .layer(from_fn_with_state(door, admit));
    let (told, stopped) = oneshot::channel();
    let stop = async {
        stop.await;
        let _ = told.send(());
    };
    let answers = TowerToHyperService::new(router);
    let each = || {
        // A connection is a client.
        let (answers, client) = (answers.clone(), Client::new());
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(client.clone());
            answers.call(request)
        });
        (Bounds { head: times.head, stalled: times.stalled }, service)
    };
    let late = async {
        match stopped.await {
            Ok(()) => sleep(times.drain).await,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = sonometer_listen::serve(listener, each, stop) => {}
        () = late => {}
    }
    Ok(())
}

/// Reads the rest of a request that is refused, and keeps none of it. A connection with an unread body ends, and clients send their next
/// request on it.
async fn leave(request: Request, most: (usize, Duration)) {
    let announced = sonometer_listen::announced(request.headers());
    sonometer_listen::drain(request.into_body(), announced, most).await;
}

/// Lets in who has the token, before anything of the body is kept.
async fn admit(State(door): State<Door>, mut request: Request, next: Next) -> Response {
    if !knows(request.headers(), &door.token) {
        let why = "the token is missing or wrong; send the header `Authorization: Bearer TOKEN` with the token that `sonometer mcp` was given or printed";
        let mut response = refused(StatusCode::UNAUTHORIZED, why);
        response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        leave(request, REST_OF_FEW).await;
        return response;
    }
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if length
        .and_then(|length| length.parse::<u64>().ok())
        .is_some_and(|length| length > MESSAGE_BYTES as u64)
    {
        leave(request, REST).await;
        return too_large();
    }
    let Ok(place) = Arc::clone(&door.places).try_acquire_owned() else {
        let why = format!(
            "{WAITING_OF_ALL} requests are under way already; wait for an answer, then send it again"
        );
        leave(request, REST_OF_FEW).await;
        return refused(StatusCode::SERVICE_UNAVAILABLE, &why);
    };
    if request.method() == Method::POST && request.uri().path() == PATH {
        request = match timeout(door.message, readable(request)).await {
            Ok(Ok(request)) => request,
            Ok(Err(response)) => return *response,
            Err(_) => {
                let why = "the message did not come in whole in time; send it again";
                return refused(StatusCode::REQUEST_TIMEOUT, why);
            }
        };
    }
    let response = next.run(request).await;
    drop(place);
    response
}

/// A request whose message is one; else the answer that says why not.
async fn readable(request: Request) -> Result<Request, Box<Response>> {
    let (parts, body) = request.into_parts();
    let message = match Limited::new(body, MESSAGE_BYTES).collect().await {
        Ok(message) => message.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => return Err(Box::new(too_large())),
        Err(_) => {
            let why = "the message did not come in whole; send it again";
            return Err(Box::new(refused(StatusCode::BAD_REQUEST, why)));
        }
    };
    match sieve::refusal(&message) {
        Some(answer) => {
            let kind = [(header::CONTENT_TYPE, "application/json")];
            Err(Box::new((StatusCode::BAD_REQUEST, kind, answer.to_string()).into_response()))
        }
        None => Ok(Request::from_parts(parts, Body::from(message))),
    }
}

fn too_large() -> Response {
    let why = format!(
        "the message is larger than {} bytes, the limit; send a shorter text, or use the command `sonometer` with a file",
        grouped(MESSAGE_BYTES)
    );
    refused(StatusCode::PAYLOAD_TOO_LARGE, &why)
}

/// Compares in a time that does not tell how much of it was right.
fn knows(headers: &HeaderMap, token: &str) -> bool {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let given = match (all.next(), all.next()) {
        (Some(value), None) => value.to_str().ok(),
        // Of several tokens none counts.
        _ => None,
    };
    let given = given
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let given = given.map_or("", |(_, token)| token.trim());
    let differ = given.bytes().zip(token.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == token.len() && differ == 0
}

fn refused(status: StatusCode, why: &str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{why}\n")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::task::JoinHandle;

    #[test]
    fn a_token_is_right_as_a_whole() {
        let knows = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, value.parse().expect("a header"));
            super::knows(&headers, "secret")
        };
        assert!(knows("Bearer secret") && knows("bearer  secret "));
        for wrong in
            ["secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Bearer Secret", "Basic secret"]
        {
            assert!(!knows(wrong), "{wrong}");
        }
        assert!(!super::knows(&HeaderMap::new(), "secret"));
        let mut twice = HeaderMap::new();
        for value in ["Bearer secret", "Bearer other"] {
            twice.append(header::AUTHORIZATION, value.parse().expect("a header"));
        }
        assert!(!super::knows(&twice, "secret"), "of two tokens none counts");
    }

    #[tokio::test]
    async fn a_message_that_cannot_be_served_is_answered_with_its_id() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let address = listener.local_addr().expect("is bound");
        let bench = Arc::new(Bench::new(crate::Own::default()));
        let serving =
            tokio::spawn(serve(bench, listener, "secret", Times::default(), std::future::pending()));
        for (message, id, code, told) in [
            ("not json", "null", -32700, "is not JSON: expected ident at line 1 column 2;"),
            (
                r#"{"jsonrpc":"2.0","id":7,"text":"\ud83d"}"#,
                "7",
                -32700,
                "is not JSON: unexpected end of hex escape",
            ),
            (
                r#"{"id":"a","method":"ping"}"#,
                "\"a\"",
                -32600,
                "is no request: `jsonrpc` is not \"2.0\"; write {",
            ),
            (
                r#"{"jsonrpc":"2.0","id":8,"method":"ping","params":[]}"#,
                "8",
                -32600,
                "`params` is not an object; write {",
            ),
            (
                r#"[{"jsonrpc":"2.0","id":9,"method":"ping"}]"#,
                "null",
                -32600,
                "each message has to be sent by itself",
            ),
        ] {
            let mut socket = TcpStream::connect(address).await.expect("connects");
            let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer secret\r\nconnection: close\r\n";
            let request = format!("{head}content-length: {}\r\n\r\n{message}", message.len());
            socket.write_all(request.as_bytes()).await.expect("sends");
            let mut answer = String::new();
            socket.read_to_string(&mut answer).await.expect("is UTF-8");
            let (head, body) = answer.split_once("\r\n\r\n").expect("has a head");
            assert!(head.starts_with("HTTP/1.1 400"), "{answer}");
            let said: serde_json::Value = serde_json::from_str(body).expect("is JSON");
            assert_eq!(
                (said["id"].to_string().as_str(), &said["error"]["code"]),
                (id, &code.into()),
                "{said}"
            );
            assert!(
                said["error"]["message"].as_str().is_some_and(|message| message.contains(told)),
                "{said}"
            );
        }
        serving.abort();
    }

    /// Its client sends the next one on the same connection.
    #[tokio::test]
    async fn a_request_without_the_token_leaves_its_connection_open() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let address = listener.local_addr().expect("is bound");
        let bench = Arc::new(Bench::new(crate::Own::default()));
        let serving =
            tokio::spawn(serve(bench, listener, "secret", Times::default(), std::future::pending()));
        let mut socket = TcpStream::connect(address).await.expect("connects");
        let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer secrets\r\ncontent-length: 2\r\n\r\n";
        for _ in 0..2 {
            socket.write_all(head.as_bytes()).await.expect("sends");
            sleep(Duration::from_millis(50)).await;
            socket.write_all(b"{}").await.expect("sends");
            let (mut answer, mut part) = (String::new(), [0; 1_024]);
            while !answer.ends_with("printed\n") {
                let count = socket.read(&mut part).await.expect("reads");
                assert!(count > 0, "the connection ended: {answer}");
                answer.push_str(std::str::from_utf8(&part[..count]).expect("is UTF-8"));
            }
            assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
        }
        serving.abort();
    }

    /// The head of a request that never ends, and a body.
    #[tokio::test]
    async fn a_stop_waits_for_no_connection_for_ever() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let address = listener.local_addr().expect("is bound");
        let (ask, asked) = oneshot::channel::<()>();
        let stop = async {
            let _ = asked.await;
        };
        let bench = Arc::new(Bench::new(crate::Own::default()));
        let times = Times { drain: Duration::from_millis(100), ..Times::default() };
        let serving = tokio::spawn(serve(bench, listener, "secret", times, stop));
        let mut open = Vec::new();
        let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\n";
        let body = format!("{head}authorization: Bearer secret\r\ncontent-length: 9\r\n\r\n{{");
        for half in [head, &body] {
            let mut socket = TcpStream::connect(address).await.expect("connects");
            socket.write_all(half.as_bytes()).await.expect("sends");
            open.push(socket);
        }
        sleep(Duration::from_millis(100)).await;
        ask.send(()).expect("is asked");
        let ended = timeout(Duration::from_secs(10), serving).await.expect("ends in time");
        ended.expect("is no panic").expect("serves");
    }

    /// A server whose clients may keep it waiting for a moment only.
    async fn impatient() -> (SocketAddr, JoinHandle<std::io::Result<()>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let address = listener.local_addr().expect("is bound");
        let moment = Duration::from_millis(100);
        let times = Times { head: moment, message: moment, stalled: moment, ..Times::default() };
        let bench = Arc::new(Bench::new(crate::Own::default()));
        (address, tokio::spawn(serve(bench, listener, "secret", times, std::future::pending())))
    }

    /// A client without the token that asks on and on and reads no answer.
    #[tokio::test]
    async fn a_client_that_reads_nothing_loses_its_connection() {
        let (address, serving) = impatient().await;
        let mut socket = TcpStream::connect(address).await.expect("connects");
        let asks = b"GET /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(100);
        let ended = async { while socket.write_all(&asks).await.is_ok() {} };
        timeout(Duration::from_secs(60), ended).await.expect("is ended");
        serving.abort();
    }

    #[tokio::test]
    async fn a_client_that_sends_no_head_is_let_go() {
        let (address, serving) = impatient().await;
        for half in ["", "POST /mcp HTTP/1.1\r\nhost: localhost\r\n"] {
            let mut socket = TcpStream::connect(address).await.expect("connects");
            socket.write_all(half.as_bytes()).await.expect("sends");
            let mut rest = Vec::new();
            let ended = timeout(Duration::from_secs(60), socket.read_to_end(&mut rest)).await;
            ended.expect("is ended").expect("ends in good order");
        }
        serving.abort();
    }

    /// More of them than there are places: who comes after them is answered.
    #[tokio::test]
    async fn messages_that_never_end_hold_no_place() {
        let (address, serving) = impatient().await;
        let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer secret\r\n";
        let mut open = Vec::new();
        for _ in 0..WAITING_OF_ALL {
            let mut socket = TcpStream::connect(address).await.expect("connects");
            let half = format!("{head}content-length: 9\r\n\r\n{{");
            socket.write_all(half.as_bytes()).await.expect("sends");
            open.push(socket);
        }
        for mut socket in open {
            let mut answer = String::new();
            let read = timeout(Duration::from_secs(60), socket.read_to_string(&mut answer)).await;
            read.expect("is answered").expect("is UTF-8");
            assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
            assert!(answer.contains("did not come in whole in time; send it again"), "{answer}");
        }
        serving.abort();
    }
}
