//! What was said, as a page shows it: turns with the evidence marked.

use super::html::escape;
use crate::words::counted;
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

/// Turns that are left out.
pub(super) fn gap(turns: usize) -> String {
    match turns {
        0 => String::new(),
        _ => format!("<p class=\"dim\">… {}</p>", counted(turns, "turn")),
    }
}

/// A turn with its evidence marked; where places overlap, the narrower one gives the colour. `masked` is what is shown for each
/// character of `content`.
pub(super) fn highlighted(content: &str, masked: &[Cow<'_, str>], turn: usize, marks: &[Mark]) -> String {
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
