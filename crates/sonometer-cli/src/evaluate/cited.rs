//! What was found in a text by any target, in each form in which errors are told.

use super::excerpt::excerpt;
use super::html::escape;
use super::result::Number;
use super::talk::{Mark, gap, highlighted, hue};
use super::text::{WARN, one_place};
use crate::cited::{Cited, cited};
use crate::paint::{Paint, fit, of_marker};
use crate::verb::explain;
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use sonometer::protocol::Effect;
use sonometer::{Reading, Unit};
use std::fmt::Write;

/// Pieces of evidence shown on the terminal.
const SHOWN: usize = 3;

/// The evidence in its place, or the beginning of the text where there is none; with `explained`, the computation too.
pub(super) fn lines(paint: &Paint, sensed: &Reading, indent: usize, explained: bool) -> String {
    let room = Paint { width: paint.width.saturating_sub(indent.saturating_sub(6)), ..*paint };
    let space = " ".repeat(indent);
    let mut text = String::new();
    let evidence = cited(sensed);
    if evidence.is_empty() {
        let turns = 0..sensed.interaction().turns().len();
        let said = turns.map(|turn| sensed.masked_turn(turn).into_owned()).collect::<Vec<_>>().join(" / ");
        let shown = fit(&said, room.width.saturating_sub(6));
        text.push_str(&format!("{space}{}\n", shown.trim_end()));
    }
    for cited @ Cited { marker, reading, number, evidence, .. } in evidence.iter().take(SHOWN) {
        let style = of_marker(effect(cited), *number);
        let tag = format!("{{{marker} {}}}", evidence.score);
        let excerpt = excerpt(reading, evidence.turn, &evidence.range);
        text.push_str(&format!("{space}{}\n", one_place(&room, &excerpt, &tag, style)));
    }
    if evidence.len() > SHOWN {
        text.push_str(&format!("{space}{}\n", paint.dim(&format!("and {} more", evidence.len() - SHOWN))));
    }
    if explained {
        text.push_str(&explanation(paint, sensed, indent));
    }
    text
}

/// The computation of every protocol.
pub(super) fn explanation(paint: &Paint, sensed: &Reading, indent: usize) -> String {
    let mut text = String::new();
    for part in sensed.parts() {
        for line in explain::render(paint, &part.ledger()).lines() {
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
        false => paint.styled(WARN, &format!("  insufficient (fidelity {})", fidelity.index)),
    }
}

/// One text with its evidence, for programs.
pub(super) struct Told<'r> {
    pub(super) sensed: &'r Reading,
    pub(super) value: Unit,
    pub(super) explained: bool,
}

#[derive(serde::Serialize)]
struct Quoted<'r> {
    metamarker: &'r str,
    score: Number,
    source: &'r str,
    segment: usize,
    start: usize,
    end: usize,
}

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

impl Told<'_> {
    /// Writes its keys into an object.
    pub(super) fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let fidelity = self.sensed.fidelity();
        let evidence = cited(self.sensed);
        let quoted = evidence.iter().map(|cited| Quoted {
            metamarker: cited.marker,
            score: Number(cited.evidence.score),
            source: &cited.evidence.source,
            segment: cited.evidence.turn,
            start: cited.evidence.range.start,
            end: cited.evidence.range.end,
        });
        map.serialize_entry("value", &Number(self.value))?;
        map.serialize_entry("score", &self.sensed.score().map(Number))?;
        map.serialize_entry("fidelity", &Number(fidelity.index))?;
        map.serialize_entry("sufficient", &fidelity.sufficient)?;
        map.serialize_entry("evidence", &quoted.collect::<Vec<_>>())?;
        if self.explained {
            map.serialize_entry("ledgers", &ledgers(self.sensed).map_err(M::Error::custom)?)?;
        }
        Ok(())
    }
}

/// The ledger of every protocol, as the engine writes it.
pub(super) fn ledgers(sensed: &Reading) -> Result<Vec<Box<RawValue>>, serde_json::Error> {
    sensed.parts().iter().map(|part| RawValue::from_string(part.ledger().to_json())).collect()
}

/// Turns shown of a long conversation: those around evidence, or the first.
const AROUND: usize = 2;
const FIRST: usize = 6;

/// The turns with their evidence marked, and the evidence as chips, for a page.
pub(super) fn talk(sensed: &Reading) -> String {
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
    for (number, turn) in sensed.interaction().turns().iter().enumerate() {
        let near = |mark: &Mark| mark.turn.abs_diff(number) <= AROUND;
        if !(marks.iter().any(near) || marks.is_empty() && number < FIRST) {
            left_out += 1;
            continue;
        }
        text.push_str(&gap(std::mem::take(&mut left_out)));
        let role = turn.role.as_deref().map_or_else(String::new, |role| format!("<b>{}</b> ", escape(role)));
        let said = highlighted(&turn.content, &sensed.masked_characters(number), number, &marks);
        let _ = write!(text, "<p class=\"turn\" dir=\"auto\">{role}{said}</p>");
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
    let protocol = cited.protocol();
    protocol.effect_of(&protocol.markers[cited.number])
}
