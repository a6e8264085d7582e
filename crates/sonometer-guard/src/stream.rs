//! The events of an answer: frames in, frames out.

use crate::blocked::{Blocked, Kind};
use crate::exchange::{Exchange, allowed};
use crate::form::Form;
use crate::form::anthropic::Messages;
use crate::form::chat::Chat;
use crate::form::responses::Responses;
use crate::guard::Judge;
use crate::json::Edits;
use crate::lane::{Context, Lane, Manner};
use crate::moves::Moves;
use crate::policy::{Action, On, Role};
use crate::report::Report;
use crate::schema::{Schema, Schemas};
use crate::sse::{Frame, Frames};
use crate::values::{Numbers, Values};
use crate::walk::{Known, Walk};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// What becomes of a frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    AsItIs,
    With(String),
    Nothing,
}

/// An answer that comes in as events. After an error nothing more comes out of it.
pub struct Stream {
    exchange: Exchange,
    frames: Frames,
    state: State,
    lanes: Lanes,
    is_over: bool,
    error: Option<Blocked>,
    is_guarded: bool,
    has_begun: bool,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

enum State {
    Chat(Chat),
    Messages(Messages),
    Responses(Responses),
}

/// The name of a lane: the choice, block or item, and what of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) of: u32,
    pub(crate) field: &'static str,
    /// The number of a tool call, part or summary.
    pub(crate) part: u32,
}

impl Key {
    /// Whether it is what the model says to the person, of which `response_format` and the like speak.
    fn is_content(self) -> bool {
        matches!(self.field, "content" | "text" | "response.output_text")
    }
}

/// So many texts, choices and blocks may come in one stream: something is kept of each.
const MOST_TEXTS: usize = 65_536;

/// Whether there are too many texts, choices or blocks.
pub(crate) fn check_number(number: usize) -> Result<(), Blocked> {
    match number > MOST_TEXTS {
        true => Err(Blocked::new(Kind::TooLarge, format!("a stream has more than {MOST_TEXTS} texts"))),
        false => Ok(()),
    }
}

/// The lanes that are open, in the order in which they began.
#[derive(Default)]
pub(crate) struct Lanes {
    all: Vec<(Key, Lane)>,
    /// The schemas of tools that are called, by choice, block or item, and number.
    tools: HashMap<(u32, u32), Arc<Schema>>,
    /// Texts that a form repeats as a whole.
    pub(crate) known: Known,
    /// How many there were.
    begun: usize,
    /// The bytes of all of them.
    bytes: usize,
    /// Where what was said to the person moved to, of lanes that have ended.
    moved: HashMap<Key, Moves>,
}

impl Lanes {
    /// Takes the next part of a lane, which begins with it.
    pub(crate) fn push(
        &mut self,
        key: Key,
        manner: Manner,
        schemas: &Schemas,
        raw: &str,
        context: &mut Context<'_>,
        out: &mut String,
    ) -> Result<(), Blocked> {
        context.count(raw, On::Response, Role::Assistant)?;
        self.bytes += raw.len();
        // As many as a whole answer may have.
        let most = context.compiled.policy.limits.body_bytes;
        if self.bytes > most {
            let message = format!("the texts of an answer have more than {most} bytes (limits.body_bytes)");
            return Err(Blocked::new(Kind::TooLarge, message));
        }
        let at = match self.all.iter().position(|(known, _)| *known == key) {
            Some(at) => at,
            None => {
                let most = context.compiled.policy.limits.lanes;
                if self.all.len() >= most {
                    let message = format!("more than {most} texts come in side by side (limits.lanes)");
                    return Err(Blocked::new(Kind::TooLarge, message));
                }
                self.begun += 1;
                check_number(self.begun)?;
                let schema = match manner {
                    Manner::Arguments if key.is_content() => schemas.content(),
                    Manner::Arguments => self.tools.get(&(key.of, key.part)).cloned(),
                    _ => None,
                };
                let is_said = key.is_content();
                let lane = Lane::new(context, On::Response, Role::Assistant, manner, is_said, schema)?;
                self.all.push((key, lane));
                self.all.len() - 1
            }
        };
        self.all[at].1.push(raw, context, out)
    }

