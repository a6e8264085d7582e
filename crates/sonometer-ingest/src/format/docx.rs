//! Word documents: paragraphs, tables, notes; what was deleted or hidden is left out.

use super::archive::Archive;
use super::table::cell_name;
use super::xml::{Node, Walk, attribute};
use crate::draft::Draft;
use crate::error::ReadError;
use crate::map::Place;
use crate::{Hints, Ingested, Kind, Limits};
use quick_xml::events::BytesStart;
use std::collections::BTreeMap;

const BODY: &str = "word/document.xml";

/// Reads it.
pub(super) fn read(bytes: &[u8], hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let mut archive = Archive::open(bytes, limits)?;
    let names = archive.names();
    let body = match names.iter().any(|name| name == BODY) {
        true => BODY.to_owned(),
        // Some programs number it.
        false => names
            .iter()
            .find(|name| name.starts_with("word/document") && name.ends_with(".xml"))
            .cloned()
            .unwrap_or_else(|| BODY.to_owned()),
    };
    let text = archive.needed(&body)?;
    let mut draft = Draft::new(limits);
    let mut story = Story::new(&mut draft, limits);
    story.has_pages = text.contains("<w:lastRenderedPageBreak");
    story.walk(&body, &text, None)?;
    let references = std::mem::take(&mut story.references);
    for (kind, part) in [("footnote", "word/footnotes.xml"), ("endnote", "word/endnotes.xml")] {
        // The number of each, by its first reference.
        let mut order = BTreeMap::new();
        for (_, id) in references.iter().filter(|(of, _)| *of == kind) {
            let next = order.len() + 1;
            order.entry(id.clone()).or_insert(next);
        }
        if order.is_empty() {
            continue;
        }
        if let Some(text) = archive.text(part)? {
            Story::new(&mut draft, limits).walk(part, &text, Some((kind, &order)))?;
        }
    }
    let remarks = archive.text("word/comments.xml")?.unwrap_or_default();
    if remarks.contains("<w:comment ") {
        draft.note("left out the comments in the margin");
    }
    draft.finish(Kind::Docx, hints)
}

/// The kind of notes that is read, and the number of each by its id; `None` in the body.
type Notes<'n> = Option<(&'n str, &'n BTreeMap<String, usize>)>;

