//! Separated values: the separator is the one by which most lines have equally many fields.

use super::table::{Cells, Table};
use crate::draft::Draft;
use crate::error::{ReadError, Reason};
use crate::{Hints, Ingested, Kind, Limits};
use ::csv::{ReaderBuilder, StringRecord};

/// Reads it.
pub(super) fn read(text: &str, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let mut cells = Cells::new(limits);
    let mut reader = reader(text, separator(text));
    let mut record = StringRecord::new();
    let mut row = 0_u32;
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
        for (column, text) in (1..).zip(&record) {
            cells.add((row, column), text, line)?;
        }
    }
    let mut draft = Draft::new(limits);
    Table { sheet: None, cells: &cells.in_order() }.tell(&mut draft, hints)?;
    draft.finish(Kind::Csv, hints)
}

fn reader(text: &str, separator: u8) -> ::csv::Reader<&[u8]> {
    ReaderBuilder::new().delimiter(separator).has_headers(false).flexible(true).from_reader(text.as_bytes())
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
    fn without_a_column_all_cells_are_text() {
        assert_eq!(told("a\tb\nc\td\n", &Hints::default()), ["-: a | b\n\nc | d @cell A1, line 1"]);
    }
}
