//! CSV, looked at as it is read. The library takes a quote that is never closed for the rest of the file, without a word, and counts
//! rows where people look for lines.

use super::columns_of_lines::of_line;
use arrow_schema::ArrowError;
use std::io::{self, BufRead, Read};

/// The separators that are told apart, the usual one first.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Rows that are looked at to tell the separator.
const LOOKED_AT: usize = 50;
/// The most bytes of a cell in quotes, twice what a text may have: a quote that is not closed must not fill the memory.
const MOST_CELL_BYTES: u64 = 128 << 20;

/// The separator of a file: a tab if its name ends in `.tsv` and its header holds one, else what it begins with says.
pub(super) fn separator_of(path: &str, head: &[u8]) -> u8 {
    let unpacked = path.strip_suffix(".gz").or(path.strip_suffix(".zst")).unwrap_or(path);
    let is_tabbed = unpacked.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("tsv"));
    let header = head.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    match is_tabbed && header.is_some_and(|header| header.contains(&b'\t')) {
        true => b'\t',
        false => separator(head),
    }
}

/// The separator of a file that begins like this: a comma, or if the header holds none, the one by which the first rows have as many
/// cells as the header.
fn separator(head: &[u8]) -> u8 {
    let cells = |separator: u8| {
        let mut scan = Scan::new(separator);
        let mut counts = Vec::new();
        // What is wrong with a row is told when it is read.
        let _ = scan.take(head, &mut |cells| {
            counts.push(cells);
            counts.len() < LOOKED_AT
        });
        if counts.is_empty() { vec![scan.cells] } else { counts }
    };
    let is_table = |separator: &u8| {
        let counts = cells(*separator);
        counts[0] > 1 && counts.iter().all(|count| *count == counts[0])
    };
    let [usual, others @ ..] = &SEPARATORS;
    if cells(*usual)[0] > 1 { *usual } else { others.iter().copied().find(is_table).unwrap_or(*usual) }
}

/// What is wrong with the first row of a file that begins like this.
///
/// # Errors
/// It is not UTF-8, it is no header, a quote in it is never closed, or one is closed before its cell ends: the library would make one odd name of all
/// of it, and of rows that it runs over.
pub(super) fn check_header(head: &[u8], separator: u8) -> Result<(), ArrowError> {
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).to_ascii_lowercase();
    if first.starts_with(b"sep=") && first.len() <= 5 {
        let told = "line 1: `sep=` tells a spreadsheet the separator and is no header; remove this line";
        return Err(wrong(told.to_owned()));
    }
    let mut scan = Scan::new(separator);
    let mut ended = false;
    let mut first = |_| {
        ended = true;
        false
    };
    scan.take(head, &mut first)?;
    if let Some((line, quoted)) = scan.behind_quote {
        let where_it_ends = if line == quoted { String::new() } else { format!(" on line {line}") };
        return Err(wrong(format!(
            "line {quoted}: in the header, more of a cell follows the quote that closes it{where_it_ends}; close the cell at its end, or \
             write it without quotes"
        )));
    }
    if ended { Ok(()) } else { scan.end() }
}

/// The lines on which the rows of a CSV begin, that of the header first.
///
/// # Errors
/// What is wrong with a row, as [`CheckedCsv`] tells it.
pub(super) fn lines(bytes: &[u8], separator: u8) -> Result<Vec<usize>, ArrowError> {
    let mut reader = CheckedCsv::of(bytes, separator);
    reader.scan.rows = Some(Vec::new());
    io::copy(&mut reader, &mut io::sink()).map_err(|error| of_line(error.into()))?;
    Ok(reader.scan.rows.unwrap_or_default())
}

/// Bytes of CSV that are looked at before they are read.
pub(super) struct CheckedCsv<R> {
    reader: R,
    scan: Scan,
    /// Bytes at hand that were looked at.
    seen: usize,
}

impl<R: BufRead> CheckedCsv<R> {
    pub(super) fn of(reader: R, separator: u8) -> Self {
        Self { reader, scan: Scan::new(separator), seen: 0 }
    }
}

