//! Texts within JSON, character by character: read with their escapes, and written again as they were.

use super::within::{BEGINS, Doubt, Escape, escape};
use std::collections::VecDeque;

/// The longest escape of JSON: a character beyond the first 65,536 as a pair (`\ud83d\ude00`).
const LONGEST: usize = 12;
/// A character that was written as an escape.
#[derive(Clone, Debug)]
struct Escaped {
    /// Where it stands, in bytes of the text from its beginning.
    at: usize,
    written: Written,
}

/// How an escape was written; most are short.
#[derive(Clone, Debug)]
enum Written {
    Short([u8; LONGEST], u8),
    Long(Box<str>),
}

impl Written {
    fn of(text: &str) -> Self {
        let mut bytes = [0; LONGEST];
        match bytes.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text.as_bytes());
                Self::Short(bytes, text.len() as u8)
            }
            None => Self::Long(text.into()),
        }
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Short(bytes, length) => {
                std::str::from_utf8(&bytes[..usize::from(*length)]).unwrap_or_default()
            }
            Self::Long(text) => text,
        }
    }
}

/// What was passed on is moved out of memory in steps of at least this many bytes.
const MOVE: usize = 1_024;

/// Text that came in and has not been passed on, with the escapes in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    /// The text, behind some of what has been passed on: moving the rest with each mask would cost the square of a long text.
    kept: String,
    /// The bytes of `kept` that have been passed on.
    done: usize,
    /// How many bytes of text stood before what has not been passed on.
    start: usize,
    escapes: VecDeque<Escaped>,
    within: Option<Box<Within>>,
}

/// Escapes within a text ([`within`]).
#[derive(Clone, Debug, Default)]
struct Within {
    /// The beginning of an escape, as it reads and as it was written.
    open: Vec<(char, String)>,
    /// The same as it reads.
    text: String,
    /// What the escape stands for that is open, if it is one: digits behind it decide.
    doubt: Option<Doubt>,
    /// The character before it.
    before: Option<char>,
    /// Whether the text is JSON, by its begin; `None` before its first sign.
    is_json: Option<bool>,
}

impl Source {
    /// A text that may have JSON in it, such as a record in a question.
    pub(crate) fn of_text() -> Self {
        let within = Within { is_json: Some(false), ..Within::default() };
        Self { within: Some(Box::new(within)), ..Self::default() }
    }

    /// A text that may be JSON itself.
    pub(crate) fn of_value() -> Self {
        Self { within: Some(Box::default()), ..Self::default() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.kept[self.done..]
    }

    /// Where it begins, in bytes of all text.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Where it ends.
    pub(crate) fn end(&self) -> usize {
        self.start + self.text().len()
    }

    /// About the bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        let within = self.within.as_ref().map_or(0, |within| within.open.len());
        self.text().len() + self.escapes.len() * size_of::<Escaped>() + within
    }

    /// Whether the text begins as JSON does, so that what is put into it is read as JSON once more.
    pub(crate) fn is_json(&self) -> bool {
        self.within.as_ref().is_some_and(|within| within.is_json == Some(true))
    }