    /// Ends a lane, if it is open.
    pub(crate) fn finish(
        &mut self,
        key: Key,
        context: &mut Context<'_>,
        out: &mut String,
    ) -> Result<(), Blocked> {
        match self.all.iter().position(|(known, _)| *known == key) {
            Some(at) => {
                let mut lane = self.all.remove(at).1;
                lane.finish(context, out)?;
                if key.is_content() {
                    self.moved.insert(key, lane.moves(true));
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Where the text of a lane moved to, as far as it has been shown; `None` where this is not yet known up to a place.
    pub(crate) fn moves(&self, key: Key, to: usize) -> Option<Moves> {
        if let Some((_, lane)) = self.all.iter().find(|(known, _)| *known == key) {
            return Some(lane.moves(false)).filter(|moves| moves.reaches(to));
        }
        match self.moved.get(&key) {
            Some(moves) => Some(moves.clone()),
            None => (to == 0).then(Moves::default),
        }
    }

    /// The open lanes of a choice, block or item.
    pub(crate) fn of(&self, of: u32) -> Vec<Key> {
        self.all.iter().map(|(key, _)| *key).filter(|key| key.of == of).collect()
    }

    /// All open lanes.
    pub(crate) fn open(&self) -> Vec<Key> {
        self.all.iter().map(|(key, _)| *key).collect()
    }

    /// Forgets what a rule ended.
    pub(crate) fn drop_of(&mut self, of: u32) {
        self.all.retain(|(key, _)| key.of != of);
    }
}

impl Stream {
    pub(crate) fn new(exchange: Exchange) -> Self {
        let state = match exchange.form {
            Form::Messages => State::Messages(Messages::default()),
            Form::Responses => State::Responses(Responses::default()),
            Form::Chat | Form::Completions | Form::Embeddings => State::Chat(Chat::new(exchange.form)),
        };
        let is_guarded = exchange.guards_answers();
        // It may begin in the middle of a text, and nothing says whether that is JSON.
        let error = (exchange.is_stored && is_guarded).then(|| {
            let message = "a stored answer cannot be read as a stream; ask for it without `stream`";
            Blocked::new(Kind::Unknown, message).in_answer()
        });
        Self {
            exchange,
            frames: Frames::default(),
            state,
            lanes: Lanes::default(),
            is_over: false,
            error,
            is_guarded,
            has_begun: false,
        }
    }

    /// Takes bytes of the answer, cut anywhere, and adds to `out` what may be shown.
    ///
    /// # Errors
    /// What must not be shown. Send [`Blocked::event`] then, and stop the upstream; `out` has what was let through before.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Blocked> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        if !self.is_guarded {
            out.extend_from_slice(bytes);
            return Ok(());
        }
        self.frames.push(bytes);
        let most = self.exchange.compiled.policy.limits.frame_bytes;
        // The frames are taken out while one is read, which borrows from them.
        let mut frames = std::mem::take(&mut self.frames);
        let result = loop {
            match frames.next(most) {
                Ok(Some(frame)) => {
                    if let Err(blocked) = self.frame(frame, out) {
                        break Err(blocked);
                    }
                }
                Ok(None) => break Ok(()),
                Err(blocked) => break Err(blocked),
            }
        };
        self.frames = frames;
        result.map_err(|blocked| self.fail(blocked))
    }

    /// Ends the answer.
    ///
    /// # Errors
    /// As [`Self::push`]; also if the upstream ended in the middle of it, which clients would take for its end.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Blocked> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        if !self.is_guarded || self.is_over {
            return Ok(());
        }
        let mut frames = std::mem::take(&mut self.frames);
        let rest = frames.rest();
        let result = match rest.iter().all(u8::is_ascii_whitespace) {
            true => Ok(()),
            false => self.frame(rest, out),
        };
        let is_done = match &self.state {
            State::Chat(chat) => chat.is_done(),
            State::Messages(messages) => messages.is_done(),
            State::Responses(responses) => responses.is_done(),
        };
        let result = match result {
            Ok(()) if is_done => Ok(()),
            // The last event may be cut too, and cannot be read then.
            Err(blocked) if blocked.kind != Kind::Unreadable => Err(blocked),
            _ => Err(Blocked::new(Kind::Cut, "the answer ended before it was complete")),
        };
        result.map_err(|blocked| self.fail(blocked))
    }

    /// The bytes of an event whose end has not come.
    pub fn waiting(&self) -> usize {
        self.frames.waiting()
    }

    /// Whether nothing more will come out: the upstream can be left.
    pub fn is_over(&self) -> bool {
        self.is_over || self.error.is_some()
    }

    /// What has been done so far.
    pub fn report(&self) -> &Report {
        self.exchange.report()
    }

    pub(crate) fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    fn fail(&mut self, blocked: Blocked) -> Blocked {
        let blocked = blocked.in_answer();
        self.error = Some(blocked.clone());
        self.lanes = Lanes::default();
        blocked
    }