/// A flow of paragraphs: the body, or the notes.
struct Story<'d, 'l> {
    draft: &'d mut Draft<'l>,
    limits: &'l Limits,
    /// Paragraphs that are open: one, and those in the text boxes in it.
    open: Vec<String>,
    /// Elements that are open, by the part of their names that matters.
    path: Vec<Tag>,
    /// Whether the run is hidden.
    hidden: bool,
    has_pages: bool,
    page: u32,
    paragraph: u32,
    tables: u32,
    cells: usize,
    /// Tables that are open: number, row, column, whether the row has text.
    table: Vec<(u32, u32, u32, bool)>,
    /// References to notes, in their order.
    references: Vec<(&'static str, String)>,
    /// The note that is read.
    note: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag {
    Paragraph,
    Run,
    Text,
    Table,
    Row,
    Cell,
    Note,
    Other,
}

impl<'d, 'l> Story<'d, 'l> {
    fn new(draft: &'d mut Draft<'l>, limits: &'l Limits) -> Self {
        Self {
            draft,
            limits,
            open: Vec::new(),
            path: Vec::new(),
            hidden: false,
            has_pages: false,
            page: 1,
            paragraph: 0,
            tables: 0,
            cells: 0,
            table: Vec::new(),
            references: Vec::new(),
            note: None,
        }
    }

    /// Goes through a part; of notes, only through those that are referred to.
    fn walk(&mut self, part: &str, text: &str, notes: Notes<'_>) -> Result<(), ReadError> {
        let mut walk = Walk::new(part, text, self.limits.depth);
        loop {
            match walk.next()? {
                Node::End => return Ok(()),
                Node::Text(text) => {
                    if self.path.last() == Some(&Tag::Text)
                        && !self.hidden
                        && let Some(open) = self.open.last_mut()
                    {
                        open.push_str(&text);
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
                    let opened = self.tag(&tag, notes)?;
                    if opened == Some(Tag::Note) && self.note.is_none() {
                        if !is_empty {
                            walk.skip()?;
                        }
                    } else if let Some(opened) = opened {
                        if is_empty { self.close(opened)? } else { self.path.push(opened) }
                    }
                }
            }
        }
    }

    /// What an element is; `None` for one that ends at once and says all by itself.
    fn tag(&mut self, tag: &BytesStart<'_>, notes: Notes<'_>) -> Result<Option<Tag>, ReadError> {
        let value = |name: &str| attribute(tag, name);
        Ok(Some(match tag.name().as_ref() {
            "w:p" => {
                self.open.push(String::new());
                Tag::Paragraph
            }
            "w:r" => {
                self.hidden = false;
                Tag::Run
            }
            "w:vanish" | "w:webHidden" => {
                self.hidden = !matches!(value("w:val").as_deref(), Some("0" | "false" | "off"));
                Tag::Other
            }
            "w:t" => Tag::Text,
            "w:tab" | "w:ptab" if self.path.last() == Some(&Tag::Run) => self.sign('\t'),
            "w:br" | "w:cr" => self.sign('\n'),
            "w:noBreakHyphen" => self.sign('-'),
            "w:lastRenderedPageBreak" => {
                self.page += 1;
                Tag::Other
            }
            "w:tbl" => {
                self.tables += 1;
                self.table.push((self.tables, 0, 0, false));
                Tag::Table
            }
            "w:tr" => {
                if let Some((_, row, column, has_text)) = self.table.last_mut() {
                    (*row, *column, *has_text) = (*row + 1, 0, false);
                }
                Tag::Row
            }
            "w:tc" => {
                self.cells += 1;
                if self.cells > self.limits.cells {
                    return Err(ReadError::too_large("", "the tables have more cells", self.limits.cells));
                }
                if let Some((_, _, column, _)) = self.table.last_mut() {
                    *column += 1;
                }
                Tag::Cell
            }
            "w:footnoteReference" => self.reference("footnote", value("w:id")),
            "w:endnoteReference" => self.reference("endnote", value("w:id")),
            "w:footnote" | "w:endnote" => {
                let at = notes.and_then(|(kind, order)| {
                    let id = value("w:id")?;
                    Some((kind, order.get(&id)?))
                });
                self.note = at.map(|(kind, number)| format!("{kind} {number}"));
                self.paragraph = 0;
                Tag::Note
            }
            _ => Tag::Other,
        }))
    }

    fn sign(&mut self, sign: char) -> Tag {
        if !self.hidden
            && let Some(open) = self.open.last_mut()
        {
            open.push(sign);
        }
        Tag::Other
    }

    fn reference(&mut self, kind: &'static str, id: Option<String>) -> Tag {
        self.references.extend(id.map(|id| (kind, id)));
        Tag::Other
    }

    fn close(&mut self, tag: Tag) -> Result<(), ReadError> {
        match tag {
            Tag::Paragraph => {
                let text = self.open.pop().unwrap_or_default();
                self.end_paragraph(text.trim())
            }
            Tag::Table => {
                self.table.pop();
                Ok(())
            }
            Tag::Run => {
                self.hidden = false;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn end_paragraph(&mut self, text: &str) -> Result<(), ReadError> {
        if text.is_empty() {
            return Ok(());
        }
        let page = self.has_pages.then_some(self.page);
        if let Some((table, row, column, has_text)) = self.table.last_mut() {
            let place =
                Place { page, table: Some(*table), cell: Some(cell_name(*row, *column)), ..Place::default() };
            let goes_on = std::mem::replace(has_text, true) && *column > 1;
            return if goes_on {
                self.draft.further(" | ", text, place)
            } else {
                self.draft.paragraph(text, place)
            };
        }
        self.paragraph += 1;
        let place = match &self.note {
            Some(note) => Place { part: Some(note.as_str().into()), ..Place::default() },
            None => Place { page, paragraph: Some(self.paragraph), ..Place::default() },
        };
        self.draft.paragraph(text, place)
    }
}

/// What stands beside the text as it is: what was moved away, a second form of the same, pictures' data, formulas' marks.
fn is_left_out(name: &str) -> bool {
    matches!(name, "w:del" | "w:moveFrom" | "mc:Fallback" | "w:pict" | "w:object" | "w:instrText" | "w:sdtPr")
}
