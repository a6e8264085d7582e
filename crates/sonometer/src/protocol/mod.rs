//! What to measure: protocol files, their phrase language, and the model they become.
//!
#![doc = include_str!("../../docs/protocol.md")]

mod canonical;
mod cost;
mod keys;
mod lint;
mod mask;
mod meaning;
pub mod model;
pub(crate) mod order;
pub mod phrase;
pub(crate) mod schema;

pub(crate) use cost::FIRST_LOOK;
pub use cost::{Construct, MAX_STEPS, WARNED_STEPS};
pub use mask::Mask;
pub use meaning::Effect;
pub use model::*;

use crate::diagnostic::Diagnostics;
use crate::document;
use crate::error::Error;

impl Protocol {
    /// The keys of a protocol file.
    pub const KEYS: &'static crate::keys::Map = &keys::PROTOCOL;

    /// Reads a protocol file: YAML (feature `yaml`) or JSON. The warnings come with the protocol.
    ///
    /// # Errors
    /// `invalid_protocol` with every finding.
    pub fn read(text: &str) -> Result<(Self, Diagnostics), Error> {
        let (root, mut found) = document::read(text).map_err(|first| {
            let mut found = Diagnostics::new();
            found.push(first);
            Error::protocol(text, found)
        })?;
        match schema::protocol(&root, &mut found) {
            Some(protocol) => Ok((protocol, found)),
            None => Err(Error::protocol(text, found)),
        }
    }
}
