//! The id of a request: that of the client if it sends a harmless one, so that both logs have the same; else a new one.

use axum::http::HeaderMap;
use sonometer_service::Service;
use sonometer_service::cause::{REQUEST_ID, is_request_id};

/// The id of a request with these headers. One that is sent twice is none.
pub(crate) fn of(headers: &HeaderMap, service: &Service) -> String {
    let mut all = headers.get_all(REQUEST_ID).iter();
    let sent = match (all.next(), all.next()) {
        (Some(value), None) => value.to_str().ok().filter(|id| is_request_id(id)),
        _ => None,
    };
    sent.map_or_else(|| service.id("req"), str::to_owned)
}
