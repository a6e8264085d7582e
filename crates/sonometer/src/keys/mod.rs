//! Keys of files as data: what each takes, what it is without the key, what it means, in the order in which keys are best
//! written.
//!
//! Each kind of file has one table of its keys ([`crate::Protocol::KEYS`], [`crate::Metric::KEYS`], [`crate::Blueprint::KEYS`],
//! [`crate::stage::Stage::KEYS`]). From it come the reader (the keys of a map, bounds, names and examples in messages:
//! `keys::fields`), the canonical form (`keys::canonical`), the JSON Schema by which editors complete and check ([`json_schema`]), the
//! normal form of `sonometer fmt` and the page `docs/keys.md`.

pub(crate) mod canonical;
pub(crate) mod fields;
mod json_schema;

pub use json_schema::json_schema;

use crate::unit::Unit;

/// A map of a protocol file.
#[derive(Debug, PartialEq, Eq)]
pub struct Map {
    /// The name under which the schema knows it.
    pub name: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    /// At least one of these must be there; empty: none must.
    pub one_of: &'static [&'static str],
}

/// A key and its value.
#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// What its value is.
    pub value: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// What it is without the key, as JSON; empty if that is nothing.
    pub default: &'static str,
    /// Whether the canonical form leaves it out where it is the default, or empty if it has none: digests that were published before the key came
    /// must not change.
    pub left_out: bool,
    /// What it means, in a sentence.
    pub about: &'static str,
    /// A value, as JSON.
    pub example: &'static str,
}

/// What a value is.
#[derive(Debug, PartialEq, Eq)]
pub enum Shape {
    /// A text.
    Text,
    /// 1 to 64 lower-case letters, digits, `-` and `_`.
    Identifier,
    /// A text that this regular expression matches; the names, if any, are the usual ones.
    Written {
        /// The expression.
        like: &'static str,
        /// What editors suggest.
        names: &'static [&'static str],
    },
    /// One of these names.
    Name(&'static [&'static str]),
    /// One or several of these names.
    Names(&'static [&'static str]),
    /// A text or a list of texts.
    Texts,
    /// Lines: a block, a text or a list of texts.
    Lines,
    /// A decimal number from low to high.
    Number(Unit, Unit),
    /// A whole number from low to high.
    Count(u32, u32),
    /// `true` or `false`.
    Truth,
    /// A map with these keys.
    Map(&'static Map),
    /// A list of such maps, at least one.
    Maps(&'static Map),
    /// A map from names of the author to such values.
    Named(&'static Shape),
}

pub(crate) const fn key(name: &'static str, value: Shape, about: &'static str, example: &'static str) -> Key {
    Key { name, value, required: false, default: "", left_out: false, about, example }
}

pub(crate) const fn like(like: &'static str) -> Shape {
    Shape::Written { like, names: &[] }
}

impl Key {
    pub(crate) const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    pub(crate) const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    pub(crate) const fn left_out(self) -> Self {
        Self { left_out: true, ..self }
    }
}

pub(crate) const fn map(name: &'static str, keys: &'static [Key]) -> Map {
    Map { name, keys, one_of: &[] }
}
