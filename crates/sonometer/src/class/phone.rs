//! `<phone>`: a telephone number.
//!
//! A *chain* is: optionally `+`; then groups of one to fifteen digits with a *separator* between each two. A group may stand in
//! parentheses (`(030)`, `(0)`), the first or the second one only, with one to five digits. A separator is one of: one
//! space; `-`; `.`; `/`; `" - "`; and, beside a parenthesis only, nothing. (`") "` and `") - "` are a parenthesis and a
//! separator.) A chain has at most eight groups; it is read as far as it goes.
//!
//! A phone is a chain, or the first groups of a chain, for which all of this holds:
//! 1. Seven to fifteen digits; the last group is not in parentheses.
//! 2. Every group has two or more digits, but the first, or one in parentheses, may have one.
//! 3. A single group (no separator, no parentheses) has ten or eleven digits; after `+`, seven to fifteen.
//! 4. `.` separates all groups or none (what stands beside a parenthesis aside), and at least three groups of which
//!    one but the first has not three digits; and, without `+`, nine or more digits in all. A lone `/` is the first separator, after a group
//!    beginning with 0 or with `+`; it separates no other groups.
//! 5. Without `+` and parentheses, all separators are alike; but when the first group begins with 0, the first one may
//!    differ from the others, which are alike. With parentheses and no `+`, those not beside a parenthesis are alike.
//! 6. A *plain* number (no `+`, no parentheses, first group not beginning with 0) has at most five groups; is not made
//!    of groups that are all years (four digits, 1900 to 2099); its last group is not all zeros; when it has two groups,
//!    the last has four or more digits and not fewer than the first, and they do not both end in 0 unless a space
//!    separates them (`1000-2000` is a range); when the first group has one digit, it has ten or more digits in all.
//! 7. Its groups have not the shape of a date or a social security number: the numbers of digits are not (1 or 2, 1 or
//!    2, 2 or 4), (4, 1 or 2, 1 or 2) or (3, 2, 4); with `.`, not four groups of three or fewer digits each. (Without `+`
//!    and parentheses.)
//! 8. Directly before it stands none of `+ # = * _`, no currency sign, no `-` after an ASCII letter or digit, no `.`,
//!    `/` or `:` after a digit. Directly after it (and its extension) stands none of `% * _ =`, no currency sign, and no
//!    `-`, `.`, `/` or `:` before a digit.
//! 9. When it has separators and all are single spaces, without `+` and parentheses, no digit and a space stand directly
//!    before it and no space and a digit directly after it.
//! 10. Both ends are edges.
//!
//! It may end with an extension (then rule 9 is not asked), when one fits: optionally one space, then `x`, `ext`, `ext.` or `extension`, optionally
//! one space (not after an `x`), then one to six digits.
//!
//! The longest is taken. (A phone inside another checked thing is dropped later: see `gives_way_to` in `mod.rs`.)

use super::text::{Text, value};

/// What stands between two groups.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Separator {
    /// Nothing, or anything beside a parenthesis: what stands there says nothing about the others.
    #[default]
    Beside,
    Space,
    Hyphen,
    Dash,
    Dot,
    Slash,
}

#[derive(Clone, Copy, Default)]
struct Group {
    start: usize,
    end: usize,
    bracketed: bool,
    /// What stands before it.
    separator: Separator,
}

impl Group {
    fn length(&self) -> usize {
        self.end - self.start
    }
}

const MOST_GROUPS: usize = 8;

/// The end of the longest `<phone>` at `at`.
pub(super) fn phone(text: &Text<'_>, at: usize) -> Option<usize> {
    let marked = matches!(text.before(at), b'+' | b'#' | b'=' | b'*' | b'_') || text.after_currency_sign(at);
    if marked || text.tail_of_code(at) || !text.edge(at) {
        return None;
    }
    let plus = text.at(at) == b'+';
    let mut groups = [Group::default(); MOST_GROUPS];
    let mut count = 0;
    let mut end = at + usize::from(plus);
    while count < MOST_GROUPS {
        let last = count.checked_sub(1).and_then(|last| groups.get(last)).copied();
        let Some((group, after)) = next_group(text, end, last, count) else { break };
        groups[count] = group;
        end = after;
        count += 1;
    }
    (1..=count).rev().find_map(|count| {
        let chain = &groups[..count];
        if !is_number(text, plus, chain) {
            return None;
        }
        let last = &chain[count - 1];
        let end = last.end + usize::from(last.bracketed);
        let stands = |end: usize| text.edge(end) && !runs_on(text, end);
        let listed = in_list(text, plus, chain, at, end);
        extension(text, end).filter(|&end| stands(end)).or_else(|| (stands(end) && !listed).then_some(end))
    })
}

