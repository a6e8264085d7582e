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

// Numbers and trouble.
pub mod diagnostic;
pub mod error;
mod numbers;
pub mod unit;

// 1 What to measure.
pub mod language;
pub mod protocol;

// 2 What is measured.
mod chat;
pub mod interaction;
mod request;
pub mod text;

// 3 The instrument, 4 finding, 5 judging.
pub mod class;
mod evidence;
mod expression;
mod matcher;
mod sensor;

// 6 Measuring, 7 composing; on SGM 1.5 signal, flow and development.
pub mod actant;
mod counts;
mod fidelity;
mod hearing;
mod part;
mod resonance;
mod score;
pub mod signal;
pub mod temporal;
mod weak;

mod compare;
pub mod composition;
mod estimate;

// 8 Saying.
mod fingerprint;
mod ics;
mod json;
mod ledger;
mod mask;
mod offset;
mod profile;
mod reading;

// 9 Doors.
pub mod batch;
mod instrument;
mod sense;
pub mod session;

// 10 Worlds.
pub mod stage;

#[doc = include_str!("../docs/semantics.md")]
pub mod semantics {}

pub use actant::{ActantFlow, Direction};
pub use compare::{Comparison, Delta, Side};
pub use composition::{Blueprint, Catalog, Composition, CompositionReading, Document, Metric, TargetKind};
pub use counts::{Counts, LanguageCounts, RoleCount};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use error::{Error, ErrorCode};
pub use estimate::{Estimate, Rates};
pub use fidelity::Fidelity;
pub use fingerprint::fingerprint;
pub use hearing::{Roles, Unheard};
pub use ics::Ics;
pub use instrument::{AnyReading, AnySession, Instrument};
pub use interaction::{Interaction, Turn};
pub use ledger::{Ledger, MarkerEntry, MatchEntry};
pub use mask::MaskKey;
pub use offset::OffsetUnit;
pub use profile::{FlowOptions, Profile, TemporalOptions, View};
pub use protocol::{Mask, Protocol};
pub use reading::{Evidence, Reading, Stretch};
pub use resonance::Resonance;
pub use sense::SenseOptions;
pub use sensor::{Sensor, Unbounded};
pub use session::{CompositionSession, Event, Place, Released, Session, SessionOptions, Step};
pub use signal::Signal;
pub use temporal::{Temporal, Trend};
pub use unit::Unit;
pub use weak::WeakSignal;

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