impl<R: BufRead> Read for CheckedCsv<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for CheckedCsv<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let bytes = self.reader.fill_buf()?;
        if bytes.is_empty() {
            self.scan.end().map_err(io::Error::other)?;
        }
        if let Some(new) = bytes.get(self.seen..)
            && !new.is_empty()
        {
            let header = self.scan.header;
            let mut wanted = header;
            let mut ragged = None;
            self.scan
                .take(new, &mut |cells| {
                    let wanted = *wanted.get_or_insert(cells);
                    ragged = (cells != wanted).then_some((cells, wanted));
                    ragged.is_none()
                })
                .map_err(io::Error::other)?;
            self.scan.header = wanted;
            if let Some((cells, wanted)) = ragged {
                return Err(io::Error::other(self.scan.ragged(cells, wanted)));
            }
            self.seen = bytes.len();
        }
        Ok(bytes)
    }

    fn consume(&mut self, count: usize) {
        self.seen = self.seen.saturating_sub(count);
        self.reader.consume(count);
    }
}

/// Where in a row the next byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before its first byte; lines without any are no rows.
    Row,
    /// Before the first byte of a cell behind a separator.
    Cell,
    Plain,
    Quoted,
    /// Behind a quote in a cell in quotes: its end, or the first of two that stand for one.
    Quote,
}

/// The rules of the library: a quote counts where a cell begins with it, and two of them are one.
struct Scan {
    separator: u8,
    state: State,
    /// The line of the next byte, from 1.
    line: u64,
    after_return: bool,
    /// The line on which the row began, and on which its last cell in quotes did.
    row: u64,
    quoted: u64,
    /// Bytes of that cell.
    bytes: u64,
    /// Cells of the row so far.
    cells: usize,
    /// The line of the first text behind a quote that closed its cell, and the line where that cell begins.
    behind_quote: Option<(u64, u64)>,
    /// Cells of the first row.
    header: Option<usize>,
    /// The line of each row, where that is asked for.
    rows: Option<Vec<usize>>,
    /// The beginning of a character that was cut off.
    cut: Vec<u8>,
}

impl Scan {
    fn new(separator: u8) -> Self {
        Self {
            separator,
            state: State::Row,
            line: 1,
            after_return: false,
            row: 1,
            quoted: 1,
            bytes: 0,
            cells: 0,
            behind_quote: None,
            header: None,
            rows: None,
            cut: Vec::new(),
        }
    }

    /// Takes bytes; gives the number of cells of each row that ends, until told to stop.
    fn take(&mut self, bytes: &[u8], row: &mut dyn FnMut(usize) -> bool) -> Result<(), ArrowError> {
        let readable = self.readable(bytes);
        let mut left = &bytes[..readable];
        while let Some((&byte, rest)) = left[self.skip(left)..].split_first() {
            left = rest;
            let ended = self.ended_by(byte);
            self.fits()?;
            if ended && !row(self.cells) {
                return Ok(());
            }
            if byte == b'\r' || (byte == b'\n' && !self.after_return) {
                self.line += 1;
            }
            self.after_return = byte == b'\r';
        }
        self.fits()?;
        if readable < bytes.len() {
            return Err(wrong(format!(
                "line {}: is not UTF-8; save it as UTF-8 (spreadsheets call it `CSV UTF-8`)",
                self.line
            )));
        }
        Ok(())
    }

    /// Whether a cell in quotes may go on.
    fn fits(&self) -> Result<(), ArrowError> {
        if self.state != State::Quoted || self.bytes <= MOST_CELL_BYTES {
            return Ok(());
        }
        let most = MOST_CELL_BYTES >> 20;
        Err(wrong(format!(
            "line {}: the cell that begins here with a quote has more than {most} MiB; close its quote",
            self.quoted
        )))
    }

    /// How many bytes are nothing but text of the cell.
    fn skip(&mut self, bytes: &[u8]) -> usize {
        if !matches!(self.state, State::Plain | State::Quoted) {
            return 0;
        }
        let counts = |byte: &u8| matches!(byte, b'"' | b'\n' | b'\r') || *byte == self.separator;
        let text = bytes.iter().position(counts).unwrap_or(bytes.len());
        self.bytes += text as u64;
        self.after_return &= text == 0;
        text
    }

