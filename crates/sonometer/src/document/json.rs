//! JSON text, read strictly into the tree: duplicate keys, lone surrogates and anything after the value are errors.

use super::json_syntax::{Fault, check, plain_length};
use super::{
    BYTE_ORDER_MARK, Key, MAX_NESTING, MAX_NODES, Node, Scalar, Style, Value, check_size, codes,
    duplicate_key, floor_boundary, nothing_to_read, quoted_line_spans, repeated_keys, too_deep,
    too_many_values,
};
use crate::diagnostic::{Diagnostic, Span};

/// Reads one JSON value with the place of everything in it. Numbers stay as written, keys stay in their order.
///
/// The limits are those of a protocol file: 16 MiB, 16 levels, 500,000 values. Time is linear in the length of the source.
///
/// # Errors
/// The first finding: text that is not JSON, a key that appears twice, half of a surrogate pair, a limit.
pub fn read_json(source: &str) -> Result<Node, Diagnostic> {
    read(source, WrittenBy::Authors)
}

/// As [`read_json`] without the limit of 16 MiB, for what the engine wrote itself and its reader compares with what it would write.
///
/// # Errors
/// As [`read_json`], but for the length.
pub(crate) fn read_own_json(source: &str) -> Result<Node, Diagnostic> {
    read(source, WrittenBy::Engine)
}

/// As [`read_json`], for what other programs write: lists and maps nested too deep are empty here, with the span of all that they
/// hold. What a model gives to a tool, or the schema of that, may be nested as deep as it likes, and nobody said it.
///
/// # Errors
/// As [`read_json`], but for the nesting.
pub(crate) fn read_json_of_others(source: &str) -> Result<Node, Diagnostic> {
    read(source, WrittenBy::Others)
}

/// Who wrote it, which decides on limits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WrittenBy {
    Authors,
    /// May be nested too deep.
    Others,
    /// May be too long.
    Engine,
}

fn read(source: &str, by: WrittenBy) -> Result<Node, Diagnostic> {
    if by != WrittenBy::Engine {
        check_size(source)?;
    }
    let text = source.strip_prefix(BYTE_ORDER_MARK).unwrap_or(source);
    if text.trim_start_matches(JSON_SPACE).is_empty() {
        return Err(nothing_to_read(source));
    }
    let start = source.len() - text.len();
    // The whole text is checked before anything is made of it: what follows knows that it is JSON.
    let sizes = check(text).map_err(|fault| not_json(source, Fault { at: start + fault.at, ..fault }))?;
    Reader { source, at: start, sizes: sizes.into_iter(), left: MAX_NODES, by }.node(1)
}

const JSON_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// Makes the tree of a source that is known to be JSON.
struct Reader<'s> {
    source: &'s str,
    at: usize,
    /// How many values the lists and maps to come hold.
    sizes: std::vec::IntoIter<usize>,
    /// How many more values may come.
    left: usize,
    by: WrittenBy,
}

impl<'s> Reader<'s> {
    /// The value that comes next, at the given level of nesting.
    fn node(&mut self, level: usize) -> Result<Node, Diagnostic> {
        let first = self.after_space();
        let start = self.at;
        let value = match first {
            b'{' | b'[' if level > MAX_NESTING && self.by == WrittenBy::Others => {
                self.step_over();
                if first == b'{' { Value::Map(Vec::new()) } else { Value::List(Vec::new()) }
            }
            b'{' | b'[' => {
                let bracket = Span::new(start, start + 1);
                if level > MAX_NESTING {
                    return Err(too_deep(bracket));
                }
                self.left = self.left.saturating_sub(self.sizes.next().unwrap_or(0));
                if self.left == 0 {
                    return Err(too_many_values(bracket));
                }
                self.at += 1;
                if first == b'{' { Value::Map(self.map(level)?) } else { Value::List(self.list(level)?) }
            }
            b'"' => {
                let text = self.string()?;
                let line_spans = quoted_line_spans(self.source, Span::new(start, self.at), &text);
                Value::Scalar(Scalar { text, style: Style::Quoted, line_spans })
            }
            b'n' => {
                self.word();
                Value::Null
            }
            b't' | b'f' => Value::Scalar(Scalar::new(self.word(), Style::Bool)),
            _ => Value::Scalar(Scalar::new(self.word(), Style::Number)),
        };
        Ok(Node { value, span: Span::new(start, self.at) })
    }

    fn list(&mut self, level: usize) -> Result<Vec<Node>, Diagnostic> {
        let mut items = Vec::new();
        while self.is_before_another(b']') {
            items.push(self.node(level + 1)?);
        }
        Ok(items)
    }

    fn map(&mut self, level: usize) -> Result<Vec<(Key, Node)>, Diagnostic> {
        let mut entries = Vec::new();
        while self.is_before_another(b'}') {
            let start = self.at;
            let key = Key { text: self.string()?, span: Span::new(start, self.at) };
            self.after_space();
            // The colon.
            self.at += 1;
            entries.push((key, self.node(level + 1)?));
        }
        match repeated_keys(&entries).first() {
            Some(&at) => Err(duplicate_key(&entries[at].0)),
            None => Ok(entries),
        }
    }

