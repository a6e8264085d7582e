//! Markdown: its text without its marks.

use super::html;
use crate::draft::Draft;
use crate::error::ReadError;
use crate::map::Place;
use crate::{Hints, Ingested, Kind, Limits};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Reads it.
pub(super) fn read(text: &str, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let mut draft = Draft::new(limits);
    let lines: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line_of =
        |offset: usize| u32::try_from(lines.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut block = Block::default();
    let mut skipped = 0_usize;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        if event == Event::Start(Tag::HtmlBlock) {
            // Tables and the like that are written as HTML.
            block.tell(&mut draft)?;
            let first = line_of(range.start);
            let page = text.get(range).unwrap_or_default();
            html::tell(page, &mut draft, |_, line| {
                Place::line(first.saturating_add(line.saturating_sub(1)))
            })?;
            skipped += 1;
            continue;
        }
        let begins_hidden = matches!(event, Event::Start(Tag::MetadataBlock(_)));
        let ends_hidden = matches!(event, Event::End(TagEnd::MetadataBlock(_) | TagEnd::HtmlBlock));
        if begins_hidden || ends_hidden {
            block.tell(&mut draft)?;
            skipped = if begins_hidden { skipped + 1 } else { skipped.saturating_sub(1) };
            continue;
        }
        if skipped > 0 {
            continue;
        }
        match event {
            Event::Text(part) | Event::Code(part) => block.text(&part, || line_of(range.start)),
            Event::SoftBreak => block.text(" ", || line_of(range.start)),
            Event::HardBreak => block.text("\n", || line_of(range.start)),
            Event::Start(Tag::TableRow | Tag::TableHead) => {
                block.tell(&mut draft)?;
                block.row_has_cells = false;
            }
            Event::Start(Tag::TableCell) => {
                block.tell(&mut draft)?;
                block.goes_on = std::mem::replace(&mut block.row_has_cells, true);
            }
            Event::Start(tag) if !is_inline(&tag.to_end()) => block.tell(&mut draft)?,
            Event::End(tag) if !is_inline(&tag) => block.tell(&mut draft)?,
            Event::Rule => block.tell(&mut draft)?,
            _ => {}
        }
    }
    block.tell(&mut draft)?;
    draft.finish(Kind::Markdown, hints)
}

fn is_inline(tag: &TagEnd) -> bool {
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// A paragraph, heading, item or cell that is open.
#[derive(Default)]
struct Block {
    text: String,
    line: u32,
    goes_on: bool,
    row_has_cells: bool,
}

impl Block {
    fn text(&mut self, text: &str, line: impl Fn() -> u32) {
        if self.text.is_empty() {
            self.line = line();
        }
        self.text.push_str(text);
    }

    fn tell(&mut self, draft: &mut Draft<'_>) -> Result<(), ReadError> {
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() {
            return Ok(());
        }
        let between = if std::mem::take(&mut self.goes_on) { " | " } else { "\n\n" };
        draft.further(between, &text, Place::line(self.line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_marks_at_its_lines() {
        let text = "---\ntitle: x\n---\n# One *two*\n\nA [link](http://a.b) and\n`code`.\n\n- i\n- j\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<table>\n<tr><td>c</td>\n<td>d <!-- hidden --></td></tr>\n</table>\n\n```\nlet x;\n```\n";
        let read = read(text, &Hints::default(), &Limits::default()).expect("is sound");
        let content = &read.interaction.turns()[0].content;
        assert_eq!(&**content, "One two\n\nA link and code.\n\ni\n\nj\n\na | b\n\n1 | 2\n\nc | d\n\nlet x;");
        let line =
            |word: &str| read.place(0, content.find(word).expect("is there")).expect("has a place").line;
        assert_eq!(
            [line("One"), line("link"), line("j"), line("1"), line("| d"), line("let")],
            [4, 6, 10, 14, 17, 22].map(Some)
        );
    }
}
