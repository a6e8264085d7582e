//! Recordings: those we made, hostile ones, and any bytes at all.
#![cfg(feature = "audio")]

#[path = "audio/decoded.rs"]
mod decoded;
#[path = "audio/heard.rs"]
mod heard;
#[path = "audio/hostile.rs"]
mod hostile;
#[path = "audio/transcripts.rs"]
mod transcripts;
#[cfg(feature = "whisper")]
#[path = "audio/whisper_maker.rs"]
mod whisper_maker;
#[cfg(feature = "whisper")]
#[path = "audio/whispered.rs"]
mod whispered;

use sonometer_ingest::audio::{Recording, Transcriber, Transcript};
use sonometer_ingest::{Limits, ReadError};
use std::path::Path;
use std::sync::Mutex;

/// A recording of `fixtures/audio`.
fn bytes(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/audio").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A recogniser that hears what it is told, and keeps the sound it gets.
#[derive(Default)]
struct Ear {
    /// What it hears in each channel, from the first; nothing in further ones.
    hears: Vec<Transcript>,
    /// The samples of each channel it was asked for.
    got: Mutex<Vec<Vec<i16>>>,
}

impl Transcriber for Ear {
    fn name(&self) -> String {
        "ear".to_owned()
    }

    fn transcribe(&self, sound: &Recording<'_>, _: &Limits) -> Result<Transcript, ReadError> {
        let wav = std::fs::read(sound.wav).expect("is there");
        assert_eq!((&wav[..4], &wav[8..16]), (b"RIFF".as_slice(), b"WAVEfmt ".as_slice()));
        let length = u32::from_le_bytes(wav[40..44].try_into().expect("four bytes")) as usize;
        assert_eq!(wav.len(), 44 + length);
        let samples = wav[44..].chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
        self.got.lock().expect("nobody panicked").push(samples);
        let at = sound.channel.map_or(0, |channel| channel as usize - 1);
        Ok(self.hears.get(at).cloned().unwrap_or_default())
    }
}
