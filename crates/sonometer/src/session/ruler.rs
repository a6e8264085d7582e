//! Offsets of a turn in the unit of the session.

use crate::profile::OffsetUnit;

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
        let new = &turn[self.read..to];
        if !new.is_ascii() || !self.marks.is_empty() {
            self.marks.push((self.read as u32, self.units as u32));
        }
        self.units += unit.length(new);
        self.read = to;
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
