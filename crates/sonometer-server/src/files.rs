//! Files that requests name by `url`: fetched into memory, told apart by their content, read in a process apart.

use crate::fetch::{self, Fetched};
use crate::reach::{Reach, Resolver, resolver};
use crate::speech::{Hear, Recording, Waiting};
use sonometer::protocol::Modality;
use sonometer_ingest::apart::{self, Budget};
use sonometer_ingest::{Hints, Ingested, Kind, Limits, ReadError, Reason, sniff};
use sonometer_service::file::{AUDIO_MOST, FILE_MOST, FILE_NOW, FileRead};
use sonometer_service::guard::Guard;
use sonometer_service::ports::{self, FileRequest, Files, Waits};
use sonometer_service::queue::{Bounds, Place, Queue};
use sonometer_service::{Code, Refusal};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// What a file may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// The most bytes while a caller waits.
    pub now_bytes: usize,
    /// The most bytes at all.
    pub most_bytes: usize,
    /// How long fetching may take while a caller waits.
    pub now_time: Duration,
    /// How long fetching may take at all.
    pub most_time: Duration,
    /// How many files are fetched at once, for callers and for jobs each.
    pub fetches: usize,
    /// How many files are read at once, one of them left to others: a process each, which gives way to requests.
    pub readers: usize,
    /// How long a request waits for its turn before it is sent away.
    pub turn: Duration,
    /// What reading one file may take, apart from `seconds` while a caller waits: [`FileLimits::now_seconds`].
    pub budget: Budget,
    /// How many seconds reading may take while a caller waits.
    pub now_seconds: u64,
    /// The most bytes of what the request says is a recording.
    pub audio_bytes: usize,
    /// How long fetching such a one may take.
    pub audio_time: Duration,
    /// How many recordings are heard at once.
    pub hearings: usize,
}

/// So many files of one organization wait at most.
const WAITING: usize = 256;
/// What reads files, by name and version.
const OWN: &str = concat!("sonometer ", env!("CARGO_PKG_VERSION"));

impl Default for FileLimits {
    fn default() -> Self {
        let limits = Limits {
            file_bytes: FILE_MOST,
            unpacked_bytes: 128 << 20,
            paragraphs: 200_000,
            text_bytes: 16 << 20,
            ..Limits::default()
        };
        Self {
            now_bytes: FILE_NOW,
            most_bytes: FILE_MOST,
            now_time: Duration::from_secs(10),
            most_time: Duration::from_secs(30),
            fetches: 8,
            readers: std::thread::available_parallelism().map_or(2, usize::from).max(2) + 1,
            turn: Duration::from_secs(5),
            budget: Budget { limits, memory_bytes: 1 << 30, seconds: 60, gives_way: true },
            now_seconds: 10,
            audio_bytes: AUDIO_MOST,
            audio_time: Duration::from_secs(300),
            hearings: 2,
        }
    }
}

/// Makes the process that reads a file: a program that calls `sonometer_ingest::apart::serve`.
pub type Helper = Arc<dyn Fn() -> Command + Send + Sync>;

/// Fetches and reads files.
#[derive(Clone)]
pub struct FileReader {
    reach: Reach,
    helper: Helper,
    limits: FileLimits,
    /// For callers, and for jobs.
    fetches: [Queue; 2],
    readers: Queue,
    hearings: Queue,
    /// Hears recordings; without it there are none.
    hear: Option<Hear>,
    /// The reader of PDF, with its version.
    pdf: Arc<str>,
}

