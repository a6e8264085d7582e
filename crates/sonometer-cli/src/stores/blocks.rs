//! An object in blocks: what is read is fetched some MiB at a time, the next block while this one is in use.

use super::connect::{begin, wait};
use super::object::Object;
use bytes::Bytes;
use object_store::Error;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinHandle;

/// The most bytes of a block.
const BLOCK: u64 = 8 << 20;
/// Bytes of all blocks that are held of one object, if its spans are not too many.
const HELD: u64 = 64 << 20;
/// Bytes at the end of a file with an index there: enough for that of some hundred row groups.
const TAIL: u64 = 256 << 10;

/// Parts of an object, read as from a file.
#[derive(Clone)]
pub(crate) struct Ranges {
    blocks: Arc<Blocks>,
    at: u64,
}

struct Blocks {
    object: Object,
    /// What is fetched together, in ascending order; bytes between are fetched as they are asked for.
    spans: Vec<Range<u64>>,
    block: u64,
    held: Mutex<Held>,
}

/// Blocks by their first byte: those that are there, the one that was used last at the end, and those that come.
#[derive(Default)]
struct Held {
    here: VecDeque<(u64, Bytes)>,
    coming: Vec<(u64, JoinHandle<Result<Bytes, Error>>)>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.coming.iter().for_each(|(_, task)| task.abort());
    }
}

impl Ranges {
    /// `spans` are in ascending order; none stands for all of the object.
    pub(super) fn new(object: Object, mut spans: Vec<Range<u64>>) -> Self {
        if spans.is_empty() {
            let tail = object.size().saturating_sub(TAIL);
            spans = [0..tail, tail..object.size()].into_iter().filter(|span| !span.is_empty()).collect();
        }
        // Each span has one block in use and one that comes.
        let block = (HELD / (2 * spans.len() as u64).max(1)).clamp(TAIL, BLOCK);
        Self { blocks: Arc::new(Blocks { object, spans, block, held: Mutex::default() }), at: 0 }
    }
}

impl Blocks {
    /// The block that has a byte, or what lies from it to the next span.
    fn range(&self, at: u64) -> Range<u64> {
        let next = self.spans.partition_point(|span| span.end <= at);
        match self.spans.get(next) {
            Some(span) if span.start <= at => {
                let start = span.start + (at - span.start) / self.block * self.block;
                start..span.end.min(start + self.block)
            }
            Some(span) => at..span.start.min(at + TAIL),
            None => at..self.object.size().min(at + TAIL),
        }
    }

    /// The block with a byte, and where in it the byte is.
    fn block(&self, at: u64) -> io::Result<(Bytes, usize)> {
        let range = self.range(at);
        let offset = usize::try_from(at - range.start).map_err(io::Error::other)?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = held.here.iter().position(|(start, _)| *start == range.start) {
            // Read byte by byte, it stays where it is.
            if found + 1 < held.here.len()
                && let Some(used) = held.here.remove(found)
            {
                held.here.push_back(used);
            }
            let block = held.here.back().map(|(_, bytes)| bytes.clone()).unwrap_or_default();
            return Ok((block, offset));
        }
        let coming = held.coming.iter().position(|(start, _)| *start == range.start);
        let task = match coming.map(|at| held.coming.swap_remove(at)) {
            Some((_, task)) => task,
            None => {
                begin(self.object.clone().bytes(range.clone())).map_err(|_| io::Error::other("no threads"))?
            }
        };
        // The next of the same span.
        let next = self.range(range.end);
        let is_known = held.here.iter().any(|(start, _)| *start == next.start)
            || held.coming.iter().any(|(start, _)| *start == next.start);
        let in_span = self.spans.iter().any(|span| span.start < next.start && next.start < span.end);
        if in_span && !is_known {
            let task = begin(self.object.clone().bytes(next.clone()));
            held.coming.push((next.start, task.map_err(|_| io::Error::other("no threads"))?));
        }
        let fetched = wait(task).map_err(|_| io::Error::other("no threads"))?;
        let bytes = fetched.map_err(io::Error::other)?;
        let bytes = bytes.map_err(|error| io::Error::other(self.object.why(&error)))?;
        if (bytes.len() as u64) < range.end - range.start {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the store sent fewer bytes than it has",
            ));
        }
        let most = (HELD / self.block).max(self.spans.len() as u64 + 1);
        while held.here.len() as u64 >= most {
            held.here.pop_front();
        }
        held.here.push_back((range.start, bytes.clone()));
        Ok((bytes, offset))
    }
}

impl Read for Ranges {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() || self.at >= self.blocks.object.size() {
            return Ok(0);
        }
        let (block, offset) = self.blocks.block(self.at)?;
        let length = into.len().min(block.len() - offset);
        into[..length].copy_from_slice(&block[offset..offset + length]);
        self.at += length as u64;
        Ok(length)
    }
}

impl Seek for Ranges {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.blocks.object.size().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at =
            at.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a place before the beginning"))?;
        Ok(self.at)
    }
}

impl Length for Ranges {
    fn len(&self) -> u64 {
        self.blocks.object.size()
    }
}

impl ChunkReader for Ranges {
    type T = Self;

    fn get_read(&self, start: u64) -> ParquetResult<Self> {
        Ok(Self { at: start, ..self.clone() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len()) {
            // Said by the file, so nothing of that size is made.
            return Err(ParquetError::EOF(format!(
                "{length} bytes are wanted at byte {start}, after the end"
            )));
        }
        let (block, offset) = self.blocks.block(start)?;
        if let Some(end) = offset.checked_add(length).filter(|end| *end <= block.len()) {
            return Ok(block.slice(offset..end));
        }
        let mut bytes = vec![0; length];
        self.get_read(start)?.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}
