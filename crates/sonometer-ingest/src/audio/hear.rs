//! From the bytes of a recording to an interaction.

use super::decode::{Decoded, Sink, decode};
use super::forms::{self, By};
use super::tracks::{self, Tracks};
use super::transcriber::{Sound as Recording, Transcriber};
use super::transcript::Transcript;
use super::{Sound, assemble, folder, rttm};
use crate::error::{ReadError, Reason};
use crate::{Hints, Ingested, Kind, Quoted, apart, sniff};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// Where the words come from.
#[derive(Clone, Copy)]
pub enum Words<'a> {
    /// A transcript that the caller has: WebVTT, SubRip, or JSON of ours ([`Transcript::to_json`], or only `start`, `end` and `text`
    /// of `segments`), of whisper, whisper.cpp or vosk.
    Given(&'a [u8]),
    /// A recogniser, which hears one channel after the other.
    Heard(&'a dyn Transcriber),
}

/// What the channels of a recording are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Channels {
    /// Each is a speaker, called `channel-1`, `channel-2` and so on; one channel alone, and two that hold the same, are a
    /// `speaker`.
    #[default]
    Auto,
    /// All are mixed into one: the speakers sat in one room.
    Mixed,
    /// Each is the speaker of this role, in their order.
    Named(Vec<String>),
}

impl Channels {
    /// Roles of the channels, in their order.
    pub fn named<S: Into<String>>(roles: impl IntoIterator<Item = S>) -> Self {
        Self::Named(roles.into_iter().map(Into::into).collect())
    }
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many seconds are decoded.
    Decoded(u64),
    /// The recogniser begins with this channel (from 1) of so many, of so many seconds.
    Hearing(usize, usize, u64),
}

/// How a recording is read.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Where the words come from.
    pub words: Words<'a>,
    /// What the channels are.
    pub channels: &'a Channels,
    /// Who speaks when, as RTTM.
    pub speakers: Option<&'a [u8]>,
    /// The language that is spoken, such as `en`; recognisers may ask for it.
    pub language: Option<&'a str>,
    /// What starts the process in which the file is decoded (see [`crate::apart`]); `None`: this process, for files that are
    /// trusted.
    pub helper: Option<&'a dyn Fn() -> Command>,
    /// What decoding may use.
    pub budget: apart::Budget,
    /// Told of progress.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    /// Set from another thread, it ends the reading early, as [`Reason::Internal`] while the file is decoded, then as
    /// [`Reason::Transcriber`].
    pub stop: Option<&'a AtomicBool>,
}

impl<'a> Request<'a> {
    /// Words from there, and nothing else said. Decoding may take ten minutes.
    pub fn new(words: Words<'a>) -> Self {
        Self {
            words,
            channels: &Channels::Auto,
            speakers: None,
            language: None,
            helper: None,
            budget: apart::Budget { seconds: 600, ..apart::Budget::default() },
            progress: None,
            stop: None,
        }
    }
}

/// Stops nothing.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Reads a recording. Of the hints, `roles` and `modality` count.
///
/// # Errors
/// As [`crate::read`]; [`Reason::Transcriber`] where the recogniser fails.
pub fn read(bytes: &[u8], hints: &Hints, request: &Request<'_>) -> Result<Ingested, ReadError> {
    let limits = request.budget.limits;
    check(bytes, hints, limits.audio_bytes)?;
    let (transcript, heard_by, channels, mut notes) = match request.words {
        Words::Given(given) => {
            let transcript = forms::read(given, By::Person, &limits).map_err(of_the_transcript)?;
            // The words are there: of the sound only its length is asked.
            let mut length = Length::default();
            let decoded = decoded(bytes, request, &mut length)?;
            let known = (length.shown, tracks::seconds(decoded.frames));
            (transcript, "transcript".to_owned(), known, decoded.notes)
        }
        Words::Heard(transcriber) => {
            let mut tracks = Tracks::new(request.progress)?;
            let decoded = decoded(bytes, request, &mut tracks)?;
            let channels = tracks.finish()?;
            let mut notes = decoded.notes;
            let transcript = heard(transcriber, &channels, request, &mut notes)?;
            (transcript, transcriber.name(), (channels.shown, channels.seconds), notes)
        }
    };
    let transcript = match request.speakers {
        Some(speakers) => rttm::apply(transcript, speakers)?,
        None => transcript,
    };
    let transcript = assemble::joined(transcript);
    if transcript.segments.is_empty() {
        let message = match request.words {
            Words::Given(_) => "the transcript has no words; give that of this recording".to_owned(),
            Words::Heard(_) => {
                format!("`{heard_by}` recognised no words in this recording; check that it contains speech")
            }
        };
        return Err(ReadError::new(Reason::NoText, "", message));
    }
    notes.extend(assemble::too_long(&transcript, channels.1));
    let names = match request.channels {
        Channels::Named(names) => names.as_slice(),
        Channels::Auto | Channels::Mixed => &[],
    };
    let mut read = assemble::interaction(&transcript, names, Kind::Audio, hints, &limits)?;
    read.notes.splice(0..0, notes);
    let sha256 = transcript.sha256();
    let (shown, seconds) = channels;
    read.sound = Some(Box::new(Sound { shown, seconds, heard_by, transcript, sha256 }));
    Ok(read)
}

