//! A folder for the time of one reading, that nobody else may look into.

use crate::error::{ReadError, Reason};
use std::fmt::Display;
use std::fs::DirBuilder;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

const PREFIX: &str = "sonometer-sound-";
/// Folders older than this, in seconds, belong to nobody any more: recordings of hours are long done.
const OLD: u64 = 7 * 24 * 3600;

/// Removes what processes left behind that were killed. Once in each process.
fn sweep() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for entry in std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
            let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
            let age =
                entry.metadata().ok().filter(|data| data.is_dir()).and_then(|data| data.modified().ok());
            let is_old = age.and_then(|time| time.elapsed().ok()).is_some_and(|age| age.as_secs() > OLD);
            if is_ours && is_old {
                // It may be somebody else's.
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    });
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A folder that is removed, with all in it, when this is dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A new one, in the system's place for such.
    pub(crate) fn new() -> Result<Self, ReadError> {
        sweep();
        let mut last = None;
        for _ in 0..16 {
            let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{PREFIX}{}-{number}-{time:x}", std::process::id());
            let path = std::env::temp_dir().join(name);
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            // Never one that is there: somebody else may have laid it out.
            match builder.create(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) => last = Some(error),
            }
        }
        let why = last.map_or_else(String::new, |error| error.to_string());
        Err(unusable("cannot create a temporary folder for the sound", &why))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nobody is left to tell.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Trouble with files of our own.
pub(crate) fn unusable(what: &str, why: &dyn Display) -> ReadError {
    let message = format!("{what} ({why}); check the free space in {}", std::env::temp_dir().display());
    ReadError::new(Reason::Internal, "", message)
}
