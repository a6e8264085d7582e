//! The tree written down.

use super::order::Kind;
use super::scalar;
use super::tree::{Document, Entry, Trivia};
use sonometer::document::{Node, Scalar, Style, Value};

/// The columns that a map or list in brackets may take.
const WIDTH: usize = 120;

/// The file in its normal form.
pub(super) fn print(document: &Document<'_>, root: Kind) -> String {
    let mut printer = Printer { text: String::new() };
    printer.trivia(&document.header, 0);
    printer.children(&document.root, root, 0);
    printer.text.trim_start_matches('\n').to_owned()
}

struct Printer {
    text: String,
}

impl Printer {
    /// The entries of a map or list, and the comments after them.
    fn children(&mut self, parent: &Entry<'_>, kind: Kind, indent: usize) {
        let mut children: Vec<&Entry<'_>> = parent.children.iter().collect();
        children.sort_by_key(|child| child.key.map_or(0, |key| kind.rank(&key.text)));
        for (number, child) in children.into_iter().enumerate() {
            let first = number == 0;
            match child.key {
                Some(_) => self.entry(child, kind, indent, first && indent > 0),
                None => self.item(child, kind, indent, first),
            }
        }
        self.trivia(&parent.tail, indent);
    }

    /// `key: value`; the first entry of a map inside another has no empty line before it.
    fn entry(&mut self, entry: &Entry<'_>, kind: Kind, indent: usize, first: bool) {
        let lead = &entry.lead[usize::from(first && entry.lead.first() == Some(&Trivia::Blank))..];
        self.trivia(lead, indent);
        self.entry_line(entry, kind, indent);
    }

    fn entry_line(&mut self, entry: &Entry<'_>, kind: Kind, indent: usize) {
        let key = entry.key.map_or("", |key| key.text.as_str());
        self.start(indent);
        self.text.push_str(&scalar::one_line(key, false, kind.is_named()));
        self.text.push(':');
        self.value(entry, kind, key, indent + 2);
    }

    /// What stands behind `key:` or `-`: on the same line, or indented below.
    fn value(&mut self, entry: &Entry<'_>, kind: Kind, key: &str, indent: usize) {
        let below = kind.under(key);
        if !entry.children.is_empty() {
            self.end_line(entry.trail);
            return self.children(entry, below, indent);
        }
        match &entry.node.value {
            Value::Scalar(scalar) if is_block(scalar) => {
                self.text.push_str(" |");
                self.end_line(entry.trail);
                self.block(&scalar.text, kind.is_lines(key), indent);
            }
            Value::Map(_) | Value::List(_) => {
                let flow = flow(entry.node, kind, key);
                let line = self.text.len() - self.text.rfind('\n').map_or(0, |at| at + 1);
                if line + 1 + flow.chars().count() > WIDTH {
                    self.end_line(entry.trail);
                    return self.unfolded(entry.node, kind, key, indent);
                }
                self.text.push(' ');
                self.text.push_str(&flow);
                self.end_line(entry.trail);
            }
            Value::Scalar(scalar) => {
                self.text.push(' ');
                self.text.push_str(&one_line(scalar, kind, key, false));
                self.end_line(entry.trail);
            }
            // The reader refuses it.
            Value::Null => self.end_line(entry.trail),
        }
    }

    /// What is too long for brackets, over several lines.
    fn unfolded(&mut self, node: &Node, kind: Kind, key: &str, indent: usize) {
        let below = kind.under(key);
        match &node.value {
            Value::Map(entries) => {
                let mut entries: Vec<_> = entries.iter().collect();
                entries.sort_by_key(|(key, _)| below.rank(&key.text));
                for (key, node) in entries {
                    self.entry_line(&Entry::bare(Some(key), node), below, indent);
                }
            }
            Value::List(items) => {
                for (number, node) in items.iter().enumerate() {
                    if below.stands_apart() && number > 0 {
                        self.text.push('\n');
                    }
                    self.item_line(&Entry::bare(None, node), kind, key, indent);
                }
            }
            Value::Null | Value::Scalar(_) => {}
        }
    }

