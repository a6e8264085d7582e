//! Text: what its characters are, and its folding with a map back to the original.

pub mod chars;
pub mod fold;
mod fold_table;
