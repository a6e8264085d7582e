//! What was said, as a page shows it: turns with their evidence marked.

use super::{escape, hue};
use crate::paint::Tone;
use crate::talk::{Stretch, Talk, cut, stretches};
use crate::words::counted;
use sonometer::protocol::Effect;
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
    let mut text = String::from(if talk.whole {
        "<div class=\"whole\">"
    } else {
        "<div class=\"talk\" tabindex=\"0\">"
    });
    let (mut left_out, mut room) = (0, talk.most_turns());
    for (number, turn) in talk.reading.interaction().turns().iter().enumerate() {
        if room == 0 || !is_shown(number) {
            left_out += 1;
            continue;
        }
        room -= 1;
        text.push_str(&gap(std::mem::take(&mut left_out)));
        let class = if talk.judged == Some(number) { "turn judged" } else { "turn" };
        // What is said decides the direction of the line, whatever the direction of the role.
        let role = turn
            .role
            .as_deref()
            .map_or_else(String::new, |role| format!("<b dir=\"auto\">{}</b> ", escape(talk.role(role))));
        let masked = talk.reading.masked_characters(number);
        let mut pieces = stretches(&turn.content, &masked, talk.marks_of(number..number + 1));
        let beyond = cut(&mut pieces, talk.most_characters());
        let mut said = highlighted(&pieces, talk.named);
        if beyond > 0 {
            let _ = write!(said, "<span class=\"dim\"> … {}</span>", counted(beyond, "further character"));
        }
        let _ = write!(text, "<p class=\"{class}\" dir=\"auto\">{role}{said}</p>");
    }
    text.push_str(&gap(left_out));
    if talk.named && talk.near.is_empty() {
        return text + "</div>";
    }
    text.push_str("</div><p class=\"chips\">");
    for mark in talk.marks.iter().filter(|mark| !(mark.goes_on || talk.named)) {
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
fn highlighted(stretches: &[Stretch<'_, '_>], named: bool) -> String {
    let mut text = String::new();
    for (nth, stretch) in stretches.iter().enumerate() {
        let said = escape(&stretch.shown);
        match stretch.narrowest() {
            None => text.push_str(&said),
            Some(narrowest) => {
                let titles: Vec<String> = stretch.covering.iter().map(|mark| escape(&mark.title())).collect();
                let (hue, titles) = (hue(narrowest.tone), titles.join(", "));
                let (class, name) = match named {
                    true => (sign(narrowest.tone), names_ending(stretch, stretches.get(nth + 1))),
                    false => ("", String::new()),
                };
                let _ =
                    write!(text, "<mark{class} style=\"--h:{hue}\" title=\"{titles}\">{said}{name}</mark>");
            }
        }
    }
    text
}

/// What worsens the score is underlined with dashes.
fn sign(tone: Tone) -> &'static str {
    match tone {
        Tone::Marker(Effect::Worsens, _) => " class=\"bad\"",
        _ => "",
    }
}

/// The names of the marks that end with a stretch, each once.
fn names_ending(stretch: &Stretch<'_, '_>, next: Option<&Stretch<'_, '_>>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for mark in &stretch.covering {
        let goes_on = next.is_some_and(|next| next.covering.iter().any(|other| std::ptr::eq(*other, *mark)));
        if !goes_on && !names.contains(&mark.label) {
            names.push(mark.label);
        }
    }
    match names.is_empty() {
        true => String::new(),
        false => format!("<small> {}</small>", escape(&names.join(", "))),
    }
}
