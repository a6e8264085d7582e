//! What all tables share: names of cells, and columns that are turns.

use crate::draft::Draft;
use crate::error::{ReadError, Reason};
use crate::map::Place;
use crate::{Hints, Limits};
use sonometer::diagnostic::{excerpt, some_of};

/// `B7` for row 7, column 2.
pub(super) fn cell_name(row: u32, column: u32) -> Box<str> {
    let mut letters = String::new();
    let mut rest = column;
    while rest > 0 {
        letters.insert(0, char::from(b'A' + u8::try_from((rest - 1) % 26).unwrap_or_default()));
        rest = (rest - 1) / 26;
    }
    format!("{letters}{row}").into()
}

/// The column of letters, from 1.
fn letters(text: &str) -> Option<u32> {
    let is_letters = (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let value = |sum: u32, byte: u8| sum * 26 + u32::from(byte.to_ascii_uppercase() - b'A') + 1;
    is_letters.then(|| text.bytes().fold(0, value))
}

/// A cell that has text.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// From 1.
    pub(super) row: u32,
    /// From 1.
    pub(super) column: u32,
    pub(super) text: String,
    /// The line of the file where the row begins.
    pub(super) line: Option<u32>,
}

/// A table, by rows and then by columns.
pub(super) struct Table<'t> {
    pub(super) sheet: Option<&'t str>,
    pub(super) cells: &'t [Cell],
}

impl Table<'_> {
    fn place(&self, cell: &Cell) -> Place {
        Place {
            sheet: self.sheet.map(Into::into),
            cell: Some(cell_name(cell.row, cell.column)),
            line: cell.line,
            ..Place::default()
        }
    }

    fn rows(&self) -> impl Iterator<Item = &[Cell]> {
        self.cells.chunk_by(|a, b| a.row == b.row)
    }

    /// Into the draft: the turns of a column, or all cells, row by row.
    pub(super) fn tell(&self, draft: &mut Draft<'_>, hints: &Hints) -> Result<(), ReadError> {
        let Some(wanted) = &hints.column else {
            for row in self.rows() {
                for (number, cell) in row.iter().enumerate() {
                    let between = if number == 0 { "\n\n" } else { " | " };
                    draft.further(between, &cell.text, self.place(cell))?;
                }
            }
            return Ok(());
        };
        let (column, heading) = self.column(wanted)?;
        let role_column = hints.role_column.as_deref().map(|name| self.column(name)).transpose()?;
        let has_heading =
            heading.is_some() || role_column.as_ref().is_some_and(|(_, heading)| heading.is_some());
        let nobody = heading.unwrap_or_else(|| "author".to_owned());
        for row in self.rows().skip(usize::from(has_heading)) {
            let Some(cell) = row.iter().find(|cell| cell.column == column) else { continue };
            let role =
                role_column.as_ref().and_then(|(column, _)| row.iter().find(|cell| cell.column == *column));
            let role = match (role, &role_column) {
                (Some(role), _) => role.text.trim().to_owned(),
                (None, Some(_)) => "unknown".to_owned(),
                (None, None) => nobody.clone(),
            };
            draft.turn(Some(role), None)?;
            draft.paragraph(&cell.text, self.place(cell))?;
        }
        Ok(())
    }

    /// A column by its heading in the first row, or by its letters; with the heading.
    fn column(&self, wanted: &str) -> Result<(u32, Option<String>), ReadError> {
        let first = self.rows().next().unwrap_or_default();
        let same = |cell: &&Cell| cell.text.trim().to_lowercase() == wanted.trim().to_lowercase();
        if let Some(cell) = first.iter().find(same) {
            return Ok((cell.column, Some(cell.text.trim().to_owned())));
        }
        match letters(wanted).filter(|column| self.cells.iter().any(|cell| cell.column == *column)) {
            Some(column) => Ok((column, None)),
            None => {
                let headings: Vec<&str> = first.iter().map(|cell| cell.text.trim()).collect();
                let (wanted, headings) = (excerpt(wanted), some_of(&headings));
                let message = format!("unknown column `{wanted}`; the columns are {headings}");
                Err(ReadError::new(Reason::Hint, self.sheet.unwrap_or_default(), message))
            }
        }
    }
}

/// The cells of a table while it is read, of which neither the number nor the text goes beyond the limits: where cells share
/// their text, a small file has much of it.
pub(super) struct Cells<'l> {
    cells: Vec<Cell>,
    bytes: usize,
    limits: &'l Limits,
}

impl<'l> Cells<'l> {
    pub(super) fn new(limits: &'l Limits) -> Self {
        Self { cells: Vec::new(), bytes: 0, limits }
    }

    /// One more; without text it is none.
    pub(super) fn add(
        &mut self,
        (row, column): (u32, u32),
        text: &str,
        line: Option<u32>,
    ) -> Result<(), ReadError> {
        if text.trim().is_empty() {
            return Ok(());
        }
        self.bytes = self.bytes.saturating_add(text.len());
        let Limits { cells, text_bytes, .. } = *self.limits;
        if self.cells.len() >= cells {
            return Err(ReadError::too_large("", "the table has too many cells", cells));
        }
        if self.bytes > text_bytes {
            return Err(ReadError::too_large("", "the table has too many bytes of text", text_bytes));
        }
        self.cells.push(Cell { row, column, text: text.to_owned(), line });
        Ok(())
    }

    /// By rows and then by columns.
    pub(super) fn in_order(mut self) -> Vec<Cell> {
        self.cells.sort_by_key(|cell| (cell.row, cell.column));
        self.cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_kept_than_is_read() {
        let limits = Limits { cells: 3, text_bytes: 10, ..Limits::default() };
        let add = |texts: &[&str]| {
            let mut cells = Cells::new(&limits);
            texts.iter().try_for_each(|text| cells.add((2, 1), text, None))?;
            cells.add((1, 1), " ", None)?;
            Ok::<usize, ReadError>(cells.in_order().len())
        };
        assert_eq!(add(&["abcde", "abcde"]), Ok(2));
        assert!(add(&["abcde", "abcdef"]).is_err_and(|error| error.to_string().contains("bytes of text")));
        assert_eq!(add(&["a", "b", "c"]), Ok(3));
        assert!(
            add(&["a", "b", "c", "d"])
                .is_err_and(|error| error.to_string().contains("too many cells; the limit is"))
        );
    }

    #[test]
    fn cells_have_the_names_of_spreadsheets() {
        assert_eq!(
            [1, 26, 27, 702, 703].map(|column| cell_name(7, column).into_string()),
            ["A7", "Z7", "AA7", "ZZ7", "AAA7"]
        );
        assert_eq!(["a", "Z", "AA", "zz", "AAA"].map(letters), [1, 26, 27, 702, 703].map(Some));
        assert_eq!([letters(""), letters("A1"), letters("ABCD")], [None; 3]);
    }
}
