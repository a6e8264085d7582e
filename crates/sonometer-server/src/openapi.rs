//! The OpenAPI 3.1 document, made of the same list as the router and of the shapes by which bodies are checked.

use crate::respond::status;
use crate::routes::{ENDPOINTS, Endpoint, Token};
use crate::schemas;
use serde_json::{Map, Value, json};
use sonometer_service::Code;
use std::sync::LazyLock;

/// The document.
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(write);
    &DOCUMENT
}

fn write() -> Value {
    let mut paths = Map::new();
    for endpoint in ENDPOINTS {
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        path[endpoint.method.to_lowercase()] = operation(endpoint);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Sonometer",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Deterministic sensing of interactions. The same input, protocol and profile give the same bytes.",
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas::components(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    })
}

/// What an endpoint may refuse.
pub(crate) fn refusals(endpoint: &Endpoint) -> Vec<Code> {
    let mut codes = endpoint.refuses.to_vec();
    match endpoint.token {
        Token::Required(Some(_)) => codes.extend([Code::Unauthorized, Code::Forbidden, Code::RateLimited]),
        Token::Required(None) | Token::Optional => codes.extend([Code::Unauthorized, Code::RateLimited]),
        Token::Ignored => {}
    }
    codes.extend([Code::InvalidRequest, Code::Internal, Code::Unavailable]);
    if endpoint.body.is_some() {
        codes.extend([Code::RequestTimeout, Code::PayloadTooLarge, Code::UnsupportedMediaType]);
    }
    codes.sort_by_key(|code| (status(*code).as_u16(), code.as_str()));
    codes
}

fn header(about: &str) -> Value {
    json!({"description": about, "schema": {"type": "integer", "minimum": 0}})
}

/// The headers of every answer of an endpoint.
pub(crate) fn headers(endpoint: &Endpoint) -> Vec<(&'static str, &'static str)> {
    let mut headers = Vec::new();
    if matches!(endpoint.token, Token::Required(_)) {
        headers.extend([
            ("X-RateLimit-Limit", "Requests in a window at most."),
            ("X-RateLimit-Remaining", "Requests left in the window."),
            ("X-RateLimit-Reset", "When the next window begins, in seconds since 1970."),
        ]);
    }
    if endpoint.sensing {
        headers.extend([
            ("X-ICS-Consumed", "ICS consumed by this request."),
            ("X-ICS-Remaining", "ICS left of the quota of the period."),
        ]);
    }
    headers
}

fn operation(endpoint: &Endpoint) -> Value {
    let own: Map<String, Value> =
        headers(endpoint).into_iter().map(|(name, about)| (name.to_owned(), header(about))).collect();
    let media = match endpoint.path {
        "/metrics" => json!({"application/openmetrics-text": {"schema": {"type": "string"}}}),
        "/api/v1/sense/stream" => json!({"text/event-stream": {"schema": {"type": "string"}}}),
        "/docs" => json!({"text/html": {"schema": {"type": "string"}}}),
        _ if endpoint.answer == "Sense" || schemas::components().get(endpoint.answer).is_some() => {
            json!({"application/json": {"schema": schemas::reference(endpoint.answer)}})
        }
        _ => json!({"application/json": {"schema": {"type": "object"}}}),
    };
    let mut responses = Map::new();
    responses
        .insert("200".to_owned(), json!({"description": endpoint.about, "headers": &own, "content": media}));
    if !endpoint.later.is_empty() {
        let content = json!({"application/json": {"schema": schemas::reference(endpoint.later)}});
        let about = "A job was made; ask for it at `poll_url`.";
        responses.insert("202".to_owned(), json!({"description": about, "headers": own, "content": content}));
    }
    for code in refusals(endpoint) {
        let entry = responses.entry(status(code).as_str()).or_insert_with(|| {
            let mut headers = Map::new();
            if code == Code::RateLimited {
                headers.insert("Retry-After".to_owned(), header("Seconds to wait."));
            }
            let schema = schemas::error_reference();
            json!({"description": "", "headers": headers, "content": {"application/json": {"schema": schema}}})
        });
        let about = entry["description"].as_str().unwrap_or_default();
        let about = if about.is_empty() {
            format!("`{}`", code.as_str())
        } else {
            format!("{about}, `{}`", code.as_str())
        };
        entry["description"] = json!(about);
    }
    let mut parameters = Vec::new();
    if endpoint.path.contains("{id}") {
        parameters.push(json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string", "minLength": 1}}));
    }
    for name in endpoint.query {
        parameters.push(json!({"name": name, "in": "query", "required": false, "schema": parameter(name)}));
    }
    if endpoint.repeatable {
        let schema = json!({"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"});
        let about = "A repetition with the same key and body gets the same answer and costs nothing.";
        parameters.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": false, "schema": schema, "description": about,
        }));
    }
    let mut operation = json!({
        "operationId": endpoint.method.to_lowercase() + "_" + &endpoint.path.trim_start_matches("/api/v1/").replace(['/', '{', '}', '.'], "_"),
        "summary": endpoint.about,
        "responses": responses,
        "parameters": parameters,
    });
    operation["security"] = match endpoint.token {
        Token::Required(_) => json!([{"token": []}]),
        Token::Optional => json!([{}, {"token": []}]),
        Token::Ignored => json!([]),
    };
    if let Some(shape) = endpoint.body {
        operation["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": shape().schema()}}});
    }
    operation
}

fn parameter(name: &str) -> Value {
    match name {
        "limit" => json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 20}),
        "offset" => json!({"type": "integer", "minimum": 0, "maximum": 1_u64 << 53, "default": 0}),
        "status" => json!({"type": "string", "enum": ["published", "draft", "all"], "default": "published"}),
        "taxonomy" => {
            json!({"type": "string", "enum": ["Policy", "Critical_Thinking", "Good_Practice", "Signal"]})
        }
        "period" => {
            json!({"type": "string", "pattern": "^(19[789]|[2-8][0-9]{2}|9[0-8][0-9])[0-9]-(0[1-9]|1[0-2])$"})
        }
        _ => json!({"type": "string", "minLength": 1}),
    }
}
