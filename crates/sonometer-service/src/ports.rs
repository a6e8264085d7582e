//! What the service needs of the world around it: the time, fresh ids and secrets, the content of files, and
//! somebody who calls addresses.

use crate::file::FileRead;
use crate::queue::Queue;
use crate::refusal::Refusal;
use sonometer::protocol::Modality;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The time.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970, UTC.
    fn now_ms(&self) -> i64;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

/// Fresh ids and secrets.
pub trait Ids: Send + Sync {
    /// A new id: the prefix, `_`, and something that no other id has. Later ids sort behind earlier ones.
    fn id(&self, prefix: &str) -> String;

    /// 192 bits that nobody can guess.
    ///
    /// # Errors
    /// If the machine has no randomness to give.
    fn secret(&self) -> Result<[u8; 24], Refusal>;

    /// 256 bits that nobody can guess.
    ///
    /// # Errors
    /// If the machine has no randomness to give.
    fn seed(&self) -> Result<[u8; 32], Refusal>;
}

/// Ids of time and randomness (UUID version 7), secrets of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    fn id(&self, prefix: &str) -> String {
        format!("{prefix}_{}", uuid::Uuid::now_v7().simple())
    }

    fn secret(&self) -> Result<[u8; 24], Refusal> {
        random()
    }

    fn seed(&self) -> Result<[u8; 32], Refusal> {
        random()
    }
}

fn random<const BYTES: usize>() -> Result<[u8; BYTES], Refusal> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| Refusal::internal(&format!("no randomness: {error}")))?;
    Ok(bytes)
}

/// A file that somebody asks to have measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRequest<'r> {
    /// The organization that asks.
    pub org: &'r str,
    /// Where it lies, as given.
    pub url: &'r str,
    /// Whether the request says that it is audio, or a document; `None`: it says neither.
    pub is_audio: Option<bool>,
    /// The language of what is spoken, if the request says so.
    pub language: Option<&'r str>,
    /// The roles of the channels of a recording, in their order; empty: the request does not say.
    pub channels: Vec<&'r str>,
}

/// Who waits for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// A caller, whose connection is open.
    Caller,
    /// A job.
    Job,
}

/// What a file turns into, later; `None`: it is more than is done while a caller waits, so it is work for a job.
pub type Fetched<'f> = Pin<Box<dyn Future<Output = Result<Option<FileRead>, Refusal>> + Send + 'f>>;

/// Fetches files and reads them into interactions.
pub trait Files: Send + Sync {
    /// The modalities that can be had from files.
    fn modalities(&self) -> &'static [Modality];

    /// Whether a file may be fetched at all, as far as the request can tell. Nothing is fetched.
    ///
    /// # Errors
    /// `invalid_request` with `details.reason`.
    fn check(&self, request: &FileRequest<'_>) -> Result<(), Refusal>;

    /// What organizations wait for before a file is read.
    fn queues(&self) -> Vec<Queue> {
        Vec::new()
    }

    /// The interaction that a file holds, or why there is none. For a job it is never `None`.
    fn read<'f>(&'f self, request: FileRequest<'f>, waits: Waits) -> Fetched<'f>;
}

/// A deployment that reads no files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn modalities(&self) -> &'static [Modality] {
        &[]
    }

    fn check(&self, _: &FileRequest<'_>) -> Result<(), Refusal> {
        let message = "this service does not read files; give the text as `content` or `segments`";
        Err(Refusal::invalid("", message).because("files_not_supported"))
    }

    fn read<'f>(&'f self, request: FileRequest<'f>, _: Waits) -> Fetched<'f> {
        Box::pin(async move { self.check(&request).map(|()| None) })
    }
}

/// A message to an address of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'c> {
    /// Where it goes; it was checked when it was given.
    pub url: &'c str,
    /// What stands beside the body.
    pub headers: &'c [(&'c str, &'c str)],
    /// JSON.
    pub body: &'c str,
}

/// The status of an answer, or why there is none, later.
pub type Posted<'c> = Pin<Box<dyn Future<Output = Result<u16, String>> + Send + 'c>>;

/// Calls addresses that callers gave.
pub trait Callbacks: Send + Sync {
    /// Whether an address may be called at all, as far as its text can tell.
    ///
    /// # Errors
    /// `invalid_request` with `details.reason`.
    fn check(&self, url: &str) -> Result<(), Refusal>;

    /// Posts a message: the status of the answer, or why there is none.
    fn post<'c>(&'c self, call: Call<'c>) -> Posted<'c>;
}

/// A deployment that calls nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCallbacks;

impl Callbacks for NoCallbacks {
    fn check(&self, _: &str) -> Result<(), Refusal> {
        let message = "this service sends no callbacks; remove `callback` and poll the job";
        Err(Refusal::invalid("", message).because("callbacks_not_supported"))
    }

    fn post<'c>(&'c self, _: Call<'c>) -> Posted<'c> {
        Box::pin(async { Err("this service sends no callbacks".to_owned()) })
    }
}

/// Everything that the service needs of the world.
#[derive(Clone)]
pub struct Ports {
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Ids and secrets.
    pub ids: Arc<dyn Ids>,
    /// Files.
    pub files: Arc<dyn Files>,
    /// Callbacks.
    pub callbacks: Arc<dyn Callbacks>,
}

impl Default for Ports {
    /// The clock and the randomness of the machine, no files and no callbacks.
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            ids: Arc::new(SystemIds),
            files: Arc::new(NoFiles),
            callbacks: Arc::new(NoCallbacks),
        }
    }
}
