//! What was said, as a page shows it: turns with the evidence marked.

use super::html::escape;
use crate::words::counted;
use sonometer::Reading;
use sonometer::protocol::Effect;
use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// A place that is marked.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) turn: usize,
    /// Bytes of the turn as it was written.
    pub(super) range: Range<usize>,
    pub(super) hue: usize,
    /// What it is, in plain text.
    pub(super) title: String,
}

/// Cool hues are good news, warm ones bad, as in the terminal and in notebooks.
pub(super) fn hue(effect: Effect, nth: usize) -> usize {
    match effect {
        Effect::Improves => 140 + nth * 47 % 140,
        Effect::Worsens => (340 + nth * 23 % 70) % 360,
    }
}

/// Turns shown before and after one that matters, and at the beginning where none does.
const AROUND: usize = 2;
const FIRST: usize = 6;

/// The turns of a reading with their marks, and every mark as a chip below them, then `more` chips. Of a long conversation, the turns
/// around the one that is `judged`, or around marks, or the first.
pub(super) fn talk(reading: &Reading, marks: &[Mark], judged: Option<usize>, more: &str) -> String {
    let is_shown = |number: usize| {
        let near = |turn: usize| turn.abs_diff(number) <= AROUND;
        match judged {
            Some(segment) => near(segment),
            None if marks.is_empty() => number < FIRST,
            None => marks.iter().any(|mark| near(mark.turn)),
        }
    };
    let mut text = "<div class=\"talk\">".to_owned();
    let mut left_out = 0;
    for (number, turn) in reading.interaction().turns().iter().enumerate() {
        if !is_shown(number) {
            left_out += 1;
            continue;
        }
        text.push_str(&gap(std::mem::take(&mut left_out)));
        let class = if judged == Some(number) { "turn judged" } else { "turn" };
        let role = turn.role.as_deref().map_or_else(String::new, |role| format!("<b>{}</b> ", escape(role)));
        let said = highlighted(&turn.content, &reading.masked_characters(number), number, marks);
        let _ = write!(text, "<p class=\"{class}\" dir=\"auto\">{role}{said}</p>");
    }
    text.push_str(&gap(left_out));
    text.push_str("</div><p class=\"chips\">");
    for Mark { hue, title, .. } in marks {
        let _ = write!(text, "<span class=\"chip\" style=\"--h:{hue}\">{}</span> ", escape(title));
    }
    text + more + "</p>"
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
fn highlighted(content: &str, masked: &[Cow<'_, str>], turn: usize, marks: &[Mark]) -> String {
    let own: Vec<&Mark> = marks.iter().filter(|mark| mark.turn == turn).collect();
    let mut text = String::new();
    let mut run = String::new();
    let mut open: Vec<&Mark> = Vec::new();
    let mut flush = |run: &mut String, open: &[&Mark]| {
        let said = escape(run);
        run.clear();
        match open.iter().min_by_key(|mark| mark.range.len()) {
            None => text.push_str(&said),
            Some(narrowest) => {
                let titles: Vec<String> = open.iter().map(|mark| escape(&mark.title)).collect();
                let (hue, titles) = (narrowest.hue, titles.join(", "));
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
