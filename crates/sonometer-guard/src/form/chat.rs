//! Streams of OpenAI chat completions and of the older completions.

mod slots;

use super::Form;
use super::types;
use super::waiting::Waiting;
use crate::blocked::{Blocked, Kind};
use crate::exchange::given;
use crate::json::{Edits, List, Object, Shape, Wrong, inner, shape};
use crate::moves::last_place;
use crate::policy::Unknown;
use crate::sse::write_event;
use crate::stream::{Event, Key, Shown, check_number};
use crate::walk::unknown_member;
use serde_json::value::RawValue;
use slots::{Edit, Slots};
use std::collections::BTreeSet;

const CONTENT: &str = "content";
const TOOL: &str = "tool_calls";
const CUSTOM: &str = "custom";
const CALL: &str = "function_call";
const TRANSCRIPT: &str = "transcript";
const TEXT: &str = "text";
const CITATIONS: &str = "annotations";
/// Why a choice ended.
const REASONS: [&str; 4] = ["finish_reason", "native_finish_reason", "stop_reason", "content_filter_results"];
/// What Gemini adds to texts and calls: flags, and signatures that the next request has to bring. Whole in one chunk.
const EXTRA: &str = "extra_content";
/// Fields of a delta that are text; the last two are not in the SDK, and on the wire of many servers.
const TEXTS: [&str; 4] = [CONTENT, "refusal", "reasoning_content", "reasoning"];

/// Members of chunks beside the choices that stand whole in one chunk, where they hold texts.
const KNOWN: [&str; 7] =
    ["choices", "citations", "error", "images", "related_questions", "search_results", "usage"];
/// Members in which servers repeat what the model says in this chunk.
const SAID: [&str; 8] =
    ["completion", "content", "delta", "generated_text", "output", "response", "text", "token"];

