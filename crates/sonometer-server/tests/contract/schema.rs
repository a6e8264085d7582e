//! Holds answers against the schemas of the OpenAPI document: so much of JSON Schema as that uses.

use serde_json::Value;

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
    let is = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        _ => return Err(format!("{place}: the schema has no type: {schema}")),
    };
    if !is {
        return Err(format!("{place}: is not {}", schema["type"]));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return Err(format!("{place}: {value} is none of {words:?}"));
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
            (Value::Null, _) => return Err(format!("{place}: is not documented")),
            (known, _) => holds(known, inner, &place)?,
        }
    }
    Ok(())
}
