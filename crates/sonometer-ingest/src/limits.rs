//! How much of a file is read. All are counts; time is a matter of [`crate::apart`] only.

use serde::{Deserialize, Serialize};

/// How much of a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of the file.
    pub file_bytes: usize,
    /// Bytes of all parts of an archive that are unpacked together.
    pub unpacked_bytes: usize,
    /// How many times larger than packed a part of an archive may be, once it has more than a mebibyte.
    pub ratio: usize,
    /// Entries of an archive.
    pub entries: usize,
    /// Elements (XML), groups (RTF) or parts (mail) inside each other.
    pub depth: usize,
    /// Cells of tables and workbooks.
    pub cells: usize,
    /// Pages.
    pub pages: usize,
    /// Paragraphs, turns and messages.
    pub paragraphs: usize,
    /// Bytes of extracted text.
    pub text_bytes: usize,
    /// Bytes of a file that is a recording.
    pub audio_bytes: usize,
    /// Seconds of sound, of all channels together.
    pub audio_seconds: u64,
    /// Channels of a recording.
    pub channels: usize,
}

impl Limits {
    /// The most bytes that are read at all, whatever the file turns out to be.
    pub(crate) fn most_bytes(&self) -> usize {
        self.file_bytes.max(self.audio_bytes)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 64 << 20,
            unpacked_bytes: 256 << 20,
            ratio: 200,
            entries: 10_000,
            depth: 200,
            cells: 1_000_000,
            pages: 5_000,
            paragraphs: 500_000,
            text_bytes: 64 << 20,
            audio_bytes: 512 << 20,
            audio_seconds: 12 * 3600,
            channels: 8,
        }
    }
}
