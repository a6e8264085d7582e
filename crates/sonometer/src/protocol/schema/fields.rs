//! Typed access to the entries of a map, with findings for what is missing, unknown or of the wrong type.

use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};
use crate::document::{Node, Style, Value, suggest};
use crate::unit::Unit;

/// The entries of one map that have not been asked for yet, and where findings go.
pub(crate) struct Fields<'n, 'd> {
    entries: Vec<(&'n str, Span, &'n Node)>,
    known: Vec<&'static str>,
    missing: Vec<(String, Diagnostic)>,
    is_map: bool,
    /// What the map is, for messages: `a protocol`, `the marker`.
    what: &'static str,
    pub(crate) span: Span,
    pub(crate) found: &'d mut Diagnostics,
}

impl<'n, 'd> Fields<'n, 'd> {
    /// The entries of `node`; reports a node that is no map and gives no entries for it.
    pub(crate) fn of(node: &'n Node, what: &'static str, found: &'d mut Diagnostics) -> Self {
        let entries = match &node.value {
            Value::Map(entries) => {
                entries.iter().map(|(key, node)| (key.text.as_str(), key.span, node)).collect()
            }
            _ => {
                let message = format!("{what} is written as {}", node.kind_name());
                found.push(Diagnostic::error("SM0301", node.span, message, as_map(node)));
                Vec::new()
            }
        };
        let is_map = matches!(node.value, Value::Map(_));
        Self { entries, known: Vec::new(), missing: Vec::new(), is_map, what, span: node.span, found }
    }

    /// The key by which a map that has `keys` becomes sound; reports that none of them is there.
    pub(crate) fn needs_one_of(
        node: &'n Node,
        what: &'static str,
        key: &str,
        example: &str,
        found: &'d mut Diagnostics,
    ) {
        let mut fields = Self::of(node, what, found);
        fields.missing(key, example);
        fields.entries.clear();
        fields.finish();
    }

    /// Whether a key that nobody has taken yet is written, with a value or without.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, ..)| *name == key)
    }

    /// The value of a key, if it is there (an empty value has been reported already).
    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'n Node> {
        self.known.push(key);
        let at = self.entries.iter().position(|(name, ..)| *name == key)?;
        let node = self.entries.swap_remove(at).2;
        (node.value != Value::Null).then_some(node)
    }

    /// Reports the keys nobody asked for.
    pub(crate) fn finish(mut self) {
        self.entries.sort_by_key(|(_, span, _)| *span);
        let mut meant = Vec::new();
        for (key, span, _) in &self.entries {
            let near = suggest(key, &self.known);
            meant.extend(near);
            let fix = match near {
                Some(near) => format!("did you mean `{near}`"),
                None => format!("remove it; the keys here are {}", self.known.join(", ")),
            };
            self.found.push(Diagnostic::error(
                "SM0302",
                *span,
                format!("{} has no key `{}`", self.what, excerpt(key)),
                fix,
            ));
        }
        for (key, finding) in self.missing {
            // A key that was only misspelt is not reported as missing besides.
            if !meant.contains(&key.as_str()) {
                self.found.push(finding);
            }
        }
    }

    /// Notes a missing key, to be reported when all keys are read.
    pub(crate) fn missing(&mut self, key: &str, example: &str) {
        let message = format!("{} needs the key `{key}`", self.what);
        let span = Span::new(self.span.start, self.span.start);
        let fix = format!("add for example `{key}: {example}`");
        // What is no map at all has been reported; that it lacks every key follows from it.
        if self.is_map {
            self.missing.push((key.to_owned(), Diagnostic::error("SM0303", span, message, fix)));
        }
    }

    /// A text.
    pub(crate) fn text(&mut self, key: &'static str) -> Option<(String, Span)> {
        let node = self.take(key)?;
        text_of(node, key, self.found).map(|text| (text.to_owned(), node.span))
    }

    /// A text that must be there.
    pub(crate) fn required_text(&mut self, key: &'static str, example: &str) -> (String, Span) {
        let absent = !self.has(key);
        let text = self.text(key);
        match &text {
            None if absent => self.missing(key, example),
            Some((text, span)) if text.is_empty() => {
                let message = format!("`{key}` is an empty text");
                let fix = format!("write for example `{key}: {example}`");
                self.found.push(Diagnostic::error("SM0322", *span, message, fix));
            }
            _ => {}
        }
        text.unwrap_or_default()
    }

    /// One of a few names.
    pub(crate) fn name<T>(
        &mut self,
        key: &'static str,
        from: fn(&str) -> Option<T>,
        names: &[&str],
    ) -> Option<T> {
        let (text, span) = self.text(key)?;
        name_of(&text, span, key, from, names, self.found)
    }

    /// A decimal number between `low` and `high`.
    pub(crate) fn number(&mut self, key: &'static str, low: Unit, high: Unit) -> Option<Unit> {
        let node = self.take(key)?;
        let text = text_of(node, key, self.found)?;
        let value = Unit::parse(text).filter(|value| (low..=high).contains(value));
        if value.is_none() {
            let message =
                format!("`{key}` is `{text}`, not a number from {low} to {high}", text = excerpt(text));
            self.found.push(Diagnostic::error(
                "SM0305",
                node.span,
                message,
                "write a decimal number, such as `0.5`",
            ));
        }
        value
    }

    /// A whole number between `low` and `high`.
    pub(crate) fn count(&mut self, key: &'static str, low: u32, high: u32) -> Option<u32> {
        let node = self.take(key)?;
        let text = text_of(node, key, self.found)?;
        let value = count_of(text, low, high);
        if value.is_none() {
            let message =
                format!("`{key}` is `{text}`, not a whole number from {low} to {high}", text = excerpt(text));
            self.found.push(Diagnostic::error(
                "SM0306",
                node.span,
                message,
                format!("write for example `{key}: {low}`"),
            ));
        }
        value
    }

    /// `true` or `false`.
    pub(crate) fn truth(&mut self, key: &'static str) -> Option<bool> {
        let node = self.take(key)?;
        let truth = match node.text() {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        };
        if truth.is_none() {
            let message = format!("`{key}` is neither `true` nor `false`");
            self.found.push(Diagnostic::error("SM0355", node.span, message, format!("write `{key}: true`")));
        }
        truth
    }

    /// A text, or a list of texts; empty if the key is absent.
    pub(crate) fn texts(&mut self, key: &'static str) -> Vec<(String, Span)> {
        self.take(key).map_or_else(Vec::new, |node| texts_of(node, key, self.found))
    }
}

