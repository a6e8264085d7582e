//! What can be typed at a place: keys, values, names of markers, lists, classes and roles.

use super::document::File;
use super::names::{self, Named};
use super::outline::{Cursor, Place, beside};
use super::pattern;
use lsp_types::{CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind};
use sonometer::class::Class;
use sonometer::document::{Node, Value};
use sonometer::keys::{Key, Map, Shape};

/// What a path leads to in the table of keys.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Map(&'static Map),
    /// A map with names of the author.
    Named(&'static Shape),
    /// A value of a key.
    Value(&'static Key),
}

/// Follows a path of keys. The key that it ends with, if the table knows it, and what that leads to.
pub(super) fn follow(root: &'static Map, path: &[&str]) -> Option<(Option<&'static Key>, Target)> {
    let mut last = None;
    let mut target = Target::Map(root);
    for name in path {
        target = match target {
            Target::Map(map) => {
                let key = map.keys.iter().find(|key| key.name == *name)?;
                last = Some(key);
                of_shape(&key.value, key)
            }
            Target::Named(shape) => of_shape(shape, last?),
            Target::Value(_) => return None,
        };
    }
    Some((last, target))
}

fn of_shape(shape: &'static Shape, key: &'static Key) -> Target {
    match shape {
        Shape::Map(map) | Shape::Maps(map) => Target::Map(map),
        Shape::Named(shape) => Target::Named(shape),
        _ => Target::Value(key),
    }
}

/// What can be typed at a byte.
pub(super) fn at(file: &File, offset: usize) -> Vec<CompletionItem> {
    let Cursor { path, place } = Cursor::at(file.text(), offset);
    let Some((key, target)) = follow(file.keys(), &path) else { return Vec::new() };
    match (place, target) {
        (Place::Line(written), _) => in_pattern(file, key, written),
        (Place::Key(_), Target::Map(map)) => {
            let there = beside(file.text(), offset);
            let missing = map.keys.iter().filter(|key| !there.contains(&key.name));
            let column = column(file.text(), offset);
            missing.map(|key| of_key(key, column)).collect()
        }
        (Place::Key(_), Target::Named(_)) if path.last() == Some(&"driven") => labels(file),
        (Place::Key(written) | Place::Value(written), Target::Value(key)) => {
            let mut items = values(file, key);
            if pattern::KEYS.contains(&key.name) {
                items.extend(in_pattern(file, Some(key), written));
            }
            items
        }
        (Place::Value(written), Target::Named(Shape::Lines)) => in_pattern(file, key, written),
        _ => Vec::new(),
    }
}

/// The column in which a key of the map at a byte begins.
fn column(text: &str, offset: usize) -> usize {
    let offset = text.floor_char_boundary(offset.min(text.len()));
    let line = &text[text[..offset].rfind('\n').map_or(0, |at| at + 1)..offset];
    line.len() - line.trim_start_matches([' ', '-']).len()
}

fn of_key(key: &'static Key, column: usize) -> CompletionItem {
    let inner = " ".repeat(column + 2);
    let text = match &key.value {
        Shape::Lines => format!("{}: |\n{inner}", key.name),
        Shape::Map(_) | Shape::Named(_) => format!("{}:\n{inner}", key.name),
        Shape::Maps(_) => format!("{}:\n{inner}- ", key.name),
        _ => format!("{}: ", key.name),
    };
    CompletionItem {
        label: key.name.to_owned(),
        kind: Some(CompletionItemKind::PROPERTY),
        detail: Some(if key.required { "required".to_owned() } else { super::hover::shape(&key.value) }),
        documentation: Some(markdown(super::hover::of_key(key))),
        insert_text: Some(text),
        // What must be there comes first.
        sort_text: Some(format!("{}{}", u8::from(!key.required), key.name)),
        ..CompletionItem::default()
    }
}

pub(super) fn markdown(value: String) -> Documentation {
    Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })
}

fn item(label: impl Into<String>, kind: CompletionItemKind, detail: impl Into<String>) -> CompletionItem {
    CompletionItem {
        label: label.into(),
        kind: Some(kind),
        detail: Some(detail.into()),
        ..CompletionItem::default()
    }
}

fn values(file: &File, key: &'static Key) -> Vec<CompletionItem> {
    let named = |names: &[&str]| -> Vec<CompletionItem> {
        names.iter().map(|name| item(*name, CompletionItemKind::ENUM_MEMBER, key.about)).collect()
    };
    let mut items = match &key.value {
        Shape::Name(names) | Shape::Names(names) | Shape::Written { names, .. } => named(names),
        Shape::Truth => named(&["true", "false"]),
        _ => Vec::new(),
    };
    match key.name {
        "marker" | "fires" | "silent" | "to" => items.extend(labels(file)),
        "of" if file.keys().name == "protocol" => {
            items.extend(labels(file));
            items.extend(roles(file));
        }
        "by" | "driven" => items.extend(roles(file)),
        "negation" => items.extend(
            labels(file)
                .into_iter()
                .map(|marker| CompletionItem { label: format!("flip {}", marker.label), ..marker }),
        ),
        "protocol" | "protocols" => items.extend(shipped(sonometer_catalog::protocols())),
        "metric" | "metrics" => items.extend(shipped(sonometer_catalog::metrics())),
        "blueprint" => items.extend(shipped(sonometer_catalog::blueprints())),
        _ => {}
    }
    if items.is_empty() && !matches!(key.value, Shape::Lines | Shape::Text) {
        let plain = |json: &str| json.trim_matches('"').to_owned();
        items.push(item(plain(key.example), CompletionItemKind::VALUE, "for example"));
        if !key.default.is_empty() && key.default != key.example {
            items.push(item(plain(key.default), CompletionItemKind::VALUE, "without the key"));
        }
    }
    items
}

