//! Findings about protocol files: drawn with their place, one a line for editors, as JSON, or for code hosts (`machine`).

mod machine;
mod of;

pub(crate) use machine::{Case, Checked, cases, junit, sarif};
#[cfg(any(test, feature = "lsp"))]
pub(crate) use of::findings;
pub(crate) use of::{fixes, mend};

use crate::failure::Told;
use crate::json;
use crate::paint::{Paint, one_line};
use crate::target::Source;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use clap::ValueEnum;
use sonometer::diagnostic::{Severity, Span, line_and_column};
use sonometer::{Diagnostic, Diagnostics};
use std::ops::Range;

/// The format of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The line of the file with a caret, what is wrong and what to do
    #[default]
    Full,
    /// One line for each: `file:line:column: error[CODE]: message; fix`
    Short,
    /// One JSON object a line for each, with its place
    Json,
    /// One SARIF 2.1.0 log, for code scanning
    Sarif,
    /// One command of GitHub's log a line, which shows findings at the lines of a change
    Github,
    /// One JUnit report
    Junit,
}

/// Every finding, in that format; empty for formats that are one document for all files.
pub(crate) fn written(format: Format, paint: &Paint, source: &Source, found: &Diagnostics) -> String {
    match format {
        Format::Full => render(paint, source, found),
        Format::Short => found.iter().map(|finding| short(source, finding)).collect(),
        Format::Json => found.iter().map(|finding| json::line(&Finding::of(source, finding))).collect(),
        Format::Github => found.iter().map(|finding| machine::github(source, finding)).collect(),
        Format::Sarif | Format::Junit => String::new(),
    }
}

/// What has no place in its file, in the formats with a line for each finding; JSON has errors of its own for it.
pub(crate) fn unplaced(format: Format, name: &str, told: &Told) -> String {
    let (code, message) = (told.code.as_str(), told.message.as_str());
    let message = message.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(message);
    match format {
        Format::Short => format!("{name}:1:1: {}\n", one_line(&format!("error[{code}]: {message}"))),
        Format::Github => machine::github_unplaced(name, code, message),
        Format::Full | Format::Json | Format::Sarif | Format::Junit => String::new(),
    }
}

fn short(source: &Source, finding: &Diagnostic) -> String {
    let (line, column) = line_and_column(&source.text, finding.span.start);
    format!("{}:{line}:{column}: {}\n", source.name, one_line(&finding.to_string()))
}

/// A finding for programs. Lines and columns count from 1, columns in code points; the end is exclusive.
#[derive(Debug, serde::Serialize)]
struct Finding<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    severity: &'static str,
    code: &'static str,
    message: &'a str,
    fix: &'a str,
}

impl<'a> Finding<'a> {
    fn of(source: &'a Source, finding: &'a Diagnostic) -> Self {
        let (line, column) = line_and_column(&source.text, finding.span.start);
        let (end_line, end_column) = line_and_column(&source.text, finding.span.end);
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let Diagnostic { code, message, fix, .. } = finding;
        Self { file: &source.name, line, column, end_line, end_column, severity, code, message, fix }
    }
}

/// Every finding with its line of the file, a caret and what to do.
pub(crate) fn render(paint: &Paint, source: &Source, found: &Diagnostics) -> String {
    let mut text = String::new();
    for finding in found {
        text.push_str(&draw(paint, &[of_diagnostic(source, finding)]));
    }
    text
}

/// One report, with an empty line after it.
pub(crate) fn draw(paint: &Paint, groups: &[Group<'_>]) -> String {
    let renderer = if paint.colour { Renderer::styled() } else { Renderer::plain() };
    format!("{}\n\n", renderer.term_width(paint.width).render(groups).trim_end())
}

fn of_diagnostic<'a>(source: &'a Source, finding: &'a Diagnostic) -> Group<'a> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    level
        .primary_title(&finding.message)
        .id(finding.code)
        .element(snippet(source, [(finding.span, "")]))
        .element(Level::HELP.message(&finding.fix))
}

/// The lines of `source` with these places underlined.
pub(crate) fn snippet<'a>(
    source: &'a Source,
    places: impl IntoIterator<Item = (Span, &'a str)>,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let mut snippet = Snippet::source(&*source.text).path(&source.name).line_start(1);
    for (span, label) in places {
        let annotation = AnnotationKind::Primary.span(within(&source.text, span));
        snippet = snippet.annotation(if label.is_empty() { annotation } else { annotation.label(label) });
    }
    snippet
}

/// A span as a range that lies within the text, on the edges of characters.
fn within(text: &str, span: Span) -> Range<usize> {
    let edge = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let start = edge(span.start);
    start..edge(span.end).max(start)
}
