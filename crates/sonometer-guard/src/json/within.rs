//! Escapes within a text. Masks and rules read what an escape stands for; the text itself stays as it was written. Otherwise
//! `ann%40example.org` would be no address to a mask, and one to the program that decodes it.
//!
//! - Addresses of pages: `ann%40example.org`.
//! - HTML: `ann&#64;example.org`.
//! - Markdown: `ann@example\.org`.
//! - JSON and programs: `ann\u0040example.org`, `to:\n2025550143`. A text may have records in it, or be JSON itself.
//!
//! An escape of `<`, `>`, `&`, `%` or a backslash is left as it is, since that sign would begin another escape or a placeholder.

use super::string::unit;

/// What begins an escape.
pub(super) const BEGINS: [char; 3] = ['\\', '%', '&'];

/// The longest escape that is read; more backslashes than JSON in JSON in JSON needs are text.
const LONGEST: usize = 40;
/// The most digits of a character's number in HTML: `&#1114111;`.
const MOST_DIGITS: usize = 7;
/// Signs that Markdown, shells and programs write with a backslash before them.
const MARKED: &str = "\"'/ !#()*+,-.:=@[]_|~";

/// Signs that HTML has names for, in small letters.
const NAMED: [(&str, char); 26] = [
    ("commat;", '@'),
    ("period;", '.'),
    ("nbsp;", ' '),
    ("plus;", '+'),
    ("lowbar;", '_'),
    ("hyphen;", '-'),
    ("dash;", '-'),
    ("comma;", ','),
    ("colon;", ':'),
    ("sol;", '/'),
    ("lpar;", '('),
    ("rpar;", ')'),
    ("quot;", '"'),
    ("apos;", '\''),
    ("auml;", 'ä'),
    ("ouml;", 'ö'),
    ("uuml;", 'ü'),
    ("szlig;", 'ß'),
    ("eacute;", 'é'),
    ("egrave;", 'è'),
    ("ecirc;", 'ê'),
    ("agrave;", 'à'),
    ("aacute;", 'á'),
    ("oacute;", 'ó'),
    ("ccedil;", 'ç'),
    ("ntilde;", 'ñ'),
];

/// What stands behind one of [`BEGINS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    /// The beginning of an escape.
    Open,
    /// One that stands for this.
    Meant(char),
    /// Something else.
    None,
}

/// Reads an escape from its begin to where the text has come.
pub(super) fn escape(text: &str) -> Escape {
    match text.as_bytes().first() {
        Some(b'\\') => backslash(text),
        Some(b'%') => percent(text),
        Some(b'&') => entity(&text[1..]),
        _ => Escape::None,
    }
}

fn backslash(text: &str) -> Escape {
    let rest = text.trim_start_matches('\\');
    let Some(c) = rest.chars().next() else {
        return if text.len() < LONGEST { Escape::Open } else { Escape::None };
    };
    let digits = &rest[c.len_utf8()..];
    match c {
        'u' if digits.starts_with('{') => match digits[1..].strip_suffix('}') {
            Some(digits) => number(digits, 16),
            None if digits.len() <= MOST_DIGITS && is_hex(&digits[1..]) => Escape::Open,
            None => Escape::None,
        },
        'u' | 'x' if !is_hex(digits) => Escape::None,
        'u' if digits.len() < 4 => Escape::Open,
        'u' => Escape::Meant(char::from_u32(unit(digits)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        'x' if digits.len() < 2 => Escape::Open,
        'x' => number(digits, 16),
        'b' | 'f' | 'n' | 'r' | 't' => Escape::Meant(' '),
        c if MARKED.contains(c) => Escape::Meant(c),
        _ => Escape::None,
    }
}

/// One or more bytes of UTF-8 as addresses write them; in an address within another one each `%` is written as `%25`.
fn percent(text: &str) -> Escape {
    let (mut rest, mut bytes) = (text, Vec::with_capacity(4));
    loop {
        let Some(after) = rest.strip_prefix('%') else {
            return if rest.is_empty() { Escape::Open } else { Escape::None };
        };
        let after = after.strip_prefix("25").unwrap_or(after);
        match after.get(..2) {
            Some(digits) if is_hex(digits) => bytes.push(u8::from_str_radix(digits, 16).unwrap_or_default()),
            None if is_hex(after) => return Escape::Open,
            _ => return Escape::None,
        }
        rest = &after[2..];
        let length = match bytes[0] {
            0..=0x7f => 1,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return Escape::None,
        };
        if bytes[1..].iter().any(|byte| byte & 0xc0 != 0x80) {
            return Escape::None;
        }
        if bytes.len() == length {
            break;
        }
    }
    // Nobody writes a letter or a digit so, and `LIKE '%4111…'` has the number of a card.
    match std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next()) {
        Some(c) if !c.is_ascii_alphanumeric() => sign(c),
        _ => Escape::None,
    }
}

fn entity(name: &str) -> Escape {
    if let Some(digits) = name.strip_prefix('#') {
        let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16),
            None => (digits, 10),
        };
        return match digits.strip_suffix(';') {
            Some(digits) => number(digits, radix),
            None if digits.len() <= MOST_DIGITS && digits.chars().all(|c| c.is_digit(radix)) => Escape::Open,
            None => Escape::None,
        };
    }
    let name = name.to_ascii_lowercase();
    match NAMED.iter().find(|(known, _)| known.starts_with(&name)) {
        Some((known, c)) if known.len() == name.len() => Escape::Meant(*c),
        Some(_) => Escape::Open,
        None => Escape::None,
    }
}

