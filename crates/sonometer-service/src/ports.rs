//! What the service needs of the world around it: the time, fresh ids and secrets, and the content of files.

use crate::refusal::Refusal;
use sonometer::Interaction;
use std::future::Future;
use std::pin::Pin;
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
