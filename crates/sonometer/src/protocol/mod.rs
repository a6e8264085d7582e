//! What to measure: protocol files, their phrase language, and the model they become.
//!
#![doc = include_str!("../../docs/protocol.md")]

mod canonical;
#[cfg(feature = "perf")]
pub mod checked;
mod cost;
mod files;
mod keys;
mod lint;
mod mask;
mod meaning;
pub mod model;
pub(crate) mod order;
pub mod phrase;
pub(crate) mod schema;

#[cfg(feature = "perf")]
pub(crate) use checked::is_checked;
pub(crate) use cost::FIRST_LOOK;
pub use cost::{Construct, MAX_STEPS, WARNED_STEPS};
pub(crate) use files::none as no_list_files;
pub use files::{ListFile, ListFiles, MAX_LIST_FILES, NoFile, is_list_path};
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
        Self::read_with(text, &files::none)
    }

    /// The same of a protocol with list files (`list_files`), whose texts are given by their paths.
    ///
    /// ```
    /// use sonometer::protocol::{NoFile, Protocol};
    ///
    /// let names = |path: &str| match path {
    ///     "names.txt" => Ok("Anna\nMary Ann\n".into()),
    ///     _ => Err(NoFile::missing("put it beside the protocol")),
    /// };
    /// let source = r#"{"sonometer": 1, "id": "names", "version": "1", "taxonomy": "Signal", "list_files": {"name": "names.txt"},
    ///     "markers": [{"label": "met", "strong": "i met @name", "hit": "I met Mary Ann."}]}"#;
    /// let (protocol, _warnings) = Protocol::read_with(source, &names)?;
    /// assert_eq!(protocol.list_files[0].phrases.count(), 2);
    /// # Ok::<(), sonometer::Error>(())
    /// ```
    ///
    /// # Errors
    /// `invalid_protocol` with every finding.
    pub fn read_with(text: &str, files: &ListFiles<'_>) -> Result<(Self, Diagnostics), Error> {
        read_text(text, files, is_checked(text))
    }
}

/// [`Protocol::read_with`] of a file that was checked before, or was not.
fn read_text(text: &str, files: &ListFiles<'_>, is_checked: bool) -> Result<(Protocol, Diagnostics), Error> {
    let (root, mut found) = document::read(text).map_err(|first| {
        let mut found = Diagnostics::new();
        found.push(first);
        Error::protocol(text, found)
    })?;
    match schema::protocol(&root, files, is_checked, &mut found) {
        Some(protocol) => Ok((protocol, found)),
        None => Err(Error::protocol(text, found)),
    }
}

/// Without tables, no file is known.
#[cfg(not(feature = "perf"))]
pub(crate) fn is_checked(_: &str) -> bool {
    false
}
