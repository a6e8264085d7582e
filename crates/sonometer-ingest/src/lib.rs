//! Files into interactions: bytes in, what the engine measures out, with a map back to pages, cells, lines and times.
//!
//! ```
//! use sonometer_ingest::{Hints, read};
//!
//! let file = b"WEBVTT\n\n00:01.500 --> 00:02.000\n<v Ann>Good morning.\n";
//! let read = read(file, &Hints::default()).expect("is sound");
//! assert_eq!(read.kind.as_str(), "vtt");
//! assert_eq!(&*read.interaction.turns()[0].content, "Good morning.");
//! assert_eq!(read.place(0, 5).expect("has a place").to_string(), "00:00:01.5");
//! ```
//!
//! [`read`] works in the caller's process. Files that strangers give belong into [`apart::read`], which reads them in a process of
//! its own, with limits of time and memory. Recordings have no words of their own: [`audio::read`] takes a transcript or a
//! recogniser beside the file.

pub mod apart;
pub mod audio;
mod draft;
mod error;
mod format;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod hints;
mod kept;
mod kind;
mod limits;
mod map;
mod sniff;
mod text;
mod wire;

pub use error::{ReadError, Reason};
pub use format::captions::{role, srt, vtt};
pub use format::interaction::{LeftOut, Line, id, line, unwrap};
pub use format::timed::is_timed;
pub use format::turns::turns;
pub use hints::{Hints, Quoted};
pub use kind::Kind;
pub use limits::Limits;
pub use map::{Map, Moment, Piece, Place, Places};
pub use sniff::sniff;

use sonometer::Interaction;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ingested {
    /// What is measured. Places of evidence are places in this text.
    pub interaction: Interaction,
    /// From there back to the file.
    pub map: Map,
    /// What the file is.
    pub kind: Kind,
    /// What a person should know: what was left out, repaired or guessed. Empty for most files.
    pub notes: Vec<String>,
    /// Of a recording: what it is, who heard the words, and the transcript itself.
    pub sound: Option<Box<audio::Sound>>,
}

impl Ingested {
    /// Where in the file the byte `offset` of a turn comes from. For many offsets, keep [`Self::places`].
    pub fn place(&self, turn: usize, offset: usize) -> Option<Place> {
        self.places().at(turn, offset)
    }

    /// Finds the places of many offsets.
    pub fn places(&self) -> Places<'_> {
        Places::new(&self.map, &self.interaction)
    }
}

/// Reads a file, in this process.
///
/// # Errors
/// See [`Reason`]. A panic of a library is [`Reason::Broken`].
pub fn read(bytes: &[u8], hints: &Hints) -> Result<Ingested, ReadError> {
    read_within(bytes, hints, &Limits::default())
}

/// As [`read`], within limits of the caller's choice.
///
/// # Errors
/// As there.
pub fn read_within(bytes: &[u8], hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    if bytes.len() > limits.file_bytes {
        return Err(ReadError::too_large(
            "",
            format!("the file has {} bytes", bytes.len()),
            limits.file_bytes,
        ));
    }
    if bytes.trim_ascii().is_empty() {
        return Err(ReadError::new(Reason::NoText, "", "the file is empty; give one with text"));
    }
    guarded(|| {
        let kind = match hints.kind {
            Some(kind) => kind,
            None => sniff(bytes, hints.name.as_deref())?,
        };
        format::read(kind, bytes, hints, limits)
    })
}

/// Runs a reader; a panic in it is [`Reason::Broken`]. The libraries are written by others, and files by anybody.
fn guarded<T>(read: impl FnOnce() -> Result<T, ReadError>) -> Result<T, ReadError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        let message = "the file is damaged and cannot be read; open it in its program and save it again";
        Err(ReadError::new(Reason::Broken, "", message))
    })
}

/// The code of the crate's own README runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
