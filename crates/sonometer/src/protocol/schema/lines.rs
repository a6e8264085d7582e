//! Lists of pattern lines.

use super::marker::Surroundings;
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};
use crate::document::{Node, Value};
use crate::keys::fields::Fields;
use crate::protocol::model::{Line, LineList, whole};
use crate::protocol::phrase::{self, PhraseError};
use crate::unit::Unit;

/// The most parts that the lines of a protocol may have together, lists written out. Lines that name a list share it, but each is checked
/// and compiled by itself: this many take about half a second.
const MAX_PARTS: usize = 1 << 22;

/// The finding of a pattern that begins `cut` bytes into the source line at `span`.
pub(super) fn phrase_diagnostic(error: PhraseError, span: Span, cut: usize) -> Diagnostic {
    // Quoted lines may be longer in the source than their text; the place then stays inside the line.
    let start = (span.start + cut + error.range.start).min(span.end);
    let end = (span.start + cut + error.range.end).clamp(start, span.end);
    Diagnostic::error(error.code, Span::new(start, end), error.message, error.fix)
}

/// Reads the patterns of a key and appends them.
pub(super) fn patterns(
    fields: &mut Fields<'_, '_>,
    key: &'static str,
    list: LineList,
    strength: Unit,
    around: &Surroundings<'_>,
    into: &mut Vec<Line>,
) {
    let Some(node) = fields.take(key) else { return };
    of_node(node, key, list, strength, around, fields.found, into);
}

/// Reads the patterns of a value.
pub(super) fn of_node(
    node: &Node,
    key: &str,
    list: LineList,
    strength: Unit,
    around: &Surroundings<'_>,
    found: &mut Diagnostics,
    into: &mut Vec<Line>,
) {
    if matches!(node.value, Value::Map(_)) {
        let message = format!("`{key}` is a map, not pattern lines");
        found.push(Diagnostic::error(
            "SM0331",
            node.span,
            message,
            format!("write `{key}: |` and below it one pattern on each line"),
        ));
        return;
    }
    let (before, found_before) = (into.len(), found.len());
    let lines = node.lines();
    into.reserve_exact(lines.len());
    for line in lines {
        let (text, cut) = phrase::strip_comment(line.text);
        if text.is_empty() {
            continue;
        }
        let (text, strength) = match (list, weight(text)) {
            (LineList::Weigh, Some((pattern, weight))) => (pattern, weight),
            (LineList::Weigh, None) => {
                let message = match text.rsplit_once('=') {
                    Some((_, wrong)) => {
                        format!("the weight of `{}` cannot be `{}`", excerpt(text), excerpt(wrong.trim()))
                    }
                    None => format!("`{text}` has no weight", text = excerpt(text)),
                };
                let fix = "end the line with its weight: `thank you = 0.41` (from -1000 to 1000, not 0)";
                found.push(Diagnostic::error("SM0332", line.span, message, fix));
                continue;
            }
            _ => (text, strength),
        };
        let span = Span::new((line.span.start + cut).min(line.span.end), line.span.end);
        if phrase::is_plain(text) {
            into.push(Line::plain(text, list, strength, span));
            continue;
        }
        if around.parts.get() > MAX_PARTS {
            break;
        }
        let parsed = around.lists.parse(text, &around.list_names);
        if let Ok(pattern) = &parsed {
            around.parts.set(around.parts.get() + phrase::size(pattern));
            if around.parts.get() > MAX_PARTS {
                let message =
                    format!("the lines up to here have more than {MAX_PARTS} parts, lists written out");
                let fix = "name long lists in fewer lines, or put them into `list_files`";
                found.push(Diagnostic::error("SM0364", span, message, fix));
                break;
            }
        }
        match parsed {
            Ok(pattern) if !list.has_places() && phrase::names_place(&pattern) => {
                let what = format!("`{key}`");
                let refused = phrase::place_refused(text, &what, "remove them; the whole line counts");
                found.push(phrase_diagnostic(refused, line.span, cut));
            }
            Ok(pattern) => {
                into.push(Line::read(whole(pattern), text, (list, strength, span), Some(around.lists)));
            }
            Err(error) => found.push(phrase_diagnostic(error, line.span, cut)),
        }
    }
    if into.len() == before && found.len() == found_before {
        let message = format!("`{key}` has no patterns");
        found.push(Diagnostic::error(
            "SM0333",
            node.span,
            message,
            "write one pattern on each line, or remove the key",
        ));
    }
}

/// `pattern = weight`
fn weight(text: &str) -> Option<(&str, Unit)> {
    let (pattern, weight) = text.rsplit_once('=')?;
    let limit = 1_000_000_000;
    let weight = Unit::parse(weight.trim()).filter(|w| w.0 != 0 && w.0.abs() <= limit)?;
    Some((pattern.trim_end(), weight))
}
