//! Errors on their way to JavaScript, as plain arrays: `js/errors.js` makes a `SonometerError` of them.

use sonometer::diagnostic::{Diagnostic, Severity, line_and_column};
use sonometer::{Diagnostics, Error};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// JavaScript's own array.
    pub(crate) type Array;

    #[wasm_bindgen(constructor)]
    fn new() -> Array;

    #[wasm_bindgen(method)]
    fn push(this: &Array, value: &JsValue) -> u32;
}

fn array(values: impl IntoIterator<Item = JsValue>) -> JsValue {
    let array = Array::new();
    for value in values {
        array.push(&value);
    }
    array.into()
}

/// `[code, message, place]`.
pub fn thrown(error: Error) -> JsValue {
    thrown_of("", error)
}

/// The same of what has a code of its own.
pub(crate) fn thrown_as(code: &str, message: &str, place: &str) -> JsValue {
    array([code.into(), message.into(), place.into(), array([])])
}

/// `[code, message, place, findings]`, the findings being about `source`.
pub fn thrown_of(source: &str, error: Error) -> JsValue {
    let Error { code, message, place, diagnostics } = error;
    array([code.as_str().into(), message.into(), place.into(), findings(source, &diagnostics)])
}

/// Each as `[code, severity, message, fix, line, column, start, end]`. Lines and columns count from 1, columns in code
/// points, as the engine's messages do; `start` and `end` count UTF-16 units, as JavaScript does.
pub(crate) fn findings(source: &str, diagnostics: &Diagnostics) -> JsValue {
    array(diagnostics.iter().map(|diagnostic| finding(source, diagnostic)))
}

fn finding(source: &str, diagnostic: &Diagnostic) -> JsValue {
    let (line, column) = line_and_column(source, diagnostic.span.start);
    let severity = match diagnostic.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    array([
        diagnostic.code.into(),
        severity.into(),
        diagnostic.message.as_str().into(),
        diagnostic.fix.as_str().into(),
        number(line),
        number(column),
        number(units_before(source, diagnostic.span.start)),
        number(units_before(source, diagnostic.span.end)),
    ])
}

/// The UTF-16 units before a byte; a place inside a character counts as the place before it.
fn units_before(source: &str, byte: usize) -> usize {
    source.char_indices().take_while(|(at, c)| at + c.len_utf8() <= byte).map(|(_, c)| c.len_utf16()).sum()
}

/// Sources are at most 16 MiB, so every place in them fits.
fn number(value: usize) -> JsValue {
    u32::try_from(value).unwrap_or(u32::MAX).into()
}
