//! Composing: a text as patterns see it, with `\n` for every line end and letters that are one character with their marks
//! where Unicode has one (its form NFC), and the way back to the original.
//!
//! A *row* is a character with the marks behind it, at most [`LONGEST_RUN`] of them, or a line end; each row is composed by itself,
//! so that what has come in of a text can be composed before the rest has. The characters of each version of Unicode compose alike in all
//! later ones; which have been assigned follows from the exactly pinned crate that the tables are made with.

use super::nfc::nfc;
use super::parts::{is_special, take_apart};
use std::ops::Range;
use std::sync::Arc;

/// The most characters behind the first one that make one row. A row is composed as a whole, and a session looks at an open one
/// again with each chunk: without a limit, a text of nothing but marks would cost the square of its length.
const LONGEST_RUN: usize = 32;

/// A stretch that composing changed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    /// Bytes of the original.
    from: Range<usize>,
    /// Bytes of the composed text.
    to: Range<usize>,
}

/// The way back from a composed text. Empty where the original is composed already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Way(Vec<Change>);

impl Way {
    /// The way back from a text that is composed already.
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// The bytes of the original that a stretch of the composed text stands for: all of what it touches of a change.
    pub(crate) fn back(&self, place: Range<usize>) -> Range<usize> {
        if self.0.is_empty() {
            return place;
        }
        let start = self.point(place.start);
        if place.is_empty() { start..start } else { start..self.end(place.end) }
    }

    /// The byte of the original where a byte of the composed text begins.
    pub(crate) fn point(&self, at: usize) -> usize {
        match self.before(|change| change.to.start <= at) {
            Some(change) if at < change.to.end => change.from.start,
            Some(change) => at - change.to.end + change.from.end,
            None => at,
        }
    }

    /// The last byte up to one of the composed text that stands within no change.
    pub(crate) fn floor(&self, at: usize) -> usize {
        match self.before(|change| change.to.start < at) {
            Some(change) if at < change.to.end => change.to.start,
            _ => at,
        }
    }

    /// The byte of the composed text that a byte of the original became: within a change the beginning of the change.
    pub(crate) fn forth(&self, at: usize) -> usize {
        match self.before(|change| change.from.start <= at) {
            Some(change) if at < change.from.end => change.to.start,
            Some(change) => at - change.from.end + change.to.end,
            None => at,
        }
    }

    fn end(&self, at: usize) -> usize {
        match self.before(|change| change.to.start < at) {
            Some(change) if at <= change.to.end => change.from.end,
            Some(change) => at - change.to.end + change.from.end,
            None => at,
        }
    }

    fn before(&self, is_before: impl Fn(&Change) -> bool) -> Option<&Change> {
        self.0[..self.0.partition_point(is_before)].last()
    }
}

/// The ways back from all turns of an interaction; none where all of it is composed already.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ways(Option<Arc<[Way]>>);

impl Ways {
    pub(crate) fn of(ways: Vec<Way>) -> Self {
        Self(ways.iter().any(|way| !way.0.is_empty()).then(|| ways.into()))
    }

    /// Whether all of it is composed already.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// As [`Way::back`], in a turn.
    #[inline]
    pub(crate) fn back(&self, turn: u32, place: Range<usize>) -> Range<usize> {
        match &self.0 {
            None => place,
            Some(ways) => ways[turn as usize].back(place),
        }
    }
}

/// Composes a text that may still come in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Composer {
    /// Empty as long as nothing has changed: the text composed so far is the original then.
    text: String,
    way: Way,
    /// How many bytes of the original have been composed.
    done: usize,
}

impl Composer {
    /// The text composed so far, of an original that begins with what was composed.
    pub(crate) fn text<'t>(&'t self, original: &'t str) -> &'t str {
        if self.way.0.is_empty() { &original[..self.done] } else { &self.text }
    }

    /// The way back to the original.
    pub(crate) fn way(&self) -> &Way {
        &self.way
    }

    pub(crate) fn into_way(self) -> Way {
        self.way
    }

