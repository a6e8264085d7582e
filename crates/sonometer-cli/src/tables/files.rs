//! Which files a table is made of: names, folders, patterns, formats, and what is packed.

use super::source::Place;
use crate::advice;
use crate::failure::Failure;
use crate::file;
use crate::stores::{self, Found, Object};
use flate2::read::MultiGzDecoder;
use sonometer_evaluate::not_utf8;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Parquet,
    Arrow,
    Csv,
    Jsonl,
}

/// The names of all formats, for messages.
pub(crate) const NAMES: &str = "parquet, arrow, csv or jsonl";

impl Format {
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        match name {
            "parquet" => Ok(Self::Parquet),
            "arrow" => Ok(Self::Arrow),
            "csv" => Ok(Self::Csv),
            "jsonl" => Ok(Self::Jsonl),
            _ => Err(format!("write {NAMES}")),
        }
    }

    /// The format that the name of a file says.
    pub(crate) fn of_file(path: &str) -> Option<Self> {
        let path = Path::new(path.strip_suffix(".gz").or(path.strip_suffix(".zst")).unwrap_or(path));
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "parquet" | "pq" => Some(Self::Parquet),
            "arrow" | "arrows" | "feather" | "ipc" => Some(Self::Arrow),
            "csv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            _ => None,
        }
    }

    /// The same of an input. Tables between tabs are read, and not written.
    pub(crate) fn of_input(path: &str) -> Option<Self> {
        let unpacked = path.strip_suffix(".gz").or(path.strip_suffix(".zst")).unwrap_or(path);
        let is_tabbed =
            Path::new(unpacked).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"));
        if is_tabbed { Some(Self::Csv) } else { Self::of_file(path) }
    }
}

/// How an output is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    /// The packing that the name of a file says.
    pub(crate) fn of_file(path: &str) -> Self {
        match Path::new(path).extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => Self::Plain,
        }
    }
}

/// A file of a table. Its path is what it is called; `-` is standard input.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) path: String,
    pub(crate) format: Format,
    pub(crate) place: Place,
}

/// The files of all inputs, in the order of the inputs; those of a folder or pattern by name.
pub(crate) fn expand(inputs: &[String], given: Option<Format>) -> Result<Vec<Table>, Failure> {
    let mut tables = Vec::new();
    for input in inputs {
        let as_path;
        let input = match stores::is_address(input) {
            false => input,
            true => match stores::local(input)? {
                Some(path) => {
                    as_path = path;
                    &as_path
                }
                None => {
                    tables.extend(in_store(input, given)?);
                    continue;
                }
            },
        };
        let path = Path::new(input);
        if input == "-" {
            let format = given.ok_or_else(|| {
                Failure::unusable(format!("standard input: name its format with --input-format {NAMES}"))
            })?;
            if format == Format::Parquet {
                let message =
                    "standard input: Parquet is read from its end; name a file, or send arrow, csv or jsonl";
                return Err(Failure::unusable(message));
            }
            tables.push(Table { path: input.clone(), format, place: Place::Stdin });
        } else if path.is_dir() {
            tables.extend(in_folder(input, given)?);
        } else if !path.exists() && is_pattern(input) {
            tables.extend(matching(input, given)?);
        } else {
            file::open(input)?;
            tables.push(table(Place::File(input.clone()), input.clone(), given)?);
        }
    }
    if tables.len() > 1 && tables.iter().any(|table| table.path == "-") {
        return Err(Failure::unusable("standard input: give `-` as the only input, or save it as a file"));
    }
    Ok(tables)
}

/// Whether a name is a pattern.
pub(crate) fn is_pattern(input: &str) -> bool {
    input.contains(['*', '?', '['])
}

fn table(place: Place, path: String, given: Option<Format>) -> Result<Table, Failure> {
    match given.or_else(|| Format::of_input(&path)) {
        Some(format) => Ok(Table { path, format, place }),
        None => Err(Failure::unusable(advice::no_lines(&path).unwrap_or_else(|| {
            format!("{path}: the name does not say the format; name it with --input-format {NAMES}")
        }))),
    }
}

/// The tables directly in a folder. What writers of tables put beside them (`_SUCCESS`, `.part.crc`) is no table.
fn in_folder(folder: &str, given: Option<Format>) -> Result<Vec<Table>, Failure> {
    let failed =
        |error: io::Error| Failure::unusable(format!("{folder}: the folder cannot be read: {error}"));
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let hidden = name.to_str().is_none_or(|name| name.starts_with(['.', '_']));
        let path = entry.path();
        if let (false, true, Some(path)) = (hidden, path.is_file(), path.to_str())
            && (given.is_some() || Format::of_input(path).is_some())
        {
            paths.push(path.to_owned());
        }
    }
    if paths.is_empty() {
        return Err(without_tables(folder));
    }
    paths.sort();
    paths.into_iter().map(|path| table(Place::File(path.clone()), path, given)).collect()
}

fn without_tables(folder: &str) -> Failure {
    Failure::unusable(format!(
        "{folder}: is a folder without tables (.parquet, .arrow, .csv, .jsonl); for those in folders below it, write a \
         pattern such as `{}/**/*.parquet`; folders of texts and documents are read by `sonometer report`",
        folder.trim_end_matches('/')
    ))
}

