//! The tables of keys, held to the reader in both directions, and its JSON Schema to every
//! protocol there is.
#![cfg(feature = "yaml")]

use serde_json::Value;
use sonometer::keys::{Map, Shape, json_schema};
use sonometer::stage::Stage;
use sonometer::{Blueprint, Document, Metric, Protocol};
use std::fs;
use std::path::{Path, PathBuf};

/// Two markers, of which one can be named by the other.
const BASE: &str = r#"{"sonometer": 1, "id": "base", "version": "1", "taxonomy": "Signal", "language": "en",
    "markers": [{"label": "thanks", "strong": "thank you", "hit": "Thank you."},
                {"label": "other", "strong": "other", "hit": "Other."}]}"#;

fn base() -> Value {
    serde_json::from_str(BASE).expect("is JSON")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A protocol with `value` under `key` of a map, where the path leads: keys and, in lists, the first item.
fn with(path: &[&'static str], fill: &Value, key: &str, value: Value) -> Value {
    let mut protocol = base();
    let mut at = &mut protocol;
    for (depth, step) in path.iter().enumerate() {
        let last = depth + 1 == path.len();
        at = &mut at[*step];
        if at.is_null() {
            *at = if last { fill.clone() } else { json("{}") };
        } else if last && !matches!(*step, "markers" | "tests") {
            *at = fill.clone();
        }
        if at.is_array() {
            at = &mut at[0];
        }
    }
    at[key] = value;
    protocol
}

/// Every map with the way to it and a whole value of it.
fn maps(
    map: &'static Map,
    path: Vec<&'static str>,
    fill: Value,
    into: &mut Vec<(&'static Map, Vec<&'static str>, Value)>,
) {
    for key in map.keys {
        if let Shape::Map(inner) | Shape::Maps(inner) = key.value {
            let path = path.iter().copied().chain([key.name]).collect();
            maps(inner, path, json(key.example), into);
        }
    }
    into.push((map, path, fill));
}

fn every_map() -> Vec<(&'static Map, Vec<&'static str>, Value)> {
    let mut all = Vec::new();
    maps(Protocol::KEYS, Vec::new(), base(), &mut all);
    // Inside `expect` of a test there is more to fill in than the way to it shows.
    all.retain(|(_, path, _)| path.first() != Some(&"tests") || path.len() == 1);
    all
}

/// The reader asks for every key of the table and for no other: it says so itself where it is built with debug assertions, as in
/// tests. What is in no table is refused.
#[test]
fn the_reader_takes_exactly_these_keys() {
    for (map, path, fill) in every_map() {
        let odd = with(&path, &fill, "qqqqqq", json("1"));
        let error = Protocol::read(&odd.to_string()).expect_err("the odd key is refused");
        let told = error.diagnostics.iter().find(|d| d.code == "SM0302" && d.message.contains("qqqqqq"));
        let (_, list) =
            told.and_then(|d| d.fix.split_once("the known keys are ")).unwrap_or_else(|| panic!("{error}"));
        let known: Vec<&str> = map.keys.iter().map(|key| key.name).collect();
        assert_eq!(list.split(", ").collect::<Vec<_>>(), known, "the keys of {}", map.name);
    }
}

/// The model gives the canonical form a value for every key of the table, and what the table says that a value is without its key is what the
/// reader makes of it.
#[test]
fn the_canonical_form_has_every_key_and_every_default() {
    let canonical = |whole: &Value| -> Option<Value> {
        let (protocol, _) = Protocol::read(&whole.to_string()).ok()?;
        Some(json(&protocol.to_canonical_json()))
    };
    let mut compared = 0;
    for (map, path, fill) in every_map() {
        for key in map.keys {
            let Some(with_key) = canonical(&with(&path, &fill, key.name, json(key.example))) else {
                continue;
            };
            let mut at = &with_key;
            for step in &path {
                at = &at[*step];
                at = at.get(0).unwrap_or(at);
            }
            assert!(!at[key.name].is_null(), "the canonical form lacks `{}` of {}: {at}", key.name, map.name);
            compared += 1;
            if key.default.is_empty() || fill.get(key.name).is_some() || path.is_empty() {
                continue;
            }
            let without = canonical(&with(&path, &fill, key.name, json(key.default)));
            let mut bare = with(&path, &fill, key.name, json(key.default));
            let mut place = &mut bare;
            for step in &path {
                place = &mut place[*step];
                if place.is_array() {
                    place = &mut place[0];
                }
            }
            place.as_object_mut().expect("is a map").remove(key.name);
            assert_eq!(canonical(&bare), without, "the default of `{}` of {}", key.name, map.name);
        }
    }
    assert!(compared > 60, "only {compared} keys were compared");
}

/// Codes that only say that a key stands beside one it has no meaning with, or without one that it needs.
const COMPANY: [&str; 7] = ["SM0330", "SM0341", "SM0343", "SM0344", "SM0356", "SM0366", "SM0405"];

#[test]
fn the_reader_takes_every_example_and_the_schema_too() {
    let schema = json(&json_schema(Protocol::KEYS));
    for (map, path, fill) in every_map() {
        for key in map.keys {
            let value = json(key.example);
            let whole = with(&path, &fill, key.name, value.clone());
            let file = |_: &str| Ok("Anna".into());
            let found = match Protocol::read_with(&whole.to_string(), &file) {
                Ok((_, warnings)) => warnings,
                Err(error) => error.diagnostics,
            };
            let own: Vec<_> = found.iter().filter(|d| !COMPANY.contains(&d.code)).collect();
            assert!(own.is_empty(), "{} of {}: {own:?}", key.name, map.name);
            let errors = errors(&schema, &whole);
            assert!(errors.is_empty(), "{} of {}: {errors:?}", key.name, map.name);
            if !key.default.is_empty() {
                let default = with(&path, &fill, key.name, json(key.default));
                assert!(
                    self::errors(&schema, &default).is_empty(),
                    "the default of {} of {}",
                    key.name,
                    map.name
                );
            }
        }
    }
}

#[test]
fn what_must_be_there_must_be_there_for_both() {
    let schema = json(&json_schema(Protocol::KEYS));
    for key in Protocol::KEYS.keys.iter().filter(|key| key.required) {
        let mut without = base();
        without.as_object_mut().expect("is a map").remove(key.name);
        assert!(Protocol::read(&without.to_string()).is_err(), "{}", key.name);
        assert!(!errors(&schema, &without).is_empty(), "{}", key.name);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The sound protocols of the repository, as their canonical JSON.
fn protocols(folder: &Path, into: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("is there") {
        let path = entry.expect("can be read").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            protocols(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            let text = fs::read_to_string(&path).expect("is UTF-8");
            if let Ok((protocol, _)) = Protocol::read(&text) {
                into.push((path, protocol.to_canonical_json()));
            }
        }
    }
}

#[test]
fn every_protocol_of_the_tree_is_valid() {
    let schema = json(&json_schema(Protocol::KEYS));
    let mut all = Vec::new();
    protocols(&root(), &mut all);
    assert!(all.len() >= 12, "only {} protocols", all.len());
    for (path, text) in all {
        let errors = errors(&schema, &json(&text));
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    }
}

#[test]
fn every_language_is_valid_and_no_other() {
    let schema = json(&json_schema(Protocol::KEYS));
    for code in sonometer::language::LANGUAGES.iter().map(|language| language.code) {
        for tag in [code.to_owned(), code.to_ascii_uppercase(), format!("{code}-CH"), format!("{code}-1-x")] {
            let protocol = with(&[], &json("{}"), "language", Value::from(tag.as_str()));
            assert!(Protocol::read(&protocol.to_string()).is_ok(), "{tag}");
            assert_eq!(errors(&schema, &protocol), [""; 0], "{tag}");
        }
    }
    for tag in ["fr", "eng", "en_GB", ""] {
        let protocol = with(&[], &json("{}"), "language", Value::from(tag));
        assert!(Protocol::read(&protocol.to_string()).is_err(), "{tag}");
        assert!(!errors(&schema, &protocol).is_empty(), "{tag}");
    }
}

/// The protocols of the vectors use every key and every language.
#[test]
fn every_protocol_of_the_vectors_is_valid_if_it_is_read() {
    let schema = json(&json_schema(Protocol::KEYS));
    let mut read = 0;
    for entry in fs::read_dir(root().join("fixtures/vectors")).expect("is there") {
        let path = entry.expect("can be read").path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for line in fs::read_to_string(&path).expect("is UTF-8").lines() {
            let protocol = &json(line)["protocol"];
            if protocol.is_object() && Protocol::read(&protocol.to_string()).is_ok() {
                assert_eq!(errors(&schema, protocol), [""; 0], "{}: {protocol}", path.display());
                read += 1;
            }
        }
    }
    assert!(read >= 100, "only {read} protocols");
}

#[test]
fn the_schema_finds_mistakes() {
    let schema = json(&json_schema(Protocol::KEYS));
    for (path, key, value) in [
        (&["markers"][..], "stong", "\"x\""),
        (&["markers"], "where", "\"first three turns\""),
        (&["markers"], "pole", "\"agianst\""),
        (&["markers"], "trigger", "2"),
        (&["fidelity"], "words", "2.5"),
        (&[], "id", "\"Not An Id\""),
        (&[], "lists", "{\"a\": {\"b\": 1}}"),
    ] {
        let wrong = with(path, &json("{}"), key, json(value));
        assert!(!errors(&schema, &wrong).is_empty(), "{key}: {value}");
    }
}

#[test]
fn the_committed_schema_is_that_of_the_code() {
    for kind in [Protocol::KEYS, Metric::KEYS, Blueprint::KEYS, Stage::KEYS] {
        let name = format!("schema/{}.schema.json", kind.name);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&name);
        let committed = fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
        let pretty = serde_json::to_string_pretty(&json(&json_schema(kind))).expect("is JSON") + "\n";
        assert!(committed == pretty, "{name} is out of date: run `cargo xtask schema`");
    }
}

/// What of `value` does not fit a schema. It knows the words that ours uses, and no others.
fn errors(schema: &Value, value: &Value) -> Vec<String> {
    let mut errors = Vec::new();
    fits(schema, schema, value, "", &mut errors);
    errors
}

fn fits(root: &Value, schema: &Value, value: &Value, at: &str, errors: &mut Vec<String>) {
    let words = schema.as_object().expect("a schema is a map");
    for (word, say) in words {
        match word.as_str() {
            "$schema" | "title" | "description" | "default" | "examples" | "definitions" => {}
            "type" => {
                let names: Vec<&str> = say.as_array().map_or_else(
                    || say.as_str().into_iter().collect(),
                    |names| names.iter().filter_map(Value::as_str).collect(),
                );
                if !names.iter().any(|name| is(name, value)) {
                    errors.push(format!("{at}: {value} is none of {names:?}"));
                }
            }
            "enum" if !say.as_array().is_some_and(|values| values.contains(value)) => {
                errors.push(format!("{at}: none of its names"))
            }
            "enum" => {}
            "pattern" => {
                let like = regex::Regex::new(say.as_str().expect("a text")).expect("an expression");
                if value.as_str().is_some_and(|text| !like.is_match(text)) {
                    errors.push(format!("{at}: {value} is not like {say}"));
                }
            }
            "minimum" if value.as_f64() < say.as_f64() => errors.push(format!("{at}: too small")),
            "maximum" if value.as_f64() > say.as_f64() => errors.push(format!("{at}: too large")),
            "minItems" if value.as_array().is_some_and(Vec::is_empty) => errors.push(format!("{at}: empty")),
            "minimum" | "maximum" | "minItems" => {}
            "required" => {
                for key in say.as_array().expect("a list").iter().filter_map(Value::as_str) {
                    if value.is_object() && value.get(key).is_none() {
                        errors.push(format!("{at}: needs {key}"));
                    }
                }
            }
            "$ref" => {
                let target =
                    root.pointer(say.as_str().expect("a text").trim_start_matches('#')).expect("is there");
                fits(root, target, value, at, errors);
            }
            "allOf" => {
                for part in say.as_array().expect("a list") {
                    fits(root, part, value, at, errors);
                }
            }
            "anyOf" => {
                let fits_one = |part: &Value| {
                    let mut own = Vec::new();
                    fits(root, part, value, at, &mut own);
                    own.is_empty()
                };
                if !say.as_array().expect("a list").iter().any(fits_one) {
                    errors.push(format!("{at}: fits none"));
                }
            }
            "items" | "properties" | "additionalProperties" => {}
            other => panic!("the schema says {other}"),
        }
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        values.iter().for_each(|value| fits(root, items, value, at, errors));
    }
    let Some(entries) = value.as_object() else { return };
    for (key, value) in entries {
        let place = format!("{at}/{key}");
        match (schema.get("properties").and_then(|known| known.get(key)), schema.get("additionalProperties"))
        {
            (Some(known), _) => fits(root, known, value, &place, errors),
            (None, Some(Value::Bool(false))) => errors.push(format!("{place}: not known")),
            (None, Some(other)) if other.is_object() => fits(root, other, value, &place, errors),
            (None, _) => {}
        }
    }
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the schema says {other}"),
    }
}

#[test]
fn metrics_and_blueprints_are_described_as_they_are_read() {
    let component = json(r#"{"protocol": "courtesy"}"#);
    for (map, whole) in [
        (
            Metric::KEYS,
            json(r#"{"sonometer_metric": 1, "id": "m", "version": "1", "components": [{"protocol": "a"}]}"#),
        ),
        (
            Blueprint::KEYS,
            json(r#"{"sonometer_blueprint": 1, "id": "b", "version": "1", "protocols": ["a"]}"#),
        ),
    ] {
        let schema = json(&json_schema(map));
        let read = |value: &Value| Document::read(&value.to_string());
        assert!(read(&whole).is_ok() && errors(&schema, &whole).is_empty(), "{}", map.name);
        let mut odd = whole.clone();
        odd["qqqqqq"] = json("1");
        let told = read(&odd).expect_err("the odd key is refused").to_string();
        assert!(!errors(&schema, &odd).is_empty());
        for key in map.keys {
            assert!(told.contains(key.name), "{told}");
            let mut with = whole.clone();
            with[key.name] = json(key.example);
            assert!(read(&with).is_ok() && errors(&schema, &with).is_empty(), "{}", key.name);
            let mut without = whole.clone();
            without.as_object_mut().expect("is a map").remove(key.name);
            let refused = key.required || map.one_of.contains(&key.name) && whole.get(key.name).is_some();
            assert_eq!(read(&without).is_err(), refused, "{}", key.name);
            assert_eq!(!errors(&schema, &without).is_empty(), refused, "{}", key.name);
            let Shape::Maps(inner) = key.value else { continue };
            for key in inner.keys {
                let mut item = component.clone();
                item[key.name] = json(key.example);
                with["components"] = Value::Array(vec![item]);
                assert!(read(&with).is_ok() && errors(&schema, &with).is_empty(), "{}", key.name);
            }
        }
    }
}

/// A stage with one of everything that its maps need.
const STAGE_BASE: &str = r#"{"sonometer_stage": 1, "id": "s", "version": "1", "protocol": "a", "objective": "o",
    "start": "arrival", "scenes": {"arrival": {"do": [{"otherwise": "stay"}]}}, "checkpoints": {"long": "turn >= 1"},
    "flags": {"f": {"when": "turn > 5"}}, "vars": {"trust": "0 in 0..1"}, "lists": {"mood": ["a"]},
    "roles": {"world": "w"}, "publication": {"modes": ["practice"]}, "envelope": {"max_turns": 5},
    "attempts": {"practice": {"max": 3}, "graded": {"max": 3}}, "walkthroughs": {"w": {"expect": "pass", "say": "a"}}}"#;

#[test]
fn stages_are_described_as_they_are_read() {
    let schema = json(&json_schema(Stage::KEYS));
    let base = json(STAGE_BASE);
    let refusals = |value: &Value| match sonometer::stage::Stage::read(&value.to_string()) {
        Ok(_) => Vec::new(),
        Err(error) => error.diagnostics.iter().map(ToString::to_string).collect::<Vec<String>>(),
    };
    assert!(refusals(&base).is_empty() && errors(&schema, &base).is_empty(), "{:?}", refusals(&base));
    // Each map by the way to one of its kind.
    let ways = [
        ("stage", ""),
        ("roles", "/roles"),
        ("publication", "/publication"),
        ("attempts", "/attempts"),
        ("attempt", "/attempts/graded"),
        ("envelope", "/envelope"),
        ("scene", "/scenes/arrival"),
        ("entry", "/scenes/arrival/do/0"),
        ("flag", "/flags/f"),
        ("walkthrough", "/walkthroughs/w"),
    ];
    let mut all: Vec<&'static Map> = vec![Stage::KEYS];
    let mut at = 0;
    while at < all.len() {
        for key in all[at].keys {
            if let Shape::Map(inner) | Shape::Maps(inner) = key.value {
                all.push(inner);
            } else if let Shape::Named(Shape::Map(inner)) = &key.value {
                all.push(inner);
            }
        }
        at += 1;
    }
    for (name, way) in ways {
        let map = all.iter().find(|map| map.name == name).expect(name);
        let mut odd = base.clone();
        odd.pointer_mut(way).expect(way)["qqqqqq"] = json("1");
        let told = refusals(&odd).join("\n");
        let (_, list) = told.split_once("the known keys are ").unwrap_or_else(|| panic!("{name}: {told}"));
        let mut read: Vec<&str> = list.lines().next().unwrap_or_default().split(", ").collect();
        let mut known: Vec<&str> = map.keys.iter().map(|key| key.name).collect();
        read.sort_unstable();
        known.sort_unstable();
        assert_eq!(read, known, "the keys of {name}");
        assert!(!errors(&schema, &odd).is_empty());
        for key in map.keys {
            let mut with = base.clone();
            let place = with.pointer_mut(way).expect(way);
            // What stands only without another key.
            for alone in ["protocol", "metric", "blueprint", "otherwise", "do"] {
                let other = place.as_object_mut().expect("is a map");
                let rivals = match key.name {
                    "metric" | "blueprint" => alone == "protocol",
                    "when" => alone == "otherwise",
                    "end" if name == "scene" => alone == "do",
                    _ => false,
                };
                if rivals {
                    other.remove(alone);
                }
            }
            if name == "entry" && key.name == "go" {
                *place = json(r#"{"when": "turn > 1"}"#);
            }
            place[key.name] = json(key.example);
            assert!(refusals(&with).is_empty(), "{}: {:?}", key.name, refusals(&with));
            assert!(errors(&schema, &with).is_empty(), "{}: {:?}", key.name, errors(&schema, &with));
        }
    }
}
