//! The OpenAPI document itself: everything it names is there, and what it shows as an example works.

use crate::bench::Bench;
use serde_json::{Value, json};

fn references<'v>(value: &'v Value, all: &mut Vec<&'v str>) {
    match value {
        Value::Object(entries) => {
            all.extend(entries.get("$ref").and_then(Value::as_str));
            entries.values().for_each(|value| references(value, all));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, all)),
        _ => {}
    }
}

#[test]
fn every_reference_leads_to_a_schema_and_every_schema_is_used() {
    let document = sonometer_server::openapi();
    let mut named = Vec::new();
    references(document, &mut named);
    for reference in &named {
        assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
    for name in document["components"]["schemas"].as_object().expect("there are some").keys() {
        let reference = format!("#/components/schemas/{name}");
        assert!(named.contains(&reference.as_str()), "nothing is a {name}");
    }
    let operations = document["paths"].as_object().expect("there are some").values();
    let mut ids: Vec<&str> = operations
        .flat_map(|path| path.as_object().expect("is one").values())
        .map(|operation| operation["operationId"].as_str().expect("is text"))
        .collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "an id names one operation");
}

// covers: wire.openapi
#[test]
fn every_example_works() {
    let bench = Bench::start();
    let mut tried = 0;
    let opened = || {
        let opened =
            bench.post("/api/v1/dive/open", &json!({"stage_id": "billing-dispute"})).good("DiveOpen");
        opened["dive_id"].as_str().expect("is text").to_owned()
    };
    for (path, operations) in sonometer_server::openapi()["paths"].as_object().expect("there are some") {
        for (_, operation) in operations.as_object().expect("is one") {
            let examples = &operation["requestBody"]["content"]["application/json"]["examples"];
            for (name, example) in examples.as_object().into_iter().flatten() {
                // What is done in a dive is done in one that is open.
                let path = match path.contains("{dive_id}") {
                    true => path.replace("{dive_id}", &opened()),
                    false => path.clone(),
                };
                let answer = bench.post(&path, &example["value"]);
                assert_eq!(answer.status, 200, "{path}, {name}: {}", answer.body);
                tried += 1;
            }
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let Some(example) = parameter["example"].as_str() else { continue };
                let answer = bench.get(&path.replace("{id}", example));
                assert_eq!(answer.status, 200, "{path}, {example}: {}", answer.body);
                tried += 1;
            }
        }
    }
    assert!(tried >= 14, "{tried}");
}
