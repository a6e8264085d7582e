//! An output in parts: each is whole or not there, and together they become the file.
//!
//! The parts of `OUT` are in the folder `OUT.parts` beside it. A part is written under another name, synced and renamed, so a run that
//! was killed leaves whole parts and no `OUT`; the next run begins after them. At the end the parts are joined, and the rename of the
//! joined file is the last step. For an object in a store that step is its upload, which shows nothing before its end.

use super::super::Tally;
use super::plan::Made;
use crate::failure::Failure;
use crate::file;
use crate::stores::Destination;
use crate::tables::files::{self, Format, Packing};
use crate::tables::read::Tables;
use crate::tables::write::{Trouble, Writer};
use arrow_ipc::reader::FileReader;
use arrow_schema::{Schema, SchemaRef};
use parquet::column::writer::ColumnCloseResult;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::FileReader as _;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A part ends when it has so many rows, or so many bytes were sensed for it: a few seconds of work.
const PART_ROWS: u64 = 128 << 10;
const PART_BYTES: usize = 64 << 20;

/// Where an output goes.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// A path, or the address of `to`.
    pub(super) path: String,
    /// The store that the whole is sent to.
    pub(super) to: Option<Destination>,
    pub(super) format: Format,
    pub(super) packing: Packing,
    pub(super) schema: SchemaRef,
}

/// The parts of an output.
pub(super) struct Parts {
    target: Target,
    folder: PathBuf,
    /// Held while this run works on the folder.
    _lock: File,
    count: usize,
    /// What came of the parts that are there.
    pub(super) before: Tally,
    open: Option<Open>,
}

/// The part that is being written.
struct Open {
    writer: Writer<BufWriter<File>>,
    tally: Tally,
    bytes: usize,
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::unusable(format!("{}: cannot be written: {error}", path.display()))
}

/// Makes renames in a folder last. Not every system can sync a folder; then the file system decides.
fn sync(folder: &Path) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Writes a file whole or not at all.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("tmp");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

impl Parts {
    /// Whether an output is there already. One that is whole is only passed over with `resume`.
    pub(super) fn is_done(target: &Target, resume: bool) -> Result<bool, Failure> {
        let path = &target.path;
        let is_there = match &target.to {
            Some(to) => to.is_there()?,
            None => fs::symlink_metadata(path).is_ok_and(|data| data.is_dir() || data.len() > 0),
        };
        match (is_there, resume) {
            (true, false) => {
                Err(Failure::unusable(format!("{path}: already exists; remove it, or name another file")))
            }
            (there, true) => Ok(there && !target.folder().exists()),
            (false, false) => Ok(false),
        }
    }

