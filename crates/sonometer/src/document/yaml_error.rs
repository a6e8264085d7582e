//! The errors of the YAML parser in the words of an author: what is there, and what to write instead.

use super::yaml::{alias, word};
use super::yaml_input::Reason;
use super::yaml_place::{rest_of_line, whole_line};
use super::{codes, too_deep, yaml_colon};
use crate::diagnostic::{Diagnostic, Span};

/// An input that the guard cut short after the character that ends at byte `end`.
pub(super) fn stopped(source: &str, end: usize, reason: Reason) -> Diagnostic {
    let last = source[..end].chars().next_back().map_or(0, char::len_utf8);
    let span = Span::new(end - last, end);
    match reason {
        Reason::TooDeep => too_deep(span),
        Reason::TooLong => Diagnostic::error(
            codes::TOO_MANY_VALUES,
            span,
            "one `[ ]` or `{ }` has too many entries",
            "write it as a list with one `- item` on each line",
        ),
    }
}

/// The finding for an error of the parser at byte `at`; `open` is the innermost bracket that is not closed yet.
/// The parser's words in `info` are those of the pinned version; what is not recognised keeps them.
pub(super) fn scan_error(source: &str, at: usize, info: &str, open: Option<Span>) -> Diagnostic {
    let says = |part: &str| info.contains(part);
    let line = rest_of_line(source, at);
    let here = character(source, at);
    let before = source[..at].trim_end_matches([' ', '\t']).chars().next_back();
    if says("tab") {
        return Diagnostic::error(
            codes::TAB,
            tab_near(source, at).unwrap_or(here),
            "a tab where YAML requires spaces",
            "indent with spaces",
        );
    }
    if says("unknown anchor") || says("anchor or alias") {
        let span = word(source, at);
        return if source[at..].starts_with('&') { anchor_without_name(span) } else { alias(span) };
    }
    if says("simple key") || says("mapping values are not allowed") {
        let missed = open.is_none().then(|| yaml_colon::missed(source, at)).flatten();
        if let Some(finding) = missed {
            return finding;
        }
    }
    if says("mapping values are not allowed") {
        return Diagnostic::error(
            codes::COLON_IN_VALUE,
            here,
            "a second `: ` in the same value",
            "put the value in quotes if the colon belongs to it; otherwise check the indentation of this line",
        );
    }
    let alone =
        says("expected node content") && matches!(before, Some(':' | '-')) && source[at..].starts_with(',');
    if says("unexpected character") || says("mapping keys are not allowed") || alone {
        return Diagnostic::error(
            codes::RESERVED_CHARACTER,
            here,
            format!("a value cannot start with the character {}", &source[here.range()]),
            "put the value in quotes, or write it as a line below `|`",
        );
    }
    if says("unexpected end of stream")
        || says("unexpected document indicator")
        || says("indentation in quoted")
    {
        return Diagnostic::error(
            codes::UNCLOSED_QUOTE,
            here,
            "this quote is never closed",
            "close it on the same line; to start a value with an apostrophe, put the value in double quotes",
        );
    }
    if says("trailing content after double-quoted")
        || says("comments must be") && matches!(before, Some('"' | '\''))
    {
        return Diagnostic::error(
            codes::TEXT_AFTER_QUOTE,
            line,
            "text follows the closing quote",
            "put the whole value in quotes; inside single quotes write `''` for an apostrophe",
        );
    }
    if says("escape") || says("hexadecimal") {
        return Diagnostic::error(
            codes::BAD_ESCAPE,
            escape_after(source, at).unwrap_or(line),
            "unknown escape in a double-quoted text",
            "write a backslash as `\\\\`, or use single quotes, which have no escapes",
        );
    }
    if says("scanning a block scalar, did not find") {
        return Diagnostic::error(
            codes::TEXT_AFTER_BLOCK_SIGN,
            line,
            "text follows the block sign on the same line",
            "start the lines of the block below it; put the value in quotes if the sign belongs to it",
        );
    }
    if says("comment intercepting") {
        return Diagnostic::error(
            codes::TEXT_OVER_LINES,
            line,
            "the text before this comment continues on the next line",
            "write it on one line, or as a block of lines below `|`",
        );
    }
    let in_brackets = says("expected ',' or") || open.is_some() && source[at..].trim_start().is_empty();
    if matches!(before, Some(']' | '}')) && line.start < line.end && !in_brackets {
        return Diagnostic::error(
            codes::TEXT_AFTER_BRACKET,
            line,
            "text follows the closing bracket",
            "put the whole value in quotes if the brackets belong to it",
        );
    }
    if in_brackets || BRACKET_ERRORS.into_iter().any(says) {
        let unclosed = source[at..].trim_start().is_empty() || says("illegal placement");
        return Diagnostic::error(
            codes::BRACKETS,
            open.filter(|_| unclosed).unwrap_or(here),
            "a list `[ ]` or map `{ }` is not closed, closed twice, or lacks a comma",
            "separate its entries with commas and close it; put a text that starts with a bracket in quotes",
        );
    }
    if says("document end marker") || says("expected <document start>") && follows_document_end(source, at) {
        return Diagnostic::error(
            codes::SEVERAL_DOCUMENTS,
            line,
            "there is text after the end of the document",
            "put each protocol into its own file",
        );
    }
    if says("block sequence entries are not allowed") {
        return Diagnostic::error(
            codes::INDENTATION,
            line,
            "a list cannot start on the line of its key",
            "write the first `- item` on the next line; put the value in quotes if the dash belongs to it",
        );
    }
    if LINE_ERRORS.into_iter().any(says) {
        return Diagnostic::error(
            codes::INDENTATION,
            // A line without a colon is noticed only where the next one begins.
            whole_line(source, at, says("simple key")),
            "this line is not `key: value` or `- item`, or its indentation is wrong",
            "indent all keys of one map equally; indent lines of text further, below `|`",
        );
    }
    Diagnostic::error(
        codes::NOT_YAML,
        line,
        format!("this YAML cannot be read: {info}"),
        "write `key: value`, a list of `- item`, or lines of text below `|`; put unusual texts in quotes",
    )
}

