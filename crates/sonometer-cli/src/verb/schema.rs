//! `sonometer schema`: the JSON Schema of protocol files, for editors.

use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use sonometer::protocol::keys::json_schema;

pub(crate) fn run(screen: &mut Screen) -> Result<Exit, Failure> {
    let json = json_schema();
    let value: Option<serde_json::Value> = serde_json::from_str(&json).ok();
    let pretty = value.and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or(json);
    screen.print_bytes(&format!("{pretty}\n"))?;
    Ok(Exit::Done)
}