impl FileReader {
    /// With the resolver and the certificates of the machine.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn new(guard: Guard, helper: Helper) -> Result<Self, String> {
        Self::with(guard, resolver(), helper, FileLimits::default())
    }

    /// As [`FileReader::new`], with limits of choice.
    ///
    /// # Errors
    /// As [`FileReader::new`].
    pub fn limited(guard: Guard, helper: Helper, limits: FileLimits) -> Result<Self, String> {
        Self::with(guard, resolver(), helper, limits)
    }

    /// With a resolver and limits of choice.
    ///
    /// # Errors
    /// As [`FileReader::new`].
    pub fn with(
        guard: Guard,
        resolver: Resolver,
        helper: Helper,
        limits: FileLimits,
    ) -> Result<Self, String> {
        let queue = |name, places: usize| Queue::new(name, Bounds::of(places, WAITING));
        Ok(Self {
            reach: Reach::new(guard, resolver)?,
            helper,
            limits,
            fetches: [queue("fetches", limits.fetches), queue("fetches_of_jobs", limits.fetches)],
            readers: queue("readers", limits.readers),
            hearings: queue("hearings", limits.hearings),
            hear: None,
            pdf: pdf_reader().into(),
        })
    }

    /// The same with something that hears recordings.
    #[must_use]
    pub fn hearing(self, hear: Hear) -> Self {
        Self { hear: Some(hear), ..self }
    }

    async fn turn(&self, of: &Queue, org: &str, waits: Waits) -> Result<Place, Refusal> {
        let turn = of.place(org, 1);
        let turn = match waits {
            Waits::Caller => timeout(self.limits.turn, turn).await.ok(),
            // A job can wait, and its worker says that it lives.
            Waits::Job => Some(turn.await),
        };
        turn.and_then(Result::ok).ok_or_else(|| Refusal::unavailable("too many files at once"))
    }

    async fn one(&self, request: &FileRequest<'_>, waits: Waits) -> Result<Option<FileRead>, Refusal> {
        let Some(fetched) = self.fetch(request, waits).await? else { return Ok(None) };
        let is_sound = sniff(&fetched.bytes, fetched.name.as_deref()).is_ok_and(|kind| kind == Kind::Audio);
        match (is_sound, request.is_audio) {
            (true, Some(false)) => {
                Err(unfit("the file is a recording, not a document; write `audio`, or remove `type`"))
            }
            (false, Some(true)) => {
                Err(unfit("the file is not a recording; write `document`, or remove `type`"))
            }
            (true, _) if self.hear.is_none() => Err(unheard()),
            // Whatever hears it takes its time.
            (true, _) if waits == Waits::Caller => Ok(None),
            (true, _) => self.heard(request, fetched.bytes).await.map(Some),
            (false, _) => self.read_apart(request.org, fetched, waits).await,
        }
    }

    /// The bytes of a file; `None`: there are more than a caller waits for, or they come slowly.
    async fn fetch(&self, request: &FileRequest<'_>, waits: Waits) -> Result<Option<Fetched>, Refusal> {
        let limits = &self.limits;
        let (most, time) = match (waits, request.is_audio) {
            (Waits::Caller, _) => (limits.now_bytes, limits.now_time),
            (Waits::Job, Some(true)) => (limits.audio_bytes, limits.audio_time),
            (Waits::Job, _) => (limits.most_bytes, limits.most_time),
        };
        let turn = self.turn(&self.fetches[usize::from(waits == Waits::Job)], request.org, waits).await?;
        let fetched = timeout(time, fetch::get(&self.reach, request.url, most)).await;
        drop(turn);
        match (fetched, waits) {
            (Ok(Ok(Some(fetched))), _) => Ok(Some(fetched)),
            (Ok(Err(refusal)), _) => Err(refusal),
            (Ok(Ok(None)) | Err(_), Waits::Caller) => Ok(None),
            (Ok(Ok(None)), Waits::Job) => {
                let fix = match self.hear {
                    Some(_) if most < limits.audio_bytes => {
                        "give a smaller part of it, or write `\"type\": \"audio\"` if it is a recording"
                    }
                    _ => "give a smaller part of it",
                };
                let message = format!("the file has more than {most} bytes; {fix}");
                Err(Refusal::too_large("", most, message))
            }
            (Err(_), Waits::Job) => {
                let message = format!(
                    "the file did not arrive within {} seconds; use a faster host",
                    time.as_secs_f32()
                );
                Err(Refusal::invalid("", message).because("url_timeout"))
            }
        }
    }

    /// Reads a document or a conversation, in a process apart; `None`: it takes longer than a caller waits.
    async fn read_apart(
        &self,
        org: &str,
        fetched: Fetched,
        waits: Waits,
    ) -> Result<Option<FileRead>, Refusal> {
        let Fetched { bytes, name } = fetched;
        let budget = match waits {
            Waits::Caller => Budget { seconds: self.limits.now_seconds, ..self.limits.budget },
            Waits::Job => self.limits.budget,
        };
        let helper = (self.helper)();
        let hints = Hints { name, ..Hints::default() };
        let turn = self.turn(&self.readers, org, waits).await?;
        let (bytes, read) =
            apart_from(turn, bytes, move |bytes| apart::read(helper, bytes, &hints, &budget)).await?;
        match read {
            Ok(read) => {
                let reader = self.reader(&read);
                Ok(Some(FileRead::new(&bytes, read, reader)))
            }
            Err(error) if error.reason == Reason::TooCostly && waits == Waits::Caller => Ok(None),
            Err(error) => Err(unread(error, budget.limits.text_bytes)),
        }
    }

    /// Hears a recording.
    async fn heard(&self, request: &FileRequest<'_>, bytes: Vec<u8>) -> Result<FileRead, Refusal> {
        let Some(hear) = self.hear.clone() else { return Err(unheard()) };
        let helper = self.helper.clone();
        let channels: Vec<String> = request.channels.iter().map(|role| (*role).to_owned()).collect();
        let language = request.language.map(str::to_owned);
        let turn = self.turn(&self.hearings, request.org, Waits::Job).await?;
        // Dropped with this future, wherever it is.
        let waiting = Waiting::default();
        let stop = waiting.stop();
        let (bytes, heard) = apart_from(turn, bytes, move |bytes| {
            let (channels, language) = (&channels[..], language.as_deref());
            hear(&Recording { bytes, channels, language, helper: &*helper, stop: &stop })
        })
        .await?;
        let heard = heard.map_err(|error| unread(error, self.limits.audio_bytes))?;
        let by = heard.sound.as_deref().map_or("", |sound| &sound.heard_by);
        let reader = format!("{OWN}, {by}");
        Ok(FileRead::new(&bytes, heard, reader))
    }

    /// What read a file, by name and version.
    fn reader(&self, read: &Ingested) -> String {
        let is_builtin = || read.notes.iter().any(|note| note.contains("built-in reader"));
        match read.kind {
            Kind::Pdf if !is_builtin() => format!("{OWN}, {}", self.pdf),
            _ => OWN.to_owned(),
        }
    }
}

