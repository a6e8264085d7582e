//! The one normal form of a protocol, metric or blueprint in YAML.
//!
//! The tree of the reader gives the values, the source between them gives comments and blank lines (`tree`); `order`
//! knows where keys belong, `scalar` what needs quotes, `print` writes it down. Nothing is believed: the result must
//! read as the same, with the same comments, or it is not given out.

mod order;
mod print;
mod scalar;
mod tree;

use sonometer::protocol::source::{self, Node};
use sonometer::{Diagnostics, Document, TargetKind};

/// Why a text is left as it is.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It has errors.
    Findings(Diagnostics),
    /// It is JSON, whose form is the business of JSON tools.
    Json,
    /// The result would not say the same: a mistake of this module.
    Changed(&'static str),
}

/// The normal form of the file `text`.
pub(crate) fn format(text: &str) -> Result<String, Refusal> {
    let before = read(text)?;
    if is_json(text) {
        return Err(Refusal::Json);
    }
    let kind = before.kind();
    let (formatted, comments) = print(text, kind)?;
    let after = read(&formatted).map_err(|_| Refusal::Changed("it could not be read any more"))?;
    if after.to_canonical_json() != before.to_canonical_json() {
        return Err(Refusal::Changed("it would not mean the same"));
    }
    let (again, kept) = print(&formatted, kind)?;
    if kept != comments {
        return Err(Refusal::Changed("a comment would be lost"));
    }
    if again != formatted {
        return Err(Refusal::Changed("the result would not be final"));
    }
    Ok(formatted)
}

fn read(text: &str) -> Result<Document, Refusal> {
    Document::read(text).map(|(document, _)| document).map_err(|error| Refusal::Findings(error.diagnostics))
}

/// The text printed anew, and its comments in the order of the alphabet.
fn print(text: &str, kind: TargetKind) -> Result<(String, Vec<String>), Refusal> {
    let (root, _): (Node, _) = source::read(text).map_err(|finding| {
        let mut found = Diagnostics::new();
        found.push(finding);
        Refusal::Findings(found)
    })?;
    let document = tree::Document::of(text, &root);
    let mut comments = document.comments();
    comments.sort_unstable();
    Ok((print::print(&document, order::Kind::root(kind)), comments))
}

fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{') && source::read_json(text).is_ok()
}

#[cfg(test)]
mod tests;
