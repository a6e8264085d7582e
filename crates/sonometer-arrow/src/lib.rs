//! Columns of texts and conversations in, columns of scores and evidence out.
//!
//! ```
//! use arrow_array::{Array, StringArray, cast::AsArray, types::Float64Type};
//! use sonometer::{Instrument, Protocol, Sensor};
//! use sonometer_arrow::{Column, Frame};
//!
//! let source = r#"{"sonometer": 1, "id": "thanks", "version": "1", "taxonomy": "Signal", "fidelity": {"sufficient": 0},
//!     "score": "any", "markers": [{"label": "gratitude", "strong": "thank you"}]}"#;
//! let thanks = Instrument::from(Sensor::new(Protocol::read(source)?.0)?);
//! let texts = StringArray::from(vec![Some("Thank you!"), None, Some("No.")]);
//! let found = Frame::new(&thanks).columns([Column::Score, Column::Evidence]).sense(&texts)?;
//! let scores = found.column_by_name("score").expect("was asked for").as_primitive::<Float64Type>();
//! assert_eq!((scores.value(0), scores.is_null(1), scores.value(2)), (1.0, true, 0.0));
//! # Ok::<(), sonometer::Error>(())
//! ```
//!
//! Rows share nothing, so the columns of a frame hold what each row gives alone, whatever the number of threads and however a table is
//! cut into batches. Numbers of the engine are integers in millionths; in columns they are the 64-bit floats nearest to them, and the
//! column `json` has the reading's own bytes.

mod column;
mod frame;
#[cfg(feature = "datafusion")]
mod functions;
mod group;
mod input;
mod mask;
mod output;
mod talks;

pub use column::Column;
#[cfg(feature = "parallel")]
pub use frame::pool;
pub use frame::{BadRows, Frame, GROUP, Input};
#[cfg(feature = "datafusion")]
pub use functions::{FindTarget, functions};
pub use input::interactions;
pub use talks::{talks, talks_type};

/// The code of the README compiles and says what it says.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
