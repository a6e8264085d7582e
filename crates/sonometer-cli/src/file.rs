//! Reading files, with errors that say what to do.

use crate::failure::Failure;
use sonometer::ErrorCode;
use sonometer::document::suggest;
use sonometer_evaluate::not_utf8;
use std::collections::BTreeSet;
use std::fs::{File, Permissions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The most bytes of a protocol, a stage, a card or a list of actions: more is refused by their readers, too.
pub(crate) const PROTOCOL: usize = sonometer::document::MAX_SOURCE_BYTES;
/// The most bytes of labelled data, which are held at once.
pub(crate) const DATA: usize = 2 << 30;

/// The files that were opened to be read. None of them is overwritten by what is made of it: `report talks.jsonl --out talks.jsonl`
/// would leave a page where the talks were.
static READ: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Whether standard input was read: it has nothing more for a second input that is called `-`.
static STDIN: AtomicBool = AtomicBool::new(false);

/// The bytes of a file, or of standard input for `-`. A file with more than `most` bytes is refused before it is held: no more than
/// one byte too many is read.
pub(crate) fn bytes(path: &str, most: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    fill(&mut *reader(path)?, path, &mut bytes, most + 1)?;
    match bytes.len() > most {
        true => Err(too_large(path, most)),
        false => Ok(bytes),
    }
}

/// What a file is called in messages.
pub(crate) fn name(path: &str) -> &str {
    if path == "-" { "standard input" } else { path }
}

/// What reads a file, or standard input for `-`.
pub(crate) fn reader(path: &str) -> Result<Box<dyn Read>, Failure> {
    Ok(match path {
        "-" if STDIN.swap(true, Ordering::Relaxed) => {
            let message = "standard input: `-` can be given once only; save one of the inputs as a file";
            return Err(Failure::unusable(message.to_owned()));
        }
        "-" => Box::new(io::stdin()),
        path => Box::new(open(path)?),
    })
}

/// A reader of the same bytes. Files whose first bytes show that they are not UTF-8 are refused here, once, and not once for each line.
pub(crate) fn expect_utf8<R: Read>(path: &str, reader: R) -> Result<BufReader<R>, Failure> {
    let mut reader = BufReader::with_capacity(64 << 10, reader);
    // An error of reading comes again where the lines are read, and is reported there.
    match reader.fill_buf().ok().and_then(not_utf8) {
        Some(told) => Err(Failure::unusable(format!("{}: {told}", name(path)))),
        None => Ok(reader),
    }
}

/// Reads on until there are so many bytes, or no more come.
pub(crate) fn fill(
    reader: &mut dyn Read,
    path: &str,
    bytes: &mut Vec<u8>,
    most: usize,
) -> Result<(), Failure> {
    let left = most.saturating_sub(bytes.len()) as u64;
    match reader.take(left).read_to_end(bytes) {
        Ok(_) => Ok(()),
        Err(error) if path == "-" => {
            Err(Failure::unusable(format!("standard input cannot be read: {error}")))
        }
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// What is said of a file with more bytes than are read.
pub(crate) fn too_large(path: &str, most: usize) -> Failure {
    let name = name(path);
    let message = format!("{name}: the file is larger than {} MiB, the limit", most >> 20);
    Failure::told(ErrorCode::PayloadTooLarge, message)
}

/// A file that is open for reading.
pub(crate) fn open(path: &str) -> Result<File, Failure> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    match file.metadata() {
        Ok(data) if data.is_dir() => Err(unreadable(path, &ErrorKind::IsADirectory.into())),
        Ok(data) if data.is_file() => {
            if let Ok(whole) = std::fs::canonicalize(path) {
                READ.lock().unwrap_or_else(PoisonError::into_inner).insert(whole);
            }
            Ok(file)
        }
        _ => Ok(file),
    }
}

/// Fails where an output would take the place of a file that was read.
pub(crate) fn expect_unread(path: &str) -> Result<(), Failure> {
    let Ok(whole) = std::fs::canonicalize(path) else { return Ok(()) };
    match READ.lock().unwrap_or_else(PoisonError::into_inner).contains(&whole) {
        true => {
            Err(Failure::unusable(format!("{path}: is read here, so it is kept; name another file to write")))
        }
        false => Ok(()),
    }
}

/// What is said of a file with a key or a token that every user of this machine can read.
#[cfg(unix)]
pub(crate) fn open_key(path: &str) -> Option<String> {
    use std::os::unix::fs::PermissionsExt as _;
    let data = std::fs::metadata(path).ok()?;
    let is_open = data.is_file() && data.permissions().mode() & 0o004 != 0;
    let typed = crate::verb::man::typed(path);
    is_open.then(|| {
        format!("{path}: others can read this file, which should be yours alone; run `chmod 600 {typed}`")
    })
}

#[cfg(not(unix))]
pub(crate) fn open_key(_: &str) -> Option<String> {
    None
}

/// Says so on standard error.
pub(crate) fn tell_open_key(path: &str) {
    if let Some(told) = open_key(path) {
        // Nothing is lost if it cannot be shown.
        let _ = writeln!(io::stderr(), "warning: {}", crate::echo::short(&told));
    }
}

fn unreadable(path: &str, error: &io::Error) -> Failure {
    Failure::unusable(match error.kind() {
        // Names of files seldom have spaces, and a text nearly always has.
        ErrorKind::NotFound | ErrorKind::InvalidFilename if path.contains(' ') => {
            format!("{path}: no such file; to sense a text directly, pipe it in and write `-` as the file")
        }
        ErrorKind::NotFound => match beside(path) {
            Some(near) => format!("{path}: no such file; did you mean `{near}`?"),
            None => format!("{path}: no such file"),
        },
        ErrorKind::PermissionDenied => format!("{path}: permission denied; check that you may read it"),
        ErrorKind::IsADirectory => format!("{path}: is a folder, not a file; name a file in it"),
        _ => format!("{path}: cannot be read: {error}"),
    })
}

/// A file in the same folder whose name is like that of the missing one. Of a folder with very many files only some are looked at.
fn beside(path: &str) -> Option<String> {
    let path = Path::new(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = std::fs::read_dir(folder).ok()?.take(4096).flatten().filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let near = suggest(path.file_name()?.to_str()?, &names)?;
    Some(path.with_file_name(near).display().to_string())
}

/// `bytes` as text; `base` is where they begin in the file `name`.
pub(crate) fn utf8<'b>(name: &str, bytes: &'b [u8], base: usize) -> Result<&'b str, Failure> {
    std::str::from_utf8(bytes).map_err(|error| {
        if let (0, Some(told)) = (base, not_utf8(bytes)) {
            return Failure::unusable(format!("{name}: {told}"));
        }
        let at = error.valid_up_to();
        let found = bytes.get(at).copied().unwrap_or_default();
        Failure::unusable(format!(
            "{name}: not UTF-8: byte {} is 0x{found:02x}; save the file as UTF-8",
            base + at
        ))
    })
}

/// Puts `bytes` into the place of a file, all of them or none: whoever reads it meanwhile sees the old or the new.
pub(crate) fn replace(path: &str, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error: io::Error| unwritable(path, &error);
    // Through a link, so that it stays a link.
    let target = std::fs::canonicalize(path).map_err(failed)?;
    let permissions = std::fs::metadata(&target).map_err(failed)?.permissions();
    if permissions.readonly() {
        return Err(Failure::unusable(format!("{path}: permission denied; check that you may write it")));
    }
    put_into(path, &target, bytes, Some(permissions))
}

/// The same for a file that may be new. What is no file, such as a pipe or `/dev/null`, is written to as it is.
pub(crate) fn put(path: &str, bytes: &[u8]) -> Result<(), Failure> {
    expect_unread(path)?;
    match std::fs::metadata(path) {
        Ok(data) if data.is_file() => replace(path, bytes),
        Ok(data) if data.is_dir() => {
            Err(Failure::unusable(format!("{path}: is a folder; name a file in it")))
        }
        Ok(_) => std::fs::write(path, bytes).map_err(|error| unwritable(path, &error)),
        Err(_) => put_into(path, Path::new(path), bytes, None),
    }
}

/// A file that cannot be written, and what to name instead where that is known.
pub(crate) fn unwritable(path: &str, error: &io::Error) -> Failure {
    let fix = match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => "; name a file in an existing folder",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "; name a file in a folder where you may write"
        }
        ErrorKind::IsADirectory => "; name a file in it",
        _ => "",
    };
    Failure::unusable(format!("{path}: cannot be written: {error}{fix}"))
}

/// Writes beside the file, then moves to its place.
fn put_into(
    path: &str,
    target: &Path,
    bytes: &[u8],
    permissions: Option<Permissions>,
) -> Result<(), Failure> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = target.with_file_name(name);
    let written = std::fs::write(&beside, bytes)
        .and_then(|()| permissions.map_or(Ok(()), |own| std::fs::set_permissions(&beside, own)))
        .and_then(|()| std::fs::rename(&beside, target));
    written.map_err(|error| {
        // The first trouble is the one to tell.
        let _ = std::fs::remove_file(&beside);
        unwritable(path, &error)
    })
}
