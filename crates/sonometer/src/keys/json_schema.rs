//! The JSON Schema of a protocol file, for editors: draft 7, which their YAML extensions know best.

use super::{Key, Map, Shape};
use crate::json::Json;

/// The JSON Schema of a kind of file, by the table of its keys, on one line.
pub fn json_schema(root: &'static Map) -> String {
    let mut maps = Vec::new();
    collect(root, &mut maps);
    let mut json = Json::with_capacity(1 << 15);
    json.object(|json| {
        json.key("$schema").string("http://json-schema.org/draft-07/schema#");
        json.key("title").string(&format!("Sonometer {}", root.name));
        json.key("$ref").string(&format!("#/definitions/{}", root.name));
        json.key("definitions").object(|json| {
            json.key("identifier").object(|json| {
                json.key("type").string("string");
                json.key("pattern").string("^[a-z0-9_-]{1,64}$");
            });
            // Numbers are texts too where a text is wanted: `name: 2024`.
            json.key("text").object(|json| types(json, &["string", "number"]));
            for name in ["texts", "lines"] {
                json.key(name).object(|json| {
                    types(json, &["string", "number", "array"]);
                    json.key("items").object(|json| json.key("$ref").string("#/definitions/text"));
                });
            }
            for of in maps {
                json.key(of.name).object(|json| map(json, of));
            }
        });
    });
    json.into_text()
}

/// A map and those inside it, each once.
fn collect(of: &'static Map, into: &mut Vec<&'static Map>) {
    if into.iter().any(|known| known.name == of.name) {
        return;
    }
    into.push(of);
    for key in of.keys {
        match &key.value {
            Shape::Map(inner) | Shape::Maps(inner) | Shape::Named(Shape::Map(inner)) => collect(inner, into),
            _ => {}
        }
    }
}

fn map(json: &mut Json, of: &Map) {
    json.key("type").string("object");
    json.key("additionalProperties").bool(false);
    let required: Vec<&str> = of.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    if !required.is_empty() {
        strings(json.key("required"), &required);
    }
    if !of.one_of.is_empty() {
        json.key("anyOf").list(|json| {
            of.one_of.iter().for_each(|name| json.object(|json| strings(json.key("required"), &[name])));
        });
    }
    json.key("properties").object(|json| {
        for key in of.keys {
            json.key(key.name).object(|json| property(json, key));
        }
    });
}

fn property(json: &mut Json, key: &Key) {
    // Beside a `$ref` draft 7 ignores everything else.
    match &key.value {
        Shape::Map(_) | Shape::Texts | Shape::Lines | Shape::Text | Shape::Identifier => {
            json.key("allOf").list(|json| json.object(|json| shape(json, &key.value)));
        }
        value => shape(json, value),
    }
    json.key("description").string(key.about);
    if !key.default.is_empty() {
        json.key("default").raw_value(key.default);
    }
    json.key("examples").list(|json| json.raw_value(key.example));
}

fn shape(json: &mut Json, value: &Shape) {
    let reference = |json: &mut Json, name: &str| json.key("$ref").string(&format!("#/definitions/{name}"));
    match value {
        Shape::Text => reference(json, "text"),
        Shape::Identifier => reference(json, "identifier"),
        Shape::Texts => reference(json, "texts"),
        Shape::Lines => reference(json, "lines"),
        Shape::Map(inner) => reference(json, inner.name),
        Shape::Written { like, names } => written(json, like, names),
        Shape::Name(names) => name(json, names),
        Shape::Names(names) => {
            json.key("anyOf").list(|json| {
                json.object(|json| name(json, names));
                json.object(|json| {
                    json.key("type").string("array");
                    json.key("items").object(|json| name(json, names));
                });
            });
        }
        Shape::Number(low, high) => {
            json.key("type").string("number");
            json.key("minimum").number(*low);
            json.key("maximum").number(*high);
        }
        Shape::Count(low, high) => {
            json.key("type").string("integer");
            json.key("minimum").count((*low).into());
            json.key("maximum").count((*high).into());
        }
        Shape::Truth => json.key("type").string("boolean"),
        Shape::Maps(inner) => {
            json.key("type").string("array");
            json.key("minItems").count(1);
            json.key("items").object(|json| reference(json, inner.name));
        }
        Shape::Named(inner) => {
            json.key("type").string("object");
            json.key("additionalProperties").object(|json| shape(json, inner));
        }
    }
}

/// A text of a form; one that looks like a number may be written as one.
fn written(json: &mut Json, like: &str, names: &[&str]) {
    json.key("anyOf").list(|json| {
        if !names.is_empty() {
            json.object(|json| name(json, names));
        }
        json.object(|json| {
            json.key("type").string("string");
            json.key("pattern").string(like);
        });
        if ["^[A-Za-z0-9._+-]{1,32}$", "^[0-9]+$", "^([0-9]+|none)$"].contains(&like) {
            json.object(|json| json.key("type").string("number"));
        }
    });
}

/// One of a few names; those that are numbers may be written as numbers.
fn name(json: &mut Json, names: &[&str]) {
    json.key("enum").list(|json| {
        for name in names {
            json.string(name);
            if name.parse::<u32>().is_ok() || matches!(*name, "1.0" | "1.5") {
                json.raw_value(name);
            }
        }
    });
}

fn types(json: &mut Json, names: &[&str]) {
    strings(json.key("type"), names);
}

fn strings(json: &mut Json, values: &[&str]) {
    json.list(|json| values.iter().for_each(|value| json.string(value)));
}
