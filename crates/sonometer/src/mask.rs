//! Hiding matched text wherever it would be shown.

use crate::interaction::Turn;
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

/// A mask over a place of one stretch or of several, in different turns: what it shows at the beginning or the end is
/// counted over all of them.
pub(crate) fn over(
    mask: Mask,
    turns: &[Turn],
    place: impl DoubleEndedIterator<Item = (u32, Range<usize>)>,
) -> Vec<Masked> {
    let mut shown = match mask {
        Mask::All => 0,
        Mask::First(n) | Mask::Last(n) => n,
    };
    let mut rest = |(turn, range): (u32, Range<usize>)| {
        let mask = match mask {
            Mask::All => mask,
            Mask::First(_) => Mask::First(shown),
            Mask::Last(_) => Mask::Last(shown),
        };
        if shown > 0 {
            let letters = letters(&turns[turn as usize].content, &range).count();
            shown = shown.saturating_sub(u8::try_from(letters).unwrap_or(u8::MAX));
        }
        Masked { turn, range, mask }
    };
    match mask {
        Mask::Last(_) => place.rev().map(&mut rest).collect(),
        _ => place.map(&mut rest).collect(),
    }
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
    let letters: Vec<usize> = letters(content, &masked.range).collect();
    let count = letters.len();
    let kept = match masked.mask {
        Mask::All => 0..0,
        Mask::First(n) => 0..usize::from(n),
        Mask::Last(n) => count.saturating_sub(n.into())..count,
    };
    letters.into_iter().enumerate().filter(move |(nth, _)| !kept.contains(nth)).map(|(_, at)| at)
}

/// The places of all letters and digits.
fn letters<'t>(content: &'t str, range: &Range<usize>) -> impl Iterator<Item = usize> + use<'t> {
    let start = range.start;
    let characters = content[range.clone()].char_indices();
    let letters = characters.filter(|(_, c)| matches!(class(*c), Class::Word | Class::Ideograph));
    letters.map(move |(at, _)| start + at)
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
