//! The readers, one file per format.

pub(crate) mod captions;
pub(crate) mod chat;
pub(crate) mod interaction;
pub(crate) mod timed;
pub(crate) mod turns;
pub(crate) mod whatsapp;

#[cfg(feature = "documents")]
mod archive;
#[cfg(feature = "documents")]
mod csv;
#[cfg(feature = "documents")]
mod docx;
#[cfg(feature = "documents")]
mod flow;
#[cfg(feature = "documents")]
pub(crate) mod html;
#[cfg(feature = "documents")]
mod mail;
#[cfg(feature = "documents")]
mod markdown;
#[cfg(feature = "documents")]
mod odt;
#[cfg(feature = "documents")]
pub(crate) mod pdf;
#[cfg(feature = "documents")]
mod rtf;
#[cfg(feature = "documents")]
mod sheet;
#[cfg(feature = "documents")]
mod table;
#[cfg(feature = "documents")]
mod xml;

use crate::draft::Draft;
use crate::error::{ReadError, Reason};
use crate::map::Place;
use crate::{Hints, Ingested, Kind, Limits, text};

/// Reads bytes as what they are.
pub(crate) fn read(kind: Kind, bytes: &[u8], hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    check(kind, hints)?;
    match kind {
        Kind::Text => written(bytes, |text| plain(text, hints, limits)),
        Kind::Turns => written(bytes, |text| turns::turns(text, hints, limits)),
        Kind::Timed => written(bytes, |text| timed::read(text, hints, limits)),
        Kind::Vtt => written(bytes, |text| captions::vtt(text, hints, limits)),
        Kind::Srt => written(bytes, |text| captions::srt(text, hints, limits)),
        Kind::WhatsApp => written(bytes, |text| whatsapp::read(text, hints, limits)),
        Kind::Chat => written(bytes, |text| chat::read(text, hints, limits)),
        Kind::Speech => written(bytes, |text| crate::audio::alone(text, hints, limits)),
        Kind::Json => written(bytes, interaction::read),
        Kind::Jsonl => Err(ReadError::new(
            Reason::Unsupported,
            "",
            "the file has one interaction on each line; read its lines one by one",
        )),
        Kind::Audio => Err(crate::audio::without_words()),
        #[cfg(feature = "documents")]
        _ => document(kind, bytes, hints, limits),
        #[cfg(not(feature = "documents"))]
        _ => Err(ReadError::new(
            Reason::Unsupported,
            "",
            format!(
                "the file is {}, which this build cannot read; build it with the feature `documents`",
                kind.shown()
            ),
        )),
    }
}

#[cfg(feature = "documents")]
fn document(kind: Kind, bytes: &[u8], hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    match kind {
        Kind::Pdf => pdf::read(bytes, hints, limits),
        Kind::Docx => docx::read(bytes, hints, limits),
        Kind::Odt => odt::read(bytes, hints, limits),
        Kind::Html => html::read(bytes, hints, limits),
        Kind::Rtf => rtf::read(bytes, hints, limits),
        Kind::Mail => mail::read(bytes, hints, limits),
        Kind::Sheet => sheet::read(bytes, hints, limits),
        Kind::Csv => written(bytes, |text| csv::read(text, hints, limits)),
        Kind::Markdown => written(bytes, |text| markdown::read(text, hints, limits)),
        _ => Err(ReadError::new(Reason::Unsupported, "", "this kind of file is not a document")),
    }
}

/// Hints that do not fit the kind are refused: nothing is accepted and ignored.
fn check(kind: Kind, hints: &Hints) -> Result<(), ReadError> {
    let refuse = |what: &str, of: &str| {
        let message = format!("`{what}` applies to {of} only, and this file is {}; remove it", kind.shown());
        Err(ReadError::new(Reason::Hint, "", message))
    };
    let is_table = matches!(kind, Kind::Sheet | Kind::Csv);
    if (hints.column.is_some() || hints.role_column.is_some()) && !is_table {
        return refuse("column", "tables");
    }
    if hints.role_column.is_some() && hints.column.is_none() {
        let message = "`role-column` needs `column`: give the column with the text, too";
        return Err(ReadError::new(Reason::Hint, "", message));
    }
    if hints.sheet.is_some() && kind != Kind::Sheet {
        return refuse("sheet", "workbooks");
    }
    Ok(())
}

/// Reads a text of whatever encoding.
fn written(
    bytes: &[u8],
    read: impl FnOnce(&str) -> Result<Ingested, ReadError>,
) -> Result<Ingested, ReadError> {
    let decoded = text::decode(bytes)?;
    let mut read = read(&decoded.text)?;
    read.notes.splice(0..0, decoded.note);
    Ok(read)
}

/// A text as it stands.
fn plain(text: &str, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let mut draft = Draft::new(limits);
    draft.lines(text, Place::line(1))?;
    draft.finish(Kind::Text, hints)
}

/// A text with single spaces in the place of all white space.
#[cfg(feature = "documents")]
pub(crate) fn collapsed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() && c != '\u{a0}') {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}