    /// Begins an output, or goes on with the parts of a run with the same `plan`.
    pub(super) fn open(target: Target, plan: &str, resume: bool) -> Result<Self, Failure> {
        let folder = target.folder();
        let shown = folder.display();
        let of_plan = folder.join("plan");
        if folder.exists() {
            if !resume {
                return Err(Failure::unusable(format!(
                    "{shown}: has parts of a run that was stopped; use --resume to continue it, or remove the folder"
                )));
            }
            match fs::read_to_string(&of_plan) {
                Ok(other) if other == plan => {}
                // Stopped before it had a plan, so before it had a part.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                _ => {
                    return Err(Failure::unusable(format!(
                        "{shown}: has parts of another run; use --resume with the same inputs, target and options, or remove \
                         the folder"
                    )));
                }
            }
        }
        if let Some(to) = &target.to {
            to.check()?;
        }
        if !folder.exists() {
            // Not `create_dir_all`: a misspelt folder in the path of --out is an error, as for any output.
            fs::create_dir(&folder).map_err(|error| match target.to {
                Some(_) => failed(&folder, &error),
                None => file::unwritable(&target.path, &error),
            })?;
        }
        let lock = File::create(folder.join("lock")).map_err(|error| failed(&folder, &error))?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Err(Failure::unusable(format!(
                "{shown}: another run is writing it; wait until that ends"
            )));
        }
        put(&of_plan, plan.as_bytes()).map_err(|error| failed(&of_plan, &error))?;
        let mut parts = Self { target, folder, _lock: lock, count: 0, before: Tally::default(), open: None };
        while parts.part(parts.count).exists() {
            let beside = parts.tally(parts.count);
            let tally = fs::read(&beside).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let tally: Tally = tally.ok_or_else(|| {
                Failure::unusable(format!("{}: cannot be read; remove the folder", beside.display()))
            })?;
            parts.before += tally;
            parts.count += 1;
        }
        Ok(parts)
    }

    fn part(&self, at: usize) -> PathBuf {
        self.folder.join(format!("{at:06}.part"))
    }

    fn tally(&self, at: usize) -> PathBuf {
        self.folder.join(format!("{at:06}.json"))
    }

    fn unfinished(&self) -> PathBuf {
        self.folder.join("unfinished.tmp")
    }

    pub(super) fn write(&mut self, made: &Made) -> Result<(), Failure> {
        let path = self.unfinished();
        let open = match &mut self.open {
            Some(open) => open,
            None => {
                let file = File::create(&path).map_err(|error| failed(&path, &error))?;
                let to = BufWriter::with_capacity(256 << 10, file);
                let Target { format, packing, schema, .. } = &self.target;
                let writer = Writer::new(*format, *packing, schema, self.count == 0, to);
                let writer = writer.map_err(|error| failed(&path, &error))?;
                self.open.insert(Open { writer, tally: Tally::default(), bytes: 0 })
            }
        };
        open.writer.write(&made.rows).map_err(|error| failed(&path, &error))?;
        open.tally += made.tally;
        open.bytes += made.bytes;
        // At the end of what was read at once: a run that goes on behind a part cuts the rest as one that was never stopped.
        if made.ends && (open.tally.items >= PART_ROWS || open.bytes >= PART_BYTES) {
            self.close()?;
        }
        Ok(())
    }

    /// Ends the part in hand.
    fn close(&mut self) -> Result<(), Failure> {
        let Some(Open { writer, tally, .. }) = self.open.take() else { return Ok(()) };
        let path = self.unfinished();
        let end = || -> Result<(), Trouble> {
            let file = writer.finish()?.into_inner().map_err(|error| error.into_error())?;
            file.sync_all()?;
            put(&self.tally(self.count), &serde_json::to_vec(&tally)?)?;
            fs::rename(&path, self.part(self.count))?;
            sync(&self.folder);
            Ok(())
        };
        end().map_err(|error| failed(&path, &error))?;
        self.count += 1;
        Ok(())
    }

    /// Whether there is nothing that a later run could go on with.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Removes the folder.
    pub(super) fn remove(self) {
        // What cannot be removed does no harm: the next run says what to do with it.
        let _ = fs::remove_dir_all(&self.folder);
    }

    /// Joins the parts to the file.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.close()?;
        let out = Path::new(&self.target.path);
        let whole = match self.count {
            1 => self.part(0),
            _ => self.folder.join("whole.tmp"),
        };
        let join = || -> Result<(), Trouble> {
            if self.count > 1 {
                let file = match self.target.format {
                    Format::Parquet => self.join_parquet(&whole)?,
                    Format::Arrow => self.join_arrow(&whole)?,
                    Format::Csv | Format::Jsonl => self.join_bytes(&whole)?,
                };
                file.sync_all()?;
            }
            if self.target.to.is_none() {
                fs::rename(&whole, out)?;
                sync(out.parent().unwrap_or(Path::new("")));
            }
            Ok(())
        };
        join().map_err(|error| failed(out, &error))?;
        if let Some(to) = &self.target.to {
            to.send(&whole).map_err(|failure| {
                let left = self.folder.display();
                failure
                    .with(&format!("what was measured is in {left}: run it again with --resume to send it"))
            })?;
        }
        self.remove();
        Ok(())
    }

    /// Row groups are copied as they are, without unpacking a column.
    fn join_parquet(&self, whole: &Path) -> Result<File, Trouble> {
        let first = SerializedFileReader::new(File::open(self.part(0))?)?;
        let metadata = first.metadata().file_metadata();
        let properties = WriterProperties::builder()
            .set_key_value_metadata(metadata.key_value_metadata().cloned())
            .build();
        let schema = metadata.schema_descr().root_schema_ptr();
        let file = BufWriter::with_capacity(256 << 10, File::create(whole)?);
        let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
        for at in 0..self.count {
            let part = File::open(self.part(at))?;
            let reader = SerializedFileReader::new(part.try_clone()?)?;
            for group in reader.metadata().row_groups() {
                let mut to = writer.next_row_group()?;
                for column in group.columns() {
                    let closed = ColumnCloseResult {
                        bytes_written: u64::try_from(column.compressed_size())?,
                        rows_written: u64::try_from(group.num_rows())?,
                        metadata: column.clone(),
                        bloom_filter: None,
                        column_index: None,
                        offset_index: None,
                    };
                    to.append_column(&part, closed)?;
                }
                to.close()?;
            }
        }
        let file = writer.into_inner()?;
        Ok(file.into_inner().map_err(|error| error.into_error())?)
    }

    fn join_arrow(&self, whole: &Path) -> Result<File, Trouble> {
        let to = BufWriter::with_capacity(256 << 10, File::create(whole)?);
        let mut writer = Writer::new(Format::Arrow, Packing::Plain, &self.target.schema, false, to)?;
        for at in 0..self.count {
            let part = BufReader::with_capacity(256 << 10, File::open(self.part(at))?);
            for rows in FileReader::try_new(part, None)? {
                writer.write(&rows?)?;
            }
        }
        Ok(writer.finish()?.into_inner().map_err(|error| error.into_error())?)
    }

    /// Lines follow each other, and so do members of gzip and frames of zstd.
    fn join_bytes(&self, whole: &Path) -> Result<File, Trouble> {
        let mut file = File::create(whole)?;
        for at in 0..self.count {
            io::copy(&mut File::open(self.part(at))?, &mut file)?;
        }
        Ok(file)
    }
}

