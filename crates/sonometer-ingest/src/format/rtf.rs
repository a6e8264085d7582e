//! Rich Text Format: the text of its groups, in the code pages that it names.

use super::table::cell_name;
use crate::draft::Draft;
use crate::error::ReadError;
use crate::map::Place;
use crate::{Hints, Ingested, Kind, Limits};
use encoding_rs::Encoding;
use std::collections::BTreeMap;

/// Reads it.
pub(super) fn read(bytes: &[u8], hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let mut draft = Draft::new(limits);
    let mut reader = Reader {
        bytes,
        at: 0,
        groups: vec![Group { hidden: false, skips: 1, page: None }],
        page: encoding_rs::WINDOWS_1252,
        fonts: BTreeMap::new(),
        pending: Vec::new(),
        text: String::new(),
        to_skip: 0,
        high: None,
        paragraph: 0,
        cell: None,
        row: 0,
        row_has_text: false,
        footnotes: Vec::new(),
        notes: Vec::new(),
        in_font_table: false,
        font: 0,
    };
    reader.walk(&mut draft, limits)?;
    draft.finish(Kind::Rtf, hints)
}

/// What a group inherits and what ends with it.
#[derive(Clone, Copy)]
struct Group {
    /// Nothing in it is text.
    hidden: bool,
    /// How many letters stand behind a `\u` for programs that do not know it.
    skips: usize,
    /// The code page of its font.
    page: Option<&'static Encoding>,
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    groups: Vec<Group>,
    page: &'static Encoding,
    fonts: BTreeMap<i64, &'static Encoding>,
    /// Bytes of a code page that are not decoded yet.
    pending: Vec<u8>,
    text: String,
    to_skip: usize,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    paragraph: u32,
    /// The column, within a table.
    cell: Option<u32>,
    row: u32,
    row_has_text: bool,
    /// The depths at which footnotes began, and the text before them.
    footnotes: Vec<(usize, String)>,
    /// Notes, told behind the running text.
    notes: Vec<String>,
    in_font_table: bool,
    font: i64,
}

