//! Paths to labels, and which there are.

use super::Item;
use super::class::{plain, scalars};
use crate::error::{Error, Place};
use serde_json::Value;
use sonometer::diagnostic::some_of;
use sonometer::document::suggest;
use std::collections::BTreeSet;
use std::fmt;

/// The way to a label below `labels`: names with dots between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path(String);

impl From<&str> for Path {
    fn from(text: &str) -> Self {
        // `labels.` is where every path begins, whether it is written or not.
        Self(text.strip_prefix("labels.").unwrap_or(text).trim().to_owned())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Path {
    /// The value at the path. A name may itself hold dots: the longest that is there counts.
    pub(crate) fn find<'v>(&self, labels: &'v Value) -> Option<&'v Value> {
        walk(labels, &self.0)
    }

    /// The values that the label of an item has, each once: one, or those of a list; none where it has no label.
    pub(crate) fn values(&self, item: &Item) -> BTreeSet<String> {
        let mut values = BTreeSet::new();
        if let Some(value) = self.find(&item.labels) {
            scalars(value, &mut values);
        }
        values
    }

    /// The value as a key of groups and folds; an item without one is a group of its own.
    pub(crate) fn key(&self, item: &Item) -> String {
        match self.find(&item.labels) {
            None | Some(Value::Null) => item.id.clone(),
            Some(value) => plain(value),
        }
    }
}

fn walk<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let map = value.as_object()?;
    if let Some(found) = map.get(path) {
        return Some(found);
    }
    let dots = path.rmatch_indices('.').map(|(at, _)| at);
    dots.into_iter().find_map(|at| walk(map.get(&path[..at])?, &path[at + 1..]))
}

/// What is said where there are none.
const NONE: &str = "no item has labels; add them under `labels`, or one as `label`";
/// What most tables call their label.
const USUAL: &str = "label";

/// The labels that were seen, for saying so.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Paths of values that are no objects.
    leaves: BTreeSet<String>,
    /// Paths of objects.
    branches: BTreeSet<String>,
}

impl Seen {
    pub(super) fn add(&mut self, labels: &Value) {
        self.walk(labels, "");
    }

    fn walk(&mut self, value: &Value, path: &str) {
        match value {
            Value::Object(map) => {
                for (name, inner) in map {
                    self.walk(inner, &if path.is_empty() { name.clone() } else { format!("{path}.{name}") });
                }
                self.branches.insert(path.to_owned());
            }
            _ if self.leaves.contains(path) => {}
            _ => {
                self.leaves.insert(path.to_owned());
            }
        }
    }

    /// Fails unless some item has the label.
    pub(super) fn expect(&self, file: &str, path: &Path) -> Result<(), Error> {
        if self.leaves.contains(&path.0) {
            return Ok(());
        }
        let inside = format!("{}.", path.0);
        let below: Vec<&str> =
            self.leaves.iter().filter(|leaf| leaf.starts_with(&inside)).map(String::as_str).collect();
        if self.branches.contains(&path.0) && !below.is_empty() {
            let below = some_of(&below);
            return Err(Error::at(
                Place::of(file),
                format!("`{path}` holds several labels: {below}; name one"),
            ));
        }
        if self.leaves.is_empty() {
            return Err(Error::at(Place::of(file), NONE));
        }
        let all: Vec<&str> = self.leaves.iter().map(String::as_str).collect();
        let fix = suggest(&path.0, &all).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Err(Error::at(
            Place::of(file),
            format!("no item has the label `{path}`; the labels are {}{fix}", some_of(&all)),
        ))
    }

    /// The label, where there is only one, or one that is called so.
    pub(super) fn only(&self, file: &str) -> Result<Path, Error> {
        let all: Vec<&str> = self.leaves.iter().map(String::as_str).collect();
        if self.leaves.contains(USUAL) {
            return Ok(Path(USUAL.to_owned()));
        }
        match all[..] {
            [one] => Ok(Path(one.to_owned())),
            [] => Err(Error::at(Place::of(file), NONE)),
            _ => Err(Error::at(
                Place::of(file),
                format!("the items have several labels: {}; choose one with --label", some_of(&all)),
            )),
        }
    }
}

/// What a JSON value is, with its article.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn finds_values_below_labels() {
        let labels = json!({"a": {"b": 1, "c.d": {"e": 2}}, "x.y": 3});
        let at = |path: &str| Path::from(path).find(&labels).cloned();
        assert_eq!(at("a.b"), Some(json!(1)));
        assert_eq!(at("labels.a.b"), Some(json!(1)));
        assert_eq!(at("a.c.d.e"), Some(json!(2)));
        assert_eq!(at("x.y"), Some(json!(3)));
        assert_eq!(at("a.z"), None);
        assert_eq!(at("a.b.c"), None);
    }

    #[test]
    fn says_which_labels_there_are() {
        let mut seen = Seen::default();
        seen.add(&json!({"outcome": {"a": 1, "b": 2}}));
        let told = |path: &str| match seen.expect("f", &Path::from(path)) {
            Err(error) => error.to_string(),
            Ok(()) => "nothing is wrong".to_owned(),
        };
        assert_eq!(told("outcome"), "f: `outcome` holds several labels: outcome.a, outcome.b; name one");
        assert!(told("outcom.a").ends_with("; did you mean `outcome.a`?"), "{}", told("outcom.a"));
        assert!(seen.only("f").is_err());
        let mut one = Seen::default();
        one.add(&json!({"deep": {"label": true}}));
        assert_eq!(one.only("f").expect("is the only one"), Path::from("deep.label"));
        one.add(&json!({"label": 1, "source": "forum"}));
        assert_eq!(one.only("f").expect("is called so"), Path::from("label"));
    }
}
