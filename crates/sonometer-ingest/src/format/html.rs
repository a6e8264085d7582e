//! Web pages, by their tags in the order in which they come: no tree is built, so depth costs nothing.

use super::collapsed;
use crate::draft::Draft;
use crate::error::ReadError;
use crate::map::Place;
use crate::{Hints, Ingested, Kind, Limits, text};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{Rawtext, Rcdata, ScriptData};
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use std::cell::RefCell;

/// Reads it.
pub(super) fn read(bytes: &[u8], hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let (text, note) = match declared(bytes) {
        Some(text) => (text, None),
        None => {
            let decoded = text::decode(bytes)?;
            (decoded.text, decoded.note)
        }
    };
    let mut draft = Draft::new(limits);
    if let Some(note) = note {
        draft.note(note);
    }
    tell(&text, &mut draft, |paragraph, line| Place {
        paragraph: Some(paragraph),
        line: Some(line),
        ..Place::default()
    })?;
    draft.finish(Kind::Html, hints)
}

/// The text of a page into a draft; `place` is asked with the paragraph and line, both from 1.
pub(super) fn tell(
    text: &str,
    draft: &mut Draft<'_>,
    place: impl Fn(u32, u32) -> Place,
) -> Result<(), ReadError> {
    for (number, block) in (1..).zip(blocks(text)) {
        let place = place(number, block.line);
        if block.goes_on {
            draft.further(" | ", &block.text, place)?
        } else {
            draft.paragraph(&block.text, place)?
        }
    }
    Ok(())
}

/// The text of a piece of HTML, without places.
pub(crate) fn plain(text: &str) -> String {
    let blocks: Vec<String> = blocks(text).into_iter().map(|block| block.text).collect();
    blocks.join("\n")
}

/// The paragraphs of a mail (whether each goes on the row of the one before; its text), and how many stretches of quotes were left out.
pub(super) fn of_mail(page: &str, cuts_quotes: bool) -> (Vec<(bool, String)>, usize) {
    let state = walked(page, cuts_quotes);
    (state.blocks.into_iter().map(|block| (block.goes_on, block.text)).collect(), state.quotes)
}

/// The text in the encoding that the page declares in its first kibibyte, if it is not UTF-8.
fn declared(bytes: &[u8]) -> Option<String> {
    if std::str::from_utf8(bytes).is_ok() || bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")
    {
        return None;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).to_ascii_lowercase();
    let (_, after) = head.split_once("charset=").or_else(|| head.split_once("encoding="))?;
    let label = after.trim_start_matches(['"', '\'']);
    let end = label.find(['"', '\'', ' ', '>', ';', '/', '?']).unwrap_or(label.len());
    text::labelled(bytes, &label.as_bytes()[..end])
}

/// A paragraph, heading, list item or cell.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    text: String,
    line: u32,
    /// A cell that is not the first of its row.
    goes_on: bool,
}

fn blocks(text: &str) -> Vec<Block> {
    walked(text, false).blocks
}

fn walked(text: &str, cuts_quotes: bool) -> State {
    let page = Page(RefCell::new(State { cuts_quotes, ..State::default() }));
    let tokenizer = Tokenizer::new(page, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    // It stops for scripts only where the sink says so, and this one never does.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let mut state = tokenizer.sink.0.take();
    state.end_block(false);
    state
}

#[derive(Default)]
struct State {
    blocks: Vec<Block>,
    open: String,
    /// Whether `open` holds anything but white space.
    begun: bool,
    /// The line where `open` begins.
    line: u32,
    /// Whether `open` is a cell behind another.
    goes_on: bool,
    row_has_cells: bool,
    /// Within `pre`, how deep.
    verbatim: u32,
    /// The element whose content is passed over, and how often it is open.
    skipped: Option<(String, u32)>,
    /// Whether quotes of earlier mails are passed over, and how many were.
    cuts_quotes: bool,
    quotes: usize,
}

impl State {
    fn end_block(&mut self, next_goes_on: bool) {
        let text = if self.verbatim > 0 { self.open.trim().to_owned() } else { trimmed_lines(&self.open) };
        self.open.clear();
        self.begun = false;
        if !text.is_empty() {
            self.blocks.push(Block { text, line: self.line.max(1), goes_on: self.goes_on });
            self.goes_on = false;
        }
        self.goes_on = next_goes_on;
    }

    fn text(&mut self, text: &str, line: u32) {
        if self.skipped.is_some() {
            return;
        }
        if !self.begun {
            self.line = line;
        }
        if self.verbatim > 0 {
            self.begun |= !text.trim().is_empty();
            self.open.push_str(text);
            return;
        }
        for c in text.chars() {
            match c {
                ' ' | '\t' | '\r' | '\n' | '\u{c}' if self.open.ends_with([' ', '\n']) => {}
                ' ' | '\t' | '\r' | '\n' | '\u{c}' => self.open.push(' '),
                // A place where a word may be broken is none of the word.
                '\u{ad}' | '\u{200b}' => {}
                c => {
                    self.begun |= !c.is_whitespace();
                    self.open.push(c);
                }
            }
        }
    }

    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        let opens = tag.kind == TagKind::StartTag;
        if let Some((skipped, depth)) = &mut self.skipped {
            if name == skipped.as_str() {
                if opens && !tag.self_closing {
                    *depth += 1;
                } else if !opens {
                    *depth -= 1;
                }
            }
            // A page whose hidden part never ends goes on with its body.
            if *depth == 0 {
                self.skipped = None;
            }
        } else if opens && is_left_out(name, tag) {
            if is_block(name) {
                self.end_block(false);
            }
            self.skipped = Some((name.to_owned(), 1));
        } else if opens && self.cuts_quotes && is_quote(name, tag) {
            self.quotes += 1;
            self.skipped = Some((name.to_owned(), 1));
        } else {
            self.layout(name, opens);
        }
        match (opens, name) {
            (true, "script") => TokenSinkResult::RawData(ScriptData),
            (true, "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript") => {
                TokenSinkResult::RawData(Rawtext)
            }
            (true, "title" | "textarea") => TokenSinkResult::RawData(Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }

    fn layout(&mut self, name: &str, opens: bool) {
        match name {
            "br" => self.open.push('\n'),
            "tr" => {
                self.end_block(false);
                self.row_has_cells = false;
            }
            "td" | "th" if opens => {
                let goes_on = std::mem::replace(&mut self.row_has_cells, true);
                self.end_block(goes_on);
            }
            "pre" => {
                self.end_block(false);
                self.verbatim = if opens { self.verbatim + 1 } else { self.verbatim.saturating_sub(1) };
            }
            "td" | "th" => self.end_block(true),
            _ if is_block(name) => {
                // The paragraph in a cell belongs into its row.
                let goes_on = self.goes_on && !self.begun;
                self.end_block(goes_on);
            }
            _ => {}
        }
    }
}

/// A text without space around its line breaks.
fn trimmed_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(collapsed).collect();
    lines.join("\n").trim().to_owned()
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "head"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "option"
            | "p"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "tfoot"
            | "thead"
            | "title"
            | "ul"
    )
}

