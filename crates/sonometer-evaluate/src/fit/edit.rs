//! Changes in the text of a protocol that somebody wrote, with comments and layout left as they are.

use super::hand::Group;
use super::protocol_file::ProtocolFile;
use crate::error::{Error, Place};
use sonometer::Unit;
use sonometer::document::{self, Key, Node, Style, Value};
use sonometer::protocol::phrase::strip_comment;
use sonometer::protocol::{LineList, Marker, Strengths};
use std::ops::Range;

/// The lists that give evidence, in the order of [`Marker::lines`].
const LISTS: [LineList; 4] = [LineList::Strong, LineList::Clear, LineList::Weak, LineList::Weigh];

/// One marker in the text of a protocol.
pub(crate) struct Editor<'s> {
    file: &'s ProtocolFile,
    label: &'s str,
    entries: Vec<(Key, Node)>,
    /// What to put in the place of which bytes.
    edits: Vec<(Range<usize>, String)>,
}

impl<'s> Editor<'s> {
    /// Opens the marker `label` of a protocol that can be read.
    pub(crate) fn open(file: &'s ProtocolFile, label: &'s str) -> Result<Self, Error> {
        let refuse = |what: &str| Error::at(Place::of(&file.name), what);
        let read = document::read(&file.text).map_err(|finding| refuse(&finding.message))?;
        let markers = match read.0.get("markers").map(|node| &node.value) {
            Some(Value::List(markers)) => markers.clone(),
            _ => Vec::new(),
        };
        let marker = markers.into_iter().find(|node| node.get("label").and_then(Node::text) == Some(label));
        match marker {
            Some(Node { value: Value::Map(entries), span }) if !file.text[span.start..].starts_with('{') => {
                Ok(Self { file, label, entries, edits: Vec::new() })
            }
            _ => Err(refuse(&format!(
                "the marker `{label}` is written in braces and cannot be changed in place; \
                 write it as YAML with one key a line"
            ))),
        }
    }

    /// Gives the marker a key, or another value for it.
    pub(crate) fn set(&mut self, key: &str, value: &str) {
        if let Some((key, node)) = self.entry(key) {
            let range = key.span.end..node.span.end.max(key.span.end);
            self.edits.push((range, format!(": {value}")));
            return;
        }
        let Some((first, node)) = self.entry("label") else { return };
        let indent = self.column(first.span.start);
        let at = self.line_end(node.span.end);
        self.edits.push((at..at, format!("\n{:indent$}{key}: {value}", "")));
    }

    pub(crate) fn set_strengths(&mut self, strengths: Strengths) {
        let Strengths { strong, clear, weak } = strengths;
        self.set("strengths", &format!("{{strong: {strong}, clear: {clear}, weak: {weak}}}"));
    }

    /// Makes one weighted list of all lines of `marker`, in their order, with their comments, and of `others` below. A line of weight 0
    /// becomes a comment: it tells nothing.
    pub(crate) fn weigh(&mut self, marker: &Marker, weights: &[Unit], others: &[Group]) -> Result<(), Error> {
        let mut numbered = marker.lines.iter().zip(weights);
        let mut body = String::new();
        let mut blocks = Vec::new();
        for list in LISTS {
            let Some((key, node)) = self.entry(list.as_str()) else { continue };
            let Value::Scalar(scalar) = &node.value else { return Err(self.in_brackets(list)) };
            let indent = self.column(key.span.start);
            let end = self.line_end(node.span.end);
            // In a block the patterns begin on the next line; else the one pattern stands behind its key.
            let raw = match scalar.style {
                Style::Literal => self.file.text[self.line_end(key.span.end)..end].to_owned(),
                _ => scalar.text.clone() + &self.file.text[node.span.end..end],
            };
            for line in raw.lines().filter(|line| !line.trim().is_empty()) {
                let (text, _) = strip_comment(line);
                let comment = line.trim_start()[text.len()..].trim();
                body.push_str(&format!("\n{:indent$}  ", ""));
                if !text.is_empty()
                    && let Some((line, weight)) = numbered.next()
                {
                    match *weight {
                        Unit::ZERO => body.push_str(&format!("# {} (tells nothing here)", line.text)),
                        weight => body.push_str(&format!("{} = {weight}", line.text)),
                    }
                    body.push_str(if comment.is_empty() { "" } else { "   " });
                }
                body.push_str(comment);
            }
            blocks.push((key.span.start, end));
        }
        if let Some((start, _)) = blocks.first() {
            let indent = self.column(*start);
            for (place, lines) in others {
                body.push_str(&format!("\n{:indent$}  # {place}", ""));
                for (pattern, weight) in lines {
                    body.push_str(&format!("\n{:indent$}  {pattern} = {weight}", ""));
                }
            }
        }
        let mut first = true;
        for (start, end) in blocks {
            if std::mem::take(&mut first) {
                self.edits.push((start..end, format!("weigh: |{body}")));
            } else {
                // With the line break before the key.
                let start = self.file.text[..start].rfind('\n').unwrap_or(start);
                self.edits.push((start..end, String::new()));
            }
        }
        Ok(())
    }

