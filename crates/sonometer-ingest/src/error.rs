//! Why a file came to nothing.

use sonometer::{Error, ErrorCode};
use std::fmt;

/// The kinds of failures, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// What the file is cannot be read here: `unsupported`.
    Unsupported,
    /// It asks for a password: `encrypted`.
    Encrypted,
    /// It is sound and holds no text, such as a scan: `no_text`.
    NoText,
    /// It is damaged, or not what it says it is: `broken`.
    Broken,
    /// One of [`crate::Limits`] is reached: `too_large`.
    TooLarge,
    /// Reading took too long or too much memory (only in a process apart): `too_costly`.
    TooCostly,
    /// A hint does not fit the file, such as a sheet that is not there: `hint`.
    Hint,
    /// The recogniser of a recording failed, or there is none: `transcriber`.
    Transcriber,
    /// The reading process cannot be started or spoken with: `internal`.
    Internal,
}

impl Reason {
    pub(crate) const ALL: [Self; 9] = [
        Self::Unsupported,
        Self::Encrypted,
        Self::NoText,
        Self::Broken,
        Self::TooLarge,
        Self::TooCostly,
        Self::Hint,
        Self::Transcriber,
        Self::Internal,
    ];

    /// The word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::Encrypted => "encrypted",
            Self::NoText => "no_text",
            Self::Broken => "broken",
            Self::TooLarge => "too_large",
            Self::TooCostly => "too_costly",
            Self::Hint => "hint",
            Self::Transcriber => "transcriber",
            Self::Internal => "internal",
        }
    }
}

/// A file that was not read: the one error shape, and the reason for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The reason.
    pub reason: Reason,
    /// Code, place in the file, what is wrong and how to mend it.
    pub error: Error,
}

impl ReadError {
    /// An error with its place (empty where there is none) and a message that ends with the fix.
    pub fn new(reason: Reason, place: impl Into<String>, message: impl Into<String>) -> Self {
        let code = match reason {
            Reason::TooLarge | Reason::TooCostly => ErrorCode::PayloadTooLarge,
            Reason::Internal => ErrorCode::Internal,
            _ => ErrorCode::InvalidRequest,
        };
        Self { reason, error: Error::new(code, place, message) }
    }

    /// Something damaged.
    pub(crate) fn broken(place: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::new(Reason::Broken, place, format!("{message}; open the file in its program and save it again"))
    }

    /// Memory that the process does not get; only in one with limits is that anything but the end.
    pub(crate) fn out_of_memory(place: impl Into<String>) -> Self {
        let message = "reading it takes too much memory; give a smaller part of it, or its text";
        Self::new(Reason::TooCostly, place, message)
    }

    /// A limit that is reached.
    pub(crate) fn too_large(place: impl Into<String>, what: impl fmt::Display, most: usize) -> Self {
        Self::new(Reason::TooLarge, place, format!("{what}; the limit is {most}; give a smaller part of it"))
    }
}

impl From<Error> for ReadError {
    fn from(error: Error) -> Self {
        let reason = match error.code {
            ErrorCode::PayloadTooLarge => Reason::TooLarge,
            ErrorCode::Internal => Reason::Internal,
            _ => Reason::Broken,
        };
        Self { reason, error }
    }
}

impl From<ReadError> for Error {
    fn from(failure: ReadError) -> Self {
        failure.error
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for ReadError {}