    fn frame(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Blocked> {
        if self.is_over {
            return Ok(());
        }
        // Clients skip a byte order mark before the first line, so that what stands behind it is data.
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let frame =
            Frame::read(if is_first { bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes) } else { bytes })?;
        let Some(data) = frame.data.as_deref().filter(|data| !data.trim().is_empty()) else {
            // Comments keep connections alive.
            frame.write(out);
            return Ok(());
        };
        let is_past = match &self.state {
            State::Chat(chat) => chat.is_past_end(),
            State::Messages(messages) => messages.is_done(),
            State::Responses(responses) => responses.is_past_end() && data.trim() != "[DONE]",
        };
        // No client of a provider reads on, and what stands there would be read without what it goes on with.
        if is_past {
            return Ok(());
        }
        let mut values = Values::new(&self.exchange.compiled.policy.limits);
        values.count(data, Numbers::of(self.exchange.form, On::Response))?;
        self.exchange.note_id(data);
        let exchange = &mut self.exchange;
        let mut context = Context {
            compiled: &exchange.compiled,
            numbering: &mut exchange.numbering,
            report: &mut exchange.report,
            documents: &mut exchange.documents,
            values,
        };
        let mut event = Event {
            form: exchange.form,
            is_json: exchange.is_json,
            schemas: &exchange.schemas,
            lanes: &mut self.lanes,
            context: &mut context,
            before: Vec::new(),
        };
        let shown = match &mut self.state {
            State::Chat(chat) => chat.event(data, &mut event),
            State::Messages(messages) => messages.event(data, &mut event),
            State::Responses(responses) => responses.event(data, &mut event),
        };
        out.extend_from_slice(&event.before);
        match shown? {
            Shown::AsItIs => frame.write(out),
            Shown::With(data) => frame.write_with(&data, out),
            Shown::Nothing => {}
        }
        if let State::Messages(messages) = &self.state {
            self.is_over = messages.is_ended();
        }
        Ok(())
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("exchange", &self.exchange).finish_non_exhaustive()
    }
}

/// Whether a rule ends answers: what comes whole in an event is no lane, which reads its rules itself.
fn ends_answers(judge: &Judge) -> bool {
    judge.action == Action::Block && judge.on != On::Request
}

/// What a form has at hand for one event.
pub(crate) struct Event<'e, 'c> {
    pub(crate) form: Form,
    pub(crate) is_json: bool,
    schemas: &'e Schemas,
    pub(crate) lanes: &'e mut Lanes,
    pub(crate) context: &'e mut Context<'c>,
    /// Frames that go out before this one.
    pub(crate) before: Vec<u8>,
}

impl<'c> Event<'_, 'c> {
    /// Masks members of an event as they are; `walk` names them.
    pub(crate) fn walk<'j>(
        &mut self,
        edits: Edits<'j>,
        walk: impl FnOnce(&mut Walk<'_, 'c, 'j>) -> Result<(), Blocked>,
    ) -> Result<Edits<'j>, Blocked> {
        self.walk_moved(edits, Moves::default(), walk)
    }

    /// The same with citations of a text that moved.
    pub(crate) fn walk_moved<'j>(
        &mut self,
        edits: Edits<'j>,
        moves: Moves,
        walk: impl FnOnce(&mut Walk<'_, 'c, 'j>) -> Result<(), Blocked>,
    ) -> Result<Edits<'j>, Blocked> {
        let compiled = self.context.compiled;
        let mut all = Walk {
            form: self.form,
            on: On::Response,
            context: self.context,
            edits,
            read: compiled.judges.iter().any(ends_answers).then(Vec::new),
            known: Some(&self.lanes.known),
            is_json: self.is_json,
            schemas: Some(self.schemas).filter(|schemas| !schemas.is_empty()),
            may_drop: true,
            follows: None,
            moves,
        };
        walk(&mut all)?;
        let (edits, read) = (all.edits, all.read.unwrap_or_default());
        for said in &read {
            for judge in compiled.judges.iter().filter(|judge| ends_answers(judge)) {
                allowed(judge, &[(said.role, &said.text)])?;
            }
        }
        Ok(edits)
    }

    /// Takes the next part of a lane.
    pub(crate) fn push(
        &mut self,
        key: Key,
        manner: Manner,
        raw: &str,
        out: &mut String,
    ) -> Result<(), Blocked> {
        self.lanes.push(key, manner, self.schemas, raw, self.context, out)
    }

    /// A tool is called in this place.
    pub(crate) fn calls(&mut self, of: u32, part: u32, name: Option<&str>) -> Result<(), Blocked> {
        if let Some(schema) = name.and_then(|name| self.schemas.tool(name)) {
            self.lanes.tools.insert((of, part), schema);
            check_number(self.lanes.tools.len())?;
        }
        Ok(())
    }

    /// Ends a lane: the rest of it.
    pub(crate) fn finish(&mut self, key: Key) -> Result<String, Blocked> {
        let mut rest = String::new();
        self.lanes.finish(key, self.context, &mut rest)?;
        Ok(rest)
    }

    /// How content is read.
    pub(crate) fn content(&self) -> Manner {
        if self.is_json { Manner::Arguments } else { Manner::Text }
    }
}
