//! The changes that mend a finding.

use crate::assist::units;
use crate::trials::list_file;
use serde::Serialize;
use sonometer::{Diagnostics, Document};
use sonometer_author::fix;
use sonometer_report::json;
use wasm_bindgen::prelude::*;

/// A change, in UTF-16 units of the source as an editor counts.
#[derive(Serialize)]
struct Edit {
    from: usize,
    to: usize,
    insert: String,
}

/// The changes that mend the finding with this code that starts at `start` (UTF-16 units), the best first, as a JSON list of `{"from", "to",
/// "insert"}`; an empty list if there is no such finding.
#[wasm_bindgen(skip_typescript)]
pub fn fixes(source: &str, files: Vec<String>, code: &str, start: usize) -> String {
    let again = |text: &str| read(text, &files);
    let units = |byte: usize| units(source, byte);
    let found = again(source);
    let finding = found.iter().find(|finding| finding.code == code && units(finding.span.start) == start);
    let fixes = finding.map(|finding| fix::fixes(source, &found, finding, &again)).unwrap_or_default();
    let edit =
        |fix: fix::Fix| Edit { from: units(fix.span.start), to: units(fix.span.end), insert: fix.text };
    json::text(&fixes.into_iter().map(edit).collect::<Vec<_>>())
}

/// What `check` finds in a text. `files` are its list files, each a path and then a text.
pub(crate) fn read(text: &str, files: &[String]) -> Diagnostics {
    match Document::read_with(text, &|path| list_file(files, path)) {
        Ok((_, warnings)) => warnings,
        Err(error) => error.diagnostics,
    }
}
