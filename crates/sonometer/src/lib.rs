//! Sonometer: a deterministic sensing engine for interactions.
#![deny(clippy::float_arithmetic)]

pub mod class;
pub mod diagnostic;
pub mod error;
pub mod interaction;
pub mod profile;
pub mod protocol;
pub mod text;
pub mod language;
pub mod unit;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use error::{Error, ErrorCode};
pub use interaction::{Interaction, Turn};
pub use profile::{OffsetUnit, Profile, View};
pub use protocol::Protocol;
pub use unit::Unit;