    /// The text of a protocol with one more marker before all others; `block` is a list item without indent.
    pub(crate) fn insert_marker(file: &ProtocolFile, block: &str) -> Result<String, Error> {
        let refuse = |what: &str| Error::at(Place::of(&file.name), what);
        let read = document::read(&file.text).map_err(|finding| refuse(&finding.message))?;
        let first = match read.0.get("markers").map(|node| &node.value) {
            Some(Value::List(markers)) => markers.first().map(|marker| marker.span.start),
            _ => None,
        };
        let line = first.map(|at| (file.text[..at].rfind('\n').map_or(0, |end| end + 1), at));
        let before = line.map(|(start, at)| (start, &file.text[start..at]));
        match before {
            Some((start, before)) if before.trim() == "-" => {
                let indent = before.len() - before.trim_start().len();
                let block: String = block.lines().map(|line| format!("{:indent$}{line}\n", "")).collect();
                Ok(format!("{}{block}{}", &file.text[..start], &file.text[start..]))
            }
            _ => Err(refuse(
                "a marker cannot be added where `markers` is written in braces; write it as YAML, each marker on lines of its own",
            )),
        }
    }

    /// The text of a protocol file in which some of its own keys, such as `id`, have these values. Keys that the file lacks are left out.
    pub(crate) fn set_above(file: &ProtocolFile, values: &[(&str, String)]) -> Result<String, Error> {
        let refuse = |what: &str| Error::at(Place::of(&file.name), what);
        let read = document::read(&file.text).map_err(|finding| refuse(&finding.message))?;
        let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
        for (key, value) in values {
            edits.extend(read.0.get(key).map(|node| (node.span.start..node.span.end, value.as_str())));
        }
        edits.sort_by_key(|(range, _)| range.start);
        let mut text = file.text.to_string();
        for (range, value) in edits.into_iter().rev() {
            text.replace_range(range, value);
        }
        Ok(text)
    }

    /// The text with all changes.
    pub(crate) fn finish(mut self) -> String {
        // From the end, so that earlier places stay where they are.
        self.edits.sort_by_key(|(range, _)| range.start);
        let mut text = self.file.text.to_string();
        for (range, new) in self.edits.into_iter().rev() {
            text.replace_range(range, &new);
        }
        text
    }

    fn entry(&self, key: &str) -> Option<(&Key, &Node)> {
        self.entries.iter().find(|(own, _)| own.text == key).map(|(key, node)| (key, node))
    }

    fn column(&self, at: usize) -> usize {
        at - self.file.text[..at].rfind('\n').map_or(0, |line| line + 1)
    }

    /// The end of the line that the byte before `at` stands in, without its break.
    fn line_end(&self, at: usize) -> usize {
        let text = &self.file.text;
        if at > 0 && text[..at].ends_with('\n') {
            return at - 1;
        }
        text[at..].find('\n').map_or(text.len(), |length| at + length)
    }

    fn in_brackets(&self, list: LineList) -> Error {
        let (list, label) = (list.as_str(), self.label);
        let message = format!(
            "`{list}` of `{label}` is a list in brackets; write `{list}: |` and below it one pattern on each line"
        );
        Error::at(Place::of(&self.file.name), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Protocol;

    const TEXT: &str = "sonometer: 1 # notation
id: x
version: \"1\"
taxonomy: Signal
markers:
  - label: other
    strong: fine
  - label: thanks   # said, not meant
    trigger: 0.5    # the middle
    strong: |
      thank you     # the plain one
      # of old
      much obliged

    negation: keep
    weak: \"ta\" # short
    hit: |
      thank you
";

    fn file() -> ProtocolFile {
        ProtocolFile { name: "x.yaml".into(), text: TEXT.into(), list_files: Vec::new() }
    }

    #[test]
    fn values_change_and_the_rest_stays() {
        let file = file();
        let mut editor = Editor::open(&file, "thanks").expect("is there");
        editor.set("trigger", "0.4");
        editor.set_strengths(Strengths { weak: Unit(200_000), ..Strengths::default() });
        let expected = TEXT
            .replace("trigger: 0.5 ", "trigger: 0.4 ")
            .replace("not meant\n", "not meant\n    strengths: {strong: 1, clear: 0.6, weak: 0.2}\n");
        let found = editor.finish();
        assert_eq!(found, expected);
        Protocol::read(&found).expect("still reads");
    }

    #[test]
    fn lists_become_one_weighted_list() {
        let file = file();
        let (protocol, _) = file.read().expect("reads");
        let mut editor = Editor::open(&file, "thanks").expect("is there");
        editor
            .weigh(&protocol.markers[1], &[Unit(400_000), Unit(0), Unit(-100_000)], &[])
            .expect("are blocks");
        let found = editor.finish();
        let expected = "  - label: thanks   # said, not meant
    trigger: 0.5    # the middle
    weigh: |
      thank you = 0.4   # the plain one
      # of old
      # much obliged (tells nothing here)
      ta = -0.1   # short

    negation: keep
    hit: |
      thank you
";
        assert!(found.ends_with(expected), "{found}");
        let (protocol, _) = Protocol::read(&found).expect("still reads");
        assert_eq!(protocol.markers[1].lines.len(), 2);
    }

    #[test]
    fn markers_in_braces_are_refused() {
        let json = r#"{"markers": [{"label": "x", "strong": "y"}]}"#;
        let file = ProtocolFile { name: "x.json".into(), text: json.into(), list_files: Vec::new() };
        assert!(Editor::open(&file, "x").is_err());
    }
}
