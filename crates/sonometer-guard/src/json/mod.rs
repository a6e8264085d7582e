//! JSON that is changed by splicing: what is not replaced stays byte for byte as it came.

mod escapes;
mod source;
pub(crate) mod string;
mod within;
mod wrong;

pub(crate) use source::Source;
use wrong::place;
pub(crate) use wrong::{Wrong, position};

use crate::blocked::{Blocked, Kind};
use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

/// An object with its members in order, each value as written.
#[derive(Debug)]
pub(crate) struct Object<'j>(pub(crate) Vec<(Member<'j>, &'j RawValue)>);

/// A list, each item as written.
#[derive(Debug)]
pub(crate) struct List<'j>(pub(crate) Vec<&'j RawValue>);

/// The name of a member: decoded, and as written between its quotes.
#[derive(Debug)]
pub(crate) struct Member<'j> {
    pub(crate) name: Cow<'j, str>,
    pub(crate) raw: &'j RawValue,
}

struct Members;

impl<'j> Visitor<'j> for Members {
    type Value = Object<'j>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'j>>(self, mut map: A) -> Result<Object<'j>, A::Error> {
        // Few objects of an answer have more members; a list that grows is moved again and again.
        let mut all = Vec::with_capacity(8);
        while let Some(raw) = map.next_key::<&'j RawValue>()? {
            let name = text_of(raw).ok_or_else(|| serde::de::Error::custom("a name that is no text"))?;
            all.push((Member { name, raw }, map.next_value()?));
        }
        Ok(Object(all))
    }
}

struct Items;

impl<'j> Visitor<'j> for Items {
    type Value = List<'j>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'j>>(self, mut items: A) -> Result<List<'j>, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(List(all))
    }
}

impl<'j> Deserialize<'j> for Object<'j> {
    fn deserialize<D: serde::Deserializer<'j>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Members)
    }
}

impl<'j> Deserialize<'j> for List<'j> {
    fn deserialize<D: serde::Deserializer<'j>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(Items)
    }
}

impl<'j> Object<'j> {
    /// Reads an object.
    ///
    /// # Errors
    /// What is wrong if it is none, or if a name stands in it twice: readers differ in which of the two counts.
    pub(crate) fn read(json: &'j str) -> Result<Self, Wrong<'j>> {
        let object: Self = serde_json::from_str(json).map_err(Wrong::Json)?;
        let mut seen = HashSet::new();
        let twice = match object.0.len() {
            0..=8 => (1..object.0.len())
                .find(|at| object.0[..*at].iter().any(|m| m.0.name == object.0[*at].0.name)),
            _ => object.0.iter().position(|(member, _)| !seen.insert(member.name.as_ref())),
        };
        match twice {
            Some(at) => Err(Wrong::Twice(object.0[at].0.raw.get())),
            None => Ok(object),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'j RawValue> {
        self.0.iter().find(|(member, _)| member.name == name).map(|(_, value)| *value)
    }

    /// The text of a member, if it is one.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'j, str>> {
        text_of(self.get(name)?)
    }

    /// The number of a choice, an item, a part or a call, if it has one.
    ///
    /// # Errors
    /// Blocked if it is no number from 0 on: what belongs to one text would be read as part of another.
    pub(crate) fn index(&self, name: &str) -> Result<Option<u32>, Blocked> {
        match self.get(name).filter(|index| shape(index) != Shape::Null) {
            Some(index) => {
                index.get().parse().map(Some).map_err(|_| unreadable("an index that is no number"))
            }
            None => Ok(None),
        }
    }

    /// A whole number.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.get(name)?.get().parse().ok()
    }
}

impl<'j> List<'j> {
    /// Reads a list.
    ///
    /// # Errors
    /// Blocked if it is none.
    pub(crate) fn read(json: &'j str) -> Result<Self, Blocked> {
        serde_json::from_str(json).map_err(|_| unreadable("a list was expected"))
    }
}

fn unreadable(what: &'static str) -> Blocked {
    Blocked::new(Kind::Unreadable, what)
}

/// What kind of value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Object,
    List,
    Text,
    Number,
    /// `true`, `false`.
    Truth,
    Null,
}

