//! Readings, comparisons and evaluations as reports: tables for terminals, pages for browsers.
//!
//! A [`Sheet`] says what a report holds: facts, gauges, tables, drawings, conversations with their evidence. [`Sheet::to_text`] writes
//! it for a terminal, [`Sheet::to_html`] as a page that needs no network, [`Sheet::to_markdown`] for repositories and tickets. For programs there is the JSON of what was measured; a
//! reading's is written by the engine, and [`json`] has what the others need.
//!
//! ```
//! use sonometer::{Interaction, Protocol, Sensor};
//! use sonometer_report::{Paint, Shown, of_reading};
//!
//! let source = r#"{"sonometer": 1, "id": "thanks", "version": "1", "taxonomy": "Signal", "language": "en",
//!     "score": "any", "markers": [{"label": "gratitude", "strong": "thank you", "hit": "Thank you."}]}"#;
//! let sensor = Sensor::new(Protocol::read(source)?.0)?;
//! let reading = sensor.sense(&Interaction::text("Thank you so much for the quick answer, it works again now.")?)?;
//! let sheet = of_reading(&reading, &Shown::default());
//! assert!(sheet.to_text(&Paint::default()).contains("[Thank you]{gratitude} so much"));
//! assert!(sheet.to_html().starts_with("<!DOCTYPE html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Only masked text is shown, and foreign text can neither steer a terminal nor become markup. Nothing here reads files or knows
//! arguments.

mod card;
mod cited;
mod comparison;
mod corpus;
mod excerpt;
mod html;
pub mod json;
pub mod listing;
mod markdown;
mod measured;
mod names;
mod paint;
mod plot;
mod reading;
mod sheet;
mod signal;
mod single;
mod subject;
mod talk;
mod text;
mod words;

/// The code of the README compiles and says what it says.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use cited::{Cited, cited, full_name, named_resonance};
pub use comparison::of_comparison;
pub use corpus::{Corpus, Heard, Picked};
pub use excerpt::{Excerpt, excerpt};
pub use html::page;
pub use names::{Hidden, Names, Roles};
pub use paint::{Paint, Stress, Tone, columns as columns_of, fit, one_line, paragraph, safe, width};
pub use plot::{Boxes, Columns, Curve, Group, Plot, Track, permille};
pub use reading::{Place, Shown, of_reading};
pub use sheet::{
    Bar, Card, Case, Cases, Cell, Column, Confusion, Gauge, Gauges, Line, Part, Plots, Row, Set, Sheet, Span,
    Table, Text, columns, shown_of,
};
pub use single::of_talk;
pub use subject::{Subject, reference};
pub use talk::{Mark, Most, Talk, tones};
pub use text::bar::bar_parts;
pub use text::ledger::{reasons, signed};
pub use words::{counted, grouped};
