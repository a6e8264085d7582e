//! A file as an editor has it, with its places in the editor's way of counting.

use crate::target::Source;
use lsp_types::{Position, Range, Uri};
use sonometer::diagnostic::Span;
use sonometer::document::{Node, Value};
use sonometer_author::assist::Draft;

/// How an editor counts columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Columns {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, what every editor knows.
    Utf16,
}

/// An open file.
pub(super) struct File {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) source: Source,
    /// Whether it changed since findings were last sent.
    pub(super) changed: bool,
    /// What the tests came to when the file was last opened or saved.
    pub(super) tests: super::lenses::Tests,
    /// The same text with its tree.
    pub(super) draft: Draft,
    /// Where lines begin.
    lines: Vec<usize>,
    columns: Columns,
}

impl File {
    pub(super) fn new(uri: Uri, version: i32, text: String, columns: Columns) -> Self {
        let source = Source { name: name_of(&uri), text: String::new().into() };
        let mut file = Self {
            uri,
            version,
            source,
            changed: true,
            tests: super::lenses::Tests::default(),
            draft: Draft::default(),
            lines: Vec::new(),
            columns,
        };
        file.set(version, text);
        file
    }

    /// Another text.
    pub(super) fn set(&mut self, version: i32, text: String) {
        self.version = version;
        self.changed = true;
        self.tests.is_current = false;
        self.lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        self.draft.set(text.clone());
        self.source.text = text.into();
    }

    pub(super) fn text(&self) -> &str {
        &self.source.text
    }

    /// The tree of this very text.
    pub(super) fn tree(&self) -> Option<&Node> {
        self.draft.tree()
    }

    /// The byte of a position; a position past the end of its line is the end of the line.
    pub(super) fn offset(&self, position: Position) -> usize {
        let Some(&start) = self.lines.get(position.line as usize) else { return self.text().len() };
        let line = self.text()[start..].split('\n').next().unwrap_or_default();
        let wanted = position.character as usize;
        if self.columns == Columns::Utf8 {
            return start + line.floor_char_boundary(wanted.min(line.len()));
        }
        let mut units = 0;
        for (at, letter) in line.char_indices() {
            if units >= wanted {
                return start + at;
            }
            units += letter.len_utf16();
        }
        start + line.len()
    }

    /// The position of a byte.
    pub(super) fn position(&self, at: usize) -> Position {
        let at = self.text().floor_char_boundary(at.min(self.text().len()));
        let line = self.lines.partition_point(|start| *start <= at).saturating_sub(1);
        let before = &self.text()[self.lines[line]..at];
        let column = match self.columns {
            Columns::Utf8 => before.len(),
            Columns::Utf16 => before.encode_utf16().count(),
        };
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position { line: small(line), character: small(column) }
    }

    pub(super) fn range(&self, span: Span) -> Range {
        Range { start: self.position(span.start), end: self.position(span.end) }
    }

    /// The length of a part in the editor's units.
    pub(super) fn width(&self, span: Span) -> u32 {
        let text = &self.text()[span.range()];
        let width = match self.columns {
            Columns::Utf8 => text.len(),
            Columns::Utf16 => text.encode_utf16().count(),
        };
        u32::try_from(width).unwrap_or(u32::MAX)
    }

    /// All of it.
    pub(super) fn whole(&self) -> Range {
        self.range(Span::new(0, self.text().len()))
    }
}

/// The items of a list; none of anything else.
pub(super) fn items(node: &Node) -> &[Node] {
    match &node.value {
        Value::List(items) => items,
        _ => &[],
    }
}

/// The path of a file; another address gives its last part, so that what the file names is looked for in the catalogue alone.
fn name_of(uri: &Uri) -> String {
    let path = url::Url::parse(uri.as_str())
        .ok()
        .filter(|url| url.scheme() == "file")
        .and_then(|url| url.to_file_path().ok());
    match path {
        Some(path) => path.display().to_string(),
        None => {
            uri.as_str()
                .rsplit(['/', ':'])
                .next()
                .filter(|name| !name.is_empty())
                .unwrap_or("unnamed")
                .to_owned()
                + ".yaml"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str, columns: Columns) -> File {
        File::new("file:///tmp/a%20b/x.yaml".parse().expect("an address"), 1, text.to_owned(), columns)
    }

    #[test]
    fn places_are_counted_as_the_editor_does() {
        let text = "a: ü𝄞x\nb: y";
        for (columns, x) in [(Columns::Utf16, 6), (Columns::Utf8, 9)] {
            let file = file(text, columns);
            let at = text.find('x').expect("is there");
            assert_eq!(file.position(at), Position { line: 0, character: x });
            assert_eq!(file.offset(Position { line: 0, character: x }), at);
            assert_eq!(file.offset(Position { line: 1, character: 3 }), text.find('y').expect("is there"));
            assert_eq!(file.offset(Position { line: 0, character: 99 }), text.find('\n').expect("is there"));
            assert_eq!(file.offset(Position { line: 9, character: 0 }), text.len());
            assert_eq!(file.width(Span::new(3, at)), if columns == Columns::Utf16 { 3 } else { 6 });
        }
    }

    #[test]
    fn files_have_their_path() {
        let file = file("sonometer_metric: 1\n", Columns::Utf16);
        assert_eq!(file.source.name, "/tmp/a b/x.yaml");
        let unnamed =
            File::new("untitled:Untitled-1".parse().expect("an address"), 1, String::new(), Columns::Utf8);
        assert_eq!(unnamed.source.name, "Untitled-1.yaml");
    }
}
