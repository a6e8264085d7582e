//! `<ssn>` and `<zip>`: numbers of the United States.
//!
//! Neither may be the *tail* or the *head of a longer code*: directly before it stands no `-` after an ASCII letter or
//! digit and none of `.` `/` `:` after a digit; directly after it stands no `-` before an ASCII letter or digit and none
//! of `.` `/` `:` before a digit. Both ends are edges.
//!
//! # `<ssn>`
//! Three digits, a separator, two digits, the same separator, four digits; the separator is one `-` or one space. The
//! first part is not 000, 666 or 900 to 999, the second not 00, the third not 0000 (what the Social Security
//! Administration never issues). With spaces, no digit and space stand directly before it and no space and digit
//! directly after it.
//!
//! # `<zip>`
//! Five digits 00501 to 99950, no multiple of 1000 (round numbers are counts), optionally `-` and four digits; no currency sign and no `#` directly before it.

use super::text::{Text, value};

/// The end of the `<ssn>` at `at`.
pub(super) fn ssn(text: &Text<'_>, at: usize) -> Option<usize> {
    let end = at + 11;
    let parts = [(at, at + 3), (at + 4, at + 6), (at + 7, end)];
    // Each part is asked for before what follows it is looked at: mostly there is no first one.
    let is_shaped = |(from, to): (usize, usize)| {
        text.digits(from) == to && (to == end || matches!(text.at(to), b'-' | b' '))
    };
    let shape = parts.into_iter().all(is_shaped) && text.at(at + 3) == text.at(at + 6);
    if !shape || text.tail_of_code(at) || text.head_of_code(end) {
        return None;
    }
    let in_list = text.at(at + 3) == b' '
        && (text.before(at) == b' ' && text.back(at, 2).is_ascii_digit()
            || text.at(end) == b' ' && text.at(end + 1).is_ascii_digit());
    let [area, group, serial] = parts.map(|(from, to)| value(text.slice(from, to)));
    let issued = !matches!(area, 0 | 666 | 900..) && group != 0 && serial != 0;
    (issued && !in_list && text.edge(at) && text.edge(end)).then_some(end)
}

/// The end of the `<zip>` at `at`.
pub(super) fn zip(text: &Text<'_>, at: usize) -> Option<usize> {
    let mut end = text.digits(at);
    let area = value(text.slice(at, end.min(at + 5)));
    if end != at + 5 || !(501..=99_950).contains(&area) || area.is_multiple_of(1000) {
        return None;
    }
    if text.at(end) == b'-' && text.digits(end + 1) == end + 5 {
        end += 5;
    }
    let marked = text.before(at) == b'#' || text.after_currency_sign(at);
    let alone = !marked && !text.tail_of_code(at) && !text.head_of_code(end);
    (alone && text.edge(at) && text.edge(end)).then_some(end)
}

#[cfg(test)]
mod tests {
    use crate::class::Class;
    use crate::class::testing::check;

    #[test]
    fn ssns_are_found() {
        check(
            Class::Ssn,
            &[
                ("123-45-6789", &["123-45-6789"]),
                ("123 45 6789", &["123 45 6789"]),
                ("SSN:123-45-6789.", &["123-45-6789"]),
                ("(899-99-9999)", &["899-99-9999"]),
                ("001-01-0001", &["001-01-0001"]),
                ("# 123-45-6789", &["123-45-6789"]),
                ("no 1 - 123-45-6789", &["123-45-6789"]),
                ("000-45-6789", &[]),
                ("666-45-6789", &[]),
                ("900-45-6789", &[]),
                ("123-00-6789", &[]),
                ("123-45-0000", &[]),
                ("123456789", &[]),
                ("123-45 6789", &[]),
                ("1-123-45-6789", &[]),
                ("123-45-6789-1", &[]),
                ("123-45-67890", &[]),
                ("5 123 45 6789", &[]),
                ("123 45 6789 0", &[]),
                ("A123-45-6789", &[]),
            ],
        );
    }

    #[test]
    fn zips_are_found() {
        check(
            Class::Zip,
            &[
                ("90210", &["90210"]),
                ("NY 10001-1234", &["10001-1234"]),
                ("Boston, MA 02134.", &["02134"]),
                ("00501", &["00501"]),
                ("99950", &["99950"]),
                ("zip:60601", &["60601"]),
                ("(94105)", &["94105"]),
                ("00500", &[]),
                ("99951", &[]),
                ("50000", &[]),
                ("9021", &[]),
                ("902101", &[]),
                ("90210-12", &[]),
                ("$90210", &[]),
                ("90210%", &[]),
                ("90210 dollars", &[]),
                ("12-90210", &[]),
                ("90210/3", &[]),
                ("#90210", &[]),
                ("90,210", &[]),
                ("x90210", &[]),
                ("http://x.org/a?90210", &[]),
            ],
        );
    }
}
