//! Sonometer: a deterministic sensing engine for interactions.
//!
//! A *protocol* is compiled once into a [`Sensor`]; a sensor turns an [`Interaction`] into a [`Reading`]; a [`View`]
//! shows more or less of it. The same protocol and the same interaction give the same bytes, on every machine.
//!
//! ```
//! use sonometer::{Interaction, OffsetUnit, Protocol, Sensor, Unit, View};
//!
//! let (protocol, warnings) = Protocol::read(r#"{
//!     "sonometer": 1, "id": "thanks", "version": "1.0", "taxonomy": "Signal", "language": "en",
//!     "markers": [{
//!         "label": "gratitude", "negation": "drop",
//!         "strong": "thank you (so|very) much", "clear": ["(thanks|thank you)", "much appreciated"],
//!         "hit": "Thank you very much.", "miss": "I can't thank you."
//!     }]
//! }"#)?;
//! assert!(warnings.is_empty());
//!
//! let sensor = Sensor::new(protocol)?;
//! let reading = sensor.sense(&Interaction::text("It works again, thank you so much!")?)?;
//!
//! // Two lines found it: the strong one all of it, the clear one a part.
//! let evidence: Vec<_> = reading.evidence().map(|e| (e.metamarker, e.source, e.score)).collect();
//! assert_eq!(evidence, [
//!     ("gratitude", "thank you".into(), Unit(600_000)),
//!     ("gratitude", "thank you so much".into(), Unit(1_000_000)),
//! ]);
//!
//! let view = View { offsets: Some(OffsetUnit::Chars), ..View::default() };
//! let json = reading.to_json(view);
//! assert!(json.contains(r#"{"metamarker":"gratitude","score":0.6,"source":"thank you","start":16,"end":25}"#));
//! # Ok::<(), sonometer::Error>(())
//! ```
//!
//! How protocols are written: [`protocol`]. What every number means: [`semantics`]. Why a reading came to its score:
//! [`Reading::ledger`]. The modules stand in the order in which data passes through them.
#![deny(clippy::float_arithmetic)]
// The module for browsers is built for size (`small_build` in bindings/wasm/toolchain), but for the functions that a profile of it
// names: `optimize(speed)` lets small functions of the standard library be part of these.
#![cfg_attr(small_build, feature(optimize_attribute))]

// Numbers, names and trouble.
pub mod diagnostic;
pub mod error;
mod json;
mod names;
#[cfg(feature = "perf")]
mod order;
pub mod unit;

// 1 Reading text: JSON and YAML with places, what words are, and how they are written.
pub mod class;
pub mod document;
mod expression;
#[cfg(feature = "perf")]
#[doc(inline)]
pub use expression::known as known_expressions;
pub mod language;
pub mod text;

// 2 What to measure, and what is measured.
pub mod composition;
pub mod interaction;
pub mod protocol;

// 3 The instrument: compiled.
pub mod instrument;
mod sensor;

// 4 Finding, 5 judging, 6 measuring.
mod evidence;
mod mask;
mod matcher;
pub mod measure;
mod parting;

// 7 Saying.
mod reading;

// 8 Doors.
pub mod batch;
pub mod compare;
pub mod session;

// 9 Worlds.
pub mod stage;

// Every key of every kind of file.
pub mod keys;

#[doc = include_str!("../docs/semantics.md")]
pub mod semantics {}

pub use compare::{Comparison, Delta, Estimate, Rates, Side};
pub use composition::{Blueprint, Catalog, Document, Metric, TargetKind};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use error::{Error, ErrorCode};
pub use instrument::Instrument;
pub use interaction::{Interaction, MessageForm, Messages, Turn};
pub use language::fingerprint::fingerprint;
pub use mask::MaskKey;
pub use measure::actant::{ActantFlow, Direction};
pub use measure::counts::{Counts, LanguageCounts, RoleCount};
pub use measure::fidelity::Fidelity;
pub use measure::hearing::{Roles, Unheard};
pub use measure::ics::Ics;
pub use measure::resonance::{Basis, Resonance};
pub use measure::signal::Signal;
pub use measure::temporal::{Temporal, Trend};
pub use measure::weak::WeakSignal;
pub use measure::{Evidence, FlowOptions, Measured, SenseOptions, Stretch, TemporalOptions};
pub use protocol::{Mask, Protocol};
pub use reading::{
    Columns, Further, Ledger, MarkerEntry, MatchEntry, OffsetUnit, Profile, Reading, ScopeEntry, View,
};
pub use sensor::{Sensor, Unbounded};
pub use session::{Event, Place, Released, Session, SessionOptions, Step};
pub use unit::Unit;

/// The code of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The code of the page about sessions compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/streams.md")]
struct Streams;

/// The code of the crate's own README runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
