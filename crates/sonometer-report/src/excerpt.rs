//! A place of a turn with what stands around it, everything hidden that the protocol masks.

use sonometer::Reading;
use std::borrow::Cow;
use std::ops::Range;

/// The text before a place, in it and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// From the beginning of the turn.
    pub before: String,
    /// The place itself.
    pub inside: String,
    /// Up to the end of the turn.
    pub after: String,
}

/// `range` counts bytes of the turn's content.
pub fn excerpt(reading: &Reading, turn: usize, range: &Range<usize>) -> Excerpt {
    let content = &reading.interaction().turns()[turn].content;
    let mut shown = reading.masked_characters(turn).into_iter();
    let mut take = |bytes: Range<usize>| -> String {
        let characters = content.get(bytes).map_or(0, |text| text.chars().count());
        shown.by_ref().take(characters).collect()
    };
    let (before, inside) = (take(0..range.start), take(range.clone()));
    Excerpt { before, inside, after: shown.collect() }
}

/// Excerpts of many places of a reading, each within its line. What a turn shows is worked out once for all places in a row that are in
/// it, so a long document costs its length and not its length for each place.
#[derive(Debug)]
pub(crate) struct Excerpts<'r> {
    reading: &'r Reading,
    turn: usize,
    /// What is shown for each character of the turn, and the byte where the character begins.
    shown: Vec<Cow<'r, str>>,
    begins: Vec<usize>,
}

impl<'r> Excerpts<'r> {
    pub(crate) fn of(reading: &'r Reading) -> Self {
        Self { reading, turn: usize::MAX, shown: Vec::new(), begins: Vec::new() }
    }

    /// A place with at most `most` characters on each side, within its line; `…` where a line was cut. `range` counts bytes of the
    /// turn's content.
    pub(crate) fn at(&mut self, turn: usize, range: &Range<usize>, most: usize) -> Excerpt {
        if self.turn != turn {
            self.turn = turn;
            self.shown = self.reading.masked_characters(turn);
            let content = &self.reading.interaction().turns()[turn].content;
            self.begins = content.char_indices().map(|(at, _)| at).collect();
        }
        let index = |byte: usize| self.begins.partition_point(|begin| *begin < byte).min(self.shown.len());
        let (first, last) = (index(range.start), index(range.end));
        // One more on each side tells whether the line goes on.
        let text = |range: Range<usize>| self.shown[range].concat();
        let before = text(first.saturating_sub(most + 1)..first);
        let after = text(last..(last + most + 1).min(self.shown.len()));
        Excerpt { before, inside: text(first..last), after }.within(most)
    }
}

impl Excerpt {
    /// At most `most` characters on each side, within the line of the place; `…` where a line was cut.
    fn within(self, most: usize) -> Self {
        let line = self.before.rsplit('\n').next().unwrap_or_default();
        let skipped = line.chars().count().saturating_sub(most);
        let kept: String = line.chars().skip(skipped).collect();
        let before = if skipped > 0 { format!("…{kept}") } else { kept };
        let line = self.after.split('\n').next().unwrap_or_default();
        let kept: String = line.chars().take(most).collect();
        let after = if kept.len() < line.len() { format!("{kept}…") } else { kept };
        Self { before, inside: self.inside, after }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_stays_in_its_line() {
        let of = |before: &str, after: &str| {
            let Excerpt { before, after, .. } =
                Excerpt { before: before.into(), inside: "x".into(), after: after.into() }.within(3);
            (before, after)
        };
        assert_eq!(of("a\nbc", "de\nf"), ("bc".into(), "de".into()));
        assert_eq!(of("abcdé", "é234"), ("…cdé".into(), "é23…".into()));
        assert_eq!(of("abc", "abc"), ("abc".into(), "abc".into()));
    }
}
