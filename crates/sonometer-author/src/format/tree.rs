//! The tree of a file with the comments and blank lines that belong to each entry.

use sonometer::document::{Key, Node, Style, Value};

/// A comment (from its `#` on) or an empty line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trivia<'s> {
    Comment(&'s str),
    Blank,
}

/// An entry of a map, an item of a list, or the file itself.
#[derive(Debug)]
pub(super) struct Entry<'s> {
    pub(super) key: Option<&'s Key>,
    pub(super) node: &'s Node,
    /// What stands on the lines before it.
    pub(super) lead: Vec<Trivia<'s>>,
    /// The comment at the end of its line.
    pub(super) trail: Option<&'s str>,
    /// What stands after its last child, as far to the right as that.
    pub(super) tail: Vec<Trivia<'s>>,
    /// Its entries, if it is a map or list that is written over several lines.
    pub(super) children: Vec<Entry<'s>>,
    /// The column of its key or dash.
    column: usize,
}

/// A whole file.
#[derive(Debug)]
pub(super) struct Document<'s> {
    /// Comments before the first key that an empty line keeps apart from it.
    pub(super) header: Vec<Trivia<'s>>,
    pub(super) root: Entry<'s>,
}

impl<'s> Document<'s> {
    pub(super) fn of(source: &'s str, root: &'s Node) -> Self {
        let begin = source.len() - source.trim_start_matches('\u{feff}').len();
        let mut reader = Reader { source, at: begin, fresh: true };
        let mut root = Entry::new(None, root, 0);
        reader.children(&mut root);
        let (trail, rest) = reader.gap(source.len());
        root.set_trail(trail);
        root.close(rest);
        let lead = root.children.first_mut().map(|first| std::mem::take(&mut first.lead)).unwrap_or_default();
        let cut = lead.iter().rposition(|trivia| *trivia == Trivia::Blank).map_or(0, |at| at + 1);
        let (header, lead) = lead.split_at(cut);
        if let Some(first) = root.children.first_mut() {
            first.lead = lead.to_vec();
        }
        Self { header: header.to_vec(), root }
    }

    /// Every comment.
    pub(super) fn comments(&self) -> Vec<String> {
        let mut comments = Vec::new();
        collect(&self.header, &mut comments);
        self.root.collect(&mut comments);
        comments
    }
}

fn collect(trivia: &[Trivia<'_>], into: &mut Vec<String>) {
    into.extend(trivia.iter().filter_map(|trivia| match trivia {
        Trivia::Comment(text) => Some((*text).to_owned()),
        Trivia::Blank => None,
    }));
}

impl<'s> Entry<'s> {
    fn new(key: Option<&'s Key>, node: &'s Node, column: usize) -> Self {
        Self { key, node, lead: Vec::new(), trail: None, tail: Vec::new(), children: Vec::new(), column }
    }

    /// An entry to which no comment belongs.
    pub(super) fn bare(key: Option<&'s Key>, node: &'s Node) -> Self {
        Self::new(key, node, 0)
    }

    fn collect(&self, into: &mut Vec<String>) {
        collect(&self.lead, into);
        into.extend(self.trail.map(str::to_owned));
        self.children.iter().for_each(|child| child.collect(into));
        collect(&self.tail, into);
    }

    /// The comment at the end of the line that was read last: of the last descendant that has a line.
    fn set_trail(&mut self, trail: Option<&'s str>) {
        match self.children.last_mut() {
            Some(last) => last.set_trail(trail),
            None => self.trail = self.trail.or(trail),
        }
    }

    /// Takes what follows the last child: each comment goes to the innermost entry that it is indented like.
    fn close(&mut self, rest: Vec<(usize, Trivia<'s>)>) {
        let mut blank = false;
        for (column, trivia) in rest {
            if trivia == Trivia::Blank {
                blank = true;
                continue;
            }
            let tail = self.tail_for(column);
            tail.extend(blank.then_some(Trivia::Blank));
            tail.push(trivia);
            blank = false;
        }
    }

    fn tail_for(&mut self, column: usize) -> &mut Vec<Trivia<'s>> {
        let inner = |last: &Entry<'_>| !last.children.is_empty() && column > last.column;
        if self.children.last().is_some_and(inner) {
            // The borrow checker does not see that the last child is there in the other branch too.
            let last = self.children.len() - 1;
            return self.children[last].tail_for(column);
        }
        &mut self.tail
    }
}

/// Goes through the source once.
struct Reader<'s> {
    source: &'s str,
    /// How far it has come.
    at: usize,
    /// Whether nothing has been read yet.
    fresh: bool,
}