impl Reader<'_> {
    fn group(&mut self) -> &mut Group {
        if self.groups.is_empty() {
            self.groups.push(Group { hidden: false, skips: 1, page: None });
        }
        let last = self.groups.len() - 1;
        &mut self.groups[last]
    }

    fn walk(&mut self, draft: &mut Draft<'_>, limits: &Limits) -> Result<(), ReadError> {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            self.at += 1;
            match byte {
                b'{' => {
                    self.flush();
                    let group = *self.group();
                    self.groups.push(group);
                    if self.groups.len() > limits.depth {
                        return Err(ReadError::too_large(
                            format!("byte {}", self.at),
                            "the groups are nested too deeply",
                            limits.depth,
                        ));
                    }
                }
                b'}' => {
                    self.flush();
                    self.groups.pop();
                    if self.in_font_table && self.groups.len() <= 2 {
                        self.in_font_table = false;
                    }
                    // More than one may begin in a group.
                    while self.footnotes.last().is_some_and(|(depth, _)| self.groups.len() < *depth) {
                        self.end_footnote();
                    }
                }
                b'\\' => self.control(draft)?,
                b'\r' | b'\n' => {}
                byte => self.byte(byte),
            }
        }
        self.flush();
        // In a file that is cut off, what stands before an open note is text all the same.
        while !self.footnotes.is_empty() {
            self.end_footnote();
        }
        self.end_paragraph(draft)?;
        for (number, note) in (1..).zip(std::mem::take(&mut self.notes)) {
            let place = Place { part: Some(format!("footnote {number}").into()), ..Place::default() };
            draft.paragraph(&note, place)?;
        }
        Ok(())
    }

    fn end_footnote(&mut self) {
        if let Some((_, before)) = self.footnotes.pop() {
            let note = std::mem::replace(&mut self.text, before);
            self.notes.extend(Some(note).filter(|note| !note.trim().is_empty()));
        }
    }

    fn control(&mut self, draft: &mut Draft<'_>) -> Result<(), ReadError> {
        let Some(first) = self.bytes.get(self.at).copied() else { return Ok(()) };
        if !first.is_ascii_alphabetic() {
            self.at += 1;
            match first {
                b'\'' => {
                    let two = self.bytes.get(self.at..self.at + 2);
                    let digits = two.filter(|two| two.iter().all(u8::is_ascii_hexdigit));
                    let digits = digits.and_then(|two| std::str::from_utf8(two).ok());
                    if let Some(byte) = digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
                        self.at += 2;
                        self.byte(byte);
                    }
                }
                b'*' => self.group().hidden = true,
                b'~' => self.sign('\u{a0}'),
                b'_' => self.sign('-'),
                b'\\' | b'{' | b'}' => self.byte(first),
                b'\r' | b'\n' => self.end_of_paragraph(draft)?,
                _ => {}
            }
            return Ok(());
        }
        let rest = &self.bytes[self.at..];
        let letters = rest.iter().take(32).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = std::str::from_utf8(&rest[..letters]).unwrap_or_default();
        let signed = usize::from(rest.get(letters) == Some(&b'-'));
        let digits =
            rest[letters + signed..].iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
        let end = if digits == 0 { letters } else { letters + signed + digits };
        let number =
            std::str::from_utf8(&rest[letters..end]).ok().and_then(|number| number.parse::<i64>().ok());
        self.at += end + usize::from(rest.get(end) == Some(&b' '));
        self.word(word, number, draft)
    }

    fn word(&mut self, word: &str, number: Option<i64>, draft: &mut Draft<'_>) -> Result<(), ReadError> {
        match word {
            "par" | "sect" | "page" => self.end_of_paragraph(draft)?,
            "line" | "lbr" => self.sign('\n'),
            "tab" => self.sign('\t'),
            "emdash" => self.sign('—'),
            "endash" => self.sign('–'),
            "lquote" => self.sign('‘'),
            "rquote" => self.sign('’'),
            "ldblquote" => self.sign('“'),
            "rdblquote" => self.sign('”'),
            "bullet" => self.sign('•'),
            "trowd" => {
                self.flush();
                if self.cell.is_none() {
                    self.end_paragraph(draft)?;
                    self.row += 1;
                    self.row_has_text = false;
                    self.cell = Some(1);
                }
            }
            "cell" => {
                self.flush();
                self.end_paragraph(draft)?;
                self.cell = Some(self.cell.unwrap_or(1) + 1);
            }
            "row" => {
                self.flush();
                self.end_paragraph(draft)?;
                self.cell = None;
            }
            "u" => self.unicode(number.unwrap_or(0)),
            "uc" => self.group().skips = usize::try_from(number.unwrap_or(1)).unwrap_or(1).min(16),
            "bin" => {
                self.at = self
                    .at
                    .saturating_add(usize::try_from(number.unwrap_or(0)).unwrap_or(0))
                    .min(self.bytes.len())
            }
            "ansicpg" => self.page = number.and_then(code_page).unwrap_or(self.page),
            "mac" => self.page = encoding_rs::MACINTOSH,
            "fonttbl" => {
                self.group().hidden = true;
                self.in_font_table = true;
            }
            "f" if self.in_font_table => self.font = number.unwrap_or(0),
            "fcharset" if self.in_font_table => {
                if let Some(page) = number.and_then(charset) {
                    self.fonts.entry(self.font).or_insert(page);
                }
            }
            "f" => {
                self.flush();
                self.group().page = number.and_then(|font| self.fonts.get(&font).copied());
            }
            "plain" => {
                self.flush();
                self.group().page = None;
            }
            "v" | "deleted" => {
                self.flush();
                self.group().hidden = number != Some(0);
            }
            "footnote" => {
                self.flush();
                self.group().hidden = false;
                let before = std::mem::take(&mut self.text);
                self.footnotes.push((self.groups.len(), before));
            }
            "colortbl" | "stylesheet" | "info" | "pict" | "object" | "header" | "headerl" | "headerr"
            | "headerf" | "footer" | "footerl" | "footerr" | "footerf" | "listtable"
            | "listoverridetable" | "revtbl" | "rsidtbl" | "fldinst" | "themedata" | "datastore"
            | "generator" | "xmlnstbl" | "pntext" | "listtext" | "shppict" | "nonshppict" | "annotation"
            | "atnid" | "atnauthor" => self.group().hidden = true,
            _ => {}
        }
        Ok(())
    }

    fn unicode(&mut self, number: i64) {
        self.flush();
        let unit = u16::try_from(number.rem_euclid(65_536)).unwrap_or(0xfffd);
        self.to_skip = self.group().skips;
        if self.group().hidden {
            return;
        }
        match (self.high.take(), unit) {
            (_, 0xd800..=0xdbff) => self.high = Some(unit),
            (Some(high), unit) => {
                self.text.extend(char::decode_utf16([high, unit]).map(|c| c.unwrap_or('\u{fffd}')))
            }
            (None, unit) => self.text.push(char::from_u32(unit.into()).unwrap_or('\u{fffd}')),
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.to_skip > 0 {
            self.to_skip -= 1;
        } else if !self.group().hidden {
            self.pending.push(byte);
        }
    }

    fn sign(&mut self, sign: char) {
        self.flush();
        if !self.group().hidden {
            self.text.push(sign);
        }
    }

    /// Decodes the bytes that wait: two of them may be one letter.
    fn flush(&mut self) {
        self.to_skip = 0;
        if !self.pending.is_empty() {
            let page = self.group().page.unwrap_or(self.page);
            let bytes = std::mem::take(&mut self.pending);
            self.text.push_str(&page.decode_without_bom_handling(&bytes).0);
        }
    }

    fn end_of_paragraph(&mut self, draft: &mut Draft<'_>) -> Result<(), ReadError> {
        self.flush();
        if self.group().hidden {
            return Ok(());
        }
        // Cells and notes may hold several paragraphs.
        if self.cell.is_some() || !self.footnotes.is_empty() {
            self.text.push('\n');
            return Ok(());
        }
        self.end_paragraph(draft)
    }

    fn end_paragraph(&mut self, draft: &mut Draft<'_>) -> Result<(), ReadError> {
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() {
            return Ok(());
        }
        if let Some(column) = self.cell {
            let place = Place { table: Some(1), cell: Some(cell_name(self.row, column)), ..Place::default() };
            let goes_on = std::mem::replace(&mut self.row_has_text, true);
            return if goes_on { draft.further(" | ", &text, place) } else { draft.paragraph(&text, place) };
        }
        self.paragraph += 1;
        draft.paragraph(&text, Place::paragraph(self.paragraph))
    }
}

