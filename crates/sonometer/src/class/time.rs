//! `<time>`: a time of day.
//!
//! One of
//! - hours 0 to 23 (one or two digits), `:`, minutes 00 to 59 (two digits), optionally `:` and seconds 00 to 59 (two
//!   digits), then, with hours 1 to 12 only, optionally a *half*;
//! - hours 1 to 12 (one or two digits), a half.
//!
//! A *half* is optionally one space and `am` or `pm`, or `a.m` or `p.m`, the latter two with a `.` after them when there is
//! one. Directly before a time stands no `:` and no `+`; directly after it no `:` before a digit, and no `%`. Both ends are
//! edges. Each optional part is taken where it fits and an edge follows it.

use super::text::{Text, value};

/// The end of the longest `<time>` at `at`.
pub(super) fn time(text: &Text<'_>, at: usize) -> Option<usize> {
    if matches!(text.before(at), b':' | b'+') || !text.edge(at) {
        return None;
    }
    let hours_end = text.digits(at);
    if !(1..=2).contains(&(hours_end - at)) {
        return None;
    }
    let hours = value(text.slice(at, hours_end));
    let minutes_end = sixtieth(text, hours_end);
    let clock = minutes_end.map(|end| sixtieth(text, end).unwrap_or(end));
    let stands = |end: usize| {
        text.edge(end) && !(text.at(end) == b':' && text.at(end + 1).is_ascii_digit()) && text.at(end) != b'%'
    };
    if (1..=12).contains(&hours)
        && let Some(end) = half(text, clock.unwrap_or(hours_end)).filter(|&end| stands(end))
    {
        return Some(end);
    }
    clock.filter(|&end| hours < 24 && stands(end))
}

/// The end of `:` and two digits 00 to 59 at `at`.
fn sixtieth(text: &Text<'_>, at: usize) -> Option<usize> {
    let end = text.digits(at + 1);
    (text.at(at) == b':' && end == at + 3 && text.at(at + 1) <= b'5').then_some(end)
}

/// The end of the half of the day at `at`.
fn half(text: &Text<'_>, at: usize) -> Option<usize> {
    let start = at + usize::from(text.at(at) == b' ');
    if !matches!(text.at(start), b'a' | b'A' | b'p' | b'P') {
        return None;
    }
    let dotted = text.at(start + 1) == b'.';
    let end = start + 2 + usize::from(dotted);
    if !text.before(end).eq_ignore_ascii_case(&b'm') {
        return None;
    }
    Some(end + usize::from(dotted && text.at(end) == b'.'))
}

#[cfg(test)]
mod tests {
    use crate::class::Class;
    use crate::class::testing::check;

    #[test]
    fn times_are_found() {
        check(
            Class::Time,
            &[
                ("12:30", &["12:30"]),
                ("3pm", &["3pm"]),
                ("3 PM", &["3 PM"]),
                ("at 9 a.m. sharp", &["9 a.m."]),
                ("9 a.m", &["9 a.m"]),
                ("00:00", &["00:00"]),
                ("23:59:59", &["23:59:59"]),
                ("12:30-13:45", &["12:30", "13:45"]),
                ("3:05pm", &["3:05pm"]),
                ("13:00 pm", &["13:00"]),
                ("7:15: go", &["7:15"]),
                ("8am - 4pm", &["8am", "4pm"]),
                ("24:00", &[]),
                ("12:60", &[]),
                ("12:5", &[]),
                ("13pm", &[]),
                ("0am", &[]),
                ("3 pms", &[]),
                ("1:2:3", &[]),
                ("12:30:45:10", &[]),
                ("::12:30", &[]),
                ("3", &[]),
                ("12:300", &[]),
                ("x3pm", &[]),
                ("3  pm", &[]),
                ("+01:00", &[]),
            ],
        );
    }
}
