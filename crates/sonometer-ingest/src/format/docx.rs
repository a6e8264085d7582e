//! Word documents: paragraphs, tables, notes; what was deleted or hidden is left out.

use super::archive::Archive;
use super::flow::Flow;
use super::xml::{Node, Walk, attribute};
use crate::draft::Draft;
use crate::error::ReadError;
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
    let mut story =
        Story::new(Flow::new(&mut draft, limits, text.contains("<w:lastRenderedPageBreak")), limits);
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
            Story::new(Flow::new(&mut draft, limits, false), limits).walk(
                part,
                &text,
                Some((kind, &order)),
            )?;
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
    flow: Flow<'d, 'l>,
    limits: &'l Limits,
    /// Paragraphs that are open: one, and those in the text boxes in it.
    open: Vec<String>,
    /// Elements that are open, by the part of their names that matters.
    path: Vec<Tag>,
    /// Whether the run is hidden.
    hidden: bool,
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
    fn new(flow: Flow<'d, 'l>, limits: &'l Limits) -> Self {
        Self {
            flow,
            limits,
            open: Vec::new(),
            path: Vec::new(),
            hidden: false,
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
                self.flow.next_page();
                Tag::Other
            }
            "w:tbl" => {
                self.flow.begin_table();
                Tag::Table
            }
            "w:tr" => {
                self.flow.begin_row();
                Tag::Row
            }
            "w:tc" => {
                self.flow.begin_cell(1)?;
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
                self.flow.tell(&text, self.note.as_deref())
            }
            Tag::Table => {
                self.flow.end_table();
                Ok(())
            }
            Tag::Run => {
                self.hidden = false;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// What stands beside the text as it is: what was moved away, a second form of the same, pictures' data, formulas' marks.
fn is_left_out(name: &str) -> bool {
    matches!(name, "w:del" | "w:moveFrom" | "mc:Fallback" | "w:pict" | "w:object" | "w:instrText" | "w:sdtPr")
}
