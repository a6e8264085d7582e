//! From the places of the YAML parser, counted in characters, to bytes of the source; and the places of lines.

use super::{Span, floor_boundary};

/// Every how many characters the byte offset is remembered: a look-up walks over fewer than this.
const STRIDE: usize = 64;

/// The byte offset of every character of a text, in constant time for each look-up.
pub(super) struct Offsets<'s> {
    text: &'s str,
    /// Added to every answer: where `text` starts in the source.
    base: usize,
    /// The offset of each 64th character; empty when all are ASCII and offsets are indices.
    marks: Vec<usize>,
}

impl<'s> Offsets<'s> {
    pub(super) fn new(text: &'s str, base: usize) -> Self {
        let marks = match text.is_ascii() {
            true => Vec::new(),
            false => text.char_indices().step_by(STRIDE).map(|(at, _)| at).collect(),
        };
        Self { text, base, marks }
    }

    /// The byte of the source where the character with this index starts; its end for indices beyond it.
    pub(super) fn byte(&self, index: usize) -> usize {
        let within = if self.marks.is_empty() {
            index.min(self.text.len())
        } else {
            self.marks.get(index / STRIDE).map_or(self.text.len(), |&mark| {
                let rest = &self.text[mark..];
                rest.char_indices().nth(index % STRIDE).map_or(self.text.len(), |(at, _)| mark + at)
            })
        };
        self.base + within
    }
}

/// The places of the lines of a literal block whose first content character is at `start`; `None` if the source
/// does not read like `text` from there. Blank lines before the first content line stand before `start`.
pub(super) fn literal_line_spans(source: &str, start: usize, text: &str) -> Option<Vec<Span>> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let first_line = source[..start].rfind(['\r', '\n']).map_or(0, |at| at + 1);
    let first_line = first_line.max(if source.starts_with('\u{FEFF}') { 3 } else { 0 });
    let indent = start - first_line;
    let leading = body.len() - body.trim_start_matches('\n').len();
    // A blank line before the content has no characters of its own: it is placed where the content starts.
    let mut spans = vec![Span::new(start, start); leading];
    let mut at = first_line;
    for line in body[leading..].split('\n') {
        let indentation = source[at..].bytes().take(indent).take_while(|&b| b == b' ').count();
        let content = at + indentation;
        let end = content + line.len();
        if source.get(content..end) != Some(line) {
            return None;
        }
        spans.push(Span::new(content, end));
        at = end + line_break(&source[end..]);
    }
    Some(spans)
}

/// How many bytes the line break at the start of `rest` takes; 0 if there is none.
fn line_break(rest: &str) -> usize {
    match rest.as_bytes() {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

/// The end of a text in quotes that starts at `start`, after its closing quote. The parser's own end lies after
/// the spaces and the comment that follow.
pub(super) fn quoted_end(source: &str, start: usize, limit: usize) -> usize {
    let bytes = &source.as_bytes()[..limit.min(source.len())];
    let Some(&quote) = bytes.get(start) else { return start };
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 1,
            b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 1,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    floor_boundary(source, bytes.len())
}

/// The end of a list or map in brackets, after the closing one. The parser's own end lies at that bracket, or at
/// the comma before it.
pub(super) fn bracket_end(source: &str, at: usize) -> usize {
    let mut rest = &source[at..];
    loop {
        rest = rest.trim_start_matches([',', ' ', '\t', '\r', '\n']);
        match rest.as_bytes().first() {
            Some(b'#') => rest = &rest[rest.find(['\r', '\n']).unwrap_or(rest.len())..],
            Some(b']' | b'}') => return source.len() - rest.len() + 1,
            _ => return at,
        }
    }
}

/// The dash that starts the list item whose content, or the end of whose line, is at `at`.
pub(super) fn dash_before(source: &str, at: usize) -> Option<Span> {
    let line_start = source[..at].rfind(['\r', '\n']).map_or(0, |before| before + 1);
    let line = &source[line_start..at];
    let marks = line.len() - line.trim_start_matches([' ', '\t', '-']).len();
    let dash = line[..marks].rfind('-')? + line_start;
    Some(Span::new(dash, dash + 1))
}

/// The line that `at` lies in, without the spaces around it; the line before it that says something, if nothing
/// but spaces stands before `at` and `or_before` asks for it.
pub(super) fn whole_line(source: &str, at: usize, or_before: bool) -> Span {
    let mut end = at;
    loop {
        let start = source[..end].rfind(['\r', '\n']).map_or(0, |before| before + 1);
        let before = source[start..end].trim();
        if start == 0 || !or_before || !(before.is_empty() || end < at && before.starts_with('#')) {
            let indent = source[start..].len() - source[start..].trim_start_matches([' ', '\t']).len();
            return rest_of_line(source, start + indent);
        }
        end = start - 1;
    }
}

/// The line that `at` lies in, from `at` to its last character that is no space.
pub(super) fn rest_of_line(source: &str, at: usize) -> Span {
    let end = source[at..].find(['\r', '\n']).map_or(source.len(), |length| at + length);
    Span::new(at, at + source[at..end].trim_end().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_become_bytes() {
        for text in ["", "plain", "é", &"añb—c😀".repeat(100), &"x".repeat(200)] {
            let offsets = Offsets::new(text, 3);
            for (index, (byte, _)) in text.char_indices().enumerate() {
                assert_eq!(offsets.byte(index), byte + 3, "{index} of {text}");
            }
            assert_eq!(offsets.byte(text.chars().count()), text.len() + 3);
            assert_eq!(offsets.byte(usize::MAX), text.len() + 3);
        }
    }

    #[test]
    fn brackets_end_where_they_close() {
        for (source, at, end) in [("[a]", 2, 3), ("{a: b, # }\n}", 5, 12), ("[a, ] # ]", 2, 5), ("[a", 2, 2)]
        {
            assert_eq!(bracket_end(source, at), end, "{source}");
        }
    }

    #[test]
    fn quotes_end_where_they_close() {
        for (source, end) in [("'it''s' # c", 7), (r#""a\"b" "#, 6), ("'open", 5), ("\"é", 3)] {
            assert_eq!(quoted_end(source, 0, source.len()), end, "{source}");
        }
    }
}
