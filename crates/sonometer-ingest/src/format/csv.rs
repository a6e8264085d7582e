//! Separated values: the separator is the one by which most lines have equally many fields.

use super::table::{Cells, Table};
use crate::draft::Draft;
use crate::error::{ReadError, Reason};
use crate::{Hints, Ingested, Kind, Limits};
use ::csv::{ReaderBuilder, StringRecord};

/// Reads it.
pub(super) fn read(text: &str, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let mut cells = Cells::new(limits);
    let separator = separator(text);
    if let Some(line) = unclosed(text, separator) {
        let message = "the quote with which a cell begins here is never closed; close it, or begin the cell with three quotes if it is \
                       part of the text, and end it with one";
        return Err(ReadError::new(Reason::Broken, format!("line {line}"), message));
    }
    let odd_header = behind_quote(text, separator).map(|(opened, closed)| {
        let where_it_ends = if opened == closed { String::new() } else { format!(" on line {closed}") };
        let message = format!(
            "in the header, more of a cell follows the quote that closes it{where_it_ends}; close the cell at its end, or write it \
             without quotes"
        );
        (format!("line {opened}"), message)
    });
    if let (Some((place, message)), true) =
        (&odd_header, hints.column.is_some() || hints.role_column.is_some())
    {
        return Err(ReadError::new(Reason::Broken, place.clone(), message.clone()));
    }
    let mut reader = reader(text, separator);
    let mut record = StringRecord::new();
    let mut row = 0_u32;
    let (mut width, mut beyond) = (None, Beyond::default());
    loop {
        let more = reader.read_record(&mut record).map_err(|error| {
            let line = error.position().map_or(0, ::csv::Position::line);
            ReadError::new(
                Reason::Broken,
                format!("line {line}"),
                format!("not a valid table: {error}; save it again"),
            )
        })?;
        if !more {
            break;
        }
        row = row.saturating_add(1);
        let line = record.position().and_then(|position| u32::try_from(position.line()).ok());
        let width = *width.get_or_insert(record.len());
        if record.iter().skip(width).any(|text| !text.trim().is_empty()) {
            beyond.add(line);
        }
        for (column, text) in (1..).zip(&record) {
            cells.add((row, column), text, line)?;
        }
    }
    let mut draft = Draft::new(limits);
    // Without a column, every cell is read.
    if let (Some(note), true) = (beyond.told(), hints.column.is_some()) {
        draft.note(note);
    }
    if let Some((place, message)) = odd_header {
        draft.note(format!("{place}: {message}"));
    }
    Table { sheet: None, cells: &cells.in_order() }.tell(&mut draft, hints)?;
    draft.finish(Kind::Csv, hints)
}

/// Rows with text behind the last column: most likely a cell of theirs holds the separator and is cut there.
#[derive(Default)]
struct Beyond {
    rows: u32,
    first: Option<u32>,
}

impl Beyond {
    fn add(&mut self, line: Option<u32>) {
        self.rows += 1;
        self.first = self.first.or(line);
    }

    fn told(&self) -> Option<String> {
        let first = self.first?;
        let others = match self.rows - 1 {
            0 => String::new(),
            1 => ", as 1 other row".to_owned(),
            more => format!(", as {more} other rows"),
        };
        let fix = "put cells that hold the separator in quotes";
        Some(format!(
            "line {first}{others}: has more cells than the first row, and these are left out; {fix}"
        ))
    }
}

fn reader(text: &str, separator: u8) -> ::csv::Reader<&[u8]> {
    ReaderBuilder::new().delimiter(separator).has_headers(false).flexible(true).from_reader(text.as_bytes())
}

/// The line of a quote that is never closed: the reader takes all behind it for one cell, without a word.
fn unclosed(text: &str, separator: u8) -> Option<usize> {
    let (mut begins, mut opened, mut at) = (true, None, 0);
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' if opened.is_some() => match bytes.get(at) {
                Some(b'"') => at += 1,
                _ => opened = None,
            },
            b'"' if begins => (begins, opened) = (false, Some(at - 1)),
            _ if opened.is_some() => {}
            _ => begins = byte == separator || byte == b'\n' || byte == b'\r',
        }
    }
    Some(line(bytes, opened?))
}

/// The line on which a byte stands, from 1.
fn line(bytes: &[u8], at: usize) -> usize {
    let before = &bytes[..at];
    let returns = |at: &usize| before[*at] == b'\r' && before.get(at + 1) != Some(&b'\n');
    let breaks = before.iter().filter(|byte| **byte == b'\n').count();
    1 + breaks + (0..before.len()).filter(returns).count()
}

/// The first cell of the first row behind whose closing quote the cell goes on: the lines on which it begins, and on which that quote
/// stands. The reader makes one odd name of both parts, and of the rows that the quotes run over.
fn behind_quote(text: &str, separator: u8) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let ends =
        |at: usize| bytes.get(at).is_none_or(|byte| *byte == separator || matches!(byte, b'\n' | b'\r'));
    let mut start = 0;
    loop {
        let mut end = start;
        if bytes.get(start) == Some(&b'"') {
            end += 1;
            while let Some(&byte) = bytes.get(end) {
                end += 1;
                match (byte, bytes.get(end)) {
                    (b'"', Some(b'"')) => end += 1,
                    (b'"', _) => break,
                    _ => {}
                }
            }
            if !ends(end) {
                return Some((line(bytes, start), line(bytes, end)));
            }
        }
        while !ends(end) {
            end += 1;
        }
        if bytes.get(end) != Some(&separator) {
            return None;
        }
        start = end + 1;
    }
}

