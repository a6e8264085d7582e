//! Reports in Markdown (with the tables of GitHub). Foreign text can start no markup: in tables and lines each sign that could is
//! escaped, conversations and computations stand in fences longer than any in them.

use crate::paint::{Paint, one_line, safe};
use crate::sheet::{
    Card, Case, Cases, Cell, Column, Confusion, Gauges, Line, Part, Plots, Row, Set, Sheet, Table,
};
use crate::text::bar::bar_parts;
use crate::text::ledger;
use crate::words::code_parts;
use std::fmt::Write;

impl Sheet<'_> {
    /// A document for a repository, a ticket or a chat.
    pub fn to_markdown(&self) -> String {
        let reference = match self.subject.reference.as_str() {
            "" => String::new(),
            reference => format!(" ({})", escape(reference)),
        };
        let mut text = format!("# {}{reference}\n", escape(&self.subject.name));
        if !self.subject.description.is_empty() {
            let _ = write!(text, "\n{}\n", prose(&self.subject.description));
        }
        let on = (!self.on.is_empty()).then(|| ("data", self.on.clone()));
        let facts: Vec<(&str, String)> = on.into_iter().chain(self.facts.iter().cloned()).collect();
        if !facts.is_empty() {
            text.push('\n');
        }
        for (name, value) in &facts {
            let _ = writeln!(text, "- **{}**: {}", escape(name), escape(value));
        }
        for note in &self.notes {
            let _ = write!(text, "\n> {}\n", prose(note));
        }
        for part in &self.parts {
            let part = part.to_markdown();
            if !part.is_empty() {
                let _ = write!(text, "\n{part}");
            }
        }
        if !self.foot.is_empty() {
            let _ = write!(text, "\n{}\n", line(&self.foot));
        }
        text
    }
}

impl Part<'_> {
    /// The part without an empty line around it; empty where there is nothing to show.
    fn to_markdown(&self) -> String {
        match self {
            Self::Gauges(own) => gauges(own),
            Self::Table(own) => titled(&own.title, &own.about, &table(own)),
            Self::Plots(own) => plots(own),
            Self::Confusion(own) => confusion(own),
            Self::Cases(own) => cases(own),
            Self::Talk(_) => fenced(&self.to_text(&Paint::default())),
            Self::Ledger(own) => fenced(&ledger::capped(own)),
            Self::Card(own) => card(own),
            Self::Lines { title, lines } => {
                let lines: String = lines.iter().map(|own| format!("- {}\n", line(own))).collect();
                titled(title, "", &lines)
            }
        }
    }
}

/// A part below its title; nothing without content.
fn titled(title: &str, about: &str, inside: &str) -> String {
    if inside.is_empty() {
        return String::new();
    }
    let title = if title.is_empty() { String::new() } else { format!("## {}\n\n", prose(title)) };
    let about = if about.is_empty() { String::new() } else { format!("{}\n\n", prose(about)) };
    format!("{title}{about}{inside}")
}

fn line(line: &Line) -> String {
    escape(&line.0.iter().map(|span| span.text.as_str()).collect::<String>())
}

fn gauges(gauges: &Gauges) -> String {
    let mut text = String::new();
    if !gauges.rows.is_empty() {
        text.push_str("| | | | |\n|---|---|---:|---|\n");
    }
    for row in &gauges.rows {
        let sign = row.sign.map_or_else(String::new, |sign| format!("{sign} "));
        let name = if row.strong { format!("**{}**", escape(&row.name)) } else { escape(&row.name) };
        let rest = if row.rest.is_empty() { escape(&row.below) } else { line(&row.rest) };
        let _ = writeln!(text, "| {sign}{name} | {} | {} | {rest} |", drawn(row.value), row.value);
    }
    if let Some((title, names)) = &gauges.silent {
        let gap = if text.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{}: {}", escape(title), escape(&names.join(", ")));
    }
    titled(&gauges.title, "", &text)
}

fn drawn(value: sonometer::Unit) -> String {
    let (filled, rest) = bar_parts(value);
    filled + &rest
}

