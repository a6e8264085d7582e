//! A whole body of JSON, masked: every text in it but ids, types and what is sealed.

mod citations;
mod text;
mod told;
mod unmaskable;

use text::is_called;
use told::unmaskable_media;
pub(crate) use told::{DROP_OR_PASS, PASS, is_kind, is_name, unknown, unknown_member};

use crate::blocked::{Blocked, Kind};
use crate::form::{Form, types};

use crate::json::{Edits, List, Member, Object, Shape, inner, shape};
use crate::lane::{Context, Manner};
use crate::moves::{Moves, is_place};
use crate::policy::{On, Pass, Role, Unknown};
use crate::schema::Schemas;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;

/// JSON may be nested so deeply.
const DEEPEST: usize = 64;

/// Texts that came in a stream and come again as a whole, with what was shown of them.
pub(crate) type Known = HashMap<(Box<str>, Manner), (Box<str>, Moves)>;

/// Reads one body, or one event of a stream.
pub(crate) struct Walk<'w, 'c, 'j> {
    pub(crate) form: Form,
    pub(crate) on: On,
    pub(crate) context: &'w mut Context<'c>,
    pub(crate) edits: Edits<'j>,
    /// The texts that rules judge; `None` where none does.
    pub(crate) read: Option<Vec<Said>>,
    pub(crate) known: Option<&'w Known>,
    /// The content of answers is JSON, as the request asked for it.
    pub(crate) is_json: bool,
    /// The schemas of the request, if the answer is held to any.
    pub(crate) schemas: Option<&'w Schemas>,
    /// Events of streams keep what they are.
    pub(crate) may_drop: bool,
    /// The member whose text is cited: where it moves to is noted in `moves`.
    pub(crate) follows: Option<&'static str>,
    /// Where the text moved to that citations speak of.
    pub(crate) moves: Moves,
}

/// A text that rules judge.
pub(crate) struct Said {
    pub(crate) role: Role,
    pub(crate) text: String,
    /// Whether the model says it to the person, as [`crate::stream::Key::is_content`] says of streams.
    pub(crate) is_answer: bool,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug)]
struct Place<'k> {
    key: &'k str,
    /// Input of any shape: the name of the nearest member around it, as it is written.
    name: &'k str,
    role: Role,
    /// The type of the object around it.
    kind: Kinded,
    /// The name of the tool that the object around it calls.
    tool: Option<&'k str>,
    depth: usize,
}

/// What the object around a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kinded {
    Plain,
    /// A result of a tool, whose text may be JSON.
    Result,
    /// Input of any shape.
    Free,
    /// Thinking, or a summary of the conversation, with its signature.
    Signed,
    /// Thinking, or a summary of it or of the conversation.
    Aside,
    /// A definition of a function or a call of one: its name is one of the application's.
    Call,
    /// A call whose `input` is no JSON.
    TextCall,
    /// An image, sound or a file that the policy lets pass: what is said beside its data is text.
    Media,
}

impl<'w, 'c, 'j> Walk<'w, 'c, 'j> {
    /// Reads all of a body. Errors have any shape: every text in one of them is masked.
    pub(crate) fn body(&mut self, body: &'j str, is_error: bool) -> Result<(), Blocked> {
        let role = if self.on == On::Response { Role::Assistant } else { Role::Other };
        let kind = if is_error { Kinded::Free } else { Kinded::Plain };
        let place = Place { key: "", name: "", role, kind, tool: None, depth: 0 };
        let top: &RawValue = serde_json::from_str(body)
            .map_err(|_| Blocked::new(Kind::Unreadable, "a body that is no JSON"))?;
        self.value(top, place)
    }

    /// Reads one member of an event.
    pub(crate) fn member(&mut self, key: &str, value: &'j RawValue) -> Result<(), Blocked> {
        if types::is_opaque(key, value) {
            return Ok(());
        }
        let place =
            Place { key, name: key, role: Role::Assistant, kind: Kinded::Plain, tool: None, depth: 1 };
        self.keyed(value, place)
    }

