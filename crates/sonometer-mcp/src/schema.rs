//! Schemas of arguments and answers, from the types that read and write them; and the check of arguments by their schema, which names the
//! place of what is wrong.

use crate::answer::Refusal;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use sonometer::document::suggest;

/// The schema of arguments, in the small part of JSON Schema that every client understands: no references, no nulls.
pub(crate) fn of<T: JsonSchema>() -> Map<String, Value> {
    made::<T>(SchemaSettings::draft2020_12())
}

/// The same of an answer: what may be left out of it is not required.
pub(crate) fn of_answer<T: JsonSchema>() -> Map<String, Value> {
    made::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn made<T: JsonSchema>(mut settings: SchemaSettings) -> Map<String, Value> {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    plain(&mut schema, true);
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// Takes away what says nothing to a model, and forbids unknown keys.
fn plain(schema: &mut Value, is_root: bool) {
    let Value::Object(schema) = schema else { return };
    schema.remove("format");
    schema.remove("title");
    // What may be null may be left out.
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if is_root {
        schema.remove("description");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(either)) = schema.get_mut("anyOf") {
        either.retain(|one| one.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = &mut either[..] {
            let mut only = std::mem::take(only);
            schema.remove("anyOf");
            if schema.contains_key("description") {
                only.remove("description");
            }
            schema.append(&mut only);
            return plain_parts(schema);
        }
    }
    plain_parts(schema);
}

fn plain_parts(schema: &mut Map<String, Value>) {
    if schema.get("type").is_some_and(|name| name == "object") {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(|property| plain(property, false));
    }
    if let Some(items) = schema.get_mut("items") {
        plain(items, false);
    }
}

/// Reads arguments of a tool.
///
/// # Errors
/// `invalid_request` with the place of the first thing that is wrong.
pub(crate) fn read<T: DeserializeOwned + JsonSchema>(arguments: Map<String, Value>) -> Result<T, Refusal> {
    let arguments = Value::Object(arguments);
    check(&arguments, &Value::Object(of::<T>()), "")?;
    serde_json::from_value(arguments).map_err(|error| Refusal::invalid("", error.to_string()))
}

fn check(value: &Value, schema: &Value, place: &str) -> Result<(), Refusal> {
    let wanted = schema.get("type").and_then(Value::as_str);
    if let Some(wanted) = wanted
        && !is_of(value, wanted)
    {
        // Models like to write a list or an object as its JSON in a text.
        let held = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        let message = match held.filter(|held| matches!(wanted, "array" | "object") && is_of(held, wanted)) {
            Some(held) => {
                let held = named(&held);
                format!("this is a text that holds {held}; give {held}, without quotes around it")
            }
            None => format!("this is {}; give {}{}", named(value), a(wanted), keys(schema)),
        };
        return Err(Refusal::invalid(place, message));
    }
    if let (Some(Value::Array(names)), Some(text)) = (schema.get("enum"), value.as_str())
        && !names.iter().any(|name| name == text)
    {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        let given = given(text, suggest(text, &names));
        let message = format!("unknown value{given}; give one of {}", names.join(", "));
        return Err(Refusal::invalid(place, message));
    }
    match value {
        Value::Object(object) => check_object(object, schema, place),
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return Ok(()) };
            items.iter().enumerate().try_for_each(|(at, item)| check(item, schema, &format!("{place}[{at}]")))
        }
        _ => Ok(()),
    }
}

fn check_object(object: &Map<String, Value>, schema: &Value, place: &str) -> Result<(), Refusal> {
    let Some(Value::Object(properties)) = schema.get("properties") else { return Ok(()) };
    let within = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
    for (key, value) in object {
        let Some(schema) = properties.get(key) else {
            let known: Vec<&str> = properties.keys().map(String::as_str).collect();
            let near = suggest(key, &known);
            let fix = match (near, &known[..]) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, [only]) => format!("the known one is {only}"),
                (None, all) => format!("the known ones are {}", all.join(", ")),
            };
            let message = format!("unknown argument{}; {fix}", given(key, near));
            return Err(Refusal::invalid(place, message));
        };
        // Null is what some clients send for what is left out.
        if !value.is_null() {
            check(value, schema, &within(key))?;
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_given = |key: &str| object.get(key).is_some_and(|value| !value.is_null());
    let missing = required.into_iter().flatten().filter_map(Value::as_str).find(|key| !is_given(key));
    match missing {
        None => Ok(()),
        Some(key) => {
            let about = properties.get(key).and_then(|property| property.get("description"));
            let about = about.and_then(Value::as_str).map_or(String::new(), |about| format!(": {about}"));
            Err(Refusal::invalid(place, format!("`{key}` is missing{about}")))
        }
    }
}

/// What was given, where it is no more than a slip of the pen: anything else may be private, whatever the target.
pub(crate) fn given(text: &str, near: Option<&str>) -> String {
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'-');
    match near {
        Some(near) if is_word && text.len() <= near.len() + 2 => format!(" `{text}`"),
        _ => String::new(),
    }
}

