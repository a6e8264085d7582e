//! The one error shape of every interface.

use crate::diagnostic::{Diagnostics, line_and_column};
use crate::json::Json;
use std::fmt;

/// The kind of an error, as in `error.code` of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The input has the wrong shape: `invalid_request`.
    InvalidRequest,
    /// No such protocol, metric or blueprint: `target_not_found`.
    TargetNotFound,
    /// The content lacks sufficient signal: `insufficient_signal`.
    InsufficientSignal,
    /// The protocol file has errors: `invalid_protocol`.
    InvalidProtocol,
    /// The input is larger than the engine reads: `payload_too_large`.
    PayloadTooLarge,
    /// The engine itself failed, which is a bug: `internal_error`.
    Internal,
}

impl ErrorCode {
    /// The machine-readable code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::TargetNotFound => "target_not_found",
            Self::InsufficientSignal => "insufficient_signal",
            Self::InvalidProtocol => "invalid_protocol",
            Self::PayloadTooLarge => "payload_too_large",
            Self::Internal => "internal_error",
        }
    }
}

/// An error with its code, its place in the input and, for protocol files, every finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The machine-readable code.
    pub code: ErrorCode,
    /// What is wrong and how to fix it, for people.
    pub message: String,
    /// Where: a path such as `segments[3].role`, or `line 4, column 7`; empty if there is no place.
    pub place: String,
    /// The findings of an invalid protocol; empty for other errors.
    pub diagnostics: Diagnostics,
}

impl Error {
    /// An error about the shape of an input, at `place`.
    pub fn invalid(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, place, message)
    }

    /// An error with any code.
    pub fn new(code: ErrorCode, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), place: place.into(), diagnostics: Diagnostics::new() }
    }

    /// The error of a protocol source with findings; the first error gives message and place.
    pub fn protocol(source: &str, diagnostics: Diagnostics) -> Self {
        let first = diagnostics.iter().max_by_key(|d| (d.severity, std::cmp::Reverse(d.span)));
        let (place, message) = first.map_or_else(Default::default, |d| {
            let (line, column) = line_and_column(source, d.span.start);
            (format!("line {line}, column {column}"), d.to_string())
        });
        Self { code: ErrorCode::InvalidProtocol, message, place, diagnostics }
    }

    /// `{"code":"invalid_request","message":"…","place":"segments[3].role"}`: the same bytes from every interface.
    pub fn to_json(&self) -> String {
        to_json(self.code.as_str(), &self.message, &self.place)
    }
}

/// The same for errors with their own code: refused actions, invalid cards, texts that are not a key.
pub fn to_json(code: &str, message: &str, place: &str) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("code").string(code);
        json.key("message").string(message);
        json.key("place").string(place);
    });
    json.into_text()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            write!(f, "{}: {}", self.code.as_str(), self.message)
        } else {
            write!(f, "{}: {} (at {})", self.code.as_str(), self.message, self.place)
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_the_same_to_programs() {
        let error = Error::invalid("segments[3].\u{1}\"", "unknown key `\u{1}\"`");
        assert_eq!(
            error.to_json(),
            r#"{"code":"invalid_request","message":"unknown key `\u0001\"`","place":"segments[3].\u0001\""}"#
        );
    }
}
