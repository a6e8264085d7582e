//! Labels that name another marker: `negation: flip L`, `ratio`, `expect`.

use super::marker::Surroundings;
use super::relation;
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt, some_of};
use crate::document::{Node, suggest};
use crate::keys::fields::in_brackets;
use crate::protocol::model::{Marker, NegationMode, RatioTo, ScoreKind};
use crate::protocol::order::judging_order;

/// The finding for a label that no marker has.
pub(super) fn unknown_label(label: &str, span: Span, around: &Surroundings<'_>) -> Diagnostic {
    let labels: Vec<&str> = around.labels.iter().map(String::as_str).collect();
    let fix = match (in_brackets(label), suggest(label, &labels)) {
        (Some(list), _) => list,
        (None, Some(near)) => format!("did you mean `{near}`"),
        (None, None) if labels.is_empty() => "add markers below `markers:`".to_owned(),
        (None, None) => format!("the markers are {}", some_of(&labels)),
    };
    Diagnostic::error("SM0352", span, format!("unknown marker `{label}`", label = excerpt(label)), fix)
}

/// Checks what the markers say of each other; `nodes` are theirs.
pub(super) fn check(markers: &[Marker], nodes: &[Node], around: &Surroundings<'_>, found: &mut Diagnostics) {
    for (marker, node) in markers.iter().zip(nodes) {
        if let NegationMode::Flip(label) = &marker.negation {
            let span = node.get("negation").map_or(node.span, |node| node.span);
            reference(markers, marker, label, span, "receive flipped matches", around, found);
        }
        for key in ["after", "before", "pair", "echo", "when"] {
            for (label, span) in relation::written_markers(node, key) {
                reference(markers, marker, &label, span, "be found", around, found);
            }
        }
        let Some(ratio) = &marker.ratio else { continue };
        let place =
            |key| node.get("ratio").and_then(|node| node.get(key)).map_or(node.span, |node| node.span);
        // A missing label has been reported.
        if !ratio.of.is_empty() {
            reference(markers, marker, &ratio.of, place("of"), "be counted", around, found);
        }
        if let RatioTo::Marker(label) = &ratio.to {
            reference(markers, marker, label, place("to"), "be counted", around, found);
        }
    }
}

/// Markers that wait for each other's matches would wait for ever.
pub(super) fn circles(markers: &[Marker], nodes: &[Node], found: &mut Diagnostics) {
    if found.has_errors() {
        // A label that nobody has, or has twice, says enough.
        return;
    }
    if let Err(circle) = judging_order(markers) {
        let (Some(first), Some(next)) = (circle.first(), circle.get(1)) else { return };
        let (marker, node) = (&markers[*first as usize], &nodes[*first as usize]);
        let next = &markers[*next as usize].label;
        let keys = ["after", "before"].map(|key| relation::written_markers(node, key));
        let named = keys.into_iter().flatten().find(|(label, _)| label == next);
        let span = named.map_or(node.span, |(_, span)| span);
        let names: Vec<&str> = circle.iter().map(|at| markers[*at as usize].label.as_str()).collect();
        let message = format!("`{}` waits for itself: {}", marker.label, some_of(&names));
        found.push(Diagnostic::error(
            "SM0363",
            span,
            message,
            "replace one of these markers with patterns (`any`)",
        ));
    }
}

/// With `risk` and `any` the poles decide what is a finding and what only softens it: where markers of both are meant, a marker
/// whose pole was merely forgotten would soften what it should report.
pub(super) fn poles(score: ScoreKind, markers: &[Marker], nodes: &[Node], found: &mut Diagnostics) {
    let is_written = |node: &Node, pole: &str| {
        node.get("pole").and_then(Node::text).is_some_and(|text| text.trim() == pole)
    };
    if score == ScoreKind::Mean || !nodes.iter().any(|node| is_written(node, "against")) {
        return;
    }
    for (marker, node) in markers.iter().zip(nodes).filter(|(_, node)| node.get("pole").is_none()) {
        let span = node.get("label").map_or(node.span, |label| label.span);
        let message = format!(
            "`{}` has no `pole`, but `score: {}` has markers of both poles",
            excerpt(&marker.label),
            score.as_str()
        );
        let fix = match score {
            ScoreKind::Risk => "write `pole: against` for a risk, `pole: for` for what mitigates one",
            _ => "write `pole: for` if it speaks for the score, `pole: against` if it speaks against it",
        };
        found.push(Diagnostic::error("SM0362", span, message, fix));
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
            let message = format!("`{label}` refers to itself", label = excerpt(label));
            found.push(Diagnostic::error("SM0347", span, message, "name another marker"));
        }
        Some(other) if other.absence.is_some() || other.ratio.is_some() => {
            let message = format!(
                "`{label}` has no evidence of its own that could {use_of_it}",
                label = excerpt(label)
            );
            let fix = "name a marker with `strong`, `clear`, `weak` or `weigh`";
            found.push(Diagnostic::error("SM0348", span, message, fix));
        }
        Some(_) => {}
    }
}
