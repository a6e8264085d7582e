//! From the tree of a protocol file to the model: every key has its type, its limits and its message.
//!
//! Reading goes on after an error, so that an author sees all findings together.

mod dialogue;
mod lines;
mod list;
mod marker;
mod reference;
mod relation;
mod role;
mod top;

use reference::unknown_label;
pub(crate) use top::{is_version, protocol, version};
