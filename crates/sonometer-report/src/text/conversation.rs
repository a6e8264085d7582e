//! A conversation with its evidence in place.
//!
//! With colour, evidence has the colour of its marker and the markers are named under the turn; where places overlap,
//! the text is underlined and has the colour of the narrower one. Without colour it stands in brackets, with its
//! markers after it: `[thank you]{gratitude}`.

use crate::paint::{Paint, Stress, Tone, columns, fit, safe, width};
use crate::talk::{Mark, Stretch, Talk, cut, stretches};
use crate::words::counted;

/// The most columns that a role takes.
const ROLE: usize = 14;

/// The turns, one after the other, each with the names of what was found in it.
pub(super) fn render(paint: &Paint, talk: &Talk<'_>) -> String {
    if talk.page_only {
        return String::new();
    }
    let turns = talk.reading.interaction().turns();
    let roles = turns.iter().filter_map(|turn| turn.role.as_deref()).map(|role| talk.role(role));
    let role_width = roles.map(width).max().unwrap_or(0).min(ROLE);
    let indent = if role_width == 0 { 2 } else { role_width + 4 };
    let mut text = String::new();
    for (number, turn) in turns.iter().enumerate().take(talk.most_turns()) {
        let own = talk.marks_of(number..number + 1);
        let head = match &turn.role {
            Some(role) => format!("  {}  ", paint.bold(&fit(talk.role(role), role_width))),
            None => "  ".to_owned(),
        };
        let masked = talk.reading.masked_characters(number);
        let mut pieces = stretches(&turn.content, &masked, own);
        let beyond = cut(&mut pieces, talk.most_characters());
        let mut cells = cells(paint, &pieces);
        cells.truncate(cells.iter().rposition(|cell| !cell.shown.is_whitespace()).map_or(0, |at| at + 1));
        for (nth, line) in wrap(&cells, paint.width.saturating_sub(indent).max(20)).enumerate() {
            let before = if nth == 0 { head.clone() } else { " ".repeat(indent) };
            text.push_str(format!("{before}{}", paint_cells(paint, line)).trim_end_matches(' '));
            text.push('\n');
        }
        if beyond > 0 {
            let further = format!("… {}", counted(beyond, "further character"));
            text.push_str(&format!("{}{}\n", " ".repeat(indent), paint.dim(&further)));
        }
        if !own.is_empty() && (paint.brush.is_some() || talk.scores) {
            text.push_str(&format!("{}{}\n", " ".repeat(indent), names(paint, own, talk.scores)));
        }
    }
    if turns.len() > talk.most_turns() {
        let further = format!("… {}", counted(turns.len() - talk.most_turns(), "further turn"));
        text.push_str(&format!("  {}\n", paint.dim(&further)));
    }
    text
}

/// The markers of a turn, under it.
fn names(paint: &Paint, own: &[Mark<'_>], scores: bool) -> String {
    let mut names: Vec<String> = Vec::new();
    for mark in own {
        let mut name = paint.toned(mark.tone, mark.label);
        if scores {
            name = match mark.score {
                Some(score) => format!("{name} {score}"),
                None => format!("{name} …"),
            };
        }
        if scores || !names.contains(&name) {
            names.push(name);
        }
    }
    format!("{} {}", paint.dim("╰"), names.join(&paint.dim(", ")))
}

/// One character as it will be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    shown: char,
    tone: Tone,
    stress: Stress,
}

impl Cell {
    /// What nothing was found in.
    fn plain(shown: char) -> Self {
        Self { shown, tone: Tone::Plain, stress: Stress::None }
    }
}

/// A turn as cells. Without colour, brackets stand around what was found, with its labels behind.
fn cells(paint: &Paint, stretches: &[Stretch<'_, '_>]) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for stretch in stretches {
        // A space between two finds says nothing in brackets of its own: `[]{a}`.
        let in_brackets = paint.brush.is_some() || !stretch.shown.trim().is_empty();
        let now = if in_brackets { labels(stretch) } else { Vec::new() };
        if now != open {
            close(paint, &mut cells, &open);
            open = now;
            if !open.is_empty() && paint.brush.is_none() {
                cells.push(Cell::plain('['));
            }
        }
        let (tone, stress) = match stretch.narrowest() {
            None => (Tone::Plain, Stress::None),
            Some(narrowest) if open.len() > 1 => (narrowest.tone, Stress::Overlapping),
            Some(narrowest) => (narrowest.tone, Stress::Found),
        };
        cells.extend(stretch.shown.chars().map(|shown| Cell { shown, tone, stress }));
    }
    close(paint, &mut cells, &open);
    cells
}

/// The labels of what was found in a stretch, each once.
fn labels<'r>(stretch: &Stretch<'_, 'r>) -> Vec<&'r str> {
    let mut labels = Vec::new();
    for mark in &stretch.covering {
        if !labels.contains(&mark.label) {
            labels.push(mark.label);
        }
    }
    labels
}

/// Without colour, ends a bracket with its labels, before the space that a line may be broken at.
fn close(paint: &Paint, cells: &mut Vec<Cell>, open: &[&str]) {
    if !open.is_empty() && paint.brush.is_none() {
        let end = format!("]{{{}}}", open.join(", "));
        let last =
            cells.iter().rposition(|cell| !cell.shown.is_whitespace()).map_or(cells.len(), |at| at + 1);
        cells.splice(last..last, end.chars().map(Cell::plain));
    }
}

