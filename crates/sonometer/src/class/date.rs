//! `<date>` and `<year>`.
//!
//! # `<date>`
//! A *year* is four digits 1000 to 2999, a *recent year* four digits 1900 to 2099, a *short year* two digits, counted from
//! 2000. A *month* or *day* in digits is one or two digits, 1 to 12 and 1 to 31. A date must exist: the day is not beyond
//! the month's last, 29 February needs a leap year (Gregorian rule) or no year at all.
//!
//! In digits, with one of `-` `/` `.` as the separator, twice the same:
//! 1. year, month, day; with `-` or `/` or `.`. With `-`, optionally a *clock*: `T` (upper case), two digits, `:`, two digits,
//!    optionally `:` and two digits, optionally `.` and digits, optionally `Z` (upper case) or (`+` or `-`, two digits, `:`, two digits);
//!    its numbers are not checked, its parts are taken wherever they stand, and it counts only where an edge follows it.
//! 2. day, month, year, or (not with `.`) month, day, year.
//! 3. the same as 2 with a short year; with `-` and `.`, the first two parts have two digits each.
//!
//! With a month name (English), a whole word: a name January to December, or its first three letters, or Sept, optionally
//! with a `.` directly after a short one where the form goes on:
//! 4. month, one space, day, optionally (optionally `,`, one space, year) ;
//! 5. month, optionally `,`, one space, recent year;
//! 6. day, one space (or one space, `of`, one space), month, optionally (optionally `,`, one space, year); the `.` after a
//!    short name belongs to it only when the year follows;
//! 7. day, `-`, month, `-`, year or short year; no `.`.
//!
//! In other languages:
//! 8. (German) day, then `.` or one space or both, month name, optionally (one space, year);
//! 9. (Spanish) day, ` de `, month name, optionally (one space, or ` de `, or ` del `, then year);
//! 10. (German, Spanish) month name, the same, recent year;
//! 11. (Chinese) year, `年`, month, `月`; or optionally (year, `年`), month, `月`, day, `日` or `号`.
//!
//! A short name there has its `.` only where the year follows. In forms 4 to 6 a day may carry its ordinal suffix (any of `st nd rd th` at once after it, no further letter), except in form 7.
//! The word `may` or `march` not beginning with a capital counts only with a year, with `of`, or, in form 4, with an
//! ordinal suffix on the day.
//! The name of five letters or fewer that is written out (`March`, `May`) is no short one. In forms 4 to 6 a year counts only
//! where it is the head of no longer code (see `identity.rs`) and an edge follows it, and the date exists with it; otherwise the
//! form is read without it. The longest form is taken. If it cannot end there, no date begins here.
//!
//! No date is the tail or the head of a longer code (see `identity.rs`); for a form that ends in letters only the tail is
//! asked. Both ends are edges. Directly after a day that ends form 4 stands no `%`.
//!
//! # `<year>`
//! A word of four digits 1900 to 2099. Directly before it stands neither a currency sign nor `#`, directly after it
//! neither a currency sign nor `%`. Where `-` or `/` joins it directly to a run of digits on either side, that run has one,
//! two or four digits. No `:` stands between it and a digit.

use super::Vocabulary;
use super::text::{Lower, Text, value};
use super::words;

/// The end of the longest `<date>` at `at`.
pub(super) fn date(text: &Text<'_>, at: usize) -> Option<usize> {
    if !text.edge(at) || text.tail_of_code(at) {
        return None;
    }
    let end = if text.at(at).is_ascii_digit() {
        in_digits(text, at).or_else(|| match text.words {
            Vocabulary::None => None,
            Vocabulary::English => day_first(text, at),
            Vocabulary::German | Vocabulary::Spanish => named(text, at),
            Vocabulary::Chinese => signed(text, at),
        })
    } else if matches!(text.words, Vocabulary::German | Vocabulary::Spanish) {
        month_and_year(text, at)
    } else if text.words == Vocabulary::English {
        month_first(text, at)
    } else {
        None
    }?;
    let goes_on = text.before(end).is_ascii_digit() && text.head_of_code(end);
    (text.edge(end) && !goes_on).then_some(end)
}

