//! An object: a file in a store.

use super::address::{Address, Scheme};
use super::blocks::Ranges;
use super::connect::{Patience, store, wait};
use super::told;
use crate::failure::Failure;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, ObjectMeta, ObjectStore};
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

/// A file in a store, as it was when it was found.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    address: Address,
    store: Arc<dyn ObjectStore>,
    path: Path,
    meta: ObjectMeta,
}

impl Object {
    pub(super) fn new(address: Address, meta: ObjectMeta) -> Result<Self, Failure> {
        let store = store(&address, Patience::Long)?;
        Ok(Self { store, path: meta.location.clone(), address, meta })
    }

    /// Its name in messages.
    pub(crate) fn shown(&self) -> &str {
        &self.address.shown
    }

    /// In bytes.
    pub(crate) fn size(&self) -> u64 {
        self.meta.size
    }

    /// What tells it from another version of it.
    pub(crate) fn facts(&self) -> String {
        format!("{} {} {:?}", self.meta.size, self.meta.last_modified, self.meta.e_tag)
    }

    /// Reads it from its beginning to its end.
    pub(crate) fn read(&self) -> Result<Box<dyn Read + Send>, Failure> {
        if self.address.scheme != Scheme::Http {
            return Ok(Box::new(self.ranges(Vec::new())?));
        }
        // Not every server gives ranges, and none is needed for this.
        let got = wait(self.store.get_opts(&self.path, self.options(None)))?;
        let got = got.map_err(|error| told::failure(&self.address, &error))?;
        Ok(Box::new(Body { stream: got.into_stream(), held: Bytes::new(), address: self.address.clone() }))
    }

    /// Reads what of it is asked for; of `spans`, which lie in it one after the other, no byte more than they have.
    pub(crate) fn ranges(&self, spans: Vec<Range<u64>>) -> Result<Ranges, Failure> {
        Ok(Ranges::new(self.clone(), spans))
    }

    /// Some of its bytes.
    pub(super) async fn bytes(self, range: Range<u64>) -> Result<Bytes, Error> {
        let got = self.store.get_opts(&self.path, self.options(Some(range))).await?;
        got.bytes().await
    }

    /// An error about it, without its name.
    pub(super) fn why(&self, error: &Error) -> String {
        told::why(&self.address, error)
    }

    /// Only of the version that was found. A weak tag says nothing of bytes, and servers refuse it here.
    fn options(&self, range: Option<Range<u64>>) -> GetOptions {
        let tag = self.meta.e_tag.clone().filter(|tag| !tag.starts_with("W/"));
        GetOptions { if_match: tag, range: range.map(GetRange::Bounded), ..GetOptions::default() }
    }
}

/// A body as it comes.
struct Body {
    stream: BoxStream<'static, Result<Bytes, Error>>,
    held: Bytes,
    address: Address,
}

impl Read for Body {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.held.is_empty() {
            match wait(self.stream.next()).map_err(|_| io::Error::other("no threads"))? {
                None => return Ok(0),
                Some(Ok(bytes)) => self.held = bytes,
                Some(Err(error)) => return Err(io::Error::other(told::why(&self.address, &error))),
            }
        }
        let length = into.len().min(self.held.len());
        into[..length].copy_from_slice(&self.held.split_to(length));
        Ok(length)
    }
}
