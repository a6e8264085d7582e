//! `<number>`, `<percent>`, `<ordinal>`.
//!
//! # `<number>`
//! One of:
//! - a *digit word*: a word made of digits, with `.` or `,` between digits only (`7`, `3.5`, `1,000`, `1.2.3`), then
//!   any number of (space, *scale*); the scales count only in English;
//! - (English) a *number run*: number words, each a whole word of letters, joined by one space, by one `-`, or by
//!   `" and "` (lower case) when the word before it is a scale and the word after it is not. The run is maximal: it never begins
//!   where the rules join its first word to a number word before it.
//!
//! Scales: hundred, thousand, million, billion, trillion. Number words: zero to twenty, the tens thirty to ninety, and
//! the scales.
//!
//! # `<percent>`
//! A digit word or number run (the same, scales included), then: optionally one space and `%`; or (English) one space
//! or `-` and a whole word `percent` or `pct`; or (English) one space or `-`, the whole word `per`, one space, the whole
//! word `cent`.
//! No `%` stands directly before it (`%2520%25` is an encoding).
//!
//! # `<ordinal>`
//! - A word of digits, with `,` between digits allowed, followed at once by `st`, `nd`, `rd` or `th`, as English has it:
//!   `th` when the last two characters before it are 11, 12 or 13; otherwise `st` after 1, `nd` after 2, `rd` after 3, `th` after any
//!   other last digit.
//! - (English) a whole word first to twentieth, or the tenths of a ten (thirtieth to ninetieth), or hundredth,
//!   thousandth, millionth, billionth; or a ten (twenty to ninety), one space or `-`, and a word first to ninth.
//!   The word `second` alone does not count directly after one space and one of the whole words a, one, per, split,
//!   each, every, half, nor directly after a digit and one space (`wait a second`, `5 second`).

use super::text::{Lower, Text};

/// What a number word counts as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// zero to nineteen.
    Small,
    /// twenty to ninety.
    Ten,
    /// hundred to trillion.
    Scale,
}

fn kind(word: &[u8]) -> Option<Kind> {
    if !(3..=9).contains(&word.len()) {
        return None;
    }
    Some(match Lower::of(word).bytes() {
        b"zero" | b"one" | b"two" | b"three" | b"four" | b"five" | b"six" | b"seven" | b"eight" | b"nine" => {
            Kind::Small
        }
        b"ten" | b"eleven" | b"twelve" | b"thirteen" | b"fourteen" | b"fifteen" | b"sixteen" => Kind::Small,
        b"seventeen" | b"eighteen" | b"nineteen" => Kind::Small,
        b"twenty" | b"thirty" | b"forty" | b"fifty" | b"sixty" | b"seventy" | b"eighty" | b"ninety" => {
            Kind::Ten
        }
        b"hundred" | b"thousand" | b"million" | b"billion" | b"trillion" => Kind::Scale,
        _ => return None,
    })
}

/// The number word at `at`: its end and kind.
fn number_word(text: &Text<'_>, at: usize) -> Option<(usize, Kind)> {
    // The edges are asked last: few words are number words.
    let end = text.letters(at);
    let kind = kind(text.slice(at, end))?;
    (text.edge(at) && text.edge(end)).then_some((end, kind))
}

/// The kind of the number word that ends at `end`. The longest has nine letters, so looking back stays short.
fn number_word_before(text: &Text<'_>, end: usize) -> Option<Kind> {
    let length = (0..10).take_while(|&back| text.back(end, back + 1).is_ascii_alphabetic()).count();
    let start = end - length;
    (length > 0 && text.edge(start) && text.edge(end)).then(|| kind(text.slice(start, end))).flatten()
}

/// The end of the maximal number run that begins at `at`.
pub(super) fn number_run(text: &Text<'_>, at: usize) -> Option<usize> {
    if !text.english {
        return None;
    }
    let (mut end, mut last) = number_word(text, at)?;
    let joined = match text.before(at) {
        b' ' | b'-' if number_word_before(text, at - 1).is_some() => true,
        b' ' if at >= 5 && text.has(at - 5, " and ") => {
            last != Kind::Scale && number_word_before(text, at - 5) == Some(Kind::Scale)
        }
        _ => false,
    };
    if joined {
        return None;
    }
    loop {
        let next = match text.at(end) {
            b' ' | b'-' => number_word(text, end + 1),
            _ => None,
        };
        let next = next.or_else(|| {
            let joins = last == Kind::Scale && text.has(end, " and ");
            joins.then(|| number_word(text, end + 5)).flatten().filter(|&(_, kind)| kind != Kind::Scale)
        });
        let Some(next) = next else { return Some(end) };
        (end, last) = next;
    }
}

