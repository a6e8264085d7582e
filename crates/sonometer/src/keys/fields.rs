//! Typed access to the entries of a map, with findings for what is missing, unknown or of the wrong type.

use super::{Key, Map, Shape};
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};
use crate::document::{Node, Style, Value, suggest};
use crate::unit::Unit;

/// The key that has the meaning that `key` has in other formats. Some of these look like another key of ours: `role` like `pole`.
fn elsewhere(key: &str, known: &[&str]) -> Option<&'static str> {
    const PATTERNS: &[&str] =
        &["pattern", "patterns", "phrase", "phrases", "keyword", "keywords", "regex", "match", "terms"];
    const SYNONYMS: [(&str, &[&str]); 14] = [
        ("label", &["name", "id", "title"]),
        ("name", &["title"]),
        ("by", &["role", "roles", "speaker", "speakers", "actor", "who"]),
        ("actants", &["role", "roles", "speaker", "speakers"]),
        ("importance", &["weight", "severity", "priority"]),
        ("trigger", &["threshold"]),
        ("pole", &["polarity", "sign"]),
        ("strong", PATTERNS),
        ("any", PATTERNS),
        ("markers", &["rules", "patterns", "signals", "metamarkers"]),
        ("except", &["unless", "exclude", "ignore"]),
        ("hit", &["example", "examples", "positive", "positives"]),
        ("miss", &["counterexample", "counterexamples", "negative", "negatives"]),
        ("language", &["locale"]),
    ];
    let (ours, _) = SYNONYMS.iter().find(|(ours, theirs)| known.contains(ours) && theirs.contains(&key))?;
    Some(ours)
}

/// The kind of file that has this key, of those that are no protocol.
fn kind_with(key: &str) -> Option<&'static str> {
    match key {
        "components" => Some("metric"),
        "protocols" | "metrics" => Some("blueprint"),
        "scenes" | "blueprint" | "objective" => Some("stage"),
        _ => None,
    }
}

/// The entries of one map that have not been asked for yet, and where findings go.
pub(crate) struct Fields<'n, 'd> {
    entries: Vec<(&'n str, Span, &'n Node)>,
    /// The table of its keys.
    map: &'static Map,
    /// The keys that are written, also those that have been taken.
    written: Vec<&'n str>,
    /// The keys that the reader has asked for.
    asked: Vec<&'static str>,
    /// The keys that the table does not ask for, and that are needed here.
    missing: Vec<&'static str>,
    is_map: bool,
    /// What the map is, for messages: `a protocol`, `the marker`.
    what: &'static str,
    pub(crate) span: Span,
    pub(crate) found: &'d mut Diagnostics,
}

impl<'n, 'd> Fields<'n, 'd> {
    /// The entries of `node` with the keys of `map`; reports a node that is no map and gives no entries for it.
    pub(crate) fn of(
        node: &'n Node,
        map: &'static Map,
        what: &'static str,
        found: &'d mut Diagnostics,
    ) -> Self {
        let entries: Vec<_> = match &node.value {
            Value::Map(entries) => {
                entries.iter().map(|(key, node)| (key.text.as_str(), key.span, node)).collect()
            }
            _ => {
                let message = format!("{what} must be a map, and this is {}", node.kind_name());
                found.push(Diagnostic::error("SM0301", node.span, message, as_map(node)));
                Vec::new()
            }
        };
        let written = entries.iter().map(|(key, ..)| *key).collect();
        let is_map = matches!(node.value, Value::Map(_));
        let (asked, missing) = (Vec::new(), Vec::new());
        Self { entries, map, written, asked, missing, is_map, what, span: node.span, found }
    }

    /// Reports that none of the keys is there of which a map needs one, with the first of them as an example.
    pub(crate) fn needs_one_of(
        node: &'n Node,
        map: &'static Map,
        what: &'static str,
        found: &'d mut Diagnostics,
    ) {
        let mut fields = Self::of(node, map, what, found);
        fields.missing.extend(map.one_of.first());
        fields.report_missing(&[]);
    }

