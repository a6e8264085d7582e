//! A text that came in, as it reads and as it was written, until it is passed on.

use super::escapes::Escapes;
use super::string::{decode, write_plain};
use super::within::{BEGINS, Doubt, Escape, escape};

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
    escapes: Escapes,
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

    /// The text, of which nothing has been passed on.
    pub(super) fn into_text(self) -> String {
        self.kept
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
        self.text().len() + self.escapes.held() + within
    }

    /// Whether the text begins as JSON does, so that what is put into it is read as JSON once more.
    pub(crate) fn is_json(&self) -> bool {
        self.within.as_ref().is_some_and(|within| within.is_json == Some(true))
    }

    /// Adds text without escapes.
    pub(super) fn push_str(&mut self, text: &str) {
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

    pub(super) fn push(&mut self, c: char) {
        match self.within {
            None => self.kept.push(c),
            Some(_) => self.push_within(c, c.encode_utf8(&mut [0; 4])),
        }
    }

    pub(super) fn push_escaped(&mut self, c: char, written: &str) {
        match self.within {
            None => self.keep_escaped(c, written),
            Some(_) => self.push_within(c, written),
        }
    }

    fn keep_escaped(&mut self, c: char, written: &str) {
        if let Some(within) = &mut self.within {
            within.before = Some(c);
        }
        self.escapes.push(self.end(), written);
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
        while let Some((at, escape)) = self.escapes.take() {
            let at = at - self.start;
            let Some(c) = text[at..].chars().next().filter(|c| written(*c)) else { continue };
            out.push_str(&text[from..at]);
            out.push_str(escape);
            from = at + c.len_utf8();
        }
        out.push_str(&text[from..]);
        self.pass(self.kept.len() - self.done);
    }

    /// Takes the text up to a place and writes it as it was written.
    pub(crate) fn write(&mut self, to: usize, out: &mut String) {
        let to = to.clamp(self.start, self.end());
        let mut from = self.start;
        let text = &self.kept[self.done..];
        while let Some((at, escape)) = self.escapes.take_before(to) {
            write_plain(&text[from - self.start..at - self.start], out);
            out.push_str(escape);
            from = at + text[at - self.start..].chars().next().map_or(0, char::len_utf8);
        }
        write_plain(&self.text()[from - self.start..to.max(from) - self.start], out);
        self.pass(to - self.start);
    }
}
