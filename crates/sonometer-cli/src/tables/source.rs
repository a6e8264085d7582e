//! Where the bytes of a table are: standard input, a file, or an object in a store.

use crate::failure::Failure;
use crate::file;
use crate::stores::{Object, Ranges};
use bytes::Bytes;
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

/// Where a table is.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Stdin,
    File(String),
    Object(Box<Object>),
}

impl Place {
    /// In bytes, 0 where that is not known.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Stdin => 0,
            Self::File(path) => fs::metadata(path).map_or(0, |data| data.len()),
            Self::Object(object) => object.size(),
        }
    }

    /// What tells it from another version of it: size and time of the last change.
    pub(crate) fn facts(&self) -> String {
        match self {
            Self::Stdin => String::new(),
            Self::File(path) => {
                let facts = fs::metadata(path).map(|data| (data.len(), data.modified().ok())).ok();
                format!("{facts:?}")
            }
            Self::Object(object) => object.facts(),
        }
    }

    /// Reads it once, from its beginning.
    pub(crate) fn read(&self) -> Result<Box<dyn Read + Send>, Failure> {
        Ok(match self {
            Self::Stdin => Box::new(io::stdin()),
            Self::File(path) => Box::new(file::open(path)?),
            Self::Object(object) => object.read()?,
        })
    }

    /// Reads what of it is asked for. `spans` of an object are fetched each together and no further; none stands for all of it.
    pub(crate) fn ranges(&self, spans: Vec<Range<u64>>) -> Result<Source, Failure> {
        match self {
            Self::Stdin => {
                Err(Failure::unusable("standard input: is read from its beginning only; name a file"))
            }
            Self::File(path) => file::open(path).map(Source::File),
            Self::Object(object) => object.ranges(spans).map(Source::Object),
        }
    }
}

/// A table, open at any place.
pub(crate) enum Source {
    File(File),
    Object(Ranges),
}

impl Read for Source {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(into),
            Self::Object(ranges) => ranges.read(into),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Object(ranges) => ranges.seek(to),
        }
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => file.len(),
            Self::Object(ranges) => ranges.len(),
        }
    }
}

impl ChunkReader for Source {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> ParquetResult<Box<dyn Read>> {
        Ok(match self {
            Self::File(file) => {
                let reader: BufReader<File> = file.get_read(start)?;
                Box::new(reader)
            }
            Self::Object(ranges) => Box::new(ranges.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        match self {
            Self::File(file) => file.get_bytes(start, length),
            Self::Object(ranges) => ranges.get_bytes(start, length),
        }
    }
}
