//! Colours for the phrase language, beside those that the editor gives YAML.

use super::document::File;
use lsp_types::{SemanticToken, SemanticTokenType, SemanticTokens};
use sonometer::diagnostic::Span;
use sonometer_author::assist::names;
use sonometer_author::assist::pattern::{Kind, pieces};

/// The kinds of tokens, by number.
pub(super) const LEGEND: [SemanticTokenType; 7] = [
    SemanticTokenType::VARIABLE,
    SemanticTokenType::TYPE,
    SemanticTokenType::REGEXP,
    SemanticTokenType::STRING,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::NUMBER,
    SemanticTokenType::COMMENT,
];

fn number(kind: Kind) -> u32 {
    match kind {
        Kind::List => 0,
        Kind::Class => 1,
        Kind::Regex => 2,
        Kind::Quoted => 3,
        Kind::Operator => 4,
        Kind::Weight => 5,
        Kind::Comment => 6,
    }
}

/// The parts of all pattern lines, each as a distance from the one before.
pub(super) fn of(file: &File) -> SemanticTokens {
    let mut spans = Vec::new();
    if let Some(root) = file.tree() {
        for (key, span) in names::pattern_lines(root, file.draft.keys()) {
            let line = &file.text()[span.range()];
            // In JSON a line with escapes is longer than its text, and its parts would be elsewhere.
            if line.contains('\n') {
                continue;
            }
            spans.extend(pieces(line, key == "weigh").into_iter().map(|piece| {
                (Span::new(span.start + piece.range.start, span.start + piece.range.end), number(piece.kind))
            }));
        }
    }
    spans.sort_unstable();
    let (mut line, mut column) = (0, 0);
    let mut data = Vec::with_capacity(spans.len());
    for (span, token_type) in spans {
        let start = file.position(span.start);
        let delta_line = start.line - line;
        let delta_start = if delta_line == 0 { start.character - column } else { start.character };
        let length = file.width(span);
        data.push(SemanticToken { delta_line, delta_start, length, token_type, token_modifiers_bitset: 0 });
        (line, column) = (start.line, start.character);
    }
    SemanticTokens { result_id: None, data }
}
