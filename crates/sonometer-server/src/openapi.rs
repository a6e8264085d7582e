//! The OpenAPI 3.1 document, made of the same list as the router and of the shapes by which bodies are checked.

use crate::parts::{self, of_request};
use crate::respond::status;
use crate::routes::{Act, ENDPOINTS, Endpoint, Token};
use crate::{examples, schemas};
use serde_json::{Map, Value, json};
use sonometer_service::Code;
use sonometer_service::bill::Format;
use sonometer_service::cause::REQUEST_ID;
use sonometer_service::text::{ID_AND_VERSION, TEXT};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The document.
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(write);
    &DOCUMENT
}

fn write() -> Value {
    let about =
        "Deterministic sensing of interactions. The same input, protocol and profile give the same bytes.";
    let operations = ENDPOINTS.iter().map(|endpoint| (endpoint.path, endpoint.method, operation(endpoint)));
    let mut document = frame("Sonometer", about, operations, schemas::components());
    let tags = Act::FAMILIES.map(|(name, about)| json!({"name": name, "description": about}));
    document["tags"] = json!(tags);
    document
}

/// A document with these operations, each with its path and method, and the schemas that they name.
pub(crate) fn frame(
    title: &str,
    about: &str,
    operations: impl Iterator<Item = (&'static str, &'static str, Value)>,
    schemas: Value,
) -> Value {
    let mut paths = Map::new();
    for (path, method, operation) in operations {
        let path = paths.entry(path).or_insert_with(|| json!({}));
        path[method.to_lowercase()] = operation;
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {"title": title, "version": env!("CARGO_PKG_VERSION"), "description": about},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    });
    parts::gather(&mut document);
    document
}

/// What an endpoint may refuse.
pub(crate) fn refusals(endpoint: &Endpoint) -> Vec<Code> {
    let mut codes = endpoint.refuses.to_vec();
    match endpoint.token {
        // Also without a scope: an account may take no requests at all.
        Token::Required(_) | Token::Optional => {
            codes.extend([Code::Unauthorized, Code::Forbidden, Code::RateLimited]);
        }
        Token::Ignored => {}
    }
    codes.extend([Code::InvalidRequest, Code::Internal, Code::Unavailable]);
    if endpoint.body.is_some() {
        codes.extend([Code::RequestTimeout, Code::PayloadTooLarge, Code::UnsupportedMediaType]);
    }
    codes.sort_by_key(|code| (status(*code).as_u16(), code.as_str()));
    codes
}

/// A header of answers.
pub(crate) struct Header {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    schema: Value,
    /// Whether it stands in every answer that is no refusal.
    always: bool,
}

/// The headers of the answers of an endpoint. What may be missing in a refusal is missing where it is not known whose request it is.
pub(crate) fn headers(endpoint: &Endpoint) -> Vec<Header> {
    let word = |name, about, always, schema| Header { name, about, schema, always };
    let mut headers = Vec::new();
    if endpoint.token != Token::Ignored {
        headers.extend(rate_headers(endpoint.token != Token::Optional));
    }
    if endpoint.sensing {
        headers.push(count("X-ICS-Remaining", "ICS left of the quota of the period.", true));
        if endpoint.act == Act::SenseStream {
            let no = json!({"type": "string", "const": "no"});
            headers.push(word("X-Accel-Buffering", "Asks proxies to pass events on at once.", true, no));
        } else {
            headers.push(count("X-ICS-Consumed", "ICS consumed by this request.", true));
        }
    }
    if endpoint.repeatable {
        let schema = json!({"type": "string", "const": "true"});
        let about = "The answer was given before, under the same `Idempotency-Key`.";
        headers.push(word("Idempotency-Replayed", about, false, schema));
    }
    headers
}

fn count(name: &'static str, about: &'static str, always: bool) -> Header {
    Header { name, about, schema: json!({"type": "integer", "minimum": 0}), always }
}