/// Forms 1 to 3.
fn in_digits(text: &Text<'_>, at: usize) -> Option<usize> {
    let first_end = text.digits(at);
    let separator = text.at(first_end);
    if !matches!(separator, b'-' | b'/' | b'.') {
        return None;
    }
    let second_end = text.digits(first_end + 1);
    if second_end == first_end + 1 || text.at(second_end) != separator {
        return None;
    }
    let end = text.digits(second_end + 1);
    let lengths = (first_end - at, second_end - first_end - 1, end - second_end - 1);
    let first = value(text.slice(at, first_end.min(at + 4)));
    let second = value(text.slice(first_end + 1, second_end.min(first_end + 5)));
    let third = value(text.slice(second_end + 1, end.min(second_end + 5)));
    let fits = match lengths {
        (4, 1 | 2, 1 | 2) => {
            let fits = is_year(first) && exists(third, second, Some(first));
            let clock = (fits && separator == b'-').then(|| clock(text, end)).flatten();
            if clock.is_some() {
                return clock;
            }
            fits
        }
        (1 | 2, 1 | 2, 4) => is_year(third) && either_order(first, second, third, separator),
        (2, 2, 2) => either_order(first, second, 2000 + third, separator),
        (1 | 2, 1 | 2, 2) => separator == b'/' && either_order(first, second, 2000 + third, separator),
        _ => false,
    };
    fits.then_some(end)
}

fn either_order(first: u64, second: u64, year: u64, separator: u8) -> bool {
    exists(first, second, Some(year)) || separator != b'.' && exists(second, first, Some(year))
}

/// The end of the clock that follows an ISO date.
fn clock(text: &Text<'_>, at: usize) -> Option<usize> {
    let two = |at: usize, lead: u8| (text.at(at) == lead && text.digits(at + 1) == at + 3).then_some(at + 3);
    let minutes = two(at, b'T').and_then(|at| two(at, b':'))?;
    let mut end = two(minutes, b':').unwrap_or(minutes);
    if text.at(end) == b'.' && text.at(end + 1).is_ascii_digit() {
        end = text.digits(end + 1);
    }
    let zone = match text.at(end) {
        b'Z' => Some(end + 1),
        sign @ (b'+' | b'-') => two(end, sign).and_then(|at| two(at, b':')),
        _ => None,
    };
    let end = zone.unwrap_or(end);
    text.edge(end).then_some(end)
}

/// Forms 4 and 5.
fn month_first(text: &Text<'_>, at: usize) -> Option<usize> {
    let month = month_name(text, at)?;
    let month_end = month.end + usize::from(month.short && text.at(month.end) == b'.');
    if let Some(end) = year_after(text, month_end).filter(|&(_, year)| is_recent(year)).map(|(end, _)| end) {
        return Some(end);
    }
    if text.at(month_end) != b' ' {
        return None;
    }
    let day = day(text, month_end + 1)?;
    if let Some((end, year)) = year_after(text, day.end)
        && exists(day.value, month.number, Some(year))
    {
        return Some(end);
    }
    let fits =
        exists(day.value, month.number, None) && (month.sure || day.ordinal) && text.at(day.end) != b'%';
    fits.then_some(day.end)
}

/// Forms 6 and 7.
fn day_first(text: &Text<'_>, at: usize) -> Option<usize> {
    let day = day(text, at)?;
    if text.at(day.end) == b'-' && !day.ordinal {
        let month = month_name(text, day.end + 1)?;
        let year = month.end + 1;
        let end = text.digits(year);
        let year = match end - year {
            2 => 2000 + value(text.slice(year, end)),
            4 => value(text.slice(year, end)),
            _ => return None,
        };
        let fits = text.at(month.end) == b'-' && is_year(year) && exists(day.value, month.number, Some(year));
        return fits.then_some(end);
    }
    if text.at(day.end) != b' ' {
        return None;
    }
    let of = text.has_caseless(day.end, b" of ");
    let month = month_name(text, day.end + if of { 4 } else { 1 })?;
    let dotted = month.end + usize::from(month.short && text.at(month.end) == b'.');
    if let Some((end, year)) = year_after(text, dotted)
        && exists(day.value, month.number, Some(year))
    {
        return Some(end);
    }
    (exists(day.value, month.number, None) && (month.sure || of)).then_some(month.end)
}

/// Forms 8 and 9.
fn named(text: &Text<'_>, at: usize) -> Option<usize> {
    let digits = text.digits(at);
    let german = text.words == Vocabulary::German;
    let dot = german && text.at(digits) == b'.';
    let after = digits + usize::from(dot);
    let between: &[u8] = if german { b" " } else { b" de " };
    let spaced = text.has_caseless(after, between);
    let start = after + if spaced { between.len() } else { 0 };
    if !(1..=2).contains(&(digits - at)) || !(spaced || dot) {
        return None;
    }
    let day = value(text.slice(at, digits));
    let (end, month, dotted) = other_month(text, start)?;
    match year_of(text, dotted) {
        Some((further, year)) if exists(day, month, Some(year)) => Some(further),
        _ => exists(day, month, None).then_some(end),
    }
}