fn shipped(entries: &'static [sonometer_catalog::Entry]) -> impl Iterator<Item = CompletionItem> {
    entries
        .iter()
        .map(|entry| item(format!("{}@{}", entry.id, entry.version), CompletionItemKind::MODULE, "ships"))
}

fn names_of(file: &File, named: Named) -> Vec<String> {
    let mut texts = file.last_tree().map(|root| defined(root, named)).unwrap_or_default();
    texts.sort();
    texts.dedup();
    texts
}

/// The names that a tree defines. The tree may be of an older text, so places in it mean nothing here.
fn defined(root: &Node, named: Named) -> Vec<String> {
    let keys = |name: &str| match root.get(name).map(|node| &node.value) {
        Some(Value::Map(entries)) => entries.iter().map(|(key, _)| key.text.clone()).collect(),
        _ => Vec::new(),
    };
    match named {
        names::Named::List => [keys("lists"), keys("list_files")].concat(),
        names::Named::Marker => match root.get("markers").map(|node| &node.value) {
            Some(Value::List(items)) => {
                let labels = items.iter().filter_map(|item| item.get("label").and_then(Node::text));
                labels.map(|label| label.trim().to_owned()).collect()
            }
            _ => Vec::new(),
        },
    }
}

fn labels(file: &File) -> Vec<CompletionItem> {
    names_of(file, Named::Marker)
        .into_iter()
        .map(|label| item(label, CompletionItemKind::REFERENCE, "a marker"))
        .collect()
}

fn roles(file: &File) -> Vec<CompletionItem> {
    let actants = file.last_tree().and_then(|root| root.get("actants"));
    let texts = ["primary", "secondary", "others"].into_iter().filter_map(|key| actants?.get(key));
    let mut roles: Vec<String> = texts
        .flat_map(|node| match &node.value {
            Value::List(items) => items.iter().filter_map(Node::text).map(str::to_owned).collect(),
            _ => node.text().map(str::to_owned).into_iter().collect::<Vec<_>>(),
        })
        .collect();
    if roles.is_empty() {
        roles = vec!["agent".to_owned(), "customer".to_owned()];
    }
    roles.into_iter().map(|role| item(role, CompletionItemKind::VALUE, "a role")).collect()
}

/// Lists after `@`, classes after `<`.
fn in_pattern(file: &File, key: Option<&'static Key>, written: &str) -> Vec<CompletionItem> {
    let is_pattern = key.is_some_and(|key| pattern::KEYS.contains(&key.name) || key.name == "lists");
    if !is_pattern {
        return Vec::new();
    }
    let word = written
        .rsplit(|letter: char| letter.is_whitespace() || "(|".contains(letter))
        .next()
        .unwrap_or_default();
    if word.starts_with('@') {
        let lists = names_of(file, Named::List).into_iter();
        return lists.map(|list| item(list, CompletionItemKind::VARIABLE, "a list")).collect();
    }
    if word.starts_with('<') {
        let mut classes: Vec<CompletionItem> = Class::ALL
            .into_iter()
            .map(|class| CompletionItem {
                insert_text: Some(format!("{}>", class.name())),
                ..item(class.name(), CompletionItemKind::CLASS, super::hover::class(class.name()))
            })
            .collect();
        for name in ["question", "shout"] {
            classes.push(CompletionItem {
                insert_text: Some(format!("{name}>")),
                ..item(name, CompletionItemKind::CLASS, super::hover::class(name))
            });
        }
        return classes;
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verb::lsp::document::Columns;

    fn offered(text: &str) -> Vec<String> {
        let at = text.find('‸').expect("a cursor");
        let file =
            File::new("file:///x.yaml".parse().expect("an address"), 1, text.replace('‸', ""), Columns::Utf8);
        self::at(&file, at).into_iter().map(|item| item.label).collect()
    }

    #[test]
    fn keys_that_are_missing_are_offered() {
        let keys = offered("sonometer: 1\nid: x\nmarkers:\n  - label: a\n    s‸\n    hit: b\n");
        assert!(keys.contains(&"strong".to_owned()) && keys.contains(&"scope".to_owned()), "{keys:?}");
        assert!(!keys.contains(&"label".to_owned()) && !keys.contains(&"hit".to_owned()), "{keys:?}");
        assert!(offered("sonometer_stage: 1\nst‸").contains(&"start".to_owned()));
    }

    #[test]
    fn values_and_names_are_offered() {
        assert_eq!(offered("sonometer: 1\nscore: ‸"), ["mean", "risk", "any"]);
        let head = "sonometer: 1\nactants: {primary: tutor}\nlists: {kind: warm}\nmarkers:\n  - label: a\n    strong: |\n      x\n";
        assert_eq!(offered(&format!("{head}    by: ‸\n")), ["tutor"]);
        assert_eq!(offered(&format!("{head}      @‸\n")), ["kind"]);
        assert!(offered(&format!("{head}      mail <‸\n")).contains(&"email".to_owned()));
        assert_eq!(offered(&format!("{head}    hit: |\n      @‸\n")), [""; 0]);
        assert_eq!(
            offered(&format!("{head}tests:\n  - name: b\n    talk: c\n    expect: {{fires: [‸]}}\n")),
            ["a"]
        );
        assert!(
            offered("sonometer_metric: 1\ncomponents:\n  - protocol: ‸")
                .iter()
                .any(|id| id.starts_with("courtesy@"))
        );
    }
}
