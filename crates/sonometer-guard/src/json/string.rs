//! Texts within JSON, character by character: read with their escapes, and written.

use super::source::Source;

/// The longest escape of JSON: a character beyond the first 65,536 as a pair (`\ud83d\ude00`).
const LONGEST: usize = 12;

/// Reads what stands between the quotes of a text. An escape may be cut anywhere, also between the halves of a pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decoder {
    /// The beginning of an escape; a high surrogate waits here for a low one.
    open: String,
}

/// Something that is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotJson;

impl Decoder {
    /// Whether the next character belongs to an escape, whatever it is.
    pub(crate) fn is_within(&self) -> bool {
        !self.open.is_empty() && self.open.len() != 6
    }

    /// The bytes of an escape that wait.
    pub(crate) fn held(&self) -> usize {
        self.open.len()
    }

    /// Reads a stretch of text.
    pub(crate) fn read(&mut self, mut raw: &str, to: &mut Source) -> Result<(), NotJson> {
        while !raw.is_empty() {
            if self.open.is_empty() {
                let plain = raw.bytes().position(|byte| byte == b'\\' || byte < b' ').unwrap_or(raw.len());
                to.push_str(&raw[..plain]);
                raw = &raw[plain..];
            }
            let mut characters = raw.chars();
            if let Some(c) = characters.next() {
                self.push(c, to)?;
            }
            raw = characters.as_str();
        }
        Ok(())
    }

    pub(crate) fn push(&mut self, c: char, to: &mut Source) -> Result<(), NotJson> {
        match self.open.len() {
            0 if c == '\\' => self.open.push(c),
            0 if c < ' ' => return Err(NotJson),
            0 => to.push(c),
            // A high surrogate: another escape may be its second half.
            6 if c == '\\' => self.open.push(c),
            6 => {
                self.lone(to);
                return self.push(c, to);
            }
            1 | 7 if c == 'u' => self.open.push(c),
            1 | 7 => {
                let meant = match c {
                    '"' | '\\' | '/' => c,
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    _ => return Err(NotJson),
                };
                if self.open.len() == 7 {
                    self.lone(to);
                }
                let mut written = String::from("\\");
                written.push(c);
                to.push_escaped(meant, &written);
                self.open.clear();
            }
            _ if !c.is_ascii_hexdigit() => return Err(NotJson),
            _ => {
                self.open.push(c);
                self.complete(to);
            }
        }
        Ok(())
    }

    /// Looks at an escape with all its digits.
    fn complete(&mut self, to: &mut Source) {
        match self.open.len() {
            6 => match unit(&self.open[2..]) {
                0xd800..=0xdbff => {}
                other => {
                    to.push_escaped(char::from_u32(other).unwrap_or(char::REPLACEMENT_CHARACTER), &self.open);
                    self.open.clear();
                }
            },
            LONGEST => {
                let (high, low) = (unit(&self.open[2..6]), unit(&self.open[8..]));
                if let 0xdc00..=0xdfff = low {
                    let both = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                    to.push_escaped(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER), &self.open);
                    self.open.clear();
                } else {
                    self.lone(to);
                    self.complete(to);
                }
            }
            _ => {}
        }
    }

    /// The first escape that waits has no second half: it is kept as written and read as U+FFFD.
    fn lone(&mut self, to: &mut Source) {
        to.push_escaped(char::REPLACEMENT_CHARACTER, &self.open[..6]);
        self.open.drain(..6);
    }

    /// Ends the text.
    pub(crate) fn finish(&mut self, to: &mut Source) -> Result<(), NotJson> {
        match self.open.len() {
            0 => {}
            6 => self.lone(to),
            _ => return Err(NotJson),
        }
        to.finish();
        Ok(())
    }
}

pub(super) fn unit(digits: &str) -> u32 {
    u32::from_str_radix(digits, 16).unwrap_or(0xfffd)
}

/// What stands between quotes, as it reads; of what is no JSON the part before.
pub(crate) fn decode(inner: &str) -> String {
    let (mut decoder, mut source) = (Decoder::default(), Source::default());
    let _ = decoder.read(inner, &mut source);
    let _ = decoder.finish(&mut source);
    source.into_text()
}

/// The same with the escapes within it read: as masks read it, and the rules of streams.
pub(crate) fn meant(inner: &str) -> String {
    let (mut decoder, mut source) = (Decoder::default(), Source::of_text());
    let _ = decoder.read(inner, &mut source);
    let _ = decoder.finish(&mut source);
    source.into_text()
}

/// Writes text that came without escapes, or that is ours.
pub(crate) fn write_plain(text: &str, out: &mut String) {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        match escape {
            "" => out.push_str(&format!("\\u{byte:04x}")),
            _ => out.push_str(escape),
        }
        plain = at + 1;
    }
    out.push_str(&text[plain..]);
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    write_plain(text, &mut out);
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(parts: &[&str]) -> (String, String) {
        let (mut decoder, mut source) = (Decoder::default(), Source::default());
        for part in parts {
            part.chars().for_each(|c| decoder.push(c, &mut source).expect("is JSON"));
        }
        decoder.finish(&mut source).expect("is complete");
        let text = source.text().to_owned();
        let mut written = String::new();
        source.write(source.end(), &mut written);
        (text, written)
    }

    #[test]
    fn text_is_written_as_it_was() {
        for (written, text) in [
            (r"a\u0041\n\/\\", "aA\n/\\"),
            (r"\ud83d\ude00", "😀"),
            (r"\ud83dx", "\u{fffd}x"),
            (r"\ud83d", "\u{fffd}"),
            (r"\ud83d\n", "\u{fffd}\n"),
            (r"\ud83d\ud83d\ude00", "\u{fffd}😀"),
            (r"\ude00é", "\u{fffd}é"),
            (r"\ud83d\u0041", "\u{fffd}A"),
            ("é中", "é中"),
        ] {
            for cut in written.char_indices().map(|(at, _)| at) {
                let (before, after) = written.split_at(cut);
                assert_eq!(read(&[before, after]), (text.to_owned(), written.to_owned()), "{written} {cut}");
            }
        }
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for bad in [r"\x", r"\u00g0", "a\nb", r"\ud83d\x"] {
            let (mut decoder, mut source) = (Decoder::default(), Source::default());
            assert_eq!(bad.chars().try_for_each(|c| decoder.push(c, &mut source)), Err(NotJson), "{bad}");
        }
        let (mut decoder, mut source) = (Decoder::default(), Source::default());
        r"a\u00".chars().for_each(|c| decoder.push(c, &mut source).expect("may go on"));
        assert_eq!(decoder.finish(&mut source), Err(NotJson));
    }
}
