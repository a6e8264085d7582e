//! Streams of OpenAI responses. The same text comes up to five times: as deltas, and whole in four events behind them.

use super::types;
use super::waiting::Waiting;
use crate::blocked::{Blocked, Kind};
use crate::json::{Edits, Object, Shape, inner, shape, text_of};
use crate::lane::Manner;
use crate::moves::{Moves, last_place};
use crate::policy::{Pass, Unknown};
use crate::schema::objects;
use crate::sse::write_event;
use crate::stream::{Event, Key, Shown, check_number};
use crate::walk::{DROP_OR_PASS, PASS, unknown};
use serde_json::value::RawValue;
use std::collections::HashMap;

/// Texts that come as deltas: the event without `.delta` and `.done`, the member of `.done`, and how it is read.
const LANES: [(&str, &str, Manner); 11] = [
    (TEXT, "text", Manner::Text),
    ("response.refusal", "refusal", Manner::Text),
    ("response.reasoning_text", "text", Manner::Text),
    ("response.reasoning_summary_text", "text", Manner::Text),
    ("response.function_call_arguments", "arguments", Manner::Arguments),
    ("response.mcp_call_arguments", "arguments", Manner::Arguments),
    ("response.custom_tool_call_input", "input", Manner::Text),
    ("response.code_interpreter_call_code", "code", Manner::Text),
    ("response.audio.transcript", "transcript", Manner::Text),
    ("response.shell_call_command", "command", Manner::Text),
    ("response.apply_patch_call_operation_diff", "diff", Manner::Text),
];

/// A command of a shell that begins: it may have the first part of the text.
const COMMAND: &str = "response.shell_call_command.added";
/// What a command of a shell wrote: two texts in one event.
const OUTPUT: &str = "response.shell_call_output_content";
const OUTPUTS: [(&str, &str); 2] = [
    ("response.shell_call_output_content.stdout", "stdout"),
    ("response.shell_call_output_content.stderr", "stderr"),
];

/// What is said to the person, and a citation in it.
const TEXT: &str = "response.output_text";
const CITATION: &str = "response.output_text.annotation.added";

/// Events with parts of images and sound, and the member that has them.
const MEDIA: [(&str, &str); 2] = [
    ("response.audio.delta", "delta"),
    ("response.image_generation_call.partial_image", "partial_image_b64"),
];

/// Events in which something stands whole, or nothing.
const WHOLE: [&str; 10] = [
    "response.created",
    "response.in_progress",
    "response.queued",
    "response.output_item.added",
    "response.output_item.done",
    "response.content_part.added",
    "response.content_part.done",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_part.done",
    "response.compaction.compacting",
];

/// Events that end a response.
const LAST: [&str; 4] = ["response.completed", "response.incomplete", "response.failed", "error"];

#[derive(Default)]
pub(crate) struct Responses {
    /// What came and what was shown of each lane that is open.
    joined: HashMap<Key, Joined>,
    /// By how much our own events move the numbers of those behind them.
    added: i64,
    waiting: Waiting,
    is_done: bool,
    is_past_end: bool,
    /// The texts that are whole, with the ids of their events; empty for those that came whole with their item.
    whole: HashMap<Key, String>,
}

#[derive(Default)]
struct Joined {
    came: String,
    shown: String,
    /// The ids of its events.
    ids: String,
}

impl Responses {
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Whether nothing comes behind this but `[DONE]`.
    pub(crate) fn is_past_end(&self) -> bool {
        self.is_past_end
    }

