//! The evidence of one text, as the errors of a report show it: in JSON, text and HTML.

use super::ledger;
use super::paint::{Paint, Tone, fit};
use super::talk::{Mark, hue, talk};
use super::text::one_place;
use crate::evaluate::cited::{Cited, cited};
use crate::evaluate::excerpt::excerpt;
use sonometer::Reading;
use sonometer::protocol::Effect;

/// Pieces of evidence shown on the terminal.
const SHOWN: usize = 3;

/// The evidence in its place, or the beginning of the text where there is none; with `explained`, the computation too.
pub(super) fn lines(paint: &Paint, sensed: &Reading, indent: usize, explained: bool) -> String {
    let room = Paint { width: paint.width.saturating_sub(indent.saturating_sub(6)), ..*paint };
    let evidence = cited(sensed);
    let whole = || {
        let turns = 0..sensed.interaction().turns().len();
        turns.map(|turn| sensed.masked_turn(turn).into_owned()).collect::<Vec<_>>().join(" / ")
    };
    let piece = |cited: &Cited<'_>| {
        let tag = format!("{{{} {}}}", cited.marker, cited.evidence.score);
        let excerpt = excerpt(cited.reading, cited.evidence.turn, &cited.evidence.range);
        one_place(&room, &excerpt, &tag, Tone::Marker(effect(cited), cited.number))
    };
    let mut text = pieces(&room, indent, &evidence, piece, whole);
    if explained {
        text.push_str(&explanation(paint, sensed, indent));
    }
    text
}

/// The first pieces of evidence, a line each, and how many more there are; where there are none, the beginning of the text.
pub(super) fn pieces<E>(
    paint: &Paint,
    indent: usize,
    evidence: &[E],
    piece: impl Fn(&E) -> String,
    whole: impl FnOnce() -> String,
) -> String {
    let space = " ".repeat(indent);
    let mut text = String::new();
    if evidence.is_empty() {
        let shown = fit(&whole(), paint.width.saturating_sub(6));
        text.push_str(&format!("{space}{}\n", shown.trim_end()));
    }
    for found in evidence.iter().take(SHOWN) {
        text.push_str(&format!("{space}{}\n", piece(found)));
    }
    if evidence.len() > SHOWN {
        text.push_str(&format!("{space}{}\n", paint.dim(&format!("and {} more", evidence.len() - SHOWN))));
    }
    text
}

/// The computation of every protocol.
pub(super) fn explanation(paint: &Paint, sensed: &Reading, indent: usize) -> String {
    let mut text = String::new();
    for part in sensed.parts() {
        for line in ledger::render(paint, &part.ledger()).lines() {
            text.push_str(&format!("{}{line}\n", " ".repeat(indent)));
        }
    }
    text
}

/// `  insufficient (fidelity 0.2)`, where it is.
pub(super) fn lack(paint: &Paint, sensed: &Reading) -> String {
    let fidelity = sensed.fidelity();
    match fidelity.sufficient {
        true => String::new(),
        false => paint.toned(Tone::Warn, &format!("  insufficient (fidelity {})", fidelity.index)),
    }
}

/// The turns with their evidence marked, and the evidence as chips, for a page.
pub(super) fn page(sensed: &Reading) -> String {
    let mark = |cited: &Cited<'_>| Mark {
        turn: cited.evidence.turn,
        range: cited.evidence.range.clone(),
        hue: hue(effect(cited), cited.number),
        title: format!("{} {}", cited.marker, cited.evidence.score),
    };
    let marks: Vec<Mark> = cited(sensed).iter().map(mark).collect();
    talk(sensed, &marks, None, "")
}

fn effect(cited: &Cited<'_>) -> Effect {
    let protocol = cited.protocol();
    protocol.effect_of(&protocol.markers[cited.number])
}
