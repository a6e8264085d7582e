//! A report on a terminal.

pub(crate) mod bar;
mod conversation;
pub(crate) mod ledger;

use crate::excerpt::{Excerpt, excerpt};
use crate::paint::{Paint, Stress, Tone, fit, one_line, paragraph, tail, width};
use crate::sheet::{
    Case, Cases, Cell, Column, Gauge, Gauges, Line, Part, Plots, Row, Set, Sheet, Table, Text,
};
use crate::subject::Subject;
use crate::talk::{Mark, Talk};
use bar::bar;
use sonometer::Unit;

/// The widest a column of names may be.
const NAME: usize = 40;
/// Pieces of evidence of one case that are shown.
const SHOWN: usize = 3;
/// A curve as blocks.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl Sheet<'_> {
    /// Lines for people.
    pub fn to_text(&self, paint: &Paint) -> String {
        let mut text = title(paint, &self.subject, &self.on);
        let wide = self.facts.iter().map(|(name, _)| width(name)).max().unwrap_or(0).max(9);
        for (name, value) in &self.facts {
            text.push_str(&format!("  {name:<wide$}  {}\n", one_line(value)));
        }
        for (nth, part) in self.parts.iter().enumerate() {
            // The first numbers belong to the title.
            let joins = nth == 0 && matches!(part, Part::Gauges(gauges) if gauges.title.is_empty());
            let part = part.to_text(paint);
            if !joins && !part.is_empty() {
                text.push('\n');
            }
            text.push_str(&part);
        }
        for (nth, note) in self.notes.iter().enumerate() {
            let gap = if nth == 0 { "\n" } else { "" };
            text.push_str(&format!("{gap}  {} {}\n", paint.toned(Tone::Warn, "note:"), one_line(note)));
        }
        if !self.foot.is_empty() {
            text.push_str(&format!("\n  {}\n", line(paint, &self.foot)));
        }
        text
    }
}

impl Part<'_> {
    /// Lines for people, without an empty line around them; empty where a terminal shows nothing.
    pub fn to_text(&self, paint: &Paint) -> String {
        match self {
            Self::Gauges(own) => gauges(paint, own),
            Self::Table(own) => table(paint, own),
            Self::Plots(own) => spark(paint, own),
            Self::Confusion(_) => String::new(),
            Self::Cases(own) => cases(paint, own),
            Self::Talk(own) => conversation::render(paint, own),
            Self::Ledger(own) => ledger::render(paint, own),
            // Pages and documents hold all of it.
            Self::Card(own) => heading(paint, &own.title),
            Self::Lines { title, lines } => {
                let lines = lines.iter().map(|own| format!("  {}\n", line(paint, own)));
                heading(paint, title) + &lines.collect::<String>()
            }
        }
    }
}

/// What measured what.
fn title(paint: &Paint, subject: &Subject, on: &str) -> String {
    let on = if on.is_empty() { String::new() } else { format!(" on {}", one_line(on)) };
    let reference = paint.dim(&format!("({})", subject.reference));
    format!("{} {reference}{on}\n", paint.bold(&one_line(&subject.name)))
}

/// The title of a part; nothing without one.
fn heading(paint: &Paint, title: &str) -> String {
    if title.is_empty() { String::new() } else { format!("  {}\n", paint.bold(&one_line(title))) }
}

fn line(paint: &Paint, line: &Line) -> String {
    line.0.iter().map(|span| paint.toned(span.tone, &one_line(&span.text))).collect()
}

fn wide(line: &Line) -> usize {
    line.0.iter().map(|span| width(&span.text)).sum()
}

fn gauges(paint: &Paint, gauges: &Gauges) -> String {
    let mut text = heading(paint, &gauges.title);
    let names = gauges.rows.iter().map(|row| width(&row.name)).max().unwrap_or(0).min(NAME);
    for Gauge { sign, name, tone, strong, value, rest, below } in &gauges.rows {
        let sign = sign.map_or_else(String::new, |sign| paint.toned(*tone, &sign.to_string()) + " ");
        let name = fit(name, names);
        let stress = if *strong { Stress::Found } else { Stress::None };
        let name = if *strong { paint.stressed(*tone, stress, &name) } else { name };
        let value_text = value.to_string();
        let rest = match rest.is_empty() {
            true => value_text,
            false => format!("{value_text:<8}  {}", line(paint, rest)),
        };
        text.push_str(&format!("  {sign}{name}  {} {rest}\n", bar(paint, *value, *tone)));
        for line in paragraph(below, paint.width, names + 4).lines() {
            text.push_str(&format!("{}\n", paint.dim(line)));
        }
    }
    if let Some((title, names)) = &gauges.silent {
        text.push_str(&listed(paint, title, names));
    }
    text
}

