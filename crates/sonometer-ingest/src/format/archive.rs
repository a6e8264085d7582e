//! ZIP archives of documents, unpacked within limits.

use crate::error::{ReadError, Reason};
use crate::{Limits, text};
use std::io::{Cursor, ErrorKind, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// Parts up to this size may have any ratio: rows of equal cells pack well.
const SMALL: u64 = 1 << 20;

/// An archive, and how much may still be unpacked.
pub(super) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    left: usize,
    limits: &'b Limits,
}

impl<'b> Archive<'b> {
    pub(super) fn open(bytes: &'b [u8], limits: &'b Limits) -> Result<Self, ReadError> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| trouble("", &error))?;
        if zip.len() > limits.entries {
            return Err(ReadError::too_large(
                "",
                format!("the archive has {} entries", zip.len()),
                limits.entries,
            ));
        }
        Ok(Self { zip, left: limits.unpacked_bytes, limits })
    }

    /// The names of all parts.
    pub(super) fn names(&self) -> Vec<String> {
        self.zip.file_names().filter_map(Result::ok).map(std::borrow::Cow::into_owned).collect()
    }

    /// A part as text; `None` where there is none of that name.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, ReadError> {
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        let decoded = text::decode(&bytes).map_err(|_| ReadError::broken(name, "this part is not text"))?;
        Ok(Some(decoded.text))
    }

    /// A part that must be there, as text.
    pub(super) fn needed(&mut self, name: &str) -> Result<String, ReadError> {
        self.text(name)?.ok_or_else(|| ReadError::broken(name, "this part of the document is missing"))
    }

    /// The bytes of a part.
    pub(super) fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
        let mut file = match self.zip.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(trouble(name, &error)),
        };
        if file.encrypted() {
            return Err(encrypted(name));
        }
        let by_ratio = file.compressed_size().saturating_mul(self.limits.ratio as u64).max(SMALL);
        let most = by_ratio.min(self.left as u64);
        let mut bytes = Vec::new();
        file.by_ref().take(most + 1).read_to_end(&mut bytes).map_err(|error| match error.kind() {
            ErrorKind::OutOfMemory => ReadError::out_of_memory(name),
            _ => ReadError::broken(name, format!("this part cannot be unpacked: {error}")),
        })?;
        if bytes.len() as u64 > by_ratio {
            return Err(ReadError::too_large(
                name,
                "this part grows by a larger factor than text when it is unpacked",
                self.limits.ratio,
            ));
        }
        if bytes.len() > self.left {
            return Err(ReadError::too_large(
                name,
                "the archive has too many bytes when it is unpacked",
                self.limits.unpacked_bytes,
            ));
        }
        self.left -= bytes.len();
        Ok(Some(bytes))
    }

    /// Unpacks every part once, within the limits, for readers that unpack by themselves and without limits; refuses XML with
    /// definitions of its own.
    pub(super) fn probe(&mut self) -> Result<(), ReadError> {
        for name in self.names() {
            let is_markup = name.ends_with(".xml") || name.ends_with(".rels");
            if !is_markup && !name.ends_with(".bin") {
                continue;
            }
            let bytes = self.bytes(&name)?.unwrap_or_default();
            if is_markup && crate::sniff::find(&bytes, b"<!DOCTYPE").is_some() {
                let message = "the XML has a DOCTYPE, which is not supported; \
                               open the file in its program and save it again";
                return Err(ReadError::new(Reason::Broken, name, message));
            }
        }
        Ok(())
    }
}

fn encrypted(name: &str) -> ReadError {
    ReadError::new(Reason::Encrypted, name, "the document has a password; save it without one")
}

fn trouble(name: &str, error: &ZipError) -> ReadError {
    match error {
        ZipError::UnsupportedArchive(what) if *what == ZipError::PASSWORD_REQUIRED => encrypted(name),
        ZipError::InvalidPassword => encrypted(name),
        error => ReadError::broken(name, format!("the archive cannot be opened: {error}")),
    }
}
