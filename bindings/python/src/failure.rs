//! What goes wrong, as the exceptions of `sonometer.errors`.

use crate::offsets::Ruler;
use pyo3::prelude::*;
use sonometer::diagnostic::{Severity, line_and_column};
use sonometer::stage::{Mismatch, Refused};
use sonometer::{Diagnostic, Diagnostics, Error};
use sonometer_card::BadKey;
use sonometer_ingest::ReadError;

/// Why something came to nothing.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something that the engine or this door has to say.
    Told(Box<Told>),
    /// An exception of Python, such as that of an iterator, handed on as it is.
    Python(PyErr),
}

/// A failure in the one error shape.
#[derive(Debug)]
pub(crate) struct Told {
    /// The machine-readable code, where it is none of those that [`Error`] has.
    code: Option<&'static str>,
    pub(crate) error: Error,
    /// How to mend it, where that is known apart from the message.
    pub(crate) fix: String,
    /// Whether the type of a Python object is what is wrong.
    pub(crate) wrong_type: bool,
    /// Why a file was not read, for programs; empty for other errors.
    reason: &'static str,
    /// The findings of a file that cannot be used.
    pub(crate) findings: Vec<Finding>,
}

/// A finding about a file, with its place for people.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    diagnostic: Diagnostic,
    line: usize,
    column: usize,
    start: usize,
    end: usize,
}

pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// An input of the wrong shape: what is wrong, and how to mend it.
    pub(crate) fn invalid(place: impl Into<String>, message: impl Into<String>, fix: &str) -> Self {
        Self::of_door(place, message, fix, false)
    }

    /// An object of the wrong type.
    pub(crate) fn wrong_type(place: impl Into<String>, message: impl Into<String>, fix: &str) -> Self {
        Self::of_door(place, message, fix, true)
    }

    fn of_door(place: impl Into<String>, message: impl Into<String>, fix: &str, wrong_type: bool) -> Self {
        let error = Error::invalid(place, format!("{}; {fix}", message.into()));
        Self::Told(Box::new(Told { fix: fix.to_owned(), wrong_type, ..Told::from(error) }))
    }

    /// A failure with a code of its own.
    pub(crate) fn coded(code: &'static str, place: impl Into<String>, message: impl Into<String>) -> Self {
        let error = Error::invalid(place, message);
        // What is wrong, a semicolon, what to do about it.
        let fix = error.message.split_once("; ").map_or("", |(_, fix)| fix).to_owned();
        Self::Told(Box::new(Told { code: Some(code), fix, ..Told::from(error) }))
    }

    /// What is wrong with JSON that somebody hands in; `fix`: what to give where it has another shape. Its message is that of every door,
    /// to the byte.
    pub(crate) fn of_json(wrong: Mismatch, fix: &str) -> Self {
        let of_shape = wrong.message.starts_with("is ") || wrong.message.starts_with("cannot be ");
        let mut failure = Self::from(wrong);
        if let Self::Told(told) = &mut failure
            && of_shape
        {
            told.fix = fix.to_owned();
        }
        failure
    }

    /// An error about a file whose text this is.
    pub(crate) fn of_source(source: &str, error: Error) -> Self {
        let findings = findings(source, &error.diagnostics);
        let fix = findings.iter().find(|f| f.diagnostic.severity == Severity::Error);
        let fix = fix.map(|found| found.diagnostic.fix.clone()).unwrap_or_default();
        Self::Told(Box::new(Told { fix, findings, ..Told::from(error) }))
    }

    /// The failure of the `at`th interaction of many.
    pub(crate) fn nth(self, at: usize) -> Self {
        match self {
            Self::Told(mut told) => {
                told.error = sonometer::batch::nth(at, told.error);
                Self::Told(told)
            }
            python => python,
        }
    }

    /// As `self`, with `prefix` before a place in an object, and in the place of none or of the whole interaction.
    pub(crate) fn within(mut self, prefix: &str) -> Self {
        if let Self::Told(told) = &mut self {
            let place = &mut told.error.place;
            *place = match place.as_str() {
                "" | "interaction" => prefix.to_owned(),
                // A place in a text is no member of anything.
                inner if inner.starts_with("line ") => format!("{prefix}, {inner}"),
                inner => format!("{prefix}.{inner}"),
            };
        }
        self
    }

    /// As `self`, with `place` for what was read as `name`, or before a place within it.
    pub(crate) fn instead_of(mut self, name: &str, place: &str) -> Self {
        match &mut self {
            Self::Told(told) if told.error.place == name => told.error.place = place.to_owned(),
            _ => return self.within(place),
        }
        self
    }
}

impl From<Error> for Told {
    fn from(error: Error) -> Self {
        Self { code: None, error, fix: String::new(), wrong_type: false, reason: "", findings: Vec::new() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Told(Box::new(error.into()))
    }
}

impl From<ReadError> for Failure {
    fn from(failure: ReadError) -> Self {
        Self::Told(Box::new(Told { reason: failure.reason.as_str(), ..Told::from(failure.error) }))
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        Self::coded(refused.code(), "action", refused.to_string())
    }
}

impl From<Mismatch> for Failure {
    fn from(wrong: Mismatch) -> Self {
        Self::coded(Mismatch::CODE, wrong.place, wrong.message)
    }
}

impl From<BadKey> for Failure {
    fn from(wrong: BadKey) -> Self {
        Self::coded(BadKey::CODE, wrong.place(), wrong.message)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Python(error) => error,
            Failure::Told(told) => Python::attach(|py| match told.exception(py) {
                Ok(exception) => Self::from_value(exception),
                Err(error) => error,
            }),
        }
    }
}

impl Told {
    fn exception<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let errors = py.import("sonometer.errors")?;
        let findings: Vec<_> = self.findings.iter().map(|f| f.object(py)).collect::<PyResult<_>>()?;
        let error = &self.error;
        let code = self.code.unwrap_or(error.code.as_str());
        let (message, place, fix, reason) = (&error.message, &error.place, &self.fix, self.reason);
        errors.call_method1("_make", (code, message, place, fix, findings, self.wrong_type, reason))
    }
}

impl Finding {
    /// Whether it says that a file which was read as something else is a stage.
    pub(crate) fn is_of_stage(&self) -> bool {
        self.diagnostic.code == "SM0614"
    }

    /// `sonometer.model.Diagnostic`.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Diagnostic { code, severity, message, fix, .. } = &self.diagnostic;
        let severity = match severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let class = py.import("sonometer.model")?.getattr("Diagnostic")?;
        class.call1((*code, severity, message, fix, self.line, self.column, self.start, self.end))
    }
}

/// The findings about a text, with line, column and offsets in code points.
pub(crate) fn findings(source: &str, diagnostics: &Diagnostics) -> Vec<Finding> {
    let ruler = Ruler::of(source);
    let finding = |diagnostic: &Diagnostic| {
        let (line, column) = line_and_column(source, diagnostic.span.start);
        let (start, end) = (ruler.at(diagnostic.span.start), ruler.at(diagnostic.span.end));
        Finding { diagnostic: diagnostic.clone(), line, column, start, end }
    };
    diagnostics.iter().map(finding).collect()
}
