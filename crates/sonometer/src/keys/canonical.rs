//! The canonical form of a file: JSON without white space, the keys of its tables in the order of their bytes, defaults included.
//!
//! The model gives its values by name, in any order ([`Members`]). The table decides the rest: which keys there are, which of them are left
//! out at their default ([`Key::left_out`]), and which table the map below a key has.

use super::{Key, Map, Shape};
use crate::json::Json;
use crate::unit::Unit;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// What gives the members of a map. By reference, not generic: a copy of the code below for each map was 2,200 bytes of the module for browsers,
/// by brotli.
type Fill<'a> = &'a dyn Fn(&mut Members);

/// A whole file in its canonical form.
pub(crate) fn canonical(map: &'static Map, fill: Fill<'_>) -> String {
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
    pub(crate) fn write(json: &mut Json, map: &'static Map, fill: Fill<'_>) {
        let mut members = Self { map, members: Vec::new() };
        fill(&mut members);
        json.object(|json| {
            for (key, value) in &members.members {
                json.key(key.name).raw_value(value);
            }
        });
    }

    /// What the table says of a key.
    fn key(&self, name: &str) -> Option<&'static Key> {
        let key = self.map.keys.iter().find(|key| key.name == name);
        debug_assert!(key.is_some(), "the table of {} has no key `{name}`", self.map.name);
        key
    }

    fn insert(&mut self, name: &str, value: Json) {
        let (Some(key), value) = (self.key(name), value.into_text()) else { return };
        let is_default =
            if key.default.is_empty() { value == "[]" || value == "{}" } else { value == key.default };
        if !(key.left_out && is_default) {
            let at = self.members.iter().take_while(|(other, _)| other.name < name).count();
            self.members.insert(at, (key, value));
        }
    }

    /// What every kind of file says of itself; `format` is the key by which it is known.
    pub(crate) fn head(&mut self, format: &str, texts: [&str; 5]) {
        self.count(format, 1);
        for (name, text) in ["id", "name", "version", "status", "description"].into_iter().zip(texts) {
            self.text(name, text);
        }
    }

    pub(crate) fn text(&mut self, name: &str, text: &str) {
        let mut json = Json::default();
        json.string(text);
        self.insert(name, json);
    }

    /// A text, if there is one.
    pub(crate) fn some_text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    pub(crate) fn number(&mut self, name: &str, number: Unit) {
        let mut json = Json::default();
        json.number(number);
        self.insert(name, json);
    }

    pub(crate) fn count(&mut self, name: &str, count: u64) {
        let mut json = Json::default();
        json.count(count);
        self.insert(name, json);
    }

    pub(crate) fn truth(&mut self, name: &str, truth: bool) {
        let mut json = Json::default();
        json.bool(truth);
        self.insert(name, json);
    }

    pub(crate) fn texts(&mut self, name: &str, texts: &[String]) {
        let mut json = Json::default();
        json.texts(texts);
        self.insert(name, json);
    }

    /// A list whose values `inside` writes.
    pub(crate) fn list(&mut self, name: &str, inside: &dyn Fn(&mut Json)) {
        let mut json = Json::default();
        json.list(inside);
        self.insert(name, json);
    }

    /// A map from names of the author, which `inside` writes in an order of its own.
    pub(crate) fn named(&mut self, name: &str, inside: &dyn Fn(&mut Json)) {
        let mut json = Json::default();
        json.object(inside);
        self.insert(name, json);
    }

    /// A map from so many names of the author, in the order of their bytes.
    pub(crate) fn sorted<'n>(
        &mut self,
        name: &str,
        count: usize,
        name_of: &dyn Fn(usize) -> &'n str,
        value: &dyn Fn(usize, &mut Json),
    ) {
        let mut order: Vec<(&str, usize)> = (0..count).map(|at| (name_of(at), at)).collect();
        order.sort_unstable();
        self.named(name, &|json| order.iter().for_each(|(name, at)| value(*at, json.key(name))));
    }

    /// A map with the keys of its table.
    pub(crate) fn map(&mut self, name: &str, fill: Fill<'_>) {
        if let Some(Shape::Map(map)) = self.key(name).map(|key| &key.value) {
            let mut json = Json::default();
            Self::write(&mut json, map, fill);
            self.insert(name, json);
        }
    }

    /// A list of so many maps with the keys of their table.
    pub(crate) fn maps(&mut self, name: &str, count: usize, fill: &dyn Fn(usize, &mut Self)) {
        if let Some(Shape::Maps(map)) = self.key(name).map(|key| &key.value) {
            self.list(name, &|json| (0..count).for_each(|at| Self::write(json, map, &|to| fill(at, to))));
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

    /// Only what the table says is left out, and only at its default.
    #[test]
    fn the_table_decides_about_order_and_what_is_left_out() {
        let with = |young: u64, list: &[String]| {
            canonical(&OUTER, &|to| {
                to.count("z", 1);
                to.count("young", young);
                to.texts("list", list);
                to.texts("old_list", &[]);
                to.map("inner", &|to| {
                    to.text("b", "\"");
                    to.truth("a", true);
                });
            })
        };
        assert_eq!(with(1, &[]), r#"{"inner":{"a":true,"b":"\""},"old_list":[],"z":1}"#);
        assert_eq!(
            with(2, &["x".to_owned()]),
            r#"{"inner":{"a":true,"b":"\""},"list":["x"],"old_list":[],"young":2,"z":1}"#
        );
    }
}
