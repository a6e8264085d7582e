//! The columns of JSON lines, and the line that is none: the library tells the place within a line, and not which line it is.

use arrow_json::reader::infer_json_schema_from_iterator;
use arrow_schema::{ArrowError, Schema};
use serde_json::Value;
use std::cell::Cell;
use std::io::{self, BufRead, Read};

/// The columns of all lines that are not blank.
///
/// # Errors
/// The line that is no object in JSON, or whose values do not go with those before.
pub(super) fn columns_of_lines(reader: impl BufRead) -> Result<Schema, ArrowError> {
    let number = Cell::new(0);
    infer_json_schema_from_iterator(objects(reader, &number)).map_err(|error| match error {
        // Values that do not go with those of the lines before.
        ArrowError::JsonError(told) if told.starts_with("Expected ") => {
            let fix = "write a list or an object in each line, or in none";
            ArrowError::JsonError(format!("line {}, {told}, unlike the lines before; {fix}", number.get()))
        }
        other => other,
    })
}

fn objects(mut reader: impl BufRead, number: &Cell<u64>) -> impl Iterator<Item = Result<Value, ArrowError>> {
    let mut bytes = Vec::new();
    std::iter::from_fn(move || {
        loop {
            bytes.clear();
            number.set(number.get() + 1);
            match reader.read_until(b'\n', &mut bytes) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return Some(Err(error.into())),
            }
            if let Some(outcome) = object(number.get(), &bytes) {
                return Some(outcome);
            }
        }
    })
}

/// The object of a line; nothing of a blank one.
fn object(number: u64, bytes: &[u8]) -> Option<Result<Value, ArrowError>> {
    let failed = |wrong: String| Some(Err(ArrowError::JsonError(format!("line {number}, {wrong}"))));
    let line = match std::str::from_utf8(bytes) {
        Ok(line) if line.trim().is_empty() => return None,
        Ok(line) => line,
        Err(error) => return failed(format!("byte {} is not UTF-8", error.valid_up_to())),
    };
    match serde_json::from_str(line) {
        Ok(object @ Value::Object(_)) => Some(Ok(object)),
        Ok(_) => failed("column 1: not an object in braces".into()),
        Err(error) => {
            // Its own line is always the first.
            let told = error.to_string();
            let wrong = told.split(" at line ").next().unwrap_or_default();
            failed(format!("column {}: not valid JSON: {wrong}", error.column()))
        }
    }
}

/// Lines that are looked at as they are read: for standard input, which can be read but once.
pub(super) struct CheckedLines<R> {
    reader: R,
    number: u64,
    line: Vec<u8>,
    taken: usize,
}

impl<R: BufRead> CheckedLines<R> {
    pub(super) fn of(reader: R) -> Self {
        Self { reader, number: 0, line: Vec::new(), taken: 0 }
    }
}

impl<R: BufRead> Read for CheckedLines<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for CheckedLines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.line.len() {
            self.line.clear();
            self.taken = 0;
            self.number += 1;
            self.reader.read_until(b'\n', &mut self.line)?;
            if let Some(Err(error)) = object(self.number, &self.line) {
                return Err(io::Error::other(error));
            }
        }
        Ok(&self.line[self.taken..])
    }

    fn consume(&mut self, count: usize) {
        self.taken += count;
    }
}

/// An error of bytes that are looked at as they are read, as it would be of a file.
pub(super) fn of_line(error: ArrowError) -> ArrowError {
    match error {
        ArrowError::IoError(told, error) => match error.downcast::<ArrowError>() {
            Ok(own) => own,
            Err(error) => ArrowError::IoError(told, error),
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_is_wrong_is_named() {
        let told = |text: &[u8]| columns_of_lines(text).expect_err("is refused").to_string();
        assert_eq!(
            told(b"{\"a\": 1}\n\n{\"a\" 2}\n"),
            "Json error: line 3, column 6: not valid JSON: expected `:`"
        );
        assert_eq!(told(b"{\"a\": 1}\n[1]\n"), "Json error: line 2, column 1: not an object in braces");
        assert_eq!(told(b"{\"a\": 1}\n{\"a\xff\": 1}"), "Json error: line 2, byte 3 is not UTF-8");
        let mixed = told(b"{\"a\": 1}\n{\"a\": {\"b\": 1}}\n{\"a\": 1}\n");
        assert!(mixed.starts_with("Json error: line 2, Expected object json type, found: "), "{mixed}");
        assert!(
            mixed.ends_with("unlike the lines before; write a list or an object in each line, or in none"),
            "{mixed}"
        );
        let columns = columns_of_lines(&b"{\"a\": 1}\r\n \n{\"b\": \"x\"}"[..]).expect("is read");
        assert_eq!(columns.fields().len(), 2);
    }
    #[test]
    fn the_line_that_is_wrong_is_named_while_it_is_read() {
        let mut lines = CheckedLines::of(&b"{\"a\": 1}\n\n{\"a\" 2}\n"[..]);
        let mut read = Vec::new();
        let error = lines.read_to_end(&mut read).expect_err("is refused");
        assert_eq!(read, b"{\"a\": 1}\n\n");
        let told = of_line(ArrowError::from(error)).to_string();
        assert_eq!(told, "Json error: line 3, column 6: not valid JSON: expected `:`");
    }
}
