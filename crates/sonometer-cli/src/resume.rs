//! Going on with an output of `batch` that is not whole.
//!
//! Whoever goes on must not glue outcomes of two inputs or two protocols together. Each line that is there must name the
//! line and the id of the input's line; and since the same input gives the same bytes, the first and the last of them are
//! sensed again and must be equal. All are where a summary is wanted, which is to have them in it.

use crate::blocks::{Block, Blocks};
use crate::failure::Failure;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Lines at the beginning and at the end that are sensed again.
const PROBED: u64 = 64;
/// Bytes that are looked at at once for the end of the last whole line.
const STEP: u64 = 64 << 10;

/// What an output held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Before {
    pub(crate) lines: u64,
    /// Those of them that are errors.
    pub(crate) errors: u64,
}

/// Makes the outcome of a line of the input, which is `None` where it is too long.
pub(crate) type Sense<'s> = dyn FnMut(u64, Option<&[u8]>) -> String + 's;

/// How a line of `batch` begins.
const BEGINNING: &[u8] = b"{\"line\":";

/// The bytes of the file up to its last line break; what follows is the rest of a run that was stopped.
fn whole(file: &mut File) -> io::Result<u64> {
    let size = file.metadata()?.len();
    let mut end = size;
    while end > 0 {
        let start = end.saturating_sub(STEP);
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        file.by_ref().take(end - start).read_to_end(&mut bytes)?;
        if let Some(at) = bytes.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Whether what stands behind the whole lines is a line of `batch` as far as it goes.
fn is_torn(file: &mut File, whole: u64) -> io::Result<bool> {
    let mut rest = Vec::new();
    file.seek(SeekFrom::Start(whole))?;
    file.by_ref().take(BEGINNING.len() as u64).read_to_end(&mut rest)?;
    Ok(BEGINNING.starts_with(&rest))
}

/// The beginning of a line of the output.
#[derive(Deserialize)]
struct Head {
    line: u64,
    id: Option<String>,
    error: Option<serde::de::IgnoredAny>,
}

/// Takes the lines from `input` whose outcomes the file holds, compares, and cuts off what is no whole line, so that the file can be
/// written on. `sense` makes the outcome of a line, or of one that is too long; it is asked for `all` lines, or for the first and the last.
pub(crate) fn pass<R: Read>(
    path: &str,
    file: &mut File,
    input: &mut Blocks<R>,
    all: bool,
    sense: &mut Sense<'_>,
) -> Result<Before, Failure> {
    let failed = |error: io::Error| Failure::unusable(format!("{path}: cannot be resumed: {error}"));
    let end = whole(file).map_err(failed)?;
    if !is_torn(file, end).map_err(failed)? {
        return Err(Failure::unusable(format!(
            "{path}: the last line was not written by `batch`; name another file"
        )));
    }
    let before = compare(path, file, end, input, all, sense)?;
    file.set_len(end).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
    Ok(before)
}

/// Compares the first `end` bytes of the file, which are whole lines.
fn compare<R: Read>(
    path: &str,
    file: &mut File,
    end: u64,
    input: &mut Blocks<R>,
    all: bool,
    sense: &mut Sense<'_>,
) -> Result<Before, Failure> {
    let mut again = || -> Result<_, Failure> {
        file.seek(SeekFrom::Start(0))
            .map_err(|error| Failure::unusable(format!("{path}: cannot be read: {error}")))?;
        let file = file
            .try_clone()
            .map_err(|error| Failure::unusable(format!("{path}: cannot be read: {error}")))?;
        Ok(Blocks::new(file.take(end)))
    };
    let count: u64 = again()?.map(|block| block.lines().count() as u64).sum();
    let mut before = Before::default();
    let strange = |line: u64, why: &str| {
        Failure::unusable(format!(
            "{path}:{line}: {why}; use --resume with the same input, target and options, or remove the file"
        ))
    };
    let mut lines = Taken { input, block: None };
    for block in again()? {
        for (number, written) in block.lines() {
            let Ok(head) = serde_json::from_slice::<Head>(written) else {
                return Err(strange(number, "not a line written by `batch`"));
            };
            let probed = all || before.lines < PROBED || before.lines + PROBED >= count;
            let same = lines.next(|place, line| {
                let expected = line.and_then(id);
                head.line == place
                    && (line.is_none() || head.id == expected)
                    && (!probed || sense(place, line).trim_end().as_bytes() == written)
            });
            match same {
                None => return Err(strange(number, "the input has no such line")),
                Some(false) => {
                    return Err(strange(
                        number,
                        &format!("differs from the reading of line {} of the input", head.line),
                    ));
                }
                Some(true) => {}
            }
            before.lines += 1;
            before.errors += u64::from(head.error.is_some());
        }
    }
    lines.put_rest_back();
    Ok(before)
}

/// The id of a line of the input.
fn id(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?;
    sonometer_ingest::id(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Lines taken from an input one by one.
struct Taken<'b, R> {
    input: &'b mut Blocks<R>,
    /// The block in hand, and how many bytes of it were taken.
    block: Option<(Block, usize, u64)>,
}

impl<R: Read> Taken<'_, R> {
    /// What `look` says of the next line that is not blank: its number and, if it is not too long, its bytes.
    fn next<T>(&mut self, look: impl FnOnce(u64, Option<&[u8]>) -> T) -> Option<T> {
        loop {
            let Some((Block::Lines { bytes, .. }, from, number)) = &mut self.block else {
                match self.input.next()? {
                    Block::TooLong { number, .. } => return Some(look(number, None)),
                    Block::Unreadable(_) => return None,
                    block => {
                        let Block::Lines { first, .. } = &block else { return None };
                        let first = *first;
                        self.block = Some((block, 0, first));
                    }
                }
                continue;
            };
            if *from >= bytes.len() {
                self.block = None;
                continue;
            }
            let line = bytes[*from..].split(|byte| *byte == b'\n').next().unwrap_or_default();
            let here = *number;
            *from += line.len() + 1;
            *number += 1;
            if !line.trim_ascii().is_empty() {
                return Some(look(here, Some(line)));
            }
        }
    }

    /// What was not taken is the input's again.
    fn put_rest_back(self) {
        if let Some((Block::Lines { bytes, .. }, from, number)) = self.block
            && from < bytes.len()
        {
            self.input.put_back(number, &bytes[from..]);
        }
    }
}
