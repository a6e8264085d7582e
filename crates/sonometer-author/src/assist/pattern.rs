//! The parts of a pattern line that mean something, for colours, names and explanations.

use sonometer::protocol::phrase::strip_comment;
use std::ops::Range;

/// A part of a pattern line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// Bytes of the line.
    pub range: Range<usize>,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `@kind`, with the sign.
    List,
    /// `<email>`, with the brackets.
    Class,
    /// `/re/i`.
    Regex,
    /// `"as written"`.
    Quoted,
    /// What joins, repeats or loosens: `( | ) { } ? * ~ %1 ..3.. ... & ^`.
    Operator,
    /// The weight of a weighted line, `0.41`.
    Weight,
    /// From `# ` to the end.
    Comment,
}

/// The keys whose lines are patterns; the others hold lines of talk.
pub const KEYS: [&str; 9] = ["strong", "clear", "weak", "weigh", "absent", "any", "then", "except", "to"];

/// The parts of a line, in their order.
pub fn pieces(line: &str, weighted: bool) -> Vec<Piece> {
    let (text, cut) = strip_comment(line);
    let mut found = Vec::new();
    let mut end = cut + text.len();
    let mut weight = None;
    if let Some(at) = line[..end].rfind(" = ").filter(|_| weighted) {
        weight = Some(Piece { kind: Kind::Weight, range: at + 3..end });
        end = at;
    }
    let bytes = line.as_bytes();
    let mut at = cut;
    while at < end {
        let rest = &line[at..end];
        let starts_word = at == 0 || bytes[at - 1].is_ascii_whitespace() || b"(|{\"".contains(&bytes[at - 1]);
        let (kind, length) = match bytes[at] {
            b'\\' => (None, 1 + rest[1..].chars().next().map_or(0, char::len_utf8)),
            b'@' if starts_word => (Some(Kind::List), 1 + name_length(&rest[1..])),
            b'<' => match rest.find('>') {
                Some(close) => (Some(Kind::Class), close + 1),
                None => (None, 1),
            },
            b'/' if starts_word => match closing(rest, b'/') {
                Some(close) => (Some(Kind::Regex), close + usize::from(rest[close..].starts_with('i'))),
                None => (None, 1),
            },
            b'"' => match closing(rest, b'"') {
                Some(close) => (Some(Kind::Quoted), close),
                None => (None, 1),
            },
            b'.' if starts_word && rest.starts_with("..") => {
                (Some(Kind::Operator), rest.find(' ').unwrap_or(rest.len()))
            }
            b'%' if rest.starts_with("%1") => (Some(Kind::Operator), 2),
            b'(' | b')' | b'|' | b'{' | b'}' | b'?' | b'*' | b'~' | b'&' | b'^' => (Some(Kind::Operator), 1),
            _ => (None, rest.chars().next().map_or(1, char::len_utf8)),
        };
        if let Some(kind) = kind {
            found.push(Piece { kind, range: at..at + length });
        }
        at += length;
    }
    found.extend(weight);
    let comment = line[cut + text.len()..].trim_start();
    if !comment.is_empty() {
        found.push(Piece { kind: Kind::Comment, range: line.len() - comment.len()..line.len() });
    }
    found
}

/// How long the name of a list is.
pub fn name_length(text: &str) -> usize {
    text.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_-".contains(b)).count()
}

/// One past the mark that ends what begins with it; a backslash takes the next character's meaning away.
fn closing(text: &str, mark: u8) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == mark => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, weighted: bool) -> Vec<(Kind, &str)> {
        pieces(line, weighted).into_iter().map(|piece| (piece.kind, &line[piece.range])).collect()
    }

    #[test]
    fn parts_are_told_apart() {
        use Kind::*;
        assert_eq!(
            shown("(my|our) @kind <email> ..3.. word~ # why", false),
            [
                (Operator, "("),
                (Operator, "|"),
                (Operator, ")"),
                (List, "@kind"),
                (Class, "<email>"),
                (Operator, "..3.."),
                (Operator, "~"),
                (Comment, "# why"),
            ]
        );
        assert_eq!(shown(r#""a @b" /x\/@y/i \@z a@b"#, false), [(Quoted, r#""a @b""#), (Regex, r"/x\/@y/i")]);
        assert_eq!(shown("thank you = 0.41", true), [(Weight, "0.41")]);
        assert_eq!(shown("über @größe <x", false), [(List, "@gr")]);
    }
}
