//! The span of a request, by the conventions of OpenTelemetry. A path that is no route may hold anything, and is not in it.

use axum::http::{HeaderMap, Method};
use sonometer_service::spans::SPANS;
use tracing::field::Empty;
use tracing::{Span, info_span};

/// The span of a request that has just come; part of the trace that its headers name, if spans are sent anywhere.
pub(crate) fn request(method: &Method, headers: &HeaderMap) -> Span {
    let span = info_span!(
        target: SPANS,
        parent: None,
        "request",
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = named(method),
        http.route = Empty,
        http.response.status_code = Empty,
        sonometer.request_id = Empty,
        sonometer.org = Empty,
        sonometer.ics = Empty,
    );
    #[cfg(feature = "otlp")]
    crate::otlp::adopt(&span, headers);
    #[cfg(not(feature = "otlp"))]
    let _ = headers;
    span
}

/// Methods that are known; any other is a text of the caller.
fn named(method: &Method) -> &'static str {
    const KNOWN: [&str; 9] = ["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH", "TRACE", "CONNECT"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("_OTHER")
}

/// What is known of a request once it is answered.
pub(crate) struct Answered<'a> {
    #[cfg_attr(
        not(feature = "otlp"),
        expect(dead_code, reason = "only spans that are sent have names of their own")
    )]
    pub(crate) method: &'a Method,
    pub(crate) route: &'static str,
    pub(crate) status: u16,
    pub(crate) request_id: Option<&'a str>,
    pub(crate) org: Option<&'a str>,
    pub(crate) consumed: u64,
}

impl Answered<'_> {
    /// Writes it into the span.
    pub(crate) fn note(&self, span: &Span) {
        if span.is_disabled() {
            return;
        }
        #[cfg(feature = "otlp")]
        crate::otlp::name(span, named(self.method), self.route);
        if !self.route.is_empty() {
            span.record("http.route", self.route);
        }
        span.record("http.response.status_code", self.status);
        span.record("sonometer.request_id", self.request_id);
        span.record("sonometer.org", self.org);
        span.record("sonometer.ics", self.consumed);
        if self.status >= 500 {
            span.record("otel.status_code", "error");
        }
    }
}
