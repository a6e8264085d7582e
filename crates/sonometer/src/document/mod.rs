//! The text of a protocol file, read into a tree of values that know their place.
//!
//! Two notations give the same tree: a strict subset of YAML 1.2 (feature `yaml`) and JSON. Scalars stay text:
//! only the schema knows whether `1.10` is a version or a number, so nothing is converted here and nothing is
//! lost. What authors fall into with YAML (values cut by a comment, folded lines, duplicate keys) becomes a coded
//! finding instead of a surprise.
//!
//! Every limit is a count, never a time: 16 MiB of source, 16 levels, 500,000 values.

pub mod codes;
mod json;
mod json_syntax;
mod suggest;
#[cfg(feature = "yaml")]
mod yaml;
#[cfg(feature = "yaml")]
mod yaml_colon;
#[cfg(feature = "yaml")]
mod yaml_error;
#[cfg(feature = "yaml")]
mod yaml_input;
#[cfg(feature = "yaml")]
mod yaml_place;

#[cfg(test)]
mod example_tests;
#[cfg(test)]
mod finding_tests;
#[cfg(test)]
mod json_tests;

pub use json::read_json;
pub(crate) use json::{read_json_of_others, read_own_json};
pub use suggest::suggest;

use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};

/// The largest source that is read, in bytes.
pub const MAX_SOURCE_BYTES: usize = 16 << 20;
/// How many lists and maps may stand inside each other, the outermost included.
pub const MAX_NESTING: usize = 16;
/// How many values a source may hold; every line of a literal block counts as one.
pub const MAX_NODES: usize = 500_000;

/// The byte order mark that some editors put first.
const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// One value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What is written there.
    pub value: Value,
    /// Where: bytes of the source. A list or map spans from its first to its last character; a quoted text
    /// includes its quotes; a literal block spans its content, without the `|`.
    pub span: Span,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing: JSON `null`, or a YAML key or list item with nothing after it. [`read`] has already reported it
    /// as an error, so the reader of a protocol need not; the span then points at the key or the dash.
    Null,
    /// Text, or a bare word or number of JSON.
    Scalar(Scalar),
    /// Values in order.
    List(Vec<Node>),
    /// Entries in the order of the source, each key once.
    Map(Vec<(Key, Node)>),
}

/// A key of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key without quotes or escapes.
    pub text: String,
    /// Where, with its quotes if it has any.
    pub span: Span,
}

/// A value that is neither list nor map, kept as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The text: without quotes, escapes or indentation, but with the line breaks of a block as `\n`. Numbers,
    /// `true` and `false` as written.
    pub text: String,
    /// How it is written.
    pub style: Style,
    /// The place of every line of `text`; empty when the node's own span says enough.
    line_spans: Vec<Span>,
}

/// How a scalar is written. What it means is for the schema to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// YAML without quotes: could be a text, a number or `true`.
    Plain,
    /// In quotes, YAML or JSON: a text.
    Quoted,
    /// A `|` block of YAML: lines of text.
    Literal,
    /// A number of JSON.
    Number,
    /// `true` or `false` of JSON.
    Bool,
}

/// One line of a text and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The line without its break.
    pub text: &'a str,
    /// Where: bytes of the source. As long as `text`, except where quotes or escapes make the source longer.
    pub span: Span,
}

