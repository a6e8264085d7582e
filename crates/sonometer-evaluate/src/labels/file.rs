//! Files of items or of ordinary talk, as bytes with a name, and why some cannot be read at all.

use super::table::Table;
use crate::error::{Error, Place};
use sonometer::ErrorCode;
use sonometer::interaction::MAX_CONTENT_BYTES;

/// The longest line that is read: beyond it no interaction can be.
const LONGEST_LINE_BYTES: usize = 2 * MAX_CONTENT_BYTES;

/// A file of labelled items, or of ordinary talk.
#[derive(Debug)]
pub struct DataFile<'b> {
    /// How messages call it.
    pub(super) name: &'b str,
    /// All of it; reports have its digest.
    pub(super) bytes: &'b [u8],
    /// Its rows, where it is a table.
    pub(super) table: Option<Table>,
}

impl<'b> DataFile<'b> {
    /// A file with one JSON object a line.
    pub fn lines(name: &'b str, bytes: &'b [u8]) -> Self {
        Self { name, bytes, table: None }
    }

    /// A file of CSV, or of another form of table, with the rows that its bytes hold.
    pub fn table(name: &'b str, bytes: &'b [u8], table: Table) -> Self {
        Self { name, bytes, table: Some(table) }
    }

    /// The lines that are not blank, with their places, of a file of `what`, one in each line in this shape.
    pub(super) fn places(&self, what: &str, shape: &str) -> Result<Vec<(&'b str, Place)>, Error> {
        let text = self.text(what, shape)?;
        let mut lines = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let place = Place { line: Some(number), ..Place::of(self.name) };
            if line.len() > LONGEST_LINE_BYTES {
                let message = "the line is longer than 128 MiB; the limit for an interaction is 64 MiB of content; split it";
                return Err(Error::engine(
                    place,
                    &sonometer::Error::new(ErrorCode::PayloadTooLarge, "", message),
                ));
            }
            if !line.trim().is_empty() {
                lines.push((line, place));
            }
        }
        Ok(lines)
    }

    fn text(&self, what: &str, shape: &str) -> Result<&'b str, Error> {
        let wrong = |message: String| Error::at(Place::of(self.name), message);
        let ending = self.name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_one_of = |endings: &[&str]| endings.iter().any(|own| ending.eq_ignore_ascii_case(own));
        if is_one_of(&["xlsx", "xlsm", "xls", "ods"]) {
            return Err(wrong(format!(
                "is a workbook; save it as CSV in UTF-8 (spreadsheets call it `CSV UTF-8`), or write one JSON object for each row, {shape}, \
                 into a .jsonl file"
            )));
        }
        if is_one_of(&["csv", "tsv", "parquet", "arrow"]) {
            return Err(wrong(format!(
                "is a table; write one JSON object for each row, {shape}, into a .jsonl file"
            )));
        }
        if let Some(told) = not_utf8(self.bytes) {
            return Err(wrong(told));
        }
        let text = std::str::from_utf8(self.bytes).map_err(|error| {
            let (before, after) = self.bytes.split_at(error.valid_up_to());
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            let (at, found) = (before.len(), after.first().copied().unwrap_or_default());
            Error::at(
                Place { line: Some(line), ..Place::of(self.name) },
                format!("not UTF-8: byte {at} is 0x{found:02x}; save the file as UTF-8"),
            )
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match text.trim_start() {
            "" => Err(wrong(format!("holds no {what}; write one JSON object a line, {shape}"))),
            // A list on a single line is reported where that line is read.
            start if start.starts_with('[') && is_list(start) => Err(wrong(
                "is one list of JSON, and one JSON object a line is read; type `jq -c '.[]' IN > OUT` and give OUT".to_owned(),
            )),
            _ => Ok(text),
        }
    }
}

/// Whether a file that begins with a bracket is one list of objects, by its first lines.
fn is_list(text: &str) -> bool {
    let inside = text[1..].trim_start();
    inside.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Why bytes are no lines of UTF-8, where their first ones say it, and what to type; for the beginning of a file or all of it.
///
/// ```
/// use sonometer_evaluate::not_utf8;
///
/// assert_eq!(not_utf8(b"{\"text\": \"Thank you.\"}"), None);
/// let told = not_utf8(b"\xff\xfe{\0\"\0").expect("is UTF-16");
/// assert_eq!(told, "is UTF-16, and UTF-8 is read; save it as UTF-8, or type `iconv -f UTF-16 -t UTF-8 IN > OUT` and give OUT");
/// ```
pub fn not_utf8(bytes: &[u8]) -> Option<String> {
    let packed = |by: &str, command: &str| {
        Some(format!("is packed by {by}; type `{command} < IN > OUT` and give OUT"))
    };
    let encoding = match bytes {
        [0x1f, 0x8b, ..] => return packed("gzip", "gzip -d"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => return packed("zstd", "zstd -d"),
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => "UTF-32",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16",
        // Without the mark: a line of JSON, and nearly every header of a table, begins with ASCII.
        [first, 0, ..] if first.is_ascii() && *first != 0 => "UTF-16LE",
        [0, first, ..] if first.is_ascii() && *first != 0 => "UTF-16BE",
        _ => return None,
    };
    Some(format!(
        "is {encoding}, and UTF-8 is read; save it as UTF-8, or type `iconv -f {encoding} -t UTF-8 IN > OUT` and give OUT"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::{Background, Labelled};

    fn told(bytes: &[u8]) -> String {
        let items = Labelled::read("a.jsonl", bytes).expect_err("is refused").to_string();
        let talk = Background::read([("a.jsonl", bytes)]).expect_err("is refused").to_string();
        assert_eq!(items, talk);
        items
    }

    #[test]
    fn what_is_not_utf8_is_told_once_with_what_to_type() {
        let line = "{\"text\": \"Thank you\", \"label\": true}\n";
        let wide = |mark: &[u8], unit: fn(u16) -> [u8; 2]| {
            [mark, &line.encode_utf16().flat_map(unit).collect::<Vec<u8>>()].concat()
        };
        for (bytes, encoding) in [
            (wide(b"\xff\xfe", u16::to_le_bytes), "UTF-16"),
            (wide(b"\xfe\xff", u16::to_be_bytes), "UTF-16"),
            (wide(b"", u16::to_le_bytes), "UTF-16LE"),
            (wide(b"", u16::to_be_bytes), "UTF-16BE"),
        ] {
            let fix =
                format!("save it as UTF-8, or type `iconv -f {encoding} -t UTF-8 IN > OUT` and give OUT");
            assert_eq!(told(&bytes), format!("a.jsonl: is {encoding}, and UTF-8 is read; {fix}"));
        }
        assert_eq!(
            told(b"\x1f\x8b\x08\0"),
            "a.jsonl: is packed by gzip; type `gzip -d < IN > OUT` and give OUT"
        );
        assert!(told(b"{}\n{\"text\": \"caf\xe9\"}\n").starts_with("a.jsonl:2: not UTF-8: byte 16 is 0xe9"));
        let marked = format!("\u{feff}{line}");
        assert!(Labelled::read("a.jsonl", marked.as_bytes()).is_ok());
    }

    #[test]
    fn lists_are_told_how_they_become_lines() {
        let list = "[\n  {\"text\": \"hi\"}\n]\n";
        assert!(told(list.as_bytes()).ends_with("type `jq -c '.[]' IN > OUT` and give OUT"));
    }
}
