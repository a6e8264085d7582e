//! `lists`: named alternatives, which may hold other lists.

use super::lines::phrase_diagnostic;
use crate::diagnostic::{Diagnostic, Span, excerpt, some_of};
use crate::document::{Key, Node, Value};
use crate::keys::fields::{Fields, check_identifier};
use crate::names::Numbered;
use crate::protocol::files::ListFile;
use crate::protocol::phrase::{self, Context, MAX_NODES, Pattern, WordKind, WordTest};
use std::cell::RefCell;

/// The lists parsed, those inside them written out, and as written.
pub(super) type Lists = (Numbered<Pattern>, Vec<(String, Vec<String>)>);

/// Reads `lists`.
pub(super) fn read(
    fields: &mut Fields<'_, '_>,
    files: &[ListFile],
    stem: Option<fn(&str, &mut String)>,
) -> Lists {
    let mut lists = Numbered::default();
    for ListFile { name, phrases, .. } in files {
        lists.put(name, Pattern::Phrases(phrases.clone()));
    }
    let Some(node) = fields.take("lists") else { return (lists, Vec::new()) };
    let Value::Map(entries) = &node.value else {
        let fix = "write `lists: {feeling: torn | stuck | worried}`";
        fields.found.push(Diagnostic::error(
            "SM0316",
            node.span,
            "`lists` is not a map of names to entries",
            fix,
        ));
        return (lists, Vec::new());
    };
    let mut written = Vec::with_capacity(entries.len());
    let mut numbers = Numbered::default();
    for (at, (name, node)) in entries.iter().enumerate() {
        check_identifier(&name.text, name.span, "list name", fields.found);
        if lists.contains(&name.text) {
            let message = format!("`{}` is a list and a list file", excerpt(&name.text));
            fields.found.push(Diagnostic::error("SM0375", name.span, message, "rename one of them"));
        }
        numbers.put(&name.text, at);
        let lines = node.lines().into_iter().map(|line| phrase::strip_comment(line.text).0.to_owned());
        written.push((name.text.clone(), lines.filter(|line| !line.is_empty()).collect()));
    }
    let mut names = numbers.names();
    names.extend(files.iter().map(|file| file.name.as_str()));
    names.sort_unstable();
    let mut reader = Reader {
        entries,
        numbers: &numbers,
        names: &names,
        stem,
        lists,
        open: Vec::new(),
        is_open: vec![false; entries.len()],
    };
    for at in 0..entries.len() {
        reader.resolve(at, fields);
    }
    (reader.lists, written)
}

struct Reader<'n> {
    entries: &'n [(Key, Node)],
    /// By name: which entry it is.
    numbers: &'n Numbered<usize>,
    names: &'n [&'n str],
    stem: Option<fn(&str, &mut String)>,
    /// Those that are parsed.
    lists: Numbered<Pattern>,
    /// Those that wait for lists inside them, each with what it seems to name and has not looked at. A stack of its own: how long a
    /// chain of lists is, is up to the author.
    open: Vec<(usize, Vec<usize>)>,
    is_open: Vec<bool>,
}