/// How a value that is no map is to be written: with the colon that it may only lack.
fn as_map(node: &Node) -> String {
    let forgotten =
        node.text().and_then(|text| text.trim().split_once(char::is_whitespace)).filter(|(key, rest)| {
            key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') && !rest.contains(['\n', ':'])
        });
    match forgotten {
        Some((key, rest)) => format!("write `{}: {}`, with a colon", excerpt(key), excerpt(rest.trim())),
        None => "write it as `key: value` pairs".to_owned(),
    }
}

/// The text of a scalar.
pub(crate) fn text_of<'n>(node: &'n Node, key: &str, found: &mut Diagnostics) -> Option<&'n str> {
    let text = node.text().filter(|_| !matches!(&node.value, Value::Scalar(s) if s.style == Style::Bool));
    if text.is_none() {
        let message = format!("`{key}` is {}, not a text or number", node.kind_name());
        found.push(Diagnostic::error(
            "SM0304",
            node.span,
            message,
            format!("write `{key}: …` with one value"),
        ));
    }
    text.map(str::trim)
}

/// The texts of a scalar or a list of scalars.
pub(crate) fn texts_of(node: &Node, key: &str, found: &mut Diagnostics) -> Vec<(String, Span)> {
    let items = match &node.value {
        Value::List(items) => items.iter().collect(),
        _ => vec![node],
    };
    items.into_iter().filter_map(|item| Some((text_of(item, key, found)?.to_owned(), item.span))).collect()
}

/// One of a few names.
pub(crate) fn name_of<T>(
    text: &str,
    span: Span,
    key: &str,
    from: fn(&str) -> Option<T>,
    names: &[&str],
    found: &mut Diagnostics,
) -> Option<T> {
    let value = from(text);
    if value.is_none() {
        let fix = match suggest(text, names) {
            Some(near) => format!("did you mean `{near}`"),
            None => format!("write one of {}", names.join(", ")),
        };
        found.push(Diagnostic::error(
            "SM0307",
            span,
            format!("`{key}` cannot be `{text}`", text = excerpt(text)),
            fix,
        ));
    }
    value
}

/// A whole number written in digits.
pub(crate) fn count_of(text: &str, low: u32, high: u32) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|value| digits && (low..=high).contains(value))
}

/// Reports an identifier that is not lower-case letters, digits, `-` and `_`; `what` is what it names.
pub(crate) fn check_identifier(text: &str, span: Span, what: &str, found: &mut Diagnostics) {
    let ok = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    if text.is_empty() || text.len() > 64 || !text.bytes().all(ok) {
        let message = format!("the {what} `{text}` is not an identifier", text = excerpt(text));
        let fix = "use 1 to 64 lower-case letters, digits, `-` and `_`";
        found.push(Diagnostic::error("SM0308", span, message, fix));
    }
}
