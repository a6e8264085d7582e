//! YAML text, read into the tree from the events of a YAML 1.2 parser, refusing what protocols do without.

use super::yaml_colon;
use super::yaml_error::{scan_error, stopped};
use super::yaml_input::GuardedInput;
use super::yaml_place::{Offsets, bracket_end, dash_before, literal_line_spans, quoted_end, rest_of_line};
use super::{
    BYTE_ORDER_MARK, Key, MAX_FINDINGS, MAX_NESTING, MAX_NODES, Node, Scalar, Style, Value, codes,
    duplicate_key, empty_value, excerpt, nothing_to_read, quoted_line_spans, repeated_keys, too_deep,
    too_many_values,
};
use crate::diagnostic::{Diagnostic, Diagnostics, Severity, Span};
use saphyr_parser::{Event, Parser, ScalarStyle};
use std::cell::Cell;

/// Reads YAML; see [`super::read`]. The size of the source is the caller's to check.
pub(super) fn read_yaml(source: &str) -> Result<(Node, Diagnostics), Diagnostic> {
    let text = source.strip_prefix(BYTE_ORDER_MARK).unwrap_or(source);
    let base = source.len() - text.len();
    check_characters(text, base)?;
    check_directives(text, base)?;
    let stop = Cell::new(None);
    let mut parser = Parser::new(GuardedInput::new(text, &stop));
    let mut tree = Tree::new(source, Offsets::new(text, base));
    while let Some(event) = parser.next_event() {
        // Events after a cut only tell of the end that was feigned.
        if let Some(stop) = stop.get() {
            return Err(stopped(source, tree.offsets.byte(stop.index), stop.reason));
        }
        match event {
            Ok((event, place)) => {
                let place =
                    Span::new(tree.offsets.byte(place.start.index()), tree.offsets.byte(place.end.index()));
                tree.event(event, place)?;
            }
            Err(error) => {
                let at = tree.offsets.byte(error.marker().index());
                return Err(scan_error(source, at, error.info(), tree.open_bracket()));
            }
        }
    }
    let root = tree.root.ok_or_else(|| nothing_to_read(source))?;
    tree.findings.sort();
    Ok((root, tree.findings))
}

/// Refuses characters that YAML does not allow, which would otherwise end a text or hide in it.
fn check_characters(text: &str, base: usize) -> Result<(), Diagnostic> {
    let refused =
        |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}') || c == BYTE_ORDER_MARK;
    // Nearly every source is ASCII, which a look at each byte shows.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')) {
        return Ok(());
    }
    let Some(at) = text.find(refused) else { return Ok(()) };
    let c = text[at..].chars().next().unwrap_or_default();
    Err(Diagnostic::error(
        codes::CONTROL_CHARACTER,
        Span::new(base + at, base + at + c.len_utf8()),
        format!("the invisible character U+{:04X} is not allowed here", u32::from(c)),
        "remove it; if a text needs it, write the text in double quotes with a `\\u` escape",
    ))
}

/// Refuses `%` directives, which stand before everything else.
fn check_directives(text: &str, base: usize) -> Result<(), Diagnostic> {
    let mut start = base;
    for line in text.split_inclusive(['\r', '\n']) {
        if line.starts_with('%') {
            return Err(Diagnostic::error(
                codes::DIRECTIVE,
                Span::new(start, start + line.trim_end().len()),
                "YAML directives are not supported",
                "remove the line",
            ));
        }
        if !(line.trim_start().is_empty() || line.trim_start().starts_with('#')) {
            break;
        }
        start += line.len();
    }
    Ok(())
}

/// A list or map whose end has not come yet.
struct Open {
    start: usize,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    Map { entries: Vec<(Key, Node)>, key: Option<Key> },
}

/// The tree as far as the events have built it.
struct Tree<'s> {
    source: &'s str,
    offsets: Offsets<'s>,
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
    nodes: usize,
    errors: usize,
    findings: Diagnostics,
}

impl<'s> Tree<'s> {
    fn new(source: &'s str, offsets: Offsets<'s>) -> Self {
        let findings = Diagnostics::new();
        Self { source, offsets, open: Vec::new(), root: None, documents: 0, nodes: 0, errors: 0, findings }
    }

