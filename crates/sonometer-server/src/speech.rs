//! Recordings that requests name by `url`: heard by what the deployment has for it.

use sonometer_ingest::{Ingested, ReadError};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A recording that somebody wants to be heard.
#[derive(Clone, Copy)]
pub struct Recording<'r> {
    /// The file.
    pub bytes: &'r [u8],
    /// The roles of its channels, in their order; empty: the request does not say.
    pub channels: &'r [String],
    /// The language that is spoken, such as `en`, where the request says so.
    pub language: Option<&'r str>,
    /// What starts the process in which the file is decoded.
    pub helper: &'r dyn Fn() -> Command,
    /// Becomes true when nobody waits any more: the job was cancelled, or the service stops.
    pub stop: &'r AtomicBool,
}

/// Hears the words of a recording. It is called on a thread that may wait.
pub type Hear = Arc<dyn Fn(&Recording<'_>) -> Result<Ingested, ReadError> + Send + Sync>;

/// Tells a hearing to stop once nobody waits for it.
#[derive(Default)]
pub(crate) struct Waiting(Arc<AtomicBool>);

impl Waiting {
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
