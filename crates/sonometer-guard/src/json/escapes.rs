//! The characters of a text that were written as escapes. A text may be nothing else, so each takes little room.

use std::collections::VecDeque;

/// What was taken out is moved out of memory in steps of at least this many bytes.
const MOVE: usize = 1_024;

/// Escapes in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Escapes {
    /// Where each stands, in bytes of the text from its beginning, and where it ends in `written`.
    places: VecDeque<(usize, usize)>,
    /// How they were written, one behind the other, behind some that were taken out.
    written: String,
    /// The bytes of them that have been moved out of memory, and those that have been taken out in all.
    moved: usize,
    taken: usize,
}

impl Escapes {
    /// Adds one behind the others.
    pub(super) fn push(&mut self, at: usize, written: &str) {
        let done = self.taken - self.moved;
        if done == self.written.len() || done >= MOVE && done >= self.written.len() / 2 {
            self.written.drain(..done);
            self.moved = self.taken;
        }
        self.written.push_str(written);
        self.places.push_back((at, self.moved + self.written.len()));
    }

    /// Takes the first one out: where it stands, and how it was written.
    pub(super) fn take(&mut self) -> Option<(usize, &str)> {
        self.take_before(usize::MAX)
    }

    /// The same if it stands before a place.
    pub(super) fn take_before(&mut self, to: usize) -> Option<(usize, &str)> {
        let (at, end) = self.places.front().copied().filter(|(at, _)| *at < to)?;
        self.places.pop_front();
        let begin = std::mem::replace(&mut self.taken, end);
        Some((at, &self.written[begin - self.moved..end - self.moved]))
    }

    /// About the bytes that they take.
    pub(super) fn held(&self) -> usize {
        self.places.len() * size_of::<(usize, usize)>() + self.written.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_what_was_pushed_and_leaves_memory() {
        let mut escapes = Escapes::default();
        let mut next = 0;
        for at in 0..9_000 {
            escapes.push(at, &format!("\\{at}"));
            if at % 3 > 0 {
                let (place, written) = escapes.take_before(at).expect("is before");
                assert_eq!((place, written.to_owned()), (next, format!("\\{next}")));
                next += 1;
            }
        }
        assert_eq!(escapes.take_before(next), None);
        while let Some((place, written)) = escapes.take() {
            assert_eq!((place, written.to_owned()), (next, format!("\\{next}")));
            next += 1;
        }
        assert_eq!(next, 9_000);
        escapes.push(next, "x");
        assert_eq!((escapes.written.as_str(), escapes.held()), ("x", 17));
    }
}
