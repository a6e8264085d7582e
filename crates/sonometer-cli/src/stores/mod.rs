//! Places of files that are not on this machine: S3, Google Cloud Storage, Azure, HTTP.
//!
//! The rest of the command runs on threads and reads with `Read` and `Seek`; what waits for a network is behind a runtime of its own here.
//! Without the feature `stores`, the same names are there and every address is refused with what to do.

#[cfg(not(feature = "stores"))]
mod absent;
mod address;
#[cfg(feature = "stores")]
mod blocks;
#[cfg(feature = "stores")]
mod connect;
#[cfg(feature = "stores")]
mod find;
#[cfg(feature = "stores")]
mod object;
#[cfg(feature = "stores")]
mod told;
#[cfg(feature = "stores")]
mod upload;

#[cfg(not(feature = "stores"))]
pub(crate) use absent::{Destination, Object, Ranges, find, local};
pub(crate) use address::is_address;
#[cfg(feature = "stores")]
pub(crate) use {address::local, blocks::Ranges, find::find, object::Object, upload::Destination};

/// What an address stands for.
#[cfg_attr(not(feature = "stores"), expect(dead_code, reason = "there is no object"))]
pub(crate) enum Found {
    /// One object.
    One(Box<Object>),
    /// The objects directly below it, by name.
    Folder(Vec<Object>),
    /// The objects that a pattern matches, by name.
    Matching(Vec<Object>),
}
