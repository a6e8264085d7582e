//! Talks as files have them.

use sonometer::Interaction;
use sonometer_wasm::thrown;
use wasm_bindgen::prelude::*;

/// The turns of a JSON list of turns or of messages of a chat, as every other door reads it: role, content and seconds of each, one
/// after the other. Seconds are empty where none are known.
///
/// # Errors
/// Those of reading the list.
#[wasm_bindgen(skip_typescript)]
pub fn turns(list: &str) -> Result<Vec<String>, JsValue> {
    let interaction = Interaction::from_turns(list).map_err(thrown)?;
    let told = interaction.turns().iter().flat_map(|turn| {
        let role = turn.role.as_deref().unwrap_or_default().to_owned();
        let seconds = turn.timestamp.map_or_else(String::new, |seconds| seconds.to_string());
        [role, turn.content.to_string(), seconds]
    });
    Ok(told.collect())
}