    fn value(&mut self, value: &'j RawValue, place: Place<'_>) -> Result<(), Blocked> {
        if place.depth > DEEPEST {
            return Err(Blocked::new(Kind::Unreadable, "JSON that is nested too deeply"));
        }
        match shape(value) {
            Shape::Object => self.object(value, place),
            Shape::List => self.list(value, place),
            Shape::Text => match inner(value).filter(|text| place.kind == Kinded::Free && is_called(text)) {
                Some(digits) if !matches!(place.key, "definition" | "tools") && !place.name.is_empty() => {
                    self.digits(digits, value, place)
                }
                _ => self.text(value, place),
            },
            Shape::Number if !self.moves.is_none() && is_place(place.key) => {
                self.place(value, place.key);
                Ok(())
            }
            // Numbers in definitions of tools are bounds of schemas.
            Shape::Number if place.kind == Kinded::Free && !matches!(place.key, "definition" | "tools") => {
                self.number(value, place)
            }
            Shape::Number if types::is_text(place.key) => self.number(value, place),
            _ => Ok(()),
        }
    }

    fn list(&mut self, value: &'j RawValue, place: Place<'_>) -> Result<(), Blocked> {
        let items = List::read(value.get())?;
        let is_typed = place.kind != Kinded::Free && types::is_typed_list(self.form, place.key);
        if self.form == Form::Embeddings && place.key == "input"
            || self.form == Form::Completions && place.key == "prompt"
        {
            let is_tokens = |item: &&RawValue| matches!(shape(item), Shape::Number | Shape::List);
            if self.context.compiled.masks_requests() && items.0.iter().any(is_tokens) {
                let message = "input as token ids cannot be read; send it as text";
                return Err(Blocked::new(Kind::Unmaskable, message));
            }
        }
        let mut dropped = Vec::new();
        for (at, item) in items.0.iter().enumerate() {
            let inside = Place { depth: place.depth + 1, ..place };
            if is_typed && shape(item) == Shape::Object && !self.is_known(item)? {
                self.context.report.unknown += 1;
                match self.context.compiled.policy.unknown {
                    Unknown::Drop if self.may_drop => {
                        dropped.push(at);
                        continue;
                    }
                    Unknown::Pass => {}
                    Unknown::Drop => return Err(unknown(place.key, &self.kind(item)?, PASS)),
                    Unknown::Block => return Err(unknown(place.key, &self.kind(item)?, DROP_OR_PASS)),
                }
            }
            self.value(item, inside)?;
        }
        if !dropped.is_empty() {
            self.drop_items(&items, &dropped, place.key)?;
        }
        Ok(())
    }

    /// Whether the type of an item is known; one without a type is a message.
    fn is_known(&self, item: &'j RawValue) -> Result<bool, Blocked> {
        let kind = self.kind(item)?;
        Ok(kind.is_empty() || types::is_known(self.form, &kind))
    }

