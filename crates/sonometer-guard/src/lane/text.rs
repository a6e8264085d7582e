//! A lane of text for people, or of one value within tool arguments.

use super::Context;
use super::arguments::LONGEST_CALLED;
use super::judge::{Judging, Measuring, note};
use crate::blocked::{Blocked, Kind};
use crate::guard::Compiled;
use crate::json::Source;
use crate::json::string::{Decoder, NotJson, decode, write_plain};
use crate::moves::Moves;
use crate::numbering::{label_of, typed, untyped};
use crate::policy::{Action, On, Role};
use crate::side::Side;
use crate::written::{Begins, STARTS, begins};
use sonometer::{Event, Session, Step};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct TextLane {
    side: Arc<Side>,
    role: Role,
    /// Begins with the first text that is read before the end is known.
    session: Option<Session>,
    judging: Vec<Judging>,
    measuring: Vec<Measuring>,
    decoder: Decoder,
    source: Source,
    /// Up to where the session has read.
    read: usize,
    /// What is to be hidden, in order.
    spans: VecDeque<(Range<usize>, String)>,
    /// Up to where masks are known.
    masked_to: usize,
    taken: usize,
    restores: bool,
    is_unchanged: bool,
    moves: Moves,
}

impl TextLane {
    pub(crate) fn new(compiled: &Compiled, on: On, role: Role) -> Self {
        let side = Arc::clone(compiled.side(on, role));
        Self {
            role,
            session: None,
            judging: Vec::new(),
            measuring: Vec::new(),
            decoder: Decoder::default(),
            source: Source::of_text(),
            read: 0,
            spans: VecDeque::new(),
            masked_to: 0,
            taken: 0,
            restores: on == On::Response && compiled.policy.placeholders,
            is_unchanged: false,
            moves: Moves::default(),
            side,
        }
    }

    /// The same with the rules that end answers; and, if it is said to the person, with those that measure it.
    pub(crate) fn judged(mut self, compiled: &Compiled, is_said: bool) -> Result<Self, Blocked> {
        for at in &self.side.judges {
            let judge = &compiled.judges[*at];
            match judge.action {
                Action::Block => self.judging.push(Judging::of(judge, compiled.policy.limits)?),
                _ if is_said => self.measuring.push(Measuring::of(*at, judge)?),
                _ => {}
            }
        }
        Ok(self)
    }

    /// Has the rules that end answers read all of a text that is not masked here, such as a number.
    pub(crate) fn judge(mut self, text: &str) -> Result<(), Blocked> {
        self.judging.iter_mut().try_for_each(|judging| {
            judging.push(text)?;
            judging.finish()
        })
    }

    /// The same for a value within JSON, which may be JSON itself.
    pub(crate) fn value(self) -> Self {
        Self { source: Source::of_value(), ..self }
    }

    /// The same for what comes behind so many spaces, which have been shown.
    pub(crate) fn behind(mut self, spaces: usize) -> Self {
        self.moves.keep(&" ".repeat(spaces));
        self
    }

    /// The same for text that must not be changed.
    pub(crate) fn unchanged(self) -> Self {
        Self { restores: false, is_unchanged: true, ..self }
    }

    /// Where the text moved to, as far as it has been shown.
    pub(crate) fn moves(&self) -> &Moves {
        &self.moves
    }

    pub(crate) fn held(&self) -> usize {
        self.source.held() + self.decoder.held()
    }

    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// Whether the next character belongs to an escape.
    pub(crate) fn is_within_escape(&self) -> bool {
        self.decoder.is_within()
    }

    /// All of the text, if it is a number of which nothing has been read yet: the name beside it may say what it is.
    pub(crate) fn digits(&self) -> Option<&str> {
        let text = self.source.text();
        let is_number =
            (1..=LONGEST_CALLED).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        (is_number && self.read == 0 && self.source.start() == 0 && self.decoder.held() == 0).then_some(text)
    }

    /// The text was cut off: an escape that is not complete is no text.
    pub(crate) fn leave_escape(&mut self) {
        if self.is_within_escape() {
            self.decoder = Decoder::default();
        }
    }

    pub(crate) fn push(
        &mut self,
        raw: &str,
        context: &mut Context<'_>,
        out: &mut String,
    ) -> Result<(), Blocked> {
        self.take(raw)?;
        self.flow(context, out)
    }

    /// Takes text with its escapes. It is read with the next [`Self::flow`], or at the end.
    pub(crate) fn take(&mut self, raw: &str) -> Result<(), Blocked> {
        self.taken += raw.len();
        self.decoder.read(raw, &mut self.source).map_err(|NotJson| not_json())
    }

