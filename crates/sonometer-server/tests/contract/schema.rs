//! Holds answers against the OpenAPI document: that their status is told there, their headers, their media type and their
//! schema; so much of JSON Schema as the document uses.

use crate::bench::Answer;
use serde_json::Value;

/// Holds an answer against what is documented for its path and method.
#[track_caller]
pub(crate) fn answered(method: &str, path: &str, answer: &Answer) {
    // What GET answers, without the body; nobody writes it into such a document.
    // `/` leads people to the page, and is no part of the interface.
    if method == "HEAD" || path == "/" {
        return;
    }
    let is_admin = path.starts_with("/admin/");
    let document = if is_admin { sonometer_server::admin_openapi() } else { sonometer_server::openapi() };
    let path = path.split('?').next().unwrap_or_default();
    let paths = document["paths"].as_object().expect("is an object");
    let is = |template: &str| {
        let (template, path) = (template.split('/'), path.split('/'));
        let part =
            |(wanted, part): (&str, &str)| wanted == part || wanted.starts_with('{') && !part.is_empty();
        template.clone().count() == path.clone().count() && template.zip(path).all(part)
    };
    let exact = paths.get_key_value(path);
    let found = exact
        .or_else(|| paths.iter().find(|(template, _)| is(template)))
        .map(|(_, of)| &of[method.to_lowercase()]);
    let Some(operation) = found.filter(|operation| operation.is_object()) else {
        let expected = if found.is_some() { 405 } else { 404 };
        assert_eq!(answer.status, expected, "{method} {path} is not documented");
        return check("Error", &answer.json());
    };
    let at = format!("{method} {path} {}", answer.status);
    let told = &operation["responses"][answer.status.to_string()];
    assert!(told.is_object(), "{at} is not documented: {}", answer.body);
    for (name, header) in told["headers"].as_object().into_iter().flatten() {
        let value = answer.header(&name.to_lowercase());
        assert!(!value.is_empty() || header["required"] != true, "{at}: {name} is missing");
        if !value.is_empty() {
            let number = value.parse::<u64>().map(Value::from);
            let value = if header["schema"]["type"] == "integer" { number.ok() } else { Some(value.into()) };
            let value = value.unwrap_or_else(|| panic!("{at}: {name} is no number"));
            holds(&header["schema"], &value, name).unwrap_or_else(|fault| panic!("{at}: {fault}"));
        }
    }
    if answer.status == 204 {
        assert!(told.get("content").is_none() && answer.body.is_empty(), "{at}: {}", answer.body);
        return;
    }
    let media = answer.header("content-type").split(';').next().unwrap_or_default();
    let schema = &told["content"][media]["schema"];
    assert!(schema.is_object(), "{at}: {media} is not documented");
    if let Some(codes) = told["x-error-codes"].as_array() {
        assert!(codes.contains(&answer.json()["error"]["code"]), "{at}: {codes:?}: {}", answer.body);
    }
    let held = |value: &Value| {
        holds(schema, value, "").unwrap_or_else(|fault| panic!("{at}: {fault}\n{}", answer.body));
    };
    match media {
        "application/json" => held(&answer.json()),
        "text/event-stream" => {
            for event in events(&answer.body) {
                let schema = &told["content"][media]["x-item-schema"];
                holds(schema, &event, "").unwrap_or_else(|fault| panic!("{at}: {fault}\n{}", answer.body));
            }
        }
        _ => {}
    }
}

/// Every event of a stream that was told whole, as schemas describe it.
fn events(body: &str) -> Vec<Value> {
    // Chunked: what is no line of an event is a length.
    let lines = body.lines().filter_map(|line| line.split_once(": "));
    let mut events = Vec::new();
    let mut event = serde_json::Map::new();
    for (key, value) in lines.filter(|(key, _)| ["event", "id", "data"].contains(key)) {
        event.insert(key.to_owned(), value.into());
        // It comes last.
        if key == "data" {
            events.push(Value::Object(std::mem::take(&mut event)));
        }
    }
    events
}

