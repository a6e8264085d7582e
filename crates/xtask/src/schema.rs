//! The JSON Schemas of protocol, metric, blueprint and stage files: `schema` writes them, `schema --check` compares.

use sonometer::keys::{BLUEPRINT, METRIC, Map, PROTOCOL, STAGE, json_schema_of};
use std::fs;
use std::path::{Path, PathBuf};

/// The kinds of files, by the names of their schemas.
const KINDS: [&Map; 4] = [&PROTOCOL, &METRIC, &BLUEPRINT, &STAGE];

fn path(kind: &Map) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sonometer/schema");
    folder.join(format!("{}.schema.json", kind.name))
}

fn schema(kind: &'static Map) -> Result<String, String> {
    let json = json_schema_of(kind);
    let value: serde_json::Value = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    Ok(serde_json::to_string_pretty(&value).map_err(|error| error.to_string())? + "\n")
}

/// Writes the schemas anew.
pub(crate) fn write() -> Result<(), String> {
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
    Ok(())
}
