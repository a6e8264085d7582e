//! Server-sent events: frames out of bytes that may be cut anywhere, and frames with other data.

use crate::blocked::{Blocked, Kind};
use memchr::memchr2;
use std::borrow::Cow;

/// Cuts bytes into frames, each with the empty line that ends it.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    /// Up to where no end was found.
    looked: usize,
    /// Where the line begins that `looked` is in.
    line: usize,
    /// The beginning that has been given out.
    done: usize,
}

impl Frames {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.done > 0 {
            self.bytes.drain(..self.done);
            self.looked -= self.done;
            self.line -= self.done;
            self.done = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame.
    ///
    /// # Errors
    /// If it has more bytes than `most`.
    pub(crate) fn next(&mut self, most: usize) -> Result<Option<&[u8]>, Blocked> {
        while self.looked < self.bytes.len() {
            let rest = &self.bytes[self.looked..];
            let at = end_of_line(rest);
            self.looked += at;
            let length = match rest[at..] {
                [b'\n', ..] => 1,
                // A carriage return alone ends a line too; whether a line feed belongs to it shows with the next byte.
                [b'\r', b'\n', ..] => 2,
                [b'\r', _, ..] => 1,
                _ => break,
            };
            let is_empty = self.line == self.looked;
            self.looked += length;
            self.line = self.looked;
            if is_empty {
                let frame = self.done..self.looked;
                self.done = self.looked;
                return if frame.len() > most { Err(too_large(most)) } else { Ok(Some(&self.bytes[frame])) };
            }
        }
        if self.bytes.len() - self.done > most { Err(too_large(most)) } else { Ok(None) }
    }

    /// The bytes that have not been given out.
    pub(crate) fn waiting(&self) -> usize {
        self.bytes.len() - self.done
    }

    /// What is left at the end: a frame without its empty line.
    pub(crate) fn rest(&mut self) -> &[u8] {
        let from = std::mem::replace(&mut self.done, self.bytes.len());
        (self.looked, self.line) = (self.bytes.len(), self.bytes.len());
        &self.bytes[from..]
    }
}

fn too_large(most: usize) -> Blocked {
    Blocked::new(Kind::TooLarge, format!("an event has more than {most} bytes (limits.frame_bytes)"))
}

/// A frame as it reads.
#[derive(Debug)]
pub(crate) struct Frame<'f> {
    text: &'f str,
    /// The data, its lines put together; `None` if it has none.
    pub(crate) data: Option<Cow<'f, str>>,
    /// Whether it has nothing but data and names.
    is_clean: bool,
}

impl<'f> Frame<'f> {
    /// Reads a frame.
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub(crate) fn read(bytes: &'f [u8]) -> Result<Self, Blocked> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Blocked::new(Kind::Unreadable, "an event that is not UTF-8"))?;
        let mut data: Option<Cow<'f, str>> = None;
        let mut is_clean = true;
        for (line, _) in lines(text) {
            let Some(more) = data_of(line) else {
                is_clean &= is_name(line);
                continue;
            };
            match &mut data {
                None => data = Some(Cow::Borrowed(more)),
                Some(before) => {
                    let before = before.to_mut();
                    before.push('\n');
                    before.push_str(more);
                }
            }
        }
        Ok(Self { text, data, is_clean })
    }

    /// The frame as it came, but for text that is no data: comments lose it, and lines that no client reads are left out.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        if self.is_clean {
            out.extend_from_slice(self.text.as_bytes());
            return;
        }
        for (line, end) in lines(self.text) {
            if data_of(line).is_some() {
                out.extend_from_slice(line.as_bytes());
                out.extend_from_slice(end.as_bytes());
            } else {
                write_name(line, end, out);
            }
        }
    }

    /// The same frame with other data.
    pub(crate) fn write_with(&self, data: &str, out: &mut Vec<u8>) {
        let mut is_written = false;
        for (line, end) in lines(self.text) {
            if data_of(line).is_none() {
                write_name(line, end, out);
            } else if !std::mem::replace(&mut is_written, true) {
                write_data(data, end, out);
            }
        }
    }
}

/// Whether a line without data is a name, a number or empty: what a text could not stand in.
fn is_name(line: &str) -> bool {
    let Some((field, value)) = line.split_once(':') else {
        return matches!(line, "" | "event" | "id" | "retry");
    };
    let value = value.strip_prefix(' ').unwrap_or(value);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b':');
    match field {
        "" => value.is_empty(),
        // The number of a card is no time to wait.
        "retry" => value.len() <= 8 && value.bytes().all(|byte| byte.is_ascii_digit()),
        "event" | "id" => {
            let digits = value.bytes().filter(u8::is_ascii_digit).count();
            let is_number =
                digits > 8 && (field == "event" || !value.bytes().any(|byte| byte.is_ascii_alphabetic()));
            value.len() <= 128 && value.bytes().all(is_plain) && !is_number
        }
        _ => false,
    }
}

