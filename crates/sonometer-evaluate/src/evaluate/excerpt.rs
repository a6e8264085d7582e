//! A place of a turn with what stands around it, everything hidden that the protocol masks.

use sonometer::Reading;
use std::ops::Range;

/// The text before a place, in it and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) before: String,
    pub(crate) inside: String,
    pub(crate) after: String,
}

/// `range` counts bytes of the turn's content.
pub(crate) fn excerpt(reading: &Reading, turn: usize, range: &Range<usize>) -> Excerpt {
    let content = &reading.interaction().turns()[turn].content;
    let mut shown = reading.masked_characters(turn).into_iter();
    let mut take = |bytes: Range<usize>| -> String {
        let characters = content.get(bytes).map_or(0, |text| text.chars().count());
        shown.by_ref().take(characters).collect()
    };
    let (before, inside) = (take(0..range.start), take(range.clone()));
    Excerpt { before, inside, after: shown.collect() }
}
