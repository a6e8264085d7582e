//! Streams of Anthropic messages.

use super::types;
use crate::blocked::{Blocked, Kind};
use crate::json::{Edits, Object, Shape, inner, shape};
use crate::lane::{Manner, whole};
use crate::policy::{On, Role, Thinking, Unknown};
use crate::sse::write_event;
use crate::stream::{Event, Key, Shown, check_number};
use crate::walk::{DROP_OR_PASS, unknown};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

const TEXT: &str = "text";
const JSON: &str = "partial_json";
const THINKING: &str = "thinking";

#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// The blocks that are open.
    open: BTreeMap<u32, Block>,
    is_done: bool,
    is_ended: bool,
}

/// What is done with the deltas of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Read,
    /// A summary with a signature, which is never changed.
    Signed,
    /// One of an unknown type that is left out.
    Left,
}

impl Messages {
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Whether a rule ended the answer.
    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended
    }

    pub(crate) fn event(&mut self, data: &str, event: &mut Event<'_, '_>) -> Result<Shown, Blocked> {
        match self.known(data, event) {
            // T12: the answer ends as one that the provider refuses.
            Err(blocked) if blocked.kind == Kind::Rule => {
                for index in self.open.keys() {
                    let data = format!("{{\"type\":\"content_block_stop\",\"index\":{index}}}");
                    write_event(Some("content_block_stop"), &data, &mut event.before);
                }
                let data = "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":0}}";
                write_event(Some("message_delta"), data, &mut event.before);
                write_event(Some("message_stop"), "{\"type\":\"message_stop\"}", &mut event.before);
                event.context.report.ended += 1;
                (self.is_done, self.is_ended) = (true, true);
                Ok(Shown::Nothing)
            }
            other => other,
        }
    }

    fn known(&mut self, data: &str, event: &mut Event<'_, '_>) -> Result<Shown, Blocked> {
        let object = Object::read(data)?;
        let kind = object.text("type").unwrap_or_default();
        let mut edits = Edits::of(data);
        let own = match kind.as_ref() {
            "content_block_start" => Some("content_block"),
            "content_block_delta" => Some("delta"),
            "content_block_stop" | "ping" => Some(""),
            _ => None,
        };
        if let Some(own) = own {
            // Other members of the event may hold texts, too.
            let is_other = |name: &str| name != own && !matches!(name, "type" | "index");
            for (member, value) in object.0.iter().filter(|(member, _)| is_other(&member.name)) {
                edits = event.walk(edits, |walk| walk.member(&member.name, value))?;
            }
        }
        match kind.as_ref() {
            "ping" => {}
            "content_block_start" => edits = self.start(&object, edits, event)?,
            "content_block_delta" => return self.delta(&object, edits, event),
            "content_block_stop" => {
                let index = self.index(&object)?;
                self.flush(index, event)?;
                self.open.remove(&index);
            }
            "message_start" | "message_delta" | "message_stop" | "error" => {
                if kind == "message_stop" {
                    // Not every gateway ends its blocks.
                    let open: Vec<u32> = self.open.keys().copied().collect();
                    open.into_iter().try_for_each(|index| self.flush(index, event))?;
                }
                for (member, value) in &object.0 {
                    edits = event.walk(edits, |walk| walk.member(&member.name, value))?;
                }
                self.is_done |= matches!(kind.as_ref(), "message_stop" | "error");
                if kind == "message_delta" && event.context.compiled.policy.final_event {
                    let end = data.trim_end().len() - 1;
                    edits.replace_at(end..end, format!(",\"sonometer\":{}", event.context.report.to_json()));
                }
            }
            _ => {
                event.context.report.unknown += 1;
                match event.context.compiled.policy.unknown {
                    Unknown::Block => return Err(unknown("event", &kind, DROP_OR_PASS)),
                    Unknown::Drop => return Ok(Shown::Nothing),
                    Unknown::Pass => {
                        for (member, value) in &object.0 {
                            edits = event.walk(edits, |walk| walk.member(&member.name, value))?;
                        }
                    }
                }
            }
        }
        Ok(edits.apply().map_or(Shown::AsItIs, Shown::With))
    }

    fn index(&self, object: &Object<'_>) -> Result<u32, Blocked> {
        let index = object.number("index").filter(|index| self.open.contains_key(index));
        index.ok_or_else(|| Blocked::new(Kind::Unreadable, "an event about a block that was not begun"))
    }

    fn start<'j>(
        &mut self,
        object: &Object<'j>,
        mut edits: Edits<'j>,
        event: &mut Event<'_, '_>,
    ) -> Result<Edits<'j>, Blocked> {
        let index = object.number("index");
        let block = object.get("content_block");
        let (Some(index), Some(block)) = (index, block) else {
            return Err(Blocked::new(Kind::Unreadable, "a block without its number or content"));
        };
        if self.open.insert(index, Block::Read).is_some() {
            return Err(Blocked::new(Kind::Unreadable, "a block that is begun twice"));
        }
        check_number(self.open.len())?;
        let content = Object::read(block.get())?;
        let kind = content.text("type").unwrap_or_default();
        if !types::is_known(event.form, &kind) {
            event.context.report.unknown += 1;
            match event.context.compiled.policy.unknown {
                Unknown::Block => return Err(unknown("content_block", &kind, DROP_OR_PASS)),
                Unknown::Drop => {
                    // Blocks are counted, so an empty one stands for it.
                    self.open.insert(index, Block::Left);
                    edits.replace(block.get(), "{\"type\":\"text\",\"text\":\"\"}".to_owned());
                    return Ok(edits);
                }
                Unknown::Pass => {}
            }
        }
        if kind == "compaction" && content.text("signature").is_some_and(|signature| !signature.is_empty()) {
            self.open.insert(index, Block::Signed);
        }
        event.calls(index, 0, content.text("name").as_deref())?;
        let lane = match kind.as_ref() {
            "text" => Some((TEXT, event.content())),
            // Most often it begins empty; gateways may begin it with words.
            "thinking" => match event.context.compiled.policy.thinking {
                Thinking::Check => Some((THINKING, Manner::Unchanged)),
                Thinking::Pass => return Ok(edits),
                Thinking::Block => return Err(no_thinking()),
            },
            _ => None,
        };
        if let Some((field, manner)) = lane {
            for (member, value) in &content.0 {
                match (member.name == field, inner(value)) {
                    (true, Some("")) => {}
                    (true, None) if shape(value) != Shape::Null => return Err(no_text()),
                    (true, Some(_)) => {
                        let shown = self.push(Key { of: index, field, part: 0 }, manner, value, event)?;
                        edits.replace(value.get(), shown);
                    }
                    _ => edits = event.walk(edits, |walk| walk.member(&member.name, value))?,
                }
            }
            return Ok(edits);
        }
        event.walk(edits, |walk| walk.member("content_block", block))
    }

    fn delta(
        &mut self,
        object: &Object<'_>,
        edits: Edits<'_>,
        event: &mut Event<'_, '_>,
    ) -> Result<Shown, Blocked> {
        let index = self.index(object)?;
        let block = self.open.get(&index).copied().unwrap_or(Block::Read);
        if block == Block::Left {
            return Ok(Shown::Nothing);
        }
        let Some(value) = object.get("delta") else {
            return Err(Blocked::new(Kind::Unreadable, "a delta without content"));
        };
        let delta = Object::read(value.get())?;
        let mut edits = edits;
        let lane = match delta.text("type").as_deref().unwrap_or_default() {
            "text_delta" => (TEXT, event.content()),
            "input_json_delta" => (JSON, Manner::Arguments),
            "thinking_delta" => match event.context.compiled.policy.thinking {
                Thinking::Check => (THINKING, Manner::Unchanged),
                Thinking::Pass => return Ok(Shown::AsItIs),
                Thinking::Block => return Err(no_thinking()),
            },
            "signature_delta" => {
                self.flush(index, event)?;
                for (member, value) in &delta.0 {
                    if member.name != "signature" || inner(value).is_none() {
                        edits = event.walk(edits, |walk| walk.member(&member.name, value))?;
                    }
                }
                return Ok(edits.apply().map_or(Shown::AsItIs, Shown::With));
            }
            "compaction_delta" if block == Block::Signed => {
                let summary = delta.get("content").and_then(inner).filter(|raw| !raw.is_empty());
                if let Some(raw) = summary
                    && event.context.compiled.policy.thinking != Thinking::Pass
                {
                    event.context.count(raw, On::Response, Role::Assistant)?;
                    whole(raw, event.context, On::Response, Role::Assistant, Manner::Unchanged)?;
                }
                return Ok(Shown::AsItIs);
            }
            // A citation and a summary are whole.
            "citations_delta" | "compaction_delta" => {
                edits = event.walk(edits, |walk| walk.member("delta", value))?;
                return Ok(edits.apply().map_or(Shown::AsItIs, Shown::With));
            }
            kind => {
                event.context.report.unknown += 1;
                match event.context.compiled.policy.unknown {
                    Unknown::Block => return Err(unknown("delta", kind, DROP_OR_PASS)),
                    Unknown::Drop => return Ok(Shown::Nothing),
                    Unknown::Pass => {
                        edits = event.walk(edits, |walk| walk.member("delta", value))?;
                        return Ok(edits.apply().map_or(Shown::AsItIs, Shown::With));
                    }
                }
            }
        };
        let (field, manner) = lane;
        for (member, value) in &delta.0 {
            if member.name == field {
                let shown = self.push(Key { of: index, field, part: 0 }, manner, value, event)?;
                edits.replace(value.get(), shown);
            } else if member.name != "type" {
                edits = event.walk(edits, |walk| walk.member(&member.name, value))?;
            }
        }
        Ok(edits.apply().map_or(Shown::AsItIs, Shown::With))
    }

    /// The next part of a lane in quotes.
    fn push(
        &self,
        key: Key,
        manner: Manner,
        value: &RawValue,
        event: &mut Event<'_, '_>,
    ) -> Result<String, Blocked> {
        let raw = inner(value).ok_or_else(no_text)?;
        let mut shown = String::with_capacity(raw.len() + 2);
        shown.push('"');
        event.push(key, manner, raw, &mut shown)?;
        shown.push('"');
        Ok(shown)
    }

    /// Ends the lanes of a block with an event of ours: after its end a client would not know where to put it.
    fn flush(&self, index: u32, event: &mut Event<'_, '_>) -> Result<(), Blocked> {
        for key in event.lanes.of(index) {
            let rest = event.finish(key)?;
            if rest.is_empty() {
                continue;
            }
            let kind = match key.field {
                JSON => "input_json_delta",
                THINKING => "thinking_delta",
                _ => "text_delta",
            };
            let data = format!(
                "{{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"{kind}\",\"{}\":\"{rest}\"}}}}",
                key.field
            );
            write_event(Some("content_block_delta"), &data, &mut event.before);
        }
        Ok(())
    }
}

fn no_text() -> Blocked {
    Blocked::new(Kind::Unreadable, "a block or a delta whose text is no text")
}

fn no_thinking() -> Blocked {
    Blocked::new(Kind::Unmaskable, "thinking is blocked (`thinking = \"block\"`)")
}
