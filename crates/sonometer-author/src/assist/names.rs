//! The names of a protocol, markers and lists: where each is defined, and where it is used.

use super::pattern::{self, Kind, pieces};
use sonometer::diagnostic::Span;
use sonometer::document::{Node, Style, Value};
use sonometer::keys::{Map, Shape};

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A marker, by its label.
    Marker,
    /// A list, used as `@name`.
    List,
}

/// A name at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// What it names.
    pub named: Named,
    /// The name.
    pub text: String,
    /// The name itself, without quotes and signs.
    pub span: Span,
    /// Whether it is defined here, not used.
    pub is_definition: bool,
}

/// Every name of a file, in the order of their places.
pub fn all(text: &str, root: &Node, keys: &'static Map) -> Vec<Name> {
    let mut names = Names { text, found: Vec::new() };
    names.map(root, keys);
    names.found.sort_by_key(|name| name.span);
    names.found
}

/// The name at a byte; the edge after it counts.
pub fn at(names: &[Name], offset: usize) -> Option<&Name> {
    names.iter().find(|name| (name.span.start..=name.span.end).contains(&offset))
}

/// The places of the same name.
pub fn same<'n>(names: &'n [Name], name: &'n Name) -> impl Iterator<Item = &'n Name> {
    names.iter().filter(|other| other.named == name.named && other.text == name.text)
}

/// Every pattern line of a file: its key and its place.
pub fn pattern_lines(root: &Node, keys: &'static Map) -> Vec<(&'static str, Span)> {
    let mut lines = Vec::new();
    visit(root, keys, &mut |map, key, node| {
        if let (Shape::Lines, true) = (&key.value, pattern::KEYS.contains(&key.name)) {
            lines.extend(node.lines().iter().map(|line| (key.name, line.span)));
        }
        if let (Shape::Named(Shape::Lines), "protocol", Value::Map(entries)) =
            (&key.value, map.name, &node.value)
        {
            lines.extend(entries.iter().flat_map(|(_, list)| list.lines()).map(|line| (key.name, line.span)));
        }
    });
    lines
}

/// Calls `see` with every key that the table knows.
fn visit<'n>(
    node: &'n Node,
    map: &'static Map,
    see: &mut impl FnMut(&'static Map, &'static sonometer::keys::Key, &'n Node),
) {
    let Value::Map(entries) = &node.value else { return };
    for (written, value) in entries {
        let Some(key) = map.keys.iter().find(|key| key.name == written.text) else { continue };
        see(map, key, value);
        match (&key.value, &value.value) {
            (Shape::Map(inner), _) => visit(value, inner, see),
            (Shape::Maps(inner), Value::List(items)) => items.iter().for_each(|item| visit(item, inner, see)),
            (Shape::Named(Shape::Map(inner)), Value::Map(entries)) => {
                entries.iter().for_each(|(_, item)| visit(item, inner, see));
            }
            _ => {}
        }
    }
}

struct Names<'t> {
    text: &'t str,
    found: Vec<Name>,
}

impl Names<'_> {
    fn map(&mut self, root: &Node, keys: &'static Map) {
        let mut named: Vec<(Named, bool, &Node)> = Vec::new();
        let mut driven: Vec<&sonometer::document::Key> = Vec::new();
        let mut lists: Vec<&sonometer::document::Key> = Vec::new();
        visit(root, keys, &mut |map, key, node| match (map.name, key.name) {
            ("marker", "label") => named.push((Named::Marker, true, node)),
            ("companion" | "pair" | "when" | "echo", "marker")
            | ("ratio", "of")
            | ("expect", "fires" | "silent") => {
                named.push((Named::Marker, false, node));
            }
            // A label, or patterns: only a line that is the label of a marker is one.
            ("ratio", "to") | ("marker", "negation") => named.push((Named::Marker, false, node)),
            ("expect", "driven") => driven.extend(entries(node).map(|(key, _)| key)),
            ("protocol", "lists" | "list_files") => lists.extend(entries(node).map(|(key, _)| key)),
            _ => {}
        });
        let labels: Vec<String> = named
            .iter()
            .filter(|(_, is_definition, _)| *is_definition)
            .filter_map(|(.., node)| node.text().map(|text| text.trim().to_owned()))
            .collect();
        for (named, is_definition, node) in named {
            self.node(named, is_definition, node, &labels);
        }
        for key in driven {
            self.push(Named::Marker, false, &key.text, key.span);
        }
        for key in lists {
            self.push(Named::List, true, &key.text, key.span);
        }
        for (key, span) in pattern_lines(root, keys) {
            let line = &self.text[span.range()];
            let lists: Vec<_> =
                pieces(line, key == "weigh").into_iter().filter(|piece| piece.kind == Kind::List).collect();
            for piece in lists {
                let (start, end) = (span.start + piece.range.start + 1, span.start + piece.range.end);
                self.push(Named::List, false, &self.text[start..end], Span::new(start, end));
            }
        }
    }

    /// A text or a list of texts.
    fn node(&mut self, named: Named, is_definition: bool, node: &Node, labels: &[String]) {
        match &node.value {
            Value::List(items) => items.iter().for_each(|item| self.node(named, is_definition, item, labels)),
            Value::Scalar(scalar) if scalar.style != Style::Literal => {
                let text = scalar.text.trim();
                let name = text.strip_prefix("flip").map_or(text, str::trim);
                if is_definition || labels.iter().any(|label| label == name) {
                    self.push(named, is_definition, name, node.span);
                }
            }
            _ => {}
        }
    }

    /// A name somewhere within a place: quotes and words before it are not part of it.
    fn push(&mut self, named: Named, is_definition: bool, name: &str, within: Span) {
        let Some(at) =
            self.text.get(within.range()).and_then(|text| text.rfind(name)).filter(|_| !name.is_empty())
        else {
            return;
        };
        let start = within.start + at;
        let span = Span::new(start, start + name.len());
        self.found.push(Name { named, text: name.to_owned(), span, is_definition });
    }
}

fn entries(node: &Node) -> impl Iterator<Item = &(sonometer::document::Key, Node)> {
    match &node.value {
        Value::Map(entries) => entries.iter(),
        _ => [].iter(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Protocol;
    use sonometer::document::read;

    const TEXT: &str = "sonometer: 1\nlists: {kind: warm | nice}\nmarkers:\n  - label: thanks\n    strong: |\n      @kind words # @kind\n      /@kind/\n    negation: \"flip blame\"\n  - label: blame\n    after: {marker: [thanks], within: 2 turns}\n    weak: \"@kind\"\ntests:\n  - name: thanks\n    talk: thanks\n    expect: {fires: thanks, silent: [blame], driven: {thanks: agent}}\n";

    #[test]
    fn names_are_found_where_they_mean_something() {
        let (root, _) = read(TEXT).expect("is YAML");
        let names = all(TEXT, &root, Protocol::KEYS);
        assert!(names.iter().all(|name| TEXT[name.span.range()] == name.text));
        let count = |text: &str, is_definition: bool| {
            names.iter().filter(|name| name.text == text && name.is_definition == is_definition).count()
        };
        assert_eq!([count("kind", true), count("kind", false)], [1, 2]);
        assert_eq!([count("thanks", true), count("thanks", false)], [1, 3]);
        assert_eq!([count("blame", true), count("blame", false)], [1, 2]);
        let at_use = TEXT.find("@kind words").expect("is there") + 3;
        let name = at(&names, at_use).expect("a name");
        assert_eq!((name.named, same(&names, name).count()), (Named::List, 3));
    }
}