/// `title: a, b, c`, in as many lines as it takes.
fn listed(paint: &Paint, title: &str, names: &[String]) -> String {
    let mut lines = vec![format!("{title}:")];
    for (at, name) in names.iter().enumerate() {
        let comma = if at + 1 < names.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if width(line) + width(name) + comma.len() + 5 <= paint.width => {
                line.push_str(&format!(" {name}{comma}"));
            }
            _ => lines.push(format!("  {name}{comma}")),
        }
    }
    lines.iter().map(|line| format!("    {}\n", paint.dim(&one_line(line)))).collect()
}

fn table(paint: &Paint, table: &Table) -> String {
    if table.folded {
        return String::new();
    }
    let shown: Vec<(usize, &Column)> =
        table.columns.iter().enumerate().filter(|(_, column)| !column.page_only).collect();
    let rows: Vec<&Row> = table.rows.iter().filter(|row| !row.page_only).collect();
    let widths: Vec<usize> = shown
        .iter()
        .map(|(at, column)| {
            let cells = rows.iter().map(|row| match &row.cells[*at] {
                Cell::Text(own) => wide(own),
                Cell::Bar(_) => bar::LENGTH,
            });
            let most = if column.set == Set::Left { NAME } else { usize::MAX };
            cells.max().unwrap_or(0).max(width(&column.head)).min(most)
        })
        .collect();
    let joined = |cells: Vec<String>| format!("  {}", cells.join("  ")).trim_end().to_owned();
    let has_heads = shown.iter().any(|(_, column)| !column.head.is_empty());
    let mut text = match has_heads {
        false => heading(paint, &table.title),
        true => {
            let heads = shown.iter().zip(&widths).map(|((_, column), width)| match column.set {
                Set::Right => format!("{:>width$}", column.head),
                Set::Left | Set::Bars => fit(&column.head, *width),
            });
            format!("{}\n", paint.dim(&joined(heads.collect())))
        }
    };
    for row in rows {
        let cells = shown.iter().zip(&widths).enumerate().map(|(nth, ((at, column), width))| {
            let is_last = nth + 1 == shown.len();
            set(paint, column.set, &row.cells[*at], *width, is_last)
        });
        text.push_str(&format!("{}\n", joined(cells.collect())));
    }
    if let Some((why, names)) = table.silent.as_ref().filter(|(_, names)| !names.is_empty()) {
        text.push_str(&format!("  {}\n", paint.dim(&format!("{why}: {}", names.join(", ")))));
    }
    for line in paragraph(&table.below, paint.width, 2).lines() {
        text.push_str(&format!("{}\n", paint.dim(line)));
    }
    text
}

/// A cell, filled up to `width` columns unless nothing comes after it.
fn set(paint: &Paint, set: Set, cell: &Cell, width: usize, is_last: bool) -> String {
    match cell {
        Cell::Bar(own) => bar(paint, own.map_or(Unit::ZERO, |bar| bar.value), Tone::Plain),
        // What is too wide loses its tones with its end.
        Cell::Text(own) if wide(own) > width && !is_last => {
            fit(&own.0.iter().map(|span| span.text.as_str()).collect::<String>(), width)
        }
        Cell::Text(own) => {
            let blank = " ".repeat(width.saturating_sub(wide(own)));
            match set {
                Set::Right => blank + &line(paint, own),
                Set::Left | Set::Bars => line(paint, own) + if is_last { "" } else { &blank },
            }
        }
    }
}

/// The curve as a line of blocks, if there is one.
fn spark(paint: &Paint, plots: &Plots) -> String {
    let Some((name, levels, meaning)) = &plots.spark else { return String::new() };
    let line: String = levels.iter().map(|level| LEVELS[*level % LEVELS.len()]).collect();
    format!("  {name}  {}  {}\n", paint.toned(Tone::Good, &line), paint.dim(meaning))
}

fn cases(paint: &Paint, cases: &Cases<'_>) -> String {
    let about = match cases.about.as_str() {
        "" => ": none".to_owned(),
        about => format!(" {}", paint.dim(&format!("({about})"))),
    };
    let mut text = format!("  {}{about}\n", paint.bold(&cases.title));
    for case in &cases.cases {
        text.push_str(&case.to_text(paint));
    }
    text
}

impl Case<'_> {
    /// Lines for people.
    pub fn to_text(&self, paint: &Paint) -> String {
        let Self { name, about, warning, lines, texts } = self;
        let mut text = format!("    {}{}\n", paint.bold(&one_line(name)), after(paint, about, warning));
        for own in lines {
            text.push_str(&format!("      {}\n", line(paint, own)));
        }
        for Text { name, about, warning, talk, explained } in texts {
            let indent = if name.is_empty() { 6 } else { 9 };
            if !name.is_empty() {
                text.push_str(&format!("      {name}{}\n", after(paint, about, warning)));
            }
            text.push_str(&pieces(paint, indent, talk));
            if *explained {
                let ledgers = talk.reading.parts().iter().map(|part| ledger::render(paint, &part.ledger()));
                for line in ledgers.collect::<String>().lines() {
                    text.push_str(&format!("{}{line}\n", " ".repeat(indent)));
                }
            }
        }
        text
    }
}

