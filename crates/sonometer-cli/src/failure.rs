//! How a command ends: exit codes, and its errors for people and programs.

use crate::target::Source;
use sonometer::{Diagnostics, Error, ErrorCode, Fidelity, Protocol};
pub(crate) use sonometer_report::counted;
use std::process::ExitCode;

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// `check` or `test` found something.
    Finding = 1,
    /// Wrong usage, or an input that cannot be read.
    Unusable = 2,
    /// The content lacks sufficient signal.
    Insufficient = 3,
    /// No such protocol, metric or blueprint.
    NotFound = 4,
    /// The reader of the output went away (128 + SIGPIPE, as a shell reports it).
    PipeClosed = 141,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// The graver of two, where several inputs end differently: what cannot be read outweighs what was found.
    pub(crate) fn or(self, other: Self) -> Self {
        let gravity = |exit| match exit {
            Self::Done => 0,
            Self::Finding => 1,
            Self::Insufficient => 2,
            Self::NotFound => 3,
            Self::Unusable => 4,
            Self::PipeClosed => 5,
        };
        if gravity(other) > gravity(self) { other } else { self }
    }

    fn of(code: ErrorCode) -> Self {
        match code {
            ErrorCode::InsufficientSignal => Self::Insufficient,
            ErrorCode::TargetNotFound => Self::NotFound,
            ErrorCode::InvalidRequest
            | ErrorCode::InvalidProtocol
            | ErrorCode::PayloadTooLarge
            | ErrorCode::Internal => Self::Unusable,
        }
    }
}

/// Why a command, or one line of its input, came to nothing.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The output cannot be written any more: nobody is left to tell.
    PipeClosed,
    /// Everything else.
    Told(Box<Told>),
}

/// A failure with a message.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) code: ErrorCode,
    /// What is wrong, where, and how to mend it.
    pub(crate) message: String,
    /// How much the content holds, where that is too little.
    pub(crate) fidelity: Option<Fidelity>,
    /// The findings of a protocol file that cannot be used.
    pub(crate) findings: Option<(Source, Diagnostics)>,
}

impl Failure {
    /// Wrong usage or an unreadable input.
    pub(crate) fn unusable(message: impl Into<String>) -> Self {
        Self::told(ErrorCode::InvalidRequest, message)
    }

    pub(crate) fn told(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Told(Box::new(Told { code, message: message.into(), fidelity: None, findings: None }))
    }

    /// The same, with a further sentence.
    #[cfg(feature = "columns")]
    pub(crate) fn with(mut self, further: &str) -> Self {
        if let Self::Told(told) = &mut self {
            told.message.push_str("; ");
            told.message.push_str(further);
        }
        self
    }

    /// An error of the engine about the input `name`.
    pub(crate) fn engine(name: &str, error: &Error) -> Self {
        let place = if error.place.is_empty() { String::new() } else { format!("{}: ", error.place) };
        Self::told(error.code, format!("{name}: {place}{}", error.message))
    }

    /// A protocol file with errors.
    pub(crate) fn protocol(source: Source, found: Diagnostics) -> Self {
        let errors = found.iter().filter(|d| d.severity == sonometer::diagnostic::Severity::Error).count();
        let message = {
            let kind = match &source.text {
                text if text.contains("sonometer_metric") => "metric",
                text if text.contains("sonometer_blueprint") => "blueprint",
                text if text.contains("sonometer_stage") => "stage",
                _ => "protocol",
            };
            format!("{}: the {kind} has {}", source.name, counted(errors, "error"))
        };
        Self::Told(Box::new(Told {
            code: ErrorCode::InvalidProtocol,
            message,
            fidelity: None,
            findings: Some((source, found)),
        }))
    }

    /// Content that is insufficient for a protocol.
    pub(crate) fn insufficient(name: &str, protocol: &Protocol, fidelity: Fidelity) -> Self {
        let Fidelity { index, density, clarity, .. } = fidelity;
        if let Some(roles) = &fidelity.unheard {
            let message = format!("{name}: no turn has a role that `{}` listens to: {roles}", protocol.id);
            return Self::lacking(ErrorCode::InsufficientSignal, message, fidelity);
        }
        let fix = match &protocol.language {
            _ if density <= clarity => "give a longer text".to_owned(),
            Some(language) => format!("give readable text in the language of the protocol ({language})"),
            None => "give readable text".to_owned(),
        };
        let message = format!(
            "{name}: the content lacks sufficient signal for `{}`: \
             fidelity {index} (density {density}, clarity {clarity}); {fix}",
            protocol.id
        );
        Self::Told(Box::new(Told {
            code: ErrorCode::InsufficientSignal,
            message,
            fidelity: Some(fidelity),
            findings: None,
        }))
    }

    /// Content that is insufficient, told in these words.
    pub(crate) fn lacking(code: ErrorCode, message: String, fidelity: Fidelity) -> Self {
        Self::Told(Box::new(Told { code, message, fidelity: Some(fidelity), findings: None }))
    }

    /// What an evaluation or a fit came to nothing for; nothing here stops one.
    pub(crate) fn evaluation(error: sonometer_evaluate::Error) -> Self {
        match error {
            sonometer_evaluate::Error::Stopped => Self::unusable("the work was cancelled"),
            sonometer_evaluate::Error::Failed(failure) => match failure.findings {
                Some((file, found)) => Self::protocol(file.into(), found),
                None => Self::told(failure.code, failure.to_string()),
            },
        }
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::PipeClosed => Exit::PipeClosed,
            Self::Told(told) => Exit::of(told.code),
        }
    }
}
