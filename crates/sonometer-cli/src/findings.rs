//! Findings about protocol files, drawn with their place.

use crate::paint::Paint;
use crate::target::Source;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use sonometer::diagnostic::{Severity, Span};
use sonometer::{Diagnostic, Diagnostics};
use std::ops::Range;

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
