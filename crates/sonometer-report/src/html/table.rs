//! Tables.

use super::{bar, escape, line, prose};
use crate::paint::Tone;
use crate::sheet::{Cell, Column, Row, Set, Table};
use std::fmt::Write;

/// A table with what stands below it; folded if it asks for that.
pub(super) fn table(table: &Table) -> String {
    let heads = table.columns.iter().fold(String::new(), |mut text, Column { head, set, .. }| {
        let class = if *set == Set::Right { " class=\"n\"" } else { "" };
        // A head without a name is no head to a screen reader.
        let _ = match head.as_str() {
            "" => write!(text, "<td></td>"),
            head => write!(text, "<th{class}>{}</th>", escape(head)),
        };
        text
    });
    let has_heads = table.columns.iter().any(|column| !column.head.is_empty());
    let head = if has_heads { format!("<thead><tr>{heads}</tr></thead>") } else { String::new() };
    let rows: String = table.rows.iter().map(|own| row(&table.columns, own)).collect();
    let below = match table.below.as_str() {
        "" => String::new(),
        below => format!("<p class=\"dim\">{}</p>", prose(below)),
    };
    let inside = format!(
        "<div class=\"scroll\" tabindex=\"0\"><table>{head}<tbody>{rows}</tbody></table></div>{below}"
    );
    match table.folded {
        true => format!("<details><summary>{}</summary>{inside}</details>", prose(&table.title)),
        false => inside,
    }
}

fn row(columns: &[Column], row: &Row) -> String {
    let class = match row.tone {
        Tone::Strong => " class=\"best\"",
        Tone::Dim => " class=\"dim\"",
        _ => "",
    };
    let cells =
        columns.iter().zip(&row.cells).enumerate().map(|(nth, (column, cell))| match (cell, column.set) {
            (Cell::Bar(own), _) => format!("<td class=\"wide\">{}</td>", bar(*own)),
            (Cell::Text(own), Set::Right) => format!("<td class=\"n\">{}</td>", line(own)),
            (Cell::Text(own), _) if nth == 0 => format!("<th>{}</th>", line(own)),
            (Cell::Text(own), _) => format!("<td>{}</td>", line(own)),
        });
    format!("<tr{class}>{}</tr>", cells.collect::<String>())
}