    pub(crate) fn event(&mut self, data: &str, event: &mut Event<'_, '_>) -> Result<Shown, Blocked> {
        if data.trim() == "[DONE]" {
            return Ok(Shown::AsItIs);
        }
        let object = Object::read(data)?;
        let kind = object.text("type").unwrap_or_default();
        let mut edits = Edits::of(data);
        let lane = LANES.iter().find_map(|(base, member, manner)| {
            let end = kind.strip_prefix(base)?;
            let member = match end {
                ".delta" => "delta",
                ".done" => member,
                _ if kind == COMMAND => member,
                _ => return None,
            };
            Some((*base, member, *manner, end == ".done"))
        });
        if let Some((base, member, manner, is_done)) = lane {
            let manner = if base == TEXT { event.content() } else { manner };
            let key = key(base, &object)?;
            edits = match is_done {
                false => self.delta(key, member, manner, &object, edits, event)?,
                true => self.done(key, member, manner, &object, edits, event)?,
            };
        } else if let Some(end) = kind.strip_prefix(OUTPUT).filter(|end| matches!(*end, ".delta" | ".done")) {
            edits = match end {
                ".delta" => self.output(&object, edits, event)?,
                _ => self.output_done(&object, edits, event)?,
            };
        } else if let Some((_, data)) = MEDIA.iter().find(|(name, _)| *name == kind) {
            if event.context.compiled.policy.media == Pass::Block {
                let message = "images and audio cannot be masked; set `media = \"pass\"` to let them through";
                return Err(Blocked::new(Kind::Unmaskable, message));
            }
            edits = self.others(&object, data, edits, event)?;
        } else if let Some(dropped) = self.check(&kind, &object, event)? {
            self.added -= 1;
            return Ok(dropped);
        } else if kind == CITATION {
            let key = key(TEXT, &object)?;
            let Some(moves) = event.lanes.moves(key, last_place(data)) else {
                self.waiting.keep(key, data, event)?;
                self.added -= 1;
                return Ok(Shown::Nothing);
            };
            edits = cite(&object, edits, moves, event)?;
        } else {
            let item = object.get("item").and_then(|item| Object::read(item.get()).ok());
            let name = item.and_then(|item| item.text("name"));
            event.calls(object.number("output_index").unwrap_or(0), 0, name.as_deref())?;
            if kind == "response.output_item.added" {
                self.note_whole(&object)?;
            }
            for (member, value) in &object.0 {
                match member.name.as_ref() {
                    "sequence_number" | "type" => {}
                    "part" if kind.ends_with("_part.added") && shape(value) == Shape::Object => {
                        edits = self.part(&object, &Object::read(value.get())?, edits, event)?;
                    }
                    name => edits = event.walk(edits, |walk| walk.member(name, value))?,
                }
            }
        }
        if matches!(kind.as_ref(), "response.completed" | "response.incomplete") {
            self.end(&object, event)?;
        }
        self.is_done |= LAST.contains(&kind.as_ref());
        self.is_past_end |= kind != "error" && LAST.contains(&kind.as_ref());
        if let Some(padding) = object.get("obfuscation") {
            edits.replace(padding.get(), "\"\"".to_owned());
        }
        if self.added != 0
            && let Some(number) = object.get("sequence_number")
            && let Ok(own) = number.get().parse::<i64>()
        {
            edits.replace(number.get(), own.saturating_add(self.added).to_string());
        }
        Ok(edits.apply().map_or(Shown::AsItIs, Shown::With))
    }

    /// Whether an event that is no lane may pass; what becomes of it otherwise.
    fn check(
        &self,
        kind: &str,
        object: &Object<'_>,
        event: &mut Event<'_, '_>,
    ) -> Result<Option<Shown>, Blocked> {
        let is_state = kind.strip_prefix("response.").and_then(|rest| rest.split_once('.')).is_some_and(
            |(of, state)| {
                (of.ends_with("_call") || of == "mcp_list_tools" || of == "audio")
                    && matches!(
                        state,
                        "in_progress"
                            | "searching"
                            | "completed"
                            | "failed"
                            | "generating"
                            | "interpreting"
                            | "done"
                    )
            },
        );
        let is_known = WHOLE.contains(&kind)
            || LAST.contains(&kind)
            || is_state
            || kind == CITATION
            || kind == "keepalive";
        let items = ["item", "part"].iter().filter_map(|name| object.get(name));
        let mut kinds = items.filter_map(|item| Object::read(item.get()).ok()?.text("type"));
        let item = kinds.find(|kind| !types::is_known(event.form, kind));
        if is_known && item.is_none() {
            return Ok(None);
        }
        event.context.report.unknown += 1;
        let (place, kind) = match &item {
            Some(item) if is_known => ("item", item.as_ref()),
            _ => ("event", kind),
        };
        match event.context.compiled.policy.unknown {
            Unknown::Pass => Ok(None),
            // Later events name items by their place, and the last one has all: an item cannot be left out.
            _ if is_known => Err(unknown(place, kind, PASS)),
            Unknown::Drop => Ok(Some(Shown::Nothing)),
            Unknown::Block => Err(unknown(place, kind, DROP_OR_PASS)),
        }
    }

