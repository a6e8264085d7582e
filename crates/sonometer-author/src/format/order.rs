//! Where keys belong: the order of the table of keys.

use sonometer::keys::{Key, Map, Shape};

/// What a map is, which says how its keys are ordered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    of: Of,
    /// Whether all of it is prose.
    is_prose: bool,
}

#[derive(Clone, Copy, Debug)]
enum Of {
    /// A map with keys of the notation.
    Keys(&'static Map),
    /// A map with names of the author, in the author's order, and what its values are.
    Names(&'static Shape),
}

impl Kind {
    /// Of a whole file.
    pub(super) fn root(file: &'static Map) -> Self {
        Self { of: Of::Keys(file), is_prose: false }
    }

    /// Of the map under `key` of a map of this kind; an item of a list is under the key of the list.
    pub(super) fn under(self, key: &str) -> Self {
        let of = match self.value(key) {
            // An item of a list over several lines, which has no key, is what the list is of.
            None if key.is_empty() => return self,
            Some(Shape::Map(inner) | Shape::Maps(inner)) => Of::Keys(inner),
            Some(Shape::Named(inner)) => Of::Names(inner),
            _ => Of::Names(&Shape::Text),
        };
        Self { of, is_prose: self.is_prose(key) }
    }

    fn value(self, key: &str) -> Option<&'static Shape> {
        match self.of {
            Of::Keys(map) => self.position(key).map(|at| &map.keys[at].value),
            Of::Names(shape) => Some(shape),
        }
    }

    fn position(self, key: &str) -> Option<usize> {
        match self.of {
            Of::Keys(Map { keys, .. }) => keys.iter().position(|known: &Key| known.name == key),
            Of::Names(_) => None,
        }
    }

    /// The rank of a key; names of the author keep their order.
    pub(super) fn rank(self, key: &str) -> usize {
        match self.of {
            Of::Keys(map) => self.position(key).unwrap_or(map.keys.len()),
            Of::Names(_) => 0,
        }
    }

    /// Whether its keys are names of the author.
    pub(super) fn is_named(self) -> bool {
        matches!(self.of, Of::Names(_))
    }

    /// Whether its items are markers or tests, which stand apart from each other.
    pub(super) fn stands_apart(self) -> bool {
        matches!(self.of, Of::Keys(Map { name: "marker" | "test", .. }))
    }

    /// Whether the value of a key is lines, each for itself: the spaces around a line mean nothing.
    pub(super) fn is_lines(self, key: &str) -> bool {
        matches!(self.value(key), Some(Shape::Lines))
    }

    /// Whether the value of a key is what is said in a stage, or told of it. There a colon or an apostrophe comes and goes
    /// with every change, so that quotes are left to the author.
    pub(super) fn is_prose(self, key: &str) -> bool {
        let Of::Keys(map) = self.of else { return self.is_prose };
        let here = (map.name, key);
        self.is_prose
            || matches!(here, ("stage", "name" | "description" | "objective" | "lists"))
            || matches!(here, ("scene" | "entry", "world") | ("walkthrough", "say"))
    }

    /// Whether the value of a key is a text even if it looks like a number: `version: "1.0"`.
    pub(super) fn is_text(self, key: &str) -> bool {
        let heads = ["sonometer", "sonometer_metric", "sonometer_blueprint", "sonometer_stage"];
        !self.is_typed(key) && !heads.contains(&key)
    }

    /// Whether the value of a key is a number or a truth, which needs no quotes.
    pub(super) fn is_typed(self, key: &str) -> bool {
        match self.value(key) {
            Some(Shape::Number(..) | Shape::Count(..) | Shape::Truth) => true,
            // `seed: 7`, `max: 3`
            Some(Shape::Written { like, .. }) => matches!(*like, "^[0-9]+$" | "^([0-9]+|none)$"),
            _ => false,
        }
    }
}
