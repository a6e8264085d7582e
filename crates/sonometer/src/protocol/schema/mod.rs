//! From the tree of a protocol file to the model: every key has its type, its limits and its message.
//!
//! Reading goes on after an error, so that an author sees all findings together.

mod fields;
mod marker;
mod top;

pub(super) use top::protocol;