    fn delta<'j>(
        &mut self,
        key: Key,
        member: &str,
        manner: Manner,
        object: &Object<'j>,
        mut edits: Edits<'j>,
        event: &mut Event<'_, '_>,
    ) -> Result<Edits<'j>, Blocked> {
        let Some((value, raw)) = object.get(member).and_then(|value| Some((value, inner(value)?))) else {
            return Err(Blocked::new(Kind::Unreadable, "a delta whose text is no text"));
        };
        if !raw.is_empty() {
            self.check_open(key, object)?;
        }
        let mut shown = String::with_capacity(raw.len());
        event.push(key, manner, raw, &mut shown)?;
        self.join(key, object, raw, &shown);
        edits.replace(value.get(), format!("\"{shown}\""));
        self.others(object, member, edits, event)
    }

    /// A part that begins: it may have the first words of its text.
    fn part<'j>(
        &mut self,
        object: &Object<'j>,
        part: &Object<'j>,
        mut edits: Edits<'j>,
        event: &mut Event<'_, '_>,
    ) -> Result<Edits<'j>, Blocked> {
        let lane = lane_of(&part.text("type").unwrap_or_default());
        for (member, value) in &part.0 {
            match (lane, inner(value)) {
                (Some((field, name)), Some(raw)) if member.name == name && !raw.is_empty() => {
                    let key = key(field, object)?;
                    self.check_open(key, object)?;
                    let manner = if field == TEXT { event.content() } else { Manner::Text };
                    let mut shown = String::with_capacity(raw.len());
                    event.push(key, manner, raw, &mut shown)?;
                    self.join(key, object, raw, &shown);
                    edits.replace(value.get(), format!("\"{shown}\""));
                }
                _ => edits = event.walk(edits, |walk| walk.member(&member.name, value))?,
            }
        }
        Ok(edits)
    }

    /// Notes the texts that an item has from its begin: they have been shown, so none may go on.
    fn note_whole(&mut self, object: &Object<'_>) -> Result<(), Blocked> {
        let Some(item) = object.get("item").filter(|item| shape(item) == Shape::Object) else {
            return Ok(());
        };
        let item = Object::read(item.get())?;
        let of = object.index("output_index")?.unwrap_or(0);
        let mut note = |field, part| {
            self.whole.insert(Key { of, field, part }, String::new());
            check_number(self.whole.len())
        };
        for list in ["content", "summary"] {
            for (part, object) in (0..).zip(objects(&item, list)) {
                if let Some((field, name)) = lane_of(&object.text("type").unwrap_or_default())
                    && object.text(name).is_some_and(|text| !text.is_empty())
                {
                    note(field, part)?;
                }
            }
        }
        for (name, field) in
            [("input", "response.custom_tool_call_input"), ("code", "response.code_interpreter_call_code")]
        {
            if item.text(name).is_some_and(|text| !text.is_empty()) {
                note(field, 0)?;
            }
        }
        Ok(())
    }

    /// A text that has been shown as a whole must not go on: what is cut in two would not be found.
    fn check_open(&self, key: Key, object: &Object<'_>) -> Result<(), Blocked> {
        match self.whole.get(&key) {
            Some(known) if known.is_empty() || *known == ids(object) => Err(Blocked::new(
                Kind::Unreadable,
                "a text goes on after its end, so it cannot be read as a whole",
            )),
            _ => Ok(()),
        }
    }

    /// Keeps a part of a text and what was shown of it, as both come again.
    fn join(&mut self, key: Key, object: &Object<'_>, raw: &str, shown: &str) {
        let joined =
            self.joined.entry(key).or_insert_with(|| Joined { ids: ids(object), ..Joined::default() });
        joined.came.push_str(raw);
        joined.shown.push_str(shown);
    }

    /// The whole text: the rest of its lane goes out as a delta, and what is shown of all takes its place.
    fn done<'j>(
        &mut self,
        key: Key,
        member: &'static str,
        manner: Manner,
        object: &Object<'j>,
        mut edits: Edits<'j>,
        event: &mut Event<'_, '_>,
    ) -> Result<Edits<'j>, Blocked> {
        let rest = event.finish(key)?;
        let joined = self.joined.remove(&key);
        if object.text(member).is_some_and(|text| !text.is_empty()) {
            self.whole.insert(key, ids(object));
            check_number(self.whole.len())?;
        }
        if !rest.is_empty() {
            let kind = object.text("type").unwrap_or_default();
            let base = kind.strip_suffix(".done").unwrap_or(&kind);
            self.write_delta(base, &ids(object), &format!("\"{rest}\""), object, event);
        }
        self.write_citations(key, object, event)?;
        let (Some(value), Some(mut joined)) = (object.get(member), joined) else {
            return self.others(object, "", edits, event);
        };
        joined.shown.push_str(&rest);
        if shape(value) != Shape::Text
            || text_of(value).as_deref() != Some(&crate::json::string::decode(&joined.came))
        {
            return Err(Blocked::new(
                Kind::Differs,
                "a text that the provider repeats differs from its parts",
            ));
        }
        if let Some(raw) = inner(value) {
            let moves = event.lanes.moves(key, 0).unwrap_or_default();
            event.lanes.known.insert((raw.into(), manner), (joined.shown.as_str().into(), moves));
        }
        edits.replace(value.get(), format!("\"{}\"", joined.shown));
        self.others(object, member, edits, event)
    }

    /// A part of what a command wrote.
    fn output<'j>(
        &mut self,
        object: &Object<'j>,
        mut edits: Edits<'j>,
        event: &mut Event<'_, '_>,
    ) -> Result<Edits<'j>, Blocked> {
        let Some(delta) = object.get("delta").and_then(|delta| Object::read(delta.get()).ok()) else {
            return Err(Blocked::new(Kind::Unreadable, "a delta of an output that is no object"));
        };
        for (member, value) in &delta.0 {
            let Some((field, _)) = OUTPUTS.iter().find(|(_, name)| *name == member.name) else {
                edits = event.walk(edits, |walk| walk.member(&member.name, value))?;
                continue;
            };
            if let Some(raw) = inner(value) {
                let (key, mut shown) = (key(field, object)?, String::with_capacity(raw.len()));
                if !raw.is_empty() {
                    self.check_open(key, object)?;
                }
                event.push(key, Manner::Text, raw, &mut shown)?;
                self.join(key, object, raw, &shown);
                edits.replace(value.get(), format!("\"{shown}\""));
            } else if value.get() != "null" {
                return Err(Blocked::new(Kind::Unreadable, "a delta whose text is no text"));
            }
        }
        self.others(object, "delta", edits, event)
    }

    /// All that a command wrote: the rest of both texts goes out as deltas, and the whole is shown as its parts were.
    fn output_done<'j>(
        &mut self,
        object: &Object<'j>,
        edits: Edits<'j>,
        event: &mut Event<'_, '_>,
    ) -> Result<Edits<'j>, Blocked> {
        for (field, member) in OUTPUTS {
            let key = key(field, object)?;
            let rest = event.finish(key)?;
            if !rest.is_empty() {
                let delta = format!("{{\"{member}\":\"{rest}\"}}");
                self.write_delta(OUTPUT, &ids(object), &delta, object, event);
            }
            if let Some(mut joined) = self.joined.remove(&key) {
                self.whole.insert(key, ids(object));
                joined.shown.push_str(&rest);
                let whole = (joined.came.as_str().into(), Manner::Text);
                event.lanes.known.insert(whole, (joined.shown.as_str().into(), Moves::default()));
            }
        }
        self.others(object, "", edits, event)
    }

    /// All members but one.
    fn others<'j>(
        &self,
        object: &Object<'j>,
        but: &str,
        mut edits: Edits<'j>,
        event: &mut Event<'_, '_>,
    ) -> Result<Edits<'j>, Blocked> {
        for (member, value) in &object.0 {
            let name = member.name.as_ref();
            if name != but && !matches!(name, "type" | "sequence_number") {
                edits = event.walk(edits, |walk| walk.member(name, value))?;
            }
        }
        Ok(edits)
    }

    /// The number of an event of ours before another.
    fn number(&self, before: &Object<'_>) -> Option<i64> {
        let own = before.get("sequence_number")?.get().parse::<i64>().ok()?;
        Some(own.saturating_add(self.added))
    }

    /// The citations of a text that has been shown as a whole.
    fn write_citations(
        &mut self,
        key: Key,
        done: &Object<'_>,
        event: &mut Event<'_, '_>,
    ) -> Result<(), Blocked> {
        let moves = event.lanes.moves(key, 0).unwrap_or_default();
        for data in self.waiting.take(key) {
            let object = Object::read(&data)?;
            let mut edits = cite(&object, Edits::of(&data), moves.clone(), event)?;
            if let (Some(number), Some(own)) = (self.number(done), object.get("sequence_number")) {
                edits.replace(own.get(), number.to_string());
            }
            let shown = edits.apply().unwrap_or_else(|| data.clone());
            write_event(Some(CITATION), &shown, &mut event.before);
            self.added += 1;
        }
        Ok(())
    }

    /// The rest of texts whose end the provider did not tell: not every gateway does.
    fn end(&mut self, last: &Object<'_>, event: &mut Event<'_, '_>) -> Result<(), Blocked> {
        for key in event.lanes.open() {
            let rest = match event.finish(key) {
                // Arguments that were cut off: they are not shown further.
                Err(blocked) if blocked.kind == Kind::Unreadable => continue,
                rest => rest?,
            };
            let Some(joined) = self.joined.remove(&key).filter(|_| !rest.is_empty()) else { continue };
            match OUTPUTS.iter().find(|(field, _)| *field == key.field) {
                Some((_, member)) => {
                    let delta = format!("{{\"{member}\":\"{rest}\"}}");
                    self.write_delta(OUTPUT, &joined.ids, &delta, last, event);
                }
                None => self.write_delta(key.field, &joined.ids, &format!("\"{rest}\""), last, event),
            }
        }
        Ok(())
    }

    fn write_delta(
        &mut self,
        base: &str,
        ids: &str,
        delta: &str,
        before: &Object<'_>,
        event: &mut Event<'_, '_>,
    ) {
        let kind = format!("{base}.delta");
        let number = self.number(before);
        let number = number.map(|number| format!(",\"sequence_number\":{number}")).unwrap_or_default();
        let probabilities = if kind == "response.output_text.delta" { ",\"logprobs\":[]" } else { "" };
        let data = format!("{{\"type\":\"{kind}\",{ids}\"delta\":{delta}{probabilities}{number}}}");
        write_event(Some(&kind), &data, &mut event.before);
        self.added += 1;
    }
}

