//! whisper.cpp in this process, with a model file that the caller has.

use super::forms::{Token, grouped};
use super::run::{stopped, too_slow};
use super::tracks::HEAD;
use super::transcriber::{Sound, Transcriber};
use super::transcript::{Segment, Transcript};
use super::whisper_model;
use crate::Limits;
use crate::error::{ReadError, Reason};
use sonometer::Unit;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use whisper_rs::{
    FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperError, WhisperSegment,
    WhisperState,
};

/// How often time and the caller's wish to stop are looked at.
const PULSE: Duration = Duration::from_millis(20);

/// whisper.cpp, with a model in its own form (`ggml-base.en.bin` and the like), which is read once and kept.
///
/// It works in this process: a model is trusted like a program. To bound its memory, or to outlive it, run it as a program
/// ([`super::External`]).
#[derive(Clone, Debug)]
pub struct Whisper {
    model: PathBuf,
    threads: i32,
    seconds: Option<u64>,
    kept: Arc<Mutex<Option<Arc<WhisperContext>>>>,
}

impl Whisper {
    /// With this model file, on so many threads (at least one).
    pub fn new(model: &Path, threads: usize) -> Self {
        let threads = i32::try_from(threads.clamp(1, 64)).unwrap_or(1);
        Self { model: model.to_owned(), threads, seconds: None, kept: Arc::default() }
    }

    /// The same with a limit for each channel, in seconds. Without one it is 60 seconds and four times the length of the sound.
    /// It is looked at between steps of whisper.cpp: thirty seconds of sound, then each part of a word.
    #[must_use]
    pub fn within(self, seconds: u64) -> Self {
        Self { seconds: Some(seconds.max(1)), ..self }
    }

    /// Reads the model, which is else read for the first sound.
    ///
    /// # Errors
    /// `transcriber` for what is no model.
    pub fn ready(&self) -> Result<(), ReadError> {
        self.context().map(drop)
    }

    /// The model; read where it is not yet.
    fn context(&self) -> Result<Arc<WhisperContext>, ReadError> {
        // Else it tells all it does on standard error.
        static QUIET: Once = Once::new();
        QUIET.call_once(whisper_rs::install_logging_hooks);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(context) = &*kept {
            return Ok(Arc::clone(context));
        }
        whisper_model::check(&self.model)?;
        let context = WhisperContext::new_with_params(&self.model, WhisperContextParameters::default());
        let context = context.map_err(|why| {
            failed(&format!("{} is not a model that whisper.cpp accepts", self.model.display()), &why)
        })?;
        Ok(Arc::clone(kept.insert(Arc::new(context))))
    }

    /// What is spoken, as whisper.cpp calls it.
    fn language(&self, asked: Option<&str>, is_multilingual: bool) -> Result<String, ReadError> {
        let hint = |message: String| ReadError::new(Reason::Hint, "language", message);
        let Some(asked) = asked else {
            return Ok(if is_multilingual { "auto" } else { "en" }.to_owned());
        };
        let code = asked.split('-').next().unwrap_or_default().to_ascii_lowercase();
        let is_known =
            code.bytes().all(|b| b.is_ascii_lowercase()) && whisper_rs::get_lang_id(&code).is_some();
        if !is_known {
            return Err(hint(format!(
                "whisper does not support the language `{asked}`; use for example `en` or `pt`"
            )));
        }
        if !is_multilingual && !["en", "english"].contains(&&*code) {
            let message =
                format!("{} supports English only, not `{asked}`; use a multilingual model", self.name());
            return Err(hint(message));
        }
        Ok(code)
    }
}

impl Transcriber for Whisper {
    fn name(&self) -> String {
        let model = self.model.file_name().map(|name| name.to_string_lossy().into_owned());
        format!("whisper.cpp ({})", model.unwrap_or_default())
    }

    fn transcribe(&self, sound: &Sound<'_>, limits: &Limits) -> Result<Transcript, ReadError> {
        let length = u64::try_from(sound.seconds.0 / 1_000_000).unwrap_or(0);
        let limit = Duration::from_secs(self.seconds.unwrap_or(60 + 4 * length));
        let end = Instant::now() + limit;
        let context = self.context()?;
        let language = self.language(sound.language, context.is_multilingual())?;
        let samples = samples(sound.wav).map_err(|why| failed("the sound cannot be read", &why))?;
        if samples.is_empty() {
            return Ok(Transcript::default());
        }
        let mut state = context.create_state().map_err(|why| failed("whisper.cpp cannot start", &why))?;
        // A beam would differ from machine to machine no less and take longer.
        let mut asked = FullParams::new(SamplingStrategy::Greedy { best_of: 1 });
        asked.set_n_threads(self.threads);
        asked.set_language(Some(&language));
        asked.set_token_timestamps(true);
        asked.set_suppress_nst(true);
        asked.set_print_special(false);
        asked.set_print_progress(false);
        asked.set_print_realtime(false);
        asked.set_print_timestamps(false);
        match watched(&mut state, asked, &samples, end, sound.stop) {
            Ok(()) => {}
            Err(_) if sound.stop.load(Ordering::Relaxed) => return Err(stopped(&self.name())),
            Err(_) if Instant::now() >= end => return Err(too_slow(&self.name(), limit)),
            Err(why) => return Err(failed("whisper.cpp stopped before the end", &why)),
        }
        let segments = state.as_iter().map(|segment| heard(&segment, context.token_eot(), sound.seconds));
        let segments =
            segments.collect::<Result<_, _>>().map_err(|why| failed("whisper.cpp wrote no text", &why))?;
        Transcript { segments }.tidied(limits.paragraphs)
    }
}

