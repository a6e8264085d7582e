//! PDF: lines with their boxes from poppler's `pdftotext` where it is installed, else from the built-in reader; paragraphs are ours.

#[cfg(feature = "pdf")]
mod builtin;
mod layout;
#[cfg(feature = "pdf")]
mod letters;
#[cfg(feature = "pdf")]
mod operators;
mod poppler;
mod tidy;

use crate::draft::Draft;
use crate::error::{ReadError, Reason};
use crate::map::Place;
use crate::{Hints, Ingested, Kind, Limits};

/// A line of a page; places are in points from the top left.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    text: String,
    /// The block of the page that the line belongs to.
    block: usize,
}

/// The lines of a page, in reading order.
#[derive(Clone, Debug, Default, PartialEq)]
struct Page {
    height: f64,
    lines: Vec<Line>,
}

/// Reads it.
pub(super) fn read(bytes: &[u8], hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let mut draft = Draft::new(limits);
    let found = if hints.builtin_pdf { None } else { poppler::pages(bytes, limits)? };
    let pages = match found {
        Some(pages) => pages,
        None => builtin(bytes, limits, &mut draft)?,
    };
    told(pages, draft, hints)
}

/// What poppler's program printed, for the fuzzer.
#[cfg(feature = "fuzzing")]
pub(crate) fn of_poppler(printed: &[u8], hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    told(poppler::parse(printed, limits)?, Draft::new(limits), hints)
}

/// The text of pages, by paragraphs.
fn told(mut pages: Vec<Page>, mut draft: Draft<'_>, hints: &Hints) -> Result<Ingested, ReadError> {
    let with_text = pages.iter().filter(|page| !page.lines.is_empty()).count();
    if with_text == 0 {
        let count = pages.len();
        let message = format!(
            "the PDF has {count} page{} but no text, as in a scan; recognise its text (OCR) and give that",
            if count == 1 { "" } else { "s" }
        );
        return Err(ReadError::new(Reason::NoText, "", message));
    }
    if with_text < pages.len() {
        draft.note(format!("{} of {} pages have no text", pages.len() - with_text, pages.len()));
    }
    let repeated = tidy::drop_repeated(&mut pages);
    if repeated > 0 {
        draft.note(format!(
            "left out {repeated} lines repeated on many pages (headers, footers, page numbers)"
        ));
    }
    for paragraph in layout::paragraphs(&pages, hints.turns) {
        for (number, part) in paragraph.iter().enumerate() {
            let place = Place { page: Some(part.page), paragraph: Some(part.number), ..Place::default() };
            if number == 0 {
                draft.paragraph(&part.text, place)?
            } else {
                draft.further(part.between, &part.text, place)?
            }
        }
    }
    draft.finish(Kind::Pdf, hints)
}

#[cfg(feature = "pdf")]
fn builtin(bytes: &[u8], limits: &Limits, draft: &mut Draft<'_>) -> Result<Vec<Page>, ReadError> {
    let (pages, failed) = builtin::pages(bytes, limits)?;
    if failed > 0 {
        draft.note(format!("the built-in reader read only a part of {failed} of {} pages", pages.len()));
    }
    draft.note(
        "read with the built-in reader, which makes mistakes with some scripts and layouts; for better text \
                install poppler's `pdftotext`",
    );
    Ok(pages)
}

#[cfg(not(feature = "pdf"))]
fn builtin(_: &[u8], _: &Limits, _: &mut Draft<'_>) -> Result<Vec<Page>, ReadError> {
    let message = "this build needs poppler's `pdftotext` to read PDF, which is missing or cannot read the file; install poppler-utils";
    Err(ReadError::new(Reason::Unsupported, "", message))
}

/// A document that asks for a password.
fn encrypted() -> ReadError {
    ReadError::new(Reason::Encrypted, "", "the PDF has a password; save it without one")
}