/// The next group from `at` on, with what separates it from `last`; and where the text after it begins.
fn next_group(text: &Text<'_>, at: usize, last: Option<Group>, count: usize) -> Option<(Group, usize)> {
    let (length, separator) = match last {
        None => (0, Separator::Beside),
        Some(_) if text.has(at, " - ") => (3, Separator::Dash),
        Some(_) => match text.at(at) {
            b' ' => (1, Separator::Space),
            b'-' => (1, Separator::Hyphen),
            b'.' => (1, Separator::Dot),
            b'/' => (1, Separator::Slash),
            _ => (0, Separator::Beside),
        },
    };
    let bracketed = text.at(at + length) == b'(';
    let start = at + length + usize::from(bracketed);
    let end = text.digits(start);
    let closed = bracketed && count < 2 && (1..=5).contains(&(end - start)) && text.at(end) == b')';
    let after_bracket = last.is_some_and(|last| last.bracketed);
    let parted = last.is_none() || length > 0 || bracketed || after_bracket;
    // No number of fifteen digits needs to see more than a sixteenth.
    if end == start || end - start > 15 || bracketed != closed || !parted {
        return None;
    }
    let separator = if bracketed || after_bracket { Separator::Beside } else { separator };
    Some((Group { start, end, bracketed, separator }, end + usize::from(bracketed)))
}

/// Rules 1 to 7.
fn is_number(text: &Text<'_>, plus: bool, groups: &[Group]) -> bool {
    let Some(first) = groups.first() else { return false };
    let total: usize = groups.iter().map(Group::length).sum();
    let bracketed = groups.iter().any(|group| group.bracketed);
    let trunk = text.at(first.start) == b'0';
    let short = groups.iter().skip(1).any(|group| group.length() < 2 && !group.bracketed);
    if !(7..=15).contains(&total) || short || groups.last().is_some_and(|last| last.bracketed) {
        return false;
    }
    if groups.len() == 1 {
        return plus || matches!(total, 10 | 11);
    }
    if !separators_fit(plus, bracketed, trunk, groups) {
        return false;
    }
    plus || bracketed || !looks_otherwise(text, trunk, groups)
}

/// Rules 4 and 5.
fn separators_fit(plus: bool, bracketed: bool, trunk: bool, groups: &[Group]) -> bool {
    let mut separators = groups.iter().map(|group| group.separator).filter(|&kind| kind != Separator::Beside);
    let count = |wanted| groups.iter().filter(|group| group.separator == wanted).count();
    let dots = count(Separator::Dot);
    if dots > 0 && separators.clone().any(|kind| kind != Separator::Dot) {
        return false;
    }
    let thousands = groups.iter().skip(1).all(|group| group.length() == 3);
    let total: usize = groups.iter().map(Group::length).sum();
    if dots > 0 && (groups.len() < 3 || thousands || !plus && total < 9) {
        return false;
    }
    let slash_leads =
        groups.get(1).is_some_and(|second| second.separator == Separator::Slash) && (plus || trunk);
    match count(Separator::Slash) {
        0 => {}
        1 if slash_leads => {}
        _ => return false,
    }
    if plus {
        return true;
    }
    if trunk && !bracketed {
        separators.next();
    }
    let mut rest = separators;
    let alike = rest.next();
    rest.all(|kind| Some(kind) == alike)
}

/// Rules 6 and 7: numbers that are more likely something else.
fn looks_otherwise(text: &Text<'_>, trunk: bool, groups: &[Group]) -> bool {
    let digits = |group: &Group| text.slice(group.start, group.end);
    let is_year = |group: &Group| group.length() == 4 && (1900..2100).contains(&value(digits(group)));
    let round = |group: &Group| digits(group).ends_with(b"0");
    let last_is_zero = groups.last().is_some_and(|last| digits(last).iter().all(|&b| b == b'0'));
    let uneven = match groups {
        [a, b] => {
            let range = round(a) && round(b) && b.separator != Separator::Space;
            range || b.length() < a.length().max(4)
        }
        _ => false,
    };
    let total: usize = groups.iter().map(Group::length).sum();
    let short = groups.first().is_some_and(|first| first.length() == 1) && total < 10;
    if !trunk && (groups.len() > 5 || groups.iter().all(is_year) || last_is_zero || uneven || short) {
        return true;
    }
    let dotted = groups.get(1).is_some_and(|second| second.separator == Separator::Dot);
    match groups {
        [a, b, c] => matches!(
            (a.length(), b.length(), c.length()),
            (1 | 2, 1 | 2, 2 | 4) | (4, 1 | 2, 1 | 2) | (3, 2, 4)
        ),
        [_, _, _, _] => dotted && groups.iter().all(|group| group.length() <= 3),
        _ => false,
    }
}