/// Form 10.
fn month_and_year(text: &Text<'_>, at: usize) -> Option<usize> {
    let (_, _, dotted) = other_month(text, at)?;
    year_of(text, dotted).filter(|&(_, year)| is_recent(year)).map(|(end, _)| end)
}

/// A month of another language than English: its end, its number, and its end with the `.` of a short name.
fn other_month(text: &Text<'_>, at: usize) -> Option<(usize, u64, usize)> {
    let end = text.plain_word(at)?;
    let (number, short) = words::month(text.slice(at, end), text.words)?;
    Some((end, number, end + usize::from(short && text.at(end) == b'.')))
}

/// The year behind a month: after one space, in Spanish also after ` de ` or ` del `.
fn year_of(text: &Text<'_>, at: usize) -> Option<(usize, u64)> {
    let betweens: &[&[u8]] = match text.words {
        Vocabulary::Spanish => &[b" de ", b" del ", b" "],
        _ => &[b" "],
    };
    let between = betweens.iter().find(|b| text.has_caseless(at, b))?;
    let start = at + between.len();
    let end = text.digits(start);
    let year = value(text.slice(start, end.min(start + 4)));
    (end == start + 4 && text.edge(end) && is_year(year) && !text.head_of_code(end)).then_some((end, year))
}

/// Form 11.
fn signed(text: &Text<'_>, at: usize) -> Option<usize> {
    let part = |at: usize, sign: &str| {
        let end = text.digits(at);
        (end > at && text.has(end, sign))
            .then(|| (end + sign.len(), end - at, value(text.slice(at, end.min(at + 5)))))
    };
    let (start, year) = match part(at, "年") {
        Some((end, 4, year)) if is_year(year) => (end, Some(year)),
        Some(_) => return None,
        None => (at, None),
    };
    let Some((end, 1..=2, month)) = part(start, "月") else { return None };
    let day = part(end, "日").or_else(|| part(end, "号"));
    match (day, year) {
        (Some((end, 1..=2, day)), _) => exists(day, month, year).then_some(end),
        (None, Some(_)) => (1..=12).contains(&month).then_some(end),
        _ => None,
    }
}

struct Day {
    end: usize,
    value: u64,
    ordinal: bool,
}

/// A day of one or two digits, with or without its ordinal suffix, that an edge follows.
fn day(text: &Text<'_>, at: usize) -> Option<Day> {
    let digits = text.digits(at);
    if !(1..=2).contains(&(digits - at)) {
        return None;
    }
    let end = text.letters(digits);
    let ordinal = matches!(Lower::of(text.slice(digits, end)).bytes(), b"st" | b"nd" | b"rd" | b"th");
    let fits = (end == digits || ordinal) && text.edge(at) && text.edge(end);
    fits.then(|| Day { end, value: value(text.slice(at, digits)), ordinal })
}

struct Month {
    end: usize,
    number: u64,
    /// Whether it is a short form, which a `.` may follow.
    short: bool,
    /// Whether the word is no other word: not a small `may` or `march`.
    sure: bool,
}

fn month_name(text: &Text<'_>, at: usize) -> Option<Month> {
    use super::words::ENGLISH_MONTHS as NAMES;
    let end = text.plain_word(at)?;
    let lower = Lower::of(text.slice(at, end));
    let word = lower.bytes();
    let place = NAMES
        .iter()
        .position(|&name| word == name || word == &name[..3] || word == b"sept" && name[0] == b's')?;
    let doubtful = matches!(word, b"may" | b"march") && text.at(at).is_ascii_lowercase();
    let number = u64::try_from(place).ok()? + 1;
    Some(Month { end, number, short: word.len() < 5 && word != NAMES[place], sure: !doubtful })
}

/// A year after an optional comma and one space: its end and value.
fn year_after(text: &Text<'_>, at: usize) -> Option<(usize, u64)> {
    let start = at + usize::from(text.at(at) == b',') + 1;
    let end = text.digits(start);
    let year = value(text.slice(start, end.min(start + 4)));
    let whole = text.before(start) == b' ' && end == start + 4 && text.edge(end);
    let fits = whole && is_year(year) && !text.head_of_code(end);
    fits.then_some((end, year))
}