    /// Whether a row ends with a byte.
    fn ended_by(&mut self, byte: u8) -> bool {
        let breaks = byte == b'\n' || byte == b'\r';
        if self.state == State::Row && !breaks {
            (self.row, self.cells, self.state) = (self.line, 1, State::Cell);
            if let Some(rows) = &mut self.rows {
                rows.push(usize::try_from(self.line).unwrap_or(usize::MAX));
            }
        }
        let (state, ended) = match self.state {
            State::Row => (State::Row, false),
            State::Quoted => {
                self.bytes += 1;
                (if byte == b'"' { State::Quote } else { State::Quoted }, false)
            }
            State::Quote if byte == b'"' => (State::Quoted, false),
            _ if breaks => (State::Row, true),
            _ if byte == self.separator => {
                self.cells += 1;
                (State::Cell, false)
            }
            State::Cell if byte == b'"' => {
                (self.quoted, self.bytes) = (self.line, 0);
                (State::Quoted, false)
            }
            before => {
                if before == State::Quote {
                    self.behind_quote.get_or_insert((self.line, self.quoted));
                }
                (State::Plain, false)
            }
        };
        self.state = state;
        ended
    }

    /// How many of the bytes go on as UTF-8. A character may be cut off at their end.
    fn readable(&mut self, bytes: &[u8]) -> usize {
        let mut from = 0;
        while !self.cut.is_empty() && from < bytes.len() {
            self.cut.push(bytes[from]);
            match std::str::from_utf8(&self.cut) {
                Ok(_) => self.cut.clear(),
                Err(error) if error.error_len().is_some() => return 0,
                Err(_) => {}
            }
            from += 1;
        }
        match std::str::from_utf8(&bytes[from..]) {
            Ok(_) => bytes.len(),
            Err(error) if error.error_len().is_some() => from + error.valid_up_to(),
            Err(error) => {
                self.cut.extend(&bytes[from + error.valid_up_to()..]);
                bytes.len()
            }
        }
    }

    /// What is wrong if nothing more comes.
    fn end(&self) -> Result<(), ArrowError> {
        if !self.cut.is_empty() {
            return Err(wrong(format!("line {}: the file breaks off within a character", self.line)));
        }
        match (self.state, self.header) {
            (State::Quoted, _) => Err(wrong(format!(
                "line {}: the quote with which a cell begins here is never closed; close it, or begin the cell with three quotes if it \
                 is part of the text, and end it with one",
                self.quoted
            ))),
            (State::Row, _) | (_, None) => Ok(()),
            (_, Some(header)) if header == self.cells => Ok(()),
            (_, Some(header)) => Err(self.ragged(self.cells, header)),
        }
    }

    /// A row with another number of cells than the header.
    fn ragged(&self, cells: usize, header: usize) -> ArrowError {
        let fix = match cells < header {
            true => "write the separators of empty cells too",
            false => "put cells that hold the separator in quotes",
        };
        let counted = |count: usize| if count == 1 { "1 cell".to_owned() } else { format!("{count} cells") };
        let (cells, header) = (counted(cells), counted(header));
        let separator = match self.separator {
            b'\t' => "a tab".to_owned(),
            other => format!("`{}`", char::from(other)),
        };
        wrong(format!(
            "line {}: the row has {cells}, the header has {header}, with {separator} between them; {fix}",
            self.row
        ))
    }
}