fn code_page(number: i64) -> Option<&'static Encoding> {
    let label = match number {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        10_000 => "macintosh".to_owned(),
        65_001 => "utf-8".to_owned(),
        866 => "ibm866".to_owned(),
        number => format!("windows-{number}"),
    };
    Encoding::for_label(label.as_bytes())
}

/// The code page of a font's character set.
fn charset(number: i64) -> Option<&'static Encoding> {
    code_page(match number {
        0 => 1252,
        77 => 10_000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rtf: &str) -> String {
        let read = read(rtf.as_bytes(), &Hints::default(), &Limits::default()).expect("is sound");
        String::from(read.interaction.turns()[0].content.clone())
    }

    #[test]
    fn text_of_groups() {
        let rtf = r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Cyr;}}{\*\generator X;}\f0 Gr\'fc\'dfe, {\b bold} {\v hidden}text\par {\f1 \'cf\'f0\'e8}\u8364? \{x\}\line y\par}";
        assert_eq!(text(rtf), "Grüße, bold text\n\nПри€ {x}\ny");
        assert_eq!(text(r"{\rtf1 a{\footnote\footnote b}c\par d}"), "ac\n\nd\n\nb");
        assert_eq!(text(r"{\rtf1 a{\footnote b"), "a\n\nb");
        assert_eq!(text(r"{\rtf1 a\'+fb}"), "a+fb", "a sign is no digit");
        assert_eq!(text(r"{\rtf1 \uc2\u-10179\'ff\'ff\u-8704\'ff\'ff!}"), "😀!");
        assert_eq!(
            text(r"{\rtf1 a{\footnote b\par}c\par\trowd\cellx1 d\cell e\cell\row f\par}"),
            "ac\n\nd | e\n\nf\n\nb"
        );
    }
}