impl Target {
    /// Refuses an output that is whole but of another run, as far as it says of which it is: its columns, and in Parquet and Arrow its
    /// target and number of rows. Lines of JSON say nothing.
    pub(super) fn expect_own(&self, rows: Option<u64>) -> Result<(), Failure> {
        if self.format == Format::Jsonl {
            return Ok(());
        }
        let said = |schema: &Schema| {
            let names = schema.fields().iter().map(|field| field.name().clone());
            let of = ["sonometer.target", "sonometer.protocols"];
            let of = of.map(|key| schema.metadata().get(key).filter(|_| self.format != Format::Csv).cloned());
            (names.collect::<Vec<_>>(), of)
        };
        let found = files::expand(std::slice::from_ref(&self.path), Some(self.format)).and_then(Tables::open);
        let is_own = found.is_ok_and(|found| {
            said(&found.schema) == said(&self.schema)
                && found.rows.zip(rows).is_none_or(|(found, rows)| found == rows)
        });
        match is_own {
            true => Ok(()),
            false => Err(Failure::unusable(format!(
                "{}: has results of another run; use --resume with the same inputs, target and options, or remove the file",
                self.path
            ))),
        }
    }

    /// The folder of the parts: beside a file; of an object in the folder where the command runs, as a store has no renaming.
    fn folder(&self) -> PathBuf {
        let beside = self.to.as_ref().map_or(self.path.as_str(), Destination::name);
        PathBuf::from(format!("{beside}.parts"))
    }
}