fn failed(what: &str, why: &dyn std::fmt::Display) -> ReadError {
    ReadError::new(Reason::Transcriber, "", format!("{what} ({why}); check the model file"))
}

/// The samples of a WAV file of ours.
fn samples(wav: &Path) -> io::Result<Vec<f32>> {
    let file = File::open(wav)?;
    let count = file.metadata()?.len().saturating_sub(HEAD as u64) / 2;
    let mut file = BufReader::new(file);
    file.seek(SeekFrom::Start(HEAD as u64))?;
    let mut samples = Vec::with_capacity(usize::try_from(count).map_err(io::Error::other)?);
    let mut pair = [0; 2];
    for _ in 0..count {
        file.read_exact(&mut pair)?;
        samples.push(f32::from(i16::from_le_bytes(pair)) / 32_768.0);
    }
    Ok(samples)
}

/// Lets whisper.cpp hear, until it is done, time is over or nobody waits any more.
fn watched(
    state: &mut WhisperState,
    mut asked: FullParams<'_, '_>,
    samples: &[f32],
    end: Instant,
    stop: &AtomicBool,
) -> Result<(), WhisperError> {
    let is_over = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_over);
    // The library keeps the closure as `Box<dyn FnMut() -> bool>` and calls it as whatever type it was given: it must be given as
    // that very type. It never frees it; these are some bytes for each sound.
    let ends: Box<dyn FnMut() -> bool> = Box::new(move || seen.load(Ordering::Relaxed));
    asked.set_abort_callback_safe::<_, Box<dyn FnMut() -> bool>>(ends);
    let (hearing, done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while done.recv_timeout(PULSE) == Err(RecvTimeoutError::Timeout) {
                if stop.load(Ordering::Relaxed) || Instant::now() >= end {
                    is_over.store(true, Ordering::Relaxed);
                }
            }
        });
        // However it ends, the watcher does too.
        let _hearing = hearing;
        state.full(asked, samples)
    })
}

/// A segment with its words; tokens from `special` on are no text.
fn heard(segment: &WhisperSegment<'_>, special: i32, length: Unit) -> Result<Segment, WhisperError> {
    // whisper.cpp counts hundredths of a second, in steps of thirty seconds that may reach beyond the sound.
    let time = |count: i64| Unit(count.max(0).saturating_mul(10_000)).min(length);
    let mut parts: Vec<Part> = Vec::new();
    for token in (0..segment.n_tokens()).filter_map(|at| segment.get_token(at)) {
        if token.token_id() >= special {
            continue;
        }
        let (bytes, data) = (token.to_bytes()?, token.token_data());
        let (start, end, share) = (time(data.t0), time(data.t1), f64::from(token.token_probability()));
        match parts.last_mut() {
            Some(part) if part.is_open() => {
                part.bytes.extend_from_slice(bytes);
                part.end = end;
                part.share = part.share.min(share);
            }
            _ => parts.push(Part { bytes: bytes.to_owned(), start, end, share }),
        }
    }
    Ok(Segment {
        start: time(segment.start_timestamp()),
        end: Some(time(segment.end_timestamp())),
        text: segment.to_str_lossy()?.into_owned(),
        words: grouped(parts.into_iter().map(Part::token).collect()),
        ..Segment::default()
    })
}

/// Tokens that hold whole characters: one character may be parted among several.
struct Part {
    bytes: Vec<u8>,
    start: Unit,
    end: Unit,
    share: f64,
}

impl Part {
    /// Whether its last character goes on.
    fn is_open(&self) -> bool {
        std::str::from_utf8(&self.bytes).is_err_and(|error| error.error_len().is_none())
    }

    fn token(self) -> Token {
        let text = String::from_utf8_lossy(&self.bytes).into_owned();
        Token { text, start: self.start, end: self.end, share: Some(self.share) }
    }
}
