//! Lines by the built-in reader, from the places of letters in the order in which the file draws them.

use super::{Line, Page, encrypted, letters, operators, tidy};
use crate::Limits;
use crate::error::ReadError;
use pdf_extract::{Document, MediaBox, OutputDev, OutputError, Transform, output_doc_page};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The pages, and how many of them end too early.
pub(super) fn pages(bytes: &[u8], limits: &Limits) -> Result<(Vec<Page>, usize), ReadError> {
    let mut document = Document::load_mem(bytes)
        .map_err(|error| ReadError::broken("", format!("the PDF cannot be read: {error}")))?;
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(encrypted());
    }
    let numbers: Vec<u32> = document.get_pages().keys().copied().collect();
    if numbers.len() > limits.pages {
        return Err(ReadError::too_large("", format!("the PDF has {} pages", numbers.len()), limits.pages));
    }
    let mut pages = Vec::new();
    let (mut failed, mut bytes) = (0, 0);
    operators::known(&mut document);
    letters::known(&mut document);
    for number in numbers {
        let mut letters = Letters { most: limits.text_bytes - bytes, ..Letters::default() };
        // The library panics on what it does not expect.
        let done =
            catch_unwind(AssertUnwindSafe(|| output_doc_page(&document, &mut letters, number).is_ok()));
        failed += usize::from(!done.unwrap_or(false));
        letters.end_line();
        if letters.bytes >= letters.most {
            return Err(ReadError::too_large("", "the PDF has too many bytes of text", limits.text_bytes));
        }
        bytes += letters.bytes;
        pages.push(letters.page);
    }
    if failed > 0 && failed == pages.len() {
        return Err(ReadError::broken("", "no page of the PDF can be read"));
    }
    Ok((pages, failed))
}

/// Letters as they come, and the lines they make.
#[derive(Default)]
struct Letters {
    page: Page,
    words: Vec<String>,
    /// The line that is open.
    left: f64,
    right: f64,
    baseline: f64,
    size: f64,
    block: usize,
    bytes: usize,
    most: usize,
    base: f64,
}

impl Letters {
    fn end_line(&mut self) {
        let mut words = std::mem::take(&mut self.words);
        words.retain(|word| !tidy::plain(word).is_empty());
        let text = tidy::ordered(&words);
        if text.trim().is_empty() {
            return;
        }
        let (top, bottom) = (self.baseline - self.size * 0.9, self.baseline + self.size * 0.25);
        // What stands higher than the line before begins a column.
        let begins_column = self.page.lines.last().is_none_or(|last| top < last.top - self.size * 0.5);
        self.block += usize::from(begins_column);
        let line = Line { left: self.left, right: self.right, top, bottom, text, block: self.block };
        self.page.lines.push(line);
    }
}

impl OutputDev for Letters {
    fn begin_page(
        &mut self,
        _: u32,
        sheet: &MediaBox,
        _: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        self.page.height = sheet.ury - sheet.lly;
        self.base = sheet.ury;
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        _: f64,
        font_size: f64,
        text: &str,
    ) -> Result<(), OutputError> {
        self.bytes += text.len();
        if self.bytes >= self.most {
            return Err(OutputError::PdfError(pdf_extract::Error::Unimplemented("too much text")));
        }
        let size = (font_size * place.m21.hypot(place.m22)).abs().max(0.1);
        let (x, y) = (place.m31, self.base - place.m32);
        if !(x.is_finite() && y.is_finite() && size.is_finite()) {
            return Ok(());
        }
        let moved =
            (y - self.baseline).abs() > size * 0.5 || x < self.left - size || x < self.right - size * 3.0;
        if moved && !self.words.is_empty() {
            self.end_line();
        }
        let is_first = self.words.is_empty();
        if is_first {
            (self.left, self.baseline, self.size) = (x, y, size);
        }
        let is_space = text.chars().all(char::is_whitespace);
        if is_first || is_space || x > self.right + size * 0.15 {
            self.words.push(String::new());
        }
        self.right = x + width * size;
        if let (false, Some(word)) = (is_space, self.words.last_mut()) {
            // Letters stand as they are seen, from left to right; those of one joined sign come as they are read.
            if tidy::is_from_right(text) {
                word.push_str(&tidy::turned(text));
            } else {
                word.push_str(text);
            }
        }
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}