/// The end of the scales that follow a digit word at `end`, each after one space; `end` itself when there are none.
fn scales(text: &Text<'_>, mut end: usize) -> usize {
    while text.english && text.at(end) == b' ' {
        match number_word(text, end + 1) {
            Some((further, Kind::Scale)) => end = further,
            _ => break,
        }
    }
    end
}

/// The end of the longest `<number>` at `at`.
pub(super) fn number(text: &Text<'_>, at: usize) -> Option<usize> {
    match text.digit_word(at) {
        Some(end) => Some(scales(text, end)),
        None => number_run(text, at),
    }
}

/// The end of the `<percent>` at `at`.
pub(super) fn percent(text: &Text<'_>, at: usize) -> Option<usize> {
    if text.before(at) == b'%' {
        return None;
    }
    let end = number(text, at)?;
    let sign = end + usize::from(text.at(end) == b' ');
    if text.at(sign) == b'%' {
        return Some(sign + 1);
    }
    if !text.english || !matches!(text.at(end), b' ' | b'-') {
        return None;
    }
    let start = end + 1;
    let end = text.plain_word(start)?;
    match Lower::of(text.slice(start, end)).bytes() {
        b"percent" | b"pct" => Some(end),
        b"per" if text.at(end) == b' ' => {
            let cent = text.plain_word(end + 1)?;
            text.slice(end + 1, cent).eq_ignore_ascii_case(b"cent").then_some(cent)
        }
        _ => None,
    }
}

/// The end of the longest `<ordinal>` at `at`.
pub(super) fn ordinal(text: &Text<'_>, at: usize) -> Option<usize> {
    if text.at(at).is_ascii_digit() { digit_ordinal(text, at) } else { word_ordinal(text, at) }
}

fn digit_ordinal(text: &Text<'_>, at: usize) -> Option<usize> {
    let mut digits = text.digits(at);
    while text.at(digits) == b',' && text.at(digits + 1).is_ascii_digit() {
        digits = text.digits(digits + 1);
    }
    let end = text.letters(digits);
    let last = text.before(digits);
    let teen = digits >= at + 2 && text.back(digits, 2) == b'1' && matches!(last, b'1' | b'2' | b'3');
    let suffix: &[u8] = match last {
        _ if teen => b"th",
        b'1' => b"st",
        b'2' => b"nd",
        b'3' => b"rd",
        _ => b"th",
    };
    let fits = end > digits && text.slice(digits, end).eq_ignore_ascii_case(suffix);
    (fits && text.edge(at) && text.edge(end)).then_some(end)
}

fn unit_ordinal(word: &[u8]) -> bool {
    matches!(
        word,
        b"first" | b"second" | b"third" | b"fourth" | b"fifth" | b"sixth" | b"seventh" | b"eighth" | b"ninth"
    )
}

fn word_ordinal(text: &Text<'_>, at: usize) -> Option<usize> {
    if !text.english {
        return None;
    }
    let end = text.letters(at);
    if !(3..=11).contains(&(end - at)) {
        return None;
    }
    let lower = Lower::of(text.slice(at, end));
    let whole = match lower.bytes() {
        b"second" => !unit_of_time(text, at),
        word if unit_ordinal(word) => true,
        b"tenth" | b"eleventh" | b"twelfth" | b"thirteenth" | b"fourteenth" | b"fifteenth" | b"sixteenth" => {
            true
        }
        b"seventeenth" | b"eighteenth" | b"nineteenth" | b"twentieth" | b"thirtieth" | b"fortieth" => true,
        b"fiftieth" | b"sixtieth" | b"seventieth" | b"eightieth" | b"ninetieth" => true,
        b"hundredth" | b"thousandth" | b"millionth" | b"billionth" => true,
        word if kind(word) == Some(Kind::Ten) && matches!(text.at(end), b' ' | b'-') => {
            let unit = text.plain_word(end + 1)?;
            let fits = unit_ordinal(Lower::of(text.slice(end + 1, unit)).bytes());
            return (fits && text.edge(at)).then_some(unit);
        }
        _ => false,
    };
    (whole && text.edge(at) && text.edge(end)).then_some(end)
}

