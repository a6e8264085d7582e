//! Dates and times of messages as seconds.

use crate::unit::Unit;

/// Seconds since 1970 of a date and a time of day; `None` where there is no such day or time.
pub fn civil(year: i64, month: i64, day: i64, seconds_of_day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let most = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    if !(1..=most).contains(&day) || !(1900..=9999).contains(&year) || !(0..86_401).contains(&seconds_of_day)
    {
        return None;
    }
    // Years begin in March, so that the day of a leap year is their last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let days =
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468;
    Some(days * 86_400 + seconds_of_day)
}

/// Seconds since 1970 of `2024-05-01T10:00:00Z`, `2024-05-01T10:00:00.5+02:00` or the same with a space.
pub fn iso(text: &str) -> Option<Unit> {
    let text = text.trim();
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-').map(number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (time, zone) = match rest.find(['Z', 'z', '+', '-']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut parts = time.split(':').map(number);
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let offset = match zone.strip_prefix(['+', '-']) {
        Some(zone) => {
            let (hours, minutes) = match zone.split_once(':') {
                Some(parts) => parts,
                None if zone.len() == 4 && zone.is_ascii() => zone.split_at(2),
                None => (zone, "0"),
            };
            number(hours)? * 3600 + number(minutes)? * 60
        }
        None => 0,
    };
    let offset = if rest[time_end(rest)..].starts_with('-') { -offset } else { offset };
    let seconds = civil(year, month, day, hour * 3600 + minute * 60 + second)? - offset;
    let fraction: String = fraction.chars().take(6).collect();
    let fraction =
        if fraction.is_empty() { 0 } else { number(&fraction)? * 10_i64.pow(6 - fraction.len() as u32) };
    seconds.checked_mul(1_000_000)?.checked_add(fraction).map(Unit)
}

fn time_end(rest: &str) -> usize {
    rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len())
}

/// A number of at most nine digits and nothing else.
pub fn number(text: &str) -> Option<i64> {
    let is_number = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// Whole seconds.
pub fn seconds(seconds: i64) -> Option<Unit> {
    seconds.checked_mul(1_000_000).map(Unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(civil(1970, 1, 1, 0), Some(0));
        assert_eq!(civil(2000, 2, 29, 1), Some(951_782_401));
        assert_eq!(civil(2026, 11, 21, 0), Some(1_795_219_200));
        assert_eq!(civil(2023, 2, 29, 0), None);
        assert_eq!(civil(2023, 13, 1, 0), None);
    }

    #[test]
    fn iso_times_with_and_without_zones() {
        let at = |text| iso(text).map(|time| time.to_string());
        assert_eq!(at("2024-05-01T10:00:00Z").as_deref(), Some("1714557600"));
        assert_eq!(at("2024-05-01T12:00:00.25+02:00").as_deref(), Some("1714557600.25"));
        assert_eq!(at("2024-05-01 08:00:00-0200").as_deref(), Some("1714557600"));
        assert_eq!(at("2024-05-01"), None);
        assert_eq!(at("2024-05-01T25:00:00Z"), None);
    }
}