/// The headers of the rate limit.
pub(crate) fn rate_headers(always: bool) -> [Header; 3] {
    [
        count("X-RateLimit-Limit", "The most requests in a window.", always),
        count("X-RateLimit-Remaining", "Requests left in the window.", always),
        count("X-RateLimit-Reset", "When the next window begins, in seconds since 1970.", always),
    ]
}

/// Headers as the document has them, with that of the id of the request.
pub(crate) fn written(headers: &[Header], is_refusal: bool) -> Map<String, Value> {
    let about = "Names the request in the log of the service, in its charges and in errors: that of the client, or a new one.";
    let id = json!({"description": about, "required": true, "schema": request_id()});
    let own = headers.iter().map(|header| {
        let Header { name, about, schema, always } = header;
        (
            (*name).to_owned(),
            json!({"description": about, "required": *always && !is_refusal, "schema": schema}),
        )
    });
    own.chain([("X-Request-Id".to_owned(), id)]).collect()
}

fn good(endpoint: &Endpoint) -> Map<String, Value> {
    let plain = json!({"schema": {"type": "string"}});
    let media = match endpoint.act {
        Act::Figures => json!({"application/openmetrics-text": plain}),
        Act::Page => json!({"text/html": plain}),
        Act::Document => json!({"application/json": {"schema": {"type": "object"}}}),
        Act::ExportCharges => {
            let media = |format: &Format| format.media().split(';').next().unwrap_or_default().to_owned();
            let content = |format: &Format| match format {
                Format::Parquet => json!({"schema": {"type": "string", "format": "binary"}}),
                _ => plain.clone(),
            };
            Format::ALL.iter().map(|format| (media(format), content(format))).collect()
        }
        // Clients read a stream as text; from 3.2 on, what stands beside would be `itemSchema`.
        Act::SenseStream => {
            json!({"text/event-stream": {"schema": {"type": "string"}, "x-item-schema": schemas::reference(endpoint.answer)}})
        }
        _ => json!({"application/json": {"schema": schemas::reference(endpoint.answer)}}),
    };
    let own = written(&headers(endpoint), false);
    let mut responses = Map::new();
    responses
        .insert("200".to_owned(), json!({"description": endpoint.about, "headers": own, "content": media}));
    if endpoint.act == Act::SenseStream {
        let told = headers(endpoint).into_iter();
        let told: Vec<Header> =
            told.filter(|h| h.name.starts_with("X-RateLimit") || h.name.starts_with("X-ICS")).collect();
        let about = "`Last-Event-ID` is that of `complete`: there is no more to tell.";
        responses.insert("204".to_owned(), json!({"description": about, "headers": written(&told, false)}));
    }
    if !endpoint.later.is_empty() {
        let content = json!({"application/json": {"schema": schemas::reference(endpoint.later)}});
        let about = "A job was made; ask for it at `poll_url`.";
        let to_job =
            |act: Act| json!({"operationId": name(act), "parameters": {"id": "$response.body#/job_id"}});
        let links = json!({"ask": to_job(Act::GetJob), "cancel": to_job(Act::CancelJob)});
        let later = json!({"description": about, "headers": own, "content": content, "links": links});
        responses.insert("202".to_owned(), later);
    }
    responses
}

fn refused(endpoint: &Endpoint) -> Map<String, Value> {
    let own: Vec<Header> = headers(endpoint)
        .into_iter()
        .filter(|header| header.name.starts_with("X-RateLimit") || header.name.starts_with("X-ICS"))
        .collect();
    responses_of(refusals(endpoint), &own)
}

