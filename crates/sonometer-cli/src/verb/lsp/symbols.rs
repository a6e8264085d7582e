//! The outline of a file: lists, markers and tests, or whatever its keys hold.

use super::document::{File, items};
use lsp_types::{DocumentSymbol, SymbolKind};
use sonometer::diagnostic::Span;
use sonometer::document::{Node, Value};

/// The outline; empty where the text cannot be read.
pub(super) fn of(file: &File) -> Vec<DocumentSymbol> {
    let Some(Value::Map(entries)) = file.tree().map(|root| &root.value) else { return Vec::new() };
    entries.iter().map(|(key, node)| entry(file, &key.text, key.span, node)).collect()
}

fn entry(file: &File, key: &str, key_span: Span, node: &Node) -> DocumentSymbol {
    let whole = Span::new(key_span.start, node.span.end.max(key_span.end));
    let inner: Vec<DocumentSymbol> = match &node.value {
        Value::Map(entries) if matches!(key, "lists" | "list_files" | "scenes" | "vars" | "walkthroughs") => {
            entries
                .iter()
                .map(|(name, value)| {
                    let all = Span::new(name.span.start, value.span.end.max(name.span.end));
                    symbol(file, &name.text, SymbolKind::VARIABLE, all, name.span, Vec::new())
                })
                .collect()
        }
        _ => items(node).iter().filter_map(|item| named(file, key, item)).collect(),
    };
    symbol(file, key, SymbolKind::PROPERTY, whole, key_span, inner)
}

/// An item of a list by its label or name.
fn named(file: &File, key: &str, item: &Node) -> Option<DocumentSymbol> {
    let name = ["label", "name", "protocol", "metric"].into_iter().find_map(|key| item.get(key))?;
    let kind = if key == "tests" { SymbolKind::METHOD } else { SymbolKind::CLASS };
    Some(symbol(file, name.text()?.trim(), kind, item.span, name.span, Vec::new()))
}

// `deprecated` has been replaced by tags, and must be given all the same.
#[allow(deprecated)]
fn symbol(
    file: &File,
    name: &str,
    kind: SymbolKind,
    whole: Span,
    own: Span,
    inner: Vec<DocumentSymbol>,
) -> DocumentSymbol {
    // Editors refuse an empty name, and a name outside of its whole.
    let name = if name.is_empty() { "(no name)" } else { name };
    let whole = Span::new(whole.start.min(own.start), whole.end.max(own.end));
    DocumentSymbol {
        name: name.to_owned(),
        detail: None,
        kind,
        tags: None,
        deprecated: None,
        range: file.range(whole),
        selection_range: file.range(own),
        children: (!inner.is_empty()).then_some(inner),
    }
}
