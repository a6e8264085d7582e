//! Words written letter by letter: `c a n n o t`, `s.h.i.t`.

use super::change::Changes;
use super::continues_word;

/// The fewest single letters in a row that are read as one word.
const LEAST: usize = 3;

pub(super) fn changes(text: &str) -> Changes {
    let bytes = text.as_bytes();
    let mut changes = Changes::default();
    if !has_row(bytes) {
        return changes;
    }
    let mut at = 0;
    while at < bytes.len() {
        if !is_single(bytes, at) {
            at += 1;
            continue;
        }
        // The row goes on as long as the separator stays the same. The letter at which that changes begins the next row.
        let mut last = at;
        while follows(bytes, last) && bytes[last + 1] == bytes[at + 1] {
            last += 2;
        }
        if last + 2 >= at + 2 * LEAST {
            (at + 1..last).step_by(2).for_each(|separator| changes.drop(separator..separator + 1));
        }
        // Not behind `last`: two rows with different separators may share a letter.
        at = last.max(at + 1);
    }
    changes
}

/// Whether a letter at the beginning or behind what goes on with no word is followed by a separator, a letter, a separator and a letter: in
/// most texts none is. Without a branch, so that many bytes are looked at at once.
fn has_row(bytes: &[u8]) -> bool {
    let is_row = |row: &[u8; 5]| {
        let [a, b, c, d, e] = row;
        a.is_ascii_alphabetic()
            & is_separator(*b)
            & c.is_ascii_alphabetic()
            & (b == d)
            & e.is_ascii_alphabetic()
    };
    bytes.first_chunk::<5>().is_some_and(is_row)
        || bytes.windows(6).fold(false, |has, window| {
            let [before, row @ ..] = window else { return has };
            let Some(row) = row.first_chunk::<5>() else { return has };
            has | (is_row(row) & !continues_word(Some(before)))
        })
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'.' | b'-' | b'_' | b'*')
}

/// Whether a letter without a letter, a digit or `'` beside it stands at `at`.
fn is_single(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(u8::is_ascii_alphabetic)
        && !continues_word(at.checked_sub(1).map(|before| &bytes[before]))
        && !continues_word(bytes.get(at + 1))
}

/// Whether a separator and a single letter stand behind the letter at `at`.
fn follows(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1).is_some_and(|byte| is_separator(*byte)) && is_single(bytes, at + 2)
}

#[cfg(test)]
mod tests {
    fn unfolded(text: &str) -> String {
        super::changes(text).apply(text)
    }

    #[test]
    fn single_letters_in_a_row_are_a_word() {
        for (text, expected) in [
            ("I c a n n o t go", "Icannot go"),
            ("we c a n n o t, no", "we cannot, no"),
            ("s.h.i.t happens", "shit happens"),
            ("a-b-c d_e_f g*h*i", "abc def ghi"),
            ("x y z", "xyz"),
            ("a b c.", "abc."),
        ] {
            assert_eq!(unfolded(text), expected);
        }
    }

    #[test]
    fn separators_must_be_one_and_the_same() {
        for text in ["a b", "a  b  c", "a b.c d", "a1 b c", "a' b c", "ab c d", "a, b, c", "don't a b"] {
            assert_eq!(unfolded(text), text);
        }
        assert_eq!(unfolded("a b c.d"), "abc.d");
        assert_eq!(unfolded("a.b c d"), "a.bcd");
        assert_eq!(unfolded("a b c.d.e"), "abcde");
    }
}