    /// The type of an item; empty if it has none.
    fn kind(&self, item: &'j RawValue) -> Result<Cow<'j, str>, Blocked> {
        let object = Object::read(item.get()).map_err(|wrong| self.edits.wrong(wrong))?;
        Ok(object.text("type").unwrap_or_default())
    }

    /// Writes a list anew without some of its items.
    fn drop_items(&mut self, items: &List<'j>, dropped: &[usize], key: &str) -> Result<(), Blocked> {
        if dropped.len() == items.0.len() {
            return Err(unknown(key, &self.kind(items.0[0])?, PASS));
        }
        // With the comma before it; of the first ones with the comma behind.
        let first_kept = dropped.iter().zip(0..).take_while(|(at, number)| **at == *number).count();
        for at in dropped {
            let own = self.edits.place(items.0[*at].get());
            let cut = if *at < first_kept {
                own.start..self.edits.place(items.0[at + 1].get()).start
            } else {
                self.edits.place(items.0[at - 1].get()).end..own.end
            };
            self.edits.replace_at(cut, String::new());
        }
        Ok(())
    }

    fn object(&mut self, value: &'j RawValue, place: Place<'_>) -> Result<(), Blocked> {
        let object = Object::read(value.get()).map_err(|wrong| self.edits.wrong(wrong))?;
        if place.kind == Kinded::Free {
            let makes_images = object.text("type").as_deref() == Some("image_generation");
            for (member, value) in &object.0 {
                // The one image in a definition of a tool: by an id, or as data that no mask may touch.
                if makes_images && member.name == "input_image_mask" && shape(value) == Shape::Object {
                    match self.context.compiled.policy.media {
                        Pass::Pass => continue,
                        Pass::Block => return Err(unmaskable_media("input_image_mask")),
                    }
                }
                self.text(member.raw, Place { key: "", depth: place.depth + 1, ..place })?;
                let name = inner(member.raw).unwrap_or_default();
                self.value(value, Place { name, depth: place.depth + 1, ..place })?;
            }
            return Ok(());
        }
        let kind = object.text("type");
        let kind = kind.as_deref().unwrap_or_default();
        // What a tool answers and what is handed to a template, where the forms have no object: what is an id elsewhere may be a text.
        let is_any = place.kind == Kinded::Result && matches!(place.key, "content" | "output")
            || self.on == On::Request && place.key.ends_with("kwargs");
        if is_any && !types::is_known(self.form, kind) {
            return self.object(value, Place { kind: Kinded::Free, ..place });
        }
        let sound = if place.key == "audio" { object.get("data").and_then(inner) } else { None };
        let is_sound = sound.is_some_and(|sound| !sound.is_empty());
        let is_media = types::is_media(kind) && !self.is_text_source(&object) && place.depth > 0;
        if (is_media || is_sound) && self.context.compiled.policy.media == Pass::Block {
            return Err(unmaskable_media(if is_media { kind } else { place.key }));
        }
        let role = match object.text("role") {
            Some(role) => Role::named(&role),
            None => types::role(kind).unwrap_or(place.role),
        };
        let is_signed = |key| object.text(key).is_some_and(|text| !text.is_empty());
        let around = match kind {
            "thinking" | "redacted_thinking" | "compaction"
                if is_signed("signature") || is_signed("data") =>
            {
                Kinded::Signed
            }
            "custom_tool_call" | "custom" => Kinded::TextCall,
            _ if is_media || is_sound || place.kind == Kinded::Media => Kinded::Media,
            "summary_text" | "reasoning_text" | "thinking" | "compaction" => Kinded::Aside,
            _ if matches!(place.key, "function" | "function_call" | "tool_choice")
                || kind.ends_with("_call")
                || kind.ends_with("tool_use") =>
            {
                Kinded::Call
            }
            _ if role == Role::Tool => Kinded::Result,
            _ => Kinded::Plain,
        };
        if kind == "compaction" && self.on == On::Response {
            let sealed = ["encrypted_content", "signature"].into_iter().find_map(|key| object.text(key));
            if let Some(sealed) = sealed.filter(|sealed| !sealed.is_empty()) {
                self.context.numbering.seal(&sealed);
            }
        }
        if around == Kinded::Signed {
            return self.signed(&object, kind, Place { role, ..place });
        }
        let is_call = matches!(around, Kinded::Call | Kinded::TextCall);
        let tool = if is_call { object.text("name") } else { None };
        let outer = self.begin_citations(&object, kind);
        // Citations come after the text whose places they name.
        let is_last = |(member, _): &&(Member<'j>, &'j RawValue)| member.name == "annotations";
        let members = object.0.iter().filter(|member| !is_last(member));
        for (member, value) in members.chain(object.0.iter().filter(is_last)) {
            let key = member.name.as_ref();
            if types::is_opaque(key, value) || types::is_sealed(self.form, self.on, kind, key) {
                continue;
            }
            if !is_name(key) {
                self.text(
                    member.raw,
                    Place { key: "", kind: Kinded::Free, depth: place.depth + 1, ..place },
                )?;
            }
            let is_echo = self.on == On::Response
                && (place.depth == 0 || place.key == "response")
                && types::is_echo(self.form, key);
            let read = if is_echo { self.read.take() } else { None };
            let role = match key {
                "system" | "instructions" if role == Role::Other => Role::System,
                "prompt" | "suffix" if self.form == Form::Completions && self.on == On::Request => Role::User,
                "input" if self.form == Form::Responses && role == Role::Other => Role::User,
                _ => role,
            };
            self.keyed(
                value,
                Place { key, name: key, role, kind: around, tool: tool.as_deref(), depth: place.depth + 1 },
            )?;
            if is_echo {
                self.read = read;
            }
        }
        if let Some(outer) = outer {
            self.end_citations(kind, outer);
        }
        Ok(())
    }

    /// A member of an object that is not of any shape.
    fn keyed(&mut self, value: &'j RawValue, place: Place<'_>) -> Result<(), Blocked> {
        let is_call = matches!(place.kind, Kinded::Call | Kinded::TextCall);
        match place.key {
            key if types::is_tokens(key) => self.tokens(value, place),
            "name" | "namespace" | "server_label" if is_call && inner(value).is_some_and(is_name) => Ok(()),
            // Of any shape: what is an id elsewhere may be a text in them.
            "arguments" | "input" | "action" | "operation"
                if is_call && matches!(shape(value), Shape::Object | Shape::List) =>
            {
                let (before, masked) = (self.edits.len(), self.context.report.masked_answer);
                self.value(value, Place { kind: Kinded::Free, ..place })?;
                match self.schema_of(place) {
                    Some(schema) if self.context.report.masked_answer > masked => {
                        schema.check(&self.edits.since(before, value.get()))
                    }
                    _ => Ok(()),
                }
            }
            "variables" if shape(value) == Shape::Object => self.variables(value, place),
            key if types::is_free(key) => self.value(value, Place { kind: Kinded::Free, ..place }),
            key if place.kind == Kinded::Media
                && types::is_media_data(key)
                && shape(value) == Shape::Text =>
            {
                Ok(())
            }
            "image" | "image_url" | "file_data" | "audio" | "input_audio" | "b64_json"
                if self.on == On::Request && shape(value) == Shape::Text =>
            {
                match self.context.compiled.policy.media {
                    Pass::Pass => Ok(()),
                    Pass::Block => Err(unmaskable_media(place.key)),
                }
            }
            _ => self.value(value, place),
        }
    }

    /// What is put into a stored prompt: texts, and parts of a message, which may be images and files.
    fn variables(&mut self, value: &'j RawValue, place: Place<'_>) -> Result<(), Blocked> {
        let object = Object::read(value.get()).map_err(|wrong| self.edits.wrong(wrong))?;
        let place = Place { key: "", depth: place.depth + 1, ..place };
        for (member, value) in &object.0 {
            self.text(member.raw, Place { kind: Kinded::Free, ..place })?;
            let is_part = shape(value) == Shape::Object && {
                let part = Object::read(value.get()).map_err(|wrong| self.edits.wrong(wrong))?;
                part.text("type").is_some_and(|kind| types::is_known(self.form, &kind))
            };
            let kind = if is_part { Kinded::Plain } else { Kinded::Free };
            self.value(value, Place { kind, ..place })?;
        }
        Ok(())
    }

    /// Whether what looks like a file is text.
    fn is_text_source(&self, object: &Object<'j>) -> bool {
        let Some(source) = object.get("source").filter(|source| shape(source) == Shape::Object) else {
            return false;
        };
        Object::read(source.get())
            .is_ok_and(|source| matches!(source.text("type").as_deref(), Some("text" | "content")))
    }
}
