//! From an answer or a refusal to a response.

use axum::body::Body;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode};
use sonometer_service::bill::Format;
use sonometer_service::rate::Window;
use sonometer_service::{Code, Refusal};

/// The status of a code.
pub(crate) fn status(code: Code) -> StatusCode {
    match code {
        Code::InvalidRequest => StatusCode::BAD_REQUEST,
        Code::Unauthorized => StatusCode::UNAUTHORIZED,
        Code::QuotaExhausted => StatusCode::PAYMENT_REQUIRED,
        Code::Forbidden | Code::AccessDenied | Code::PasswordInvalid => StatusCode::FORBIDDEN,
        Code::TargetNotFound | Code::JobNotFound | Code::DiveNotFound | Code::NotFound => {
            StatusCode::NOT_FOUND
        }
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
        Code::IdempotencyConflict | Code::AttemptsExhausted | Code::DiveClosed | Code::TurnConflict => {
            StatusCode::CONFLICT
        }
        Code::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Code::InsufficientSignal | Code::ActionTooLong => StatusCode::UNPROCESSABLE_ENTITY,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// A response with a body of some type.
pub(crate) fn body(
    status: StatusCode,
    media: &'static str,
    body: String,
    request_id: &str,
) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    text(&mut response, HeaderName::from_static("x-request-id"), request_id);
    response
}

/// A response without anything in it: who asked knows all there is.
pub(crate) fn nothing(request_id: &str) -> Response<Body> {
    let mut response = body(StatusCode::NO_CONTENT, "", String::new(), request_id);
    response.headers_mut().remove(header::CONTENT_TYPE);
    response
}

/// A response that leads to another path.
pub(crate) fn leads_to(path: &'static str, request_id: &str) -> Response<Body> {
    let mut response = nothing(request_id);
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static(path));
    response
}

/// A response in JSON.
pub(crate) fn json(text: String, request_id: &str) -> Response<Body> {
    body(StatusCode::OK, "application/json", text, request_id)
}

/// A response that is sent bit by bit.
pub(crate) fn stream(events: Body, was_told: bool, request_id: &str) -> Response<Body> {
    let mut response = body(StatusCode::OK, "text/event-stream; charset=utf-8", String::new(), request_id);
    *response.body_mut() = events;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Or a proxy would collect the events first.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    if was_told {
        replayed(&mut response);
    }
    response
}

/// A response that is a file, sent piece by piece.
pub(crate) fn export(rows: Body, format: Format, request_id: &str) -> Response<Body> {
    let mut response = body(StatusCode::OK, format.media(), String::new(), request_id);
    *response.body_mut() = rows;
    let name = format!("attachment; filename=\"usage.{}\"", format.as_str());
    text(&mut response, header::CONTENT_DISPOSITION, &name);
    response
}

/// The header of an answer that was given before.
pub(crate) fn replayed(response: &mut Response<Body>) {
    let name = HeaderName::from_static("idempotency-replayed");
    response.headers_mut().insert(name, HeaderValue::from_static("true"));
}

/// The envelope of a refusal.
pub(crate) fn refusal(refusal: &Refusal, request_id: &str) -> Response<Body> {
    let mut response =
        body(status(refusal.code), "application/json", refusal.to_json(request_id), request_id);
    if refusal.retry_after > 0 {
        number(&mut response, header::RETRY_AFTER, refusal.retry_after);
    }
    match refusal.code {
        Code::Unauthorized => {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        // What is left of the request is not read.
        Code::PayloadTooLarge | Code::RequestTimeout => {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        _ => {}
    }
    response
}

/// The headers that tell the rate limit.
pub(crate) fn window(response: &mut Response<Body>, window: Window) {
    number(response, HeaderName::from_static("x-ratelimit-limit"), window.limit);
    number(response, HeaderName::from_static("x-ratelimit-remaining"), window.remaining);
    number(response, HeaderName::from_static("x-ratelimit-reset"), u64::try_from(window.reset).unwrap_or(0));
}

/// The headers that tell what was consumed.
pub(crate) fn ics(response: &mut Response<Body>, consumed: Option<u64>, remaining: u64) {
    if let Some(consumed) = consumed {
        number(response, HeaderName::from_static("x-ics-consumed"), consumed);
    }
    number(response, HeaderName::from_static("x-ics-remaining"), remaining);
}

fn number(response: &mut Response<Body>, name: HeaderName, value: u64) {
    response.headers_mut().insert(name, HeaderValue::from(value));
}

fn text(response: &mut Response<Body>, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
