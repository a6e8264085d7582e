//! Files that requests name by `url`: fetched into memory, told apart by their content, read in a process apart.

use crate::fetch::{self, Fetched};
use crate::reach::{Reach, Resolver, resolver};
use sonometer_ingest::apart::{self, Budget};
use sonometer_ingest::{Hints, Ingested, Kind, Limits, ReadError, Reason};
use sonometer_service::file::{FILE_MOST, FILE_NOW, FileRead};
use sonometer_service::guard::Guard;
use sonometer_service::ports::{self, FileRequest, Files, Waits};
use sonometer_service::{Code, Refusal};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
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
    /// How many files are read at once.
    pub readers: usize,
    /// How long a request waits for its turn before it is sent away.
    pub turn: Duration,
    /// What reading one file may take, apart from `seconds` while a caller waits: [`FileLimits::now_seconds`].
    pub budget: Budget,
    /// How many seconds reading may take while a caller waits.
    pub now_seconds: u64,
}

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
            readers: std::thread::available_parallelism().map_or(2, usize::from).max(2),
            turn: Duration::from_secs(5),
            budget: Budget { limits, memory_bytes: 1 << 30, seconds: 60 },
            now_seconds: 10,
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
    fetches: [Arc<Semaphore>; 2],
    readers: Arc<Semaphore>,
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
        let fetches = || Arc::new(Semaphore::new(limits.fetches));
        Ok(Self {
            reach: Reach::new(guard, resolver)?,
            helper,
            limits,
            fetches: [fetches(), fetches()],
            readers: Arc::new(Semaphore::new(limits.readers)),
            pdf: pdf_reader().into(),
        })
    }

    async fn turn(&self, of: &Arc<Semaphore>, waits: Waits) -> Result<OwnedSemaphorePermit, Refusal> {
        let turn = of.clone().acquire_owned();
        let turn = match waits {
            Waits::Caller => timeout(self.limits.turn, turn).await.ok(),
            // A job can wait, and its worker says that it lives.
            Waits::Job => Some(turn.await),
        };
        turn.and_then(Result::ok).ok_or_else(|| Refusal::unavailable("too many files at once"))
    }

    async fn one(&self, url: &str, waits: Waits) -> Result<Option<FileRead>, Refusal> {
        let limits = &self.limits;
        let (most, time, seconds) = match waits {
            Waits::Caller => (limits.now_bytes, limits.now_time, limits.now_seconds),
            Waits::Job => (limits.most_bytes, limits.most_time, limits.budget.seconds),
        };
        let turn = self.turn(&self.fetches[usize::from(waits == Waits::Job)], waits).await?;
        let fetched = timeout(time, fetch::get(&self.reach, url, most)).await;
        drop(turn);
        let Fetched { bytes, name } = match (fetched, waits) {
            (Ok(Ok(Some(fetched))), _) => fetched,
            (Ok(Err(refusal)), _) => return Err(refusal),
            (Ok(Ok(None)) | Err(_), Waits::Caller) => return Ok(None),
            (Ok(Ok(None)), Waits::Job) => {
                let message = format!("the file has more than {most} bytes; give a smaller part of it");
                return Err(Refusal::too_large("", most, message));
            }
            (Err(_), Waits::Job) => {
                let message = format!(
                    "the file did not come within {} seconds; put it where it comes faster",
                    time.as_secs_f32()
                );
                return Err(Refusal::invalid("", message).because("url_timeout"));
            }
        };
        let budget = Budget { seconds, ..limits.budget };
        let turn = self.turn(&self.readers, waits).await?;
        let helper = (self.helper)();
        let work = move || {
            // Held until the process has ended, whoever waits for it.
            let _turn = turn;
            let hints = Hints { name, ..Hints::default() };
            let read = apart::read(helper, &bytes, &hints, &budget);
            (bytes, read)
        };
        let work = tokio::task::spawn_blocking(work).await;
        let (bytes, read) = work.map_err(|error| Refusal::internal(&error.to_string()))?;
        match read {
            Ok(read) => {
                let reader = self.reader(&read);
                Ok(Some(FileRead::new(&bytes, read, reader)))
            }
            Err(error) if error.reason == Reason::TooCostly && waits == Waits::Caller => Ok(None),
            Err(error) => Err(unread(error, limits.budget.limits.text_bytes)),
        }
    }

    /// What read a file, by name and version.
    fn reader(&self, read: &Ingested) -> String {
        let own = concat!("sonometer ", env!("CARGO_PKG_VERSION"));
        let is_builtin = || read.notes.iter().any(|note| note.contains("built-in reader"));
        match read.kind {
            Kind::Pdf if !is_builtin() => format!("{own}, {}", self.pdf),
            _ => own.to_owned(),
        }
    }
}

/// `pdftotext` with its version, where it is installed.
fn pdf_reader() -> String {
    let said = Command::new("pdftotext").arg("-v").output().map(|output| output.stderr).unwrap_or_default();
    let line = String::from_utf8_lossy(&said).lines().next().unwrap_or_default().trim().to_owned();
    if line.is_empty() { "pdftotext".to_owned() } else { line }
}

/// A file that could not be read, in the words of the interface.
fn unread(ReadError { reason, error }: ReadError, limit: usize) -> Refusal {
    let message = match error.place.is_empty() {
        true => error.message,
        false => format!("{}: {}", error.place, error.message),
    };
    let refusal = match reason {
        Reason::Internal => return Refusal::internal(&message),
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
        _ => "file_broken",
    })
}

impl Files for FileReader {
    fn modalities(&self) -> &'static [sonometer::protocol::Modality] {
        &[sonometer::protocol::Modality::Document]
    }

    fn check(&self, request: FileRequest<'_>) -> Result<(), Refusal> {
        if request.is_audio == Some(true) {
            let message = "this service recognises no speech; give the transcript as `segments`, or a file with captions";
            return Err(Refusal::invalid("", message).because("audio_not_supported"));
        }
        self.reach.guard.url(request.url).map(drop)
    }

    fn read<'f>(&'f self, request: FileRequest<'f>, waits: Waits) -> ports::Fetched<'f> {
        Box::pin(async move {
            self.check(request)?;
            match (request.is_audio, waits) {
                // Whatever recognises speech, it takes its time.
                (Some(true), Waits::Caller) => Ok(None),
                _ => self.one(request.url, waits).await,
            }
        })
    }
}