/// The ids of an event, as it writes them.
fn ids(object: &Object<'_>) -> String {
    let all = ["item_id", "output_index", "content_index", "summary_index", "command_index"];
    // What does not read as one may be a text.
    let is_id =
        |value: &&RawValue| shape(value) == Shape::Number || inner(value).is_some_and(types::reads_as_id);
    let id = |name: &&str| Some(format!("\"{name}\":{},", object.get(name).filter(is_id)?.get()));
    all.iter().filter_map(id).collect()
}

/// The lane of a part by its type, and the member with its text.
fn lane_of(kind: &str) -> Option<(&'static str, &'static str)> {
    match kind {
        "output_text" => Some((TEXT, "text")),
        "refusal" => Some(("response.refusal", "refusal")),
        "reasoning_text" => Some(("response.reasoning_text", "text")),
        "summary_text" => Some(("response.reasoning_summary_text", "text")),
        _ => None,
    }
}

/// A citation, with its places in the text as it is shown.
fn cite<'j>(
    object: &Object<'j>,
    mut edits: Edits<'j>,
    moves: Moves,
    event: &mut Event<'_, '_>,
) -> Result<Edits<'j>, Blocked> {
    for (member, value) in &object.0 {
        edits = match member.name.as_ref() {
            "type" | "sequence_number" => edits,
            "annotation" => {
                event.walk_moved(edits, moves.clone(), |walk| walk.member("annotation", value))?
            }
            name => event.walk(edits, |walk| walk.member(name, value))?,
        };
    }
    Ok(edits)
}

fn key(field: &'static str, object: &Object<'_>) -> Result<Key, Blocked> {
    let mut part = None;
    for name in ["content_index", "summary_index", "command_index"] {
        part = part.or(object.index(name)?);
    }
    Ok(Key { of: object.index("output_index")?.unwrap_or(0), field, part: part.unwrap_or(0) })
}
