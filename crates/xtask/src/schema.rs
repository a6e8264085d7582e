//! What is published of the tables of keys: the JSON Schemas of protocol, metric, blueprint and stage files, and the page of all
//! keys, `docs/keys.md`. `schema` writes them, `schema --check` compares.

use sonometer::keys::{Key, Map, Shape, json_schema};
use sonometer::stage::Stage;
use sonometer::{Blueprint, Metric, Protocol};
use std::fs;
use std::path::{Path, PathBuf};

/// The kinds of files, by the names of their schemas.
const KINDS: [&Map; 4] = [Protocol::KEYS, Metric::KEYS, Blueprint::KEYS, Stage::KEYS];

fn path(kind: &Map) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sonometer/schema");
    folder.join(format!("{}.schema.json", kind.name))
}

fn schema(kind: &'static Map) -> Result<String, String> {
    let json = json_schema(kind);
    let value: serde_json::Value = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    Ok(serde_json::to_string_pretty(&value).map_err(|error| error.to_string())? + "\n")
}

/// Writes the schemas anew.
pub(crate) fn write() -> Result<(), String> {
    fs::write(page_path(), page()).map_err(|error| error.to_string())?;
    KINDS.iter().try_for_each(|kind| fs::write(path(kind), schema(kind)?).map_err(|error| error.to_string()))
}

/// Fails if a committed schema is not that of the code.
pub(crate) fn check() -> Result<(), String> {
    for kind in KINDS {
        let committed = fs::read_to_string(path(kind)).unwrap_or_default().replace("\r\n", "\n");
        if committed != schema(kind)? {
            return Err(format!("schema/{}.schema.json is out of date: run `cargo xtask schema`", kind.name));
        }
    }
    if fs::read_to_string(page_path()).unwrap_or_default().replace("\r\n", "\n") != page() {
        return Err("docs/keys.md is out of date: run `cargo xtask schema`".to_owned());
    }
    Ok(())
}

fn page_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../sonometer/docs/keys.md")
}

/// The page of all keys, a table for each map.
fn page() -> String {
    let mut page = "# All keys\n\n`cargo xtask schema` writes this page from the tables that the reader, the JSON Schemas and \
        `sonometer fmt` use.\nValues are written as JSON; YAML files need fewer quotes. [How a protocol is written](protocol.md) \
        goes step by step.\nICS is the Interaction Computed Signal, the unit of billing, and SGM the version of the measuring \
        rules ([glossary](../../../docs/glossary.md)).\n"
        .to_owned();
    let mut seen: Vec<&str> = Vec::new();
    for kind in KINDS {
        let mut maps = vec![kind];
        while let Some(map) = maps.pop() {
            if seen.contains(&map.name) {
                continue;
            }
            seen.push(map.name);
            let level = if std::ptr::eq(map, kind) { "##" } else { "###" };
            page += &format!("\n{level} {}\n\n", title(map.name));
            if !map.one_of.is_empty() {
                page += &format!("At least one of {} is needed.\n\n", quoted(map.one_of));
            }
            page += "| key | value | without it | meaning | example |\n|---|---|---|---|---|\n";
            for key in map.keys {
                page += &row(key);
            }
            maps.extend(map.keys.iter().rev().filter_map(|key| inner(&key.value)));
        }
    }
    page
}

fn title(name: &str) -> String {
    match name {
        "protocol" | "metric" | "blueprint" | "stage" => format!("A {name}"),
        inner => format!("`{inner}`"),
    }
}

fn row(key: &Key) -> String {
    let without = match (key.required, key.default) {
        (true, _) => "needed".to_owned(),
        (false, "") => String::new(),
        (false, default) => format!("`{default}`"),
    };
    let (value, example) = (value(&key.value), key.example.replace('|', "\\|"));
    format!("| `{}` | {value} | {without} | {} | `{example}` |\n", key.name, key.about)
}

fn value(shape: &Shape) -> String {
    match shape {
        Shape::Text => "text".to_owned(),
        Shape::Identifier => "name: 1 to 64 lower-case letters, digits, `-`, `_`".to_owned(),
        Shape::Written { like, names: [] } => format!("`{}`", like.replace('|', "\\|")),
        Shape::Written { names, .. } => format!("such as {}", quoted(names)),
        Shape::Name(names) => format!("one of {}", quoted(names)),
        Shape::Names(names) => format!("some of {}", quoted(names)),
        Shape::Texts => "text or list of texts".to_owned(),
        Shape::Lines => "lines".to_owned(),
        Shape::Number(low, high) => format!("number from {low} to {high}"),
        Shape::Count(low, high) => format!("whole number from {low} to {high}"),
        Shape::Truth => "`true` or `false`".to_owned(),
        Shape::Map(map) => format!("map `{}`", map.name),
        Shape::Maps(map) => format!("list of maps `{}`", map.name),
        Shape::Named(shape) => format!("names, each with: {}", value(shape)),
    }
}

fn inner(shape: &'static Shape) -> Option<&'static Map> {
    match shape {
        Shape::Map(map) | Shape::Maps(map) => Some(map),
        Shape::Named(shape) => inner(shape),
        _ => None,
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
