//! The C door of Sonometer.
//!
//! It computes nothing and writes no JSON of its own: it reads arguments, calls the engine and hands its bytes out. The
//! header `include/sonometer.h` is generated from this crate (`cargo xtask header`); its head says what callers keep to.
//!
//! `raw` holds every pointer that is followed; the other modules work with what it gives them.

#![warn(clippy::cast_possible_truncation)]

pub mod abi;
pub mod batch;
pub mod card;
pub mod dive;
mod door;
pub mod error;
pub mod interaction;
pub mod key;
pub mod options;
pub mod raw;
pub mod result;
pub mod sense;
pub mod session;
pub mod stage;
pub mod status;
pub mod target;
