//! The wire of the workbench: the page, and its files, for one browser on this machine.
//!
//! Every web page can send requests to loopback. So the files are reached with a token only, which is in the address that the command
//! prints and nowhere else; and what asks under another host name, as a page does that rebinds its own, is refused.

use super::PAGE;
use super::files::Files;
use crate::failure::Failure;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// How often files are looked at.
const LOOK: Duration = Duration::from_millis(250);
/// How long an ask for changes waits for some.
const WAIT: Duration = Duration::from_secs(25);
const TOKEN: &str = "x-workbench-token";
/// As much as a protocol may have.
const MOST_WRITTEN: usize = crate::file::PROTOCOL;

/// What is served.
pub(super) struct Bench {
    files: Mutex<Files>,
    token: String,
    port: u16,
    /// Counts changes.
    changes: watch::Sender<u64>,
}

impl Bench {
    pub(super) fn new(files: Files, port: u16) -> Result<Self, Failure> {
        Ok(Self { files: Mutex::new(files), token: random()?, port, changes: watch::Sender::new(1) })
    }

    /// With the token.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?key={}", self.port, self.token)
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the files for ever.
    async fn follow(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            if self.files().refresh() {
                self.changes.send_modify(|state| *state += 1);
            }
        }
    }
}

/// Thirty-two hexadecimal digits that nobody can guess.
fn random() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::unusable(format!("no random numbers for a token: {error}")))?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

pub(super) fn serve(listener: TcpListener, bench: Arc<Bench>) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::unusable(format!("the workbench cannot be served: {error}"));
    listener.set_nonblocking(true).map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(failed)?.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
        let follower = Arc::clone(&bench);
        tokio::spawn(async move { follower.follow().await });
        axum::serve(listener, router(bench)).await.map_err(failed)
    })
}

fn router(bench: Arc<Bench>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/api/files", get(read).put(write))
        .route("/{*path}", get(part))
        .layer(DefaultBodyLimit::max(MOST_WRITTEN))
        .layer(from_fn_with_state(Arc::clone(&bench), only_here))
        .with_state(bench)
}

/// Refuses what was sent to another name than that of loopback.
async fn only_here(State(bench): State<Arc<Bench>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let own = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", bench.port));
    if !own.iter().any(|name| name == host) {
        return refused(StatusCode::FORBIDDEN, "open the address that `sonometer workbench` prints");
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, header::HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, header::HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    response
}

#[derive(Deserialize)]
struct Key {
    key: Option<String>,
}

/// The page, with its token, under a policy of its own.
async fn page(State(bench): State<Arc<Bench>>, Query(Key { key }): Query<Key>) -> Response {
    if key.as_deref() != Some(&*bench.token) {
        return refused(
            StatusCode::FORBIDDEN,
            "the address lacks its key, or has that of another run; open the address that `sonometer workbench` prints",
        );
    }
    let Ok(nonce) = random() else {
        return refused(StatusCode::INTERNAL_SERVER_ERROR, "no random numbers for the page; try again");
    };
    let html = found("index.html").map(|(bytes, _)| String::from_utf8_lossy(bytes)).unwrap_or_default();
    let token = format!("<meta name=\"workbench-token\" content=\"{}\">\n<title>", bench.token);
    let html =
        html.replacen("<title>", &token, 1).replace("<script ", &format!("<script nonce=\"{nonce}\" "));
    let policy = format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; \
         style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    (headers, html).into_response()
}

/// A file of the page by its name, and whether it is packed.
fn found(name: &str) -> Option<(&'static [u8], bool)> {
    let named = |wanted: &str| PAGE.iter().find(|(own, _)| *own == wanted).map(|(_, bytes)| *bytes);
    let plain = named(name).map(|bytes| (bytes, false));
    plain.or_else(|| named(&format!("{name}.gz")).map(|bytes| (bytes, true)))
}

/// What the page is made of, which is the same everywhere and no secret.
async fn part(Path(path): Path<String>) -> Response {
    let Some((bytes, packed)) = found(&path).filter(|_| path != "index.html") else {
        return refused(StatusCode::NOT_FOUND, "no such part of the page");
    };
    let kind = match path.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "text/plain; charset=utf-8",
    };
    let mut response = ([(header::CONTENT_TYPE, kind)], Body::from(bytes)).into_response();
    if packed {
        response.headers_mut().insert(header::CONTENT_ENCODING, header::HeaderValue::from_static("gzip"));
    }
    response
}

#[derive(Deserialize)]
struct Since {
    since: Option<u64>,
}

#[derive(Serialize)]
struct Told<'f> {
    state: u64,
    files: Vec<Named<'f>>,
}

#[derive(Serialize)]
struct Named<'f> {
    name: &'f str,
    text: &'f str,
}

/// The files; with `since`, once they have changed, or after a while.
async fn read(
    State(bench): State<Arc<Bench>>,
    Query(Since { since }): Query<Since>,
    headers: HeaderMap,
) -> Response {
    if let Err(response) = allowed(&bench, &headers) {
        return *response;
    }
    let mut changes = bench.changes.subscribe();
    if let Some(since) = since {
        // Running out of time is an answer too: nothing has changed.
        let _ = tokio::time::timeout(WAIT, changes.wait_for(|state| *state != since)).await;
    }
    let state = *changes.borrow();
    let files = bench.files();
    let told = Told { state, files: files.all().map(|(name, text)| Named { name, text }).collect() };
    ([(header::CONTENT_TYPE, "application/json")], crate::json::line(&told)).into_response()
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

/// Writes a protocol back.
async fn write(
    State(bench): State<Arc<Bench>>,
    Query(Name { name }): Query<Name>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Err(response) = allowed(&bench, &headers) {
        return *response;
    }
    let Ok(text) = std::str::from_utf8(&body) else {
        return refused(StatusCode::BAD_REQUEST, "the text is not UTF-8");
    };
    match bench.files().write(&name, text) {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(Failure::Told(told)) => refused(StatusCode::CONFLICT, &told.message),
        Err(Failure::PipeClosed) => refused(StatusCode::CONFLICT, "not written"),
    }
}

/// Whether an ask comes from the page.
fn allowed(bench: &Bench, headers: &HeaderMap) -> Result<(), Box<Response>> {
    let is_own = headers.get(TOKEN).is_some_and(|token| token.as_bytes() == bench.token.as_bytes());
    let why = "the token of this workbench is missing; open the address that `sonometer workbench` prints";
    if is_own { Ok(()) } else { Err(Box::new(refused(StatusCode::FORBIDDEN, why))) }
}

fn refused(status: StatusCode, why: &str) -> Response {
    (status, format!("{why}\n")).into_response()
}
