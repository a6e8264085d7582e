//! Paragraphs and tables as text documents hold them, into a draft: what Word and OpenDocument have in common.

use super::table::cell_name;
use crate::Limits;
use crate::draft::Draft;
use crate::error::ReadError;
use crate::map::Place;

/// Where the text of a document goes, and how far it has come.
pub(super) struct Flow<'d, 'l> {
    draft: &'d mut Draft<'l>,
    limits: &'l Limits,
    /// The page, where the file tells of pages.
    page: Option<u32>,
    paragraph: u32,
    tables: u32,
    cells: usize,
    /// Tables that are open, each within a cell of the one before.
    open: Vec<Table>,
}

struct Table {
    number: u32,
    row: u32,
    column: u32,
    /// Whether the row has text.
    has_text: bool,
}

impl<'d, 'l> Flow<'d, 'l> {
    pub(super) fn new(draft: &'d mut Draft<'l>, limits: &'l Limits, has_pages: bool) -> Self {
        Self {
            draft,
            limits,
            page: has_pages.then_some(1),
            paragraph: 0,
            tables: 0,
            cells: 0,
            open: Vec::new(),
        }
    }

    pub(super) fn next_page(&mut self) {
        self.page = self.page.map(|page| page.saturating_add(1));
    }

    pub(super) fn begin_table(&mut self) {
        self.tables = self.tables.saturating_add(1);
        self.open.push(Table { number: self.tables, row: 0, column: 0, has_text: false });
    }

    pub(super) fn end_table(&mut self) {
        self.open.pop();
    }

    pub(super) fn begin_row(&mut self) {
        if let Some(table) = self.open.last_mut() {
            *table = Table { row: table.row.saturating_add(1), column: 0, has_text: false, ..*table };
        }
    }

    /// A cell that takes so many columns; text in it is told to stand in the last.
    pub(super) fn begin_cell(&mut self, columns: u32) -> Result<(), ReadError> {
        self.cells += 1;
        if self.cells > self.limits.cells {
            return Err(ReadError::too_large("", "the tables have more cells", self.limits.cells));
        }
        if let Some(table) = self.open.last_mut() {
            table.column = table.column.saturating_add(columns);
        }
        Ok(())
    }

    /// A paragraph that is whole; `part` is what it stands in beside the running text, such as a note. Blank ones are left out.
    pub(super) fn tell(&mut self, text: &str, part: Option<&str>) -> Result<(), ReadError> {
        let (text, page) = (text.trim(), self.page);
        if text.is_empty() {
            return Ok(());
        }
        if let Some(Table { number, row, column, has_text }) = self.open.last_mut() {
            let cell = Some(cell_name(*row, *column));
            let place = Place { page, table: Some(*number), cell, ..Place::default() };
            let goes_on = std::mem::replace(has_text, true) && *column > 1;
            return if goes_on {
                self.draft.further(" | ", text, place)
            } else {
                self.draft.paragraph(text, place)
            };
        }
        self.paragraph = self.paragraph.saturating_add(1);
        let place = match part {
            Some(part) => Place { part: Some(part.into()), ..Place::default() },
            None => Place { page, paragraph: Some(self.paragraph), ..Place::default() },
        };
        self.draft.paragraph(text, place)
    }
}
