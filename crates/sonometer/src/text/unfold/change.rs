//! What a step changed, as a map back to what it changed.

use std::ops::Range;

/// Bytes of the changed text for which one place in the list of changes is noted, so that none is looked for in all of a long text.
const BLOCK: usize = 64;

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

impl Change {
    /// Where what it writes ends in the changed text.
    fn written_to(&self) -> usize {
        self.to as usize + usize::from(self.times)
    }
}

/// The changes of one step, in order. What lies between them is as it was.
#[derive(Debug, Default)]
pub(super) struct Changes {
    all: Vec<Change>,
    /// By block of [`BLOCK`] bytes of the changed text: how many changes are written before its first byte. Set by [`Changes::apply`].
    blocks: Vec<u32>,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Replaces `stretch`, which begins where the last one ended or later, by `times` times an ASCII character.
    pub(super) fn push(&mut self, stretch: Range<usize>, character: u8, times: u8) {
        let to = self.all.last().map_or(stretch.start, |last| {
            last.to as usize + usize::from(last.times) + (stretch.start - last.end as usize)
        });
        let (start, end) = (stretch.start as u32, stretch.end as u32);
        self.all.push(Change { start, end, to: to as u32, times, character });
    }

    /// Drops `stretch`.
    pub(super) fn drop(&mut self, stretch: Range<usize>) {
        self.push(stretch, 0, 0);
    }

    /// How many changes there are so far.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Takes all but the first `len` changes back.
    pub(super) fn truncate(&mut self, len: usize) {
        self.all.truncate(len);
    }

    /// Makes the changes in a text.
    pub(super) fn apply(&mut self, text: &str) -> String {
        let mut changed = String::with_capacity(text.len());
        let mut done = 0;
        for change in &self.all {
            changed.push_str(&text[done..change.start as usize]);
            changed.extend(std::iter::repeat_n(char::from(change.character), change.times.into()));
            done = change.end as usize;
        }
        changed.push_str(&text[done..]);
        let mut before = 0;
        for block in (0..changed.len()).step_by(BLOCK) {
            while self.all.get(before).is_some_and(|change| change.written_to() <= block) {
                before += 1;
            }
            self.blocks.push(before as u32);
        }
        changed
    }

    /// Where a stretch of the changed text (not empty) was: from the start of what its first byte stands for to the end of
    /// what its last byte stands for.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        self.source_of(range.start).start..self.source_of(range.end - 1).end
    }

    /// Where a byte of the text before the changes, of none that was changed, is in the changed text.
    pub(super) fn target(&self, at: usize) -> usize {
        let behind = self.all.partition_point(|change| (change.end as usize) <= at);
        let last = behind.checked_sub(1).map(|last| self.all[last]);
        last.map_or(at, |change| change.written_to() + (at - change.end as usize))
    }

    /// What a byte of the changed text stands for.
    fn source_of(&self, at: usize) -> Range<usize> {
        // Within a block by halves, as any number of changes can be dropped at one place.
        let from = self.blocks[at / BLOCK] as usize;
        let to = self.blocks.get(at / BLOCK + 1).map_or(self.all.len(), |to| *to as usize);
        let behind = from + self.all[from..to].partition_point(|change| change.written_to() <= at);
        match self.all.get(behind) {
            Some(change) if change.to as usize <= at => change.start as usize..change.end as usize,
            _ => {
                let at = match behind.checked_sub(1).map(|last| self.all[last]) {
                    Some(c) => c.end as usize + (at - c.written_to()),
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
        let targets: Vec<_> = [0, 3, 8, 9, 10].into_iter().map(|at| changes.target(at)).collect();
        assert_eq!(targets, [0, 2, 5, 6, 7]);
    }

    /// Places beyond the first block, at its edges, and with many changes at one place.
    #[test]
    fn maps_back_in_long_texts() {
        let mut changes = Changes::default();
        let mut text = String::new();
        let mut expected = Vec::new();
        for round in 0..200 {
            text.push_str("plain ");
            expected.extend((text.len() - 6..text.len()).map(|at| at..at + 1));
            for _ in 0..round % 3 {
                changes.drop(text.len()..text.len() + 1);
                text.push('-');
            }
            changes.push(text.len()..text.len() + 2, b'e', 1 + (round % 2) as u8);
            expected.extend((0..=round % 2).map(|_| text.len()..text.len() + 2));
            text.push('е');
        }
        let changed = changes.apply(&text);
        let found: Vec<_> = (0..changed.len()).map(|at| changes.source(at..at + 1)).collect();
        assert_eq!(found, expected);
    }
}