fn is_of(value: &Value, wanted: &str) -> bool {
    match wanted {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

fn named(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn a(wanted: &str) -> &'static str {
    match wanted {
        "string" => "a text",
        "boolean" => "true or false",
        "integer" => "a whole number of 0 or more",
        "number" => "a number",
        "array" => "a list",
        _ => "an object",
    }
}

/// What an object, or those in a list, can have.
fn keys(schema: &Value) -> String {
    let (of, schema) = match schema.get("items") {
        Some(items) if items.get("properties").is_some() => (" of objects", items),
        _ => ("", schema),
    };
    let keys = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.keys());
    let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
    if keys.is_empty() { String::new() } else { format!("{of}, whose keys can be {}", keys.join(", ")) }
}

/// Any JSON, described.
pub(crate) fn anything(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::Schema::try_from(json!({})).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Inner {
        /// Said by whom.
        role: String,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Outer {
        /// A text.
        text: Option<String>,
        /// The turns.
        #[serde(default)]
        turns: Option<Vec<Inner>>,
        /// How many.
        count: Option<u32>,
        /// One of them.
        one: Option<Inner>,
    }

    fn told(arguments: Value) -> String {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let refusal = read::<Outer>(arguments).expect_err("is wrong");
        format!("{refusal:?}")
    }

    #[test]
    fn schemas_are_plain() {
        let schema = Value::Object(of::<Outer>()).to_string();
        for part in ["null", "$ref", "anyOf", "$schema", "title", "format", "default"] {
            assert!(!schema.contains(part), "{part}: {schema}");
        }
        assert!(schema.contains(r#""role":{"description":"Said by whom.","type":"string"}"#), "{schema}");
        assert_eq!(schema.matches(r#""additionalProperties":false"#).count(), 3, "{schema}");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (arguments, part) in [
            (json!({"txt": "a"}), "unknown argument `txt`; did you mean `text`?"),
            (json!({"xyzzy": "a"}), "unknown argument; the known ones are count, one, text, turns"),
            // What is no slip of the pen may be private.
            (
                json!({"turns": [{"role": "x", "ann@example.org": "y"}]}),
                r#"place: "turns[0]", message: "unknown argument; the known one is role""#,
            ),
            (json!({"text: 4111 1111 1111 1111": 1}), "unknown argument; did you mean `text`?"),
            (json!({"text": 5}), r#"place: "text", message: "this is a number; give a text""#),
            (json!({"turns": "Hello."}), "this is a text; give a list of objects, whose keys can be `role`"),
            (
                json!({"turns": "[{\"role\": \"a\"}]"}),
                "this is a text that holds a list; give a list, without quotes",
            ),
            (
                json!({"turns": "{\"role\": \"a\"}"}),
                "this is a text; give a list of objects, whose keys can be `role`",
            ),
            (json!({"one": "a"}), "this is a text; give an object, whose keys can be `role`"),
            (
                json!({"one": "{\"role\": \"a\"}"}),
                "this is a text that holds an object; give an object, without quotes",
            ),
            (json!({"text": ["a"]}), "this is a list; give a text"),
            (json!({"count": -1}), "give a whole number of 0 or more"),
            (
                json!({"turns": [{"role": "a"}, {}]}),
                r#"place: "turns[1]", message: "`role` is missing: Said by whom.""#,
            ),
            (json!({"turns": [{"role": 1}]}), r#"place: "turns[0].role""#),
            (json!({"turns": [{"role": null}]}), r#"place: "turns[0]", message: "`role` is missing: Said"#),
            (json!({"turns": [null]}), r#"place: "turns[0]", message: "this is null; give an object"#),
            (json!({"one": {"role": "a", "rol": 1}}), r#"place: "one", message: "unknown argument `rol`"#),
        ] {
            let told = told(arguments.clone());
            assert!(told.contains(part), "{arguments}: {told}");
        }
        let nothing = json!({"text": null, "turns": null});
        assert!(
            read::<Outer>(nothing.as_object().cloned().unwrap_or_default()).is_ok(),
            "null is what is left out"
        );
    }
}
