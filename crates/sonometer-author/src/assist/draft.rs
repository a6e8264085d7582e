//! A file that is being written: it often cannot be read, and its names must be known all the same.

use sonometer::document::{self, Node, Value};
use sonometer::keys::Map;
use sonometer::stage::Stage;
use sonometer::{Blueprint, Metric, Protocol};

/// The text of a file, with the tree of the last text that could be read.
#[derive(Debug, Default)]
pub struct Draft {
    text: String,
    tree: Option<Node>,
    /// Whether the tree is that of the text.
    is_current: bool,
}

impl Draft {
    /// A file with this text.
    pub fn new(text: String) -> Self {
        let mut draft = Self::default();
        draft.set(text);
        draft
    }

    /// Another text. Where it cannot be read, the tree of the one before is kept.
    pub fn set(&mut self, text: String) {
        let read = document::read(&text);
        self.is_current = read.is_ok();
        if let Ok((root, _)) = read {
            self.tree = Some(root);
        }
        self.text = text;
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The tree of this very text; `None` where it cannot be read.
    pub fn tree(&self) -> Option<&Node> {
        self.tree.as_ref().filter(|_| self.is_current)
    }

    /// The tree of the text, or of the last text that had one. Places in it mean nothing here.
    pub(super) fn last_tree(&self) -> Option<&Node> {
        self.tree.as_ref()
    }

    /// The keys of this kind of file: protocol, metric, blueprint or stage, by its first key.
    pub fn keys(&self) -> &'static Map {
        let text = self.text();
        let begins =
            |key: &str| text.lines().any(|line| line.trim_start_matches(['{', '"', ' ']).starts_with(key));
        match () {
            () if Stage::is_meant(text) => Stage::KEYS,
            () if begins("sonometer_metric") => Metric::KEYS,
            () if begins("sonometer_blueprint") => Blueprint::KEYS,
            () => Protocol::KEYS,
        }
    }
}

/// The items of a list; none of anything else.
pub(super) fn items(node: &Node) -> &[Node] {
    match &node.value {
        Value::List(items) => items,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_their_kind_and_keep_their_last_tree() {
        let mut draft = Draft::new("sonometer_metric: 1\n".to_owned());
        assert_eq!(draft.keys().name, "metric");
        assert!(draft.tree().is_some());
        draft.set("sonometer: 1\nid: [\n".to_owned());
        assert_eq!(draft.keys().name, "protocol");
        assert!(draft.tree().is_none() && draft.last_tree().is_some());
    }
}