/// Whether a member holds parts of what the model says, as `__verbose` of llama.cpp does. Such parts would be read without each other.
fn may_stream(name: &str, value: &RawValue, depth: usize) -> Result<bool, Blocked> {
    let is_text = shape(value) == Shape::Text && inner(value).is_some_and(|text| !text.is_empty());
    if is_text && SAID.contains(&name) {
        return Ok(true);
    }
    match shape(value) {
        Shape::Object if depth < 4 => {
            for (member, value) in &Object::read(value.get())?.0 {
                if may_stream(&member.name, value, depth + 1)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Shape::List if depth < 4 => {
            for item in &List::read(value.get())?.0 {
                if may_stream(name, item, depth + 1)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Shape::Object | Shape::List => Ok(true),
        _ => Ok(false),
    }
}

pub(crate) struct Chat {
    form: Form,
    /// The members that every chunk has, from the last one.
    header: Vec<(&'static str, String)>,
    seen: BTreeSet<u32>,
    finished: BTreeSet<u32>,
    /// Choices that a rule ended.
    ended: BTreeSet<u32>,
    waiting: Waiting,
    is_done: bool,
    /// `[DONE]` has come.
    is_past_end: bool,
}

impl Chat {
    pub(crate) fn new(form: Form) -> Self {
        Self {
            form,
            header: Vec::new(),
            seen: BTreeSet::new(),
            finished: BTreeSet::new(),
            ended: BTreeSet::new(),
            waiting: Waiting::default(),
            is_done: false,
            is_past_end: false,
        }
    }

    /// Whether nothing comes behind this.
    pub(crate) fn is_past_end(&self) -> bool {
        self.is_past_end
    }

    /// Whether the answer is complete: `[DONE]`, an error, or every choice with its reason, as not every server sends `[DONE]`.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done || !self.seen.is_empty() && self.seen.is_subset(&self.finished)
    }

    pub(crate) fn event(&mut self, data: &str, event: &mut Event<'_, '_>) -> Result<Shown, Blocked> {
        if data.trim() == "[DONE]" {
            for key in event.lanes.open() {
                self.flush(key, event)?;
            }
            for index in self.waiting.of() {
                self.cite(index, event)?;
            }
            if event.context.compiled.policy.final_event {
                let report = event.context.report.to_json();
                let data = self.chunk(&format!("\"choices\":[],\"sonometer\":{report}"));
                write_event(None, &data, &mut event.before);
            }
            (self.is_done, self.is_past_end) = (true, true);
            return Ok(Shown::AsItIs);
        }
        let chunk = Object::read(data)?;
        let mut edits = Edits::of(data);
        if given(&chunk, "error").is_some() {
            // What is held belongs to an answer that failed, and is not shown.
            self.is_done = true;
        }
        self.remember(&chunk);
        let mut is_empty = false;
        for (member, value) in &chunk.0 {
            match member.name.as_ref() {
                "choices" if shape(value) == Shape::List => {
                    let choices = List::read(value.get())?;
                    let mut swallowed = 0;
                    for choice in &choices.0 {
                        (edits, swallowed) = self.choice(choice, edits, event, swallowed)?;
                    }
                    is_empty = swallowed > 0 && swallowed == choices.0.len();
                }
                // It pads the sizes of chunks against eavesdroppers; that of another text pads nothing.
                "obfuscation" => edits.replace(value.get(), "\"\"".to_owned()),
                name if !KNOWN.contains(&name) && may_stream(name, value, 0)? => {
                    event.context.report.unknown += 1;
                    match event.context.compiled.policy.unknown {
                        Unknown::Block => return Err(unknown_member(name)),
                        Unknown::Drop => edits.replace(value.get(), "null".to_owned()),
                        Unknown::Pass => edits = event.walk(edits, |walk| walk.member(name, value))?,
                    }
                }
                name => edits = event.walk(edits, |walk| walk.member(name, value))?,
            }
        }
        if is_empty && chunk.get("usage").is_none_or(|usage| shape(usage) == Shape::Null) {
            return Ok(Shown::Nothing);
        }
        Ok(edits.apply().map_or(Shown::AsItIs, Shown::With))
    }

    fn remember(&mut self, chunk: &Object<'_>) {
        let names = ["id", "object", "created", "model", "service_tier", "system_fingerprint"];
        for name in names {
            let read =
                chunk.get(name).filter(|value| shape(value) != Shape::Text || types::is_opaque(name, value));
            let Some(value) = read.map(RawValue::get) else { continue };
            match self.header.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) if known == value => {}
                Some((_, known)) => value.clone_into(known),
                None => self.header.push((name, value.to_owned())),
            }
        }
    }

    /// A chunk of ours with the members that every chunk has.
    fn chunk(&self, rest: &str) -> String {
        let header = self.header.iter().map(|(name, value)| format!("\"{name}\":{value},"));
        format!("{{{}{rest}}}", header.collect::<String>())
    }

    fn choice<'j>(
        &mut self,
        value: &'j RawValue,
        edits: Edits<'j>,
        event: &mut Event<'_, '_>,
        swallowed: usize,
    ) -> Result<(Edits<'j>, usize), Blocked> {
        let choice = Object::read(value.get())?;
        let index = choice.index("index")?.unwrap_or(0);
        if self.ended.contains(&index) {
            return Ok((self.instead(value, edits, index, "null"), swallowed + 1));
        }
        self.seen.insert(index);
        check_number(self.seen.len())?;
        // Some servers give every chunk an empty one.
        let is_finished = choice.text("finish_reason").is_some_and(|reason| !reason.is_empty());
        // A rule may end this choice: its edits are thrown away then.
        let mut own = Vec::new();
        let mut read = self.members(&choice, index, is_finished, &mut own, event);
        if is_finished && read.is_ok() {
            read = self.end(index, event);
        }
        match read {
            Ok(()) => {}
            // T12: one of several choices ends, and the others go on.
            Err(blocked) if blocked.kind == Kind::Rule => {
                event.lanes.drop_of(index);
                self.waiting.take(content(index));
                event.context.report.ended += 1;
                self.ended.insert(index);
                self.finished.insert(index);
                return Ok((self.instead(value, edits, index, "\"content_filter\""), swallowed));
            }
            Err(blocked) => return Err(blocked),
        }
        let mut edits = edits;
        for edit in own {
            edits = match edit {
                Edit::Text(part, text) => {
                    edits.replace(part.get(), ["\"", &text, "\""].concat());
                    edits
                }
                Edit::Null(part) => {
                    edits.replace(part.get(), "null".to_owned());
                    edits
                }
                Edit::Walk(name, part) => event.walk(edits, |walk| walk.member(&name, part))?,
                Edit::Cite(part) => match event.lanes.moves(content(index), last_place(part.get())) {
                    Some(moves) => event.walk_moved(edits, moves, |walk| walk.member(CITATIONS, part))?,
                    None => {
                        edits.replace(part.get(), "null".to_owned());
                        self.waiting.keep(content(index), part.get(), event)?;
                        edits
                    }
                },
            };
        }
        if is_finished {
            self.finished.insert(index);
        }
        if self.finished.contains(&index) {
            // Of a text that never came.
            self.cite(index, event)?;
        }
        Ok((edits, swallowed))
    }

    /// What stands for a choice that a rule ended.
    fn instead<'j>(&self, value: &'j RawValue, mut edits: Edits<'j>, index: u32, reason: &str) -> Edits<'j> {
        let nothing =
            if self.form == Form::Completions { "\"text\":\"\",\"logprobs\":null" } else { "\"delta\":{}" };
        edits.replace(value.get(), format!("{{\"index\":{index},{nothing},\"finish_reason\":{reason}}}"));
        edits
    }

    fn members<'j>(
        &self,
        choice: &Object<'j>,
        index: u32,
        is_finished: bool,
        own: &mut Vec<Edit<'j>>,
        event: &mut Event<'_, '_>,
    ) -> Result<(), Blocked> {
        let is_over = self.finished.contains(&index);
        let mut slots = Slots { of: index, is_finished, is_over, own };
        for (member, value) in &choice.0 {
            match (member.name.as_ref(), shape(value)) {
                ("index", _) | (_, Shape::Null) => {}
                // Some servers give the stop word that was met as the reason.
                (name, _) if REASONS.contains(&name) => slots.walk(name, value),
                ("delta", Shape::Object) => {
                    let delta = Object::read(value.get())?;
                    for (member, value) in &delta.0 {
                        slots.delta(&member.name, value, event)?;
                    }
                }
                (TEXT, Shape::Text) => slots.take(TEXT, 0, event.content(), value, event)?,
                (name, _) if name == "content_filter_offsets" || types::is_tokens(name) => {
                    slots.walk(name, value)
                }
                (name, Shape::Number | Shape::Truth) if name != TEXT => {}
                (name, _) => slots.unknown(name, value, event)?,
            }
        }
        Ok(())
    }

    /// Ends the texts of a choice.
    fn end(&mut self, index: u32, event: &mut Event<'_, '_>) -> Result<(), Blocked> {
        for key in event.lanes.of(index) {
            self.flush(key, event)?;
        }
        self.cite(index, event)
    }

    /// The citations of a text that has been shown as a whole.
    fn cite(&mut self, index: u32, event: &mut Event<'_, '_>) -> Result<(), Blocked> {
        let ready = self.waiting.take(content(index));
        let moves = event.lanes.moves(content(index), 0).unwrap_or_default();
        for list in ready {
            let citations: &RawValue = serde_json::from_str(&list).map_err(Wrong::Json)?;
            let edits = event
                .walk_moved(Edits::of(&list), moves.clone(), |walk| walk.member(CITATIONS, citations))?;
            let shown = edits.apply().unwrap_or_else(|| list.clone());
            let data = self.chunk(&format!(
                "\"choices\":[{{\"index\":{index},\"delta\":{{\"{CITATIONS}\":{shown}}},\"logprobs\":null,\"finish_reason\":null}}]"
            ));
            write_event(None, &data, &mut event.before);
        }
        Ok(())
    }

    /// Ends a lane with a chunk of ours.
    fn flush(&self, key: Key, event: &mut Event<'_, '_>) -> Result<(), Blocked> {
        let rest = event.finish(key)?;
        if rest.is_empty() {
            return Ok(());
        }
        let Key { of, field, part } = key;
        let delta = match field {
            TEXT => format!("\"text\":\"{rest}\""),
            TOOL => format!(
                "\"delta\":{{\"tool_calls\":[{{\"index\":{part},\"function\":{{\"arguments\":\"{rest}\"}}}}]}}"
            ),
            CUSTOM => format!(
                "\"delta\":{{\"tool_calls\":[{{\"index\":{part},\"custom\":{{\"input\":\"{rest}\"}}}}]}}"
            ),
            CALL => format!("\"delta\":{{\"function_call\":{{\"arguments\":\"{rest}\"}}}}"),
            TRANSCRIPT => format!("\"delta\":{{\"audio\":{{\"transcript\":\"{rest}\"}}}}"),
            _ => format!("\"delta\":{{\"{field}\":\"{rest}\"}}"),
        };
        let data = self.chunk(&format!(
            "\"choices\":[{{\"index\":{of},{delta},\"logprobs\":null,\"finish_reason\":null}}]"
        ));
        write_event(None, &data, &mut event.before);
        Ok(())
    }
}

/// What a choice says to the person.
fn content(of: u32) -> Key {
    Key { of, field: CONTENT, part: 0 }
}