/// Rule 9: whether a number parted by spaces only stands in a longer row of numbers.
fn in_list(text: &Text<'_>, plus: bool, groups: &[Group], start: usize, end: usize) -> bool {
    let spaced = groups.len() > 1 && groups.iter().skip(1).all(|group| group.separator == Separator::Space);
    let after_number = text.before(start) == b' ' && text.back(start, 2).is_ascii_digit();
    let before_number = text.at(end) == b' ' && text.at(end + 1).is_ascii_digit();
    spaced && !plus && (after_number || before_number)
}

/// The second half of rule 8.
fn runs_on(text: &Text<'_>, end: usize) -> bool {
    // A letter after `-` is a label (`...-Office`), not more of the number.
    let label = text.at(end) == b'-' && !text.at(end + 1).is_ascii_digit();
    matches!(text.at(end), b'%' | b'*' | b'_' | b'=')
        || text.currency_sign(end) > 0
        || text.head_of_code(end) && !label
}

/// The end of the extension at `at`.
fn extension(text: &Text<'_>, at: usize) -> Option<usize> {
    let start = at + usize::from(text.at(at) == b' ');
    let letters = text.letters(start);
    let mut digits = letters;
    match text.slice(start, letters) {
        b"x" | b"X" => {}
        word if word.eq_ignore_ascii_case(b"ext") || word.eq_ignore_ascii_case(b"extension") => {
            digits += usize::from(text.at(digits) == b'.' && word.len() == 3);
            digits += usize::from(text.at(digits) == b' ');
        }
        _ => return None,
    }
    let end = text.digits(digits);
    (1..=6).contains(&(end - digits)).then_some(end)
}

#[cfg(test)]
mod tests {
    use crate::class::Class;
    use crate::class::testing::check;

    #[test]
    fn phones_are_found() {
        check(
            Class::Phone,
            &[
                ("(555) 010-2030", &["(555) 010-2030"]),
                ("+49 30 1234567", &["+49 30 1234567"]),
                ("555-010-2030", &["555-010-2030"]),
                ("+1 (555) 010-2030 ext. 12", &["+1 (555) 010-2030 ext. 12"]),
                ("555.010.2030x77", &["555.010.2030x77"]),
                ("030/1234567", &["030/1234567"]),
                ("030 - 123 45 67", &["030 - 123 45 67"]),
                ("+41 (0)62 555 01 20", &["+41 (0)62 555 01 20"]),
                ("01.22.33.44.55", &["01.22.33.44.55"]),
                ("5550102030", &["5550102030"]),
                ("+1555010", &["+1555010"]),
                ("555-1234", &["555-1234"]),
                ("1-800-555-0199", &["1-800-555-0199"]),
                ("call 555-010-2030 2 times", &["555-010-2030"]),
                ("555-010-2030-Fax", &["555-010-2030"]),
                ("(555)010-2030", &["(555)010-2030"]),
                ("00493012345678", &[]),
                ("450 0840", &["450 0840"]),
                ("话13800138000,", &["13800138000"]),
                ("(555 010 2030)", &["555 010 2030"]),
                ("123-45-6789", &[]),
                ("2021-05-10", &[]),
                ("31.02.2021", &[]),
                ("192.168.10.20", &[]),
                ("999.999.999.999", &[]),
                ("4111 1111 1111 1111", &[]),
                ("1234 5678 9012 3456", &[]),
                ("4111111111111111", &[]),
                ("1000-2000", &[]),
                ("1990-1995", &[]),
                ("1 000 000", &[]),
                ("12.345.678", &[]),
                ("3.1415926", &[]),
                ("1 2 3 4 5 6 7 8 9", &[]),
                ("123456789", &[]),
                ("$555 0199", &[]),
                ("978-3-16-148410-0", &[]),
                ("1-800-799-SAFE", &[]),
                ("70248 31", &[]),
                ("24/7", &[]),
                ("2+2", &[]),
                ("C++1234567", &[]),
                ("http://x.org/status/12345678901", &[]),
                ("GB82 WEST 1234 5698 7654 32", &[]),
                ("5550102030kg", &[]),
            ],
        );
    }
}
