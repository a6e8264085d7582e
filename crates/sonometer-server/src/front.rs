//! What stands before every answer, those that no endpoint gives included: who calls, pages of other origins, and one line in
//! the log. The line holds no content, no tokens, and nothing of the query of an address.

use crate::control::Control;
use crate::{cors, network, spans};
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::Response;
use axum::http::header::{HeaderMap, HeaderValue, VARY};
use axum::middleware::Next;
use std::net::IpAddr;
use std::time::Instant;
use tracing::Instrument;

/// The address of the connection; put there when it is accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Who calls, as far as proxies are believed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client(pub(crate) IpAddr);

/// What an endpoint knows of its request; goes to the log with the answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) route: &'static str,
    pub(crate) org: Option<String>,
    pub(crate) token: Option<String>,
    pub(crate) consumed: u64,
}

/// So much of a path stands in the log.
const PATH_CHARACTERS: usize = 200;

/// The trace that a request belongs to, by its `traceparent` (W3C Trace Context).
fn trace(headers: &HeaderMap) -> Option<&str> {
    let said = headers.get("traceparent")?.to_str().ok()?;
    let mut parts = said.split('-');
    let (version, trace, parent) = (parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, digits: usize| {
        text.len() == digits && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    let is_good = is_hex(version, 2) && version != "ff" && is_hex(trace, 32) && is_hex(parent, 16);
    (is_good && trace.bytes().any(|b| b != b'0')).then_some(trace)
}

/// Answers a request by what stands behind, and logs it.
pub(crate) async fn front(
    State(control): State<Control>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let began = Instant::now();
    let live = control.live();
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
    let client = peer.map(|peer| network::client(peer, request.headers(), &live.proxies));
    if let Some(client) = client {
        request.extensions_mut().insert(Client(client));
    }
    let trace = trace(request.headers()).map(str::to_owned);
    let method = request.method().clone();
    let span = spans::request(&method, request.headers());
    let path: String = request.uri().path().chars().take(PATH_CHARACTERS).collect();
    let origin = cors::allowed(request.headers(), &live.origins).cloned();
    let preflight = origin.as_ref().and_then(|_| cors::preflight(&method, request.headers()));
    let mut response = match preflight {
        Some(answer) => answer,
        None => next.run(request).instrument(span.clone()).await,
    };
    if !live.origins.is_empty() {
        response.headers_mut().append(VARY, HeaderValue::from_static("Origin"));
    }
    if let Some(origin) = origin {
        cors::open(&mut response, origin);
    }
    let known = response.extensions_mut().remove::<Known>().unwrap_or_default();
    let request_id = response.headers().get("x-request-id").and_then(|id| id.to_str().ok());
    let status = response.status().as_u16();
    let (route, org, consumed) = (known.route, known.org.as_deref(), known.consumed);
    spans::Answered { method: &method, route, status, request_id, org, consumed }.note(&span);
    tracing::info!(
        request_id,
        trace_id = trace,
        client = client.map(|client| client.to_string()),
        method = method.as_str(),
        path,
        route = Some(known.route).filter(|route| !route.is_empty()),
        status,
        // That of a stream is not known before its end.
        bytes = response.body().size_hint().exact(),
        micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX),
        org = known.org,
        token = known.token,
        consumed = known.consumed,
        "answered"
    );
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_of_a_request_is_taken_over_if_it_is_one() {
        let of = |said: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("traceparent", HeaderValue::from_static(said));
            trace(&headers).map(str::to_owned)
        };
        let good = of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        assert_eq!(good.as_deref(), Some("4bf92f3577b34da6a3ce929d0e0e4736"));
        for bad in [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        ] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