impl Reader<'_> {
    /// Parses a list, and before it those that it names.
    fn resolve(&mut self, at: usize, fields: &mut Fields<'_, '_>) {
        self.begin(at);
        while let Some((at, named)) = self.open.last_mut() {
            let at = *at;
            if let Some(inside) = named.pop() {
                if !self.is_open[inside] {
                    self.begin(inside);
                }
                continue;
            }
            let name = self.entries[at].0.text.as_str();
            let pattern = self.parse(at, fields).unwrap_or_else(|| {
                // The list is there, if broken: a line that names it is not at fault.
                Pattern::Word(WordTest { kind: WordKind::Equal, folded: name.into() })
            });
            self.lists.put(name, pattern);
            self.is_open[at] = false;
            self.open.pop();
        }
    }

    fn begin(&mut self, at: usize) {
        if !self.lists.contains(&self.entries[at].0.text) {
            self.open.push((at, self.named(at)));
            self.is_open[at] = true;
        }
    }

    /// The lists that seem to be named in this one. What stands in quotes may be among them, which does no harm: they are only
    /// parsed earlier.
    fn named(&self, at: usize) -> Vec<usize> {
        let lines = self.entries[at].1.lines();
        let parts = lines.iter().flat_map(|line| line.text.split('@').skip(1));
        let names = parts.map(|part| {
            let end = part.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')));
            &part[..end.unwrap_or(part.len())]
        });
        names.filter_map(|name| self.numbers.get(name).copied()).collect()
    }

    /// The entries of a list; `None` if there is none that can be read.
    fn parse(&self, at: usize, fields: &mut Fields<'_, '_>) -> Option<Pattern> {
        let (name, node) = &self.entries[at];
        let before = fields.found.len();
        let inside = RefCell::new(Vec::new());
        let lookup = |name: &str| {
            inside.borrow_mut().push(name.to_owned());
            self.lists.get(name).cloned()
        };
        let context = Context { list: &lookup, names: self.names, stem: self.stem };
        let (mut entries, mut parts) = (Vec::new(), 0);
        for line in node.lines() {
            let (text, cut) = phrase::strip_comment(line.text);
            if text.is_empty() {
                continue;
            }
            match phrase::parse_list(text, &context) {
                Ok(pattern) => {
                    parts += phrase::size(&pattern);
                    entries.push(pattern);
                }
                Err(error) => {
                    let named = inside.borrow().last().and_then(|name| self.numbers.get(name).copied());
                    let circle =
                        named.filter(|_| error.code == "SM0218").and_then(|named| self.circle(named));
                    let mut finding = phrase_diagnostic(error, line.span, cut);
                    if let Some(circle) = circle {
                        finding = Diagnostic::error(
                            "SM0324",
                            finding.span,
                            format!("the list `{}` contains itself: {}", excerpt(&name.text), circle),
                            "write out the entries in one of them; for a literal `@` write `\\@`",
                        );
                    }
                    fields.found.push(finding);
                }
            }
            // Lists inside lists multiply: what no pattern line could hold is not written out.
            if parts > MAX_NODES && !inside.borrow().is_empty() {
                let message = format!(
                    "the list `{}`, with the lists in it, has more than {MAX_NODES} parts",
                    excerpt(&name.text)
                );
                let fix = "split it into smaller lists";
                fields.found.push(Diagnostic::error(
                    "SM0201",
                    Span::new(name.span.start, name.span.end),
                    message,
                    fix,
                ));
                break;
            }
        }
        match entries.len() {
            0 => {
                if node.value != Value::Null && fields.found.len() == before {
                    let message = format!("the list `{}` has no entries", excerpt(&name.text));
                    let fix = "write entries, separated by `|` or on lines";
                    fields.found.push(Diagnostic::error("SM0317", name.span, message, fix));
                }
                None
            }
            1 => entries.pop(),
            _ => Some(Pattern::Either(entries.into())),
        }
    }

    /// The way from a list that waits back to it: `a, b, a`.
    fn circle(&self, named: usize) -> Option<String> {
        let from = self.open.iter().position(|(open, _)| *open == named)?;
        let way = self.open[from..].iter().map(|(open, _)| *open).chain([named]);
        let names: Vec<&str> = way.map(|at| self.entries[at].0.text.as_str()).collect();
        Some(some_of(&names))
    }
}

#[cfg(test)]
mod tests {
    use crate::Protocol;
    use crate::protocol::phrase::Pattern;

    fn pattern(lists: &str) -> Result<Pattern, Vec<(&'static str, String)>> {
        let source = format!(
            r#"{{"sonometer": 1, "id": "a", "version": "1", "taxonomy": "Signal", "lists": {{{lists}}},
            "markers": [{{"label": "m", "strong": "so @warm", "hit": "x"}}]}}"#
        );
        match Protocol::read(&source) {
            Ok((protocol, _)) => Ok(protocol.markers[0].lines[0].pattern().into_owned()),
            Err(error) => Err(error.diagnostics.iter().map(|d| (d.code, d.message.clone())).collect()),
        }
    }

    #[test]
    fn lists_inside_lists_are_written_out_in_any_order() {
        let flat = pattern(r#""warm": "warm | (kind|(nice|good day)) day""#).expect("is sound");
        for lists in [
            r#""warm": "warm | @kind day", "kind": "kind | @good", "good": "nice | good day""#,
            r#""good": "nice | good day", "kind": "kind | @good", "warm": "warm | @kind day""#,
        ] {
            assert_eq!(pattern(lists).as_ref(), Ok(&flat), "{lists}");
        }
    }

    #[test]
    fn a_chain_may_be_long_and_a_tree_must_not_grow() {
        let chain: String = (0..20_000).map(|n| format!(r#""l{n}": "@l{}", "#, n + 1)).collect();
        let chain = format!(r#"{chain}"l20000": "warm", "warm": "@l0""#);
        assert_eq!(pattern(&chain), pattern(r#""warm": "warm""#));
        // Each list is twice the one inside it: 2^40 words.
        let tree: String = (0..40).map(|n| format!(r#""l{n}": ["@l{}", "@l{}"], "#, n + 1, n + 1)).collect();
        let found =
            pattern(&format!(r#"{tree}"l40": "warm | kind", "warm": "@l0""#)).expect_err("is too large");
        assert!(found.iter().any(|(code, _)| *code == "SM0201"), "{found:?}");
    }

    #[test]
    fn a_circle_is_named() {
        let found = pattern(r#""warm": "warm | @kind", "kind": "@good | kind", "good": "@warm""#)
            .expect_err("a circle");
        assert_eq!(found, [("SM0324", "the list `good` contains itself: warm, kind, good, warm".to_owned())]);
    }
}
