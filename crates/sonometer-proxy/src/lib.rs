#![doc = include_str!("../README.md")]

mod answer;
mod apart;
mod bodies;
mod counts;
mod guards;
mod headers;
mod listen;
mod litellm;
mod observer;
mod tables;
mod upstream;

pub use counts::Counts;
pub use observer::Ended;
pub use sonometer_listen::STALLED;
pub use tables::TableKeys;
pub use upstream::{Upstream, WrongUpstream};

use apart::LARGE;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bodies::{NotWhole, Room};
use bytes::Bytes;
use guards::Guards;
use observer::{Observer, Trace};
use sonometer_guard::{Blocked, Exchange, Form, Guard, Kind, Report, Route, Unknown};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::timeout;

/// The header that names the policy: in answers the one that was used, in requests the one that the conversation began with.
pub const POLICY_HEADER: &str = "x-sonometer-guard";
/// The header with the sealed table of a conversation, in answers and in the requests that go on with them.
pub const TABLE_HEADER: &str = "x-sonometer-table";
/// How many bytes of bodies are held at the same time unless somebody sets another number ([`Proxy::hold`]).
pub const HELD: usize = 1 << 30;
/// Tells the SDKs whether to try again.
const RETRY: HeaderName = HeaderName::from_static("x-should-retry");
/// Where the counts are read.
const COUNTS: &str = "/sonometer/counts";
/// Where LiteLLM asks.
const LITELLM: &str = "/beta/litellm_basic_guardrail_api";

/// A proxy in front of one upstream.
#[derive(Clone, Debug)]
pub struct Proxy {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    guards: Guards,
    upstream: Upstream,
    counts: Counts,
    litellm: litellm::Calls,
    tables: RwLock<Option<Arc<TableKeys>>>,
    stalled: RwLock<Duration>,
    room: Room,
    observer: Observer,
}

impl Inner {
    /// Counts an exchange that is over, and reports it.
    fn ended(&self, report: &Report, policy: &str, trace: &Trace) {
        self.counts.add(report);
        self.observer.tell(report, policy, trace);
    }

