//! What can be typed at a place, as editors take it.

use super::document::File;
use lsp_types::{CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind};
use sonometer_author::assist::{Item, Kind, complete};

/// What can be typed at a byte.
pub(super) fn at(file: &File, offset: usize) -> Vec<CompletionItem> {
    let names = |kind| {
        let entries = sonometer_catalog::entries(kind).iter();
        entries.map(|entry| format!("{}@{}", entry.id, entry.version)).collect()
    };
    complete(&file.draft, offset, &names).items.into_iter().map(shown).collect()
}

fn shown(Item { label, kind, detail, about, insert }: Item) -> CompletionItem {
    let in_markdown =
        |value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value });
    CompletionItem {
        kind: Some(match kind {
            Kind::Required | Kind::Key => CompletionItemKind::PROPERTY,
            Kind::Name => CompletionItemKind::ENUM_MEMBER,
            Kind::Value | Kind::Role => CompletionItemKind::VALUE,
            Kind::Marker => CompletionItemKind::REFERENCE,
            Kind::List => CompletionItemKind::VARIABLE,
            Kind::Class => CompletionItemKind::CLASS,
            Kind::Shipped => CompletionItemKind::MODULE,
        }),
        detail: Some(detail),
        documentation: (!about.is_empty()).then(|| in_markdown(about)),
        insert_text: insert,
        // Editors sort by this: keys that must be there come first.
        sort_text: matches!(kind, Kind::Required | Kind::Key)
            .then(|| format!("{}{label}", u8::from(kind != Kind::Required))),
        label,
        ..CompletionItem::default()
    }
}
