//! What no text of a request may hold: U+0000, and half of a surrogate pair. JSON can spell both.
//!
//! PostgreSQL stores neither. A charge with such a text would fail in the middle of a transaction that charges of other
//! organizations share, so these texts are refused before any work is done, and the same way on every store. The engine itself
//! senses a text with U+0000; only the service refuses it.

use crate::refusal::{Refusal, shown};
use crate::shape::join;
use sonometer::document::{Node, Scalar, Value};

/// The pattern of a text without U+0000. A schema cannot speak of half surrogate pairs: no JSON text holds one.
pub const TEXT: &str = r"^[^\u0000]*$";

/// The pattern of an id, or of an id and a version (`courtesy`, `courtesy@1.0`), without U+0000: neither is empty, and the first
/// `@` stands between them.
pub const ID_AND_VERSION: &str = r"^[^@\u0000]+(@[^\u0000]+)?$";

/// The pattern of a text without U+0000 that holds more than white space. White space is written out as Unicode's property says:
/// `\S` leaves out other characters in each dialect of regular expressions (U+0085 and U+FEFF differ).
pub const NOT_BLANK: &str =
    r"^[^\u0000]*[^\u0000\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\u0000]*$";

/// Checks one text from outside: a parameter of the path or the query, or what an administrator writes.
///
/// # Errors
/// `invalid_request` with the place, if the text holds U+0000.
pub fn check(place: &str, text: &str) -> Result<(), Refusal> {
    match text.contains('\0') {
        false => Ok(()),
        true => {
            let name = place.rsplit('.').next().unwrap_or(place);
            Err(Refusal::invalid(place, format!("`{name}` contains U+0000 (NUL); remove that character")))
        }
    }
}

/// Checks every text and every key of a body.
pub(crate) fn check_body(node: &Node, place: &str) -> Result<(), Refusal> {
    match &node.value {
        Value::Null => Ok(()),
        Value::Scalar(Scalar { text, .. }) => check(place, text),
        Value::List(items) => {
            items.iter().enumerate().try_for_each(|(at, item)| check_body(item, &format!("{place}[{at}]")))
        }
        Value::Map(entries) => entries.iter().try_for_each(|(key, value)| {
            // As JSON spells it: a place is shown to people.
            let name = join(place, &shown(&key.text.replace('\0', "\\u0000")));
            if key.text.contains('\0') {
                return Err(Refusal::invalid(name, "a key contains U+0000 (NUL); remove that character"));
            }
            check_body(value, &name)
        }),
    }
}

/// The path of the value, or of the key, that stands at a byte of a JSON text whose syntax is right.
pub(crate) fn place_of(source: &str, byte: usize) -> String {
    enum Level<'s> {
        List(usize),
        Map(&'s str),
    }
    let mut levels = Vec::new();
    let mut is_key = false;
    let mut at = 0;
    while at < byte {
        match source.as_bytes()[at] {
            b'{' => {
                is_key = true;
                levels.push(Level::Map(""));
            }
            b'[' => levels.push(Level::List(0)),
            b'}' | b']' => drop(levels.pop()),
            b':' => is_key = false,
            b',' => match levels.last_mut() {
                Some(Level::List(index)) => *index += 1,
                _ => is_key = true,
            },
            b'"' => {
                let start = at + 1;
                at = start + inside(&source[start..]);
                if let (true, Some(Level::Map(key))) = (is_key, levels.last_mut()) {
                    *key = &source[start..at];
                }
            }
            _ => {}
        }
        at += 1;
    }
    levels.iter().fold(String::new(), |place, level| match level {
        Level::List(index) => format!("{place}[{index}]"),
        Level::Map(key) => join(&place, &shown(key)),
    })
}

/// How many bytes there are up to the quote that ends a string.
fn inside(rest: &str) -> usize {
    let mut escaped = false;
    let is_end = |byte: u8| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    };
    rest.bytes().position(is_end).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_what_is_checked() {
        let (text, not_blank) = (regex::Regex::new(TEXT), regex::Regex::new(NOT_BLANK));
        let (text, not_blank) = (text.expect("is sound"), not_blank.expect("is sound"));
        for sign in '\0'..=char::MAX {
            let one = sign.to_string();
            assert_eq!(text.is_match(&one), check("a", &one).is_ok(), "{sign:?}");
            // What the engine calls blank.
            assert_eq!(not_blank.is_match(&one), !sign.is_whitespace() && sign != '\0', "{sign:?}");
        }
        assert!(not_blank.is_match("\n a \n") && !not_blank.is_match(" \0a") && !not_blank.is_match("a\0"));
        assert!(text.is_match("") && text.is_match("\n\n") && !text.is_match("\n\0"));
    }

    #[test]
    fn a_byte_of_a_body_has_a_path() {
        let source =
            r#" {"a": [1, {"b\"}": "x", "c": [[], "ÿ", "!"]}], "d": {"e": null, "f": "?"}, "g#": 0}"#;
        for (sign, place) in
            [('x', "a[1].b\\\"}"), ('ÿ', "a[1].c[1]"), ('!', "a[1].c[2]"), ('?', "d.f"), ('#', "g#")]
        {
            let byte = source.find(sign).expect("is there");
            assert_eq!(place_of(source, byte), place, "{sign}");
        }
        assert_eq!(place_of(r#""x""#, 1), "", "the body itself");
    }
}
