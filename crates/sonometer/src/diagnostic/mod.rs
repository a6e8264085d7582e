//! Coded messages about a protocol file: what is wrong, where, and how to fix it.

pub mod page;

use std::fmt;
use std::ops::Range;

/// A byte range of the source text that a diagnostic points at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A span from `start` to `end` (bytes, end exclusive).
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The same as a range, for slicing.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The protocol works, but probably not as meant.
    Warning,
    /// The protocol cannot be used.
    Error,
}

/// One finding about a protocol file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A code that is never reused, such as `SM0101`.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where: bytes of the source text.
    pub span: Span,
    /// What to do about it, in one sentence without a full stop.
    pub fix: String,
}

impl Diagnostic {
    /// A finding that makes the protocol unusable.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { code, severity: Severity::Error, message: message.into(), span, fix: fix.into() }
    }

    /// A finding that the author should look at.
    pub fn warning(
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { code, severity: Severity::Warning, message: message.into(), span, fix: fix.into() }
    }
}

/// The findings about one source text, in the order of their place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
}

impl Diagnostics {
    /// No findings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Orders the findings by place, then code.
    pub fn sort(&mut self) {
        self.found.sort_by(|a, b| (a.span, a.code).cmp(&(b.span, b.code)));
    }

    /// Keeps the first `most` errors and the first `most` warnings.
    pub(crate) fn keep_first(&mut self, most: usize) {
        let (mut errors, mut warnings) = (0, 0);
        self.found.retain(|d| {
            let count = if d.severity == Severity::Error { &mut errors } else { &mut warnings };
            *count += 1;
            *count <= most
        });
    }

    /// Whether a finding makes the protocol unusable.
    pub fn has_errors(&self) -> bool {
        self.found.iter().any(|d| d.severity == Severity::Error)
    }

    /// The findings.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.found.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// How many characters of an input one place of a message shows.
const MAX_EXCERPT: usize = 60;
/// How many characters a list of names in a message may have.
const MAX_NAMES: usize = 120;

/// The beginning of a text of the input, short enough for a message and on one line. The reader of a message knows the text, and a
/// log that holds whole inputs holds what was to stay private.
pub fn excerpt(text: impl AsRef<str>) -> String {
    let text = text.as_ref();
    let line = text.split(['\r', '\n']).next().unwrap_or_default();
    let shown = line.char_indices().nth(MAX_EXCERPT).map_or(line, |(end, _)| &line[..end]);
    if shown.len() < text.len() { format!("{shown}…") } else { shown.to_owned() }
}

/// Names, separated by commas, as many as a message can show; how many more there are is said.
pub fn some_of<T: AsRef<str>>(names: &[T]) -> String {
    let (mut list, mut shown) = (String::new(), 0);
    for name in names.iter().map(excerpt) {
        if shown > 0 && list.len() + name.len() > MAX_NAMES {
            break;
        }
        if shown > 0 {
            list.push_str(", ");
        }
        list.push_str(&name);
        shown += 1;
    }
    match names.len() - shown {
        0 => list,
        more => format!("{list} and {more} more"),
    }
}

/// The 1-based line and column (in code points) of a byte offset.
pub fn line_and_column(source: &str, offset: usize) -> (usize, usize) {
    let mut offset = offset.min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &source[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{kind}[{}]: {}; {}", self.code, self.message, self.fix)
    }
}
