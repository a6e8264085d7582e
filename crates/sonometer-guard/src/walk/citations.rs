//! Citations: where the texts move to that they speak of.

use super::Walk;
use crate::json::{Object, Shape, shape};
use crate::moves::Moves;
use crate::policy::On;
use serde_json::value::RawValue;

impl<'j> Walk<'_, '_, 'j> {
    /// Whether an object is one that citations speak of, or a citation of a document; what held around it.
    pub(super) fn begin_citations(&mut self, object: &Object<'j>, kind: &str) -> Option<Moves> {
        let moves = match kind {
            "document" => {
                self.follows = self.is_text_source(object).then_some("data");
                Moves::default()
            }
            "char_location" => {
                let at = object.number("document_index").and_then(|at| usize::try_from(at).ok());
                let documents = self.context.documents.as_ref();
                let moves = at.and_then(|at| documents?.get(at)).cloned().unwrap_or_default();
                if self.on == On::Request { moves.back() } else { moves }
            }
            _ if object.get("annotations").is_some_and(|list| shape(list) == Shape::List) => {
                let is_text = |key: &&str| object.get(key).is_some_and(|text| shape(text) == Shape::Text);
                self.follows = ["text", "content"].into_iter().find(is_text);
                Moves::default()
            }
            _ => return None,
        };
        Some(std::mem::replace(&mut self.moves, moves))
    }

    pub(super) fn end_citations(&mut self, kind: &str, outer: Moves) {
        let moves = std::mem::replace(&mut self.moves, outer);
        self.follows = None;
        if kind == "document"
            && let Some(documents) = self.context.documents.as_mut()
        {
            documents.push(if self.on == On::Request { moves.back() } else { moves });
        }
    }

    /// Notes where a text moved to that citations speak of.
    pub(super) fn follow(&mut self, key: &str, moves: impl FnOnce() -> Moves) {
        if self.follows == Some(key) {
            self.moves = moves();
        }
    }

    /// A place in a text that moved.
    pub(super) fn place(&mut self, value: &'j RawValue, key: &str) {
        if let Ok(at) = value.get().parse() {
            let moved = self.moves.place(at, key.starts_with("end"));
            self.edits.replace(value.get(), moved.to_string());
        }
    }
}
