//! What the service needs of the world around it: the time, fresh ids and secrets, the content of files, and
//! somebody who calls addresses.

use crate::refusal::Refusal;
use sonometer::Interaction;
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
}

/// Ids of time and randomness (UUID version 7), secrets of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    fn id(&self, prefix: &str) -> String {
        format!("{prefix}_{}", uuid::Uuid::now_v7().simple())
    }

    fn secret(&self) -> Result<[u8; 24], Refusal> {
        let mut secret = [0; 24];
        getrandom::fill(&mut secret)
            .map_err(|error| Refusal::internal(&format!("no randomness: {error}")))?;
        Ok(secret)
    }
}

/// A file that somebody asks to have measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRequest<'r> {
    /// Where it lies, as given.
    pub url: &'r str,
    /// `audio` or `document`, if the request says so.
    pub modality: Option<&'r str>,
    /// The language of what is spoken, if the request says so.
    pub language: Option<&'r str>,
}

/// What a file turns into, later.
pub type Fetched<'f> = Pin<Box<dyn Future<Output = Result<Interaction, Refusal>> + Send + 'f>>;

/// Fetches files and reads them into interactions.
pub trait Files: Send + Sync {
    /// The interaction that a file holds, or why there is none.
    fn read<'f>(&'f self, request: FileRequest<'f>) -> Fetched<'f>;
}

/// A deployment that reads no files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read<'f>(&'f self, _: FileRequest<'f>) -> Fetched<'f> {
        let message = "this service reads no files; give the text as `content` or `segments`";
        Box::pin(async move { Err(Refusal::invalid("url", message).because("files_not_supported")) })
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
        let message = "this service calls nobody back; leave `callback` out and poll the job";
        Err(Refusal::invalid("", message).because("callbacks_not_supported"))
    }

    fn post<'c>(&'c self, _: Call<'c>) -> Posted<'c> {
        Box::pin(async { Err("this service calls nobody back".to_owned()) })
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
