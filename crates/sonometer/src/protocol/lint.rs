//! Findings about a protocol as a whole: what is allowed but hardly meant.

use super::cost::{MAX_STEPS, WARNED_STEPS};
use super::model::*;
use super::phrase::Pattern;
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};
use crate::document::{Node, Value, suggest};
use crate::language;
use std::collections::BTreeSet;

/// Checks what no single key shows; `root` gives the places.
pub(super) fn whole(protocol: &Protocol, root: &Node, found: &mut Diagnostics) {
    let nodes = match root.get("markers").map(|node| &node.value) {
        Some(Value::List(items)) => items.as_slice(),
        _ => &[],
    };
    for (marker, node) in protocol.markers.iter().zip(nodes) {
        let place = |key: &str| node.get(key).map_or(node.span, |n| n.span);
        repeated_lines(marker, found);
        negation_without_cues(protocol, marker, place("negation"), found);
        unheard_hints(marker, place("hints"), found);
        unreachable_trigger(marker, place("trigger"), found);
        unknown_speakers(protocol, marker, found);
        if marker.hit.is_empty() && !protocol.tests.iter().any(|test| test.fires.contains(&marker.label)) {
            let message = format!("`{}` has no `hit`, so no test shows that it can trigger", marker.label);
            found.push(Diagnostic::warning(
                "SM0401",
                place("label"),
                message,
                "add `hit: |` with a line that must trigger it",
            ));
        }
    }
    costly(protocol, found);
    test_speakers(protocol, found);
    undone_without_words(protocol, root.get("unfold").map_or(root.span, |node| node.span), found);
    let all_by = !protocol.markers.is_empty() && protocol.markers.iter().all(|m| !m.by.is_empty());
    if all_by && root.get("modalities").is_some() && protocol.modalities.contains(&Modality::Text) {
        let place = root.get("modalities").map_or(root.span, |n| n.span);
        let message = "every marker has `by`, but plain text has no speakers";
        found.push(Diagnostic::warning("SM0402", place, message, "write `modalities: [transcript]`"));
    }
}

/// Lines that take too many steps together, by what the costliest of them takes.
fn costly(protocol: &Protocol, found: &mut Diagnostics) {
    let all = protocol.steps_per_word();
    if all <= WARNED_STEPS {
        return;
    }
    let lines = protocol.markers.iter().flat_map(Marker::all_lines);
    let Some(costliest) = lines.max_by_key(|line| line.steps_per_word()) else { return };
    let message = format!(
        "this protocol can take {all} steps for each word of a text, this line alone {}",
        costliest.steps_per_word()
    );
    let fix = "use fewer or smaller gaps and `&`, or split the protocol";
    found.push(match all > MAX_STEPS {
        true => {
            let message = format!("{message}; the limit is {MAX_STEPS}");
            Diagnostic::error("SM0421", costliest.span, message, fix)
        }
        false => {
            let message = format!("{message}; above {WARNED_STEPS}, long texts are slow");
            Diagnostic::warning("SM0420", costliest.span, message, fix)
        }
    });
}

/// Test lines that begin like `customer: …` although no role of the protocol is called so: they are plain texts, and a
/// `miss` of a marker with `by` then passes whatever it says.
fn unknown_speakers(protocol: &Protocol, marker: &Marker, found: &mut Diagnostics) {
    check_speakers(protocol, marker.hit.iter().chain(&marker.miss), found);
}

/// The same of the talks of `tests`.
fn test_speakers(protocol: &Protocol, found: &mut Diagnostics) {
    check_speakers(protocol, protocol.tests.iter().flat_map(|test| &test.talk), found);
}

fn check_speakers<'l>(
    protocol: &Protocol,
    lines: impl Iterator<Item = &'l TestLine>,
    found: &mut Diagnostics,
) {
    let has_roles =
        protocol.actants != Actants::default() || protocol.markers.iter().any(|m| !m.by.is_empty());
    let is_name = |text: &str| text.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'-'));
    for line in lines.filter(|line| has_roles && line.role.is_none()) {
        if let Some((name, _)) = line.text.split_once(": ")
            && is_name(name)
        {
            let message = format!(
                "`{name}` is not a role of this protocol, so the line is read as plain text",
                name = excerpt(name)
            );
            let roles: Vec<&str> = protocol.actants.names().map(String::as_str).collect();
            let fix = match suggest(name, &roles) {
                Some(near) => format!("did you mean `{near}`"),
                None => format!("add it to `actants`, for example `others: [{}]`", excerpt(name)),
            };
            found.push(Diagnostic::warning("SM0407", line.span, message, fix));
        }
    }
}

