//! Offsets of a turn in the unit of the session.

use crate::reading::offset::OffsetUnit;

/// The most bytes that are counted for one offset: beyond ASCII, marks stand at most this far apart, so that an offset costs a search
/// by halves and this much counting, however long the turn.
const STEP: usize = 1024;

/// Counts a turn as it comes in.
#[derive(Clone, Debug, Default)]
pub(super) struct Ruler {
    /// (byte, units before it) at some places, in order; none as long as all is ASCII.
    marks: Vec<(u32, u32)>,
    read: usize,
    units: usize,
}

impl Ruler {
    /// Reads on to byte `to` of the turn.
    pub(super) fn advance(&mut self, turn: &str, to: usize, unit: OffsetUnit) {
        while self.read < to {
            let most = to.min(self.read + STEP);
            let end = (self.read..=most).rev().find(|end| turn.is_char_boundary(*end)).unwrap_or(most);
            let new = &turn[self.read..end];
            // As long as all is ASCII, every unit is a byte and no mark is needed.
            if !new.is_ascii() || !self.marks.is_empty() {
                self.marks.push((self.read as u32, self.units as u32));
            }
            self.units += unit.length(new);
            self.read = end;
        }
    }

    /// The offset of a byte that has been read, or lies where the turn has been read to.
    pub(super) fn offset(&self, turn: &str, byte: usize, unit: OffsetUnit) -> usize {
        let behind = self.marks.partition_point(|mark| mark.0 as usize <= byte);
        match behind.checked_sub(1).map(|at| self.marks[at]) {
            Some((from, units)) => units as usize + unit.length(&turn[from as usize..byte]),
            None => byte,
        }
    }
}
