//! What was said, as a page shows it: turns with their evidence marked.

use super::{escape, hue};
use crate::talk::{Mark, Talk};
use crate::words::counted;
use std::borrow::Cow;
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
            None => talk.marks.iter().any(|mark| near(mark.turn)),
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
        let said =
            highlighted(&turn.content, &talk.reading.masked_characters(number), &talk.marks_of(number));
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

/// A turn with its evidence marked; where places overlap, the narrower one gives the colour. `masked` is what is shown for each
/// character of `content`.
fn highlighted(content: &str, masked: &[Cow<'_, str>], own: &[&Mark<'_>]) -> String {
    let mut text = String::new();
    let mut run = String::new();
    let mut open: Vec<&Mark<'_>> = Vec::new();
    let mut flush = |run: &mut String, open: &[&Mark<'_>]| {
        let said = escape(run);
        run.clear();
        match open.iter().min_by_key(|mark| mark.range.len()) {
            None => text.push_str(&said),
            Some(narrowest) => {
                let titles: Vec<String> = open.iter().map(|mark| escape(&mark.title())).collect();
                let (hue, titles) = (hue(narrowest.tone), titles.join(", "));
                let _ = write!(text, "<mark style=\"--h:{hue}\" title=\"{titles}\">{said}</mark>");
            }
        }
    };
    for ((at, _), shown) in content.char_indices().zip(masked) {
        if own.iter().any(|mark| mark.range.start == at || mark.range.end == at) {
            flush(&mut run, &open);
            open = own.iter().filter(|mark| mark.range.contains(&at)).copied().collect();
        }
        run.push_str(shown);
    }
    flush(&mut run, &open);
    text
}
