//! Labelled interactions in, reports out: how well a protocol, metric or blueprint agrees with what people labelled, and
//! protocols fitted to their labels.
//!
//! ```
//! use sonometer::{Instrument, Interaction, Protocol, Sensor, Unit};
//! use sonometer_evaluate::{Item, Labelled, Options, evaluate, unwatched};
//!
//! let polite = |text: &str, polite: bool| -> Result<Item, sonometer::Error> {
//!     let labels = serde_json::Map::from_iter([("polite".to_owned(), polite.into())]);
//!     Ok(Item::new(Interaction::text(text)?, labels))
//! };
//! let items = [
//!     polite("Thank you so much for the quick answer, it works again now.", true)?,
//!     polite("Nobody has answered my mail for a week, and it still fails.", false)?,
//! ];
//! let source = r#"{"sonometer": 1, "id": "thanks", "version": "1", "taxonomy": "Signal", "language": "en",
//!     "score": "any", "markers": [{"label": "gratitude", "strong": "thank you", "hit": "Thank you."}]}"#;
//! let target = Instrument::from(Sensor::new(Protocol::read(source)?.0)?);
//! let report = evaluate(&target, &Labelled::new(items)?, &Options::default(), &mut unwatched)?;
//! assert_eq!(report.figure("f1").map(|figure| figure.value), Some(Unit::ONE));
//! println!("{}", report.to_text(&Default::default()));    // tables; `to_json`, `to_html` for programs and browsers
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The kinds of labels, and what each figure means: `docs/measuring.md` of the repository. The same items and options give the
//! same bytes on every machine, whatever the number of its cores. Nothing here reads files, knows a terminal or ends a process.

mod error;
mod evaluate;
mod fit;
mod labels;
mod report;
mod watch;
mod words;

pub use error::{Error, Failure, Place};
pub use evaluate::choice::Choice;
pub use evaluate::interval::Interval;
pub use evaluate::measure::Estimate;
pub use evaluate::question::Scope;
pub use evaluate::result::Data;
pub use evaluate::spans::MapEntry;
pub use evaluate::{Options, Threshold, evaluate};
pub use fit::{
    Aim, Change, ChoiceReport, FitReport, Fitted, Kind, LanguageReport, LanguagesReport, MOST_WORDS,
    PairReport, ProtocolFile, Settings, StopList, Tuning, Way, fit, fit_choice, fit_languages, fit_pairs,
    tune,
};
pub use labels::{
    Background, Class, Columns, DataFile, Filter, Fold, Item, Labelled, Selector, Table, not_utf8,
};
pub use report::Report;
pub use watch::{Progress, Watch, unwatched};
pub use words::respelled;

/// The code of the page about measuring compiles and says what it says.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/measuring.md")]
struct Measuring;

/// The code of the README compiles and says what it says.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
