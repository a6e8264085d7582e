//! Where keys belong: the order of `protocol::keys`.

use sonometer::TargetKind;
use sonometer::protocol::keys::{BLUEPRINT, Key, METRIC, Map, PROTOCOL, Shape};

/// What a map is, which says how its keys are ordered.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A map with keys of the notation.
    Keys(&'static Map),
    /// A map with names of the author, in the author's order, and what its values are.
    Names(&'static Shape),
}

impl Kind {
    /// Of a whole file.
    pub(super) fn root(of: TargetKind) -> Self {
        Self::Keys(match of {
            TargetKind::Protocol => &PROTOCOL,
            TargetKind::Metric => &METRIC,
            TargetKind::Blueprint => &BLUEPRINT,
        })
    }

    /// Of the map under `key` of a map of this kind; an item of a list is under the key of the list.
    pub(super) fn under(self, key: &str) -> Self {
        match self.value(key) {
            // An item of a list over several lines, which has no key, is what the list is of.
            None if key.is_empty() => self,
            Some(Shape::Map(inner) | Shape::Maps(inner)) => Self::Keys(inner),
            Some(Shape::Named(inner)) => Self::Names(inner),
            _ => Self::Names(&Shape::Text),
        }
    }

    fn value(self, key: &str) -> Option<&'static Shape> {
        match self {
            Self::Keys(map) => self.position(key).map(|at| &map.keys[at].value),
            Self::Names(shape) => Some(shape),
        }
    }

    fn position(self, key: &str) -> Option<usize> {
        match self {
            Self::Keys(Map { keys, .. }) => keys.iter().position(|known: &Key| known.name == key),
            Self::Names(_) => None,
        }
    }

    /// The rank of a key; names of the author keep their order.
    pub(super) fn rank(self, key: &str) -> usize {
        match self {
            Self::Keys(map) => self.position(key).unwrap_or(map.keys.len()),
            Self::Names(_) => 0,
        }
    }

    /// Whether its keys are names of the author.
    pub(super) fn is_named(self) -> bool {
        matches!(self, Self::Names(_))
    }

    /// Whether its items are markers or tests, which stand apart from each other.
    pub(super) fn stands_apart(self) -> bool {
        matches!(self, Self::Keys(Map { name: "marker" | "test", .. }))
    }

    /// Whether the value of a key is lines, each for itself: the spaces around a line mean nothing.
    pub(super) fn is_lines(self, key: &str) -> bool {
        matches!(self.value(key), Some(Shape::Lines))
    }

    /// Whether the value of a key is a text even if it looks like a number: `version: "1.0"`.
    pub(super) fn is_text(self, key: &str) -> bool {
        !self.is_typed(key) && !matches!(key, "sonometer" | "sonometer_metric" | "sonometer_blueprint")
    }

    /// Whether the value of a key is a number or a truth, which needs no quotes.
    pub(super) fn is_typed(self, key: &str) -> bool {
        matches!(self.value(key), Some(Shape::Number(..) | Shape::Count(..) | Shape::Truth))
    }
}