    fn event(&mut self, event: Event<'_>, place: Span) -> Result<(), Diagnostic> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) => self.document(place),
            Event::Alias(_) => Err(alias(word(self.source, place.start))),
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_properties(anchor > 0 || tag.is_some(), place.start)?;
                if self.at_key() { self.key(&text, style, place) } else { self.scalar(&text, style, place) }
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_properties(anchor > 0 || tag.is_some(), place.start)?;
                self.begin(place.start, Content::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_properties(anchor > 0 || tag.is_some(), place.start)?;
                self.begin(place.start, Content::Map { entries: Vec::new(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => self.finish(place.start),
        }
    }

    /// The innermost bracket that is not closed yet.
    fn open_bracket(&self) -> Option<Span> {
        let is_bracket = |start: &usize| matches!(self.source.as_bytes().get(*start), Some(b'[' | b'{'));
        let start = self.open.last().map(|open| open.start).filter(is_bracket)?;
        Some(Span::new(start, start + 1))
    }

    fn document(&mut self, place: Span) -> Result<(), Diagnostic> {
        self.documents += 1;
        if self.documents == 1 {
            return Ok(());
        }
        Err(Diagnostic::error(
            codes::SEVERAL_DOCUMENTS,
            rest_of_line(self.source, place.start),
            "a second document starts here",
            "put each protocol into its own file",
        ))
    }

    /// An anchor or tag before a value: both could change what it means from afar.
    fn refuse_properties(&self, any: bool, start: usize) -> Result<(), Diagnostic> {
        if !any {
            return Ok(());
        }
        let span = word(self.source, start);
        if self.source[start..].starts_with('!') {
            return Err(Diagnostic::error(
                codes::TAG,
                span,
                format!("the YAML tag `{}` is not supported", excerpt(&self.source[span.range()])),
                "remove it, or put the whole value in quotes if it is text",
            ));
        }
        Err(Diagnostic::error(
            codes::ANCHOR,
            span,
            format!("the YAML anchor `{}` is not supported", excerpt(&self.source[span.range()])),
            "write the value out where it is needed, or put it in quotes if it is text",
        ))
    }

    /// Whether the next value is the key of an entry.
    fn at_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { content: Content::Map { key: None, .. }, .. }))
    }

