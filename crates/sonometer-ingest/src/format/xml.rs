//! XML of documents, as a stream: no tree, no entities of the file's own, a limit of depth.

use crate::error::{ReadError, Reason};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// What comes next.
#[derive(Debug)]
pub(super) enum Node<'x> {
    /// An element begins; `is_empty`: it ends at once, and no `Close` follows.
    Open { tag: BytesStart<'x>, is_empty: bool },
    /// An element ends.
    Close,
    /// A stretch of text; references are texts of their own.
    Text(String),
    /// The end.
    End,
}

/// A walk over one part of a document.
pub(super) struct Walk<'x> {
    reader: Reader<&'x [u8]>,
    part: &'x str,
    depth: usize,
    most: usize,
}

impl<'x> Walk<'x> {
    /// Over the XML `text` of the part of that name, with at most `depth` elements inside each other.
    pub(super) fn new(part: &'x str, text: &'x str, depth: usize) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_end_names = true;
        Self { reader, part, depth: 0, most: depth }
    }

    pub(super) fn next(&mut self) -> Result<Node<'x>, ReadError> {
        loop {
            let at = self.reader.buffer_position();
            let event = self.reader.read_event().map_err(|error| {
                ReadError::broken(format!("{}, byte {at}", self.part), format!("the XML is broken: {error}"))
            })?;
            return Ok(match event {
                Event::Start(tag) => {
                    self.depth += 1;
                    if self.depth > self.most {
                        return Err(ReadError::too_large(
                            self.part,
                            "the elements are nested too deeply",
                            self.most,
                        ));
                    }
                    Node::Open { tag, is_empty: false }
                }
                Event::Empty(tag) => Node::Open { tag, is_empty: true },
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    Node::Close
                }
                Event::Text(text) => Node::Text(text.xml10_content().into_owned()),
                Event::CData(text) => Node::Text(text.xml10_content().into_owned()),
                Event::GeneralRef(reference) => {
                    let character = reference.resolve_char_ref().ok().flatten();
                    let named = match reference.xml10_content().as_ref() {
                        "amp" => Some('&'),
                        "lt" => Some('<'),
                        "gt" => Some('>'),
                        "quot" => Some('"'),
                        "apos" => Some('\''),
                        _ => None,
                    };
                    // What has no meaning here is a letter that is not known.
                    Node::Text(character.or(named).unwrap_or('\u{fffd}').to_string())
                }
                Event::DocType(_) => {
                    let message = "the XML has a DOCTYPE, which is not supported; \
                                   open the file in its program and save it again";
                    return Err(ReadError::new(Reason::Broken, self.part, message));
                }
                Event::Eof if self.depth > 0 => {
                    return Err(ReadError::broken(self.part, "the XML is truncated"));
                }
                Event::Eof => Node::End,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
            });
        }
    }

    /// Passes over the rest of the element that was opened last.
    pub(super) fn skip(&mut self) -> Result<(), ReadError> {
        let outer = self.depth.saturating_sub(1);
        while self.depth > outer {
            if let Node::End = self.next()? {
                break;
            }
        }
        Ok(())
    }
}

/// The value of an attribute.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute =
        tag.attributes().with_checks(false).flatten().find(|attribute| attribute.key.as_ref() == name)?;
    let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()?;
    Some(value.into_owned())
}