fn write_name(line: &str, end: &str, out: &mut Vec<u8>) {
    if is_name(line) {
        out.extend_from_slice(line.as_bytes());
        out.extend_from_slice(end.as_bytes());
    } else if line.starts_with(':') {
        // It keeps a connection alive.
        out.push(b':');
        out.extend_from_slice(end.as_bytes());
    }
}

fn write_data(data: &str, end: &str, out: &mut Vec<u8>) {
    // JSON may have line breaks between its tokens.
    let mut rest = Some(data.as_bytes());
    while let Some(data) = rest {
        let (line, more) = data.split_at(end_of_line(data));
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(line);
        out.extend_from_slice(if end.is_empty() { b"\n" } else { end.as_bytes() });
        rest = more.get(1..);
    }
}

/// An event of ours.
pub(crate) fn write_event(name: Option<&str>, data: &str, out: &mut Vec<u8>) {
    if let Some(name) = name {
        out.extend_from_slice(format!("event: {name}\n").as_bytes());
    }
    write_data(data, "\n", out);
    out.push(b'\n');
}

fn data_of(line: &str) -> Option<&str> {
    let data = line.strip_prefix("data")?;
    match data.strip_prefix(':') {
        Some(data) => Some(data.strip_prefix(' ').unwrap_or(data)),
        None => data.is_empty().then_some(""),
    }
}

/// Where the first line of a text ends.
fn end_of_line(text: &[u8]) -> usize {
    memchr2(b'\n', b'\r', text).unwrap_or(text.len())
}

/// The lines of a text with what ends each.
fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = end_of_line(rest.as_bytes());
        let end = if rest[at..].starts_with("\r\n") { 2 } else { usize::from(at < rest.len()) };
        let (line, end_of) = (&rest[..at], &rest[at..at + end]);
        rest = &rest[at + end..];
        Some((line, end_of))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(parts: &[&[u8]]) -> Vec<String> {
        let mut frames = Frames::default();
        let mut all = Vec::new();
        for part in parts {
            frames.push(part);
            while let Some(frame) = frames.next(1_000).expect("is small") {
                all.push(String::from_utf8_lossy(frame).into_owned());
            }
        }
        let rest = frames.rest();
        if !rest.is_empty() {
            all.push(String::from_utf8_lossy(rest).into_owned());
        }
        all
    }

    #[test]
    fn frames_are_the_same_however_they_are_cut() {
        let stream = ": hello\r\n\r\ndata: 1\ndata: 2\n\nevent: x\r\ndata:3\r\n\r\ndata: é\r\rdata: [DONE]\n\ndata: rest";
        let whole = frames(&[stream.as_bytes()]);
        assert_eq!(whole.concat(), stream);
        assert_eq!(whole.len(), 6);
        for cut in 0..=stream.len() {
            let (before, after) = stream.as_bytes().split_at(cut);
            assert_eq!(frames(&[before, after]), whole, "{cut}");
        }
        let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
        assert_eq!(frames(&bytes), whole);
    }

    #[test]
    fn data_may_be_replaced() {
        let frame = Frame::read(b"event: x\r\nid: 7\r\ndata: 1\r\ndata:2\r\n\r\n").expect("is text");
        assert_eq!(frame.data.as_deref(), Some("1\n2"));
        let mut out = Vec::new();
        frame.write_with("{}", &mut out);
        assert_eq!(out, b"event: x\r\nid: 7\r\ndata: {}\r\n\r\n");
        assert!(Frame::read(b": comment\n\n").expect("is text").data.is_none());
    }

    #[test]
    fn only_data_and_names_have_text() {
        let shown = |frame: &[u8]| {
            let mut out = Vec::new();
            Frame::read(frame).expect("is text").write(&mut out);
            String::from_utf8(out).expect("is text")
        };
        let clean = "event: message_start\nid: a-7\nretry: 10\ndata: 1\n\n";
        assert_eq!(shown(clean.as_bytes()), clean);
        let other =
            b": ann@example.org\r\nevent: ann@example.org\nretry: 4111111111111111\nid: 4111-1111-1111-1111\nevent: m2025550143\nother: x\n\xef\xbb\xbfdata: 2\ndata: 1\n\n";
        assert_eq!(shown(other), ":\r\ndata: 1\n\n");
    }

    #[test]
    fn frames_are_bounded() {
        let mut frames = Frames::default();
        frames.push(&[b'x'; 100]);
        assert!(frames.next(99).is_err());
    }
}
