//! The one normal form of a protocol, metric, blueprint or stage in YAML.
//!
//! The tree of the reader gives the values, the source between them gives comments and blank lines (`tree`); `order`
//! knows where keys belong, `scalar` what needs quotes, `print` writes it down. Nothing is believed: the result must
//! read as the same, with the same comments, or it is not given out.

mod order;
mod print;
mod scalar;
mod tree;

use sonometer::document::{self, Node};
use sonometer::keys::Map;
use sonometer::protocol::ListFiles;
use sonometer::stage::Stage;
use sonometer::{Blueprint, Diagnostics, Document, Error, Metric, Protocol, TargetKind};

/// Why a text is left as it is.
#[derive(Debug)]
pub enum Refusal {
    /// It has errors.
    Findings(Diagnostics),
    /// It is JSON, whose form is the business of JSON tools.
    Json,
    /// The result would not say the same: a mistake of this module.
    Changed(&'static str),
}

/// The normal form of the file `text`; `files` gives the list files that it names.
pub fn format(text: &str, files: &ListFiles<'_>) -> Result<String, Refusal> {
    let (keys, before) = read(text, files)?;
    if is_json(text) {
        return Err(Refusal::Json);
    }
    let (formatted, comments) = print(text, keys)?;
    let (_, after) = read(&formatted, files).map_err(|_| Refusal::Changed("the result could not be read"))?;
    if after != before {
        return Err(Refusal::Changed("the meaning would change"));
    }
    let (again, kept) = print(&formatted, keys)?;
    if kept != comments {
        return Err(Refusal::Changed("a comment would be lost"));
    }
    if again != formatted {
        return Err(Refusal::Changed("formatting again would change it again"));
    }
    Ok(formatted)
}

/// The keys of this kind of file, and its canonical JSON.
fn read(text: &str, files: &ListFiles<'_>) -> Result<(&'static Map, String), Refusal> {
    let refused = |error: Error| Refusal::Findings(error.diagnostics);
    if tree_of(text)?.get("sonometer_stage").is_some() {
        let (stage, _) = Stage::read(text).map_err(refused)?;
        return Ok((Stage::KEYS, stage.to_canonical_json()));
    }
    let (document, _) = Document::read_with(text, files).map_err(refused)?;
    let keys = match document.kind() {
        TargetKind::Protocol => Protocol::KEYS,
        TargetKind::Metric => Metric::KEYS,
        TargetKind::Blueprint => Blueprint::KEYS,
    };
    Ok((keys, document.to_canonical_json()))
}

fn tree_of(text: &str) -> Result<Node, Refusal> {
    let tree = document::read(text).map_err(|finding| {
        let mut found = Diagnostics::new();
        found.push(finding);
        Refusal::Findings(found)
    });
    tree.map(|(root, _)| root)
}

/// The text printed anew, and its comments in the order of the alphabet.
fn print(text: &str, keys: &'static Map) -> Result<(String, Vec<String>), Refusal> {
    let root = tree_of(text)?;
    let document = tree::Document::of(text, &root);
    let mut comments = document.comments();
    comments.sort_unstable();
    Ok((print::print(&document, order::Kind::root(keys)), comments))
}

fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{') && document::read_json(text).is_ok()
}

#[cfg(test)]
mod stage_tests;
#[cfg(test)]
mod tests;
