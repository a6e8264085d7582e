//! A forgotten colon. The YAML parser notices it lines later, or takes the line for the end of the value before it; an author
//! looks for the mistake where it is reported.

use super::{Key, Node, Scalar, Style, Value, codes};
use crate::diagnostic::{Diagnostic, Span, excerpt};

/// The finding for the last line at or before `at` that is meant as `key: value` and lacks the colon, if there is one.
pub(super) fn missed(source: &str, at: usize) -> Option<Diagnostic> {
    let mut candidate = None;
    // Lines further to the right than this belong to the text of a block.
    let mut block: Option<usize> = None;
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        if start > at {
            break;
        }
        let span = Span::new(start, start + line.trim_end().len());
        start += line.len();
        let Some(read) = Entry::of(source, span) else { continue };
        if block.is_some_and(|key| read.line_indent > key) {
            continue;
        }
        block = read.opens_block().then_some(read.indent);
        if read.is_whole() {
            // The line of the error itself may be sound: what is wrong stands above it.
            if span.end < at {
                candidate = None;
            }
        } else if candidate.is_none() {
            candidate = Some(read);
        }
    }
    candidate?.finding()
}

/// What `{words 10}` is meant to be: its key, its value, and the finding.
pub(super) fn entry(source: &str, key: &Key) -> Option<(Key, Node, Diagnostic)> {
    if source.as_bytes().get(key.span.start).is_some_and(|first| matches!(first, b'"' | b'\'')) {
        return None;
    }
    let read = Entry::of(source, key.span).filter(|read| !read.rest.is_empty())?;
    let finding = read.finding()?;
    let rest = Span::new(key.span.end - read.rest.len(), key.span.end);
    let meant =
        Key { text: read.key.to_owned(), span: Span::new(key.span.start, key.span.start + read.key.len()) };
    Some((meant, Node { value: Value::Scalar(Scalar::new(read.rest, Style::Plain)), span: rest }, finding))
}

/// A line that is, or should be, `key: value` or `- key: value`.
struct Entry<'s> {
    /// Where the line begins, dashes included, and where its key does: columns in bytes.
    line_indent: usize,
    indent: usize,
    span: Span,
    /// The first word, up to a colon or a space.
    key: &'s str,
    colon: bool,
    /// What follows the colon or the space, trimmed.
    rest: &'s str,
    spaced: bool,
}

impl<'s> Entry<'s> {
    /// `None` for a line that is empty or a comment.
    fn of(source: &'s str, span: Span) -> Option<Self> {
        let line = &source[span.range()];
        let text = line.trim_start_matches(' ');
        let line_indent = line.len() - text.len();
        let text = text.trim_start_matches(['-', ' ']);
        let indent = line.len() - text.len();
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        let end = text.find([':', ' ', '\t']).unwrap_or(text.len());
        let (key, behind) = text.split_at(end);
        let colon = behind.starts_with(':');
        let behind = if colon { &behind[1..] } else { behind };
        let spaced = behind.is_empty() || behind.starts_with([' ', '\t']);
        let span = Span::new(span.start + indent, span.end);
        Some(Self { line_indent, indent, span, key, colon, rest: behind.trim(), spaced })
    }

    /// Whether it is an entry as YAML has it; a list item that is text says nothing of colons.
    fn is_whole(&self) -> bool {
        let quoted = self.key.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!', '?']);
        let has_colon = self.colon && self.spaced;
        has_colon || quoted || self.rest.contains(": ") && !self.colon && !is_key(self.key)
    }

    /// Whether the lines below it are the lines of a text, also where its colon is missing.
    fn opens_block(&self) -> bool {
        let sign = self.rest.split([' ', '#']).next().unwrap_or_default();
        sign.starts_with(['|', '>'])
            && sign[1..].bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-'))
    }

    fn finding(&self) -> Option<Diagnostic> {
        if !is_key(self.key) || self.colon && self.spaced {
            return None;
        }
        let (key, rest) = (excerpt(self.key), excerpt(self.rest));
        let (message, fix) = match (self.colon, rest.is_empty()) {
            (true, _) => {
                (format!("there is no space after the colon of `{key}`"), format!("write `{key}: {rest}`"))
            }
            (false, true) => (format!("there is no colon after `{key}`"), format!("write `{key}:`")),
            (false, false) => (format!("there is no colon after `{key}`"), format!("write `{key}: {rest}`")),
        };
        Some(Diagnostic::error(codes::FORGOTTEN_COLON, self.span, message, fix))
    }
}

/// Whether a word can be a key: those of the notation have letters, digits, `_` and `-`.
fn is_key(word: &str) -> bool {
    let ok = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    !word.is_empty() && word.bytes().all(ok)
}

#[cfg(test)]
mod tests {
    use super::super::read;

    /// Line, message and fix of what stops the reading of a source, or of its first finding.
    fn found(source: &str) -> (usize, String, String) {
        let finding = match read(source) {
            Err(finding) => finding,
            Ok((_, findings)) => findings.iter().next().expect("there is a finding").clone(),
        };
        let line = source[..finding.span.start].matches('\n').count() + 1;
        (line, finding.message, finding.fix)
    }

    #[test]
    fn a_forgotten_colon_is_reported_on_its_own_line() {
        let marker = "markers:\n  - label: thanks\n";
        for (source, line, key, fix) in [
            ("id: a\nversion \"1.0\"\ntaxonomy: Signal\n".to_owned(), 2, "version", "version: \"1.0\""),
            ("sonometer 1\nid: a\n".to_owned(), 1, "sonometer", "sonometer: 1"),
            (format!("{marker}    strong |\n      thank you\n    hit: a\n"), 3, "strong", "strong: |"),
            (format!("{marker}    strong: |\n      a\n    by agent\n    hit: a\n"), 5, "by", "by: agent"),
            (
                format!(
                    "{marker}    strong: |\n      a\n    except |\n      agent: b\n      c\n    hit: a\n"
                ),
                5,
                "except",
                "except: |",
            ),
            ("id: a\nmarkers\n  - label: thanks\n".to_owned(), 2, "markers", "markers:"),
            ("markers:\n  - label thanks\n    strong: a\n".to_owned(), 2, "label", "label: thanks"),
            ("fidelity: {words 10, turns: 2}\n".to_owned(), 1, "words", "words: 10"),
            (format!("{marker}    after: {{any sorry, within: 2 turns}}\n"), 3, "any", "any: sorry"),
        ] {
            let wanted = (line, format!("there is no colon after `{key}`"), format!("write `{fix}`"));
            assert_eq!(found(&source), wanted, "{source}");
        }
    }

    #[test]
    fn a_forgotten_space_too() {
        for source in ["id: a\nversion:\"1.0\"\ntaxonomy: Signal\n", "a: {b: c, version:\"1.0\"}\n"] {
            let (_, message, fix) = found(source);
            assert_eq!(message, "there is no space after the colon of `version`", "{source}");
            assert_eq!(fix, "write `version: \"1.0\"`", "{source}");
        }
    }

    #[test]
    fn other_mistakes_stay_what_they_are() {
        for (source, message) in [
            ("a: b\ndescription: what: this\n", "a second `: ` in the same value"),
            ("hit: |\n  thank you\n  by agent\ndescription: what: this\n", "a second `: ` in the same value"),
            ("fidelity:\n    words: 5\n  turns: 1\n", "this line is not `key: value`"),
        ] {
            assert!(found(source).1.starts_with(message), "{source}: {:?}", found(source));
        }
    }
}