/// What the parser says about brackets.
const BRACKET_ERRORS: [&str; 6] = [
    "bracket",
    "expected ',' or",
    "in flow",
    "plain scalar cannot start",
    "illegal placement of ':'",
    "expected node content",
];

/// What the parser says about lines that are no entries, or stand in the wrong column.
const LINE_ERRORS: [&str; 7] = [
    "simple key",
    "indentation",
    "indented",
    "not allowed in this context",
    "expected key",
    "'-' indicator",
    "<document start>",
];

fn follows_document_end(source: &str, at: usize) -> bool {
    source[..at].trim_end().ends_with("\n...") || source[at..].starts_with("...")
}

fn anchor_without_name(span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::ANCHOR,
        span,
        "a `&` at the start of a value is a YAML anchor, which is not supported",
        "put the value in quotes",
    )
}

/// The character at `at`; empty at the end of the source.
fn character(source: &str, at: usize) -> Span {
    Span::new(at, at + source[at..].chars().next().map_or(0, char::len_utf8))
}

/// The first tab of the line that `at` is in, or else of the lines after it.
fn tab_near(source: &str, at: usize) -> Option<Span> {
    let line_start = source[..at].rfind(['\r', '\n']).map_or(0, |before| before + 1);
    let tab = line_start + source[line_start..].find('\t')?;
    Some(Span::new(tab, tab + 1))
}

/// The first escape after `at` that YAML does not know.
fn escape_after(source: &str, at: usize) -> Option<Span> {
    let bytes = source.as_bytes();
    let mut escape = at;
    while escape + 1 < bytes.len() {
        if bytes[escape] != b'\\' {
            escape += 1;
            continue;
        }
        let digits = match bytes[escape + 1] {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            b'0' | b'a' | b'b' | b't' | b'\t' | b'n' | b'v' | b'f' | b'r' | b'e' | b' ' | b'"' | b'/'
            | b'\\' | b'N' | b'_' | b'L' | b'P' | b'\r' | b'\n' => 0,
            _ => return Some(Span::new(escape, ceil_boundary(source, escape + 2))),
        };
        let hex = source.get(escape + 2..escape + 2 + digits).unwrap_or("-");
        let valid = digits == 0
            || hex.bytes().all(|b| b.is_ascii_hexdigit())
                && u32::from_str_radix(hex, 16).ok().and_then(char::from_u32).is_some();
        if !valid {
            return Some(Span::new(escape, ceil_boundary(source, (escape + 2 + digits).min(source.len()))));
        }
        escape += 2 + digits;
    }
    None
}

/// The nearest character boundary at or after `at`, within the text.
fn ceil_boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}
