//! `<number>`, `<percent>`, `<ordinal>`. Which words count in which language: see `words.rs`.
//!
//! # `<number>`
//! One of:
//! - a *digit word*: a word made of digits, with `.` or `,` between digits only (`7`, `3.5`, `1,000`, `1.2.3`), then
//!   any number of (space, *scale*), in Chinese at once any number of `十百千万亿`;
//! - (with words) a *number run*: number words, each a whole word of letters, joined by one space, by one `-`, or by
//!   `" and "` (German `" und "`; lower case) when the word before it is a scale and the word after it is not; in Spanish by `" y "`
//!   between a ten and a smaller number. The run is maximal: it never begins where the rules join its first word to a number word
//!   before it.
//!
//! English scales: hundred, thousand, million, billion, trillion. English number words: zero to twenty, the tens thirty to
//! ninety, and the scales.
//!
//! # `<percent>`
//! A digit word or number run (the same, scales included), then: optionally one space and `%`; or one space
//! or `-` and a whole word `percent` or `pct` (German `Prozent`, Spanish `porciento`); or one space or `-`, the whole word `per`, one space, the
//! whole word `cent` (German `vom Hundert`, Spanish `por ciento`). In Chinese also `百分之` and a `<number>`.
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
//! - (German, Spanish) a rank; `segundo` not after un, cada, por, medio, ultimo or a digit. (Chinese) `第` and a `<number>` or `一`.

use super::Vocabulary;
use super::text::{Lower, Text};
use super::words::{self, Kind};

/// The number word at `at`: its end and kind.
fn number_word(text: &Text<'_>, at: usize) -> Option<(usize, Kind)> {
    // The edges are asked last: few words are number words.
    let end = text.letters(at);
    let kind = words::number(text.slice(at, end), text.words)?;
    (text.edge(at) && text.edge(end)).then_some((end, kind))
}

/// The kind of the number word that ends at `end`. Number words are short, so looking back is bounded.
fn number_word_before(text: &Text<'_>, end: usize) -> Option<Kind> {
    let length = (0..words::LONGEST_NUMBER_WORD)
        .take_while(|&back| text.back(end, back + 1).is_ascii_alphabetic())
        .count();
    let start = end - length;
    (length > 0 && text.edge(start) && text.edge(end))
        .then(|| words::number(text.slice(start, end), text.words))
        .flatten()
}

/// The end of the maximal number run that begins at `at`.
pub(super) fn number_run(text: &Text<'_>, at: usize) -> Option<usize> {
    match text.words {
        Vocabulary::None => return None,
        Vocabulary::Chinese => return numerals(text, at),
        Vocabulary::English | Vocabulary::German | Vocabulary::Spanish => {}
    }
    let (mut end, mut last) = number_word(text, at)?;
    let joined = match text.before(at) {
        b' ' | b'-' if number_word_before(text, at - 1).is_some() => true,
        b' ' => {
            let and = and(text);
            let before = at.checked_sub(and.len()).filter(|&before| text.has(before, and));
            let before = before.and_then(|before| number_word_before(text, before));
            before.is_some_and(|before| joins(text, before, last))
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
            let and = and(text);
            let next = text.has(end, and).then(|| number_word(text, end + and.len())).flatten();
            next.filter(|&(_, kind)| joins(text, last, kind))
        });
        let Some(next) = next else { return Some(end) };
        (end, last) = next;
    }
}

/// What joins two number words.
fn and(text: &Text<'_>) -> &'static str {
    match text.words {
        Vocabulary::German => " und ",
        Vocabulary::Spanish => " y ",
        _ => " and ",
    }
}

/// Whether two number words are one number with an `and` between them.
fn joins(text: &Text<'_>, before: Kind, next: Kind) -> bool {
    match text.words {
        Vocabulary::Spanish => before == Kind::Ten && next == Kind::Small,
        _ => before == Kind::Scale && next != Kind::Scale,
    }
}

const NUMERALS: &str = "零〇一二两三四五六七八九十百千万亿";

/// The Chinese numeral at `at`: three bytes of UTF-8.
fn is_numeral(text: &Text<'_>, at: usize) -> bool {
    text.part(at, at + 3).is_some_and(|numeral| NUMERALS.contains(numeral))
}

/// The end of the maximal run of Chinese numerals that begins at `at`.
fn numerals(text: &Text<'_>, at: usize) -> Option<usize> {
    if at >= 3 && is_numeral(text, at - 3) {
        return None;
    }
    let mut end = at;
    while is_numeral(text, end) {
        end += 3;
    }
    (end > at && text.part(at, end) != Some("一")).then_some(end)
}

/// The end of the scales that follow a digit word at `end`, each after one space; `end` itself when there are none.
fn scales(text: &Text<'_>, mut end: usize) -> usize {
    if text.words == Vocabulary::Chinese {
        while text.part(end, end + 3).is_some_and(|scale| "十百千万亿".contains(scale)) {
            end += 3;
        }
    }
    while text.at(end) == b' ' {
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
    const OF_HUNDRED: &str = "百分之";
    if text.words == Vocabulary::Chinese && text.has(at, OF_HUNDRED) {
        return number(text, at + OF_HUNDRED.len());
    }
    let end = number(text, at)?;
    let sign = end + usize::from(text.at(end) == b' ');
    if text.at(sign) == b'%' {
        return Some(sign + 1);
    }
    if !matches!(text.at(end), b' ' | b'-') {
        return None;
    }
    let start = end + 1;
    let (whole, first, second): (&[&[u8]], &[u8], &[u8]) = match text.words {
        Vocabulary::English => (&[b"percent", b"pct"], b"per", b"cent"),
        Vocabulary::German => (&[b"prozent"], b"vom", b"hundert"),
        Vocabulary::Spanish => (&[b"porciento"], b"por", b"ciento"),
        Vocabulary::None | Vocabulary::Chinese => return None,
    };
    let end = text.plain_word(start)?;
    let lower = Lower::of(text.slice(start, end));
    if whole.contains(&lower.bytes()) {
        return Some(end);
    }
    if lower.bytes() != first || text.at(end) != b' ' {
        return None;
    }
    let cent = text.plain_word(end + 1)?;
    text.slice(end + 1, cent).eq_ignore_ascii_case(second).then_some(cent)
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
    match text.words {
        Vocabulary::English => {}
        Vocabulary::None => return None,
        Vocabulary::Chinese => {
            const RANK: &str = "第";
            return text
                .has(at, RANK)
                .then(|| number(text, at + RANK.len()).or(lone_one(text, at + RANK.len())))
                .flatten();
        }
        Vocabulary::German | Vocabulary::Spanish => {
            let end = text.plain_word(at)?;
            let unit = text.slice(at, end).eq_ignore_ascii_case(b"segundo") && unit_of_time(text, at);
            return (words::is_rank(text.slice(at, end), text.words) && !unit).then_some(end);
        }
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
        word if words::number(word, text.words) == Some(Kind::Ten) && matches!(text.at(end), b' ' | b'-') => {
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
        && match text.words {
            Vocabulary::Spanish => matches!(word.bytes(), b"un" | b"cada" | b"por" | b"medio" | b"ultimo"),
            _ => matches!(word.bytes(), b"a" | b"one" | b"per" | b"split" | b"each" | b"every" | b"half"),
        }
}

/// The end of a `一` that is a number because of what stands before it.
fn lone_one(text: &Text<'_>, at: usize) -> Option<usize> {
    text.has(at, "一").then_some(at + "一".len())
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
