//! A conversation with its evidence in place.
//!
//! With colour, evidence has the colour of its marker and the markers are named under the turn; where places overlap,
//! the text is underlined and has the colour of the narrower one. Without colour it stands in brackets, with its
//! markers after it: `[thank you]{gratitude}`.

use crate::paint::{BOLD, Paint, columns, fit, of_marker, one_line, safe};
use anstyle::Style;
use sonometer::protocol::{Effect, Marker};
use sonometer::{Evidence, Reading, Unit};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// The most columns that a role takes.
const ROLE: usize = 14;

/// The style of each marker, by label, in the order of the protocol.
pub(crate) fn styles(reading: &Reading) -> BTreeMap<&str, Style> {
    let (mut good, mut bad) = (0, 0);
    let protocol = reading.protocol();
    let markers = protocol.markers.iter().zip(reading.resonance());
    let shown = markers.filter(|(_, (_, resonance))| resonance.activation > Unit::ZERO);
    let mut style = |marker: &Marker| {
        let effect = protocol.effect_of(marker);
        let nth = match effect {
            Effect::Improves => &mut good,
            Effect::Worsens => &mut bad,
        };
        *nth += 1;
        of_marker(effect, *nth - 1)
    };
    shown.map(|(marker, _)| (marker.label.as_str(), style(marker))).collect()
}

/// The turns, one after the other; with `scores`, what each piece of evidence adds stands under its turn.
pub(crate) fn render(paint: &Paint, reading: &Reading, scores: bool) -> String {
    let styles = styles(reading);
    let evidence: Vec<Evidence<'_>> = reading.evidence().collect();
    let joined: Vec<&Evidence<'_>> = evidence.iter().filter(|found| !found.joined.is_empty()).collect();
    let turns = reading.interaction().turns();
    let roles = turns.iter().filter_map(|turn| turn.role.as_deref());
    let role_width = roles.map(|role| one_line(role).chars().map(columns).sum()).max().unwrap_or(0).min(ROLE);
    let indent = if role_width == 0 { 2 } else { role_width + 4 };
    let mut text = String::new();
    for (number, turn) in turns.iter().enumerate() {
        let first = evidence.partition_point(|found| found.turn < number);
        let begun = &evidence[first..evidence.partition_point(|found| found.turn <= number)];
        let own = marks(begun, &joined, number);
        let head = match &turn.role {
            Some(role) => format!("  {}  ", paint.styled(BOLD, &fit(role, role_width))),
            None => "  ".to_owned(),
        };
        let mut cells = cells(paint, &turn.content, &reading.masked_characters(number), &own, &styles);
        cells.truncate(cells.iter().rposition(|cell| !cell.shown.is_whitespace()).map_or(0, |at| at + 1));
        for (nth, line) in wrap(&cells, paint.width.saturating_sub(indent).max(20)).enumerate() {
            let before = if nth == 0 { head.clone() } else { " ".repeat(indent) };
            text.push_str(format!("{before}{}", paint_cells(paint, line)).trim_end_matches(' '));
            text.push('\n');
        }
        if !own.is_empty() && (paint.colour || scores) {
            text.push_str(&format!("{}{}\n", " ".repeat(indent), names(paint, &own, &styles, scores)));
        }
    }
    text
}

/// A stretch of evidence in one turn.
#[derive(Clone, Debug)]
struct Mark<'r> {
    metamarker: &'r str,
    range: Range<usize>,
    /// What it adds; `None` where evidence that began in an earlier turn goes on.
    score: Option<Unit>,
}

