//! Findings while the author types, and the changes that mend them.

use super::document::File;
use crate::failure::Failure;
use crate::findings as found;
use crate::verb::dive::{StageSource, check};
use lsp_types::{
    CodeAction, CodeActionKind, Diagnostic, DiagnosticSeverity, NumberOrString, Range, TextEdit,
    WorkspaceEdit,
};
use sonometer::diagnostic::{Severity, Span};
use sonometer::stage::Stage;
use sonometer::{Diagnostics, Document};
use std::collections::HashMap;

/// The name by which editors show where a finding comes from.
const SOURCE: &str = "sonometer";

/// Everything that `check` says of a file.
pub(super) fn of(file: &File) -> Vec<Diagnostic> {
    let found = found::findings(&file.source);
    let mut all: Vec<Diagnostic> = found.iter().map(|finding| shown(file, finding)).collect();
    if !found.has_errors() {
        all.extend(whole(file).map(|message| Diagnostic {
            range: file.range(first_line(file.text())),
            severity: Some(DiagnosticSeverity::ERROR),
            source: Some(SOURCE.to_owned()),
            message,
            ..Diagnostic::default()
        }));
    }
    all
}

/// What is wrong with what a file names: a protocol that is missing, a blueprint that does not fit together.
fn whole(file: &File) -> Option<String> {
    if Stage::is_meant(file.text()) {
        return match check(&StageSource { source: file.source.clone() }).1.err()? {
            Failure::Told(told) => Some(told.message),
            Failure::PipeClosed => None,
        };
    }
    let (document, _) = Document::read_with(file.text(), &|path| file.source.list_file(path)).ok()?;
    match document {
        Document::Protocol(_) => None,
        composed => file.source.compose(composed).err().map(|error| error.message),
    }
}

fn first_line(text: &str) -> Span {
    Span::new(0, text.find('\n').unwrap_or(text.len()))
}

fn shown(file: &File, finding: &sonometer::Diagnostic) -> Diagnostic {
    let severity = match finding.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
    };
    Diagnostic {
        range: file.range(finding.span),
        severity: Some(severity),
        code: Some(NumberOrString::String(finding.code.to_owned())),
        source: Some(SOURCE.to_owned()),
        message: format!("{}; {}", finding.message, finding.fix),
        ..Diagnostic::default()
    }
}

/// The changes for the findings in a range, and one for all that can be mended without a doubt.
pub(super) fn actions(file: &File, range: Range) -> Vec<CodeAction> {
    let found: Diagnostics = found::findings(&file.source);
    let touches = |span: Span| {
        let own = file.range(span);
        own.start <= range.end && range.start <= own.end
    };
    let mut actions = Vec::new();
    for finding in found.iter().filter(|finding| touches(finding.span)) {
        for (at, fix) in found::fixes(&file.source, &found, finding).into_iter().enumerate() {
            let edit = TextEdit { range: file.range(fix.span), new_text: fix.text };
            let mut title = fix.title;
            if let Some(first) = title.get(..1) {
                title = first.to_uppercase() + &title[1..];
            }
            actions.push(CodeAction {
                title,
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![shown(file, finding)]),
                edit: Some(changes(file, vec![edit])),
                is_preferred: Some(at == 0 && fix.sure),
                ..CodeAction::default()
            });
        }
    }
    actions
}

/// All that can be mended without a doubt, as one change.
pub(super) fn mend_all(file: &File) -> Option<CodeAction> {
    let (text, mended) = found::mend(&file.source);
    (mended > 0).then(|| CodeAction {
        title: match mended {
            1 => "Mend the finding that can be mended without a doubt".to_owned(),
            _ => format!("Mend all {mended} findings that can be mended without a doubt"),
        },
        kind: Some(CodeActionKind::SOURCE_FIX_ALL),
        edit: Some(changes(file, vec![TextEdit { range: file.whole(), new_text: text }])),
        ..CodeAction::default()
    })
}

/// Changes of this file alone.
// The key is the editor's own type: its hash is that of the text.
#[allow(clippy::mutable_key_type)]
pub(super) fn changes(file: &File, edits: Vec<TextEdit>) -> WorkspaceEdit {
    WorkspaceEdit { changes: Some(HashMap::from([(file.uri.clone(), edits)])), ..WorkspaceEdit::default() }
}
