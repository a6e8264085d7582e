//! The letters that a mask hides, each with the marks on it: half a letter is never shown, and no mark without its letter.

use super::Shown;
use crate::text::chars::{Class, class, is_extender};
use std::ops::Range;

/// Whether a mask hides characters of this class: letters, digits, and marks on them.
fn is_hidden(class: Class) -> bool {
    matches!(class, Class::Word | Class::Ideograph | Class::Mark)
}

/// Whether a character goes on with the letter before it: a mark, or a vowel or final consonant of a Korean syllable.
fn continues(c: char, class: Class) -> bool {
    class == Class::Mark || matches!(c, '\u{1160}'..='\u{11ff}')
}

/// Whether a character can stand between a letter and its marks, and shows nothing itself.
fn is_joiner(c: char, class: Class) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}') || class != Class::Mark && is_extender(c)
}

/// Whether a letter can go on with or over a character.
fn goes_on(c: &char) -> bool {
    let class = class(*c);
    continues(*c, class) || is_joiner(*c, class)
}

/// The characters of a text with what is shown for each where all letters are hidden: of a letter and its marks one `*`.
pub(super) fn hide(text: &str) -> impl Iterator<Item = (usize, char, Shown<'static>)> {
    let mut within = false;
    text.char_indices().map(move |(at, c)| {
        let class = class(c);
        let goes_on = within && continues(c, class);
        let is_hidden = is_hidden(class);
        within = is_hidden || within && is_joiner(c, class);
        let shown = match is_hidden {
            true if goes_on => Shown::Nothing,
            true => Shown::Star,
            false => Shown::AsItIs,
        };
        (at, c, shown)
    })
}

/// Where the letters of a text begin.
pub(super) fn starts(text: &str) -> impl Iterator<Item = usize> {
    hide(text).filter(|(.., shown)| *shown == Shown::Star).map(|(at, ..)| at)
}

/// The last place up to `at` where no letter goes on, be it with what may still follow the text.
pub(crate) fn edge_before(content: &str, at: usize) -> usize {
    if content[at..].chars().next().is_some_and(|next| !goes_on(&next)) {
        return at;
    }
    // Nothing or a mark follows: the letter before, with its marks so far, may still get more.
    let row: usize = content[..at].chars().rev().take_while(goes_on).map(char::len_utf8).sum();
    let letter = content[..at - row].chars().next_back().filter(|c| is_hidden(class(*c)));
    at - row - letter.map_or(0, char::len_utf8)
}

/// Takes places back to the beginning of a letter that may still get marks. It remembers the letter, so that a row of marks that comes in
/// by single bytes costs one look at each.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenLetter {
    turn: u32,
    /// The letter with its marks so far.
    letter: Range<usize>,
}

impl OpenLetter {
    /// The last place up to `at` where no letter goes on. `may_grow`: more of the turn may come in.
    pub(crate) fn edge_before(&mut self, turn: u32, content: &str, at: usize, may_grow: bool) -> usize {
        let next = content[at..].chars().next();
        if next.map_or(!may_grow, |next| !goes_on(&next)) {
            return at;
        }
        let Range { start, end } = self.letter;
        let is_known = self.turn == turn && start < end && start < at;
        if is_known && at <= end {
            return start;
        }
        let is_more_of_it = is_known && content[end..at].chars().all(|c| goes_on(&c));
        let start = if is_more_of_it { start } else { edge_before(content, at) };
        *self = Self { turn, letter: start..at };
        start
    }
}

/// Widens places to whole letters. It remembers the last row of marks, which hostile text can make as long as a turn: many places in
/// it then cost one look, and not one each.
#[derive(Debug, Default)]
pub(super) struct Widener {
    turn: u32,
    /// A row of marks and joiners of the turn, and the letter that it belongs to.
    row: Range<usize>,
    letter: Range<usize>,
}

impl Widener {
    /// A place of a turn, widened to the letters that it begins and ends in.
    pub(super) fn widen(&mut self, turn: u32, content: &str, place: &Range<usize>) -> Range<usize> {
        let mut within = |at: usize| {
            self.look(turn, content, at);
            (self.letter.start < at && at < self.letter.end).then(|| self.letter.clone())
        };
        let first = within(place.start).map_or(place.start, |letter| letter.start);
        first..within(place.end).map_or(place.end, |letter| letter.end)
    }

    /// Looks at the row of marks around a place.
    fn look(&mut self, turn: u32, content: &str, at: usize) {
        if self.turn == turn && self.row.start <= at && at <= self.row.end {
            return;
        }
        let before: usize = content[..at].chars().rev().take_while(goes_on).map(char::len_utf8).sum();
        let behind: usize = content[at..].chars().take_while(goes_on).map(char::len_utf8).sum();
        (self.turn, self.row) = (turn, at - before..at + behind);
        let marks = content[self.row.clone()].char_indices().filter(|(_, c)| continues(*c, class(*c)));
        let mut ends =
            marks.map(|(offset, c)| (self.row.start + offset, self.row.start + offset + c.len_utf8()));
        let Some((first, end)) = ends.next() else {
            self.letter = at..at;
            return;
        };
        let letter = content[..self.row.start].chars().next_back().filter(|c| is_hidden(class(*c)));
        let start = letter.map_or(first, |c| self.row.start - c.len_utf8());
        self.letter = start..ends.next_back().map_or(end, |(_, end)| end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_their_marks() {
        let starts = |text: &str| starts(text).collect::<Vec<_>>();
        assert_eq!(starts("ab-1"), [0, 1, 3]);
        assert_eq!(starts("e\u{301}\u{323}x"), [0, 5]);
        assert_eq!(starts("-\u{301}\u{301}"), [1]);
        assert_eq!(starts("क\u{94d}\u{200d}\u{93f}न"), [0, 12]);
        assert_eq!(starts("\u{1112}\u{1161}\u{11ab}가"), [0, 9]);
        assert_eq!(starts("👍 ❤"), [0; 0]);
    }

    #[test]
    fn places_are_widened_to_whole_letters() {
        let content = "xe\u{301}\u{200d}\u{301}y \u{301}z";
        let widen = |place| Widener::default().widen(0, content, &place);
        assert_eq!(widen(1..2), 1..9);
        assert_eq!(widen(2..4), 1..9);
        assert_eq!(widen(0..2), 0..9);
        assert_eq!(widen(9..10), 9..10);
        assert_eq!(widen(4..7), 1..9);
        assert_eq!(widen(10..11), 10..11);
        assert_eq!(widen(11..13), 11..13);
        assert_eq!(widen(13..14), 13..14);
    }
}
