//! Workbooks: Excel of both kinds, OpenDocument.

use super::archive::Archive;
use super::table::{Cell, Cells, Table};
use super::xml::{Node, Walk};
use crate::draft::Draft;
use crate::error::{ReadError, Reason};
use crate::{Hints, Ingested, Kind, Limits};
use calamine::{DataType, ExcelDateTime, Ods, Reader, SheetVisible, Xls, Xlsx};
use sonometer::diagnostic::{excerpt, some_of};
use std::borrow::Cow;
use std::fmt::Display;
use std::io::Cursor;

/// Reads it.
pub(super) fn read(bytes: &[u8], hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let mut draft = Draft::new(limits);
    if !bytes.starts_with(b"PK") {
        let mut book: Xls<_> = Xls::new(Cursor::new(bytes)).map_err(|error| broken("", &error))?;
        each_sheet(&mut book, &mut draft, hints, limits, |book, sheet| dense(book, sheet, limits))?;
        return draft.finish(Kind::Sheet, hints);
    }
    let mut archive = Archive::open(bytes, limits)?;
    // The reader below unpacks without limits.
    archive.probe()?;
    let is_open_document = archive.names().iter().any(|name| name == "content.xml");
    if is_open_document {
        if archive.text("META-INF/manifest.xml")?.unwrap_or_default().contains("encryption-data") {
            return Err(ReadError::new(
                Reason::Encrypted,
                "",
                "the workbook has a password; save it without one",
            ));
        }
        // The reader below never ends where an element does not.
        let body = archive.needed("content.xml")?;
        let mut walk = Walk::new("content.xml", &body, limits.depth);
        while !matches!(walk.next()?, Node::End) {}
        let mut book: Ods<_> = Ods::new(Cursor::new(bytes)).map_err(|error| broken("", &error))?;
        each_sheet(&mut book, &mut draft, hints, limits, |book, sheet| dense(book, sheet, limits))?;
    } else {
        let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(|error| broken("", &error))?;
        each_sheet(&mut book, &mut draft, hints, limits, |book, sheet| sparse(book, sheet, limits))?;
    }
    draft.finish(Kind::Sheet, hints)
}

fn broken(place: &str, error: &dyn Display) -> ReadError {
    let message = error.to_string();
    if message.to_lowercase().contains("password") {
        return ReadError::new(Reason::Encrypted, place, "the workbook has a password; save it without one");
    }
    ReadError::broken(place, format!("the workbook is broken: {message}"))
}

/// Programs stop at 31 characters, or at some 255.
const MAX_NAME_BYTES: usize = 1_024;

/// Goes through the sheets that are shown, or the one that is asked for.
fn each_sheet<'b, R: Reader<Cursor<&'b [u8]>>>(
    book: &mut R,
    draft: &mut Draft<'_>,
    hints: &Hints,
    limits: &Limits,
    mut cells_of: impl FnMut(&mut R, &str) -> Result<Vec<Cell>, ReadError>,
) -> Result<(), ReadError> {
    let sheets: Vec<(String, bool)> = book
        .sheets_metadata()
        .iter()
        .map(|sheet| (sheet.name.clone(), sheet.visible == SheetVisible::Visible))
        .collect();
    let wanted: Vec<&str> = match &hints.sheet {
        Some(wanted) => {
            let same = |(name, _): &&(String, bool)| name.to_lowercase() == wanted.trim().to_lowercase();
            let Some((name, _)) = sheets.iter().find(same) else {
                let names: Vec<&str> = sheets.iter().map(|(name, _)| name.as_str()).collect();
                let (wanted, names) = (excerpt(wanted), some_of(&names));
                let message = format!("unknown sheet `{wanted}`; the sheets are {names}");
                return Err(ReadError::new(Reason::Hint, "", message));
            };
            vec![name]
        }
        None => {
            let shown = sheets.iter().filter(|(_, is_shown)| *is_shown).map(|(name, _)| name.as_str());
            shown.take(if hints.column.is_some() { 1 } else { usize::MAX }).collect()
        }
    };
    let hidden = sheets.iter().filter(|(_, is_shown)| !is_shown).count();
    if hidden > 0 && hints.sheet.is_none() {
        draft.note(format!("left out {hidden} hidden sheets"));
    }
    if hints.column.is_some() && hints.sheet.is_none() && sheets.len() > 1 {
        draft.note(format!(
            "read only the first sheet of {}; to read another, use `--sheet NAME`",
            sheets.len()
        ));
    }
    let mut total = 0;
    for name in wanted {
        // It stands in the place of every cell.
        if name.len() > MAX_NAME_BYTES {
            return Err(ReadError::too_large("", "the name of a sheet has too many bytes", MAX_NAME_BYTES));
        }
        let cells = cells_of(book, name)?;
        total += cells.len();
        if total > limits.cells {
            return Err(ReadError::too_large(name, "the workbook has too many cells", limits.cells));
        }
        Table { sheet: Some(name), cells: &cells }.tell(draft, hints)?;
    }
    Ok(())
}

/// The cells of a new workbook one after the other: one far away does not take the room of those between.
fn sparse(book: &mut Xlsx<Cursor<&[u8]>>, sheet: &str, limits: &Limits) -> Result<Vec<Cell>, ReadError> {
    let mut reader = book.worksheet_cells_reader(sheet).map_err(|error| broken(sheet, &error))?;
    let mut cells = Cells::new(limits);
    while let Some(cell) = reader.next_cell().map_err(|error| broken(sheet, &error))? {
        let (row, column) = cell.get_position();
        cells.add((row.saturating_add(1), column.saturating_add(1)), &told(cell.get_value()), None)?;
    }
    Ok(cells.in_order())
}

/// The cells of another workbook, which its reader lays out in full.
fn dense<'b, R: Reader<Cursor<&'b [u8]>>>(
    book: &mut R,
    sheet: &str,
    limits: &Limits,
) -> Result<Vec<Cell>, ReadError>
where
    R::Error: Display,
{
    let range = book.worksheet_range(sheet).map_err(|error| broken(sheet, &error))?;
    let (first_row, first_column) = range.start().unwrap_or_default();
    let mut cells = Cells::new(limits);
    for (row, column, value) in range.used_cells() {
        // Counted from 0, from the first one that is used.
        let at = |first: u32, offset: usize| {
            first.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX)).saturating_add(1)
        };
        cells.add((at(first_row, row), at(first_column, column)), &told(value), None)?;
    }
    Ok(cells.in_order())
}

/// What a cell says; nothing where it is empty or holds an error, such as `#DIV/0!`.
fn told(value: &impl DataType) -> Cow<'_, str> {
    let written =
        value.get_string().or_else(|| value.get_datetime_iso()).or_else(|| value.get_duration_iso());
    let whole = || value.get_int().map(|number| number.to_string());
    let number = || whole().or_else(|| value.get_float().map(|number| number.to_string()));
    let date = || value.get_datetime().map(|date| moment(&date));
    match (written, value.get_bool()) {
        (Some(text), _) => text.into(),
        (None, Some(is_true)) => if is_true { "TRUE" } else { "FALSE" }.into(),
        (None, None) => number().or_else(date).unwrap_or_default().into(),
    }
}

/// `2024-05-01`, `2024-05-01 10:30:00`, or a number of days for a duration.
fn moment(date: &ExcelDateTime) -> String {
    if date.is_duration() {
        return date.as_f64().to_string();
    }
    let (year, month, day, hour, minute, second, _) = date.to_ymd_hms_milli();
    match (hour, minute, second) {
        (0, 0, 0) => format!("{year:04}-{month:02}-{day:02}"),
        _ => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
    }
}
