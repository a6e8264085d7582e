//! OpenDocument texts: paragraphs, tables, notes; what was deleted or hidden is left out.

use super::archive::Archive;
use super::flow::Flow;
use super::xml::{Node, Walk, attribute};
use crate::draft::Draft;
use crate::error::{ReadError, Reason};
use crate::map::Place;
use crate::{Hints, Ingested, Kind, Limits};
use quick_xml::events::BytesStart;

const BODY: &str = "content.xml";

/// Reads it.
pub(super) fn read(bytes: &[u8], hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let mut archive = Archive::open(bytes, limits)?;
    let manifest = archive.text("META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(ReadError::new(
            Reason::Encrypted,
            "",
            "the document has a password; save it without one",
        ));
    }
    let text = archive.needed(BODY)?;
    let mut draft = Draft::new(limits);
    let mut story = Story {
        flow: Flow::new(&mut draft, limits, text.contains("<text:soft-page-break")),
        limits,
        path: Vec::new(),
        open: Vec::new(),
        note: None,
        notes: Vec::new(),
    };
    story.walk(&text)?;
    let notes = story.notes;
    for (number, text) in (1..).zip(notes) {
        let place = Place { part: Some(format!("footnote {number}").into()), ..Place::default() };
        draft.paragraph(&text, place)?;
    }
    draft.finish(Kind::Odt, hints)
}

/// The running text.
struct Story<'d, 'l> {
    flow: Flow<'d, 'l>,
    limits: &'l Limits,
    /// Elements that are open, by the part of their names that matters.
    path: Vec<Tag>,
    /// Paragraphs that are open: one, and those in the boxes and notes in it.
    open: Vec<String>,
    /// The note that is open, as far as it goes.
    note: Option<String>,
    /// Notes, told behind the running text.
    notes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag {
    Paragraph,
    Note,
    Table,
    Other,
}

impl Story<'_, '_> {
    fn walk(&mut self, text: &str) -> Result<(), ReadError> {
        let mut walk = Walk::new(BODY, text, self.limits.depth);
        loop {
            match walk.next()? {
                Node::End => return Ok(()),
                // Only paragraphs hold text; what stands between elements is layout.
                Node::Text(text) => {
                    if let Some(open) = self.open.last_mut() {
                        push_collapsed(open, &text);
                    }
                }
                Node::Close => {
                    if let Some(tag) = self.path.pop() {
                        self.close(tag)?;
                    }
                }
                Node::Open { tag, is_empty } => {
                    if !is_empty && is_left_out(tag.name().as_ref()) {
                        walk.skip()?;
                        continue;
                    }
                    let opened = self.tag(&tag)?;
                    if is_empty { self.close(opened)? } else { self.path.push(opened) }
                }
            }
        }
    }

    fn tag(&mut self, tag: &BytesStart<'_>) -> Result<Tag, ReadError> {
        let count =
            |name: &str| attribute(tag, name).and_then(|count| count.parse::<u32>().ok()).unwrap_or(1);
        Ok(match tag.name().as_ref() {
            "text:p" | "text:h" => {
                self.open.push(String::new());
                Tag::Paragraph
            }
            "text:s" => self.sign(' '),
            "text:tab" => self.sign('\t'),
            "text:line-break" => self.sign('\n'),
            "text:soft-page-break" => {
                self.flow.next_page();
                Tag::Other
            }
            "text:note" => {
                self.note = Some(String::new());
                Tag::Note
            }
            "table:table" => {
                self.flow.begin_table();
                Tag::Table
            }
            "table:table-row" => {
                self.flow.begin_row();
                Tag::Other
            }
            "table:table-cell" | "table:covered-table-cell" => {
                self.flow.begin_cell(count("table:number-columns-repeated").max(1))?;
                Tag::Other
            }
            _ => Tag::Other,
        })
    }

    fn sign(&mut self, sign: char) -> Tag {
        if let Some(open) = self.open.last_mut() {
            open.push(sign);
        }
        Tag::Other
    }

    fn close(&mut self, tag: Tag) -> Result<(), ReadError> {
        match tag {
            Tag::Paragraph => {
                let text = self.open.pop().unwrap_or_default();
                self.end_paragraph(text.trim())?;
            }
            Tag::Note => self.notes.extend(self.note.take().filter(|note| !note.is_empty())),
            Tag::Table => {
                self.flow.end_table();
            }
            Tag::Other => {}
        }
        Ok(())
    }

    fn end_paragraph(&mut self, text: &str) -> Result<(), ReadError> {
        let Some(note) = self.note.as_mut().filter(|_| !text.is_empty()) else {
            return self.flow.tell(text, None);
        };
        if !note.is_empty() {
            note.push_str("\n\n");
        }
        note.push_str(text);
        Ok(())
    }
}

/// White space of the file is one space; spaces that count are elements.
fn push_collapsed(into: &mut String, text: &str) {
    for c in text.chars() {
        if !matches!(c, ' ' | '\t' | '\r' | '\n') {
            into.push(c);
        } else if !into.ends_with([' ', '\n', '\t']) {
            into.push(' ');
        }
    }
}

/// What stands beside the text as it is: deleted text, remarks, titles of pictures, marks of notes, hidden text.
fn is_left_out(name: &str) -> bool {
    matches!(
        name,
        "text:tracked-changes"
            | "office:annotation"
            | "svg:title"
            | "svg:desc"
            | "text:note-citation"
            | "text:hidden-text"
            | "text:ruby-text"
            | "office:forms"
            | "office:automatic-styles"
            | "office:font-face-decls"
            | "text:index-title-template"
    )
}
