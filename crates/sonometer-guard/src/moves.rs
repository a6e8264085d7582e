//! Where a text moved to when masks and restored values made parts of it longer or shorter: citations name places in it.

use serde_json::Value;
use std::ops::Range;
use std::sync::Arc;

/// Members whose numbers are places in the text beside them. `index` is that of a citation of a file.
const PLACES: [&str; 5] = ["start_index", "end_index", "index", "start_char_index", "end_char_index"];

/// Whether a member is a place in a text.
pub(crate) fn is_place(key: &str) -> bool {
    PLACES.contains(&key)
}

/// The last place that a citation names.
pub(crate) fn last_place(citation: &str) -> usize {
    fn last(value: &Value) -> u64 {
        match value {
            Value::Array(items) => items.iter().map(last).max().unwrap_or(0),
            Value::Object(members) => {
                let own = |(key, value): (&String, &Value)| match value.as_u64() {
                    Some(at) if is_place(key) => at,
                    _ => last(value),
                };
                members.iter().map(own).max().unwrap_or(0)
            }
            _ => 0,
        }
    }
    let place = serde_json::from_str(citation).map_or(0, |value| last(&value));
    usize::try_from(place).unwrap_or(usize::MAX)
}

/// The parts of a text that were written anew. All places are code points. A copy costs little: each citation has one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    /// How much of the text as it came has been shown.
    came: usize,
    /// The length of what was shown for it.
    shown: usize,
    /// What is shown in the place of something else, in order: as it came, and as it is shown.
    changes: Arc<Vec<(Range<usize>, Range<usize>)>>,
    /// Whether places are looked for from what is shown to what came.
    is_back: bool,
}

impl Moves {
    /// Text is shown as it came.
    pub(crate) fn keep(&mut self, text: &str) {
        let length = text.chars().count();
        self.came += length;
        self.shown += length;
    }

    /// Something is shown in the place of a text.
    pub(crate) fn change(&mut self, came: &str, shown: &str) {
        let (from, to) = (self.came, self.shown);
        self.came += came.chars().count();
        self.shown += shown.chars().count();
        if came != shown {
            Arc::make_mut(&mut self.changes).push((from..self.came, to..self.shown));
        }
    }

    /// Of two texts of which no more is known: what they do not begin and end with alike is one change.
    pub(crate) fn between(came: &str, shown: &str) -> Self {
        let mut moves = Self::default();
        let same = |(a, b): &(char, char)| a == b;
        let begin: usize = came.chars().zip(shown.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
        let (rest, by) = (&came[begin..], &shown[begin..]);
        let ends = rest.chars().rev().zip(by.chars().rev());
        let end: usize = ends.take_while(same).map(|(c, _)| c.len_utf8()).sum();
        moves.keep(&came[..begin]);
        moves.change(&rest[..rest.len() - end], &by[..by.len() - end]);
        moves.keep(&rest[rest.len() - end..]);
        moves
    }

    /// The way back.
    pub(crate) fn back(self) -> Self {
        Self { is_back: !self.is_back, ..self }
    }

    /// Whether every place is where it was.
    pub(crate) fn is_none(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether all up to a place has been shown.
    pub(crate) fn reaches(&self, place: usize) -> bool {
        place <= if self.is_back { self.shown } else { self.came }
    }

    /// Where a place is now. One within a change becomes its begin or its end, so that a citation has all of what it cites.
    pub(crate) fn place(&self, at: usize, is_end: bool) -> usize {
        let sides = |(came, shown): &'_ (Range<usize>, Range<usize>)| match self.is_back {
            true => (shown.clone(), came.clone()),
            false => (came.clone(), shown.clone()),
        };
        let next = self.changes.partition_point(|change| sides(change).0.end <= at);
        match self.changes.get(next).map(sides) {
            Some((from, to)) if from.start < at => match is_end {
                true => to.end,
                false => to.start,
            },
            _ => match next.checked_sub(1).map(|last| sides(&self.changes[last])) {
                Some((from, to)) => at - from.end + to.end,
                None => at,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Moves {
        let mut moves = Moves::default();
        moves.keep("é ");
        moves.change("<A_1>", "ann@example.org");
        moves.keep(", ");
        moves.change("<B_2>", "b");
        moves.keep(".");
        moves
    }

    #[test]
    fn places_move_with_what_stands_before_them() {
        let moves = some();
        let places = [(0, 0), (2, 2), (7, 17), (9, 19), (14, 20), (15, 21), (20, 26)];
        for (came, shown) in places {
            assert_eq!((moves.place(came, false), moves.place(came, true)), (shown, shown), "{came}");
            assert_eq!(moves.clone().back().place(shown, false), came, "{shown}");
        }
        assert_eq!((moves.place(4, false), moves.place(4, true)), (2, 17));
        assert!(moves.reaches(15) && !moves.reaches(16));
    }

    #[test]
    fn two_texts_have_one_change() {
        let moves = Moves::between("to <A_1> and <A_1>!", "to ann and ann!");
        assert_eq!((moves.place(3, false), moves.place(8, false), moves.place(18, false)), (3, 3, 14));
        assert!(Moves::between("aaa", "aaa").is_none());
        let moves = Moves::between("aa", "aaa");
        assert_eq!((moves.place(1, false), moves.place(2, true)), (1, 3));
    }
}
