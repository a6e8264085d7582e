//! What a panic said. It is a bug of the engine, and it ends the instance; JavaScript asks for the words afterwards. A module
//! built for size (see `toolchain`) has no such words.

use std::cell::RefCell;
use wasm_bindgen::prelude::*;

thread_local! {
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the words of a panic, before the instance traps.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| {
        let words = info.to_string();
        SAID.with(|said| said.replace(words));
    }));
}

/// What the last panic said; empty if there was none.
pub(crate) fn last() -> String {
    SAID.with(|said| said.borrow().clone())
}