    /// Reads what was taken, and adds what may be shown of it.
    pub(crate) fn flow(&mut self, context: &mut Context<'_>, out: &mut String) -> Result<(), Blocked> {
        let new = &self.source.text()[self.read - self.source.start()..];
        if new.is_empty() {
            return Ok(());
        }
        self.read = self.source.end();
        if self.session.is_none() {
            self.session = self.side.session();
        }
        match &mut self.session {
            Some(session) => {
                let step = session.push(new.as_bytes()).map_err(|error| engine(&error))?;
                let at = step.released_to.offset;
                queue(&mut self.spans, step);
                self.masked_to = at;
            }
            None => self.masked_to = self.read,
        }
        if self.waits(context) {
            return Ok(());
        }
        for measuring in &mut self.measuring {
            measuring.push(new)?;
        }
        let mut to = self.masked_to;
        for judging in &mut self.judging {
            to = to.min(judging.push(new)?);
        }
        self.show(to, true, context, out)
    }

    /// Whether nothing is shown before the end: values that have numbers are looked for in all of a request.
    fn waits(&self, context: &Context<'_>) -> bool {
        self.side.is_request && context.compiled.policy.placeholders
    }

    pub(crate) fn finish(&mut self, context: &mut Context<'_>, out: &mut String) -> Result<(), Blocked> {
        self.decoder.finish(&mut self.source).map_err(|NotJson| not_json())?;
        if self.read == 0 && self.judging.is_empty() && self.measuring.is_empty() {
            // The text came as a whole, which a session would read twice: once to let go of it early, once at its end.
            let found = self.side.found(self.source.text()).map_err(|error| engine(&error))?;
            self.spans = found.into();
        } else {
            self.flow(context, out)?;
        }
        if let Some(session) = &mut self.session {
            let step = session.end().map_err(|error| engine(&error))?;
            queue(&mut self.spans, step);
        }
        for judging in &mut self.judging {
            judging.finish()?;
        }
        for mut measuring in std::mem::take(&mut self.measuring) {
            if self.read > 0 {
                let reading = measuring.finish()?;
                note(&context.compiled.judges[measuring.rule], On::Response, &reading, context.report);
            }
        }
        self.masked_to = self.source.end();
        if self.waits(context) {
            self.find_known(context);
        }
        self.show(self.masked_to, false, context, out)?;
        // One whole text has one session; what it held is not needed any more.
        self.session = None;
        Ok(())
    }

    /// Adds what the request shows of values that have placeholders already, and of placeholders that somebody typed. Nothing of the text
    /// has been passed on.
    fn find_known(&mut self, context: &mut Context<'_>) {
        let text = self.source.text();
        let mut more = context.numbering.find(text, self.role == Role::Assistant);
        more.extend(typed(text));
        more.sort_by_key(|(place, _)| place.start);
        self.spans = merge(std::mem::take(&mut self.spans), more).into();
    }

    /// Passes text on up to a place. `more`: it may still go on.
    fn show(
        &mut self,
        to: usize,
        more: bool,
        context: &mut Context<'_>,
        out: &mut String,
    ) -> Result<(), Blocked> {
        while let Some((span, _)) = self.spans.front() {
            if span.end > to && more || span.start > to {
                break;
            }
            let span = span.clone();
            let Some((_, shown)) = self.spans.pop_front() else { break };
            self.keep(span.start, false, context, out);
            if self.is_unchanged {
                let message = "a mask found something in text that is signed and must not be changed; ask the provider to leave its thinking \
                               (or a summary of the conversation) out, or set `thinking = \"pass\"`";
                return Err(Blocked::new(Kind::Unmaskable, message));
            }
            let (hidden, came) = self.source.take(span.end);
            self.hide(&shown, &hidden, &came, context, out);
        }
        // A span that begins before `to` and ends behind it waits as a whole.
        let to = self.spans.front().map_or(to, |(span, _)| span.start.min(to));
        self.keep(to, more, context, out);
        Ok(())
    }

    fn hide(&mut self, shown: &str, hidden: &str, came: &str, context: &mut Context<'_>, out: &mut String) {
        match self.side.is_request {
            true => context.report.masked_request += 1,
            false => context.report.masked_answer += 1,
        }
        let name: String;
        let typed_so = as_typed(hidden, came).filter(|(sent, _)| sent == shown);
        let by = if let Some((_, as_written)) = &typed_so {
            as_written
        } else if let Some(text) = self.side.text(shown) {
            text
        } else if self.side.is_numbered && label_of(shown).is_some() {
            let keep = self.side.is_request && context.compiled.policy.placeholders;
            name = context.numbering.name(shown, hidden, keep);
            &name
        } else {
            shown
        };
        self.put(by, out);
        self.moves.change(came, by);
    }

