//! Texts that come as deltas, and again as wholes.

use super::{OUTPUT, OUTPUTS, Responses, TEXT};
use crate::blocked::{Blocked, Kind};
use crate::form::types;
use crate::json::string::decode;
use crate::json::{Edits, Object, Shape, inner, shape, text_of};
use crate::lane::Manner;
use crate::moves::Moves;
use crate::schema::objects;
use crate::stream::{Event, Key, check_number};
use serde_json::value::RawValue;

/// What came and what was shown of a text.
#[derive(Default)]
pub(super) struct Joined {
    came: String,
    pub(super) shown: String,
    /// The ids of its events.
    pub(super) ids: String,
}

impl Responses {
    pub(super) fn delta<'j>(
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
    pub(super) fn part<'j>(
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
    pub(super) fn note_whole(&mut self, object: &Object<'_>) -> Result<(), Blocked> {
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
    pub(super) fn done<'j>(
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
        if shape(value) != Shape::Text || text_of(value).as_deref() != Some(&decode(&joined.came)) {
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
    pub(super) fn output<'j>(
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
    pub(super) fn output_done<'j>(
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
}

/// The ids of an event, as it writes them.
pub(super) fn ids(object: &Object<'_>) -> String {
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

/// The lane that an event speaks of.
pub(super) fn key(field: &'static str, object: &Object<'_>) -> Result<Key, Blocked> {
    let mut part = None;
    for name in ["content_index", "summary_index", "command_index"] {
        part = part.or(object.index(name)?);
    }
    Ok(Key { of: object.index("output_index")?.unwrap_or(0), field, part: part.unwrap_or(0) })
}
