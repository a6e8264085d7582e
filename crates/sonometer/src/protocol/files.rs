//! List files: long lists of plain phrases in files beside a protocol. The engine reads no file: the caller passes a function that gives
//! the text for a path.

use super::Protocol;
use super::phrase::Phrases;
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};
use crate::document::Value;
use crate::keys::fields::{Fields, check_identifier, text_of};
use std::borrow::Cow;

/// The most list files of one protocol.
pub const MAX_LIST_FILES: usize = 64;
/// The most bytes of a path.
const MAX_PATH_BYTES: usize = 200;

/// Gives the text of a list file by the path that a protocol names.
pub type ListFiles<'f> = dyn Fn(&str) -> Result<Cow<'f, str>, NoFile> + 'f;

/// Why there is no text for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoFile {
    /// What is wrong: `is missing`, `is not UTF-8`.
    pub reason: String,
    /// What to do.
    pub fix: String,
}

impl NoFile {
    /// Nobody has given it.
    pub fn missing(fix: impl Into<String>) -> Self {
        Self { reason: "is missing".into(), fix: fix.into() }
    }
}

/// A list of a protocol whose phrases stand in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListFile {
    /// The name of the list.
    pub name: String,
    /// The path of the file, from the folder of the protocol.
    pub path: String,
    /// Its phrases.
    pub phrases: Phrases,
}

impl Protocol {
    /// The text of one of its own list files: to read a changed form of it.
    ///
    /// # Errors
    /// If it has none with that path.
    pub fn list_file(&self, path: &str) -> Result<Cow<'_, str>, NoFile> {
        let file = self.list_files.iter().find(|file| file.path == path);
        file.map(|file| file.phrases.text().into())
            .ok_or_else(|| NoFile::missing("name one that the protocol has"))
    }
}

/// Where nobody gives files.
pub(crate) fn none(_: &str) -> Result<Cow<'static, str>, NoFile> {
    Err(NoFile::missing(
        "pass its text (`Protocol::read_with`, in Python and JavaScript `files`), or write its entries into `lists`",
    ))
}

/// Whether a text is the path of a list file: parts of letters of ASCII, digits, `.`, `_` and `-` with `/` between, none of which begins
/// with a dot. So no path leaves the folder of the protocol, and all mean the same on every system.
pub fn is_list_path(path: &str) -> bool {
    let sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let part = |part: &str| !part.is_empty() && !part.starts_with('.') && part.bytes().all(sign);
    path.len() <= MAX_PATH_BYTES && path.split('/').all(part)
}

/// Reads `list_files`.
pub(super) fn read(fields: &mut Fields<'_, '_>, files: &ListFiles<'_>) -> Vec<ListFile> {
    let Some(node) = fields.take("list_files") else { return Vec::new() };
    let entries = match &node.value {
        Value::Map(entries) if entries.len() <= MAX_LIST_FILES => entries.as_slice(),
        _ => {
            let message = format!("`list_files` is not a map of 1 to {MAX_LIST_FILES} names to paths");
            let fix = "write `list_files: {first_name: names/first.txt}`";
            fields.found.push(Diagnostic::error("SM0370", node.span, message, fix));
            return Vec::new();
        }
    };
    let mut all = Vec::new();
    for (name, node) in entries {
        check_identifier(&name.text, name.span, "list name", fields.found);
        let Some(written) = text_of(node, "list_files", fields.found) else { continue };
        let file = list(&name.text, written, node.span, files, fields.found);
        // The list is there, if broken: a line that names it is not at fault.
        all.extend(file.or_else(|| stand_in(&name.text)));
    }
    all
}

/// A list in the place of one that cannot be read.
fn stand_in(name: &str) -> Option<ListFile> {
    let phrases = Phrases::read("nothing").ok()?;
    Some(ListFile { name: name.to_owned(), path: String::new(), phrases })
}

/// A list of `path`, or of `path sha256:…`.
fn list(
    name: &str,
    written: &str,
    span: Span,
    files: &ListFiles<'_>,
    found: &mut Diagnostics,
) -> Option<ListFile> {
    // Only a digest stands behind a space: what else does belongs to the name of a file.
    let (path, digest) = match written.split_once(' ').map(|(path, rest)| (path, rest.trim())) {
        Some((path, digest)) if digest.starts_with("sha256:") => (path, Some(digest)),
        _ => (written, None),
    };
    if !is_list_path(path) {
        let message = format!("`{}` is not the path of a list file", excerpt(path));
        let fix = "write a path below the folder of the protocol, such as `names/first.txt`, of letters, digits, `.`, `_` and `-`";
        found.push(Diagnostic::error("SM0371", span, message, fix));
        return None;
    }
    let text = match files(path) {
        Ok(text) => text,
        Err(NoFile { reason, fix }) => {
            found.push(Diagnostic::error("SM0372", span, format!("the list file `{path}` {reason}"), fix));
            return None;
        }
    };
    let phrases = match Phrases::read(&text) {
        Ok(phrases) => phrases,
        Err(wrong) => {
            let place = wrong.line.map_or_else(String::new, |line| format!(", line {line}"));
            let message = format!("the list file `{path}`{place}: {}", wrong.message);
            found.push(Diagnostic::error("SM0373", span, message, wrong.fix));
            return None;
        }
    };
    if let Some(digest) = digest
        && digest != phrases.digest()
    {
        let message =
            format!("the list file `{path}` holds other phrases than those with `{}`", excerpt(digest));
        let fix = format!("take the file that belongs to it, or write `{path}` alone");
        found.push(Diagnostic::error("SM0374", span, message, fix));
        return None;
    }
    Some(ListFile { name: name.to_owned(), path: path.to_owned(), phrases })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leaves_the_folder() {
        for path in ["a", "a.txt", "names/first.txt", "a/b/c-d_e.1.txt"] {
            assert!(is_list_path(path), "{path}");
        }
        let long = "a".repeat(201);
        for path in [
            "", "/a", "a/", "a//b", "../a", "a/../b", "./a", ".a", "a/.b", "a\\b", "c:a", "a b", "é", "a\0",
            &long,
        ] {
            assert!(!is_list_path(path), "{path:?}");
        }
    }
}
