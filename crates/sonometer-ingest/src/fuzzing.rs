//! Doors for the fuzzer (`cargo xtask fuzz`) to what else stands behind a process: answers of the one apart, sound on its way,
//! what `pdftotext` prints. No promise is made of them; the feature `fuzzing` is for that program alone.

use crate::{Hints, Ingested, Limits, ReadError, Reason, wire::Answer};

/// The answer of a process apart, as [`crate::apart::read`] takes it.
///
/// # Errors
/// As there.
pub fn answer(bytes: &[u8]) -> Result<Ingested, ReadError> {
    match serde_json::from_slice::<Answer>(bytes) {
        Ok(answer) => answer.check(),
        Err(error) => Err(ReadError::broken("", error)),
    }
}

/// What a process apart would answer.
pub fn answered(result: &Result<Ingested, ReadError>) -> Vec<u8> {
    serde_json::to_vec(&Answer::of(result)).unwrap_or_default()
}

/// What `pdftotext -bbox-layout` printed, through the layout.
///
/// # Errors
/// As [`crate::read`].
#[cfg(feature = "documents")]
pub fn pdf_lines(printed: &[u8], hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    crate::guarded(|| crate::format::pdf::of_poppler(printed, hints, limits))
}

/// Frames of sound, taken as [`crate::audio::read`] takes them: channels and samples of each.
///
/// # Errors
/// What the frames say, or `internal` where they make no sense.
#[cfg(feature = "audio")]
pub fn sound(frames: &[u8], limits: &Limits) -> Result<(usize, u64), ReadError> {
    let mut count = Count::default();
    let taken = crate::audio::receive(&mut &*frames, limits, &mut count)
        .map_err(|error| ReadError::new(Reason::Internal, "", format!("no sound: {error}")))?;
    taken.map(|decoded| {
        assert_eq!(decoded.frames, count.frames, "as many samples as were told of");
        (count.channels, count.frames)
    })
}

/// The frames that a recording becomes.
#[cfg(feature = "audio")]
pub fn decoded(file: &[u8], limits: &Limits) -> Vec<u8> {
    let mut frames = Vec::new();
    // A vector takes whatever is written.
    let _ = crate::audio::send(file, limits, true, &mut frames);
    frames
}

#[cfg(feature = "audio")]
#[derive(Default)]
struct Count {
    channels: usize,
    frames: u64,
}

#[cfg(feature = "audio")]
impl crate::audio::Sink for Count {
    fn begin(&mut self, channels: usize, _: &str) -> Result<(), ReadError> {
        assert_eq!(self.channels, 0, "a recording begins once");
        self.channels = channels;
        Ok(())
    }

    fn wants_samples(&self) -> bool {
        true
    }

    fn take(&mut self, channels: &[Vec<i16>]) -> Result<(), ReadError> {
        assert_eq!(channels.len(), self.channels, "all channels come together");
        let own = channels.first().map_or(0, Vec::len);
        assert!(channels.iter().all(|channel| channel.len() == own), "channels are of one length");
        self.frames += own as u64;
        Ok(())
    }
}
