//! Where in a file evidence stands: page, paragraph, cell, line, time.

use crate::conversation;
use crate::paint::{Paint, one_line};
use sonometer::protocol::Modality;
use sonometer::{Evidence, Reading};
use sonometer_ingest::{Ingested, Kind};
use std::borrow::Cow;

/// Longer documents are shown by their evidence alone, in bytes.
const SHORT: usize = 2_000;
/// The most characters of what stands around evidence, on each side.
const AROUND: usize = 30;

/// Whether the whole text is shown.
pub(crate) fn shows_text(origin: &Ingested) -> bool {
    origin.interaction.modality() != Modality::Document
        || origin.interaction.turns()[0].content.len() <= SHORT
}

/// Whether places say anything: not in a text of one line.
pub(crate) fn shows_places(origin: &Ingested) -> bool {
    origin.kind != Kind::Text
        || origin.interaction.turns().iter().any(|turn| turn.content.trim().contains('\n'))
}

/// A line for every piece of evidence: its place, its marker, and what stands around it.
pub(crate) fn render(paint: &Paint, reading: &Reading, origin: &Ingested) -> String {
    let styles = conversation::styles(reading);
    // Private stretches are masked here as everywhere.
    let turns = 0..reading.interaction().turns().len();
    let shown: Vec<Vec<Cow<'_, str>>> = turns.map(|turn| reading.masked_characters(turn)).collect();
    let rows: Vec<(String, Evidence<'_>)> =
        reading.evidence().map(|found| (place(origin, &found).unwrap_or_default(), found)).collect();
    let width = rows.iter().map(|(place, _)| place.chars().count()).max().unwrap_or(0);
    let markers = rows.iter().map(|(_, found)| found.metamarker.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (place, found) in &rows {
        let style = styles.get(found.metamarker).copied().unwrap_or_default();
        let whole = &reading.interaction().turns()[found.turn].content;
        let (before, own, after) = around(whole, &shown[found.turn], &found.range);
        let own = if paint.colour { paint.styled(style.bold(), &own) } else { format!("[{own}]") };
        text.push_str(&format!(
            "  {}  {}  {}{own}{}\n",
            paint.bold(&format!("{:<width$}", one_line(place))),
            paint.styled(style, &format!("{:<markers$}", found.metamarker)),
            paint.dim(&before),
            paint.dim(&after)
        ));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// `  (page 3, paragraph 2)`, or nothing.
pub(crate) fn after(paint: &Paint, origin: Option<&Ingested>, found: &Evidence<'_>) -> String {
    let place = origin.filter(|origin| shows_places(origin)).and_then(|origin| place(origin, found));
    place.map_or_else(String::new, |place| format!("  {}", paint.dim(&format!("({})", one_line(&place)))))
}

fn place(origin: &Ingested, found: &Evidence<'_>) -> Option<String> {
    origin.place(found.turn, found.range.start).map(|place| place.to_string())
}

/// What stands before, in and after a range of bytes of `whole`, of which `letters` is what is shown for each character.
fn around(whole: &str, letters: &[Cow<'_, str>], range: &std::ops::Range<usize>) -> (String, String, String) {
    let first = whole[..range.start].chars().count();
    let length = whole[range.clone()].chars().count();
    let (first, last) = (first.min(letters.len()), (first + length).min(letters.len()));
    let begin = letters[..first]
        .iter()
        .rposition(|c| c == "\n")
        .map_or(0, |at| at + 1)
        .max(first.saturating_sub(AROUND));
    let end = letters[last..]
        .iter()
        .position(|c| c == "\n")
        .map_or(letters.len(), |at| last + at)
        .min(last + AROUND);
    let text = |letters: &[Cow<'_, str>]| one_line(&letters.concat());
    let head = if begin > 0 && letters[begin - 1] != "\n" { "…" } else { "" };
    let tail = if end < letters.len() && letters[end] != "\n" { "…" } else { "" };
    (
        format!("{head}{}", text(&letters[begin..first])),
        text(&letters[first..last]),
        format!("{}{tail}", text(&letters[last..end])),
    )
}