impl Node {
    /// What this is, in the words of a message: `a map`, `a list`, `text`, `a number`, `true or false`, `nothing`.
    pub fn kind_name(&self) -> &'static str {
        match &self.value {
            Value::Null => "nothing",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
            Value::Scalar(scalar) => match scalar.style {
                Style::Plain | Style::Quoted | Style::Literal => "text",
                Style::Number => "a number",
                Style::Bool => "true or false",
            },
        }
    }

    /// The text of a scalar of any style; `None` for lists, maps and nothing.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(scalar) => Some(&scalar.text),
            _ => None,
        }
    }

    /// The entry of a map with this key. Looks at every entry: meant for the short maps of a protocol.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|(k, _)| k.text == key).map(|(_, node)| node),
            _ => None,
        }
    }

    /// The lines of a text, or of a list of texts (JSON writes a block as a list of its lines). Empty for maps
    /// and nothing; other values inside a list give no lines.
    pub fn lines(&self) -> Vec<Line<'_>> {
        match &self.value {
            Value::Scalar(scalar) => scalar.lines(self.span),
            Value::List(items) => items
                .iter()
                .flat_map(|item| match &item.value {
                    Value::Scalar(scalar) => scalar.lines(item.span),
                    _ => Vec::new(),
                })
                .collect(),
            Value::Null | Value::Map(_) => Vec::new(),
        }
    }
}

impl Scalar {
    fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style, line_spans: Vec::new() }
    }

    /// The lines of the text. The break that ends the last line starts no further line.
    fn lines(&self, whole: Span) -> Vec<Line<'_>> {
        let text = self.text.strip_suffix('\n').unwrap_or(&self.text);
        let place = |at| self.line_spans.get(at).copied().unwrap_or(whole);
        let mut lines = Vec::with_capacity(self.line_spans.len());
        lines.extend(text.split('\n').enumerate().map(|(at, text)| Line { text, span: place(at) }));
        lines
    }
}

/// Reads a protocol file in either notation.
///
/// A source whose first character is `{` is tried as JSON; whatever is not JSON is read as YAML, which may also
/// start with `{`. The findings that come with the tree are in the order of their place. They may hold errors:
/// reading goes on after those that do not hide the rest of the file, so that an author sees them together with
/// what the schema finds. A tree with errors must not be used.
///
/// # Errors
/// The finding that stopped the reading: syntax, a limit, or an anchor, alias or tag.
pub fn read(source: &str) -> Result<(Node, Diagnostics), Diagnostic> {
    check_size(source)?;
    let content = source.strip_prefix(BYTE_ORDER_MARK).unwrap_or(source).trim_start();
    if !content.starts_with('{') {
        return read_yaml(source);
    }
    let error = match read_json(source) {
        Ok(node) => {
            let mut findings = Diagnostics::new();
            report_nulls(&node, None, &mut findings);
            return Ok((node, findings));
        }
        Err(error) => error,
    };
    // Only text that is no JSON at all can still be a YAML map in braces: what breaks a rule breaks it there too.
    let looks_like_json = content[1..].trim_start().starts_with(['"', '}']);
    if !cfg!(feature = "yaml") || error.code != codes::NOT_JSON {
        return Err(error);
    }
    read_yaml(source).map_err(|yaml_error| if looks_like_json { error } else { yaml_error })
}

#[cfg(feature = "yaml")]
fn read_yaml(source: &str) -> Result<(Node, Diagnostics), Diagnostic> {
    yaml::read_yaml(source)
}

#[cfg(not(feature = "yaml"))]
fn read_yaml(source: &str) -> Result<(Node, Diagnostics), Diagnostic> {
    let start = source.len() - source.trim_start_matches([BYTE_ORDER_MARK, ' ', '\t', '\r', '\n']).len();
    if start == source.len() {
        return Err(nothing_to_read(source));
    }
    let end = source[start..].find(['\r', '\n']).map_or(source.len(), |length| start + length);
    Err(Diagnostic::error(
        codes::YAML_NOT_BUILT_IN,
        Span::new(start, end),
        "this engine is built without the YAML reader",
        "give the protocol as JSON, or build with the feature `yaml`",
    ))
}

/// Refuses a source that is too large to look at.
fn check_size(source: &str) -> Result<(), Diagnostic> {
    if source.len() <= MAX_SOURCE_BYTES {
        return Ok(());
    }
    let start = floor_boundary(source, MAX_SOURCE_BYTES);
    Err(Diagnostic::error(
        codes::TOO_LARGE,
        Span::new(start, start),
        format!("the text has {} bytes; the limit is {MAX_SOURCE_BYTES}", source.len()),
        "split it into smaller files",
    ))
}