/// What comes after a name.
fn after(paint: &Paint, about: &str, warning: &str) -> String {
    let spaced = |tone, text: &str| match text {
        "" => String::new(),
        text => format!("  {}", paint.toned(tone, &one_line(text))),
    };
    spaced(Tone::Dim, about) + &spaced(Tone::Warn, warning)
}

/// The first pieces of evidence, a line each, and how many more there are; where there are none, the beginning of the text; then
/// what came nearest.
fn pieces(paint: &Paint, indent: usize, talk: &Talk<'_>) -> String {
    let space = " ".repeat(indent);
    let mut text = String::new();
    if talk.marks.is_empty() {
        let turns = match talk.judged {
            Some(turn) => turn..turn + 1,
            None => 0..talk.reading.interaction().turns().len(),
        };
        let said: Vec<String> = turns.map(|turn| talk.reading.masked_turn(turn).into_owned()).collect();
        let shown = fit(&said.join(" / "), paint.width.saturating_sub(indent));
        text.push_str(&format!("{space}{}\n", shown.trim_end()));
    }
    for mark in talk.marks.iter().take(SHOWN) {
        text.push_str(&format!("{space}{}\n", in_its_turn(paint, indent, talk, mark)));
    }
    if talk.marks.len() > SHOWN {
        text.push_str(&format!("{space}{}\n", paint.dim(&format!("and {} more", talk.marks.len() - SHOWN))));
    }
    if let Some(near) = talk.near.first() {
        text.push_str(&format!("{space}{}\n", paint.dim(&format!("◌ nearest: {}", one_line(near)))));
    }
    text
}

/// A piece of evidence in the middle of as much of its turn as fits on the line: `… you [never listen]{contempt 1} …`.
fn in_its_turn(paint: &Paint, indent: usize, talk: &Talk<'_>, mark: &Mark<'_>) -> String {
    let Excerpt { before, inside, after } = excerpt(talk.reading, mark.turn, &mark.range);
    let (before, inside, after) = (one_line(&before), one_line(&inside), one_line(&after));
    let tag = format!("{{{}}}", one_line(&mark.title()));
    let room = paint.width.saturating_sub(indent + 2 + width(&inside) + width(&tag));
    // What is short leaves its room to the other side.
    let left = (room / 2).max(room.saturating_sub(width(&after)));
    let before = tail(&before, left);
    let after = fit(&after, room.saturating_sub(width(&before)).max(1));
    let found = paint.stressed(mark.tone, Stress::Found, &format!("[{inside}]"));
    format!("{before}{found}{}{}", paint.toned(mark.tone, &tag), after.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::{Bar, columns};

    fn shown(part: &Part<'_>) -> String {
        part.to_text(&Paint::default())
    }

    #[test]
    fn columns_are_as_wide_as_what_stands_in_them() {
        let row = |name: &str, count: &str, note: &str| {
            Row::of(vec![name.into(), count.into(), Cell::Bar(None), note.into()])
        };
        let table = Table {
            title: "not shown".into(),
            columns: columns(&["<marker", "triggered", "*=", "<note"]),
            rows: vec![row("a", "3", "odd"), row("long one", "12345678901", "")],
            silent: Some(("never triggered", vec!["b".into(), "c".into()])),
            ..Table::default()
        };
        assert_eq!(
            shown(&Part::Table(table)),
            "  marker      triggered  note\n  a                   3  odd\n  long one  12345678901\n  never triggered: b, c\n"
        );
    }

    #[test]
    fn without_names_of_columns_a_table_has_its_title() {
        let bar = Cell::Bar(Some(Bar { value: Unit(500_000), interval: None }));
        let table = Table {
            title: "halves".into(),
            columns: columns(&["<", "="]),
            rows: vec![Row::of(vec!["客户\u{1b}".into(), bar])],
            ..Table::default()
        };
        assert_eq!(shown(&Part::Table(table)), "  halves\n  客户␛  ━━━━━━━━━━──────────\n");
    }

    #[test]
    fn silent_names_are_wrapped() {
        let names: Vec<String> = (0..30).map(|nth| format!("marker_{nth}")).collect();
        let gauges = Gauges { silent: Some(("30 markers silent".into(), names)), ..Gauges::default() };
        let text = shown(&Part::Gauges(gauges));
        assert!(text.lines().count() > 3 && text.lines().all(|line| width(line) <= 100), "{text}");
    }

    #[test]
    fn of_no_cases_a_line_says_so() {
        let cases = Cases { title: "Wrong".into(), ..Cases::default() };
        assert_eq!(shown(&Part::Cases(cases)), "  Wrong: none\n");
    }
}