/// What evidence that begins in a turn, and evidence that goes on there, marks in it; by place.
fn marks<'r>(begun: &[Evidence<'r>], joined: &[&Evidence<'r>], turn: usize) -> Vec<Mark<'r>> {
    let begun = begun.iter().map(|found| Mark {
        metamarker: found.metamarker,
        range: found.range.clone(),
        score: Some(found.score),
    });
    let going_on = joined.iter().flat_map(|found| {
        let here = found.joined.iter().filter(|stretch| stretch.turn == turn);
        here.map(|stretch| Mark { metamarker: found.metamarker, range: stretch.range.clone(), score: None })
    });
    let mut marks: Vec<Mark<'_>> = begun.chain(going_on).collect();
    marks.sort_by_key(|mark| (mark.range.start, mark.range.end));
    marks
}

/// The markers of a turn, under it.
fn names(paint: &Paint, own: &[Mark<'_>], styles: &BTreeMap<&str, Style>, scores: bool) -> String {
    let mut names: Vec<String> = Vec::new();
    for found in own {
        let style = styles.get(found.metamarker).copied().unwrap_or_default();
        let mut name = paint.styled(style, found.metamarker);
        if scores {
            name = match found.score {
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
    style: Style,
}

/// A turn as cells; `masked` is what is shown for each of its characters.
fn cells(
    paint: &Paint,
    content: &str,
    masked: &[Cow<'_, str>],
    own: &[Mark<'_>],
    styles: &BTreeMap<&str, Style>,
) -> Vec<Cell> {
    let mut cells = Vec::with_capacity(content.len());
    let mut open: Vec<&str> = Vec::new();
    let mut style = Style::new();
    for ((at, _), shown) in content.char_indices().zip(masked) {
        if own.iter().any(|found| found.range.start == at || found.range.end == at) {
            let now = covering(own, at);
            if now != open {
                close(paint, &mut cells, &open);
                open = now;
                style = open_style(&open, own, at, styles);
                if !open.is_empty() && !paint.colour {
                    cells.push(Cell { shown: '[', style: Style::new() });
                }
            }
        }
        cells.extend(shown.chars().map(|shown| Cell { shown, style }));
    }
    close(paint, &mut cells, &open);
    cells
}

/// The labels of the evidence at a byte, each once.
fn covering<'e>(own: &[Mark<'e>], at: usize) -> Vec<&'e str> {
    let mut labels = Vec::new();
    for found in own.iter().filter(|found| found.range.contains(&at)) {
        if !labels.contains(&found.metamarker) {
            labels.push(found.metamarker);
        }
    }
    labels
}

fn open_style(open: &[&str], own: &[Mark<'_>], at: usize, styles: &BTreeMap<&str, Style>) -> Style {
    let here = own.iter().filter(|found| found.range.contains(&at));
    let Some(narrowest) = here.min_by_key(|found| found.range.len()) else { return Style::new() };
    let style = styles.get(narrowest.metamarker).copied().unwrap_or_default().bold();
    if open.len() > 1 { style.underline() } else { style }
}

/// Without colour, ends a bracket with its labels, before the space that a line may be broken at.
fn close(paint: &Paint, cells: &mut Vec<Cell>, open: &[&str]) {
    if !open.is_empty() && !paint.colour {
        let end = format!("]{{{}}}", open.join(", "));
        let last =
            cells.iter().rposition(|cell| !cell.shown.is_whitespace()).map_or(cells.len(), |at| at + 1);
        cells.splice(last..last, end.chars().map(|shown| Cell { shown, style: Style::new() }));
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
    let runs = cells.chunk_by(|a, b| a.style == b.style);
    runs.map(|run| {
        let text: String = run.iter().map(|cell| safe(cell.shown)).collect();
        if run[0].style.is_plain() { text } else { paint.styled(run[0].style, &text) }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Paint = Paint { colour: false, width: 100 };
    const COLOURED: Paint = Paint { colour: true, width: 100 };

    fn found(metamarker: &str, range: Range<usize>) -> Mark<'_> {
        Mark { metamarker, range, score: Some(Unit::ONE) }
    }

    fn each(content: &str) -> Vec<Cow<'_, str>> {
        content.split_inclusive(|_| true).map(Cow::Borrowed).collect()
    }

    fn shown(paint: &Paint, content: &str, own: &[Mark<'_>]) -> String {
        paint_cells(paint, &cells(paint, content, &each(content), own, &BTreeMap::new()))
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
    }

    #[test]
    fn colour_leaves_the_text_as_it_is() {
        let text = shown(&COLOURED, "one three", &[found("a", 4..9)]);
        assert_eq!(text, format!("one {0}three{0:#}", Style::new().bold()));
    }

    #[test]
    fn masked_text_is_marked_at_the_same_characters() {
        let own = [found("card", 3..7)];
        let masked = ["é", " ", "<CARD>", "", ""].map(Cow::Borrowed);
        let line = cells(&PLAIN, "é 1é1", &masked, &own, &BTreeMap::new());
        assert_eq!(paint_cells(&PLAIN, &line), "é [<CARD>]{card}");
    }

    #[test]
    fn evidence_over_turns_is_marked_in_each() {
        let going_on = Evidence {
            part: 0,
            marker: 0,
            metamarker: "card",
            score: Unit::ONE,
            turn: 0,
            range: 3..7,
            joined: vec![sonometer::Stretch { turn: 2, range: 0..4 }],
            source: "".into(),
        };
        let of_turn = |turn| {
            let begun = if turn == 0 { std::slice::from_ref(&going_on) } else { &[] };
            marks(begun, &[&going_on], turn)
        };
        let under = |turn| names(&PLAIN, &of_turn(turn), &BTreeMap::new(), true);
        assert_eq!(shown(&PLAIN, "it 1234", &of_turn(0)), "it [1234]{card}");
        assert_eq!(shown(&PLAIN, "5678 ok", &of_turn(2)), "[5678]{card} ok");
        assert!(of_turn(1).is_empty());
        assert_eq!((under(0), under(2)), ("╰ card 1".to_owned(), "╰ card …".to_owned()));
    }

    #[test]
    fn wraps_at_spaces_and_cuts_what_has_none() {
        let lines = |text: &str, width| -> Vec<String> {
            let cells: Vec<Cell> = text.chars().map(|shown| Cell { shown, style: Style::new() }).collect();
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
