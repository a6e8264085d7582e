//! What can be typed at a place: keys, values, names of markers, lists, classes and roles.

use super::draft::{Draft, items};
use super::names::Named;
use super::outline::{Cursor, Place, beside};
use super::{explain, pattern};
use sonometer::TargetKind;
use sonometer::document::{Node, Value};
use sonometer::keys::{Key, Map, Shape};

/// What can be typed at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completions {
    /// The byte at which what is written so far begins; what is chosen takes the place of it.
    pub from: usize,
    /// What can be chosen, keys that must be there first.
    pub items: Vec<Item>,
}

/// One thing that can be typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What is shown, and matched with what is written.
    pub label: String,
    /// What it is.
    pub kind: Kind,
    /// What it is, in a few words.
    pub detail: String,
    /// What it means, in Markdown; empty where the detail says all.
    pub about: String,
    /// What is put in; the label where it is `None`.
    pub insert: Option<String>,
}

/// What an [`Item`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A key that must be there.
    Required,
    /// Any other key.
    Key,
    /// One of a fixed set of names.
    Name,
    /// An example of a value.
    Value,
    /// A role.
    Role,
    /// A marker of the file.
    Marker,
    /// A list of the file.
    List,
    /// A class of the phrase language.
    Class,
    /// A protocol, metric or blueprint that ships.
    Shipped,
}

impl Kind {
    /// Its name, for JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Key => "key",
            Self::Name => "name",
            Self::Value => "value",
            Self::Role => "role",
            Self::Marker => "marker",
            Self::List => "list",
            Self::Class => "class",
            Self::Shipped => "shipped",
        }
    }
}

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

/// What can be typed at a byte. `shipped` gives what ships of a kind, each as `id@version`.
pub fn complete(draft: &Draft, offset: usize, shipped: &dyn Fn(TargetKind) -> Vec<String>) -> Completions {
    let offset = draft.text().floor_char_boundary(offset.min(draft.text().len()));
    let mut offer = Offer { draft, shipped, from: offset };
    let mut items = offer.at(offset);
    items.sort_by_key(|item| item.kind != Kind::Required);
    Completions { from: offer.from, items }
}

struct Offer<'d> {
    draft: &'d Draft,
    shipped: &'d dyn Fn(TargetKind) -> Vec<String>,
    from: usize,
}

impl Offer<'_> {
    fn at(&mut self, offset: usize) -> Vec<Item> {
        let Self { draft, .. } = *self;
        let Cursor { path, place } = Cursor::at(draft.text(), offset);
        let Some((key, target)) = follow(draft.keys(), &path) else { return Vec::new() };
        match place {
            Place::Key(written) | Place::Value(written) => self.from = offset - written.len(),
            Place::Line(_) => {}
        }
        match (place, target) {
            (Place::Line(written), _) => self.in_pattern(offset, key, written),
            (Place::Key(_), Target::Map(map)) => {
                let there = beside(draft.text(), offset);
                let missing = map.keys.iter().filter(|key| !there.contains(&key.name));
                let column = column(draft.text(), offset);
                missing.map(|key| of_key(key, column)).collect()
            }
            (Place::Key(_), Target::Named(_)) if path.last() == Some(&"driven") => labels(draft),
            (Place::Key(written) | Place::Value(written), Target::Value(key)) => {
                let mut items = self.values(key);
                if pattern::KEYS.contains(&key.name) {
                    items.extend(self.in_pattern(offset, Some(key), written));
                }
                items
            }
            (Place::Value(written), Target::Named(Shape::Lines)) => self.in_pattern(offset, key, written),
            _ => Vec::new(),
        }
    }

    fn values(&self, key: &'static Key) -> Vec<Item> {
        let Self { draft, .. } = *self;
        let named = |names: &[&str]| -> Vec<Item> {
            names.iter().map(|name| item(*name, Kind::Name, key.about)).collect()
        };
        let mut items = match &key.value {
            Shape::Name(names) | Shape::Names(names) | Shape::Written { names, .. } => named(names),
            Shape::Truth => named(&["true", "false"]),
            _ => Vec::new(),
        };
        match key.name {
            "marker" | "fires" | "silent" | "to" => items.extend(labels(draft)),
            "of" if draft.keys().name == "protocol" => {
                items.extend(labels(draft));
                items.extend(roles(draft));
            }
            "by" | "driven" | "primary" | "secondary" | "others" => items.extend(roles(draft)),
            "negation" => {
                let flipped = |marker: Item| Item { label: format!("flip {}", marker.label), ..marker };
                items.extend(labels(draft).into_iter().map(flipped));
            }
            "protocol" | "protocols" => items.extend(self.shipped(TargetKind::Protocol)),
            "metric" | "metrics" => items.extend(self.shipped(TargetKind::Metric)),
            "blueprint" => items.extend(self.shipped(TargetKind::Blueprint)),
            _ => {}
        }
        if items.is_empty() && !matches!(key.value, Shape::Lines | Shape::Text) {
            let plain = |json: &str| json.trim_matches('"').to_owned();
            items.push(item(plain(key.example), Kind::Value, "for example"));
            if !key.default.is_empty() && key.default != key.example {
                items.push(item(plain(key.default), Kind::Value, "without the key"));
            }
        }
        items
    }

    fn shipped(&self, kind: TargetKind) -> impl Iterator<Item = Item> {
        (self.shipped)(kind).into_iter().map(|name| item(name, Kind::Shipped, "ships"))
    }

    /// Lists after `@`, classes after `<`.
    fn in_pattern(&mut self, offset: usize, key: Option<&'static Key>, written: &str) -> Vec<Item> {
        let is_pattern = key.is_some_and(|key| pattern::KEYS.contains(&key.name) || key.name == "lists");
        if !is_pattern {
            return Vec::new();
        }
        let word = written
            .rsplit(|letter: char| letter.is_whitespace() || "(|".contains(letter))
            .next()
            .unwrap_or_default();
        let items: Vec<Item> = match word.as_bytes().first() {
            Some(b'@') => {
                let lists = names_of(self.draft, Named::List).into_iter();
                lists.map(|list| item(list, Kind::List, "a list")).collect()
            }
            Some(b'<') => explain::classes()
                .map(|(name, about)| Item {
                    insert: Some(format!("{name}>")),
                    ..item(name, Kind::Class, about)
                })
                .collect(),
            _ => return Vec::new(),
        };
        self.from = offset - (word.len() - 1);
        items
    }
}

