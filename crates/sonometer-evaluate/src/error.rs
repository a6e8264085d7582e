//! The one error of this crate: what is wrong, where, and what to do instead.

use crate::fit::ProtocolFile;
use sonometer::{Diagnostics, ErrorCode};
use std::fmt;

/// Why an evaluation or a fit came to nothing.
#[derive(Clone, Debug)]
pub enum Error {
    /// The caller's [`Watch`](crate::Watch) stopped the work.
    Stopped,
    /// Everything else.
    Failed(Box<Failure>),
}

/// What is wrong, in the shape of the engine's errors.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The machine-readable code.
    pub code: ErrorCode,
    /// Where.
    pub place: Place,
    /// What is wrong and how to fix it, for people. Options have the names of the command (`--positive`); see
    /// [`respelled`](crate::respelled).
    pub message: String,
    /// The protocol that cannot be used, with its findings.
    pub findings: Option<(ProtocolFile, Diagnostics)>,
}

/// A place in labelled data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The name of the file, or of what holds the items; empty for options.
    pub source: String,
    /// The line of the file, from 1.
    pub line: Option<usize>,
    /// The column of the line, from 1.
    pub column: Option<usize>,
    /// The item, from 0, where there are no lines.
    pub item: Option<usize>,
    /// What of the item: `labels.polite`, `interaction.segments[3].role`.
    pub field: Option<String>,
}

impl Place {
    /// The whole of a file, or of all items.
    pub(crate) fn of(source: &str) -> Self {
        Self { source: source.to_owned(), ..Self::default() }
    }

    /// The same with what is meant of the item.
    pub(crate) fn field(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..self }
    }
}

/// `data.jsonl:3:12`, `items[2]`; the field stands in the message.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        match (self.line, self.column, self.item) {
            (Some(line), Some(column), _) => write!(f, ":{line}:{column}"),
            (Some(line), None, _) => write!(f, ":{line}"),
            (None, _, Some(item)) => write!(f, "[{item}]"),
            (None, _, None) => Ok(()),
        }
    }
}

impl Error {
    /// Options or items that cannot be used.
    pub(crate) fn unusable(message: impl Into<String>) -> Self {
        Self::at(Place::default(), message)
    }

    /// The same at a place.
    pub(crate) fn at(place: Place, message: impl Into<String>) -> Self {
        let (code, message) = (ErrorCode::InvalidRequest, message.into());
        Self::Failed(Box::new(Failure { code, place, message, findings: None }))
    }

    /// An error of the engine about what stands at `place`.
    pub(crate) fn engine(place: Place, error: &sonometer::Error) -> Self {
        let (message, place) = match error.place.is_empty() {
            true => (error.message.clone(), place),
            false => (format!("{}: {}", error.place, error.message), place.field(&error.place)),
        };
        Self::Failed(Box::new(Failure { code: error.code, place, message, findings: None }))
    }

    /// A protocol with errors.
    pub(crate) fn protocol(file: ProtocolFile, found: Diagnostics) -> Self {
        let place = Place::of(&file.name);
        let message = found.iter().next().map_or_else(String::new, ToString::to_string);
        let code = ErrorCode::InvalidProtocol;
        Self::Failed(Box::new(Failure { code, place, message, findings: Some((file, found)) }))
    }
}

/// Place and message: `data.jsonl:3: labels.mood is a text, …`.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("stopped"),
            Self::Failed(failure) => failure.fmt(f),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.source.is_empty() {
            true => f.write_str(&self.message),
            false => write!(f, "{}: {}", self.place, self.message),
        }
    }
}

impl std::error::Error for Error {}
