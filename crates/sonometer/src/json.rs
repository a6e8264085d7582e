//! The engine's own JSON writer: no white space, shortest decimals, the escapes that JSON demands and no others.

use crate::unit::Unit;
use std::fmt::Write;

/// Writes one JSON text. Keys and separators follow from the order of the calls.
#[derive(Debug, Default)]
pub(crate) struct Json {
    text: String,
    /// Whether the next value of the open object or list needs a comma before it.
    comma: bool,
}

impl Json {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), comma: false }
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// An object whose members `inside` writes.
    pub(crate) fn object(&mut self, inside: impl FnOnce(&mut Self)) {
        self.nest('{', '}', inside);
    }

    /// A list whose values `inside` writes.
    pub(crate) fn list(&mut self, inside: impl FnOnce(&mut Self)) {
        self.nest('[', ']', inside);
    }

    /// The key of the next value.
    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn key(&mut self, key: &str) -> &mut Self {
        self.string(key);
        self.text.push(':');
        self.comma = false;
        self
    }

    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn string(&mut self, value: &str) {
        self.separate();
        self.text.push('"');
        // Most texts need no escape; looking without an early end runs many bytes at a time.
        let special = |byte: u8| u8::from(byte < b' ') | u8::from(byte == b'"') | u8::from(byte == b'\\');
        if value.as_bytes().iter().fold(0, |found, byte| found | special(*byte)) == 0 {
            self.text.push_str(value);
            return self.text.push('"');
        }
        let mut written = 0;
        for (at, byte) in value.bytes().enumerate() {
            if byte >= b' ' && byte != b'"' && byte != b'\\' {
                continue;
            }
            self.text.push_str(&value[written..at]);
            written = at + 1;
            match byte {
                b'"' => self.text.push_str("\\\""),
                b'\\' => self.text.push_str("\\\\"),
                b'\n' => self.text.push_str("\\n"),
                b'\r' => self.text.push_str("\\r"),
                b'\t' => self.text.push_str("\\t"),
                0x08 => self.text.push_str("\\b"),
                0x0c => self.text.push_str("\\f"),
                _ => {
                    let _ = write!(self.text, "\\u{byte:04x}");
                }
            }
        }
        self.text.push_str(&value[written..]);
        self.text.push('"');
    }

    /// Text that is JSON already: whole members or values, with the comma behind each that a further one needs.
    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn raw_members(&mut self, members: &str) {
        if let Some(members) = members.strip_suffix(',') {
            self.separate();
            self.text.push_str(members);
        }
    }

    /// A key that is written already, with its comma before it and its colon: `,"start":`. Evidence has many, and one text is copied
    /// faster than its parts.
    pub(crate) fn member(&mut self, written: &str) -> &mut Self {
        let first = usize::from(!std::mem::take(&mut self.comma));
        self.text.push_str(&written[first..]);
        self
    }

    /// A key that is quoted already.
    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn raw_key(&mut self, quoted: &str) -> &mut Self {
        self.separate();
        self.text.push_str(quoted);
        self.text.push(':');
        self.comma = false;
        self
    }

    /// A value that is JSON already.
    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn raw_value(&mut self, json: &str) {
        self.separate();
        self.text.push_str(json);
    }

    /// A list of texts.
    pub(crate) fn texts(&mut self, texts: &[String]) {
        self.list(|json| texts.iter().for_each(|text| json.string(text)));
    }

    pub(crate) fn number(&mut self, value: Unit) {
        self.separate();
        value.write(&mut self.text);
    }

    pub(crate) fn number_or_null(&mut self, value: Option<Unit>) {
        match value {
            Some(value) => self.number(value),
            None => self.null(),
        }
    }

    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn count(&mut self, value: u64) {
        self.separate();
        // From the right: the largest count has 20 digits.
        let mut digits = [b'0'; 20];
        let mut first = digits.len();
        let mut rest = value;
        loop {
            first -= 1;
            digits[first] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.text.push_str(str::from_utf8(&digits[first..]).unwrap_or_default());
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.separate();
        self.text.push_str(if value { "true" } else { "false" });
    }

    pub(crate) fn null(&mut self) {
        self.separate();
        self.text.push_str("null");
    }

    fn nest(&mut self, open: char, close: char, inside: impl FnOnce(&mut Self)) {
        self.separate();
        self.text.push(open);
        self.comma = false;
        inside(self);
        self.text.push(close);
        self.comma = true;
    }

    #[cfg_attr(small_build, optimize(speed))]
    fn separate(&mut self) {
        if self.comma {
            self.text.push(',');
        }
        self.comma = true;
    }
}

/// A text in quotes, escaped.
pub(crate) fn quoted(text: &str) -> String {
    let mut json = Json::default();
    json.string(text);
    json.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_json_demands_and_nothing_else() {
        let mut json = Json::default();
        json.list(|j| {
            j.string("a\"b\\c\n\u{1}\u{7f}/é😀");
            j.object(|j| j.key("k").number(Unit(500_000)));
            j.object(|_| {});
            j.bool(true);
            j.object(|j| {
                j.member(r#","a":"#).count(0);
                j.member(r#","b":"#).count(1_009);
                j.key("c").count(u64::MAX);
            });
        });
        let members = r#"{"a":0,"b":1009,"c":18446744073709551615}"#;
        assert_eq!(
            json.into_text(),
            format!("[\"a\\\"b\\\\c\\n\\u0001\u{7f}/é😀\",{{\"k\":0.5}},{{}},true,{members}]")
        );
    }
}