    /// What the table says of a key.
    fn key(&self, name: &str) -> Option<&'static Key> {
        let key = self.map.keys.iter().find(|key| key.name == name);
        debug_assert!(key.is_some(), "the table of {} has no key `{name}`", self.map.name);
        key
    }

    /// A value of a key, as an author writes it.
    fn example(&self, name: &str) -> String {
        self.key(name).map_or_else(String::new, |key| as_yaml(key.example))
    }

    /// Whether a key that nobody has taken yet is written, with a value or without.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, ..)| *name == key)
    }

    /// The value of a key, if it is there (an empty value has been reported already).
    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'n Node> {
        self.asked.push(key);
        let at = self.entries.iter().position(|(name, ..)| *name == key)?;
        let node = self.entries.swap_remove(at).2;
        (node.value != Value::Null).then_some(node)
    }

    /// Reports the keys that are not in the table, and those that must be there and are not.
    pub(crate) fn finish(mut self) {
        let known: Vec<&str> = self.map.keys.iter().map(|key| key.name).collect();
        debug_assert!(
            known.iter().all(|key| self.asked.contains(key)),
            "the reader of {} asks for {:?} alone",
            self.map.name,
            self.asked
        );
        self.entries.sort_by_key(|(_, span, _)| *span);
        // A key that was only misspelt is not reported as missing besides.
        let mut meant = Vec::new();
        let mut is_other_kind = false;
        for (key, span, _) in &self.entries {
            let near = match elsewhere(key, &known) {
                // Written twice it would be another mistake.
                Some(own) => Some(own).filter(|own| !self.written.contains(own)),
                None => suggest(key, &known),
            };
            meant.extend(near);
            let other = kind_with(key).filter(|_| self.map.name == "protocol");
            is_other_kind |= other.is_some();
            let fix = match (other, near) {
                (Some(kind), _) => {
                    format!("a {kind} begins with `sonometer_{kind}: 1`, not with `sonometer: 1`")
                }
                (None, Some(near)) => format!("did you mean `{near}`"),
                (None, None) => format!("remove it; the known keys are {}", known.join(", ")),
            };
            self.found.push(Diagnostic::error(
                "SM0302",
                *span,
                format!("{} has no key `{}`", self.what, excerpt(key)),
                fix,
            ));
        }
        // What a protocol needs is no matter of a file that is none.
        if is_other_kind {
            return;
        }
        let required = self.map.keys.iter().filter(|key| key.required && !self.written.contains(&key.name));
        self.missing.extend(required.map(|key| key.name));
        self.report_missing(&meant);
    }

    /// Reports the keys that are missing, but for some.
    fn report_missing(self, but: &[&str]) {
        // What is no map at all has been reported; that it lacks every key follows from it.
        if !self.is_map {
            return;
        }
        let span = Span::new(self.span.start, self.span.start);
        for key in self.missing.iter().filter(|key| !but.contains(key)) {
            let message = format!("{} needs the key `{key}`", self.what);
            let fix = format!("add for example `{key}: {}`", self.example(key));
            self.found.push(Diagnostic::error("SM0303", span, message, fix));
        }
    }

    /// Notes a key that is missing here, though others may stand in its place elsewhere.
    pub(crate) fn missing(&mut self, key: &'static str) {
        self.missing.push(key);
    }

    /// A text.
    pub(crate) fn text(&mut self, key: &'static str) -> Option<(String, Span)> {
        let node = self.take(key)?;
        text_of(node, key, self.found).map(|text| (text.to_owned(), node.span))
    }

    /// A text that must not be empty; empty where it is absent.
    pub(crate) fn some_text(&mut self, key: &'static str) -> (String, Span) {
        let text = self.text(key);
        if let Some((text, span)) = &text
            && text.is_empty()
        {
            let message = format!("`{key}` is an empty text");
            let fix = format!("write for example `{key}: {}`", self.example(key));
            self.found.push(Diagnostic::error("SM0322", *span, message, fix));
        }
        text.unwrap_or_default()
    }

    /// One of the names that the table has for a key.
    pub(crate) fn name<T>(&mut self, key: &'static str, from: fn(&str) -> Option<T>) -> Option<T> {
        let (text, span) = self.text(key)?;
        self.name_of(&text, span, key, from)
    }

    /// Several of the names that the table has for a key, sorted, each once.
    pub(crate) fn names<T: Ord>(&mut self, key: &'static str, from: fn(&str) -> Option<T>) -> Vec<T> {
        let texts = self.texts(key);
        let names = texts.into_iter().filter_map(|(text, span)| self.name_of(&text, span, key, from));
        let mut names: Vec<T> = names.collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The value of a name that the table has for a key.
    pub(crate) fn name_of<T>(
        &mut self,
        text: &str,
        span: Span,
        key: &str,
        from: fn(&str) -> Option<T>,
    ) -> Option<T> {
        let (names, several) = match self.key(key).map(|key| &key.value) {
            Some(Shape::Name(names)) => (*names, false),
            Some(Shape::Names(names)) => (*names, true),
            _ => (&[][..], false),
        };
        let value = from(text);
        if value.is_none() {
            let fix = match (in_brackets(text).filter(|_| several), suggest(text, names)) {
                (Some(list), _) => list,
                (None, Some(near)) => format!("did you mean `{near}`"),
                (None, None) => format!("write one of {}", names.join(", ")),
            };
            let message = format!("`{key}` cannot be `{text}`", text = excerpt(text));
            self.found.push(Diagnostic::error("SM0307", span, message, fix));
        }
        value
    }

    /// A decimal number between the bounds of the table.
    pub(crate) fn number(&mut self, key: &'static str) -> Option<Unit> {
        let node = self.take(key)?;
        let text = text_of(node, key, self.found)?;
        let Some(&Key { value: Shape::Number(low, high), .. }) = self.key(key) else { return None };
        let value = Unit::parse(text).filter(|value| (low..=high).contains(value));
        if value.is_none() {
            let message =
                format!("`{key}` is `{text}`, not a number from {low} to {high}", text = excerpt(text));
            let fix = "write a decimal number with a point, such as `0.5`";
            self.found.push(Diagnostic::error("SM0305", node.span, message, fix));
        }
        value
    }

    /// The same, or what the table says that it is without the key.
    pub(crate) fn number_or_default(&mut self, key: &'static str) -> Unit {
        let default = self.key(key).and_then(|key| Unit::parse(key.default));
        debug_assert!(default.is_some(), "the table has no default of `{key}`");
        self.number(key).or(default).unwrap_or_default()
    }

    /// A whole number between the bounds of the table.
    pub(crate) fn count(&mut self, key: &'static str) -> Option<u32> {
        let node = self.take(key)?;
        let text = text_of(node, key, self.found)?;
        let Some(&Key { value: Shape::Count(low, high), .. }) = self.key(key) else { return None };
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

    /// The same, or what the table says that it is without the key.
    pub(crate) fn count_or_default(&mut self, key: &'static str) -> u32 {
        let default = self.key(key).and_then(|key| key.default.parse().ok());
        debug_assert!(default.is_some(), "the table has no default of `{key}`");
        self.count(key).or(default).unwrap_or_default()
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

/// What to write where several names stand in one text.
pub(crate) fn in_brackets(text: &str) -> Option<String> {
    text.contains(',').then(|| format!("write `[{}]`", excerpt(text)))
}

/// A value of the table, which is JSON, as authors write it: plain words without their quotes.
fn as_yaml(json: &str) -> String {
    let mut yaml = String::with_capacity(json.len());
    for (number, part) in json.split('"').enumerate() {
        let is_text = number % 2 == 1;
        // `"1.0"` and `"true"` are texts only with their quotes.
        let is_plain = part.bytes().any(|b| b.is_ascii_alphabetic() || b == b'<')
            && !matches!(part, "true" | "false" | "null")
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b" _-<>.".contains(&b));
        match (is_text, is_plain) {
            (true, false) => yaml.extend(["\"", part, "\""]),
            _ => yaml.push_str(part),
        }
    }
    yaml
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
