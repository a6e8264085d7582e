//! What an editor shows while a file is written: what can be typed at a place ([`complete`]), what is known about it ([`explain`]), and
//! the names in it ([`names`]).
//!
//! The language server of the command and the workbench page ask here, so both show the same. Places are bytes of the text; each editor
//! counts in its own way.

mod complete;
mod draft;
mod explain;
pub mod names;
mod outline;
pub mod pattern;

pub use complete::{Completions, Item, Kind, complete};
pub use draft::Draft;
pub use explain::explain;
