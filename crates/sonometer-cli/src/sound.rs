//! Recordings: where their words come from, and what is told while they are heard.

use crate::failure::Failure;
use crate::file;
use sonometer_ingest::audio::{
    self, Channels, External, PocketSphinx, Progress, Request, Transcriber, Words,
};
use sonometer_ingest::{Hints, Ingested, ReadError};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::Command;

/// How a recording is read.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Recordings")]
pub(crate) struct SoundArguments {
    /// The speech recogniser: a command such as `recognise {wav}` that prints JSON, WebVTT or SubRip, or
    /// `pocketsphinx`, or `whisper:ggml-base.en.bin` (whisper.cpp with that model file, if the feature `whisper` is
    /// built in)
    #[arg(long, value_name = "CMD", conflicts_with = "transcript")]
    transcriber: Option<String>,
    /// Time limit of the recogniser for each channel, in seconds [default: 60 plus four times the length of the
    /// recording, ten times for `pocketsphinx`]
    #[arg(long, value_name = "SECONDS", requires = "transcriber", value_parser = clap::value_parser!(u64).range(1..))]
    transcriber_seconds: Option<u64>,
    /// The words of a recording: WebVTT, SubRip or JSON. Not needed if a .vtt, .srt or .transcript.json file of the
    /// same name is beside the recording
    #[arg(long, value_name = "FILE")]
    transcript: Option<String>,
    /// Who speaks when: RTTM. Not needed if an .rttm file of the same name is beside the recording
    #[arg(long, value_name = "FILE")]
    speakers: Option<String>,
    /// The roles of the channels of a recording, in their order (`agent,customer`), or `mixed` for speakers in one
    /// room
    #[arg(long, value_name = "ROLES")]
    channels: Option<String>,
    /// The spoken language, for recognisers that need it
    #[arg(long, value_name = "CODE", requires = "transcriber")]
    language: Option<String>,
    /// Write the transcript as JSON; `--transcript` reads it again and gives the same bytes
    #[arg(long, value_name = "FILE")]
    keep_transcript: Option<String>,
}

impl SoundArguments {
    /// An option that is for recordings alone.
    pub(crate) fn unfit_for_others(&self) -> Option<&'static str> {
        [
            ("--transcriber", self.transcriber.is_some()),
            ("--transcript", self.transcript.is_some()),
            ("--speakers", self.speakers.is_some()),
            ("--channels", self.channels.is_some()),
            ("--keep-transcript", self.keep_transcript.is_some()),
        ]
        .into_iter()
        .find_map(|(name, is_given)| is_given.then_some(name))
    }

    /// An option that is for one recording, where there are several.
    pub(crate) fn unfit_for_several(&self) -> Option<&'static str> {
        [
            ("--transcript", self.transcript.is_some()),
            ("--speakers", self.speakers.is_some()),
            ("--keep-transcript", self.keep_transcript.is_some()),
        ]
        .into_iter()
        .find_map(|(name, is_given)| is_given.then_some(name))
    }

    fn channels(&self) -> Result<Channels, Failure> {
        match self.channels.as_deref() {
            None => Ok(Channels::Auto),
            Some("mixed") => Ok(Channels::Mixed),
            Some(roles) => {
                let roles: Vec<&str> = roles.split(',').map(str::trim).collect();
                if roles.iter().any(|role| role.is_empty()) {
                    let message = "--channels: a role is missing; write for example `agent,customer`";
                    return Err(Failure::unusable(message));
                }
                Ok(Channels::named(roles))
            }
        }
    }

    fn hearer(&self) -> Result<Option<Hearer>, Failure> {
        self.transcriber.as_deref().map(|line| hearer(line, self.transcriber_seconds)).transpose()
    }
}

/// What hears words.
pub(crate) type Hearer = Box<dyn Transcriber + Send + Sync>;

/// What a value of `--transcriber` means.
pub(crate) fn hearer(line: &str, seconds: Option<u64>) -> Result<Hearer, Failure> {
    let refused = |failure: ReadError| Failure::unusable(format!("--transcriber: {}", failure.error.message));
    Ok(match line.split_once(':') {
        None if line == "pocketsphinx" => {
            let sphinx = PocketSphinx::new(None);
            Box::new(match seconds {
                Some(seconds) => sphinx.within(seconds),
                None => sphinx,
            })
        }
        Some(("whisper", model)) => whisper(model, seconds)?,
        _ => {
            let command = External::new(line).map_err(refused)?;
            Box::new(match seconds {
                Some(seconds) => command.within(seconds),
                None => command,
            })
        }
    })
}

