//! What no mask can stand in: a text that is repeated token by token, and a text with a signature. The first is left out or refused, the
//! second is refused if a mask finds something in it.

use super::{DEEPEST, Kinded, Place, Walk};
use crate::blocked::{Blocked, Kind};
use crate::form::{Form, types};
use crate::json::{List, Object, Shape, inner, shape};
use crate::lane::{Manner, whole};
use crate::policy::{Logprobs, On, Thinking};
use serde_json::value::RawValue;

impl<'j> Walk<'_, '_, 'j> {
    /// Log probabilities and ids of tokens: a text token by token.
    pub(super) fn tokens(&mut self, value: &'j RawValue, place: Place<'_>) -> Result<(), Blocked> {
        let compiled = self.context.compiled;
        // A request asks for them at its top; further down they are those of an earlier answer.
        let asks = self.on == On::Request && place.depth == 1;
        let masks = if self.on == On::Response || asks {
            compiled.masks_answers()
        } else {
            compiled.masks_requests()
        };
        let is_none = matches!(value.get(), "null" | "false" | "0");
        if is_none || !masks || compiled.policy.logprobs == Logprobs::Pass {
            return Ok(());
        }
        if asks {
            return match compiled.policy.logprobs {
                Logprobs::Block => {
                    let message = "log probabilities repeat the text token by token; do not ask for them, or set `logprobs = \"drop\"`";
                    Err(Blocked::new(Kind::Unmaskable, message))
                }
                _ => Ok(()),
            };
        }
        let is_list = self.form == Form::Responses && place.key.ends_with("logprobs");
        let none = if is_list { "[]" } else { "null" };
        if value.get() != none && value.get() != "[]" {
            self.edits.replace(value.get(), none.to_owned());
        }
        Ok(())
    }

    /// What has a signature is never changed.
    pub(super) fn signed(
        &mut self,
        object: &Object<'j>,
        kind: &str,
        place: Place<'_>,
    ) -> Result<(), Blocked> {
        // A summary of the conversation is no thinking.
        let is_summary = object.get("content").is_some();
        for (member, value) in &object.0 {
            let key = member.name.as_ref();
            match key {
                "data" | "encrypted_content" | "type" => {}
                // The history: the provider has it from itself, and its signature tells if it was changed.
                "thinking" | "content" if self.on == On::Request => {}
                "thinking" | "content" => match self.context.compiled.policy.thinking {
                    Thinking::Pass => {}
                    Thinking::Block if !is_summary => {}
                    _ => self.unchanged(value, place)?,
                },
                _ if types::is_opaque(key, value) || types::is_sealed(self.form, self.on, kind, key) => {}
                // No signature is about it.
                _ => self.keyed(
                    value,
                    Place { key, name: key, kind: Kinded::Aside, depth: place.depth + 1, ..place },
                )?,
            }
        }
        match self.context.compiled.policy.thinking {
            Thinking::Block if self.on == On::Response && !is_summary => {
                Err(Blocked::new(Kind::Unmaskable, "thinking is blocked (`thinking = \"block\"`)"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a signed text in which a mask finds something, also where it comes as a list of parts.
    fn unchanged(&mut self, value: &'j RawValue, place: Place<'_>) -> Result<(), Blocked> {
        if place.depth > DEEPEST {
            return Err(Blocked::new(Kind::Unreadable, "JSON that is nested too deeply"));
        }
        let place = Place { depth: place.depth + 1, ..place };
        match shape(value) {
            Shape::Text => {
                let raw = inner(value).unwrap_or_default();
                self.context.count(raw, self.on, place.role)?;
                whole(raw, self.context, self.on, place.role, Manner::Unchanged).map(|_| ())
            }
            Shape::List => List::read(value.get())?.0.iter().try_for_each(|item| self.unchanged(item, place)),
            Shape::Object => {
                let object = Object::read(value.get()).map_err(|wrong| self.edits.wrong(wrong))?;
                object.0.iter().try_for_each(|(_, value)| self.unchanged(value, place))
            }
            _ => Ok(()),
        }
    }
}
