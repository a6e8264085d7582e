//! The difference of two protocols, metrics or blueprints, by their canonical JSON.

use crate::diff::{Change, changes};
use serde::Serialize;
use serde_json::Value;
use sonometer::Document;
use sonometer_author::test::entries;

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Difference {
    /// Where: the keys from the outside in; a marker and a test by its name.
    pub(super) at: Vec<String>,
    /// What was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) old: Option<String>,
    /// What is there now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) new: Option<String>,
}

/// Every difference, markers in their order.
pub(super) fn difference(old: &Document, new: &Document) -> Vec<Difference> {
    let value = |document: &Document| serde_json::from_str(&document.to_canonical_json()).unwrap_or_default();
    let mut found = Vec::new();
    compare(&mut Vec::new(), &value(old), &value(new), &mut found);
    found
}

fn compare(at: &mut Vec<String>, old: &Value, new: &Value, found: &mut Vec<Difference>) {
    match (old, new) {
        (old, new) if old == new => {}
        (Value::Object(before), Value::Object(after)) => {
            let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
            keys.sort_unstable();
            keys.dedup();
            for key in keys {
                let value =
                    |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or(Value::Null);
                inside(at, key, |at| compare(at, &value(before), &value(after), found));
            }
        }
        (old, new) => match (named(old), named(new), lines(at, old), lines(at, new)) {
            (Some(before), Some(after), ..) => compare_named(at, &before, &after, found),
            (_, _, Some(before), Some(after)) => compare_lines(at, &before, &after, found),
            _ => found.push(Difference { at: at.clone(), old: plain(old), new: plain(new) }),
        },
    }
}

/// Markers and tests, which have names: each is compared with its namesake.
fn compare_named(
    at: &mut Vec<String>,
    old: &[(&str, &Value)],
    new: &[(&str, &Value)],
    found: &mut Vec<Difference>,
) {
    let of = |list: &[(&str, &Value)], name: &str| {
        list.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).clone())
    };
    for (name, value) in old {
        match of(new, name) {
            Some(other) => inside(at, name, |at| compare(at, value, &other, found)),
            None => found.push(Difference { at: at.clone(), old: Some((*name).to_owned()), new: None }),
        }
    }
    for (name, _) in new.iter().filter(|(name, _)| of(old, name).is_none()) {
        found.push(Difference { at: at.clone(), old: None, new: Some((*name).to_owned()) });
    }
    let both = |list: &[(&str, &Value)], other: &[(&str, &Value)]| -> Vec<String> {
        list.iter()
            .filter(|(name, _)| of(other, name).is_some())
            .map(|(name, _)| (*name).to_owned())
            .collect()
    };
    let (before, after) = (both(old, new), both(new, old));
    if before != after {
        let order = |names: Vec<String>| Some(names.join(", "));
        inside(at, "order", |at| {
            found.push(Difference { at: at.clone(), old: order(before), new: order(after) })
        });
    }
}

fn compare_lines(at: &[String], old: &[String], new: &[String], found: &mut Vec<Difference>) {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
    for change in changes(&old, &new) {
        match change {
            Change::Same(_) => {}
            Change::Gone(line) => {
                found.push(Difference { at: at.to_vec(), old: Some(line.to_owned()), new: None })
            }
            Change::Come(line) => {
                found.push(Difference { at: at.to_vec(), old: None, new: Some(line.to_owned()) })
            }
        }
    }
}

fn inside(at: &mut Vec<String>, key: &str, run: impl FnOnce(&mut Vec<String>)) {
    at.push(key.to_owned());
    run(at);
    at.pop();
}

/// The items of a list that have a `label` or `name`; components go by their `protocol`.
fn named<'v>(value: &'v Value) -> Option<Vec<(&'v str, &'v Value)>> {
    let items = match value {
        Value::Null => return Some(Vec::new()),
        Value::Array(items) => items,
        _ => return None,
    };
    let name = |item: &'v Value| ["label", "name", "protocol"].iter().find_map(|key| item.get(key))?.as_str();
    items.iter().map(|item| Some((name(item)?, item))).collect()
}

/// The texts of a list; the entries of a named list, each for itself.
fn lines(at: &[String], value: &Value) -> Option<Vec<String>> {
    let items = match value {
        Value::Null => return Some(Vec::new()),
        Value::Array(items) => items,
        _ => return None,
    };
    let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    let is_list = at.first().is_some_and(|key| key == "lists");
    Some(
        texts?
            .into_iter()
            .flat_map(|text| if is_list { entries(text) } else { vec![text] })
            .map(str::to_owned)
            .collect(),
    )
}

/// A value as an author would write it.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
