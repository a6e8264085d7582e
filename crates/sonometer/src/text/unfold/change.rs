//! What a step changed, as a map back to what it changed.

use std::ops::Range;

/// A stretch of a text that is replaced by one ASCII character, written once or more, or not at all. No step makes
/// a text longer, so places fit `u32` as those of the folded text do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// Bytes before the change, not empty.
    start: u32,
    end: u32,
    /// Where the characters begin in the changed text.
    to: u32,
    /// How often the character is written; 0: the stretch is dropped.
    times: u8,
    character: u8,
}

/// The changes of one step, in order. What lies between them is as it was.
#[derive(Debug, Default)]
pub(super) struct Changes(Vec<Change>);

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces `stretch`, which begins where the last one ended or later, by `times` times an ASCII character.
    pub(super) fn push(&mut self, stretch: Range<usize>, character: u8, times: u8) {
        let to = self.0.last().map_or(stretch.start, |last| {
            last.to as usize + usize::from(last.times) + (stretch.start - last.end as usize)
        });
        let (start, end) = (stretch.start as u32, stretch.end as u32);
        self.0.push(Change { start, end, to: to as u32, times, character });
    }

    /// Drops `stretch`.
    pub(super) fn drop(&mut self, stretch: Range<usize>) {
        self.push(stretch, 0, 0);
    }

    /// How many changes there are so far.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Takes all but the first `len` changes back.
    pub(super) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Makes the changes in a text.
    pub(super) fn apply(&self, text: &str) -> String {
        let mut changed = String::with_capacity(text.len());
        let mut done = 0;
        for change in &self.0 {
            changed.push_str(&text[done..change.start as usize]);
            changed.extend(std::iter::repeat_n(char::from(change.character), change.times.into()));
            done = change.end as usize;
        }
        changed.push_str(&text[done..]);
        changed
    }

    /// Where a stretch of the changed text (not empty) was: from the start of what its first byte stands for to the end of
    /// what its last byte stands for.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        self.source_of(range.start).start..self.source_of(range.end - 1).end
    }

    /// What a byte of the changed text stands for.
    fn source_of(&self, at: usize) -> Range<usize> {
        let behind = self.0.partition_point(|c| c.to as usize + usize::from(c.times) <= at);
        match self.0.get(behind) {
            Some(change) if change.to as usize <= at => change.start as usize..change.end as usize,
            _ => {
                let at = match behind.checked_sub(1).map(|last| self.0[last]) {
                    Some(c) => c.end as usize + (at - c.to as usize - usize::from(c.times)),
                    None => at,
                };
                at..at + 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_back_over_replaced_repeated_and_dropped_stretches() {
        let mut changes = Changes::default();
        changes.push(1..3, b'x', 1);
        changes.drop(4..5);
        changes.push(5..8, b'7', 2);
        assert_eq!(changes.apply("abcd-fghij"), "axd77ij");
        let sources: Vec<_> = (0..7).map(|at| changes.source(at..at + 1)).collect();
        assert_eq!(sources, [0..1, 1..3, 3..4, 5..8, 5..8, 8..9, 9..10]);
        assert_eq!(changes.source(1..4), 1..8);
        assert_eq!(changes.source(2..3), 3..4);
    }
}