#[track_caller]
pub(crate) fn check(name: &str, value: &Value) {
    let document = sonometer_server::openapi();
    let schema = &document["components"]["schemas"][name];
    assert!(schema.is_object(), "there is no schema {name}");
    if let Err(fault) = holds(schema, value, name) {
        panic!("{fault}\n{value}");
    }
}

fn holds(schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    let document = sonometer_server::openapi();
    if let Some(reference) = schema["$ref"].as_str() {
        let pointer = reference.trim_start_matches('#');
        let target = document.pointer(pointer).ok_or_else(|| format!("{place}: no {reference}"))?;
        return holds(target, value, place);
    }
    if let Some(either) = schema["oneOf"].as_array() {
        let fitting = either.iter().filter(|schema| holds(schema, value, place).is_ok()).count();
        return if fitting == 1 {
            Ok(())
        } else {
            Err(format!("{place}: {fitting} of {} fit", either.len()))
        };
    }
    if let Some(either) = schema["anyOf"].as_array()
        && !either.iter().any(|schema| holds(schema, value, place).is_ok())
    {
        return Err(format!("{place}: {value} fits none of {either:?}"));
    }
    for schema in schema["allOf"].as_array().into_iter().flatten() {
        holds(schema, value, place)?;
    }
    if !schema["const"].is_null() && schema["const"] != *value {
        return Err(format!("{place}: {value} is not {}", schema["const"]));
    }
    if schema["contentSchema"].is_object() {
        let inner = value.as_str().and_then(|text| serde_json::from_str(text).ok());
        let inner = inner.ok_or_else(|| format!("{place}: is no JSON"))?;
        holds(&schema["contentSchema"], &inner, place)?;
    }
    if let Some(kinds) = schema["type"].as_array() {
        let fits = |kind: &Value| {
            let mut schema = schema.clone();
            schema["type"] = kind.clone();
            holds(&schema, value, place).is_ok()
        };
        return if kinds.iter().any(fits) {
            Ok(())
        } else {
            Err(format!("{place}: {value} is none of {kinds:?}"))
        };
    }
    let is = match schema["type"].as_str() {
        Some("null") => value.is_null(),
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        // What is said beside another schema, which has the type.
        None => true,
        _ => return Err(format!("{place}: the schema has an unknown type: {schema}")),
    };
    if !is {
        return Err(format!("{place}: is not {}", schema["type"]));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return Err(format!("{place}: {value} is none of {words:?}"));
    }
    if let (Some(pattern), Some(text)) = (schema["pattern"].as_str(), value.as_str()) {
        let pattern = regex::Regex::new(pattern).map_err(|error| format!("{place}: {error}"))?;
        if !pattern.is_match(text) {
            return Err(format!("{place}: {value} does not match {pattern}"));
        }
    }
    let number = value.as_f64().unwrap_or(0.0);
    if schema["minimum"].as_f64().is_some_and(|least| number < least)
        || schema["maximum"].as_f64().is_some_and(|most| number > most)
    {
        return Err(format!("{place}: {value} is out of range"));
    }
    if let Some(items) = value.as_array() {
        for (at, item) in items.iter().enumerate() {
            holds(&schema["items"], item, &format!("{place}[{at}]"))?;
        }
    }
    let Some(entries) = value.as_object() else { return Ok(()) };
    for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !entries.contains_key(required) {
            return Err(format!("{place}: `{required}` is missing"));
        }
    }
    for (key, inner) in entries {
        let place = format!("{place}.{key}");
        match (&schema["properties"][key], &schema["additionalProperties"]) {
            (Value::Null, Value::Object(_)) => holds(&schema["additionalProperties"], inner, &place)?,
            (Value::Null, Value::Null) => {}
            (Value::Null, _) => return Err(format!("{place}: is not documented")),
            (known, _) => holds(known, inner, &place)?,
        }
    }
    Ok(())
}
