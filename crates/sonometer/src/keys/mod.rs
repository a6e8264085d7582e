//! Every key of a protocol file as data, in the order in which keys are best written.
//!
//! One description serves the JSON Schema for editors ([`json_schema`]) and the normal form of `sonometer fmt`; tests
//! compare it with what the reader takes, in both directions.

mod compositions;
mod json_schema;
mod stages;
mod table;

pub use compositions::{BLUEPRINT, METRIC};
pub use json_schema::{json_schema, json_schema_of};
pub use stages::STAGE;
pub use table::PROTOCOL;

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
