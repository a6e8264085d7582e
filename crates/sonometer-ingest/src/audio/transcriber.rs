//! What hears the words in a recording.

use super::transcript::Transcript;
use crate::Limits;
use crate::error::ReadError;
use sonometer::Unit;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// One channel of a recording, or all of them in one.
#[derive(Clone, Copy, Debug)]
pub struct Sound<'a> {
    /// A WAV file: one channel, 16 bits, 16,000 samples a second.
    pub wav: &'a Path,
    /// An empty folder that the recogniser may fill; it is removed afterwards.
    pub folder: &'a Path,
    /// Which channel it is, from 1; `None` where it is all of the recording.
    pub channel: Option<u32>,
    /// Its length, in seconds.
    pub seconds: Unit,
    /// The language that is spoken, such as `en`, where the caller says so.
    pub language: Option<&'a str>,
    /// Becomes true when nobody waits any more; a recogniser that can end early does.
    pub stop: &'a AtomicBool,
}

/// A recogniser of speech.
pub trait Transcriber {
    /// What it is called, for people and for the record.
    fn name(&self) -> String;

    /// Whether its parts are there, as far as that can be seen before it hears anything.
    ///
    /// # Errors
    /// [`crate::Reason::Transcriber`] with what is missing and what to do.
    fn ready(&self) -> Result<(), ReadError> {
        Ok(())
    }

    /// The words of one channel. Nothing heard is no error: the transcript is empty then. Channel and turns are not its concern.
    ///
    /// # Errors
    /// [`crate::Reason::Transcriber`] with what went wrong and what to do.
    fn transcribe(&self, sound: &Sound<'_>, limits: &Limits) -> Result<Transcript, ReadError>;
}
