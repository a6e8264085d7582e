//! Hiding matched text wherever it would be shown.

use crate::protocol::Mask;
use crate::text::chars::{Class, class};
use std::borrow::Cow;
use std::ops::Range;

/// A masked stretch of one turn: bytes of the original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Masked {
    pub(crate) turn: u32,
    pub(crate) range: Range<usize>,
    pub(crate) mask: Mask,
}

/// `content[range]` with every letter or digit that a mask of the turn hides replaced by `*`.
pub(crate) fn show<'t>(content: &'t str, range: Range<usize>, masks: &[Masked]) -> Cow<'t, str> {
    let mut hidden: Vec<usize> = Vec::new();
    for masked in masks.iter().filter(|m| m.range.start < range.end && m.range.end > range.start) {
        hidden.extend(hidden_by(content, masked).filter(|at| range.contains(at)));
    }
    if hidden.is_empty() {
        return Cow::Borrowed(&content[range]);
    }
    hidden.sort_unstable();
    let shown = content[range.clone()].char_indices().map(|(at, c)| {
        match hidden.binary_search(&(range.start + at)) {
            Ok(_) => '*',
            Err(_) => c,
        }
    });
    Cow::Owned(shown.collect())
}

/// The places of the letters and digits that a mask hides.
fn hidden_by<'t>(content: &'t str, masked: &Masked) -> impl Iterator<Item = usize> + use<'t> {
    let start = masked.range.start;
    let letters: Vec<usize> = content[masked.range.clone()]
        .char_indices()
        .filter(|(_, c)| matches!(class(*c), Class::Word | Class::Ideograph))
        .map(|(at, _)| start + at)
        .collect();
    let count = letters.len();
    let kept = match masked.mask {
        Mask::All => 0..0,
        Mask::First(n) => 0..usize::from(n),
        Mask::Last(n) => count.saturating_sub(n.into())..count,
    };
    letters.into_iter().enumerate().filter(move |(nth, _)| !kept.contains(nth)).map(|(_, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_all_but_the_ends() {
        let content = "card 4111 1111 1111 1111.";
        let masked = |mask| [Masked { turn: 0, range: 5..24, mask }];
        assert_eq!(show(content, 0..25, &masked(Mask::Last(4))), "card **** **** **** 1111.");
        assert_eq!(show(content, 5..24, &masked(Mask::First(6))), "4111 11** **** ****");
        assert_eq!(show(content, 0..9, &masked(Mask::All)), "card ****");
        assert_eq!(show(content, 0..4, &masked(Mask::All)), "card");
    }
}
