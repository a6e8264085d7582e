//! Targets: what measures.

use crate::door::{self, Failure};
use crate::error::Error;
use crate::options::{Wanted, placed};
use crate::raw::{self, Text};
use crate::result::Outcome;
use crate::status::Status;
use sonometer::{Document, Instrument, Interaction};
use sonometer_catalog::{Shelf, list_file, shipped};
use std::ffi::c_char;
use std::path::Path;

/// A compiled protocol, metric or blueprint. It never changes: any number of threads may use one at the same time. Free it
/// with `snm_target_free` when none does any more.
#[derive(Debug)]
pub struct Target {
    pub(crate) instrument: Instrument,
}

impl Target {
    fn read(source: &str, shelf: &Shelf) -> Result<Self, sonometer::Error> {
        let (document, _warnings) =
            Document::read(source).map_err(|error| no_name(source, error, "target"))?;
        Ok(Self { instrument: Instrument::new(document, shelf)? })
    }

    /// The list files of a protocol, and without a shelf what it names, lie in its folder.
    fn load(path: &str, named: &[&str]) -> Result<Self, Failure> {
        let bytes = file(path, |name| shipped(name).is_ok(), "target")?;
        let folder = raw::folder(path);
        let read = Document::read_with(raw::utf8(&bytes, path)?, &|file| list_file(folder, file));
        let (document, _warnings) = read?;
        let mut shelf = Shelf::default().read(named)?;
        if named.is_empty() {
            shelf.add_folder(folder);
        }
        Ok(Self { instrument: Instrument::new(document, &shelf)? })
    }

    /// The canonical JSON of a reading.
    pub(crate) fn sense(
        &self,
        interaction: &Interaction,
        wanted: &Wanted<'_>,
    ) -> Result<String, sonometer::Error> {
        self.instrument.check(wanted.view).map_err(placed)?;
        let reading = self.instrument.sense_with(interaction, wanted.sense).map_err(placed)?;
        Ok(reading.to_json(wanted.view))
    }
}

/// What is wrong with a source; with a single word, that it looks like a name, and which call takes names or paths.
pub(crate) fn no_name(source: &str, mut error: sonometer::Error, noun: &str) -> sonometer::Error {
    if !source.is_empty() && source.chars().all(|c| c.is_ascii_alphanumeric() || "-_.@/".contains(c)) {
        error.message = match is_path(source) {
            true => format!("`{source}` is a path, not a source; `snm_{noun}_load` takes the paths of files"),
            false => {
                format!(
                    "`{source}` is a name, not a source; `snm_{noun}_shipped` takes the names of what ships"
                )
            }
        };
    }
    error
}

/// What is wrong with a name of what ships; with a path, which call takes paths.
pub(crate) fn no_path(name: &str, mut error: sonometer::Error, noun: &str) -> sonometer::Error {
    if is_path(name) {
        error.message = format!(
            "`{name}` is a path, not a name of what ships; `snm_{noun}_load` takes the paths of files"
        );
    }
    error
}

fn is_path(name: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|ending| name.ends_with(ending))
}

/// The bytes of a file; where there is none but something ships under this name, which call takes names.
pub(crate) fn file(path: &str, ships: impl Fn(&str) -> bool, noun: &str) -> Result<Vec<u8>, Failure> {
    raw::file(path).map_err(|mut failure| {
        if !Path::new(path).exists() && ships(path) {
            failure.message =
                format!("there is no file `{path}`; `snm_{noun}_shipped` takes the names of what ships");
        }
        failure
    })
}

/// The protocol, metric or blueprint that ships as `id` (the latest that is published) or `id@version`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_target_shipped(
    name: *const c_char,
    name_len: usize,
    out: *mut *mut Target,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a text of the caller, by the rules of the header.
        let name = unsafe { raw::text(name, name_len, "name") }?;
        let instrument = shipped(name).map_err(|error| no_path(name, error, "target"))?;
        Ok(Target { instrument })
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// The former name of `snm_target_shipped`. Deprecated: it goes away with the next version.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_target_find(
    name: *const c_char,
    name_len: usize,
    out: *mut *mut Target,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: the arguments are those of the other.
    unsafe { snm_target_shipped(name, name_len, out, error) }
}

/// Reads the source of a protocol, metric or blueprint (YAML or JSON). `shelf` holds the sources of `shelf_len` protocols and
/// metrics that a metric or blueprint may name; what it names and is not there is looked for in what ships.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_target_read(
    source: *const c_char,
    source_len: usize,
    shelf: *const Text,
    shelf_len: usize,
    out: *mut *mut Target,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a text of the caller, by the rules of the header.
        let source = unsafe { raw::text(source, source_len, "source") }?;
        // SAFETY: a list of texts of the caller, by the rules of the header.
        let sources = unsafe { raw::texts(shelf, shelf_len, "shelf") }?;
        Ok(Target::read(source, &Shelf::default().read(&sources)?)?)
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Reads a protocol, metric or blueprint from a file, as `snm_target_read` reads its text. The list files that a protocol names
/// are read from its folder. With a `shelf_len` of 0, the protocols and metrics in the folder are the shelf.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_target_load(
    path: *const c_char,
    path_len: usize,
    shelf: *const Text,
    shelf_len: usize,
    out: *mut *mut Target,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a text of the caller, by the rules of the header.
        let path = unsafe { raw::text(path, path_len, "path") }?;
        // SAFETY: a list of texts of the caller, by the rules of the header.
        let named = unsafe { raw::texts(shelf, shelf_len, "shelf") }?;
        Target::load(path, &named)
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// What the ends of the target's score stand for and which way is good, in one line: `score 1 = no risk found, 0 = a critical risk
/// found; higher is better`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_target_score_meaning(
    target: *const Target,
    out: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        let target = unsafe { raw::borrow(target, "target") }?;
        Ok(target.instrument.score_meaning().into())
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Frees a target. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_target_free(target: *mut Target) {
    // SAFETY: NULL or a target that the caller gives back, by the rules of the header.
    unsafe { raw::free(target) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_may_share_what_the_header_says_they_may() {
        fn shared<T: Send + Sync>() {}
        shared::<Target>();
        shared::<crate::interaction::Talk>();
        shared::<crate::result::Outcome>();
        shared::<Error>();
    }
}
