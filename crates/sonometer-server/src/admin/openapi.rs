//! The OpenAPI document of the administration, made of the same list as its router.

use super::answers;
use super::routes::{Act, ENDPOINTS, Endpoint};
use crate::openapi::{Header, frame, name, rate_headers, request_id_parameter, responses_of, written};
use crate::schemas;
use serde_json::{Value, json};
use sonometer_service::Code;
use sonometer_service::text::TEXT;
use std::sync::LazyLock;

/// The document.
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(write);
    &DOCUMENT
}

fn write() -> Value {
    let about = "Organizations, tokens, secrets, notifications, what is published, and the audit log. Every token needs the scope \
                 `admin`.";
    let operations = ENDPOINTS.iter().map(|endpoint| (endpoint.path, endpoint.method, operation(endpoint)));
    let schemas = json!({"Error": schemas::components()["Error"]});
    frame("Sonometer administration", about, operations, schemas)
}

/// The headers of the answers of an endpoint, beside the id of the request.
fn headers(endpoint: &Endpoint) -> Vec<Header> {
    if endpoint.is_open() { Vec::new() } else { rate_headers(true).into() }
}

fn refusals(endpoint: &Endpoint) -> Vec<Code> {
    let mut codes = vec![Code::Internal, Code::Unavailable];
    if !endpoint.is_open() {
        codes.extend([Code::InvalidRequest, Code::Unauthorized, Code::Forbidden, Code::RateLimited]);
    }
    if matches!(endpoint.act, Act::Do(task) if task.body().is_some()) {
        codes.extend([Code::RequestTimeout, Code::PayloadTooLarge, Code::UnsupportedMediaType]);
    }
    codes
}

fn parameters(endpoint: &Endpoint) -> Vec<Value> {
    let in_path = endpoint.parameters().map(|name| {
        json!({"name": name, "in": "path", "required": true, "schema": {"type": "string", "minLength": 1, "pattern": TEXT}})
    });
    let query = match endpoint.act {
        Act::Do(task) => task.query(),
        _ => &[],
    };
    let in_query = query.iter().map(|name| {
        let (about, schema) = match *name {
            "limit" => (
                "The most items.",
                json!({"type": "integer", "minimum": 1, "maximum": 1_000, "default": 100}),
            ),
            "org" => ("Of this organization only.", json!({"type": "string", "pattern": TEXT})),
            _ => ("Older than the line with this id.", json!({"type": "string", "pattern": TEXT})),
        };
        json!({"name": name, "in": "query", "required": false, "description": about, "schema": schema})
    });
    in_path.chain(in_query).chain([request_id_parameter()]).collect()
}

fn operation(endpoint: &Endpoint) -> Value {
    let schema = match endpoint.act {
        Act::Do(task) => answers::of(task),
        Act::Reload => answers::reloaded(),
        Act::Document | Act::Healthy => json!({"type": "object"}),
    };
    let own = headers(endpoint);
    let mut responses = responses_of(refusals(endpoint), &own);
    let content = json!({"application/json": {"schema": schema}});
    let good = json!({"description": endpoint.about, "headers": written(&own, false), "content": content});
    responses.insert("200".to_owned(), good);
    let name = match endpoint.act {
        Act::Do(task) => name(task),
        act => name(act),
    };
    let mut operation = json!({
        "operationId": name,
        "summary": endpoint.about,
        "parameters": parameters(endpoint),
        "responses": responses,
        "security": if endpoint.is_open() { json!([]) } else { json!([{"token": []}]) },
    });
    if let Act::Do(task) = endpoint.act
        && let Some(shape) = task.body()
    {
        let schema = shape.schema();
        let required = schema.get("required").is_some();
        operation["requestBody"] =
            json!({"required": required, "content": {"application/json": {"schema": schema}}});
    }
    operation
}
