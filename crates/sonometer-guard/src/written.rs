//! How placeholders are written: `<EMAIL_1>`, and as models write it where the text around it asks for that: in HTML, where Markdown
//! escapes it, and in addresses of pages. All of them stand for the value, which is then written as its place asks for.

use std::ops::Range;

/// The longest placeholder: labels have at most 64 bytes, protocols as many.
const LONGEST: usize = 160;

/// Where a placeholder may begin.
pub(crate) const STARTS: [char; 4] = ['<', '&', '\\', '%'];

/// What a text begins with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Begins {
    /// What may be a placeholder, with what is written.
    With(Written),
    /// What more text could make one; as `<LABEL`, or empty where that is all that is certain.
    Perhaps(String),
    /// Something else.
    Other,
}

/// A text between the signs of a placeholder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// As `<LABEL_1>`.
    pub(crate) plain: String,
    pub(crate) style: Style,
    /// Where its closing sign stands in the text.
    pub(crate) close: Range<usize>,
}

/// How the text around a placeholder is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Html,
    Address,
}

/// The signs before and behind a placeholder.
const SIGNS: [(&str, &[&str], Style); 5] = [
    ("<", &[">", "\\>"], Style::Plain),
    ("\\<", &["\\>", ">"], Style::Plain),
    ("&lt;", &["&gt;"], Style::Html),
    ("%3C", &["%3E"], Style::Address),
    ("%3c", &["%3e"], Style::Address),
];

/// Looks at the beginning of a text.
pub(crate) fn begins(text: &str) -> Begins {
    let known = SIGNS.iter().find(|(open, ..)| text.starts_with(open));
    let Some((open, closes, style)) = known else {
        let is_start = !text.is_empty() && SIGNS.iter().any(|(open, ..)| open.starts_with(text));
        return if is_start { Begins::Perhaps(String::new()) } else { Begins::Other };
    };
    let mut plain = "<".to_owned();
    let mut at = open.len();
    while at < LONGEST {
        let rest = &text[at..];
        if let Some(close) = closes.iter().find(|close| rest.starts_with(**close)) {
            plain.push('>');
            return Begins::With(Written { plain, style: *style, close: at..at + close.len() });
        }
        // Markdown escapes underscores.
        let step = if rest.starts_with("\\_") { 2 } else { 1 };
        match rest.as_bytes().get(step - 1) {
            None => return Begins::Perhaps(plain),
            Some(byte) if is_label_byte(*byte) => {
                plain.push(char::from(*byte));
                at += step;
            }
            Some(_) if rest == "\\" || closes.iter().any(|close| close.starts_with(rest)) => {
                return Begins::Perhaps(plain);
            }
            Some(_) => return Begins::Other,
        }
    }
    Begins::Other
}

pub(crate) fn is_label_byte(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}

impl Style {
    /// A value as it is written there.
    pub(crate) fn write(self, value: &str) -> String {
        match self {
            Self::Plain => value.to_owned(),
            Self::Html => {
                value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
            }
            Self::Address => value.bytes().fold(String::new(), |mut out, byte| {
                match byte {
                    b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
                    _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
                    _ => out.push_str(&format!("%{byte:02X}")),
                }
                out
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(plain: &str, style: Style, close: Range<usize>) -> Begins {
        Begins::With(Written { plain: plain.to_owned(), style, close })
    }

    #[test]
    fn placeholders_are_known_as_models_write_them() {
        for (text, begins_with) in [
            ("<EMAIL_1> and", with("<EMAIL_1>", Style::Plain, 8..9)),
            ("<EMAIL\\_1>", with("<EMAIL_1>", Style::Plain, 9..10)),
            ("\\<EMAIL\\_1\\>", with("<EMAIL_1>", Style::Plain, 10..12)),
            ("&lt;EMAIL_1&gt;", with("<EMAIL_1>", Style::Html, 11..15)),
            ("%3CEMAIL_1%3E", with("<EMAIL_1>", Style::Address, 10..13)),
            ("%3cEMAIL_1%3e", with("<EMAIL_1>", Style::Address, 10..13)),
        ] {
            assert_eq!(begins(text), begins_with, "{text}");
        }
        for text in [
            "EMAIL_1",
            "<b>",
            "< EMAIL_1>",
            "<EMAIL-1>",
            "&amp;",
            "&lt;EMAIL_1>",
            "%20",
            "\\n",
            "<EMAIL\\-1>",
            "",
        ] {
            assert_eq!(begins(text), Begins::Other, "{text}");
        }
    }

    #[test]
    fn every_beginning_of_one_waits_for_more() {
        for text in ["<EMAIL_1>", "\\<EMAIL\\_1\\>", "&lt;EMAIL_1&gt;", "%3CEMAIL_1%3E"] {
            for end in 1..text.len() {
                assert!(matches!(begins(&text[..end]), Begins::Perhaps(_)), "{}", &text[..end]);
            }
        }
        assert_eq!(begins(&format!("<{}", "A".repeat(500))), Begins::Other);
    }

    #[test]
    fn values_are_written_as_their_place_asks_for() {
        const VALUE: &str = "\"Ann & Bo\" <ann@example.org>";
        assert_eq!(Style::Plain.write(VALUE), VALUE);
        assert_eq!(Style::Html.write(VALUE), "&quot;Ann &amp; Bo&quot; &lt;ann@example.org&gt;");
        assert_eq!(Style::Address.write("ann@example.org"), "ann%40example.org");
    }
}
