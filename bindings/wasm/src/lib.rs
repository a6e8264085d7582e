//! The WebAssembly door of Sonometer: what JavaScript calls. It measures nothing and writes no reading of its own; what goes
//! out is the engine's canonical JSON.
//!
//! This is the inner side. What people import is `js/`, which checks types, makes objects of the JSON and knows about
//! traps. Nothing here calls back into JavaScript, so what throws there cannot interrupt the engine.

mod ask;
mod dive;
mod instrument;
mod panic;
mod stream;
mod trouble;

use sonometer::interaction::MAX_CONTENT_BYTES;
use sonometer::{Interaction, TargetKind};
use sonometer_catalog::entries;
use wasm_bindgen::prelude::*;

pub use instrument::{Instrument, interaction};
pub use trouble::{thrown, thrown_of};

/// The engine and its tables, in one line.
#[wasm_bindgen(skip_typescript)]
pub fn fingerprint() -> String {
    sonometer::fingerprint()
}

/// The most bytes of content that an interaction may hold. More is refused before it is copied in.
#[wasm_bindgen(js_name = mostContent, skip_typescript)]
pub fn most_content() -> usize {
    MAX_CONTENT_BYTES
}

/// Reads the JSON text of an interaction and forgets it: it is sound, or this says what is wrong.
///
/// # Errors
/// Those of [`Interaction::from_json`].
#[wasm_bindgen(js_name = checkInteraction, skip_typescript)]
pub fn check_interaction(json: &str) -> Result<(), JsValue> {
    Interaction::from_json(json).map(drop).map_err(trouble::thrown)
}

/// Everything that ships, each as seven texts in a row: kind, id, version, name, status, description, source.
///
/// # Errors
/// `invalid_protocol` if a file that ships cannot be read, which is a bug.
#[wasm_bindgen(skip_typescript)]
pub fn catalog() -> Result<Vec<String>, JsValue> {
    let mut list = Vec::new();
    for entry in TargetKind::ALL.into_iter().flat_map(entries) {
        let (document, _) = entry.document().map_err(trouble::thrown)?;
        let (kind, name, status) = (document.kind().as_str(), document.name(), document.status());
        let facts = [kind, entry.id, entry.version, name, status, document.description(), entry.source];
        list.extend(facts.map(str::to_owned));
    }
    Ok(list)
}

/// What the last panic said; empty if there was none.
#[wasm_bindgen(js_name = lastPanic, skip_typescript)]
pub fn last_panic() -> String {
    panic::last()
}
