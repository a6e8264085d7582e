//! What was found in a text by any target, in each form in which errors are told.

use super::html::escape;
use super::ledger;
use super::paint::{Paint, Tone, fit};
use super::talk::{Mark, gap, highlighted, hue};
use super::text::one_place;
use crate::evaluate::cited::{Cited, cited};
use crate::evaluate::excerpt::excerpt;
use sonometer::protocol::Effect;
use sonometer::{AnyReading, Reading};
use std::fmt::Write;

/// Pieces of evidence shown on the terminal.
const SHOWN: usize = 3;

/// The evidence in its place, or the beginning of the text where there is none; with `explained`, the computation too.
pub(super) fn lines(paint: &Paint, sensed: &AnyReading, indent: usize, explained: bool) -> String {
    let room = Paint { width: paint.width.saturating_sub(indent.saturating_sub(6)), ..*paint };
    let space = " ".repeat(indent);
    let mut text = String::new();
    let evidence = cited(sensed);
    if evidence.is_empty() {
        let said = sensed.readings().first().map_or_else(String::new, |reading| {
            let turns = 0..reading.interaction().turns().len();
            turns.map(|turn| reading.masked_turn(turn).into_owned()).collect::<Vec<_>>().join(" / ")
        });
        let shown = fit(&said, room.width.saturating_sub(6));
        text.push_str(&format!("{space}{}\n", shown.trim_end()));
    }
    for cited @ Cited { marker, reading, number, evidence, .. } in evidence.iter().take(SHOWN) {
        let tone = Tone::Marker(effect(cited), *number);
        let tag = format!("{{{marker} {}}}", evidence.score);
        let excerpt = excerpt(reading, evidence.turn, &evidence.range);
        text.push_str(&format!("{space}{}\n", one_place(&room, &excerpt, &tag, tone)));
    }
    if evidence.len() > SHOWN {
        text.push_str(&format!("{space}{}\n", paint.dim(&format!("and {} more", evidence.len() - SHOWN))));
    }
    if explained {
        text.push_str(&explanation(paint, sensed.readings(), indent));
    }
    text
}

/// The computation of every reading.
pub(super) fn explanation(paint: &Paint, readings: &[Reading], indent: usize) -> String {
    let mut text = String::new();
    for reading in readings {
        for line in ledger::render(paint, &reading.ledger()).lines() {
            text.push_str(&format!("{}{line}\n", " ".repeat(indent)));
        }
    }
    text
}

/// `  insufficient (fidelity 0.2)`, where it is.
pub(super) fn lack(paint: &Paint, sensed: &AnyReading) -> String {
    let fidelity = sensed.fidelity();
    match fidelity.sufficient {
        true => String::new(),
        false => paint.toned(Tone::Warn, &format!("  insufficient (fidelity {})", fidelity.index)),
    }
}

/// Turns shown of a long conversation: those around evidence, or the first.
const AROUND: usize = 2;
const FIRST: usize = 6;

/// The turns with their evidence marked, and the evidence as chips, for a page.
pub(super) fn talk(sensed: &AnyReading) -> String {
    let evidence = cited(sensed);
    let marks: Vec<Mark> = evidence
        .iter()
        .map(|cited| Mark {
            turn: cited.evidence.turn,
            range: cited.evidence.range.clone(),
            hue: colour(cited),
            title: format!("{} {}", cited.marker, cited.evidence.score),
        })
        .collect();
    let mut text = "<div class=\"talk\">".to_owned();
    let mut left_out = 0;
    for reading in sensed.readings().iter().take(1) {
        for (number, turn) in reading.interaction().turns().iter().enumerate() {
            let near = |mark: &Mark| mark.turn.abs_diff(number) <= AROUND;
            if !(marks.iter().any(near) || marks.is_empty() && number < FIRST) {
                left_out += 1;
                continue;
            }
            text.push_str(&gap(std::mem::take(&mut left_out)));
            let role =
                turn.role.as_deref().map_or_else(String::new, |role| format!("<b>{}</b> ", escape(role)));
            let said = highlighted(&turn.content, &reading.masked_characters(number), number, &marks);
            let _ = write!(text, "<p class=\"turn\" dir=\"auto\">{role}{said}</p>");
        }
    }
    text.push_str(&gap(left_out));
    text.push_str("</div><p class=\"chips\">");
    for cited in &evidence {
        let (hue, marker) = (colour(cited), escape(cited.marker));
        let _ = write!(
            text,
            "<span class=\"chip\" style=\"--h:{hue}\">{marker} {}</span> ",
            cited.evidence.score
        );
    }
    text + "</p>"
}

fn colour(cited: &Cited<'_>) -> usize {
    hue(effect(cited), cited.number)
}

fn effect(cited: &Cited<'_>) -> Effect {
    let protocol = cited.reading.protocol();
    protocol.effect_of(&protocol.markers[cited.number])
}
