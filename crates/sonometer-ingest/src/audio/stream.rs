//! Sound on its way between two processes: the one that decodes, with limits, and the one that asked.
//!
//! Frames of a letter, a length of four bytes (little-endian) and so many bytes: `B` what comes (JSON), `S` samples (16 bits,
//! channel after channel), `E` the end (JSON), `X` an error (JSON).

use super::decode::{Decoded, Sink, decode};
use crate::Limits;
use crate::error::{ReadError, Reason};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// The most bytes of a frame of JSON, and of samples for each channel.
const MOST_FRAME_BYTES: usize = 1 << 20;

#[derive(Serialize, Deserialize)]
struct Begin {
    channels: usize,
    shown: String,
}

#[derive(Serialize, Deserialize)]
struct End {
    notes: Vec<String>,
    frames: u64,
}

#[derive(Serialize, Deserialize)]
struct Failed {
    reason: String,
    message: String,
}

/// Decodes, and writes frames.
pub(crate) fn send(
    bytes: &[u8],
    limits: &Limits,
    wants_samples: bool,
    output: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = Writer { output, wants_samples, failed: None };
    let decoded = crate::guarded(|| decode(bytes, limits, &mut writer));
    if let Some(error) = writer.failed {
        return Err(error);
    }
    match decoded {
        Ok(Decoded { notes, frames }) => writer.json(b'E', &End { notes, frames })?,
        Err(ReadError { reason, error }) => {
            writer.json(b'X', &Failed { reason: reason.as_str().to_owned(), message: error.message })?;
        }
    }
    output.flush()
}

struct Writer<'w> {
    output: &'w mut dyn Write,
    wants_samples: bool,
    failed: Option<io::Error>,
}

impl Writer<'_> {
    fn frame(&mut self, letter: u8, bytes: &[u8]) -> io::Result<()> {
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        self.output.write_all(&[letter])?;
        self.output.write_all(&length.to_le_bytes())?;
        self.output.write_all(bytes)
    }

    fn json(&mut self, letter: u8, value: &impl Serialize) -> io::Result<()> {
        self.frame(letter, &serde_json::to_vec(value)?)
    }

    fn checked(&mut self, wrote: io::Result<()>) -> Result<(), ReadError> {
        wrote.map_err(|error| {
            let message = format!("the reader of the sound closed it: {error}");
            self.failed = Some(error);
            ReadError::new(Reason::Internal, "", message)
        })
    }
}

impl Sink for Writer<'_> {
    fn begin(&mut self, channels: usize, shown: &str) -> Result<(), ReadError> {
        let wrote = self.json(b'B', &Begin { channels, shown: shown.to_owned() });
        self.checked(wrote)
    }

    fn wants_samples(&self) -> bool {
        self.wants_samples
    }

    fn take(&mut self, channels: &[Vec<i16>]) -> Result<(), ReadError> {
        let frames = channels.first().map_or(0, Vec::len);
        for from in (0..frames).step_by(MOST_FRAME_BYTES / 2) {
            let to = frames.min(from + MOST_FRAME_BYTES / 2);
            let samples = channels.iter().flat_map(|channel| &channel[from..to]);
            let bytes: Vec<u8> = samples.flat_map(|sample| sample.to_le_bytes()).collect();
            let wrote = self.frame(b'S', &bytes);
            self.checked(wrote)?;
        }
        Ok(())
    }
}

/// Reads frames. Believes nothing: whoever sends them has read a file of a stranger.
///
/// # Errors
/// The outer one where the sender broke off or talks nonsense; the inner one is what it says, or what the sink says.
pub(crate) fn receive(
    input: &mut dyn Read,
    limits: &Limits,
    sink: &mut dyn Sink,
) -> Result<Result<Decoded, ReadError>, io::Error> {
    let odd = || io::Error::from(io::ErrorKind::InvalidData);
    let mut channels = 0;
    let mut samples: u64 = 0;
    let most = limits.audio_seconds.saturating_add(60).saturating_mul(u64::from(super::resample::RATE));
    loop {
        let mut head = [0; 5];
        input.read_exact(&mut head)?;
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > MOST_FRAME_BYTES * channels.max(1) {
            return Err(odd());
        }
        let mut bytes = vec![0; length];
        input.read_exact(&mut bytes)?;
        match head[0] {
            b'B' if channels == 0 => {
                let begin: Begin = serde_json::from_slice(&bytes)?;
                if begin.channels == 0 || begin.channels > limits.channels {
                    return Err(odd());
                }
                channels = begin.channels;
                let shown: String = begin.shown.chars().filter(|c| !c.is_control()).take(80).collect();
                if let Err(error) = sink.begin(channels, &shown) {
                    return Ok(Err(error));
                }
            }
            b'S' if channels > 0 && length.is_multiple_of(2 * channels) => {
                samples += (length / 2) as u64;
                if samples > most {
                    return Err(odd());
                }
                let own = (length / channels).max(2);
                let parts: Vec<Vec<i16>> = bytes
                    .chunks(own)
                    .map(|part| part.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect())
                    .collect();
                if length > 0
                    && let Err(error) = sink.take(&parts)
                {
                    return Ok(Err(error));
                }
            }
            b'E' if channels > 0 => {
                let End { notes, frames } = serde_json::from_slice(&bytes)?;
                if frames > most || sink.wants_samples() && frames != samples / channels as u64 {
                    return Err(odd());
                }
                return Ok(Ok(Decoded { notes, frames }));
            }
            b'X' => {
                let Failed { reason, message } = serde_json::from_slice(&bytes)?;
                let reason = Reason::ALL.into_iter().find(|known| known.as_str() == reason);
                return Ok(Err(ReadError::new(reason.ok_or_else(odd)?, "", message)));
            }
            _ => return Err(odd()),
        }
    }
}
