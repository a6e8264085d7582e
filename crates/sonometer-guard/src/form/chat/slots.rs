//! The texts of one choice in a chunk.

use super::{CALL, CITATIONS, CONTENT, CUSTOM, EXTRA, TEXTS, TOOL, TRANSCRIPT};
use crate::blocked::{Blocked, Kind};
use crate::form::types;
use crate::json::{List, Object, Shape, inner, shape};
use crate::lane::Manner;
use crate::policy::{Pass, Unknown};
use crate::stream::{Event, Key};
use crate::walk::{is_name, unknown_member};
use serde_json::value::RawValue;

/// What changes in a choice.
pub(super) enum Edit<'j> {
    Text(&'j RawValue, String),
    Null(&'j RawValue),
    Walk(String, &'j RawValue),
    Cite(&'j RawValue),
}

/// The texts of one choice.
pub(super) struct Slots<'s, 'j> {
    pub(super) of: u32,
    pub(super) is_finished: bool,
    /// A chunk before has finished it.
    pub(super) is_over: bool,
    pub(super) own: &'s mut Vec<Edit<'j>>,
}

impl<'j> Slots<'_, 'j> {
    pub(super) fn take(
        &mut self,
        field: &'static str,
        part: u32,
        manner: Manner,
        value: &'j RawValue,
        event: &mut Event<'_, '_>,
    ) -> Result<(), Blocked> {
        let Some(raw) = inner(value) else { return self.unknown(field, value, event) };
        if self.is_over && !raw.is_empty() {
            // Its beginning has been shown as a whole text: what is cut in two would not be found.
            let message = "a choice goes on after its `finish_reason`, so its texts cannot be read as wholes";
            return Err(Blocked::new(Kind::Unreadable, message));
        }
        let key = Key { of: self.of, field, part };
        let mut shown = String::with_capacity(raw.len());
        event.push(key, manner, raw, &mut shown)?;
        if self.is_finished {
            shown.push_str(&event.finish(key)?);
        }
        if shown != raw {
            self.own.push(Edit::Text(value, shown));
        }
        Ok(())
    }

    pub(super) fn walk(&mut self, name: &str, value: &'j RawValue) {
        self.own.push(Edit::Walk(name.to_owned(), value));
    }

    /// The name of a tool that is called. One that no application gives a tool is a text.
    fn name(&mut self, value: &'j RawValue) {
        if !inner(value).is_some_and(is_name) {
            self.walk("name", value);
        }
    }

    /// A member that the guard does not know: parts of a text in it would pass unseen.
    pub(super) fn unknown(
        &mut self,
        name: &str,
        value: &'j RawValue,
        event: &mut Event<'_, '_>,
    ) -> Result<(), Blocked> {
        event.context.report.unknown += 1;
        match event.context.compiled.policy.unknown {
            Unknown::Block => return Err(unknown_member(name)),
            Unknown::Drop => self.own.push(Edit::Null(value)),
            Unknown::Pass => self.walk(name, value),
        }
        Ok(())
    }

    pub(super) fn delta(
        &mut self,
        name: &str,
        value: &'j RawValue,
        event: &mut Event<'_, '_>,
    ) -> Result<(), Blocked> {
        match (name, shape(value)) {
            (_, Shape::Null) => Ok(()),
            (name, _) if types::is_tokens(name) => {
                self.walk(name, value);
                Ok(())
            }
            (name, Shape::Number | Shape::Truth) if !TEXTS.contains(&name) => Ok(()),
            (name @ "role", _) => {
                self.walk(name, value);
                Ok(())
            }
            (name, Shape::Text) if TEXTS.contains(&name) => {
                let field = TEXTS.iter().find(|known| **known == name).unwrap_or(&CONTENT);
                let manner = if *field == CONTENT { event.content() } else { Manner::Text };
                self.take(field, 0, manner, value, event)
            }
            ("tool_calls", Shape::List) => {
                for (at, call) in List::read(value.get())?.0.iter().enumerate() {
                    self.call(call, at as u32, event)?;
                }
                Ok(())
            }
            ("function_call", Shape::Object) => {
                let call = Object::read(value.get())?;
                event.calls(self.of, 0, call.text("name").as_deref())?;
                for (member, value) in &call.0 {
                    match (member.name.as_ref(), shape(value)) {
                        (_, Shape::Null) => {}
                        ("name", _) => self.name(value),
                        ("arguments", _) => self.take(CALL, 0, Manner::Arguments, value, event)?,
                        (name, _) => self.unknown(name, value, event)?,
                    }
                }
                Ok(())
            }
            ("audio", Shape::Object) => {
                for (member, value) in &Object::read(value.get())?.0 {
                    match member.name.as_ref() {
                        "id" | "expires_at" => {}
                        TRANSCRIPT => self.take(TRANSCRIPT, 0, Manner::Text, value, event)?,
                        "data" if event.context.compiled.policy.media == Pass::Pass => {}
                        "data" => {
                            let message = "audio cannot be masked; set `media = \"pass\"` to let it through";
                            return Err(Blocked::new(Kind::Unmaskable, message));
                        }
                        name => self.unknown(name, value, event)?,
                    }
                }
                Ok(())
            }
            // Whole in one chunk.
            (CITATIONS, Shape::List) => {
                self.own.push(Edit::Cite(value));
                Ok(())
            }
            (EXTRA, Shape::Object) => {
                self.walk(EXTRA, value);
                Ok(())
            }
            _ => self.unknown(name, value, event),
        }
    }

    fn call(&mut self, value: &'j RawValue, at: u32, event: &mut Event<'_, '_>) -> Result<(), Blocked> {
        let call = Object::read(value.get())?;
        let part = call.index("index")?.unwrap_or(at);
        let function = call.get("function").and_then(|function| Object::read(function.get()).ok());
        event.calls(self.of, part, function.and_then(|function| function.text("name")).as_deref())?;
        for (member, value) in &call.0 {
            match (member.name.as_ref(), shape(value)) {
                ("index", _) | (_, Shape::Null) => {}
                ("id", _) => self.walk("id", value),
                // Empty in the parts that some servers send behind the first.
                ("type", _) if matches!(value.get(), "\"function\"" | "\"custom\"" | "\"\"") => {}
                (EXTRA, Shape::Object) => self.walk(EXTRA, value),
                ("function", Shape::Object) => {
                    for (member, value) in &Object::read(value.get())?.0 {
                        match (member.name.as_ref(), shape(value)) {
                            (_, Shape::Null) => {}
                            ("name", _) => self.name(value),
                            ("arguments", _) => self.take(TOOL, part, Manner::Arguments, value, event)?,
                            (name, _) => self.unknown(name, value, event)?,
                        }
                    }
                }
                ("custom", Shape::Object) => {
                    for (member, value) in &Object::read(value.get())?.0 {
                        match (member.name.as_ref(), shape(value)) {
                            (_, Shape::Null) => {}
                            ("name", _) => self.name(value),
                            ("input", _) => self.take(CUSTOM, part, Manner::Text, value, event)?,
                            (name, _) => self.unknown(name, value, event)?,
                        }
                    }
                }
                (name, _) => self.unknown(name, value, event)?,
            }
        }
        Ok(())
    }
}
