//! The list files of the tests, by their paths.

use sonometer::protocol::NoFile;
use std::borrow::Cow;

/// The text of a list file.
pub(crate) fn file(path: &str) -> Result<Cow<'static, str>, NoFile> {
    match path {
        "names.txt" | "names/first.txt" => Ok("# First names\nAnna\nMary Ann\nZoë\n".into()),
        "broken.txt" => Ok("Anna\n(mary|marie)\n".into()),
        "none.txt" => Ok("# nobody\n".into()),
        _ => Err(NoFile::missing("put it beside the protocol")),
    }
}