fn table(table: &Table) -> String {
    if table.rows.is_empty() && table.below.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    if !table.rows.is_empty() {
        let heads: Vec<String> = table.columns.iter().map(|Column { head, .. }| escape(head)).collect();
        let rules = table.columns.iter().map(|column| if column.set == Set::Right { "---:" } else { "---" });
        let _ = writeln!(text, "| {} |\n|{}|", heads.join(" | "), rules.collect::<Vec<_>>().join("|"));
    }
    for Row { cells, .. } in &table.rows {
        let cells = cells.iter().map(|cell| match cell {
            Cell::Text(own) => line(own),
            Cell::Bar(own) => own.map_or_else(String::new, |bar| drawn(bar.value)),
        });
        let _ = writeln!(text, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    if !table.below.is_empty() {
        let _ = write!(text, "\n{}\n", prose(&table.below));
    }
    text
}

/// Drawings as the table of their points, or as the one line that a terminal shows.
fn plots(plots: &Plots) -> String {
    let points = plots.table.as_ref().map(table).unwrap_or_default();
    let inside = if points.is_empty() {
        fenced(&Part::Plots(plots.clone()).to_text(&Paint::default()))
    } else {
        points
    };
    titled(&plots.title, &plots.about, &inside)
}

fn confusion(counts: &Confusion) -> String {
    let Confusion { true_positives, false_positives, false_negatives, true_negatives } = counts;
    format!(
        "| | predicted positive | predicted negative |\n|---|---:|---:|\n\
         | labelled positive | {true_positives} | {false_negatives} |\n\
         | labelled negative | {false_positives} | {true_negatives} |\n"
    )
}

fn cases(cases: &Cases<'_>) -> String {
    let about = if cases.about.is_empty() { "none" } else { &cases.about };
    let mut text = format!("## {}\n\n{}.\n", prose(&cases.title), prose(about));
    for case in &cases.cases {
        let Case { name, about, warning, .. } = case;
        let after: String =
            [about, warning].iter().filter(|text| !text.is_empty()).fold(String::new(), |all, text| {
                let comma = if all.is_empty() { "" } else { ", " };
                format!("{all}{comma}{}", escape(text))
            });
        let after = if after.is_empty() { after } else { format!(" ({after})") };
        let shown = case.to_text(&Paint::default());
        // The name stands in the title.
        let rest = shown.split_once('\n').map_or("", |(_, rest)| rest);
        let _ = write!(text, "\n### {}{after}\n\n{}", escape(name), fenced(rest));
    }
    text
}

fn card(card: &Card) -> String {
    let lower = card
        .markdown
        .lines()
        .map(|line| if line.starts_with('#') { format!("#{line}\n") } else { format!("{line}\n") });
    format!("## {}\n\n{}", escape(&card.title), lower.collect::<String>())
}

/// Text as it is, within a fence that is longer than any row of backticks in it.
fn fenced(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let lines = text.lines().map(|line| line.strip_prefix("  ").unwrap_or(line));
    let inside: String = lines.map(|line| format!("{line}\n")).collect();
    format!("{fence}text\n{inside}{fence}\n")
}

/// A text of ours, with code where it has backticks.
fn prose(text: &str) -> String {
    let part = |(is_code, part): (bool, &str)| match is_code {
        true => format!("`{}`", part.chars().map(safe).collect::<String>()),
        false => escape(part),
    };
    code_parts(text).into_iter().map(part).collect()
}

/// Foreign text on one line, without markup.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '!' | '~' | '$' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(safe(c)),
        }
    }
    // A number or a sign at the beginning would make a list of a line.
    if escaped.starts_with(['-', '+', '=']) { format!("\\{escaped}") } else { escaped }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::{Bar, columns};
    use sonometer::Unit;

    #[test]
    fn foreign_text_is_no_markup() {
        assert_eq!(
            escape("<b>*a*|`x`\n![y](z) \u{202e}"),
            "&lt;b&gt;\\*a\\*\\|\\`x\\` \\!\\[y\\](z) \u{fffd}"
        );
        assert_eq!(escape("- a_b"), "\\- a\\_b");
        assert_eq!(prose("a_b `a_b` ` c"), "a\\_b `a_b` \\` c");
        assert_eq!(fenced("a ``` b\n"), "````text\na ``` b\n````\n");
        assert_eq!(fenced("`````"), "``````text\n`````\n``````\n");
    }

    #[test]
    fn tables_have_rules_and_bars() {
        let bar = Cell::Bar(Some(Bar { value: Unit(500_000), interval: None }));
        let own = Table {
            title: "Markers".into(),
            columns: columns(&["<marker", "times", "="]),
            rows: vec![Row::of(vec!["a|b".into(), "3".into(), bar])],
            ..Table::default()
        };
        assert_eq!(
            Part::Table(own).to_markdown(),
            "## Markers\n\n| marker | times |  |\n|---|---:|---|\n| a\\|b | 3 | ━━━━━━━━━━────────── |\n"
        );
    }
}
