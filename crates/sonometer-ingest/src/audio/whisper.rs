//! whisper.cpp in this process, with a model file that the caller has.

use super::forms::{Token, grouped};
use super::transcriber::{Sound, Transcriber};
use super::transcript::{Segment, Transcript, seconds};
use crate::Limits;
use crate::error::{ReadError, Reason};
use std::path::{Path, PathBuf};
use whisper_rs::{FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters};

/// Bytes before the samples of the WAV files that recognisers get.
const HEAD: usize = 44;

/// whisper.cpp, with a model in its own form (`ggml-base.en.bin` and the like). Model and sound are read in this process; for
/// limits of time and memory run it as a program ([`super::External`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whisper {
    model: PathBuf,
    threads: i32,
}

impl Whisper {
    /// With this model file, on so many threads (at least one).
    pub fn new(model: &Path, threads: usize) -> Self {
        Self { model: model.to_owned(), threads: i32::try_from(threads.clamp(1, 64)).unwrap_or(1) }
    }
}

impl Transcriber for Whisper {
    fn name(&self) -> String {
        let model = self.model.file_name().map(|name| name.to_string_lossy().into_owned());
        format!("whisper.cpp ({})", model.unwrap_or_default())
    }

    fn transcribe(&self, sound: &Sound<'_>, limits: &Limits) -> Result<Transcript, ReadError> {
        let failed = |what: &str, why: &dyn std::fmt::Display| {
            ReadError::new(Reason::Transcriber, "", format!("{what} ({why}); look at the model file"))
        };
        let context = WhisperContext::new_with_params(&self.model, WhisperContextParameters::default())
            .map_err(|why| {
                failed(&format!("{} is no model that whisper.cpp reads", self.model.display()), &why)
            })?;
        let mut state = context.create_state().map_err(|why| failed("whisper.cpp cannot begin", &why))?;
        let bytes = std::fs::read(sound.wav).map_err(|why| failed("the sound cannot be read", &why))?;
        let samples: Vec<f32> = bytes
            .get(HEAD..)
            .unwrap_or_default()
            .chunks_exact(2)
            .map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])) / 32_768.0)
            .collect();
        // A beam would differ from machine to machine no less and take longer.
        let mut asked = FullParams::new(SamplingStrategy::Greedy { best_of: 1 });
        asked.set_n_threads(self.threads);
        asked.set_language(Some(sound.language.unwrap_or("auto")));
        asked.set_token_timestamps(true);
        asked.set_suppress_nst(true);
        asked.set_print_special(false);
        asked.set_print_progress(false);
        asked.set_print_realtime(false);
        asked.set_print_timestamps(false);
        state.full(asked, &samples).map_err(|why| failed("whisper.cpp heard nothing to the end", &why))?;
        let mut segments = Vec::new();
        for segment in state.as_iter() {
            let mut tokens = Vec::new();
            for token in (0..segment.n_tokens()).filter_map(|at| segment.get_token(at)) {
                let data = token.token_data();
                let text = token.to_str_lossy().map_err(|why| failed("whisper.cpp wrote no text", &why))?;
                tokens.push(Token {
                    text: text.into_owned(),
                    start: hundredths(data.t0)?,
                    end: hundredths(data.t1)?,
                    share: Some(f64::from(token.token_probability())),
                });
            }
            let text = segment.to_str_lossy().map_err(|why| failed("whisper.cpp wrote no text", &why))?;
            segments.push(Segment {
                start: hundredths(segment.start_timestamp())?,
                end: Some(hundredths(segment.end_timestamp())?),
                text: text.into_owned(),
                words: grouped(tokens),
                ..Segment::default()
            });
        }
        Transcript { segments }.tidied(limits.paragraphs)
    }
}

/// whisper.cpp counts hundredths of a second.
fn hundredths(count: i64) -> Result<sonometer::Unit, ReadError> {
    seconds(count.max(0) as f64 / 100.0, "whisper.cpp")
}
