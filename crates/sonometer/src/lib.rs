//! Sonometer: a deterministic sensing engine for interactions.
#![deny(clippy::float_arithmetic)]

pub mod diagnostic;
pub mod error;
pub mod protocol;
pub mod unit;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use error::{Error, ErrorCode};
pub use unit::Unit;
