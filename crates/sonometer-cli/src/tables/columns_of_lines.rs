//! The columns of JSON lines, and the line that is none: the library tells the place within a line, and not which line it is.

use arrow_json::reader::infer_json_schema_from_iterator;
use arrow_schema::{ArrowError, Schema};
use serde_json::Value;
use std::io::BufRead;

/// The columns of all lines that are not blank.
///
/// # Errors
/// The line that is no object in JSON, or whose values do not go with those before.
pub(super) fn columns_of_lines(reader: impl BufRead) -> Result<Schema, ArrowError> {
    infer_json_schema_from_iterator(objects(reader))
}

fn objects(mut reader: impl BufRead) -> impl Iterator<Item = Result<Value, ArrowError>> {
    let mut bytes = Vec::new();
    let mut number = 0_u64;
    std::iter::from_fn(move || {
        loop {
            bytes.clear();
            number += 1;
            let failed = |wrong: String| Some(Err(ArrowError::JsonError(format!("line {number}, {wrong}"))));
            match reader.read_until(b'\n', &mut bytes) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return Some(Err(error.into())),
            }
            let line = match std::str::from_utf8(&bytes) {
                Ok(line) if line.trim().is_empty() => continue,
                Ok(line) => line,
                Err(error) => return failed(format!("byte {} is not UTF-8", error.valid_up_to())),
            };
            return match serde_json::from_str(line) {
                Ok(object @ Value::Object(_)) => Some(Ok(object)),
                Ok(_) => failed("column 1: not an object in braces".into()),
                Err(error) => {
                    // Its own line is always the first.
                    let told = error.to_string();
                    let wrong = told.split(" at line ").next().unwrap_or_default();
                    failed(format!("column {}: not valid JSON: {wrong}", error.column()))
                }
            };
        }
    })
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
        let columns = columns_of_lines(&b"{\"a\": 1}\r\n \n{\"b\": \"x\"}"[..]).expect("is read");
        assert_eq!(columns.fields().len(), 2);
    }
}