    /// Passes text on as it is, up to a place.
    fn pass(&mut self, to: usize, out: &mut String) {
        let from = out.len();
        self.source.write(to, out);
        // Escapes within it, such as `\u0040`, are shown as they came.
        let written = &out[from..];
        self.moves.keep(&if written.contains('\\') {
            decode(written).into()
        } else {
            Cow::Borrowed(written)
        });
    }

    /// Writes text of ours; where the text around it is JSON itself, with its escapes.
    fn put(&self, text: &str, out: &mut String) {
        if self.source.is_json() {
            let mut within = String::with_capacity(text.len());
            write_plain(text, &mut within);
            write_plain(&within, out);
        } else {
            write_plain(text, out);
        }
    }

    /// Passes text on as it is, with placeholders restored.
    fn keep(&mut self, to: usize, more: bool, context: &mut Context<'_>, out: &mut String) {
        if !self.restores || context.numbering.is_empty() {
            self.pass(to, out);
            return;
        }
        loop {
            let start = self.source.start();
            let text = &self.source.text()[..to.saturating_sub(start)];
            let Some(at) = text.find(STARTS) else { break };
            let rest = &text[at..];
            let written = match begins(rest) {
                Begins::With(written) => written,
                // What may still become a placeholder waits.
                Begins::Perhaps(plain) if more && context.numbering.may_become_one(&plain) => {
                    self.pass(start + at, out);
                    return;
                }
                _ => {
                    self.pass(start + at + 1, out);
                    continue;
                }
            };
            let known = context.numbering.value(&written.plain).map(|value| written.style.write(value));
            let is_known = known.is_some();
            match known.or_else(|| untyped(rest, &written)) {
                Some(mut value) => {
                    self.pass(start + at, out);
                    let (_, placeholder) = self.source.take(start + at + written.close.end);
                    // With the escapes of Markdown in it.
                    if !is_known && let Begins::With(written) = begins(&placeholder) {
                        value = untyped(&placeholder, &written).unwrap_or(value);
                    }
                    context.report.restored += 1;
                    self.put(&value, out);
                    self.moves.change(&placeholder, &value);
                }
                None => self.pass(start + at + 1, out),
            }
        }
        self.pass(to, out);
    }
}

/// What is sent instead of what somebody typed with escapes in it, such as `<EMAIL\_1>`: without them, and with them.
fn as_typed(text: &str, written: &str) -> Option<(String, String)> {
    if text == written {
        return None;
    }
    let sent = |text: &str| {
        typed(text).into_iter().find(|(place, _)| *place == (0..text.len())).map(|(_, sent)| sent)
    };
    Some((sent(text)?, sent(written)?))
}

/// Spans that rules found with further ones, both in order. A further one takes the place of those within it; where it touches one that
/// reaches beyond it, such as an address that begins with a name, it is left out.
fn merge(
    mut found: VecDeque<(Range<usize>, String)>,
    more: Vec<(Range<usize>, String)>,
) -> Vec<(Range<usize>, String)> {
    let mut all: Vec<(Range<usize>, String)> = Vec::with_capacity(found.len() + more.len());
    for (place, by) in more {
        while found.front().is_some_and(|(other, _)| other.end <= place.start) {
            all.extend(found.pop_front());
        }
        let holds = |other: &Range<usize>| place.start <= other.start && other.end <= place.end;
        let is_before = all.last().is_some_and(|(other, _)| place.start < other.end);
        let within = found.iter().take_while(|(other, _)| other.start < place.end).count();
        let last = all.last().filter(|_| is_before);
        if last.is_some_and(|(other, _)| !holds(other))
            || found.range(..within).any(|(other, _)| !holds(other))
        {
            continue;
        }
        if is_before {
            all.pop();
        }
        found.drain(..within);
        all.push((place, by));
    }
    all.extend(found);
    all
}

fn queue(spans: &mut VecDeque<(Range<usize>, String)>, step: Step) {
    let masks = step.events.into_iter().filter_map(|event| match event {
        Event::Mask { start, end, shown, .. } => Some((start..end, shown)),
        _ => None,
    });
    spans.extend(masks);
}

fn not_json() -> Blocked {
    Blocked::new(Kind::Unreadable, "a text with an escape that is no JSON")
}

pub(super) fn engine(error: &sonometer::Error) -> Blocked {
    // Messages of the engine about texts hold places and sizes, no text.
    Blocked::new(Kind::Engine, error.code.as_str())
}