/// The separator by which most of the first lines have as many fields as the first, more than one.
fn separator(text: &str) -> u8 {
    let agree = |separator: u8| {
        let mut records = reader(text, separator).into_records().take(50).filter_map(Result::ok);
        let fields = records.next().map_or(0, |record| record.len());
        if fields < 2 {
            (0, 0)
        } else {
            (1 + records.filter(|record| record.len() == fields).count(), fields)
        }
    };
    // The first of equals.
    [b',', b';', b'\t', b'|'].into_iter().rev().max_by_key(|separator| agree(*separator)).unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, hints: &Hints) -> Vec<String> {
        match read(text, hints, &Limits::default()) {
            Err(failure) => vec![failure.to_string()],
            Ok(read) => (0..read.interaction.turns().len())
                .map(|at| {
                    let turn = &read.interaction.turns()[at];
                    let place = read.place(at, 0).expect("has a place");
                    format!("{}: {} @{place}", turn.role.as_deref().unwrap_or("-"), turn.content)
                })
                .collect(),
        }
    }

    #[test]
    fn columns_are_turns() {
        let text = "who;what;n\nAnn;\"Hello;\nyou\";1\nBo;;2\nBo;Fine;3\n";
        let hints = |column: &str, role: Option<&str>| Hints {
            column: Some(column.into()),
            role_column: role.map(Into::into),
            ..Hints::default()
        };
        assert_eq!(
            told(text, &hints("What", Some("who"))),
            ["Ann: Hello;\nyou @cell B2, line 2", "Bo: Fine @cell B4, line 5"]
        );
        assert_eq!(told(text, &hints("what", None))[0], "what: Hello;\nyou @cell B2, line 2");
        assert_eq!(told("a,b\nc,d\n", &hints("B", None)), ["b: d @cell B2, line 2"]);
        assert_eq!(
            told("x,y\nc,d\n", &hints("B", None)),
            ["author: y @cell B1, line 1", "author: d @cell B2, line 2"]
        );
        assert!(told(text, &hints("where", None))[0].contains("the columns are who, what, n"));
    }

    #[test]
    fn cells_beyond_the_last_column_are_told() {
        let notes = |text: &str, column: Option<&str>| {
            let hints = Hints { column: column.map(Into::into), ..Hints::default() };
            read(text, &hints, &Limits::default()).expect("is read").notes
        };
        let text = "id,said\n1,Hello, thank you\n2\n3,Fine\n";
        let told = "line 2: has more cells than the first row, and these are left out; put cells that hold the separator in quotes";
        assert_eq!(notes(text, Some("said")), [told]);
        assert_eq!(notes(text, None), [""; 0]);
        assert_eq!(notes("id,said\n1,Hello,,\n", Some("said")), [""; 0]);
        let several = notes("id,said\n1,a,b\n2,c,d\n3,e,f\n", Some("said"));
        assert!(several[0].starts_with("line 2, as 2 other rows: has more cells"), "{several:?}");
    }

    #[test]
    fn a_quote_that_is_never_closed_is_named_by_its_line() {
        for (text, line) in [
            ("a,b\n1,2\n3,\"four\n5,6\n", 3),
            ("a;b\r\n1;\"two\r\nlines\"\r\n3;\"four", 4),
            ("a,b\r1,\"two\"\"\r", 2),
        ] {
            let said = told(text, &Hints::default());
            assert!(
                said[0].contains(&format!("line {line}")) && said[0].contains("never closed"),
                "{said:?}"
            );
        }
        for fine in ["a,b\n1,he said \"so\n", "a,b\n1,\"said \"\"so\"\"\"\n", "a,b\n\"1\"x\",2\n"] {
            assert!(!told(fine, &Hints::default())[0].contains("never closed"), "{fine}");
        }
    }

    #[test]
    fn a_header_that_goes_on_behind_a_quote_is_named() {
        for (text, place) in [
            (
                "id,\"text\" of mail\n1,a\n",
                "line 1: in the header, more of a cell follows the quote that closes it; close",
            ),
            (
                "\"id\"x,text\n1,a\n",
                "line 1: in the header, more of a cell follows the quote that closes it; close",
            ),
            (
                "id,\"text\n1,\"Thank you\"\n",
                "line 1: in the header, more of a cell follows the quote that closes it on line 2; ",
            ),
        ] {
            for hints in [
                Hints { column: Some("text".into()), ..Hints::default() },
                Hints { role_column: Some("id".into()), ..Hints::default() },
            ] {
                let failure = read(text, &hints, &Limits::default()).expect_err("is broken").to_string();
                let message = place.strip_prefix("line 1: ").expect("begins so");
                assert!(failure.contains(message) && failure.ends_with("(at line 1)"), "{failure}");
            }
            // Every cell is text then, and nothing is lost.
            let notes = read(text, &Hints::default(), &Limits::default()).expect("is read").notes;
            assert!(notes.len() == 1 && notes[0].contains(place), "{notes:?}");
        }
        for fine in [
            "\"a \"\"b\"\"\",c\n1,2\n",
            "a \"b\",c\n1,\"2\"x\n",
            "\"a\"\r\n\"b\"c\r\n",
            "\"a\nb\";c\n1;2\n",
            "a,\"b\"",
        ] {
            assert_eq!(
                read(fine, &Hints::default(), &Limits::default()).expect("is read").notes,
                [""; 0],
                "{fine}"
            );
        }
    }

    #[test]
    fn without_a_column_all_cells_are_text() {
        assert_eq!(told("a\tb\nc\td\n", &Hints::default()), ["-: a | b\n\nc | d @cell A1, line 1"]);
    }
}
