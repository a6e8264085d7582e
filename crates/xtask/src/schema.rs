//! The JSON Schema of protocol files: `schema` writes it, `schema --check` compares.

use std::fs;
use std::path::{Path, PathBuf};

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../sonometer/schema/protocol.schema.json")
}

fn schema() -> Result<String, String> {
    let json = sonometer::protocol::keys::json_schema();
    let value: serde_json::Value = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    Ok(serde_json::to_string_pretty(&value).map_err(|error| error.to_string())? + "\n")
}

/// Writes the schema anew.
pub(crate) fn write() -> Result<(), String> {
    fs::write(path(), schema()?).map_err(|error| error.to_string())
}

/// Fails if the committed schema is not that of the code.
pub(crate) fn check() -> Result<(), String> {
    let committed = fs::read_to_string(path()).unwrap_or_default().replace("\r\n", "\n");
    match committed == schema()? {
        true => Ok(()),
        false => Err("schema/protocol.schema.json is out of date: run `cargo xtask schema`".to_owned()),
    }
}