    fn key(&mut self, text: &str, style: ScalarStyle, place: Span) -> Result<(), Diagnostic> {
        let source = self.source;
        if style == ScalarStyle::Plain && text.is_empty() {
            return Err(Diagnostic::error(
                codes::MISSING_KEY,
                rest_of_line(source, place.start),
                "there is no key before this colon",
                "write `key: value`, or put the text in quotes if the colon belongs to it",
            ));
        }
        let span = self.scalar_span(style, place);
        let explicit = source[..span.start].trim_end_matches([' ', '\t']).ends_with('?');
        if explicit || matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            return Err(complex_key(span));
        }
        if style == ScalarStyle::Plain && text == "<<" {
            return Err(Diagnostic::error(
                codes::MERGE_KEY,
                span,
                "YAML merge keys (`<<`) are not supported",
                "write out the entries here",
            ));
        }
        self.refuse_several_lines(span);
        if let Some(Open { content: Content::Map { key, .. }, .. }) = self.open.last_mut() {
            *key = Some(Key { text: text.to_owned(), span });
        }
        Ok(())
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, place: Span) -> Result<(), Diagnostic> {
        let span = self.scalar_span(style, place);
        let scalar = match style {
            ScalarStyle::Plain if text.is_empty() => return self.empty(place),
            ScalarStyle::Plain => {
                self.refuse_several_lines(span);
                self.warn_of_lost_text(span);
                Scalar::new(text, Style::Plain)
            }
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                self.refuse_several_lines(span);
                let line_spans = quoted_line_spans(self.source, span, text);
                Scalar { text: text.to_owned(), style: Style::Quoted, line_spans }
            }
            ScalarStyle::Literal | ScalarStyle::Folded if text.bytes().all(|b| b == b'\n') => {
                return self.empty(place);
            }
            ScalarStyle::Literal => {
                self.nodes += text.bytes().filter(|&b| b == b'\n').count();
                self.check_count(span)?;
                let line_spans = literal_line_spans(self.source, place.start, text).unwrap_or_default();
                Scalar { text: text.to_owned(), style: Style::Literal, line_spans }
            }
            ScalarStyle::Folded => {
                self.report(Diagnostic::error(
                    codes::FOLDED_BLOCK,
                    self.block_header().unwrap_or(span),
                    "a folded block `>` joins its lines into one",
                    "write `|` instead, which keeps every line",
                ));
                Scalar::new(text, Style::Literal)
            }
        };
        let span = match scalar.line_spans.last() {
            Some(last) if scalar.style == Style::Literal => Span::new(place.start, last.end),
            _ => span,
        };
        self.add(Node { value: Value::Scalar(scalar), span })
    }

    /// A value that is not there.
    fn empty(&mut self, place: Span) -> Result<(), Diagnostic> {
        let source = self.source;
        if let Some(entry) = self.entry_without_colon() {
            return self.add(entry);
        }
        let (key, span) = match self.open.last() {
            Some(Open { content: Content::Map { key: Some(key), .. }, .. }) => (Some(key), key.span),
            Some(_) => (None, dash_before(source, place.start).unwrap_or(place)),
            None => return Err(nothing_to_read(source)),
        };
        let rest = &source[span.end..];
        let after = rest.trim_start_matches([':', ' ', '\t']);
        let fix = if after.starts_with(['|', '>']) {
            Some("write its lines below it, indented further than the key".to_owned())
        } else if is_lost_text(after) {
            let text = rest_of_line(source, span.end + rest.len() - after.len());
            Some(format!(
                "put the value in quotes, \"{}\": `#` starts a comment",
                excerpt(&source[text.range()])
            ))
        } else {
            None
        };
        let finding = empty_value(key, span, fix);
        self.report(finding);
        self.add(Node { value: Value::Null, span })
    }

    /// The value that belongs to a key of a map in braces: `{words 10}` is a key without a value for YAML. Reading goes on
    /// with what is meant, so that no finding about an unknown and a missing key follows from it.
    fn entry_without_colon(&mut self) -> Option<Node> {
        self.open_bracket()?;
        let Some(Open { content: Content::Map { key: Some(key), .. }, .. }) = self.open.last_mut() else {
            return None;
        };
        let (meant, value, finding) = yaml_colon::entry(self.source, key)?;
        *key = meant;
        self.report(finding);
        Some(value)
    }

    fn begin(&mut self, start: usize, content: Content) -> Result<(), Diagnostic> {
        let opening = Span::new(start, (start + 1).min(self.source.len()));
        if self.at_key() {
            return Err(complex_key(rest_of_line(self.source, start)));
        }
        if self.open.len() == MAX_NESTING {
            return Err(too_deep(opening));
        }
        // A list under a key may start at the key's own column; the parser then points after the dash.
        let start = match (&content, self.source.as_bytes().get(start)) {
            (Content::Map { .. }, _) | (_, Some(b'[' | b'-')) => start,
            _ => dash_before(self.source, start).map_or(start, |dash| dash.start),
        };
        self.open.push(Open { start, content });
        Ok(())
    }

    fn finish(&mut self, end: usize) -> Result<(), Diagnostic> {
        let Some(Open { start, content }) = self.open.pop() else { return Ok(()) };
        let in_brackets = matches!(self.source.as_bytes().get(start), Some(b'[' | b'{'));
        let (value, last) = match content {
            Content::List(items) => {
                let last = items.last().map(|item| item.span.end);
                (Value::List(items), last)
            }
            Content::Map { mut entries, .. } => {
                let last = entries.last().map(|(_, value)| value.span.end);
                let mut at = repeated_keys(&entries);
                for &repeated in &at {
                    let finding = duplicate_key(&entries[repeated].0);
                    self.report(finding);
                }
                // Findings about the second value would only repeat those about the first.
                at.reverse();
                let mut index = 0;
                entries.retain(|_| {
                    let keep = at.last() != Some(&index);
                    if !keep {
                        at.pop();
                    }
                    index += 1;
                    keep
                });
                (Value::Map(entries), last)
            }
        };
        let end = if in_brackets { bracket_end(self.source, end) } else { last.unwrap_or(start) };
        self.add(Node { value, span: Span::new(start, end) })
    }

    /// Puts a finished value where it belongs.
    fn add(&mut self, node: Node) -> Result<(), Diagnostic> {
        self.nodes += 1;
        self.check_count(node.span)?;
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open { content: Content::List(items), .. }) => items.push(node),
            Some(Open { content: Content::Map { entries, key }, .. }) => {
                if let Some(key) = key.take() {
                    entries.push((key, node));
                }
            }
        }
        Ok(())
    }

    fn check_count(&self, span: Span) -> Result<(), Diagnostic> {
        if self.nodes > MAX_NODES { Err(too_many_values(Span::new(span.start, span.start))) } else { Ok(()) }
    }

    /// The place of a scalar without the spaces and comments that the parser counts to it.
    fn scalar_span(&self, style: ScalarStyle, place: Span) -> Span {
        match style {
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                Span::new(place.start, quoted_end(self.source, place.start, place.end))
            }
            ScalarStyle::Plain => place,
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let content = &self.source[place.range()];
                Span::new(place.start, place.start + content.trim_end().len())
            }
        }
    }

    fn refuse_several_lines(&mut self, span: Span) {
        if !self.source[span.range()].contains(['\r', '\n']) {
            return;
        }
        let first = rest_of_line(self.source, span.start);
        self.report(Diagnostic::error(
            codes::TEXT_OVER_LINES,
            first,
            "this text continues on the next line",
            "write it on one line, or as a block of lines below `|`",
        ));
    }

    /// ` #` ends a value in YAML. Authors want comments, but `#1` or `#sale` was hardly meant as one.
    fn warn_of_lost_text(&mut self, span: Span) {
        let rest = &self.source[span.end..];
        let after = rest.trim_start_matches([' ', '\t']);
        if !is_lost_text(after) {
            return;
        }
        let lost = rest_of_line(self.source, span.end + rest.len() - after.len());
        let value = excerpt(&self.source[span.range()]);
        let text = excerpt(&self.source[lost.range()]);
        self.report(Diagnostic::warning(
            codes::LOST_TO_COMMENT,
            lost,
            format!("`{text}` is read as a comment, the value is only `{value}`"),
            format!("put the value in quotes, \"{value} {text}\", or write `# ` with a space for a comment"),
        ));
    }

    /// The `|` or `>` of the block whose content comes next, found from the key or dash before it.
    fn block_header(&self) -> Option<Span> {
        let after = match &self.open.last()?.content {
            Content::Map { key, .. } => key.as_ref()?.span.end,
            Content::List(items) => items.last().map_or(self.open.last()?.start, |item| item.span.end),
        };
        let rest = &self.source[after..];
        let header = rest.trim_start_matches([':', '-', ' ', '\t', '\r', '\n']);
        let start = after + rest.len() - header.len();
        header.starts_with('>').then(|| word(self.source, start))
    }

    fn report(&mut self, finding: Diagnostic) {
        let count = match finding.severity {
            Severity::Error => {
                self.errors += 1;
                self.errors
            }
            Severity::Warning => self.findings.len() - self.errors.min(MAX_FINDINGS) + 1,
        };
        if count <= MAX_FINDINGS {
            self.findings.push(finding);
        }
    }
}

/// Whether what follows is a comment that looks like text: `#1`, but not `# note`, `## note` or `#----`.
fn is_lost_text(after: &str) -> bool {
    let mut characters = after.chars();
    characters.next() == Some('#')
        && characters
            .next()
            .is_some_and(|c| !c.is_whitespace() && !matches!(c, '#' | '-' | '=' | '*' | '!' | '~'))
}

/// The characters from `start` to the next space.
pub(super) fn word(source: &str, start: usize) -> Span {
    let length = source[start..].find(char::is_whitespace).unwrap_or(source.len() - start);
    Span::new(start, start + length)
}

/// A use of an alias.
pub(super) fn alias(span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::ALIAS,
        span,
        "a `*` at the start of a value is a YAML alias, which is not supported",
        "put the value in quotes if it is text, or write it out",
    )
}

/// A key that is no plain word.
pub(super) fn complex_key(span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::COMPLEX_KEY,
        span,
        "a key must be a text on one line, followed by a colon",
        "write `key: value`; if this is a value, put it in quotes",
    )
}