/// Lines of at most `width` columns, broken at spaces where there are any, at least one.
fn wrap(cells: &[Cell], width: usize) -> impl Iterator<Item = &[Cell]> {
    cells.split(|cell| cell.shown == '\n').flat_map(move |line| {
        let mut rest = strip_return(line);
        let mut lines = Vec::new();
        while let Some(end) = overflow(rest, width) {
            // A space that stands first in the next line is not shown.
            let space = rest[..=end].iter().rposition(|cell| cell.shown == ' ').filter(|at| *at > 0);
            let (head, tail) = match space {
                Some(at) => (&rest[..at], &rest[at + 1..]),
                None => rest.split_at(end),
            };
            lines.push(head);
            rest = tail;
        }
        lines.push(rest);
        lines
    })
}

/// A line without the carriage return of a Windows line end.
fn strip_return(line: &[Cell]) -> &[Cell] {
    match line {
        [head @ .., Cell { shown: '\r', .. }] => head,
        line => line,
    }
}

/// The first cell that does not fit; one always does.
fn overflow(cells: &[Cell], width: usize) -> Option<usize> {
    let mut taken = 0;
    let mut ends = cells.iter().map(|cell| {
        taken += columns(safe(cell.shown));
        taken
    });
    ends.next()?;
    ends.position(|end| end > width).map(|at| at + 1)
}

fn paint_cells(paint: &Paint, cells: &[Cell]) -> String {
    let runs = cells.chunk_by(|a, b| (a.tone, a.stress) == (b.tone, b.stress));
    runs.map(|run| {
        let text: String = run.iter().map(|cell| safe(cell.shown)).collect();
        match run[0].stress {
            Stress::None => text,
            stress => paint.stressed(run[0].tone, stress, &text),
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Unit;
    use std::borrow::Cow;
    use std::ops::Range;

    const PLAIN: Paint = Paint { width: 100, brush: None };
    const MARKED: Paint = Paint { width: 100, brush: Some(|_, _, text| format!("*{text}*")) };

    fn found(label: &str, range: Range<usize>) -> Mark<'_> {
        Mark { turn: 0, range, tone: Tone::Good, label, score: Some(Unit::ONE), goes_on: false }
    }

    fn each(content: &str) -> Vec<Cow<'_, str>> {
        content.split_inclusive(|_| true).map(Cow::Borrowed).collect()
    }

    fn shown(paint: &Paint, content: &str, own: &[Mark<'_>]) -> String {
        paint_cells(paint, &cells(paint, &stretches(content, &each(content), own)))
    }

    #[test]
    fn brackets_show_evidence_without_colour() {
        let own = [found("a", 0..9), found("b", 4..9), found("c", 10..12)];
        assert_eq!(shown(&PLAIN, "one three to", &own), "[one]{a} [three]{a, b} [to]{c}");
        assert_eq!(
            shown(&PLAIN, "one three to", &[found("a", 0..6), found("b", 4..9)]),
            "[one]{a} [th]{a, b}[ree]{b} to"
        );
        assert_eq!(shown(&PLAIN, "aa bb", &[found("a", 0..5), found("a", 3..5)]), "[aa bb]{a}");
        assert_eq!(shown(&PLAIN, "aabb", &[found("a", 0..2), found("b", 2..4)]), "[aa]{a}[bb]{b}");
        let words = [found("a", 0..5), found("b", 0..2), found("b", 3..5)];
        assert_eq!(shown(&PLAIN, "aa bb", &words), "[aa]{a, b} [bb]{a, b}");
    }

    #[test]
    fn colour_leaves_the_text_as_it_is() {
        assert_eq!(shown(&MARKED, "one three", &[found("a", 4..9)]), "one *three*");
    }

    #[test]
    fn masked_text_is_marked_at_the_same_characters() {
        let own = found("card", 3..7);
        let masked = ["é", " ", "<CARD>", "", ""].map(Cow::Borrowed);
        let line = cells(&PLAIN, &stretches("é 1é1", &masked, &[own]));
        assert_eq!(paint_cells(&PLAIN, &line), "é [<CARD>]{card}");
    }

    #[test]
    fn what_goes_on_in_a_later_turn_has_no_score_there() {
        let (begun, on) = (found("card", 3..7), Mark { score: None, goes_on: true, ..found("card", 0..4) });
        assert_eq!(names(&PLAIN, std::slice::from_ref(&begun), true), "╰ card 1");
        assert_eq!(names(&PLAIN, std::slice::from_ref(&on), true), "╰ card …");
        assert_eq!(names(&PLAIN, &[begun, on], false), "╰ card");
    }

    #[test]
    fn wraps_at_spaces_and_cuts_what_has_none() {
        let lines = |text: &str, width| -> Vec<String> {
            let cells: Vec<Cell> = text.chars().map(Cell::plain).collect();
            wrap(&cells, width).map(|line| paint_cells(&PLAIN, line)).collect()
        };
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(lines("a\r\n\nb", 9), ["a", "", "b"]);
        assert_eq!(lines("客户客户", 5), ["客户", "客户"]);
        assert_eq!(lines("", 5), [""]);
        assert_eq!(lines("客", 1), ["客"]);
    }
}
