//! The text of a protocol with its name.

use crate::Error;
use sonometer::protocol::NoFile;
use sonometer::{Diagnostics, Protocol};
use std::borrow::Cow;

/// The text of a protocol, with the name it is shown by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolFile {
    /// The path of the file, or `id@version` of the catalogue.
    pub name: String,
    /// The protocol file.
    pub text: Cow<'static, str>,
    /// The texts of the list files that it names, by their paths.
    pub list_files: Vec<(String, String)>,
}

impl ProtocolFile {
    fn list_file(&self, path: &str) -> Result<Cow<'_, str>, NoFile> {
        let file = self.list_files.iter().find(|(known, _)| known == path);
        file.map(|(_, text)| text.into()).ok_or_else(|| NoFile::missing("give its text in `list_files`"))
    }

    /// The protocol, with the warnings about it.
    ///
    /// # Errors
    /// With all findings, if it cannot be used.
    pub fn read(&self) -> Result<(Protocol, Diagnostics), Error> {
        Protocol::read_with(&self.text, &|path| self.list_file(path))
            .map_err(|error| Error::protocol(self.clone(), error.diagnostics))
    }
}
