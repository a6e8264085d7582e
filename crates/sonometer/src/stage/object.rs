//! Objects of JSON, read strictly.
//!
//! The first mistake is noted, and reading goes on with a value that fits; the caller gets the mistake at the end. So a reader is
//! one expression, without an error to pass on at every key.

use super::replay::Mismatch;
use crate::diagnostic::excerpt;
use crate::document::{Key, Node, Style, Value};
use crate::unit::Unit;
use std::cell::RefCell;

/// The first thing that is wrong.
#[derive(Default)]
struct Wrong(RefCell<Option<Mismatch>>);

/// An object of JSON, and the path to it.
pub(super) struct Object<'n> {
    path: String,
    entries: &'n [(Key, Node)],
    wrong: &'n Wrong,
}

impl Object<'_> {
    /// Reads something that is an object; what is made of it counts only if nothing was wrong.
    pub(super) fn read<T>(node: &Node, read: impl FnOnce(&Object<'_>) -> T) -> Result<T, Mismatch> {
        let wrong = Wrong::default();
        let made = read(&Object::of(node, String::new(), &wrong));
        match wrong.0.take() {
            None => Ok(made),
            Some(wrong) => Err(wrong),
        }
    }
}

impl<'n> Object<'n> {
    fn of(node: &'n Node, path: String, wrong: &'n Wrong) -> Self {
        let entries = match &node.value {
            Value::Map(entries) => &entries[..],
            _ => {
                wrong.note(|| (path.clone(), format!("is {}, not a map", node.kind_name())));
                &[]
            }
        };
        Self { path, entries, wrong }
    }

    fn place(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Notes that something is wrong with the value of a key.
    pub(super) fn wrong(&self, key: &str, message: impl Into<String>) {
        self.wrong.note(|| (self.place(key), message.into()));
    }

    /// Refuses every other key.
    pub(super) fn known(&self, keys: &[&str]) {
        if let Some((key, _)) = self.entries.iter().find(|(key, _)| !keys.contains(&key.text.as_str())) {
            self.wrong(&key.text, "is not a known key");
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(known, _)| known.text == key).map(|(_, node)| node)
    }

    fn node(&self, key: &str) -> Option<&'n Node> {
        let node = self.get(key);
        if node.is_none() {
            self.wrong(key, "is missing");
        }
        node
    }

    #[inline(never)]
    fn scalar(&self, key: &str, style: Style, what: &str) -> &'n str {
        match self.node(key).map(|node| (&node.value, node)) {
            Some((Value::Scalar(scalar), _)) if scalar.style == style => &scalar.text,
            Some((_, node)) => {
                self.wrong(key, format!("is {}, not {what}", node.kind_name()));
                ""
            }
            None => "",
        }
    }

    #[inline(never)]
    pub(super) fn text(&self, key: &str) -> String {
        self.scalar(key, Style::Quoted, "a text").to_owned()
    }

    /// A text that may be missing.
    pub(super) fn text_if(&self, key: &str) -> Option<String> {
        self.get(key).map(|_| self.text(key))
    }

    /// A text that means something; `otherwise` stands for those that do not.
    pub(super) fn name<T>(&self, key: &str, from: impl FnOnce(&str) -> Option<T>, otherwise: T) -> T {
        let text = self.scalar(key, Style::Quoted, "a text");
        from(text).unwrap_or_else(|| {
            self.wrong(key, format!("cannot be `{text}`", text = excerpt(text)));
            otherwise
        })
    }

    #[inline(never)]
    pub(super) fn digest(&self, key: &str) -> String {
        let text = self.scalar(key, Style::Quoted, "a text");
        let digits = text.strip_prefix("sha256:").filter(|digits| {
            digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        });
        if digits.is_none() {
            self.wrong(key, "is not a digest (`sha256:` and 64 hexadecimal digits)");
        }
        text.to_owned()
    }

    #[inline(never)]
    pub(super) fn truth(&self, key: &str) -> bool {
        self.scalar(key, Style::Bool, "true or false") == "true"
    }

    #[inline(never)]
    pub(super) fn count(&self, key: &str, most: u64) -> u64 {
        let text = self.scalar(key, Style::Number, "a number");
        text.parse().ok().filter(|count| *count <= most).unwrap_or_else(|| {
            self.wrong(key, format!("is {text}, not a whole number from 0 to {most}", text = excerpt(text)));
            0
        })
    }

    /// A number from 0 to 1.
    #[inline(never)]
    pub(super) fn share(&self, key: &str) -> Unit {
        let text = self.scalar(key, Style::Number, "a number");
        let share = Unit::parse(text).filter(|number| (Unit::ZERO..=Unit::ONE).contains(number));
        share.unwrap_or_else(|| {
            self.wrong(key, format!("is {text}, not a number from 0 to 1", text = excerpt(text)));
            Unit::ZERO
        })
    }

    /// The one value it can have.
    pub(super) fn is(&self, key: &str, wanted: &str) {
        let Some(node) = self.node(key) else { return };
        if node.text() != Some(wanted) {
            let is = node.text().unwrap_or("something else");
            self.wrong(key, format!("is `{is}`, not `{wanted}`"));
        }
    }

    #[inline(never)]
    pub(super) fn object(&self, key: &str) -> Self {
        match self.node(key) {
            Some(node) => Self::of(node, self.place(key), self.wrong),
            None => Self { path: String::new(), entries: &[], wrong: self.wrong },
        }
    }

    /// An object that may be missing.
    pub(super) fn optional(&self, key: &str) -> Option<Self> {
        self.get(key).map(|_| self.object(key))
    }

    fn nodes(&self, key: &str) -> &'n [Node] {
        match self.node(key).map(|node| (&node.value, node)) {
            Some((Value::List(items), _)) => items,
            Some((_, node)) => {
                self.wrong(key, format!("is {}, not a list", node.kind_name()));
                &[]
            }
            None => &[],
        }
    }

    /// A list of objects.
    #[inline(never)]
    pub(super) fn list(&self, key: &str) -> Vec<Self> {
        let items = self.nodes(key).iter().enumerate();
        items.map(|(at, item)| Self::of(item, format!("{}[{at}]", self.place(key)), self.wrong)).collect()
    }

    /// A list of texts.
    #[inline(never)]
    pub(super) fn texts(&self, key: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for (at, item) in self.nodes(key).iter().enumerate() {
            match &item.value {
                Value::Scalar(scalar) if scalar.style == Style::Quoted => texts.push(scalar.text.clone()),
                _ => self.wrong(&format!("{key}[{at}]"), format!("is {}, not a text", item.kind_name())),
            }
        }
        texts
    }

    /// The whole numbers of a map, by its keys in their order.
    #[inline(never)]
    pub(super) fn numbers(&self, key: &str) -> Vec<(&'n str, i64)> {
        let inner = self.object(key);
        let mut numbers = Vec::new();
        for (name, _) in inner.entries {
            let text = inner.scalar(&name.text, Style::Number, "a number");
            match text.parse() {
                Ok(number) => numbers.push((name.text.as_str(), number)),
                Err(_) => {
                    inner.wrong(&name.text, format!("is {text}, not a whole number", text = excerpt(text)))
                }
            }
        }
        numbers
    }
}

impl Wrong {
    fn note(&self, wrong: impl FnOnce() -> (String, String)) {
        let mut first = self.0.borrow_mut();
        if first.is_none() {
            let (place, message) = wrong();
            *first = Some(Mismatch { place, message });
        }
    }
}