    /// Composes on, to the end of `original` where it is complete, else as far as nothing that may follow changes it.
    pub(crate) fn advance(&mut self, original: &str, is_complete: bool) {
        loop {
            let rest = &original[self.done..];
            let Some(found) = find_special(rest) else {
                let end = if is_complete { rest.len() } else { last_start(rest) };
                return self.keep(original, self.done + end);
            };
            let row = match rest.as_bytes()[found] {
                b'\r' if rest.len() == found + 1 && !is_complete => found..rest.len(),
                b'\r' => found..found + 1 + usize::from(rest[found + 1..].starts_with('\n')),
                _ => row_around(rest, found),
            };
            // A mark may still follow and belong to the row.
            if row.end == rest.len() && !is_complete {
                return self.keep(original, self.done + row.start);
            }
            let row = self.done + row.start..self.done + row.end;
            self.keep(original, row.start);
            self.compose(original, row);
        }
    }

    /// Takes the original on to byte `to` unchanged.
    fn keep(&mut self, original: &str, to: usize) {
        if !self.way.0.is_empty() {
            self.text.push_str(&original[self.done..to]);
        }
        self.done = to;
    }

    /// Takes a row composed, or a line end.
    fn compose(&mut self, original: &str, row: Range<usize>) {
        let written = &original[row.clone()];
        let composed: String = if written.starts_with('\r') { "\n".into() } else { nfc(written) };
        if composed == written {
            return self.keep(original, row.end);
        }
        // What is equal at the start of a row stands for itself (semantics, Composing): the change begins behind it.
        let same = written.char_indices().zip(composed.chars()).find(|((_, a), b)| a != b);
        let same = same.map_or(0, |((at, _), _)| at);
        self.keep(original, row.start + same);
        // Until the first change the composed text is the original, and nothing is copied: most texts are composed already.
        if self.way.0.is_empty() {
            self.text = original[..self.done].to_owned();
        }
        let to = self.text.len()..self.text.len() + composed.len() - same;
        self.text.push_str(&composed[same..]);
        self.way.0.push(Change { from: self.done..row.end, to });
        self.done = row.end;
    }
}

/// A text composed as a whole, for patterns, which are compared with composed text.
pub(crate) fn composed(text: &str) -> String {
    let mut composer = Composer::default();
    composer.advance(text, true);
    composer.text(text).to_owned()
}

/// Composes a text as a whole where it is not composed already; the way back from it.
pub(crate) fn compose(text: &mut Box<str>) -> Way {
    let mut composer = Composer::default();
    composer.advance(text, true);
    if !composer.way.0.is_empty() {
        *text = composer.text.into();
    }
    composer.way
}

/// Whether composing can change nothing in a text.
pub(crate) fn is_composed(text: &str) -> bool {
    find_special(text).is_none()
}

/// The first character that composing may change or that a mark may have to be sorted with.
fn find_special(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += first_unplain(&text.as_bytes()[at..])?;
        let foreign = text[at..].char_indices().take_while(|(_, c)| !c.is_ascii());
        let mut end = at;
        for (offset, c) in foreign {
            if is_special(c) {
                return Some(at + offset);
            }
            end = at + offset + c.len_utf8();
        }
        if end == at {
            return Some(at);
        }
        at = end;
    }
}

/// The first byte that is no ASCII, or a carriage return. Most texts have none, so whole blocks are asked first: without a way
/// out of a block, compilers look at many bytes at once. Behind the last whole block that is the last block of the text, of
/// which some bytes are asked twice.
#[cfg_attr(small_build, optimize(speed))]
fn first_unplain(bytes: &[u8]) -> Option<usize> {
    const BLOCK: usize = 16;
    let is_unplain = |byte: &u8| !byte.is_ascii() | (*byte == b'\r');
    let is_plain = |block: &[u8; BLOCK]| !block.iter().fold(false, |found, byte| found | is_unplain(byte));
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let plain = BLOCK * blocks.iter().take_while(|block| is_plain(block)).count();
    let rest = &bytes[plain..];
    if rest.len() < BLOCK && bytes.last_chunk().is_some_and(is_plain) {
        return None;
    }
    rest.iter().position(is_unplain).map(|at| plain + at)
}

/// Whether nothing before a special character goes together with it.
fn begins(c: char) -> bool {
    let mut first = None;
    take_apart(c, &mut |part| first = first.or(Some(part)));
    first.is_some_and(|first| !is_special(first))
}

/// The row of the special character at `found`.
fn row_around(text: &str, found: usize) -> Range<usize> {
    let mut characters = text[found..].chars();
    let start = match characters.next() {
        Some(c) if !begins(c) => {
            let before = text[..found].char_indices().next_back().filter(|(_, c)| *c != '\n');
            before.map_or(found, |(at, _)| at)
        }
        _ => found,
    };
    let most = LONGEST_RUN - usize::from(start < found);
    let marks = characters.take(most).take_while(|c| is_special(*c) && !begins(*c));
    let first = text[found..].chars().next().map_or(0, char::len_utf8);
    start..found + first + marks.map(char::len_utf8).sum::<usize>()
}

