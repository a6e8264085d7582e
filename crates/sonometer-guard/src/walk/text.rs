//! Texts and numbers of a body: read by rules, masked, and held to the schema of the request.

use super::{Kinded, Place, Said, Walk};
use crate::blocked::Blocked;
use crate::json::inner;
use crate::json::string::{decode, meant};
use crate::lane::{LONGEST_CALLED, Manner, called, masked_number, number, whole_and_moves};
use crate::policy::{On, Role};
use crate::schema::Schema;
use serde_json::value::RawValue;
use std::sync::Arc;

impl<'j> Walk<'_, '_, 'j> {
    /// A number in quotes, which is read with the name beside it as one without them.
    pub(super) fn digits(
        &mut self,
        digits: &str,
        value: &'j RawValue,
        place: Place<'_>,
    ) -> Result<(), Blocked> {
        self.context.count(digits, self.on, place.role)?;
        if let Some(read) = &mut self.read {
            read.push(Said { role: place.role, text: called(place.name, digits), is_answer: false });
        }
        if let Some(shown) = masked_number(digits, place.name, self.context, self.on, place.role)? {
            self.edits.replace(value.get(), format!("\"{shown}\""));
        }
        Ok(())
    }

    pub(super) fn number(&mut self, value: &'j RawValue, place: Place<'_>) -> Result<(), Blocked> {
        self.context.count(value.get(), self.on, place.role)?;
        let mut written = String::new();
        number(value.get(), place.name, self.context, self.on, place.role, false, &mut written)?;
        self.edits.replace(value.get(), written);
        Ok(())
    }

    pub(super) fn text(&mut self, value: &'j RawValue, place: Place<'_>) -> Result<(), Blocked> {
        let Some(raw) = inner(value) else { return Ok(()) };
        if raw.is_empty() {
            return Ok(());
        }
        let manner = self.manner(raw, place);
        let known = self.known.and_then(|known| known.get(&(raw.into(), manner)));
        if known.is_none() {
            self.context.count(raw, self.on, place.role)?;
        }
        // What came in parts was judged with them.
        if let Some(read) = self.read.as_mut().filter(|_| known.is_none()) {
            let is_content = matches!(place.key, "content" | "text") && place.kind == Kinded::Plain;
            let is_answer = self.on == On::Response && manner == Manner::Text && is_content;
            read.push(Said { role: place.role, text: meant(raw), is_answer });
        }
        let written = match known {
            Some((shown, moves)) => {
                self.follow(place.key, || moves.clone());
                shown.to_string()
            }
            None => {
                let masked = self.context.report.masked_answer;
                let (written, moves) = whole_and_moves(raw, self.context, self.on, place.role, manner)?;
                self.follow(place.key, || moves);
                let schema = self.schema_of(place).filter(|_| manner == Manner::Arguments);
                if let Some(schema) = schema.filter(|_| self.context.report.masked_answer > masked) {
                    schema.check(&decode(&written))?;
                }
                written
            }
        };
        // JSON within a text is written anew; what reads the same stays as it was.
        let is_same = written == raw || manner == Manner::Arguments && decode(&written) == decode(raw);
        if !is_same {
            self.edits.replace(value.get(), format!("\"{written}\""));
        }
        Ok(())
    }

    /// The schema that JSON in a place is held to.
    pub(super) fn schema_of(&self, place: Place<'_>) -> Option<Arc<Schema>> {
        let schemas = self.schemas?;
        match place.tool {
            Some(tool) => schemas.tool(tool),
            None => schemas.content().filter(|_| matches!(place.key, "content" | "text")),
        }
    }

    fn manner(&self, raw: &str, place: Place<'_>) -> Manner {
        match place.key {
            "arguments" | "partial_json" if place.kind != Kinded::Free => Manner::Arguments,
            // What tools answer is JSON as a text more often than not, and its escapes hide characters.
            _ if place.role == Role::Tool && is_json(raw) => Manner::Arguments,
            "content" | "text" if self.is_json && self.on == On::Response && is_json(raw) => {
                Manner::Arguments
            }
            _ if place.kind == Kinded::Free => Manner::Value,
            _ => Manner::Text,
        }
    }
}

/// Whether a text is a number that the name beside it says more about.
pub(super) fn is_called(text: &str) -> bool {
    (1..=LONGEST_CALLED).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether what stands between quotes is an object or a list.
fn is_json(raw: &str) -> bool {
    let text = decode(raw);
    let text = text.trim_start();
    text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}
