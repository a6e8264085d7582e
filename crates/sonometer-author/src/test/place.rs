//! Where something stands in the file that the protocol itself does not remember.

use super::mutant::{Change, Mutant, entries};
use sonometer::diagnostic::Span;
use sonometer::document::{self, Node, Value};
use sonometer::protocol::phrase::strip_comment;

/// The file as a tree.
#[derive(Debug)]
pub struct Places {
    root: Option<Node>,
}

impl Places {
    /// Of the text of a sound protocol.
    pub fn of(text: &str) -> Self {
        Self { root: document::read(text).ok().map(|(root, _)| root) }
    }

    /// The place of what a mutant takes away.
    pub fn of_mutant(&self, mutant: &Mutant<'_>) -> Option<Span> {
        match &mutant.change {
            Change::Line { .. } => mutant.span,
            Change::Condition(key) => self.marker(&mutant.marker.label)?.get(key).map(|node| node.span),
            Change::Entry { list, line, at } => {
                let node = self.root.as_ref()?.get("lists")?.get(list)?;
                let lines = node.lines();
                let mut written = lines.iter().filter(|line| !strip_comment(line.text).0.is_empty());
                let line = written.nth(*line)?;
                let (text, cut) = strip_comment(line.text);
                let entry = *entries(text).get(*at)?;
                let offset = entry.as_ptr() as usize - text.as_ptr() as usize;
                let start = (line.span.start + cut + offset).min(line.span.end);
                Some(Span::new(start, (start + entry.len()).min(line.span.end)))
            }
        }
    }

    fn marker(&self, label: &str) -> Option<&Node> {
        let Value::List(items) = &self.root.as_ref()?.get("markers")?.value else { return None };
        items
            .iter()
            .find(|item| item.get("label").and_then(Node::text).is_some_and(|text| text.trim() == label))
    }
}
