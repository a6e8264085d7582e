//! Pages of other origins: those in the list may call, all others see no answer. Tokens are sent in a header by the page
//! itself, so cookies and other credentials of a browser are never allowed, and `*` is never sent.

use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, Response, StatusCode};

const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");
const HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, idempotency-key, last-event-id, traceparent, x-request-id",
);
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "idempotency-replayed, retry-after, x-ics-consumed, x-ics-remaining, x-ratelimit-limit, x-ratelimit-remaining, \
     x-ratelimit-reset, x-request-id",
);
/// For how many seconds a browser need not ask again.
const REMEMBERED: HeaderValue = HeaderValue::from_static("600");

/// Whether a text is an origin.
///
/// # Errors
/// What to write instead.
pub fn origin(text: &str) -> Result<(), String> {
    let wrong = || {
        format!(
            "`{text}` is not an origin; write for example https://app.example.com, without a path and without `*`"
        )
    };
    let url = url::Url::parse(text).map_err(|_| wrong())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong());
    }
    // Browsers send the name in small letters, without a usual port and without a slash behind.
    let sent = url.origin().ascii_serialization();
    let written = || format!("`{text}` is not an origin as browsers send it; write {sent}");
    if sent == text { Ok(()) } else { Err(written()) }
}

/// The origin of a request, if it is in the list.
pub(crate) fn allowed<'h>(headers: &'h HeaderMap, origins: &[String]) -> Option<&'h HeaderValue> {
    let said = headers.get(header::ORIGIN)?;
    origins.iter().any(|origin| origin.as_bytes() == said.as_bytes()).then_some(said)
}

/// The answer to a browser that asks before it calls (a preflight).
pub(crate) fn preflight(method: &Method, headers: &HeaderMap) -> Option<Response<Body>> {
    let asks = *method == Method::OPTIONS && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    asks.then(|| {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let own = response.headers_mut();
        own.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        own.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
        own.insert(header::ACCESS_CONTROL_MAX_AGE, REMEMBERED);
        own.insert(HeaderName::from_static("cache-control"), HeaderValue::from_static("no-store"));
        response
    })
}

/// Lets the page of an origin read an answer.
pub(crate) fn open(response: &mut Response<Body>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_a_scheme_a_host_and_a_port() {
        for good in ["https://app.example.com", "http://localhost:5173", "https://a.example:8443"] {
            assert_eq!(origin(good), Ok(()), "{good}");
        }
        for bad in [
            "*",
            "null",
            "https://a.example/",
            "https://a.example:443",
            "a.example",
            "ftp://a",
            "https://A.example",
        ] {
            assert!(origin(bad).is_err(), "{bad}");
        }
        for written in ["https://A.example", "https://a.example/", "https://a.example:443/page"] {
            let told = format!("`{written}` is not an origin as browsers send it; write https://a.example");
            assert_eq!(origin(written), Err(told));
        }
    }
}