    /// Steps over a list or map with all that it holds.
    fn step_over(&mut self) {
        let bytes = self.source.as_bytes();
        let mut open = 0;
        loop {
            let byte = bytes[self.at];
            self.at += 1;
            match byte {
                b'{' | b'[' => open += 1,
                b'}' | b']' if open == 1 => return,
                b'}' | b']' => open -= 1,
                b'"' => self.step_over_string(),
                _ => {}
            }
        }
    }

    /// Steps over what follows the first quote of a string.
    fn step_over_string(&mut self) {
        let bytes = self.source.as_bytes();
        loop {
            self.at += plain_length(&bytes[self.at..]) + 1;
            if bytes[self.at - 1] == b'"' {
                return;
            }
            // What a backslash escapes may be a quote.
            self.at += 1;
        }
    }

    /// Goes to the next value of a list or map; steps over its bracket, and gives `false`, if there is none.
    fn is_before_another(&mut self, close: u8) -> bool {
        let mut next = self.after_space();
        if next == b',' {
            self.at += 1;
            next = self.after_space();
        }
        let is_over = next == close || next == 0;
        self.at += usize::from(is_over);
        !is_over
    }

    /// What stands up to the next white space, comma or bracket: a number, `true`, `false` or `null`.
    fn word(&mut self) -> &'s str {
        let rest = &self.source[self.at..];
        let word = &rest[..rest.find([',', ']', '}', ' ', '\t', '\r', '\n']).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// The text of a string. Its syntax is known to be right, so only its surrogates can be wrong.
    fn string(&mut self) -> Result<String, Diagnostic> {
        // The first quote.
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.source[self.at..];
            let plain = plain_length(rest.as_bytes());
            if text.is_empty() {
                // Mostly that is all there is.
                text = rest[..plain].to_owned();
            } else {
                text.push_str(&rest[..plain]);
            }
            self.at += plain + 1;
            if self.source.as_bytes().get(self.at - 1) != Some(&b'\\') {
                return Ok(text);
            }
            text.push(self.escape()?);
        }
    }

    /// The character that an escape stands for, behind its backslash.
    fn escape(&mut self) -> Result<char, Diagnostic> {
        let start = self.at - 1;
        let letter = self.peek();
        self.at += 1;
        Ok(match letter {
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.four_digits();
                let rest = &self.source[self.at..];
                let pair = match unit {
                    0xD800..0xDC00 if rest.starts_with("\\u") => {
                        self.at += 2;
                        [unit, self.four_digits()]
                    }
                    _ => [unit, 0],
                };
                let read = char::decode_utf16(pair).next();
                return read.and_then(Result::ok).ok_or_else(|| self.half_of_a_pair(start));
            }
            other => char::from(other),
        })
    }

    /// The number of four hexadecimal digits.
    fn four_digits(&mut self) -> u16 {
        let digits = self.source.get(self.at..self.at + 4).unwrap_or_default();
        self.at += 4;
        u16::from_str_radix(digits, 16).unwrap_or_default()
    }

    fn half_of_a_pair(&self, start: usize) -> Diagnostic {
        let span = Span::new(start, start + 6);
        Diagnostic::error(
            codes::LONE_SURROGATE,
            span,
            format!("`{}` is half of a surrogate pair", &self.source[span.range()]),
            "write the character itself, or both halves, like `\\ud83d\\ude00`",
        )
    }

    fn peek(&self) -> u8 {
        self.source.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn after_space(&mut self) -> u8 {
        while let b' ' | b'\t' | b'\r' | b'\n' = self.peek() {
            self.at += 1;
        }
        self.peek()
    }
}

/// The finding for a source that ceases to be JSON somewhere.
fn not_json(source: &str, fault: Fault) -> Diagnostic {
    let start = floor_boundary(source, fault.at);
    let end = start + source[start..].chars().next().map_or(0, char::len_utf8);
    let after_comma = source[..start].trim_end_matches(JSON_SPACE).ends_with(',');
    let fix = match source[start..].chars().next() {
        Some('}' | ']') if after_comma => "remove the comma before the closing bracket",
        Some('\'') => "write texts in double quotes, \"like this\"",
        Some('/' | '#') => "remove the comment: JSON has none",
        _ => fix_for(fault.reason),
    };
    let message = format!("this is not valid JSON: {}", fault.reason);
    Diagnostic::error(codes::NOT_JSON, Span::new(start, end), message, fix)
}

/// What to write instead, by what is wrong.
fn fix_for(reason: &str) -> &'static str {
    match reason {
        "key must be a string" => "write the key in double quotes",
        "expected `:`" => "write a colon between the key and its value",
        "expected `,` or `]`" | "expected `,` or `}`" => "write a comma before this, or close the bracket",
        "trailing characters" => "remove what follows the first value",
        "invalid escape" => "write a backslash as `\\\\`",
        "invalid number" => "write a number like `-0.5`, or put the value in double quotes",
        _ if reason.starts_with("EOF while parsing a string") => "close the string with a double quote",
        _ if reason.starts_with("EOF") => "close every `{` with `}` and every `[` with `]`",
        _ if reason.starts_with("control character") => "write a line break as `\\n` and a tab as `\\t`",
        _ => "write a text in double quotes, a number, `true`, `false`, a list or a map",
    }
}
