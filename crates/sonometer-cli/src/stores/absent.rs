//! The same names without the feature: no address is taken, so there is no object.

use super::Found;
use super::address::known;
use crate::failure::Failure;
use bytes::Bytes;
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::{ChunkReader, Length};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

/// An object; there is none.
#[derive(Clone, Debug)]
pub(crate) enum Object {}

/// Parts of an object; there are none.
#[derive(Clone, Debug)]
pub(crate) enum Ranges {}

/// Where a result goes; there is none.
#[derive(Clone, Debug)]
pub(crate) enum Destination {}

fn lacking(address: &str) -> Failure {
    Failure::unusable(format!(
        "{address}: object stores are for the feature `stores`, which this command lacks; build it with `--features \
         stores`, or copy the file to this machine"
    ))
}

pub(crate) fn find(address: &str) -> Result<Found, Failure> {
    Err(lacking(address))
}

/// An address is never taken as a path; a malformed one is an error.
pub(crate) fn local(address: &str) -> Result<Option<String>, Failure> {
    known(address)?;
    Err(lacking(address))
}

impl Object {
    pub(crate) fn shown(&self) -> &str {
        match *self {}
    }

    pub(crate) fn size(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn facts(&self) -> String {
        match *self {}
    }

    pub(crate) fn read(&self) -> Result<Box<dyn Read + Send>, Failure> {
        match *self {}
    }

    pub(crate) fn ranges(&self, _: Vec<Range<u64>>) -> Result<Ranges, Failure> {
        match *self {}
    }
}

impl Destination {
    pub(crate) fn open(address: &str) -> Result<Self, Failure> {
        Err(lacking(address))
    }

    pub(crate) fn name(&self) -> &str {
        match *self {}
    }

    pub(crate) fn is_there(&self) -> Result<bool, Failure> {
        match *self {}
    }

    pub(crate) fn check(&self) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn send(&self, _: &Path) -> Result<(), Failure> {
        match *self {}
    }
}

impl Read for Ranges {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }
}

impl Seek for Ranges {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        match *self {}
    }
}

impl Length for Ranges {
    fn len(&self) -> u64 {
        match *self {}
    }
}

impl ChunkReader for Ranges {
    type T = Self;

    fn get_read(&self, _: u64) -> ParquetResult<Self> {
        match *self {}
    }

    fn get_bytes(&self, _: u64, _: usize) -> ParquetResult<Bytes> {
        match *self {}
    }
}