fn wrong(message: String) -> ArrowError {
    ArrowError::CsvError(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of a text, read in pieces of each size, after what was read.
    fn told(text: &[u8]) -> String {
        let separator = separator(text);
        let mut all: Vec<String> = Vec::new();
        for size in 1..=text.len() + 1 {
            let mut reader = CheckedCsv::of(io::BufReader::with_capacity(size, text), separator);
            let outcome = io::copy(&mut reader, &mut io::sink());
            all.push(
                outcome.err().map_or("fine".into(), |error| of_line(ArrowError::from(error)).to_string()),
            );
        }
        assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
        all.swap_remove(0).replace("Csv error: ", "")
    }

    #[test]
    fn separators_are_told_by_the_header_and_its_rows() {
        for (text, separator) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1;2\n", b';'),
            ("a\tb\n1\t2", b'\t'),
            ("a|b", b'|'),
            ("\"a,b\";c\n1;2\n", b';'),
            ("a;b\nHello, you;2\n", b';'),
            // One column, in whose texts the others stand.
            ("a;b\nHello; you; two\n", b','),
            ("text\nHello; you\n", b','),
            ("", b','),
        ] {
            assert_eq!(char::from(super::separator(text.as_bytes())), char::from(separator), "{text}");
        }
    }

    #[test]
    fn a_name_of_tabs_says_the_separator() {
        let head = b"text, said\tlabel\nThank you\ttrue\n";
        for (path, separator) in
            [("a.csv", b','), ("a.tsv", b'\t'), ("b/a.TSV", b'\t'), ("a.tsv.gz", b'\t'), ("-", b',')]
        {
            assert_eq!(char::from(separator_of(path, head)), char::from(separator), "{path}");
        }
        assert_eq!(separator_of("a.tsv", b"text,label\n"), b',');
    }

    #[test]
    fn a_quote_that_is_never_closed_is_named_by_its_line() {
        for fine in [
            "a,b\n1,\"two\nlines\"\n",
            "a,b\r\n1,said \"so\r\n",
            "a,b\n1,\"said \"\"so\"\"\"\n\n\n2,\"\"",
            "a,b\n\"1\"x\",2\n",
        ] {
            assert_eq!(told(fine.as_bytes()), "fine", "{fine}");
        }
        for (text, line) in [
            ("a,b\n1,2\n3,\"four\n5,6\n7,8\n", "line 3: the quote"),
            ("a,b\r\n1,\"two\r\nlines\"\r\n3,\"four\r\n", "line 4: the quote"),
            ("a,\"b\n1,2\n", "line 1: the quote"),
            ("a,b\n1,\"two\"\"\n", "line 2: the quote"),
        ] {
            assert!(told(text.as_bytes()).starts_with(line), "{text}: {}", told(text.as_bytes()));
        }
        let mut cell = CheckedCsv::of(&b"a\n\""[..], b',').scan;
        cell.take(b"a\n\"", &mut |_| true).expect("is fine");
        cell.bytes = MOST_CELL_BYTES;
        let error = cell.take(b"x", &mut |_| true).expect_err("is too large");
        assert!(
            error
                .to_string()
                .contains("line 2: the cell that begins here with a quote has more than 128 MiB")
        );
    }

    #[test]
    fn rows_and_bytes_that_are_wrong_are_named_by_their_line() {
        assert_eq!(
            told(b"a,b\n\"1\n1\",2\n3\n"),
            "line 4: the row has 1 cell, the header has 2 cells, with `,` between them; write the separators of empty cells too"
        );
        assert_eq!(
            told(b"a\tb\n1\t2\t3"),
            "line 2: the row has 3 cells, the header has 2 cells, with a tab between them; put cells that hold the separator in quotes"
        );
        assert!(told(b"a,b\n1,2\n3,pr\xeece\n").starts_with("line 3: is not UTF-8; save it as UTF-8"));
        assert_eq!(told("a,b\n1,\u{1f600}\n".as_bytes()), "fine");
        assert!(told(b"a,b\n1,\xf0\x9f").starts_with("line 2: the file breaks off"));
        let header = |head: &[u8]| check_header(head, b',').map_err(|error| error.to_string());
        assert_eq!(header(b"a,b\n1,\"2"), Ok(()));
        for spreadsheet in ["sep=;\na;b\n", "\u{feff}SEP=,\r\na,b\r\n"] {
            assert!(
                header(spreadsheet.as_bytes()).is_err_and(|told| told.contains("remove this line")),
                "{spreadsheet}"
            );
        }
        assert!(header(b"a,\"b\n1,2").is_err_and(|told| told.contains("line 1: the quote")));
        for fine in [
            "\"a\",\"b\"\n",
            "\"a\nb\",c\n",
            "\"a \"\"b\"\"\",c\n",
            "a \"b\",c\n1,\"2\"x\n",
            "\"a\"\r\n\"b\"c\r\n",
        ] {
            assert_eq!(header(fine.as_bytes()), Ok(()), "{fine}");
        }
        for (text, line) in [
            (
                "id,\"text\" of mail\n1,a\n",
                "line 1: in the header, more of a cell follows the quote that closes it; close",
            ),
            (
                "id,\"text\n1,\"Thank you\"\n",
                "line 1: in the header, more of a cell follows the quote that closes it on line 2; ",
            ),
            (
                "id,\"text\n1,a\n2,\"b\"\n",
                "line 1: in the header, more of a cell follows the quote that closes it on line 3; ",
            ),
        ] {
            assert!(
                header(text.as_bytes()).is_err_and(|told| told.contains(line)),
                "{text}: {:?}",
                header(text.as_bytes())
            );
        }
    }
}
