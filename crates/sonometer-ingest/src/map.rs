//! From the extracted text back to the file.

use serde::{Deserialize, Serialize};
use sonometer::{Interaction, Unit};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

/// A place in a file; what a kind of file does not know stays empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The page, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The paragraph of the page, or of the document where pages are not known, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraph: Option<u32>,
    /// The table of a text document, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<u32>,
    /// The sheet of a workbook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<Box<str>>,
    /// The cell of a sheet or table, such as `B7`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<Box<str>>,
    /// The line of the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The message of a chat or mailbox, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<u32>,
    /// The time in a recording, in millionths of a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<i64>,
    /// Where in the recording it ends, in millionths of a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// The channel of the recording, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<u32>,
    /// A part beside the running text, such as `footnote 2`, `header` or `subject`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Box<str>>,
    /// The path in a JSON file, such as `messages[3].content`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Box<str>>,
}

impl Place {
    /// Paragraph `number` of a document without pages.
    #[cfg(feature = "documents")]
    pub(crate) fn paragraph(number: u32) -> Self {
        Self { paragraph: Some(number), ..Self::default() }
    }

    /// A line.
    pub(crate) fn line(number: u32) -> Self {
        Self { line: Some(number), ..Self::default() }
    }

    /// A time of a recording.
    pub(crate) fn time(time: Unit) -> Self {
        Self { time: Some(time.0), ..Self::default() }
    }
}

impl fmt::Display for Place {
    /// `page 3, paragraph 2`; `Sheet1!B7`; `line 14`; `00:01:12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.message.map(|number| format!("message {number}")));
        parts.extend(self.page.map(|number| format!("page {number}")));
        parts.extend(self.part.as_deref().map(str::to_owned));
        parts.extend(self.paragraph.map(|number| format!("paragraph {number}")));
        parts.extend(match (self.table, &self.sheet, &self.cell) {
            (Some(table), _, Some(cell)) => Some(format!("table {table}, cell {cell}")),
            (_, Some(sheet), Some(cell)) => Some(format!("{}!{cell}", quoted(sheet))),
            (_, _, Some(cell)) => Some(format!("cell {cell}")),
            _ => None,
        });
        parts.extend(self.line.map(|number| format!("line {number}")));
        parts.extend(self.path.as_deref().map(str::to_owned));
        parts.extend(self.channel.map(|number| format!("channel {number}")));
        parts.extend(self.time.map(|time| match self.until {
            Some(until) => format!("{}–{}", clock(time), clock(until)),
            None => clock(time),
        }));
        f.write_str(&parts.join(", "))
    }
}

/// A sheet name as formulas write it.
fn quoted(sheet: &str) -> String {
    let is_plain = sheet.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_plain { sheet.to_owned() } else { format!("'{}'", sheet.replace('\'', "''")) }
}

/// `00:01:12` or `00:01:12.5`.
pub(crate) fn clock(millionths: i64) -> String {
    let seconds = millionths.div_euclid(1_000_000);
    let fraction = format!("{:06}", millionths.rem_euclid(1_000_000));
    let fraction = match fraction.trim_end_matches('0') {
        "" => String::new(),
        digits => format!(".{digits}"),
    };
    format!("{:02}:{:02}:{:02}{fraction}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A word that a recogniser heard, within a [`Piece`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Where it begins, in bytes of the content of its turn.
    pub at: usize,
    /// When it begins, in millionths of a second.
    pub time: i64,
    /// When it ends.
    pub until: i64,
    /// How sure the recogniser is, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<i64>,
}

/// A stretch of the extracted text that comes from one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The turn, from 0.
    pub turn: usize,
    /// Bytes of its content.
    pub range: Range<usize>,
    /// Where they come from.
    pub place: Place,
    /// Whether each line break within it is one of the file, so that `line` counts on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counts_lines: bool,
    /// How sure the recogniser of a recording is, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<i64>,
    /// The words of a recording, in their order, where the recogniser gave their times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Moment>,
}

/// From the extracted text back to the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    /// By turn, then by place in it; they do not overlap.
    pieces: Vec<Piece>,
}

impl Map {
    /// A map of pieces in the order of turns and places.
    pub(crate) fn new(pieces: Vec<Piece>) -> Self {
        Self { pieces }
    }

    /// All pieces, by turn and by place in it; they do not overlap.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The piece that the byte `offset` of a turn belongs to; what stands between two pieces belongs to the one before.
    fn piece(&self, turn: usize, offset: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| (piece.turn, piece.range.start) <= (turn, offset));
        self.pieces[..after].last().filter(|piece| piece.turn == turn)
    }
}

/// Finds the places of many offsets of one file. The line breaks of a turn are looked up once: counted anew for each offset, a
/// text of a thousand lines with evidence on each would be read a thousand times.
#[derive(Clone, Debug)]
pub struct Places<'r> {
    map: &'r Map,
    interaction: &'r Interaction,
    /// By turn, the offsets of its line breaks, once they were asked for.
    breaks: RefCell<HashMap<usize, Box<[usize]>>>,
}

impl<'r> Places<'r> {
    pub(crate) fn new(map: &'r Map, interaction: &'r Interaction) -> Self {
        Self { map, interaction, breaks: RefCell::default() }
    }

    /// Where the byte `offset` of a turn comes from.
    pub fn at(&self, turn: usize, offset: usize) -> Option<Place> {
        let piece = self.map.piece(turn, offset)?;
        let mut place = piece.place.clone();
        let heard = piece.words.partition_point(|word| word.at <= offset);
        if let Some(word) = heard.checked_sub(1).and_then(|at| piece.words.get(at)) {
            (place.time, place.until) = (Some(word.time), Some(word.until));
        }
        if piece.counts_lines {
            let content = self.interaction.turns().get(turn)?.content.as_bytes();
            let mut known = self.breaks.borrow_mut();
            let breaks = known.entry(turn).or_insert_with(|| {
                content.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect()
            });
            let before = |end: usize| breaks.partition_point(|at| *at < end);
            // A map that was kept can be of another text: then a piece may begin behind its end.
            let within = before(offset.min(content.len())).saturating_sub(before(piece.range.start));
            place.line =
                place.line.map(|line| line.saturating_add(u32::try_from(within).unwrap_or(u32::MAX)));
        }
        Some(place)
    }
}