fn without_matches(pattern: &str) -> Failure {
    Failure::unusable(format!("{pattern}: no file matches the pattern"))
}

/// The tables that an address of a store stands for, by the same rules as files.
fn in_store(address: &str, given: Option<Format>) -> Result<Vec<Table>, Failure> {
    let of = |object: Object| {
        let name = object.shown().to_owned();
        table(Place::Object(Box::new(object)), name, given)
    };
    match stores::find(address)? {
        Found::One(object) => Ok(vec![of(*object)?]),
        Found::Matching(objects) if objects.is_empty() => Err(without_matches(address)),
        Found::Matching(objects) => objects.into_iter().map(of).collect(),
        Found::Folder(objects) => {
            let is_table = |object: &Object| {
                let name = object.shown().rsplit('/').next().unwrap_or_default();
                !name.is_empty()
                    && !name.starts_with(['.', '_'])
                    && (given.is_some() || Format::of_input(name).is_some())
            };
            let tables: Vec<Object> = objects.into_iter().filter(is_table).collect();
            match tables.is_empty() {
                true => Err(without_tables(address)),
                false => tables.into_iter().map(of).collect(),
            }
        }
    }
}

fn matching(pattern: &str, given: Option<Format>) -> Result<Vec<Table>, Failure> {
    let found = glob::glob(pattern).map_err(|error| {
        Failure::unusable(format!(
            "{pattern}: the pattern is broken at character {}: {}",
            error.pos, error.msg
        ))
    })?;
    let mut tables = Vec::new();
    for path in found {
        let path = path.map_err(|error| Failure::unusable(format!("{pattern}: {error}")))?;
        if path.is_file() {
            let path = path.to_str().ok_or_else(|| {
                Failure::unusable(format!("{}: the name is not UTF-8; rename the file", path.display()))
            })?;
            tables.push(table(Place::File(path.to_owned()), path.to_owned(), given)?);
        }
    }
    match tables.is_empty() {
        true => Err(without_matches(pattern)),
        false => Ok(tables),
    }
}

/// Bytes of the inputs, counted where they are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Count(Arc<AtomicU64>);

impl Count {
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

struct Counted<R>(R, Count);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(into)?;
        self.1.0.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Bytes that are looked at to tell a packing, a header and how long rows are.
const HEAD: usize = 1 << 20;

/// The bytes of a table, unpacked, with those that it begins with.
pub(crate) struct Stream {
    pub(crate) head: Vec<u8>,
    rest: Box<dyn BufRead + Send>,
}

impl Stream {
    /// Opens a table. Its first bytes say whether it is packed with gzip or zstd; its name does not matter.
    pub(crate) fn open(table: &Table, count: Count) -> Result<Self, Failure> {
        let (path, raw) = (&table.path, table.place.read()?);
        let failed =
            |error: io::Error| Failure::unusable(format!("{}: cannot be read: {error}", file::name(path)));
        let mut raw = BufReader::with_capacity(128 << 10, Counted(raw, count));
        let start = raw.fill_buf().map_err(failed)?;
        let mut rest: Box<dyn BufRead + Send> = if start.starts_with(&[0x1f, 0x8b]) {
            Box::new(BufReader::with_capacity(128 << 10, MultiGzDecoder::new(raw)))
        } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            let unpacked = zstd::Decoder::with_buffer(raw).map_err(failed)?;
            Box::new(BufReader::with_capacity(128 << 10, unpacked))
        } else {
            Box::new(raw)
        };
        let mut head = Vec::new();
        rest.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(failed)?;
        if head.starts_with("\u{feff}".as_bytes()) {
            head.drain(..3);
        }
        if let (Format::Csv | Format::Jsonl, Some(told)) = (table.format, not_utf8(&head)) {
            return Err(Failure::unusable(format!("{}: {told}", file::name(path))));
        }
        Ok(Self { head, rest })
    }

    /// Whole lines of what it begins with, or all of that where it is one line.
    pub(crate) fn whole_lines(&self) -> &[u8] {
        let end = self.head.iter().rposition(|byte| *byte == b'\n').map_or(self.head.len(), |at| at + 1);
        // The last line of a short table has no line break.
        if self.head.len() < HEAD - 3 { &self.head } else { &self.head[..end] }
    }

    pub(crate) fn reader(self) -> impl BufRead + Send {
        io::Cursor::new(self.head).chain(self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_formats_and_packings() {
        for (name, format, packing) in [
            ("a.parquet", Some(Format::Parquet), Packing::Plain),
            ("b/a.CSV.gz", Some(Format::Csv), Packing::Gzip),
            ("a.jsonl.zst", Some(Format::Jsonl), Packing::Zstd),
            ("a.feather", Some(Format::Arrow), Packing::Plain),
            ("a.txt", None, Packing::Plain),
            ("parquet", None, Packing::Plain),
        ] {
            assert_eq!((Format::of_file(name), Packing::of_file(name)), (format, packing), "{name}");
        }
        for (name, format) in [("a.tsv", Some(Format::Csv)), ("a.TSV.gz", Some(Format::Csv)), ("a.txt", None)]
        {
            assert_eq!(Format::of_input(name), format, "{name}");
        }
        assert_eq!(Format::of_file("a.tsv"), None);
    }
}
