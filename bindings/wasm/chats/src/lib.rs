//! Reads chats of other programs, as a module of its own: pages that only sense do not fetch it, and those that only read chats do not
//! fetch the engine. What people import is `js/chats.js`.

use sonometer::Error;
use sonometer::interaction::{MessageForm, Messages};
use wasm_bindgen::prelude::*;

/// A chat as JSON (`form`, `interaction`, `places`, `apart`, `notices`), alone in its list; or code, message and place of what is wrong.
#[wasm_bindgen(skip_typescript)]
pub fn read(json: &str, form: Option<String>) -> Vec<String> {
    let read = || {
        let form = form.as_deref().map(MessageForm::from_name).transpose()?;
        Messages::read(json, form)
    };
    match read() {
        Ok(messages) => vec![messages.to_json()],
        Err(Error { code, message, place, .. }) => vec![code.as_str().to_owned(), message, place],
    }
}
