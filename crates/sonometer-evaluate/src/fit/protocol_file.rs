//! The text of a protocol with its name.

use crate::Error;
use sonometer::{Diagnostics, Protocol};
use std::borrow::Cow;

/// The text of a protocol, with the name it is shown by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolFile {
    /// The path of the file, or `id@version` of the catalogue.
    pub name: String,
    /// The protocol file.
    pub text: Cow<'static, str>,
}

impl ProtocolFile {
    /// The protocol, with the warnings about it.
    ///
    /// # Errors
    /// With all findings, if it cannot be used.
    pub fn read(&self) -> Result<(Protocol, Diagnostics), Error> {
        Protocol::read(&self.text).map_err(|error| Error::protocol(self.clone(), error.diagnostics))
    }
}
