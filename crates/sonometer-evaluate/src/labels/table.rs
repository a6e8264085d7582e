//! Tables whose cells are texts, as CSV has them.

use super::rows::Columns;
use crate::error::{Error, Place};
use serde_json::{Map, Number, Value};
use std::collections::BTreeSet;

/// The rows of a table whose cells are texts, such as CSV.
///
/// A column is of truth values if all its cells are `true` or `false` (in small letters, capitals or with one), of numbers if all are
/// decimal numbers; otherwise it is of texts. An empty cell has no value. The columns of what is said, and of ids, are texts in any case.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<(usize, Vec<String>)>,
}

impl Table {
    /// A table with these columns. One without a name is left out: programs write the numbers of rows there.
    pub fn new(columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let columns = columns.into_iter().map(|name| name.into().trim().to_owned()).collect();
        Self { columns, rows: Vec::new() }
    }

    /// One more row, which begins on this line of its file, the first being 1. Cells beyond the columns are left out.
    pub fn add(&mut self, line: usize, cells: Vec<String>) {
        self.rows.push((line, cells));
    }

    /// Its rows by the names of the columns, each with its line.
    pub(super) fn rows(self, columns: &Columns, place: &Place) -> Result<Vec<Row>, Error> {
        let mut names = BTreeSet::new();
        for name in self.columns.iter().filter(|name| !name.is_empty()) {
            if !names.insert(name.as_str()) {
                let place = Place { line: Some(1), ..place.clone() };
                return Err(Error::at(place, format!("two columns are named `{name}`; rename one of them")));
            }
        }
        let kinds: Vec<Kind> =
            (0..).zip(&self.columns).map(|(at, name)| self.kind(at, name, columns)).collect();
        if self.rows.is_empty() {
            return Err(Error::at(place.clone(), "has a header and no rows; write a row for each item"));
        }
        let row = |(line, cells): (usize, Vec<String>)| {
            let cells = self.columns.iter().zip(&kinds).zip(cells);
            let named = cells.filter(|((name, _), _)| !name.is_empty());
            (line, named.map(|((name, kind), cell)| (name.clone(), kind.value(cell))).collect())
        };
        Ok(self.rows.into_iter().map(row).collect())
    }

    fn kind(&self, at: usize, name: &str, columns: &Columns) -> Kind {
        if columns.is_text(name, &self.columns) {
            return Kind::Said;
        }
        let cells = || self.rows.iter().filter_map(|(_, cells)| cells.get(at)).map(|cell| cell.trim());
        let all = |is: fn(&str) -> bool| cells().filter(|cell| !cell.is_empty()).all(is);
        if all(|cell| truth(cell).is_some()) {
            Kind::Truth
        } else if all(|cell| number(cell).is_some()) {
            Kind::Number
        } else {
            Kind::Text
        }
    }
}

/// A line, and the values of a row.
pub(super) type Row = (usize, Map<String, Value>);

/// What the cells of a column are.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Texts as they are.
    Said,
    Truth,
    Number,
    /// Texts that name a class or a group, without spaces around them.
    Text,
}

impl Kind {
    fn value(self, cell: String) -> Value {
        let trimmed = cell.trim();
        match self {
            Self::Said => Value::String(cell),
            _ if trimmed.is_empty() => Value::Null,
            Self::Truth => truth(trimmed).map_or(Value::Null, Value::Bool),
            Self::Number => number(trimmed).map_or(Value::Null, Value::Number),
            Self::Text => Value::String(trimmed.to_owned()),
        }
    }
}

/// As JSON, Python and spreadsheets write them.
fn truth(cell: &str) -> Option<bool> {
    match cell {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// A number as JSON writes it: `007` is a text.
fn number(cell: &str) -> Option<Number> {
    serde_json::from_str(cell).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn values(columns: &[&str], rows: &[&[&str]]) -> Result<Vec<Value>, String> {
        let mut table = Table::new(columns.iter().copied());
        for (line, cells) in (2..).zip(rows) {
            table.add(line, cells.iter().map(|cell| (*cell).to_owned()).collect());
        }
        let rows = table.rows(&Columns::default(), &Place::of("a.csv")).map_err(|error| error.to_string())?;
        Ok(rows.into_iter().map(|(_, row)| Value::Object(row)).collect())
    }

    #[test]
    fn columns_have_one_kind() {
        let columns = ["", "id", "text", " kind ", "stars", "zip", "note"];
        let found = values(
            &columns,
            &[
                &["0", "007", "1 ", "TRUE", "4.5", "010", " a"],
                &["1", "8", " true", "False", "-2", "7", ""],
                &["2", "9", "", "", "", "", "true"],
            ],
        );
        assert_eq!(
            found,
            Ok(vec![
                json!({"id": "007", "text": "1 ", "kind": true, "stars": 4.5, "zip": "010", "note": "a"}),
                json!({"id": "8", "text": " true", "kind": false, "stars": -2, "zip": "7", "note": null}),
                json!({"id": "9", "text": "", "kind": null, "stars": null, "zip": null, "note": "true"}),
            ])
        );
    }

    #[test]
    fn columns_of_one_name_and_tables_without_rows_are_refused() {
        assert_eq!(
            values(&["text", "label", "label "], &[]),
            Err("a.csv:1: two columns are named `label`; rename one of them".to_owned())
        );
        assert!(values(&["", "", "text"], &[&["", "", "hi"]]).is_ok());
        assert_eq!(
            values(&["text", "label"], &[]),
            Err("a.csv: has a header and no rows; write a row for each item".to_owned())
        );
    }
}