/// Where the last character begins: a mark may follow it.
fn last_start(text: &str) -> usize {
    text.char_indices().next_back().map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    fn composed(original: &str) -> (String, Way) {
        let mut composer = Composer::default();
        composer.advance(original, true);
        (composer.text(original).to_owned(), composer.way)
    }

    #[test]
    fn line_ends_and_letters_are_one() {
        for (original, expected) in [
            ("a\r\nb\rc\n", "a\nb\nc\n"),
            ("Jose\u{301} Marti\u{301}nez", "José Martínez"),
            ("\r", "\n"),
            ("x\u{301}\u{323}", "x\u{323}\u{301}"),
            ("é\u{323}", "ẹ\u{301}"),
            ("\u{1112}\u{1161}\u{11ab}가\u{11a8}", "한각"),
            ("\u{212b}\u{f900}\u{f901}", "Å豈更"),
            ("plain — 话 नहीं 👩\u{200d}🚀", "plain — 话 नहीं 👩\u{200d}🚀"),
        ] {
            assert_eq!(composed(original).0, expected, "{original:?}");
        }
    }

    #[test]
    fn places_lead_back() {
        let (text, way) = composed("Jose\u{301}\r\nx\u{301}\u{323}y");
        assert_eq!(text, "José\nx\u{323}\u{301}y");
        assert_eq!(way.back(0..5), 0..6);
        assert_eq!(way.back(3..5), 3..6);
        assert_eq!(way.back(0..3), 0..3);
        assert_eq!(way.back(5..6), 6..8);
        assert_eq!(way.back(6..7), 8..9);
        assert_eq!(way.back(7..9), 9..13);
        assert_eq!(way.back(11..12), 13..14);
        assert_eq!((way.point(5), way.point(6), way.point(12)), (6, 8, 14));
    }

    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            8 => prop::sample::select(vec![
                "a", "e", "\r", "\n", "\r\n", "\u{301}", "\u{323}", "é", "ê", "\u{1112}", "\u{1161}", "\u{11ab}", "가",
                "\u{3099}", "か", "\u{f900}", "\u{958}", "\u{93c}", "\u{344}", "क", "\u{94d}", "\u{1d15e}", " ", "话",
            ]).prop_map(str::to_owned),
            1 => any::<char>().prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn short_rows_are_those_of_unicode(text in text()) {
            let lines = text.replace("\r\n", "\n").replace('\r', "\n");
            prop_assert_eq!(composed(&text).0, lines.nfc().collect::<String>());
        }

        #[test]
        fn what_comes_in_by_and_by_is_composed_as_the_whole(text in text(), marks in 0..80_usize) {
            let text = text.clone() + &"\u{301}".repeat(marks) + &text;
            let mut composer = Composer::default();
            let (whole, way) = composed(&text);
            for (at, _) in text.char_indices() {
                composer.advance(&text[..at], false);
                prop_assert!(whole.starts_with(composer.text(&text[..at])));
            }
            composer.advance(&text, true);
            prop_assert_eq!(composer.text(&text), &whole);
            prop_assert_eq!(composer.way(), &way);
        }

        #[test]
        fn places_lead_forth_and_back(text in text()) {
            let (composed, way) = composed(&text);
            let mut last = 0;
            for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let forth = way.forth(at);
                prop_assert!(last <= forth && composed.is_char_boundary(forth));
                // A byte within a change leads to its beginning, any other to itself.
                prop_assert!(way.point(forth) <= at);
                prop_assert_eq!(way.forth(way.point(forth)), forth);
                last = forth;
            }
        }

        #[test]
        fn places_lead_back_to_characters_in_order(text in text()) {
            let (composed, way) = composed(&text);
            let mut before = 0;
            for (at, c) in composed.char_indices() {
                let place = way.back(at..at + c.len_utf8());
                prop_assert!(text.get(place.clone()).is_some_and(|text| !text.is_empty()));
                prop_assert!(place.start <= before && before <= place.end, "{place:?} after {before}");
                before = place.end;
            }
            prop_assert_eq!(before, text.len());
        }
    }
}