/// Works on a thread that may wait. The turn is held until the work has ended, even if the caller has gone.
async fn apart_from<T: Send + 'static>(
    turn: Place,
    bytes: Vec<u8>,
    work: impl FnOnce(&[u8]) -> T + Send + 'static,
) -> Result<(Vec<u8>, T), Refusal> {
    let work = move || {
        let _turn = turn;
        let done = work(&bytes);
        (bytes, done)
    };
    tokio::task::spawn_blocking(work).await.map_err(|error| Refusal::internal(&error.to_string()))
}

/// `pdftotext` with its version, where it is installed.
fn pdf_reader() -> String {
    let said = Command::new("pdftotext").arg("-v").output().map(|output| output.stderr).unwrap_or_default();
    let line = String::from_utf8_lossy(&said).lines().next().unwrap_or_default().trim().to_owned();
    if line.is_empty() { "pdftotext".to_owned() } else { line }
}

/// A file that is not what the request says.
fn unfit(what: &str) -> Refusal {
    Refusal::invalid("", format!("the file is {what}")).because("file_unsupported")
}

/// A recording where nothing hears it.
fn unheard() -> Refusal {
    let message =
        "this service has no speech recogniser; give the transcript as `segments`, or a file with captions";
    Refusal::invalid("", message).because("audio_not_supported")
}

/// A file that could not be read, in the words of the interface.
fn unread(ReadError { reason, error }: ReadError, limit: usize) -> Refusal {
    let message = match error.place.is_empty() {
        true => error.message,
        false => format!("{}: {}", error.place, error.message),
    };
    let refusal = match reason {
        Reason::Internal => return Refusal::internal(&message),
        // What it complains about may tell of the machine, and mends nothing for the caller.
        Reason::Transcriber => {
            tracing::warn!(why = message, "a recording was not heard");
            let message = "the recogniser of this service failed on this recording; nothing was charged";
            return Refusal::new(Code::Internal, message).because("transcriber_failed");
        }
        Reason::TooLarge => Refusal::too_large("", limit, message),
        Reason::TooCostly => Refusal { code: Code::PayloadTooLarge, ..Refusal::invalid("", message) },
        _ => Refusal::invalid("", message),
    };
    refusal.because(match reason {
        Reason::Unsupported => "file_unsupported",
        Reason::Encrypted => "file_encrypted",
        Reason::NoText => "file_without_text",
        Reason::TooLarge => "file_too_large",
        Reason::TooCostly => "file_too_costly",
        Reason::Hint => "audio_request",
        _ => "file_broken",
    })
}

impl Files for FileReader {
    fn modalities(&self) -> &'static [Modality] {
        match self.hear {
            Some(_) => &[Modality::Audio, Modality::Document],
            None => &[Modality::Document],
        }
    }

    fn queues(&self) -> Vec<Queue> {
        [&self.fetches[..], &[self.readers.clone(), self.hearings.clone()]].concat()
    }

    fn check(&self, request: &FileRequest<'_>) -> Result<(), Refusal> {
        match (request.is_audio, &self.hear) {
            (Some(true), None) => Err(unheard()),
            _ => self.reach.guard.url(request.url).map(drop),
        }
    }

    fn read<'f>(&'f self, request: FileRequest<'f>, waits: Waits) -> ports::Fetched<'f> {
        Box::pin(async move {
            self.check(&request)?;
            match (request.is_audio, waits) {
                (Some(true), Waits::Caller) => Ok(None),
                _ => self.one(&request, waits).await,
            }
        })
    }
}
