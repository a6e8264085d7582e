//! Sonometer: a deterministic sensing engine for interactions.
//!
//! A *protocol* is compiled once into a [`Sensor`]; a sensor turns an [`Interaction`] into a [`Reading`]; a [`View`]
//! shows more or less of it. The modules stand in the order in which data passes through them.
#![deny(clippy::float_arithmetic)]

// Numbers and trouble.
pub mod diagnostic;
pub mod error;
pub mod unit;

// 1 What to measure.
pub mod language;
pub mod protocol;

// 2 What is measured.
pub mod interaction;
mod request;
pub mod text;

// 3 The instrument, 4 finding, 5 judging.
pub mod class;
mod evidence;
mod matcher;
mod sensor;

// 6 Measuring, 7 composing.
mod fidelity;
mod resonance;
mod score;
mod weak;

// 8 Saying.
mod ics;
mod json;
mod ledger;
mod mask;
mod profile;
mod reading;

// 9 Doors.
mod sense;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use error::{Error, ErrorCode};
pub use fidelity::Fidelity;
pub use ics::Ics;
pub use interaction::{Interaction, Turn};
pub use ledger::{Ledger, MarkerEntry, MatchEntry};
pub use profile::{OffsetUnit, Profile, View};
pub use protocol::Protocol;
pub use reading::{Evidence, Reading};
pub use resonance::Resonance;
pub use sense::SenseOptions;
pub use sensor::Sensor;
pub use unit::Unit;
pub use weak::WeakSignal;