/// The column in which a key of the map at a byte begins.
fn column(text: &str, offset: usize) -> usize {
    let offset = text.floor_char_boundary(offset.min(text.len()));
    let line = &text[text[..offset].rfind('\n').map_or(0, |at| at + 1)..offset];
    line.len() - line.trim_start_matches([' ', '-']).len()
}

fn of_key(key: &'static Key, column: usize) -> Item {
    let inner = " ".repeat(column + 2);
    let text = match &key.value {
        Shape::Lines => format!("{}: |\n{inner}", key.name),
        Shape::Map(_) | Shape::Named(_) => format!("{}:\n{inner}", key.name),
        Shape::Maps(_) => format!("{}:\n{inner}- ", key.name),
        _ => format!("{}: ", key.name),
    };
    Item {
        label: key.name.to_owned(),
        kind: if key.required { Kind::Required } else { Kind::Key },
        detail: if key.required { "required".to_owned() } else { explain::shape(&key.value) },
        about: explain::of_key(key),
        insert: Some(text),
    }
}

fn item(label: impl Into<String>, kind: Kind, detail: impl Into<String>) -> Item {
    Item { label: label.into(), kind, detail: detail.into(), about: String::new(), insert: None }
}

fn names_of(draft: &Draft, named: Named) -> Vec<String> {
    let mut texts = draft.last_tree().map(|root| defined(root, named)).unwrap_or_default();
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
        Named::List => [keys("lists"), keys("list_files")].concat(),
        Named::Marker => {
            let markers = root.get("markers").map(items).unwrap_or_default();
            let labels = markers.iter().filter_map(|item| item.get("label").and_then(Node::text));
            labels.map(|label| label.trim().to_owned()).collect()
        }
    }
}

fn labels(draft: &Draft) -> Vec<Item> {
    names_of(draft, Named::Marker).into_iter().map(|label| item(label, Kind::Marker, "a marker")).collect()
}

fn roles(draft: &Draft) -> Vec<Item> {
    let actants = draft.last_tree().and_then(|root| root.get("actants"));
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
    roles.into_iter().map(|role| item(role, Kind::Role, "a role")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Completions {
        let at = text.find('‸').expect("a cursor");
        let shipped = |kind: TargetKind| match kind {
            TargetKind::Protocol => vec!["courtesy@1.0".to_owned()],
            _ => Vec::new(),
        };
        complete(&Draft::new(text.replace('‸', "")), at, &shipped)
    }

    fn offered(text: &str) -> Vec<String> {
        all(text).items.into_iter().map(|item| item.label).collect()
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
        assert_eq!(offered("sonometer_metric: 1\ncomponents:\n  - protocol: ‸"), ["courtesy@1.0"]);
    }
    #[test]
    fn what_is_written_is_replaced() {
        let head = "sonometer: 1\nlists: {kind: warm}\nmarkers:\n  - label: a\n";
        for (more, written) in [
            ("    stro‸", "stro"),
            ("    negation: flip a‸", "flip a"),
            ("    strong: |\n      mail (<em‸", "em"),
            ("    strong: |\n      @ki‸", "ki"),
            ("    when: {marker: a‸", "a"),
        ] {
            let text = format!("{head}{more}");
            let Completions { from, items } = all(&text);
            assert!(!items.is_empty(), "{text}");
            assert_eq!(&text.replace('‸', "")[from..], written, "{text}");
        }
        let first = all("sonometer: 1\n‸").items.remove(0);
        assert_eq!((first.kind, first.insert.as_deref()), (Kind::Required, Some("id: ")));
    }
}