/// With the model read, so that a wrong one is told before anything is decoded, and before a service listens.
#[cfg(feature = "whisper")]
fn whisper(model: &str, seconds: Option<u64>) -> Result<Hearer, Failure> {
    if model.is_empty() {
        let message =
            "--transcriber: whisper needs a model file; write for example `whisper:ggml-base.en.bin`";
        return Err(Failure::unusable(message));
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let whisper = audio::Whisper::new(Path::new(model), threads);
    let whisper = match seconds {
        Some(seconds) => whisper.within(seconds),
        None => whisper,
    };
    let unfit = |failure: ReadError| Failure::unusable(format!("--transcriber: {}", failure.error.message));
    whisper.ready().map_err(unfit)?;
    Ok(Box::new(whisper))
}

#[cfg(not(feature = "whisper"))]
fn whisper(_: &str, _: Option<u64>) -> Result<Hearer, Failure> {
    let message = "--transcriber: this build has no whisper; build with the feature `whisper`, or name its program, for example \
                   `whisper-cli -m MODEL -ojf -of {out} {wav}`";
    Err(Failure::unusable(message))
}

/// Reads the recording `name`; `helper` starts the process that decodes it.
pub(crate) fn read(
    name: &str,
    bytes: &[u8],
    hints: &Hints,
    arguments: &SoundArguments,
    helper: &dyn Fn() -> Command,
) -> Result<Ingested, Failure> {
    let hearer = arguments.hearer()?;
    let mut notes = Vec::new();
    let most = sonometer_ingest::Limits::default().text_bytes;
    let mut beside = |given: Option<&String>, ends: &[&str], is_wanted: bool| match (given, is_wanted) {
        (Some(path), _) => file::bytes(path, most).map(Some),
        (None, true) => match found(hints.name.as_deref(), ends) {
            Some(path) => {
                notes.push(format!("using {path}, found next to the recording"));
                file::bytes(&path, most).map(Some)
            }
            None => Ok(None),
        },
        (None, false) => Ok(None),
    };
    let transcript =
        beside(arguments.transcript.as_ref(), &["transcript.json", "vtt", "srt"], hearer.is_none())?;
    // Who the channels are is known where they are named.
    let speakers = beside(arguments.speakers.as_ref(), &["rttm"], arguments.channels.is_none())?;
    let words = match (&transcript, &hearer) {
        (Some(transcript), _) => Words::Given(transcript),
        (None, Some(hearer)) => Words::Heard(&**hearer),
        (None, None) => return Err(Failure::unusable(format!("{name}: {WAYS}"))),
    };
    let channels = arguments.channels()?;
    let line = Line { shown: io::stderr().is_terminal() };
    let progress = |progress| line.tell(progress);
    let request = Request {
        channels: &channels,
        speakers: speakers.as_deref(),
        language: arguments.language.as_deref(),
        helper: Some(helper),
        progress: Some(&progress),
        ..Request::new(words)
    };
    let read = audio::read(bytes, hints, &request);
    drop(line);
    let mut read = read.map_err(|failure| Failure::engine(name, &failure.error))?;
    read.notes.splice(0..0, notes);
    if let (Some(path), Some(sound)) = (&arguments.keep_transcript, &read.sound) {
        file::expect_unread(path)?;
        std::fs::write(path, sound.transcript.to_json())
            .map_err(|error| Failure::unusable(format!("{path}: cannot be written: {error}")))?;
    }
    Ok(read)
}

const WAYS: &str = "a recording needs its words: give a transcript (`--transcript call.vtt`, or call.vtt next to \
                    call.mp3) or a speech recogniser (`--transcriber 'recognise {wav}'`, `--transcriber pocketsphinx`)";

/// A file of the same name with another end.
fn found(name: Option<&str>, ends: &[&str]) -> Option<String> {
    let name = Path::new(name?);
    let files = ends.iter().map(|end| name.with_extension(end));
    files.into_iter().find(|file| file.is_file()).map(|file| file.to_string_lossy().into_owned())
}

/// Who heard a recording, and by which transcript a reading of it can be told.
pub(crate) fn shown(sound: &audio::Sound) -> String {
    let words = match sound.heard_by.as_str() {
        "transcript" => "words from its transcript".to_owned(),
        other => format!("recognised by {other}"),
    };
    let sure = sound.transcript.confidence().map_or_else(String::new, |sure| format!(" (confidence {sure})"));
    format!("{}, {} s, {words}{sure}; transcript sha256:{}", sound.shown, sound.seconds, sound.sha256)
}

/// A line on standard error that is written anew; nothing where that is no terminal.
struct Line {
    shown: bool,
}

impl Line {
    fn tell(&self, progress: Progress) {
        if !self.shown {
            return;
        }
        let text = match progress {
            Progress::Decoded(seconds) => format!("decoding {}", clock(seconds)),
            Progress::Hearing(at, of, seconds) if of > 1 => {
                format!("recognising channel {at} of {of}, {} long", clock(seconds))
            }
            Progress::Hearing(_, _, seconds) => format!("hearing {}", clock(seconds)),
        };
        // Nothing is lost if it cannot be shown.
        let _ = write!(io::stderr(), "\r\u{1b}[2K{text}");
    }
}

impl Drop for Line {
    /// The line is wiped: what comes next begins at its start.
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\u{1b}[2K");
        }
    }
}

fn clock(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
