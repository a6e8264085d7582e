//! Labels that name another marker: `negation: flip L`, `ratio`, `expect`.

use super::marker::Surroundings;
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::protocol::model::{Marker, NegationMode, RatioTo};
use crate::protocol::source::{Node, suggest};

/// The finding for a label that no marker has.
pub(super) fn unknown_label(label: &str, span: Span, around: &Surroundings<'_>) -> Diagnostic {
    let labels: Vec<&str> = around.labels.names();
    let fix = match suggest(label, &labels) {
        Some(near) => format!("did you mean `{near}`"),
        None => format!("the markers here are {}", labels.join(", ")),
    };
    Diagnostic::error("SM0352", span, format!("no marker is called `{label}`"), fix)
}

/// Checks what the markers say of each other; `nodes` are theirs.
pub(super) fn check(markers: &[Marker], nodes: &[Node], around: &Surroundings<'_>, found: &mut Diagnostics) {
    for (marker, node) in markers.iter().zip(nodes) {
        if let NegationMode::Flip(label) = &marker.negation {
            let span = node.get("negation").map_or(node.span, |node| node.span);
            reference(markers, marker, label, span, "flip to", around, found);
        }
        let Some(ratio) = &marker.ratio else { continue };
        let place =
            |key| node.get("ratio").and_then(|node| node.get(key)).map_or(node.span, |node| node.span);
        // A missing label has been reported.
        if !ratio.of.is_empty() {
            reference(markers, marker, &ratio.of, place("of"), "be counted from", around, found);
        }
        if let RatioTo::Marker(label) = &ratio.to {
            reference(markers, marker, label, place("to"), "be counted from", around, found);
        }
    }
}

/// Another marker must be named, and one that has evidence lines.
fn reference(
    markers: &[Marker],
    marker: &Marker,
    label: &str,
    span: Span,
    use_of_it: &str,
    around: &Surroundings<'_>,
    found: &mut Diagnostics,
) {
    match markers.iter().find(|other| other.label == label) {
        None => found.push(unknown_label(label, span, around)),
        Some(other) if other.label == marker.label => {
            let message = format!("`{label}` names itself");
            found.push(Diagnostic::error("SM0347", span, message, "name another marker"));
        }
        Some(other) if other.absence.is_some() || other.ratio.is_some() => {
            let message = format!("`{label}` has no evidence lines to {use_of_it}");
            let fix = "name a marker with `strong`, `clear`, `weak` or `weigh`";
            found.push(Diagnostic::error("SM0348", span, message, fix));
        }
        Some(_) => {}
    }
}
