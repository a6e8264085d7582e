//! What the editor of the protocol shows at a place, and what a code of `check` means. Places are UTF-16 units, as the page counts.

use crate::mend::read;
use crate::trials::list_file;
use serde::Serialize;
use sonometer::diagnostic::page;
use sonometer::{Diagnostics, TargetKind};
use sonometer_author::assist::{self, Draft};
use sonometer_report::json;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

thread_local! {
    /// The text that was asked about last. It is kept for its tree: names are offered where the newest text cannot be read.
    static DRAFT: RefCell<Draft> = RefCell::default();
}

fn with_draft<R>(source: &str, work: impl FnOnce(&Draft) -> R) -> R {
    DRAFT.with_borrow_mut(|draft| {
        if draft.text() != source {
            draft.set(source.to_owned());
        }
        work(draft)
    })
}

#[derive(Serialize)]
struct Completions<'a> {
    from: usize,
    items: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Item<'a> {
    label: &'a str,
    kind: &'static str,
    detail: &'a str,
    about: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    insert: Option<&'a str>,
}

/// What can be typed at a place, as JSON. `shipped` holds what ships, each as its kind and then `id@version`.
#[wasm_bindgen(skip_typescript)]
pub fn complete(source: &str, at: usize, shipped: Vec<String>) -> String {
    let names = |kind: TargetKind| {
        let pairs = shipped.chunks_exact(2).filter(|pair| pair[0] == kind.as_str());
        pairs.map(|pair| pair[1].clone()).collect()
    };
    with_draft(source, |draft| {
        let found = assist::complete(draft, byte(source, at), &names);
        let items = found.items.iter().map(|item| Item {
            label: &item.label,
            kind: item.kind.as_str(),
            detail: &item.detail,
            about: &item.about,
            insert: item.insert.as_deref(),
        });
        json::text(&Completions { from: units(source, found.from), items: items.collect() })
    })
}

#[derive(Serialize)]
struct About {
    from: usize,
    to: usize,
    /// Markdown.
    text: String,
}

/// What is known about a place, as JSON; empty where nothing is.
#[wasm_bindgen(skip_typescript)]
pub fn explain(source: &str, files: Vec<String>, at: usize) -> String {
    let found: Diagnostics = read(source, &files);
    let list = |path: &str| list_file(&files, path);
    let told = with_draft(source, |draft| assist::explain(draft, byte(source, at), &found, &list));
    told.map_or_else(String::new, |(text, span)| {
        json::text(&About { from: units(source, span.start), to: units(source, span.end), text })
    })
}

/// What the page of codes says about one: title, meaning, the example and the example mended; empty for a code that is unknown.
#[wasm_bindgen(skip_typescript)]
pub fn section(code: &str) -> Vec<String> {
    let Some(section) = page::section(code) else { return Vec::new() };
    [section.title, section.meaning, section.example.text, section.mended.text].map(str::to_owned).to_vec()
}

/// The UTF-16 units before a byte.
pub(crate) fn units(source: &str, byte: usize) -> usize {
    source.get(..byte).map_or(0, |before| before.encode_utf16().count())
}

/// The byte at so many UTF-16 units; the end of the text for more than it has.
fn byte(source: &str, units: usize) -> usize {
    let mut before = 0;
    for (at, letter) in source.char_indices() {
        if before >= units {
            return at;
        }
        before += letter.len_utf16();
    }
    source.len()
}