pub(crate) fn shape(value: &RawValue) -> Shape {
    match value.get().as_bytes().first() {
        Some(b'{') => Shape::Object,
        Some(b'[') => Shape::List,
        Some(b'"') => Shape::Text,
        Some(b't' | b'f') => Shape::Truth,
        Some(b'n') => Shape::Null,
        _ => Shape::Number,
    }
}

/// What stands between the quotes of a text; `None` if the value is none.
pub(crate) fn inner(value: &RawValue) -> Option<&str> {
    value.get().strip_prefix('"')?.strip_suffix('"')
}

/// A text as it reads. Lone surrogates read as U+FFFD.
pub(crate) fn text_of(value: &RawValue) -> Option<Cow<'_, str>> {
    let inner = inner(value)?;
    Some(if inner.contains('\\') { Cow::Owned(string::decode(inner)) } else { Cow::Borrowed(inner) })
}

/// Replacements in one document, in the order in which they stand in it.
#[derive(Debug)]
pub(crate) struct Edits<'j> {
    document: &'j str,
    edits: Vec<(Range<usize>, String)>,
}

impl<'j> Edits<'j> {
    pub(crate) fn of(document: &'j str) -> Self {
        Self { document, edits: Vec::new() }
    }

    /// Where a part of the document stands in it.
    pub(crate) fn place(&self, part: &str) -> Range<usize> {
        place(self.document, part)
    }

    /// What is wrong with a part of the document, with where it stands.
    pub(crate) fn wrong(&self, wrong: Wrong<'_>) -> Blocked {
        wrong.within(self.document)
    }

    /// Writes something else in the place of a part of the document, unless it is the same.
    pub(crate) fn replace(&mut self, part: &str, by: String) {
        if part != by {
            self.edits.push((self.place(part), by));
        }
    }

    /// The same, where a place is known.
    pub(crate) fn replace_at(&mut self, place: Range<usize>, by: String) {
        self.edits.push((place, by));
    }

    /// How many replacements there are.
    pub(crate) fn len(&self) -> usize {
        self.edits.len()
    }

    /// A part of the document with the replacements in it that came after so many.
    pub(crate) fn since(&self, before: usize, part: &'j str) -> String {
        let start = self.place(part).start;
        let moved =
            |(place, by): &(Range<usize>, String)| (place.start - start..place.end - start, by.clone());
        let edits = self.edits[before..].iter().map(moved).collect();
        Self { document: part, edits }.apply().unwrap_or_else(|| part.to_owned())
    }

    /// The document with all replacements; `None` if there are none.
    pub(crate) fn apply(mut self) -> Option<String> {
        if self.edits.is_empty() {
            return None;
        }
        self.edits.sort_by_key(|(place, _)| place.start);
        let more: usize = self.edits.iter().map(|(_, by)| by.len()).sum();
        let mut text = String::with_capacity(self.document.len() + more);
        let mut done = 0;
        for (place, by) in &self.edits {
            text.push_str(&self.document[done..place.start]);
            text.push_str(by);
            done = place.end;
        }
        text.push_str(&self.document[done..]);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_replaced_changes() {
        let document = r#"{ "b" : 1.50, "a": "x\u00e9", "c":[null ,"y"] }"#;
        let object = Object::read(document).expect("is an object");
        let mut edits = Edits::of(document);
        edits.replace(object.get("a").expect("is there").get(), "\"z\"".to_owned());
        let list = List::read(object.get("c").expect("is there").get()).expect("is a list");
        edits.replace(list.0[1].get(), "2".to_owned());
        assert_eq!(edits.apply().as_deref(), Some(r#"{ "b" : 1.50, "a": "z", "c":[null ,2] }"#));
        assert_eq!(object.text("a").as_deref(), Some("xé"));
    }

    #[test]
    fn a_name_must_not_stand_twice() {
        assert!(Object::read(r#"{"a":1,"b":2,"\u0061":3}"#).is_err());
        let many: Vec<String> = (0..20).map(|n| format!("\"k{}\":0", n % 19)).collect();
        assert!(Object::read(&format!("{{{}}}", many.join(","))).is_err());
    }
}