impl<'s> Reader<'s> {
    fn children(&mut self, parent: &mut Entry<'s>) {
        match &parent.node.value {
            Value::Map(entries) => {
                for (key, node) in entries {
                    self.child(parent, Some(key), node, key.span.start);
                }
            }
            Value::List(items) => {
                for node in items {
                    self.child(parent, None, node, node.span.start);
                }
            }
            Value::Null | Value::Scalar(_) => {}
        }
    }

    fn child(&mut self, parent: &mut Entry<'s>, key: Option<&'s Key>, node: &'s Node, start: usize) {
        // The text of a block begins on a line of its own; its dash and `|` stand on the line before.
        let is_block = matches!(&node.value, Value::Scalar(scalar) if scalar.style == Style::Literal);
        let start =
            if key.is_none() && is_block { self.source[..start].rfind('|').unwrap_or(start) } else { start };
        let line_start = self.source[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let before = &self.source[line_start..start];
        let column = if key.is_none() { before.find('-').unwrap_or(before.len()) } else { before.len() };
        let (trail, mut rest) = self.gap(start);
        parent.set_trail(trail);
        let mut child = Entry::new(key, node, column);
        let deeper = rest.iter().take_while(|(at, trivia)| *at > column || *trivia == Trivia::Blank).count();
        let belongs_before = parent.children.last().is_some_and(|last| !last.children.is_empty());
        let deeper = if belongs_before { deeper } else { 0 };
        let lead = rest.split_off(deeper);
        // The blank line that parts the entries stays with the second of them.
        let blank = rest.last().is_some_and(|(_, trivia)| *trivia == Trivia::Blank);
        if let Some(last) = parent.children.last_mut() {
            last.close(rest);
        }
        child.lead.extend(blank.then_some(Trivia::Blank));
        child.lead.extend(lead.into_iter().map(|(_, trivia)| trivia));
        self.at = key.map_or(start, |key| key.span.end);
        if self.is_written_out(node) {
            self.children(&mut child);
        } else {
            child.trail = self.gap(node.span.start.max(self.at)).0;
        }
        self.at = self.at.max(node.span.end);
        parent.children.push(child);
    }

    /// Whether a map or list stands on lines of its own: not in brackets, or in brackets with comments.
    fn is_written_out(&self, node: &Node) -> bool {
        let (is_empty, inner): (bool, Vec<(usize, &Node)>) = match &node.value {
            Value::Map(entries) => {
                (entries.is_empty(), entries.iter().map(|(key, node)| (key.span.start, node)).collect())
            }
            Value::List(items) => {
                (items.is_empty(), items.iter().map(|item| (item.span.start, item)).collect())
            }
            Value::Null | Value::Scalar(_) => return false,
        };
        if is_empty {
            return false;
        }
        if !self.source[node.span.start..].starts_with(['[', '{']) || inner[0].0 == node.span.start {
            return true;
        }
        let mut at = node.span.start + 1;
        for (start, child) in inner {
            let has_comment = self.source[at..start].contains('#');
            if has_comment
                || self.is_written_out(child) && self.source[child.span.start..].starts_with(['[', '{'])
            {
                return true;
            }
            at = child.span.end;
        }
        self.source[at..node.span.end].contains('#')
    }

    /// The comment on the rest of this line, and the comments and blank lines up to `end`, each with its column.
    fn gap(&mut self, end: usize) -> (Option<&'s str>, Vec<(usize, Trivia<'s>)>) {
        let text = &self.source[self.at.min(end)..end];
        self.at = self.at.max(end);
        let mut lines: Vec<&str> = text.split('\n').collect();
        // What the file begins with follows nothing.
        let trail = if std::mem::take(&mut self.fresh) { None } else { comment_in(lines.remove(0)) };
        let mut rest = Vec::new();
        let count = lines.len();
        for (number, line) in lines.into_iter().enumerate() {
            let content = line.trim_start_matches([' ', '\t', ',', ']', '}', '-', '[', '{']).trim_end();
            // The last piece is only the indentation of what follows.
            let is_last = number + 1 == count;
            if content.starts_with('#') {
                rest.push((line.len() - line.trim_start().len(), Trivia::Comment(content)));
            } else if line.trim().is_empty() && !is_last && !matches!(rest.last(), Some((_, Trivia::Blank))) {
                rest.push((0, Trivia::Blank));
            }
        }
        (trail, rest)
    }
}

/// The comment at the end of a line that holds no more text.
fn comment_in(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    let begins = |at: &usize| bytes[*at] == b'#' && (*at == 0 || matches!(bytes[at - 1], b' ' | b'\t'));
    (0..bytes.len()).find(begins).map(|at| line[at..].trim_end())
}
