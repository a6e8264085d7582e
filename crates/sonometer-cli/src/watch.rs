//! `--watch`: does the work again whenever a file changes.

use crate::failure::{Exit, Failure, counted};
use crate::screen::Screen;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// How often files are looked at: soon enough for a person, and nothing for a machine.
const PAUSE: Duration = Duration::from_millis(200);
/// The most files beside the named ones that are looked at.
const BESIDE: usize = 1_000;

/// What tells a version of a file from another.
type Stamp = Option<(SystemTime, u64)>;

/// Runs `work` now and after every change of `files`, or of a protocol, list or stage beside one: list files and parts of a
/// composition stand there. Ends with Ctrl-C, or when the output is closed.
pub(crate) fn watch(
    files: &[PathBuf],
    screen: &mut Screen,
    json: bool,
    mut work: impl FnMut(&mut Screen) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    if files.is_empty() {
        return Err(Failure::unusable("--watch needs a file; what ships never changes"));
    }
    loop {
        // Before the work: a change during it counts.
        let seen = stamps(files);
        screen.clear()?;
        match work(screen) {
            Ok(_) => {}
            Err(Failure::PipeClosed) => return Err(Failure::PipeClosed),
            Err(failure) => {
                screen.fail(&failure, json);
            }
        }
        screen.note(&format!("watching {}; Ctrl-C ends", counted(files.len(), "file")));
        while stamps(files) == seen {
            sleep(PAUSE);
        }
    }
}

fn stamps(files: &[PathBuf]) -> BTreeMap<PathBuf, Stamp> {
    let mut stamps = BTreeMap::new();
    for file in files {
        stamps.insert(file.clone(), stamp(file));
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_read = |path: &PathBuf| {
            path.extension()
                .is_some_and(|kind| ["yaml", "yml", "json", "txt"].iter().any(|known| kind == *known))
        };
        for path in entries.filter(is_read).take(BESIDE) {
            let found = stamp(&path);
            stamps.insert(path, found);
        }
    }
    stamps
}

/// `None` while an editor has the file away to write it anew.
fn stamp(path: &Path) -> Stamp {
    let about = std::fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}