/// `spoken_digits` in a language that the engine knows no digit words of.
fn undone_without_words(protocol: &Protocol, place: Span, found: &mut Diagnostics) {
    let language = protocol.language.as_deref().and_then(language::find);
    if protocol.unfold.contains(&Unfold::SpokenDigits) && language.is_none() {
        let message = "`spoken_digits` needs a language, to know its digit words";
        found.push(Diagnostic::error("SM0409", place, message, "add `language: en`, or remove it"));
    }
}

fn repeated_lines(marker: &Marker, found: &mut Diagnostics) {
    let (mut lines, mut exceptions) = (BTreeSet::new(), BTreeSet::new());
    for line in marker.lines.iter().chain(&marker.except) {
        let same_kind = if line.list == LineList::Except { &mut exceptions } else { &mut lines };
        if !same_kind.insert(&line.text) {
            let message = format!("`{}` appears twice in `{}`", excerpt(&line.text), marker.label);
            found.push(Diagnostic::warning(
                "SM0403",
                line.span,
                message,
                "remove one; otherwise each match counts twice",
            ));
        }
    }
}

fn negation_without_cues(protocol: &Protocol, marker: &Marker, place: Span, found: &mut Diagnostics) {
    let has_language = protocol.language.as_deref().is_some_and(|code| language::find(code).is_some());
    if marker.heeds_negation() && !has_language && protocol.negation.cues.is_empty() {
        let fix = "add `language: en`, or `negation: {cues: …}` to the protocol";
        let message = format!("`negation: {}` has no cues: words that negate", marker.negation);
        found.push(Diagnostic::error("SM0404", place, message, fix));
    }
}

/// Hints for conditions that the marker does not have.
fn unheard_hints(marker: &Marker, place: Span, found: &mut Diagnostics) {
    let checked = |line: &Line| matches!(line.tree().as_deref(), Some(Pattern::Class(super::phrase::Class::Detected(c))) if c.is_checked());
    for (kind, _) in &marker.hints {
        let heard = match kind {
            HintKind::More => true,
            HintKind::Role => !marker.by.is_empty(),
            HintKind::Where => marker.place.is_some(),
            HintKind::Except => !marker.except.is_empty(),
            HintKind::Negated => marker.heeds_negation(),
            HintKind::After => marker.after.is_some(),
            HintKind::Before => marker.before.is_some(),
            HintKind::Pair => marker.pair.is_some(),
            HintKind::Echo => marker.echo.is_some(),
            HintKind::Deadline => {
                marker.absence.as_ref().is_some_and(|absence| absence.until != Deadline::End)
            }
            HintKind::Gap => marker.lines.iter().any(|line| line.gaps() == 1),
            HintKind::Checksum => marker.lines.iter().any(checked),
        };
        if !heard {
            let message = format!(
                "the hint `{}` is never shown, because `{}` has no such condition",
                kind.as_str(),
                marker.label
            );
            found.push(Diagnostic::warning("SM0405", place, message, "remove it, or add the condition"));
        }
    }
}

/// With `repeat: once` the lines together may never reach the trigger.
fn unreachable_trigger(marker: &Marker, place: Span, found: &mut Diagnostics) {
    if marker.share.is_some()
        || marker.per.is_some()
        || marker.repeat != Repeat::Once
        || marker.lines.is_empty()
        || marker.absence.is_some()
    {
        return;
    }
    let most: i64 =
        marker.lines.iter().map(|l| l.strength.0.max(0)).sum::<i64>().saturating_add(marker.bias.0);
    let at_most = crate::unit::saturate(i128::from(most.max(0)), marker.half);
    if at_most < marker.trigger {
        let message =
            format!("`{}` can never trigger: with `repeat: once` it reaches at most {at_most}", marker.label);
        found.push(Diagnostic::error("SM0406", place, message, "lower `trigger`, or raise the strengths"));
    }
}
