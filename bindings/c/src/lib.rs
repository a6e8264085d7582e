//! The C door of Sonometer.
//!
//! It computes nothing and writes no JSON of its own: it reads arguments, calls the engine and hands its bytes out. The
//! header `include/sonometer.h` is generated from this crate (`cargo xtask header`); its head says what callers keep to.
//!
//! `raw` holds every pointer that is followed; the other modules work with what it gives them.

#![warn(clippy::cast_possible_truncation)]

pub mod batch;
mod door;
pub mod error;
pub mod interaction;
pub mod options;
pub mod raw;
pub mod result;
pub mod sense;
mod shelf;
pub mod status;
pub mod target;

/// The version of this interface: of its functions, structs and numbers. It grows when something changes or goes away, not
/// when something is added.
pub const SNM_ABI_VERSION: u32 = 1;

/// The version of the interface that the library has. It must be `SNM_ABI_VERSION`.
#[unsafe(no_mangle)]
pub extern "C" fn snm_abi_version() -> u32 {
    SNM_ABI_VERSION
}
