//! From characters to tokens: folding with a map back, words, gaps and sentences.

pub mod chars;
pub mod fold;
pub mod gap;
pub mod token;
pub mod unfold;

pub(crate) mod vocabulary;

mod ascii;
mod block;
pub(crate) mod compose;
mod compose_table;
pub(crate) mod edit;
mod fold_table;
mod nfc;
mod parts;
pub(crate) mod several;
mod tokens;
mod unicode;

pub use gap::GapKind;
pub use token::Token;
pub use tokens::tokens;