/// The responses of refusals, by status.
pub(crate) fn responses_of(codes: Vec<Code>, own: &[Header]) -> Map<String, Value> {
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status.entry(status(code).as_u16()).or_default().push(code);
    }
    let write = |(status, codes): (u16, Vec<Code>)| {
        let mut headers = written(own, true);
        match status {
            401 => {
                headers.remove("X-ICS-Consumed");
                let schema = json!({"type": "string", "const": "Bearer"});
                let header =
                    json!({"description": "How a token is sent.", "required": true, "schema": schema});
                headers.insert("WWW-Authenticate".to_owned(), header);
            }
            429 | 503 => {
                let schema = json!({"type": "integer", "minimum": 1});
                let header = json!({"description": "Seconds to wait.", "required": true, "schema": schema});
                headers.insert("Retry-After".to_owned(), header);
            }
            _ => {}
        }
        let codes: Vec<&str> = codes.into_iter().map(Code::as_str).collect();
        let content = json!({"application/json": {"schema": schemas::reference("Error")}});
        let about = format!("`{}`", codes.join("`, `"));
        // A schema for each set of codes would be a type of its own in every client.
        let answer =
            json!({"description": about, "headers": headers, "content": content, "x-error-codes": codes});
        (status.to_string(), answer)
    };
    by_status.into_iter().map(write).collect()
}

/// The name of an operation: `sense`, `cancelJob`.
pub(crate) fn name(act: impl std::fmt::Debug) -> String {
    let name = format!("{act:?}");
    name[..1].to_lowercase() + &name[1..]
}

/// What the service sends to the address of a callback.
fn callbacks() -> Value {
    let header = |name: &str, about: &str| json!({"name": name, "in": "header", "required": true, "description": about, "schema": {"type": "string"}});
    let about = "Signed by the rules of Standard Webhooks; sent again for up to 18 hours until it is accepted, always \
                 with the same id and body.";
    json!({"ended": {"{$request.body#/callback/url}": {"post": {
        "operationId": "ended",
        "summary": "Says that the job has ended.",
        "description": about,
        "security": [],
        "parameters": [
            header("webhook-id", "Names the notification: the same in every attempt."),
            header("webhook-timestamp", "When the attempt was made, in seconds since 1970."),
            header("webhook-signature", "`v1,` and the HMAC-SHA256 of `id.timestamp.body` in Base64; during a rotation two, with a space between."),
        ],
        "requestBody": {"required": true, "content": {"application/json": {"schema": schemas::reference("Notification")}}},
        "responses": {
            "2XX": {"description": "Accepted, if answered within 15 seconds."},
            "410": {"description": "Do not send again: all waiting notifications for this address are cancelled."},
            "default": {"description": "Not accepted; it is sent again later."},
        },
    }}}})
}

fn parameters(endpoint: &Endpoint) -> Vec<Value> {
    let mut parameters = Vec::new();
    if let Some(name) = endpoint.parameter() {
        let example = match endpoint.act {
            Act::GetProtocol => "courtesy",
            Act::GetMetric => "reply-quality",
            Act::GetBlueprint => "service-call",
            _ => "",
        };
        let mut id = json!({"name": name, "in": "path", "required": true, "schema": {"type": "string", "minLength": 1, "pattern": TEXT}});
        if !example.is_empty() {
            id["example"] = json!(example);
        }
        parameters.push(id);
    }
    for name in endpoint.query {
        let (about, schema) = parameter(name);
        parameters.push(
            json!({"name": name, "in": "query", "required": false, "description": about, "schema": schema}),
        );
    }
    parameters.push(request_id_parameter());
    if endpoint.act == Act::SenseStream {
        let about = "The `id` of the last event that was seen before the connection was lost, as EventSource sends it. Behind `complete` \
                     the answer is 204; else the stream is told again and not charged again.";
        parameters.push(json!({
            "name": "Last-Event-ID", "in": "header", "required": false, "schema": {"type": "string"}, "description": about,
        }));
    }
    if endpoint.repeatable {
        let schema = json!({"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"});
        let about = "A repetition with the same key and body gets the same answer and costs nothing.";
        parameters.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": false, "schema": schema, "description": about,
        }));
    }
    parameters
}

