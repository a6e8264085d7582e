//! The canonical form of a file: JSON without white space, the keys of its tables in the order of their bytes, defaults included.
//!
//! The model gives its values by name, in any order ([`Members`]). The table decides the rest: which keys there are, which of them are left
//! out at their default ([`Key::left_out`]), and which table the map below a key has.

use super::{Key, Map, Shape};
use crate::json::Json;
use crate::unit::Unit;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A whole file in its canonical form.
pub(crate) fn canonical(map: &'static Map, fill: impl FnOnce(&mut Members)) -> String {
    let mut json = Json::with_capacity(4096);
    Members::write(&mut json, map, fill);
    json.into_text()
}

/// `sha256:` and the hexadecimal SHA-256 of these bytes: of a canonical form, its identity.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The members of one map, sorted by their keys: bytes of a digest, so the order in which the model gives them must not matter.
pub(crate) struct Members {
    map: &'static Map,
    /// Each with its value as JSON. A map has at most 40 keys, so inserting in the middle costs less than a tree would.
    members: Vec<(&'static Key, String)>,
}

impl Members {
    /// Writes a map with the keys of a table.
    pub(crate) fn write(json: &mut Json, map: &'static Map, fill: impl FnOnce(&mut Self)) {
        let mut members = Self { map, members: Vec::new() };
        fill(&mut members);
        json.object(|json| {
            for (key, value) in &members.members {
                json.key(key.name).raw_value(value);
            }
        });
    }

    /// The value of a key, as `write` writes it.
    pub(crate) fn value(&mut self, name: &str, write: impl FnOnce(&mut Json)) {
        let mut json = Json::default();
        write(&mut json);
        self.insert(name, json.into_text());
    }

    fn insert(&mut self, name: &str, value: String) {
        let key = self.map.keys.iter().find(|key| key.name == name);
        debug_assert!(key.is_some(), "the table of {} has no key `{name}`", self.map.name);
        let Some(key) = key else { return };
        let is_default =
            if key.default.is_empty() { matches!(&*value, "[]" | "{}") } else { value == key.default };
        if !(key.left_out && is_default) {
            let at = self.members.partition_point(|(other, _)| other.name < name);
            self.members.insert(at, (key, value));
        }
    }

    pub(crate) fn text(&mut self, name: &str, text: &str) {
        self.value(name, |json| json.string(text));
    }

    /// A text, if there is one.
    pub(crate) fn some_text(&mut self, name: &str, text: Option<&str>) {
        text.into_iter().for_each(|text| self.text(name, text));
    }

    /// A value as it is displayed, if there is one.
    pub(crate) fn shown(&mut self, name: &str, value: Option<&dyn std::fmt::Display>) {
        value.into_iter().for_each(|value| self.text(name, &value.to_string()));
    }

    pub(crate) fn number(&mut self, name: &str, number: Unit) {
        self.value(name, |json| json.number(number));
    }

    pub(crate) fn count(&mut self, name: &str, count: u64) {
        self.value(name, |json| json.count(count));
    }

    pub(crate) fn truth(&mut self, name: &str, truth: bool) {
        self.value(name, |json| json.bool(truth));
    }

    /// A list of texts.
    pub(crate) fn texts<T: AsRef<str>>(&mut self, name: &str, texts: impl IntoIterator<Item = T>) {
        self.value(name, |json| {
            json.list(|json| texts.into_iter().for_each(|text| json.string(text.as_ref())))
        });
    }

    /// A map with the keys of its table.
    pub(crate) fn map(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        let map = self.inner(name);
        self.value(name, |json| Self::write(json, map, fill));
    }

    /// A list of maps with the keys of their table.
    pub(crate) fn maps<'a, T: 'a>(&mut self, name: &str, items: &'a [T], fill: impl Fn(&'a T, &mut Self)) {
        let map = self.inner(name);
        self.value(name, |json| {
            json.list(|json| items.iter().for_each(|item| Self::write(json, map, |to| fill(item, to))));
        });
    }

    /// A map from names of the author, in the order given, to maps with the keys of their table.
    pub(crate) fn named_maps<'a, T: 'a>(
        &mut self,
        name: &str,
        entries: &'a [(String, T)],
        fill: impl Fn(&'a T, &mut Self),
    ) {
        let map = self.inner(name);
        self.named(name, entries, |json, value| Self::write(json, map, |to| fill(value, to)));
    }

    /// A map from names of the author, in the order given, to values.
    pub(crate) fn named<'a, T: 'a>(
        &mut self,
        name: &str,
        entries: impl IntoIterator<Item = &'a (String, T)>,
        write: impl Fn(&mut Json, &'a T),
    ) {
        self.value(name, |json| {
            json.object(|json| {
                for (name, value) in entries {
                    write(json.key(name), value);
                }
            });
        });
    }

    /// The table of the map, or of the maps, below a key.
    fn inner(&self, name: &str) -> &'static Map {
        let key = self.map.keys.iter().find(|key| key.name == name);
        match key.map(|key| &key.value) {
            Some(Shape::Map(inner) | Shape::Maps(inner) | Shape::Named(Shape::Map(inner))) => inner,
            _ => unreachable!("the table of {} has no map `{name}`", self.map.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{key, map};

    static INNER: Map = map("inner", &[key("b", Shape::Text, "", ""), key("a", Shape::Truth, "", "")]);
    static OUTER: Map = map(
        "outer",
        &[
            key("z", Shape::Count(1, 9), "", "").default("1"),
            key("young", Shape::Count(1, 9), "", "").default("1").left_out(),
            key("list", Shape::Texts, "", "").left_out(),
            key("old_list", Shape::Texts, "", ""),
            key("inner", Shape::Map(&INNER), "", ""),
        ],
    );

    /// One text by hand: only what the table says is left out, and only at its default.
    #[test]
    fn the_table_decides_about_order_and_what_is_left_out() {
        let with = |young: u64, list: &[&str]| {
            canonical(&OUTER, |to| {
                to.count("z", 1);
                to.count("young", young);
                to.texts("list", list);
                to.texts("old_list", [""; 0]);
                to.map("inner", |to| {
                    to.text("b", "\"");
                    to.truth("a", true);
                });
            })
        };
        assert_eq!(with(1, &[]), r#"{"inner":{"a":true,"b":"\""},"old_list":[],"z":1}"#);
        assert_eq!(
            with(2, &["x"]),
            r#"{"inner":{"a":true,"b":"\""},"list":["x"],"old_list":[],"young":2,"z":1}"#
        );
    }
}
