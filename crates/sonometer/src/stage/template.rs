//! World texts with names in braces: `{mood}`.

use std::fmt;

/// A text with places that are filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// The name of a list or a variable.
    Name(String),
}

/// What is wrong with the braces of a text, with the bytes of the text it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadBrace {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Template {
    /// Reads a text; two braces are one.
    pub(super) fn read(text: &str) -> Result<Self, BadBrace> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut at = 0;
        while let Some(found) = text[at..].find(['{', '}']) {
            let start = at + found;
            plain.push_str(&text[at..start]);
            let brace = &text[start..=start];
            if text[start + 1..].starts_with(brace) {
                plain.push_str(brace);
                at = start + 2;
                continue;
            }
            let inside = text[start + 1..].find(['{', '}', '\n']).map(|length| start + 1 + length);
            let end = inside.filter(|end| brace == "{" && text[*end..].starts_with('}'));
            let Some(end) = end else { return Err(BadBrace { start, end: start + 1 }) };
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Name(text[start + 1..end].trim().to_owned()));
            at = end + 1;
        }
        plain.push_str(&text[at..]);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Self { pieces })
    }

    /// The names that are filled in.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Name(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// The text with its places filled in.
    pub(super) fn fill(&self, value: impl Fn(&str) -> String) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Name(name) => value(name),
        });
        pieces.collect()
    }
}

impl fmt::Display for Template {
    /// As it is written: reading it gives the same template.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}")),
            Piece::Name(name) => write!(f, "{{{name}}}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_names_and_keeps_doubled_braces() {
        let template = Template::read("a {mood} {{caller}} with { n }").expect("reads");
        assert_eq!(template.names().collect::<Vec<_>>(), ["mood", "n"]);
        assert_eq!(template.fill(|name| name.len().to_string()), "a 4 {caller} with 1");
        assert_eq!(Template::read(&template.to_string()), Ok(template));
        assert_eq!(Template::read("a { b"), Err(BadBrace { start: 2, end: 3 }));
        assert_eq!(Template::read("é } b"), Err(BadBrace { start: 3, end: 4 }));
        assert_eq!(Template::read("").expect("reads").fill(|_| String::new()), "");
    }
}
