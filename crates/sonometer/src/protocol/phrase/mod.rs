//! The phrase language: one pattern per line.

mod ast;

pub use ast::{Class, MAX_GAP, Pattern, Regex, WordKind, WordTest};
