//! Code points, by which Python counts, for bytes, by which the engine does.

use sonometer::Turn;

/// Bytes between two places whose code points are known.
const STEP: usize = 512;

/// Tells code points for bytes of one text, in constant time each.
pub(crate) struct Ruler<'t> {
    text: &'t str,
    /// The code points before every `STEP`th byte; empty for ASCII, where bytes are code points.
    marks: Vec<usize>,
}

impl<'t> Ruler<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let mut marks = Vec::new();
        if !text.is_ascii() {
            let mut before = 0;
            for step in text.as_bytes().chunks(STEP) {
                marks.push(before);
                before += beginnings(step);
            }
        }
        Self { text, marks }
    }

    /// The code points before a byte; one that stands within a code point counts as its end.
    pub(crate) fn at(&self, byte: usize) -> usize {
        let byte = byte.min(self.text.len());
        if self.marks.is_empty() {
            return byte;
        }
        let step = (byte / STEP).min(self.marks.len() - 1);
        self.marks[step] + beginnings(&self.text.as_bytes()[step * STEP..byte])
    }
}

/// The byte at which a code point begins; that of the end too. None behind it.
pub(crate) fn byte(text: &str, point: usize) -> Option<usize> {
    let (mut at, mut before) = (0, 0);
    for step in text.as_bytes().chunks(STEP) {
        let here = beginnings(step);
        if before + here > point {
            break;
        }
        (at, before) = (at + step.len(), before + here);
    }
    // A step may end within a code point that began before it: what is left of it begins nothing.
    while !text.is_char_boundary(at) {
        at += 1;
    }
    let mut rest = text[at..].char_indices().map(|(byte, _)| at + byte).chain([text.len()]);
    rest.nth(point - before)
}

fn beginnings(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Rulers for the turns of an interaction, made where they are needed.
pub(crate) struct Rulers<'t> {
    turns: &'t [Turn],
    made: Vec<Option<Ruler<'t>>>,
}

impl<'t> Rulers<'t> {
    pub(crate) fn of(turns: &'t [Turn]) -> Self {
        Self { turns, made: turns.iter().map(|_| None).collect() }
    }

    pub(crate) fn at(&mut self, turn: usize, byte: usize) -> usize {
        let turns = self.turns;
        self.made[turn].get_or_insert_with(|| Ruler::of(&turns[turn].content)).at(byte)
    }
}