fn nothing_to_read(source: &str) -> Diagnostic {
    Diagnostic::error(
        codes::NOTHING_TO_READ,
        Span::new(source.len(), source.len()),
        "the text is empty",
        "start with `sonometer: 1` and the `id` of the protocol",
    )
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::TOO_DEEP,
        span,
        format!("lists and maps are nested more than {MAX_NESTING} deep"),
        "use fewer levels",
    )
}

fn too_many_values(span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::TOO_MANY_VALUES,
        span,
        format!("the text has more than {MAX_NODES} values and lines"),
        "split it into smaller files",
    )
}

fn duplicate_key(key: &Key) -> Diagnostic {
    Diagnostic::error(
        codes::DUPLICATE_KEY,
        key.span,
        format!("the key `{}` appears twice in this map", excerpt(&key.text)),
        "keep one of the two, or merge their values",
    )
}

/// A value that is missing: `place` names the key it belongs to, if it belongs to one.
fn empty_value(key: Option<&Key>, span: Span, fix: Option<String>) -> Diagnostic {
    let (message, other) = match key {
        Some(key) => {
            let name = excerpt(&key.text);
            (
                format!("the key `{name}` has no value"),
                format!("write a value after `{name}:`, or remove the key"),
            )
        }
        None => {
            ("this list item has no value".to_owned(), "write a value there, or remove the item".to_owned())
        }
    };
    Diagnostic::error(codes::EMPTY_VALUE, span, message, fix.unwrap_or(other))
}

/// Reports every `null` of JSON like the empty value of YAML, and points the node at its key as YAML does.
fn report_nulls(node: &Node, key: Option<&Key>, findings: &mut Diagnostics) {
    match &node.value {
        Value::Null if findings.len() < MAX_FINDINGS => findings.push(empty_value(key, node.span, None)),
        Value::Null | Value::Scalar(_) => {}
        Value::List(items) => items.iter().for_each(|item| report_nulls(item, None, findings)),
        Value::Map(entries) => entries.iter().for_each(|(k, value)| report_nulls(value, Some(k), findings)),
    }
}

/// How many errors, and how many warnings, are worth listing: nobody reads the hundred-and-first.
pub(crate) const MAX_FINDINGS: usize = 100;

/// The entries, by index in ascending order, whose key stands earlier in the same map.
fn repeated_keys(entries: &[(Key, Node)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_unstable_by(|&a, &b| entries[a].0.text.cmp(&entries[b].0.text).then(a.cmp(&b)));
    let same = |pair: &&[usize]| entries[pair[0]].0.text == entries[pair[1]].0.text;
    let mut repeated: Vec<usize> = order.windows(2).filter(same).map(|pair| pair[1]).collect();
    repeated.sort_unstable();
    repeated
}

/// The places of the lines of a text in quotes that holds line breaks as `\n` escapes. Empty where one place
/// for the whole text says as much.
fn quoted_line_spans(source: &str, span: Span, text: &str) -> Vec<Span> {
    let inner = Span::new(span.start + 1, span.end.saturating_sub(1));
    if source.get(inner.range()).is_none() {
        return Vec::new();
    }
    let mut spans = Vec::new();
    let mut line_start = inner.start;
    let bytes = source.as_bytes();
    let mut at = inner.start;
    while at < inner.end {
        if bytes[at] == b'\\' && bytes[span.start] == b'"' {
            if bytes[at + 1] == b'n' {
                spans.push(Span::new(line_start, at));
                line_start = at + 2;
            }
            at += 1;
        }
        at += 1;
    }
    spans.push(Span::new(line_start, inner.end));
    // Breaks written another way (`\u000a`) have no exact place here: point at the whole text.
    if spans.len() == text.split('\n').count() { spans } else { Vec::new() }
}

/// The nearest character boundary at or before `at`, within the text.
fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