    /// `- value`. Markers and tests stand apart from each other.
    fn item(&mut self, entry: &Entry<'_>, kind: Kind, indent: usize, first: bool) {
        let mut lead: &[Trivia<'_>] = &entry.lead;
        while lead.first() == Some(&Trivia::Blank) && (first || kind.stands_apart()) {
            lead = &lead[1..];
        }
        if kind.stands_apart() && !first {
            self.text.push('\n');
        }
        self.trivia(lead, indent);
        // The comments of its first key cannot stand behind the dash.
        let mut children: Vec<&Entry<'_>> = entry.children.iter().collect();
        children.sort_by_key(|child| child.key.map_or(0, |key| kind.rank(&key.text)));
        if let Some(child) = children.first() {
            let comments: Vec<_> = child.lead.iter().filter(|t| **t != Trivia::Blank).copied().collect();
            self.trivia(&comments, indent);
        }
        if children.first().is_some_and(|child| child.key.is_some()) {
            self.dashed(indent, |printer| {
                for (number, child) in children.into_iter().enumerate() {
                    match number {
                        0 => printer.entry_line(child, kind, indent + 2),
                        _ => printer.entry(child, kind, indent + 2, false),
                    }
                }
            });
            self.trivia(&entry.tail, indent + 2);
        } else {
            self.item_line(entry, kind, "", indent);
        }
    }

    fn item_line(&mut self, entry: &Entry<'_>, kind: Kind, key: &str, indent: usize) {
        let is_map = entry.children.is_empty() && matches!(entry.node.value, Value::Map(_));
        if is_map && indent + 2 + flow(entry.node, kind, key).chars().count() > WIDTH {
            // Behind the dash stands its first key, so its comment stands before it.
            self.trivia(entry.trail.map(Trivia::Comment).as_slice(), indent);
            return self.dashed(indent, |printer| printer.unfolded(entry.node, kind, key, indent + 2));
        }
        self.start(indent);
        self.text.push('-');
        self.value(entry, kind, key, indent + 2);
    }

    /// A dash, and behind it what is written two columns further in.
    fn dashed(&mut self, indent: usize, write: impl FnOnce(&mut Self)) {
        let start = self.text.len();
        write(self);
        self.text.replace_range(start + indent..=start + indent, "-");
    }

    /// The lines of a block. Where each line counts for itself, its indentation means nothing.
    fn block(&mut self, text: &str, each: bool, indent: usize) {
        let text = text.trim_start_matches('\n').trim_end();
        let mut blank = false;
        for line in if each { text } else { text.trim_start() }.split('\n') {
            let line = if each { line.trim() } else { line };
            if each && line.is_empty() {
                blank = true;
                continue;
            }
            if std::mem::take(&mut blank) {
                self.text.push('\n');
            }
            if !line.is_empty() {
                self.start(indent);
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
    }

    fn trivia(&mut self, trivia: &[Trivia<'_>], indent: usize) {
        for line in trivia {
            match line {
                Trivia::Blank => self.text.push('\n'),
                Trivia::Comment(comment) => {
                    self.start(indent);
                    self.text.push_str(comment);
                    self.text.push('\n');
                }
            }
        }
    }

    fn start(&mut self, indent: usize) {
        self.text.extend(std::iter::repeat_n(' ', indent));
    }

    fn end_line(&mut self, trail: Option<&str>) {
        if let Some(comment) = trail {
            self.text.push_str("  ");
            self.text.push_str(comment);
        }
        self.text.push('\n');
    }
}

/// Whether a scalar is written as a block: it was one, or has several lines that a block can hold.
fn is_block(scalar: &Scalar) -> bool {
    let text = scalar.text.trim();
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{feff}';
    let is_block = match scalar.style {
        // What it shows already stays as it is.
        Style::Literal => true,
        // A block has no escapes.
        _ => text.contains('\n') && !text.split(['\n', '\t']).any(scalar::is_escaped),
    };
    is_block && !scalar.text.contains(odd) && !text.is_empty()
}

fn one_line(scalar: &Scalar, kind: Kind, key: &str, in_flow: bool) -> String {
    let text = scalar.text.trim();
    if !kind.is_prose(key) {
        return scalar::one_line(text, in_flow, kind.is_text(key));
    }
    match scalar.style {
        Style::Quoted => scalar::quoted(text),
        // A whole number reads back as the same text everywhere.
        _ => scalar::one_line(text, in_flow, !scalar::is_whole(text)),
    }
}

/// A map or list in brackets, or a scalar inside one.
fn flow(node: &Node, kind: Kind, key: &str) -> String {
    let below = kind.under(key);
    match &node.value {
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| below.rank(&key.text));
            let entries = entries.into_iter().map(|(key, node)| {
                let name = scalar::one_line(&key.text, true, below.is_named());
                format!("{name}: {}", flow(node, below, &key.text))
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|item| flow(item, kind, key)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Scalar(scalar) => one_line(scalar, kind, key, true),
        Value::Null => String::new(),
    }
}