/// What nobody sees on the page.
fn is_left_out(name: &str, tag: &Tag) -> bool {
    let attribute = |wanted: &str| tag.attrs.iter().find(|attribute| &*attribute.name.local == wanted);
    let is_void = matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
    );
    if is_void || tag.self_closing {
        return false;
    }
    matches!(
        name,
        "script"
            | "style"
            | "noscript"
            | "template"
            | "iframe"
            | "object"
            | "svg"
            | "math"
            | "canvas"
            | "audio"
            | "video"
            | "select"
            | "datalist"
            | "title"
            | "noembed"
            | "noframes"
            | "rp"
            | "rt"
    ) || attribute("hidden").is_some()
        || attribute("style").is_some_and(|style| {
            let style = style.value.to_ascii_lowercase().replace(' ', "");
            style.contains("display:none") || style.contains("visibility:hidden")
        })
}

/// The earlier mails in a mail, as the common programs mark them.
fn is_quote(name: &str, tag: &Tag) -> bool {
    let has = |wanted: &str, words: &[&str]| {
        let attribute = tag.attrs.iter().find(|attribute| &*attribute.name.local == wanted);
        attribute.is_some_and(|attribute| {
            attribute.value.split_ascii_whitespace().any(|word| words.contains(&word))
        })
    };
    name == "blockquote" && (has("type", &["cite"]) || has("class", &["gmail_quote"]))
        || name == "div"
            && has("class", &["gmail_quote", "gmail_quote_container", "yahoo_quoted", "moz-cite-prefix"])
}

struct Page(RefCell<State>);

impl TokenSink for Page {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => return state.tag(&tag),
            Token::CharacterTokens(text) => {
                // The line is that of the end of the text.
                let breaks = text.trim_start().bytes().filter(|byte| *byte == b'\n').count() as u64;
                let line = line.saturating_sub(breaks).max(1);
                state.text(&text, u32::try_from(line).unwrap_or(u32::MAX));
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(page: &str) -> Vec<String> {
        blocks(page)
            .into_iter()
            .map(|block| format!("{}{}", if block.goes_on { "| " } else { "" }, block.text))
            .collect()
    }

    #[test]
    fn text_without_marks() {
        assert_eq!(
            texts(
                "<!DOCTYPE html><title>T</title><style>p{}</style><h1>One &amp; two</h1><p>a <b>bold</b>\n  word&nbsp;x<br>next<ul><li>i</ul>tail"
            ),
            ["One & two", "a bold word\u{a0}x\nnext", "i", "tail"]
        );
        assert_eq!(
            texts(
                "a<script>if (1 < 2) '<p>'</script>b<!-- c --><p hidden>d</p>e<div style='display: none'><div>f</div></div>g"
            ),
            ["ab", "e", "g"]
        );
        assert_eq!(
            texts("<table><tr><th>A<th><p>B</p></tr><tr><td>1</td><td></td><td>3</td></tr></table>z"),
            ["A", "| B", "1", "| 3", "z"]
        );
        assert_eq!(texts("<pre>a\n  b</pre>"), ["a\n  b"]);
        assert_eq!(texts("in&shy;credi<wbr>ble &lt;b&gt; &#x1F600; &bogus;"), ["incredible <b> 😀 &bogus;"]);
    }

    #[test]
    fn lines_are_those_of_the_file() {
        let lines: Vec<u32> =
            blocks("<p>a</p>\n<p>b\nc</p>\n\n<p>\nd").iter().map(|block| block.line).collect();
        assert_eq!(lines, [1, 2, 6]);
    }
}
