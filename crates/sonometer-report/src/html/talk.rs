//! What was said, as a page shows it: turns with their evidence marked.

use super::{escape, hue};
use crate::talk::{Stretch, Talk, stretches};
use crate::words::counted;
use std::fmt::Write;

/// Turns shown before and after one that matters, and at the beginning where none does.
const AROUND: usize = 2;
const FIRST: usize = 6;

/// The turns with their marks, and every mark as a chip below them. Of a long conversation that is not shown whole, the turns around
/// the one that is judged, or around marks, or the first.
pub(super) fn render(talk: &Talk<'_>) -> String {
    let is_shown = |number: usize| {
        let near = |turn: usize| turn.abs_diff(number) <= AROUND;
        match talk.judged {
            _ if talk.whole => true,
            Some(turn) => near(turn),
            None if talk.marks.is_empty() => number < FIRST,
            None => !talk.marks_of(number.saturating_sub(AROUND)..number + AROUND + 1).is_empty(),
        }
    };
    let mut text = format!("<div class=\"{}\">", if talk.whole { "whole" } else { "talk" });
    let mut left_out = 0;
    for (number, turn) in talk.reading.interaction().turns().iter().enumerate() {
        if !is_shown(number) {
            left_out += 1;
            continue;
        }
        text.push_str(&gap(std::mem::take(&mut left_out)));
        let class = if talk.judged == Some(number) { "turn judged" } else { "turn" };
        let role = turn.role.as_deref().map_or_else(String::new, |role| format!("<b>{}</b> ", escape(role)));
        let masked = talk.reading.masked_characters(number);
        let said = highlighted(&stretches(&turn.content, &masked, talk.marks_of(number..number + 1)));
        let _ = write!(text, "<p class=\"{class}\" dir=\"auto\">{role}{said}</p>");
    }
    text.push_str(&gap(left_out));
    text.push_str("</div><p class=\"chips\">");
    for mark in talk.marks.iter().filter(|mark| !mark.goes_on) {
        let _ = write!(
            text,
            "<span class=\"chip\" style=\"--h:{}\">{}</span> ",
            hue(mark.tone),
            escape(&mark.title())
        );
    }
    for near in &talk.near {
        let _ = write!(text, "<span class=\"chip near\">nearly {}</span> ", escape(near));
    }
    text + "</p>"
}

/// Turns that are left out.
fn gap(turns: usize) -> String {
    match turns {
        0 => String::new(),
        _ => format!("<p class=\"dim\">… {}</p>", counted(turns, "turn")),
    }
}

/// A turn with its evidence marked; where places overlap, the narrower one gives the colour.
fn highlighted(stretches: &[Stretch<'_, '_>]) -> String {
    let mut text = String::new();
    for stretch in stretches {
        let said = escape(&stretch.shown);
        match stretch.narrowest() {
            None => text.push_str(&said),
            Some(narrowest) => {
                let titles: Vec<String> = stretch.covering.iter().map(|mark| escape(&mark.title())).collect();
                let (hue, titles) = (hue(narrowest.tone), titles.join(", "));
                let _ = write!(text, "<mark style=\"--h:{hue}\" title=\"{titles}\">{said}</mark>");
            }
        }
    }
    text
}
