//! Reading files, with errors that say what to do.

use crate::failure::Failure;
use std::io::{self, ErrorKind, Read};

/// The bytes of a file, or of standard input for `-`.
pub(crate) fn bytes(path: &str) -> Result<Vec<u8>, Failure> {
    if path == "-" {
        let mut bytes = Vec::new();
        return match io::stdin().lock().read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(Failure::unusable(format!("standard input cannot be read: {error}"))),
        };
    }
    std::fs::read(path).map_err(|error| {
        Failure::unusable(match error.kind() {
            ErrorKind::NotFound => format!("{path}: no such file"),
            ErrorKind::PermissionDenied => format!("{path}: may not be read; look at its permissions"),
            ErrorKind::IsADirectory => format!("{path}: is a folder; name a file in it"),
            _ => format!("{path}: cannot be read: {error}"),
        })
    })
}

/// `bytes` as text; `base` is where they begin in the file `name`.
pub(crate) fn utf8<'b>(name: &str, bytes: &'b [u8], base: usize) -> Result<&'b str, Failure> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let found = bytes.get(at).copied().unwrap_or_default();
        Failure::unusable(format!(
            "{name}: not UTF-8: byte {} is 0x{found:02x}; save the file as UTF-8",
            base + at
        ))
    })
}