fn is_year(year: u64) -> bool {
    (1000..3000).contains(&year)
}

fn is_recent(year: u64) -> bool {
    (1900..2100).contains(&year)
}

/// Whether the month has that day; without a year February has 29.
fn exists(day: u64, month: u64, year: Option<u64>) -> bool {
    let leap = year
        .is_none_or(|year| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)));
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=last).contains(&day)
}

/// The end of the `<year>` at `at`.
pub(super) fn year(text: &Text<'_>, at: usize) -> Option<usize> {
    let end = text.digits(at);
    if end != at + 4 || !is_recent(value(text.slice(at, end))) || !text.edge(at) || !text.edge(end) {
        return None;
    }
    let priced = text.after_currency_sign(at) || text.currency_sign(end) > 0;
    if priced || text.before(at) == b'#' || text.at(end) == b'%' {
        return None;
    }
    let clock = text.before(at) == b':' && text.back(at, 2).is_ascii_digit()
        || text.at(end) == b':' && text.at(end + 1).is_ascii_digit();
    let date_part = |digits: usize| matches!(digits, 0 | 1 | 2 | 4);
    let before = match text.before(at) {
        b'-' | b'/' => (0..5).take_while(|&back| text.back(at, back + 2).is_ascii_digit()).count(),
        _ => 0,
    };
    let after = match text.at(end) {
        b'-' | b'/' => text.digits(end + 1) - end - 1,
        _ => 0,
    };
    (!clock && date_part(before) && date_part(after)).then_some(end)
}

#[cfg(test)]
mod tests {
    use crate::class::Class;
    use crate::class::testing::check;

    #[test]
    fn dates_are_found() {
        check(
            Class::Date,
            &[
                ("2021-02-28", &["2021-02-28"]),
                ("2020-02-29", &["2020-02-29"]),
                ("2021-05-10T14:30:00Z.", &["2021-05-10T14:30:00Z"]),
                ("28/02/2021", &["28/02/2021"]),
                ("2/28/2021", &["2/28/2021"]),
                ("28.02.2021", &["28.02.2021"]),
                ("4/5/92", &["4/5/92"]),
                ("March 5", &["March 5"]),
                ("March 5th, 2021", &["March 5th, 2021"]),
                ("Mar. 5", &["Mar. 5"]),
                ("dec 2020", &["dec 2020"]),
                ("5th of may", &["5th of may"]),
                ("5 Mar. 2021", &["5 Mar. 2021"]),
                ("5-Mar-2021", &["5-Mar-2021"]),
                ("from 7 April to 9 May", &["7 April", "9 May"]),
                ("may 5th", &["may 5th"]),
                ("2020-06-20 14:11:22", &["2020-06-20"]),
                ("March 5-7", &[]),
                ("29 Feb 2020", &["29 Feb 2020"]),
                ("March 5 in 2020", &["March 5"]),
                ("2021-05-10T14:30x", &[]),
                ("2021-02-30", &[]),
                ("2021-02-29", &[]),
                ("31/04/2021", &[]),
                ("2.28.2021", &[]),
                ("9/11", &[]),
                ("24/7", &[]),
                ("1.2.03", &[]),
                ("1/2/2003/4", &[]),
                ("12021-05-10", &[]),
                ("may 5 people", &[]),
                ("5 may be", &[]),
                ("March 32", &[]),
                ("Marching 5", &[]),
                ("1-2-03", &[]),
                ("2021-5/10", &[]),
                ("on 5 March,2021", &["5 March"]),
                ("0/5/2021", &[]),
                ("May 5%", &[]),
                ("30 Feb", &[]),
            ],
        );
    }

    #[test]
    fn years_are_found() {
        check(
            Class::Year,
            &[
                ("in 1984", &["1984"]),
                ("1939-1945", &["1939", "1945"]),
                ("2019-20", &["2019"]),
                ("2020-06-20", &["2020"]),
                ("1990's", &["1990"]),
                ("2099.", &["2099"]),
                ("'2001'", &["2001"]),
                ("5/2012", &["2012"]),
                ("1899", &[]),
                ("2100", &[]),
                ("$2000", &[]),
                ("2000€", &[]),
                ("555-2010", &[]),
                ("#2012", &[]),
                ("19845", &[]),
                ("2,012", &[]),
                ("2000%", &[]),
                ("1990s", &[]),
                ("12:2000", &[]),
                ("v2012", &[]),
                ("2010-555", &[]),
                ("2010.5", &[]),
            ],
        );
    }
}