/// The character with a number.
fn number(digits: &str, radix: u32) -> Escape {
    let is_number = digits.chars().all(|c| c.is_digit(radix));
    let number = u32::from_str_radix(digits, radix).ok().filter(|_| is_number);
    number.and_then(char::from_u32).map_or(Escape::None, sign)
}

fn sign(c: char) -> Escape {
    match c {
        '\t' | '\n' | '\r' => Escape::Meant(' '),
        '<' | '>' | '&' | '%' | '\\' => Escape::None,
        _ if c.is_control() => Escape::None,
        _ => Escape::Meant(c),
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// An escape such as `%20` or `%40` that may also be a plain `%` before a number, as in `LIKE '%2025550143%'`. How many digits follow decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    meant: Meant,
    digits: usize,
    is_digit: bool,
}

/// What an escape stands for, and how many characters it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meant {
    pub(super) character: char,
    pub(super) length: usize,
}

impl Doubt {
    /// Whether there is doubt about an escape, by the character before it: within a text, and behind a colon or comma, a space is written so.
    pub(super) fn about(written: &str, meant: char, before: Option<char>) -> Option<Self> {
        let digits =
            written.strip_prefix('%').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        let is_free = before.is_none_or(|c| c.is_whitespace() || "'\"`=([{".contains(c));
        let meant = Meant { character: meant, length: written.len() };
        is_free.then_some(Self { meant, digits: digits.len(), is_digit: true })
    }

    /// Whether the next character belongs to the number.
    pub(super) fn goes_on(&mut self, c: char) -> bool {
        let is_digit = c.is_ascii_digit();
        let goes_on = self.digits <= 16 && (is_digit || self.is_digit && matches!(c, '-' | '.' | ' '));
        self.digits += usize::from(is_digit);
        self.is_digit = is_digit;
        goes_on
    }

    /// What it is: a `%` before a number with as many digits as those of persons, telephones and cards have, or else the escape. `length`: of
    /// all that was written.
    pub(super) fn meant(self, length: usize) -> Option<Meant> {
        let is_number = matches!(self.digits, 9..=11 | 15 | 16) && length > self.meant.length;
        (!is_number).then_some(self.meant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_from_their_begin_to_their_end() {
        for (written, meant) in [
            (r"\u0040", '@'),
            (r"\\\\u0040", '@'),
            (r"\u{40}", '@'),
            (r"\x40", '@'),
            (r"\n", ' '),
            (r"\.", '.'),
            (r"\@", '@'),
            ("%40", '@'),
            ("%2D", '-'),
            ("%2540", '@'),
            ("%0A", ' '),
            ("%C3%9f", 'ß'),
            ("%25C3%259F", 'ß'),
            ("%e2%80%91", '\u{2011}'),
            ("&#64;", '@'),
            ("&#X40;", '@'),
            ("&#97;", 'a'),
            ("&CommAt;", '@'),
            ("&szlig;", 'ß'),
        ] {
            assert_eq!(escape(written), Escape::Meant(meant), "{written}");
            for end in 1..written.len() {
                assert_eq!(escape(&written[..end]), Escape::Open, "{}", &written[..end]);
            }
        }
        for written in [
            r"\d",
            r"\u00g",
            r"\xg",
            r"\u{g",
            r"\u{}",
            r"\<",
            r"\%",
            "%4g",
            "%41",
            "%31",
            "%3C",
            "%26",
            "%00",
            "%C3x",
            "%C3%41",
            "%ff",
            "%25g",
            "&lt;",
            "&#60;",
            "&#38;",
            "&#x",
            "&#g",
            "&#12345678",
            "&;",
            "&x",
        ] {
            // The last of them may begin one.
            assert!(written == "&#x" || escape(written) == Escape::None, "{written}");
        }
    }
}
