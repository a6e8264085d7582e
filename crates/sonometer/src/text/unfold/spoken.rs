//! Digits written as words: `four one one one`, `double seven`, mixed with digits.

use super::change::Changes;
use super::{continues_word, is_alphanumeric};
use crate::language::{Language, NumberedWords};
use std::ops::Range;

/// The fewest digits that are joined.
const LEAST: usize = 3;

/// A part of a row of spoken digits.
struct Item {
    range: Range<usize>,
    kind: Kind,
}

enum Kind {
    /// A run of digits, which stays.
    Digits,
    /// A digit word, and its digit, 0 to 9.
    Word(u8),
    /// A digit word with a multiplier before it: where the digit word stands, the digit, how often.
    Multiplied { multiplier: Range<usize>, word: Range<usize>, digit: u8, times: u8 },
}

pub(super) fn changes(text: &str, language: &Language) -> Changes {
    let mut changes = Changes::default();
    let mut row: Vec<Item> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let len = text.as_bytes()[at..].iter().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
        let from = at + len;
        let next = item(text, from, language);
        let continues = row.last().is_some_and(|last| is_separator(&text[last.range.end..from]));
        if next.is_none() || !continues {
            join(&mut row, &mut changes);
        }
        at = match next {
            Some(item) => {
                let end = item.range.end;
                row.push(item);
                end
            }
            None => {
                from + text.as_bytes()[from..].iter().take_while(|byte| is_alphanumeric(Some(byte))).count()
            }
        };
    }
    join(&mut row, &mut changes);
    changes
}

fn is_separator(between: &str) -> bool {
    matches!(between.len(), 1 | 2) && between.bytes().all(|byte| matches!(byte, b' ' | b',' | b'-'))
}

/// The item that begins at `at`, where a letter or digit stands that no letter or digit stands before.
fn item(text: &str, at: usize, language: &Language) -> Option<Item> {
    let bytes = text.as_bytes();
    let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 {
        let end = at + digits;
        return (!is_alphanumeric(bytes.get(end))).then_some(Item { range: at..end, kind: Kind::Digits });
    }
    let first = word(text, at)?;
    if let Some(digit) = value(language.spoken_digits, &text[first.clone()]) {
        return Some(Item { range: first, kind: Kind::Word(digit) });
    }
    let times = value(language.digit_multipliers, &text[first.clone()])?;
    if !matches!(bytes.get(first.end), Some(b' ' | b'-')) {
        return None;
    }
    let second = word(text, first.end + 1)?;
    let digit = value(language.spoken_digits, &text[second.clone()])?;
    let kind = Kind::Multiplied { multiplier: first.clone(), word: second.clone(), digit, times };
    Some(Item { range: first.start..second.end, kind })
}

/// The run of letters at `at` with no digit or `'` beside it.
fn word(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let len = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let before = at.checked_sub(1).map(|before| &bytes[before]);
    let whole = len > 0 && !continues_word(before) && !continues_word(bytes.get(at + len));
    whole.then_some(at..at + len)
}

/// The longest word that says a digit or repeats one has no more letters.
const LONGEST: usize = 8;

/// What a word stands for in a list of words in lower case.
fn value(list: NumberedWords, word: &str) -> Option<u8> {
    if word.len() > LONGEST {
        return None;
    }
    list.get(&word.to_ascii_lowercase())
}

/// Makes digits of a row that has a word and digits enough, and begins a new row.
fn join(row: &mut Vec<Item>, changes: &mut Changes) {
    let count = |item: &Item| match &item.kind {
        Kind::Digits => item.range.len(),
        Kind::Word(_) => 1,
        Kind::Multiplied { times, .. } => usize::from(*times),
    };
    let has_word = row.iter().any(|item| !matches!(item.kind, Kind::Digits));
    if has_word && row.iter().map(count).sum::<usize>() >= LEAST {
        let mut before: Option<usize> = None;
        for Item { range, kind } in row.iter() {
            if let Some(before) = before {
                changes.drop(before..range.start);
            }
            before = Some(range.end);
            match kind {
                Kind::Digits => {}
                Kind::Word(digit) => changes.push(range.clone(), b'0' + digit, 1),
                Kind::Multiplied { multiplier, word, digit, times } => {
                    // The first digit stands for the multiplier, the others for the digit word (semantics, step 5).
                    changes.push(multiplier.clone(), b'0' + digit, 1);
                    changes.drop(multiplier.end..word.start);
                    changes.push(word.clone(), b'0' + digit, times - 1);
                }
            }
        }
    }
    row.clear();
}

#[cfg(test)]
mod tests {
    use crate::language::ENGLISH;

    fn unfolded(text: &str) -> String {
        super::changes(text, &ENGLISH).apply(text)
    }

    #[test]
    fn rows_of_digit_words_are_numbers() {
        for (text, expected) in [
            ("it is four one one one.", "it is 4111."),
            ("Four, ONE-two 33", "41233"),
            ("double seven oh", "770"),
            ("triple-four one", "4441"),
            ("one two double three", "1233"),
            ("12 three", "123"),
            ("four one one one 1111 1111 one one one one", "4111111111111111"),
        ] {
            assert_eq!(unfolded(text), expected);
        }
    }

    #[test]
    fn what_is_no_row_stays() {
        for text in [
            "one two",
            "one. two. three.",
            "one   two   three",
            "double trouble, one",
            "123 456 789",
            "one's two three",
            "one2 three 4a",
            "someone two three",
            "one and two and three",
            "double",
            "oh no, one",
            "1two three",
        ] {
            assert_eq!(unfolded(text), text);
        }
        assert_eq!(unfolded("double double one two"), "double 112");
    }

    #[test]
    fn no_word_of_a_digit_is_longer_than_the_longest() {
        for language in crate::language::LANGUAGES {
            let mut words = language.spoken_digits.iter().chain(language.digit_multipliers.iter());
            assert!(words.all(|(word, _)| word.len() <= super::LONGEST), "{}", language.code);
        }
    }
}