/// Whether what stands before the word `second` at `at` makes it a unit of time.
fn unit_of_time(text: &Text<'_>, at: usize) -> bool {
    if text.before(at) != b' ' {
        return false;
    }
    let end = at - 1;
    if text.before(end).is_ascii_digit() {
        return true;
    }
    let length = (0..6).take_while(|&back| text.back(end, back + 1).is_ascii_alphabetic()).count();
    let start = end - length;
    let word = Lower::of(text.slice(start, end));
    text.edge(start)
        && matches!(word.bytes(), b"a" | b"one" | b"per" | b"split" | b"each" | b"every" | b"half")
}

#[cfg(test)]
mod tests {
    use crate::class::Class;
    use crate::class::testing::check;

    #[test]
    fn numbers_are_found() {
        check(
            Class::Number,
            &[
                ("3.14", &["3.14"]),
                ("1,000 and 7", &["1,000", "7"]),
                ("24/7", &["24", "7"]),
                ("9/11", &["9", "11"]),
                ("two hundred and five", &["two hundred and five"]),
                ("twenty-five", &["twenty-five"]),
                ("5 million", &["5 million"]),
                ("Five and six", &["Five", "six"]),
                ("one two three", &["one two three"]),
                ("nine hundred and thousand", &["nine hundred", "thousand"]),
                ("话5个", &["5"]),
                ("two  three", &["two", "three"]),
                ("1990's", &["1990"]),
                ("v1.2.3", &[]),
                ("5kg", &[]),
                ("x5", &[]),
                ("someone tenfold", &[]),
                ("one's", &[]),
                ("", &[]),
                ("é5", &[]),
                ("- . ,", &[]),
                ("3rd", &[]),
                ("hundreds", &[]),
                ("5 millions", &["5"]),
                ("two-year", &["two"]),
                (".5", &["5"]),
                ("five andsix", &["five"]),
            ],
        );
    }

    #[test]
    fn percents_are_found() {
        check(
            Class::Percent,
            &[
                ("5%", &["5%"]),
                ("5 %", &["5 %"]),
                ("99.9% of 3,5 %", &["99.9%", "3,5 %"]),
                ("ten percent", &["ten percent"]),
                ("twenty-five per cent", &["twenty-five per cent"]),
                ("5 pct", &["5 pct"]),
                ("a 10-percent cut", &["10-percent"]),
                ("5-10%", &["10%"]),
                ("50%off", &["50%"]),
                ("5  %", &[]),
                ("%5", &[]),
                ("x%", &[]),
                ("5 per centum", &[]),
                ("5percent", &[]),
                ("percent 5", &[]),
                ("%20%20", &[]),
                ("5 percentage points", &[]),
                ("v2%", &[]),
                ("one hundred percentile", &[]),
            ],
        );
    }

    #[test]
    fn ordinals_are_found() {
        check(
            Class::Ordinal,
            &[
                ("1st 2nd 3rd 4th", &["1st", "2nd", "3rd", "4th"]),
                ("11th, 12th, 13th", &["11th", "12th", "13th"]),
                ("21st 111th 112th", &["21st", "111th", "112th"]),
                ("1,000th", &["1,000th"]),
                ("the First", &["First"]),
                ("twentieth", &["twentieth"]),
                ("twenty-first", &["twenty-first"]),
                ("ninety ninth", &["ninety ninth"]),
                ("second place", &["second"]),
                ("3RD", &["3RD"]),
                ("11st", &[]),
                ("1th", &[]),
                ("2rd", &[]),
                ("13rd", &[]),
                ("wait a second", &[]),
                ("5 second rule", &[]),
                ("firstly", &[]),
                ("seconds", &[]),
                ("1 st", &[]),
                ("x1st", &[]),
                ("1sts", &[]),
                ("twenty five", &[]),
                ("1.1st", &[]),
            ],
        );
    }
}
