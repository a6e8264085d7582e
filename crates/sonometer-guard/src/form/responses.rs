//! Streams of OpenAI responses. The same text comes up to five times: as deltas, and whole in four events behind them.

mod texts;

use super::types;
use super::waiting::Waiting;
use crate::blocked::{Blocked, Kind};
use crate::json::{Edits, Object, Shape, shape};
use crate::lane::Manner;
use crate::moves::{Moves, last_place};
use crate::policy::{Pass, Unknown};
use crate::sse::write_event;
use crate::stream::{Event, Key, Shown};
use crate::walk::{DROP_OR_PASS, PASS, unknown};
use std::collections::HashMap;
use texts::{Joined, key};

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