fn operation(endpoint: &Endpoint) -> Value {
    let mut responses = good(endpoint);
    responses.extend(refused(endpoint));
    let mut operation = json!({
        "operationId": name(endpoint.act),
        "tags": [endpoint.act.family()],
        "summary": endpoint.about,
        "parameters": parameters(endpoint),
        "responses": responses,
    });
    operation["security"] = match endpoint.token {
        Token::Required(_) => json!([{"token": []}]),
        Token::Optional => json!([{}, {"token": []}]),
        Token::Ignored => json!([]),
    };
    if let Token::Required(Some(scope)) = endpoint.token {
        operation["description"] = json!(format!("The token needs the scope `{}`.", scope.as_str()));
    }
    if let Some(shape) = endpoint.body {
        let examples: Map<String, Value> = examples::of(endpoint.act)
            .into_iter()
            .map(|(name, body)| (name.to_owned(), json!({"value": body})))
            .collect();
        let schema = parts::request(&of_request(&name(endpoint.act)), shape().schema());
        let content = json!({"application/json": {"schema": schema, "examples": examples}});
        operation["requestBody"] = json!({"required": !endpoint.bodiless, "content": content});
    }
    if endpoint.act == Act::Sense {
        operation["callbacks"] = callbacks();
    }
    operation
}

/// The header by which a client names its request.
pub(crate) fn request_id_parameter() -> Value {
    let about = "A name for the request: 1 to 128 letters, digits, `.`, `_`, `:` and `-`, the first a letter or a digit. Any other is \
                 replaced.";
    json!({"name": REQUEST_ID, "in": "header", "required": false, "schema": {"type": "string"}, "description": about})
}

/// The schema of the id of a request.
fn request_id() -> Value {
    json!({"type": "string", "pattern": "^[0-9A-Za-z][0-9A-Za-z._:-]{0,127}$"})
}

/// What a parameter of a query is for, and its schema.
fn parameter(name: &str) -> (&'static str, Value) {
    let moment = || json!({"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]});
    match name {
        "limit" => (
            "The most items to return.",
            json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 20}),
        ),
        "offset" => (
            "How many items to skip first.",
            json!({"type": "integer", "minimum": 0, "maximum": 1_u64 << 53, "default": 0}),
        ),
        "status" => (
            "Those with a published version, those with a draft, or both.",
            json!({"type": "string", "enum": ["published", "draft", "all"], "default": "published"}),
        ),
        "taxonomy" => (
            "Those of one family.",
            json!({"type": "string", "enum": ["Policy", "Critical_Thinking", "Good_Practice", "Signal"]}),
        ),
        "period" => (
            "The month, `YYYY-MM`; by default the current one.",
            json!({"type": "string", "pattern": "^(19[789]|[2-8][0-9]{2}|9[0-8][0-9])[0-9]-(0[1-9]|1[0-2])$"}),
        ),
        "from" => ("From this moment or day on (UTC), in place of `period`.", moment()),
        "until" => ("Before this moment or day (UTC), in place of `period`.", moment()),
        "token" => (
            "What was charged to one token, by its id.",
            json!({"type": "string", "minLength": 1, "pattern": TEXT}),
        ),
        "target" => (
            "What was charged for one target: its id, or `id@version`.",
            json!({"type": "string", "pattern": ID_AND_VERSION}),
        ),
        "request_id" => ("What one request was charged.", request_id()),
        "cursor" => (
            "`next_cursor` of the page before.",
            json!({"type": "string", "pattern": "^[0-9A-Za-z_-]{1,256}$"}),
        ),
        "format" => (
            "What the file is written in.",
            json!({"type": "string", "enum": Format::NAMES, "default": "csv"}),
        ),
        _ => (
            "The version; by default the latest published one.",
            json!({"type": "string", "minLength": 1, "pattern": TEXT}),
        ),
    }
}