    /// Adds text without escapes.
    fn push_str(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let plain = match &self.within {
                None => rest.len(),
                Some(within) if within.open.is_empty() && within.is_json.is_some() => {
                    rest.find(BEGINS).unwrap_or(rest.len())
                }
                Some(_) => 0,
            };
            self.kept.push_str(&rest[..plain]);
            if let Some(within) = &mut self.within
                && let Some(last) = rest[..plain].chars().next_back()
            {
                within.before = Some(last);
            }
            let mut others = rest[plain..].chars();
            if let Some(c) = others.next() {
                self.push(c);
            }
            rest = others.as_str();
        }
    }

    fn push(&mut self, c: char) {
        match self.within {
            None => self.kept.push(c),
            Some(_) => self.push_within(c, c.encode_utf8(&mut [0; 4])),
        }
    }

    fn push_escaped(&mut self, c: char, written: &str) {
        match self.within {
            None => self.keep_escaped(c, written),
            Some(_) => self.push_within(c, written),
        }
    }

    fn keep_escaped(&mut self, c: char, written: &str) {
        if let Some(within) = &mut self.within {
            within.before = Some(c);
        }
        self.escapes.push_back(Escaped { at: self.end(), written: Written::of(written) });
        self.kept.push(c);
    }

    fn keep(&mut self, c: char, written: &str) {
        if let Some(within) = &mut self.within {
            within.before = Some(c);
        }
        match written.strip_prefix(c) {
            Some("") => self.kept.push(c),
            _ => self.keep_escaped(c, written),
        }
    }

    fn push_within(&mut self, c: char, written: &str) {
        let Some(within) = &mut self.within else { return };
        if within.is_json.is_none() && !c.is_whitespace() {
            within.is_json = Some(matches!(c, '{' | '[' | '"'));
        }
        if within.open.is_empty() {
            match BEGINS.contains(&c) {
                true => {
                    within.text.clear();
                    within.text.push(c);
                    within.open.push((c, written.to_owned()));
                }
                false => self.keep(c, written),
            }
            return;
        }
        if let Some(doubt) = &mut within.doubt {
            if doubt.goes_on(c) {
                within.open.push((c, written.to_owned()));
                return;
            }
            self.finish();
            return self.push_within(c, written);
        }
        within.text.push(c);
        match escape(&within.text) {
            Escape::Open => within.open.push((c, written.to_owned())),
            Escape::Meant(meant) => {
                within.open.push((c, written.to_owned()));
                match Doubt::about(&within.text, meant, within.before) {
                    None => {
                        let all: String = within.open.drain(..).map(|(_, written)| written).collect();
                        self.keep_escaped(meant, &all);
                    }
                    doubt => within.doubt = doubt,
                }
            }
            Escape::None => {
                // Another may have begun within what looked like one.
                let next = within
                    .open
                    .iter()
                    .skip(1)
                    .position(|(c, _)| *c == '%')
                    .map_or(within.open.len(), |at| at + 1);
                let again = within.open.split_off(next);
                self.finish();
                again.iter().for_each(|(c, written)| self.push_within(*c, written));
                self.push_within(c, written);
            }
        }
    }

    /// Ends the text: an escape that is not complete is none.
    pub(crate) fn finish(&mut self) {
        let Some(within) = &mut self.within else { return };
        let mut open = std::mem::take(&mut within.open);
        if let Some(meant) = within.doubt.take().and_then(|doubt| doubt.meant(open.len())) {
            let written: String = open.drain(..meant.length).map(|(_, written)| written).collect();
            self.keep_escaped(meant.character, &written);
        }
        open.into_iter().for_each(|(c, written)| self.keep(c, &written));
    }

    /// Takes out the text up to a place: as it reads, and with the escapes within it.
    pub(crate) fn take(&mut self, to: usize) -> (String, String) {
        let length = to.saturating_sub(self.start).min(self.text().len());
        let taken = self.text()[..length].to_owned();
        let mut written = String::with_capacity(length);
        self.write(self.start + length, &mut written);
        (taken, decode(&written))
    }

    /// Leaves so many bytes behind.
    fn pass(&mut self, length: usize) {
        self.start += length;
        self.done += length;
        if self.done == self.kept.len() {
            self.kept.clear();
            self.done = 0;
        } else if self.done >= MOVE && self.done >= self.kept.len() / 2 {
            self.kept.drain(..self.done);
            self.done = 0;
        }
    }

    /// Takes all characters as one text; `written` says what an escape stands for where it must stay as it was written.
    pub(crate) fn drain(&mut self, out: &mut String, written: impl Fn(char) -> bool) {
        let (mut from, text) = (0, &self.kept[self.done..]);
        for escape in self.escapes.drain(..) {
            let at = escape.at - self.start;
            let Some(c) = text[at..].chars().next().filter(|c| written(*c)) else { continue };
            out.push_str(&text[from..at]);
            out.push_str(escape.written.as_str());
            from = at + c.len_utf8();
        }
        out.push_str(&text[from..]);
        self.pass(self.kept.len() - self.done);
    }

    /// Takes the text up to a place and writes it as it was written.
    pub(crate) fn write(&mut self, to: usize, out: &mut String) {
        let to = to.clamp(self.start, self.end());
        let mut from = self.start;
        while let Some(escape) = self.escapes.front().filter(|escape| escape.at < to) {
            let (text, at) = (self.text(), escape.at - self.start);
            write_plain(&text[from - self.start..at], out);
            out.push_str(escape.written.as_str());
            from = escape.at + text[at..].chars().next().map_or(0, char::len_utf8);
            self.escapes.pop_front();
        }
        write_plain(&self.text()[from - self.start..to.max(from) - self.start], out);
        self.pass(to - self.start);
    }
}

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
    source.kept
}

/// The same with the escapes within it read: as masks read it, and the rules of streams.
pub(crate) fn meant(inner: &str) -> String {
    let (mut decoder, mut source) = (Decoder::default(), Source::of_text());
    let _ = decoder.read(inner, &mut source);
    let _ = decoder.finish(&mut source);
    source.kept
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
