//! A result, sent to a store: whole, or not at all.

use super::address::{Address, Scheme};
use super::connect::{Patience, path, store, wait};
use super::told;
use crate::failure::Failure;
use bytes::Bytes;
use object_store::path::Path as Key;
use object_store::{Error, GetOptions, ObjectStore, ObjectStoreExt, WriteMultipart};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Bytes that are sent at once, at least; stores take no fewer than 5 MiB.
const PIECE: u64 = 8 << 20;
/// The most pieces that S3 takes of one object, with some room.
const PIECES: u64 = 9_000;
/// Pieces on their way at once.
const AT_ONCE: usize = 4;

/// Where a result goes.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    address: Address,
    key: Key,
}

impl Destination {
    /// The place of an address.
    pub(crate) fn open(address: &str) -> Result<Self, Failure> {
        let address = Address::parse(address)?;
        let shown = &address.shown;
        if address.scheme == Scheme::Http {
            return Err(Failure::unusable(format!(
                "{shown}: servers of HTTP are read only: what they do with a file that breaks off is not known; write to \
                 s3://, gs://, az:// or a file"
            )));
        }
        if address.key.is_empty() || address.key.ends_with('/') {
            let folder = shown.trim_end_matches('/');
            return Err(Failure::unusable(format!(
                "{shown}: is a folder; name the file in it, such as {folder}/scores.parquet"
            )));
        }
        let key = path(&address)?;
        Ok(Self { address, key })
    }

    /// The last part of its name.
    pub(crate) fn name(&self) -> &str {
        self.key.filename().unwrap_or_default()
    }

    fn store(&self, patience: Patience) -> Result<Arc<dyn ObjectStore>, Failure> {
        store(&self.address, patience)
    }

    fn failure(&self, error: &Error) -> Failure {
        told::failure(&self.address, error)
    }

    /// Whether something is there.
    pub(crate) fn is_there(&self) -> Result<bool, Failure> {
        let store = self.store(Patience::Short)?;
        let ask = |head| store.get_opts(&self.key, GetOptions { head, ..GetOptions::default() });
        match wait(ask(true))? {
            Ok(got) => Ok(got.meta.size > 0),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => match wait(ask(false))? {
                Err(error) => Err(self.failure(&error)),
                Ok(_) => Err(self.failure(&error)),
            },
        }
    }

    /// Begins to write and leaves off, so that a run of hours does not end with a right that is missing. Azure notices
    /// with the first piece only.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let store = self.store(Patience::Short)?;
        let begun = wait(store.put_multipart(&self.key))?;
        let mut begun = begun.map_err(|error| self.failure(&error))?;
        // Without the right to leave off, the store drops it by its own rules.
        let _ = wait(begun.abort())?;
        Ok(())
    }

    /// Sends a file. It is there with the last step; what is interrupted before that leaves nothing that can be read.
    pub(crate) fn send(&self, file: &Path) -> Result<(), Failure> {
        let store = self.store(Patience::Long)?;
        let unreadable = |error| Failure::unusable(format!("{}: cannot be read: {error}", file.display()));
        let mut from = File::open(file).map_err(unreadable)?;
        let size = from.metadata().map_err(unreadable)?.len();
        let piece = PIECE.max(size / PIECES + 1);
        if size <= piece {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes).map_err(unreadable)?;
            return wait(store.put(&self.key, bytes.into()))?.map(drop).map_err(|error| self.failure(&error));
        }
        let length = usize::try_from(piece).map_err(|error| Failure::unusable(error.to_string()))?;
        let begun = wait(store.put_multipart(&self.key))?.map_err(|error| self.failure(&error))?;
        let mut upload = WriteMultipart::new_with_chunk_size(begun, length);
        loop {
            let mut bytes = Vec::new();
            let read = from.by_ref().take(piece).read_to_end(&mut bytes);
            let sent = match read {
                Ok(0) => break,
                Ok(_) => wait(async {
                    upload.put(Bytes::from(bytes));
                    upload.wait_for_capacity(AT_ONCE).await
                })?
                .map_err(|error| self.failure(&error)),
                Err(error) => Err(unreadable(error)),
            };
            if let Err(failure) = sent {
                // The first trouble is the one to tell.
                let _ = wait(upload.abort())?;
                return Err(failure);
            }
        }
        wait(upload.finish())?.map(drop).map_err(|error| self.failure(&error))
    }
}