    fn tables(&self) -> Option<Arc<TableKeys>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn stalled(&self) -> Duration {
        *self.stalled.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Proxy {
    /// A proxy that guards by one policy.
    pub fn new(upstream: Upstream, guard: Guard) -> Self {
        let inner = Inner {
            guards: Guards::new(guard),
            upstream,
            counts: Counts::default(),
            litellm: litellm::Calls::default(),
            tables: RwLock::default(),
            stalled: RwLock::new(STALLED),
            room: Room::new(HELD),
            observer: Observer::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Guards new conversations by another policy. Requests that name an earlier one in [`POLICY_HEADER`] go on with it, and so do
    /// answers that are under way.
    pub fn reload(&self, guard: Guard) {
        self.inner.guards.add(guard);
    }

    /// Seals the tables of placeholders with these keys from now on, in [`TABLE_HEADER`]; `None`: there is no such header.
    pub fn seal_tables(&self, keys: Option<TableKeys>) {
        *self.inner.tables.write().unwrap_or_else(PoisonError::into_inner) = keys.map(Arc::new);
    }

    /// Ends connections, from the next one on, whose client takes nothing of an answer for so long ([`STALLED`] without it). The request upstream ends with them.
    pub fn end_stalled(&self, after: Duration) {
        *self.inner.stalled.write().unwrap_or_else(PoisonError::into_inner) = after;
    }

    /// Holds at most so many bytes of bodies at the same time ([`HELD`] without it), beyond the first megabyte of each: requests, and answers that
    /// come whole. What has no room is refused with 503.
    pub fn hold(&self, bytes: usize) {
        self.inner.room.set(bytes);
    }

    /// Has each exchange reported when it is over, to a function that must not block. Only the first one is taken.
    pub fn observe(&self, observer: impl Fn(&Ended<'_>) + Send + Sync + 'static) {
        self.inner.observer.set(observer);
    }

    /// What was done so far.
    pub fn counts(&self) -> &Counts {
        &self.inner.counts
    }

    /// Serves until `stop` is ready; answers that are under way end first.
    ///
    /// # Errors
    /// Those of the listener.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        listen::serve(self, listener, stop).await;
        Ok(())
    }
}

async fn handle(proxy: Proxy, request: Request) -> Response {
    let inner = &proxy.inner;
    let (path, method) = (request.uri().path().to_owned(), request.method().clone());
    match (path.as_str(), &method) {
        (COUNTS, &Method::GET) => {
            return ([(header::CONTENT_TYPE, "application/json")], inner.counts.to_json()).into_response();
        }
        (LITELLM, &Method::POST) => return litellm::answer(inner, request).await,
        // What a client sends whose `HTTPS_PROXY` names this address. No tunnel would be read.
        (_, &Method::CONNECT) => {
            let message = "this address stands for the provider and makes no tunnels; give it as base URL, such as OPENAI_BASE_URL, not as HTTPS_PROXY";
            return failed(StatusCode::METHOD_NOT_ALLOWED, "no_tunnels", message, Form::Chat);
        }
        _ => {}
    }
    let route = Route::of(method.as_str(), &path);
    let blocks_unknown = inner.guards.newest().policy().unknown != Unknown::Pass;
    // Neither `OPTIONS` nor `DELETE` needs a body, so none is read; the upstream might read one.
    if route == Route::Open && !request.body().is_end_stream() {
        let form = match Route::of(Method::POST.as_str(), &path) {
            Route::Guarded(form) | Route::Stored(form) => Some(form),
            Route::Apart(form) if blocks_unknown => Some(form),
            _ => None,
        };
        if let Some(form) = form {
            let message =
                format!("`{method}` with a body, which the guard does not read; send it without one");
            return refuse(inner, &Blocked { kind: Kind::Unreadable, message, is_answer: false }, form);
        }
    }
    let (form, is_stored) = match route {
        Route::Guarded(form) => (form, false),
        Route::Stored(form) => (form, true),
        Route::Apart(form) if blocks_unknown => {
            let message = "this route gives or takes conversations that the guard does not read; set `unknown = \"pass\"` to let it through";
            let blocked = Blocked { kind: Kind::Unknown, message: message.to_owned(), is_answer: false };
            return refuse(inner, &blocked, form);
        }
        _ => return pass(inner, request).await,
    };
    guard(inner, request, form, is_stored).await
}

/// Passes a request and its answer through.
async fn pass(inner: &Inner, request: Request) -> Response {
    inner.counts.passed();
    let (parts, body) = request.into_parts();
    let headers = headers::forward(&parts.headers);
    match inner.upstream.send(parts.method, &parts.uri, headers, body).await {
        Ok(answer) => {
            let (parts, body) = answer.into_parts();
            let mut response = Response::new(Body::new(body));
            *response.status_mut() = parts.status;
            *response.headers_mut() = headers::forward(&parts.headers);
            response
        }
        Err(error) => unreachable_upstream(&error, Form::Chat),
    }
}

/// So long may the body of a request take to come in: it is read whole, and a client that stops in the middle would hold what has come.
const BODY: Duration = Duration::from_secs(300);

/// So long an upstream may send nothing of an answer that is guarded, and so long one that is read whole may take.
const ANSWER: Duration = Duration::from_secs(3_600);

/// So long is read on what is left of a body that is refused.
const REST: Duration = Duration::from_secs(10);

fn too_slow() -> String {
    format!("the body had not come in whole after {} seconds; send it again", BODY.as_secs())
}

/// Guards a request and its answer. `is_stored`: it asks for an answer that the provider has stored.
async fn guard(inner: &Arc<Inner>, request: Request, form: Form, is_stored: bool) -> Response {
    let (parts, mut body) = request.into_parts();
    if let Some(name) =
        [POLICY_HEADER, TABLE_HEADER].into_iter().find(|name| headers::differs(&parts.headers, name))
    {
        let message =
            format!("`{name}` stands in the request more than once, with different values; send it once");
        return refuse(inner, &Blocked { kind: Kind::Unreadable, message, is_answer: false }, form);
    }
    let Some(guard) = inner.guards.of(parts.headers.get(POLICY_HEADER)) else {
        let message =
            "the policy that this conversation began with is not loaded any more; begin a new conversation";
        let blocked = Blocked { kind: Kind::NoTable, message: message.to_owned(), is_answer: false };
        return refuse(inner, &blocked, form);
    };
    let most = guard.policy().limits.body_bytes;
    if headers::is_encoded(&parts.headers) {
        let blocked = Blocked {
            kind: Kind::Unreadable,
            message: "a compressed body; send it without content-encoding".to_owned(),
            is_answer: false,
        };
        return refuse(inner, &blocked, form);
    }
    if headers::is_other_charset(&parts.headers) {
        let message = "`content-type` names another charset than UTF-8; send the body as UTF-8".to_owned();
        return refuse(inner, &Blocked { kind: Kind::Unreadable, message, is_answer: false }, form);
    }
    let held = match inner.room.whole(&mut body, most, BODY).await {
        Ok(held) => held,
        Err(NotWhole::Slow) => {
            return failed(StatusCode::REQUEST_TIMEOUT, "body_too_slow", &too_slow(), form);
        }
        Err(wrong) => {
            // Most clients read no answer before they have sent all, and would meet a closed connection.
            sonometer_listen::drain(body, None, (most.saturating_mul(8), REST)).await;
            if wrong == NotWhole::NoRoom {
                return no_room(form);
            }
            let message = format!("a body that has more than {most} bytes (limits.body_bytes) or ends early");
            return refuse(inner, &Blocked { kind: Kind::TooLarge, message, is_answer: false }, form);
        }
    };
    let body = held.bytes.clone();
    let table = match parts.headers.get(TABLE_HEADER) {
        None => None,
        Some(sealed) => match inner.tables().and_then(|keys| keys.open(sealed, &parts.headers)) {
            Some(table) => Some(table),
            None => {
                let message = format!(
                    "`{TABLE_HEADER}` cannot be opened: it was changed, or is of another key or other credentials; begin a new conversation"
                );
                return refuse(inner, &Blocked { kind: Kind::NoTable, message, is_answer: false }, form);
            }
        },
    };
    let read = move |body: &[u8]| match &table {
        table if is_stored => guard.stored(table.as_ref(), form, body),
        Some(table) => guard.request_after(table, form, body),
        None => guard.request(form, body),
    };
    let exchange = if body.len() < LARGE {
        read(&body)
    } else {
        let work = tokio::task::spawn_blocking(move || read(&body));
        match work.await {
            Ok(exchange) => exchange,
            Err(_) => {
                Err(Blocked { kind: Kind::Engine, message: "the engine failed".to_owned(), is_answer: false })
            }
        }
    };
    drop(held);
    let mut exchange = match exchange {
        Ok(exchange) => exchange,
        Err(blocked) => return refuse(inner, &blocked, form),
    };
    inner.counts.guarded();
    let mut headers = headers::forward(&parts.headers);
    headers.remove(POLICY_HEADER);
    headers.remove(TABLE_HEADER);
    let table = sealed(inner, &exchange, &parts.headers);
    // Compressed answers could not be read.
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    let body = Body::from(exchange.take_body());
    let sent = inner.upstream.send(parts.method, &parts.uri, headers, body);
    let Ok(answer) = timeout(ANSWER, sent).await else {
        let message = format!("the upstream sent nothing for {} seconds", ANSWER.as_secs());
        return failed(StatusCode::GATEWAY_TIMEOUT, "upstream_silent", &message, form);
    };
    match answer {
        Ok(answer) => {
            let trace = Trace::of(&parts.headers);
            let mut answer = answer::guarded(inner, exchange, trace, answer, most).await;
            if let Some(table) = table {
                answer.headers_mut().insert(TABLE_HEADER, table);
            }
            answer
        }
        Err(error) => unreachable_upstream(&error, form),
    }
}

/// The table of an exchange, where there are keys that seal it. Requests without credentials have none: nothing would keep one
/// client from the table of another.
fn sealed(inner: &Inner, exchange: &Exchange, request: &HeaderMap) -> Option<HeaderValue> {
    let keys = inner.tables().filter(|keys| !keys.is_bound() || tables::has_credentials(request))?;
    let table = exchange.table();
    // Of a conversation that may go on by its id, also one without values so far: without it, the next request would be refused.
    if table.is_empty() && exchange.form() != Form::Responses { None } else { keys.seal(&table, request) }
}

/// What is refused is reported in the form of the provider.
fn refuse(inner: &Inner, blocked: &Blocked, form: Form) -> Response {
    inner.counts.blocked(blocked.kind);
    let (status, body) = blocked.answer(form);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    let mut response = (status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
    // Another try would be refused too, and paid for, unless the upstream only broke off.
    if blocked.kind != Kind::Cut {
        response.headers_mut().insert(RETRY, HeaderValue::from_static("false"));
    }
    response
}

fn unreachable_upstream(error: &upstream::SendError, form: Form) -> Response {
    // The first error says only in which step it happened; why stands in those below.
    let first: &(dyn std::error::Error + 'static) = error;
    let all = std::iter::successors(Some(first), |error| error.source()).map(ToString::to_string);
    let message = format!("the upstream cannot be reached: {}", all.collect::<Vec<_>>().join(": "));
    failed(StatusCode::BAD_GATEWAY, "upstream_unreachable", &message, form)
}

/// Clients may try again a little later.
fn no_room(form: Form) -> Response {
    let message = "many large bodies wait to be read; send it again in a moment";
    let mut response = failed(StatusCode::SERVICE_UNAVAILABLE, "no_room", message, form);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// What went wrong on the way, as an error of the provider.
fn failed(status: StatusCode, code: &str, message: &str, form: Form) -> Response {
    let message = serde_json::Value::from(message);
    let body = match form {
        Form::Messages => {
            format!("{{\"type\":\"error\",\"error\":{{\"type\":\"api_error\",\"message\":{message}}}}}")
        }
        _ => format!(
            "{{\"error\":{{\"message\":{message},\"type\":\"api_error\",\"param\":null,\"code\":\"{code}\"}}}}"
        ),
    };
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// Adds headers that say what was done so far.
fn report(exchange: &Exchange, headers: &mut HeaderMap) {
    let all = exchange.report().headers();
    let all = all.into_iter().chain([(POLICY_HEADER, exchange.digest().to_owned())]);
    for (name, value) in all {
        if let Ok(value) = value.parse() {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}

/// Bytes of a body.
type Chunk = Result<Bytes, std::io::Error>;
