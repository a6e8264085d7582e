//! Names for the parts of schemas. Generators of clients name what stands among the components of a document once; what stands in
//! place they name by where they found it, again and again, or they refuse it.

use serde_json::{Map, Value, json};

/// A schema that is to stand among the components under this name.
pub(crate) fn part(name: &str, mut schema: Value) -> Value {
    schema["title"] = json!(name);
    schema
}

/// The schema of the body of a request, under this name, with what it holds.
pub(crate) fn request(name: &str, mut schema: Value) -> Value {
    for (key, inner) in schema["properties"].as_object_mut().into_iter().flatten() {
        if inner["properties"].is_object() {
            let name = match key.as_str() {
                "target" => "TargetRef".to_owned(),
                "v1_5" => "ExtendedOptions".to_owned(),
                key => [name.trim_end_matches("Request"), &capitalized(key)].concat(),
            };
            *inner = request(&name, inner.take());
        }
    }
    part(name, schema)
}

/// The name of the body of the request of an operation.
pub(crate) fn of_request(operation: &str) -> String {
    capitalized(operation) + "Request"
}

/// With a large first letter.
pub(crate) fn capitalized(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

/// Moves every part to the components and leaves a reference in its place.
pub(crate) fn gather(document: &mut Value) {
    let mut found = Map::new();
    take(document, &mut found);
    let schemas = &mut document["components"]["schemas"];
    for (name, schema) in found {
        schemas[name] = schema;
    }
}

fn take(value: &mut Value, found: &mut Map<String, Value>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| take(item, found)),
        Value::Object(entries) => entries.values_mut().for_each(|inner| take(inner, found)),
        _ => return,
    }
    // What has a title and is no schema, such as the document itself, has a version beside it.
    let Some(name) = value["title"].as_str().filter(|_| value.get("version").is_none()) else { return };
    let name = name.to_owned();
    let mut schema = value.take();
    schema.as_object_mut().map(|schema| schema.remove("title"));
    let known = found.entry(name.clone()).or_insert_with(|| schema.clone());
    if *known == schema {
        *value = json!({"$ref": format!("#/components/schemas/{name}")});
    } else {
        // Two parts with one name: the second stays where it is.
        schema["title"] = json!(name);
        *value = schema;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_among_the_components_once() {
        let inner = || part("Inner", json!({"type": "object"}));
        let mut document = json!({
            "info": {"title": "All", "version": "1"},
            "a": part("Outer", json!({"items": inner()})),
            "b": inner(),
            "components": {"schemas": {}},
        });
        gather(&mut document);
        let of = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
        assert_eq!(document["a"], of("Outer"));
        assert_eq!(document["b"], of("Inner"));
        assert_eq!(document["components"]["schemas"]["Outer"], json!({"items": of("Inner")}));
        assert_eq!(document["info"]["title"], "All");
    }

    #[test]
    fn no_two_parts_of_the_documents_have_one_name() {
        fn titles(value: &Value, all: &mut Vec<String>) {
            match value {
                Value::Array(items) => items.iter().for_each(|item| titles(item, all)),
                Value::Object(entries) => {
                    all.extend(entries.get("title").and_then(Value::as_str).map(str::to_owned));
                    entries.values().for_each(|inner| titles(inner, all));
                }
                _ => {}
            }
        }
        for document in [crate::openapi::document(), crate::admin::document()] {
            let mut all = Vec::new();
            titles(document, &mut all);
            // That of the document, and a property that is called so would be an object.
            assert_eq!(all, [document["info"]["title"].as_str().expect("has a title")]);
        }
    }
}