/// An error in the transcript that was given: its places are not those of the recording.
fn of_the_transcript(mut failure: ReadError) -> ReadError {
    let place = &mut failure.error.place;
    *place = if place.is_empty() { "transcript".to_owned() } else { format!("transcript, {place}") };
    failure
}

/// Hints that do not fit a recording are refused: nothing is accepted and ignored.
fn check(bytes: &[u8], hints: &Hints, most: usize) -> Result<(), ReadError> {
    if bytes.len() > most {
        return Err(ReadError::too_large("", format!("the recording has {} bytes", bytes.len()), most));
    }
    let odd = [
        ("turns", hints.turns),
        ("column", hints.column.is_some()),
        ("role-column", hints.role_column.is_some()),
        ("sheet", hints.sheet.is_some()),
        ("quoted", hints.quoted != Quoted::Cut),
    ];
    if let Some((name, _)) = odd.iter().find(|(_, is_given)| *is_given) {
        let message = format!("`{name}` does not apply to recordings; remove it");
        return Err(ReadError::new(Reason::Hint, "", message));
    }
    if bytes.is_empty() {
        return Err(ReadError::new(Reason::NoText, "", "the file is empty; give a recording"));
    }
    if hints.kind.is_none_or(|kind| kind == Kind::Audio) {
        match sniff(bytes, None) {
            Ok(Kind::Audio) => {}
            _ if hints.kind.is_some() => {}
            Ok(other) => {
                let message =
                    format!("the file is {}, not a recording; read it without a recogniser", other.shown());
                return Err(ReadError::new(Reason::Unsupported, "", message));
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

fn decoded(bytes: &[u8], request: &Request<'_>, sink: &mut (dyn Sink + Send)) -> Result<Decoded, ReadError> {
    match request.helper {
        Some(helper) => apart::sound(helper(), bytes, &request.budget, request.stop.unwrap_or(&NEVER), sink),
        None => crate::guarded(|| decode(bytes, &request.budget.limits, sink)),
    }
}

/// Asks for the words of each channel.
fn heard(
    transcriber: &dyn Transcriber,
    channels: &tracks::Channels,
    request: &Request<'_>,
    notes: &mut Vec<String>,
) -> Result<Transcript, ReadError> {
    let count = channels.files.len();
    if let Channels::Named(names) = request.channels
        && names.len() != count
    {
        let have = if count == 1 { "1 channel".to_owned() } else { format!("{count} channels") };
        let message = format!("the recording has {have}, but {} are named; name each channel", names.len());
        return Err(ReadError::new(Reason::Hint, "channels", message));
    }
    let is_one = match request.channels {
        Channels::Mixed => true,
        Channels::Named(_) => false,
        Channels::Auto if count == 1 => true,
        Channels::Auto if channels.are_alike => {
            notes.push("both channels have nearly the same sound, so they are read as one; if they are two speakers, name them".into());
            true
        }
        // Who speaks when is known from elsewhere.
        Channels::Auto => request.speakers.is_some(),
    };
    let mut files = Vec::new();
    if is_one {
        files.push((None, channels.mixed()?));
    } else {
        files.extend((1_u32..).zip(&channels.files).map(|(number, file)| (Some(number), file.clone())));
    }
    let seconds = u64::try_from(channels.seconds.0 / 1_000_000).unwrap_or(0);
    let mut transcripts = Vec::new();
    let total = files.len();
    for (at, (channel, file)) in files.into_iter().enumerate() {
        let Some(wav) = file else {
            // A recogniser would make up words.
            let what =
                channel.map_or_else(|| "the recording".to_owned(), |number| format!("channel {number}"));
            notes.push(format!("{what} is silent"));
            continue;
        };
        if let Some(told) = request.progress {
            told(Progress::Hearing(at + 1, total, seconds));
        }
        transcripts.push(one(transcriber, &wav, channel, channels, request)?);
    }
    if transcripts.is_empty() {
        let message = "the recording is silent; check that it has speech, and that the channel was recorded";
        return Err(ReadError::new(Reason::NoText, "", message));
    }
    Ok(assemble::merged(transcripts))
}

fn one(
    transcriber: &dyn Transcriber,
    wav: &Path,
    channel: Option<u32>,
    channels: &tracks::Channels,
    request: &Request<'_>,
) -> Result<Transcript, ReadError> {
    let own = folder::Folder::new()?;
    let recording = Recording {
        wav,
        folder: own.path(),
        channel,
        seconds: channels.seconds,
        language: request.language,
        stop: request.stop.unwrap_or(&NEVER),
    };
    let mut transcript = transcriber.transcribe(&recording, &request.budget.limits)?;
    for segment in &mut transcript.segments {
        segment.channel = channel;
        // Turns are told by who speaks where and when.
        segment.joins = None;
    }
    transcript.tidied(request.budget.limits.paragraphs)
}

/// Wants to know what the recording is and how long, and nothing else.
#[derive(Default)]
struct Length {
    shown: String,
}

impl Sink for Length {
    fn begin(&mut self, _: usize, shown: &str) -> Result<(), ReadError> {
        shown.clone_into(&mut self.shown);
        Ok(())
    }

    fn wants_samples(&self) -> bool {
        false
    }

    fn take(&mut self, _: &[Vec<i16>]) -> Result<(), ReadError> {
        Ok(())
    }
}
