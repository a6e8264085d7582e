//! Recordings: from sound to an interaction, by a transcript that the caller has or by a recogniser of speech.
//!
//! ```no_run
//! use sonometer_ingest::Hints;
//! use sonometer_ingest::audio::{self, External, Request, Words};
//!
//! let call = std::fs::read("call.mp3").expect("can be read");
//! let recogniser = External::new("recognise {wav}").expect("is sound");
//! let channels = audio::Channels::named(["agent", "customer"]);
//! let request = Request { channels: &channels, ..Request::new(Words::Heard(&recogniser)) };
//! let read = audio::read(&call, &Hints::default(), &request).expect("can be heard");
//! println!("{} {}", read.interaction.turns()[0].content, read.sound.expect("is a recording").sha256);
//! ```
//!
//! The way: the file is decoded to one WAV file for each channel (in a process apart, where [`Request::helper`] is given), the
//! recogniser hears each channel, the transcripts are joined by time. From the transcript on everything is determined: the same
//! transcript gives the same bytes, and [`Sound::sha256`] names it.

#[cfg_attr(not(feature = "audio"), allow(dead_code))]
mod assemble;
#[cfg(feature = "audio")]
mod decode;
#[cfg(feature = "audio")]
mod external;
#[cfg(feature = "audio")]
mod folder;
#[cfg_attr(not(feature = "audio"), allow(dead_code))]
pub(crate) mod forms;
#[cfg(feature = "audio")]
mod hear;
#[cfg(feature = "audio")]
mod opus;
#[cfg_attr(not(feature = "audio"), allow(dead_code))]
mod place;
#[cfg(feature = "audio")]
mod pocketsphinx;
#[cfg(feature = "audio")]
mod resample;
#[cfg(feature = "audio")]
mod rttm;
#[cfg(feature = "audio")]
mod run;
mod services;
#[cfg(feature = "audio")]
mod stream;
#[cfg(feature = "audio")]
mod tracks;
#[cfg(feature = "audio")]
mod transcriber;
#[cfg_attr(not(feature = "audio"), allow(dead_code))]
mod transcript;
#[cfg(feature = "whisper")]
mod whisper;
#[cfg(feature = "whisper")]
mod whisper_model;

#[cfg(feature = "audio")]
pub(crate) use decode::{Decoded, Sink};
#[cfg(feature = "audio")]
pub use external::External;
#[cfg(feature = "audio")]
pub use hear::{Channels, Progress, Request, Words, read};
#[cfg(feature = "audio")]
pub use pocketsphinx::PocketSphinx;
#[cfg(feature = "audio")]
pub(crate) use stream::{receive, send};
#[cfg(feature = "audio")]
pub use transcriber::{Sound as Recording, Transcriber};
pub use transcript::{Segment, Transcript, Word};
#[cfg(feature = "whisper")]
pub use whisper::Whisper;

use crate::error::{ReadError, Reason};
use crate::{Hints, Ingested, Kind, Limits};
use sonometer::Unit;

/// What is known of a recording, beside its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sound {
    /// What the file holds, such as `mp3, 44100 Hz, 2 channels`.
    pub shown: String,
    /// Its length in seconds.
    pub seconds: Unit,
    /// Where the words come from: the name of the recogniser, or `transcript`.
    pub heard_by: String,
    /// The words with their times.
    pub transcript: Transcript,
    /// [`Transcript::sha256`]: what a reading of this recording rests on.
    pub sha256: String,
}

/// A transcript in our own JSON.
pub(crate) fn kept(json: &[u8], limits: &Limits) -> Result<Transcript, ReadError> {
    forms::read(json, forms::By::Program, limits)
}

/// What a recogniser or a person wrote of a recording that is not there.
pub(crate) fn alone(text: &str, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let transcript = assemble::merged(vec![forms::read(text.as_bytes(), forms::By::Program, limits)?]);
    assemble::interaction(&assemble::joined(transcript), &[], Kind::Speech, hints, limits)
}

/// A recording where words are wanted.
pub(crate) fn without_words() -> ReadError {
    let message = if cfg!(feature = "audio") {
        "the file is a sound recording, which needs its words; give a transcript (WebVTT, SubRip, JSON), or a speech recogniser"
    } else {
        "the file is a sound recording, which this build cannot read; give its transcript, or build with the feature `audio`"
    };
    ReadError::new(Reason::Unsupported, "", message)
}
