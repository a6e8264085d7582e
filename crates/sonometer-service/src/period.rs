//! Billing periods: calendar months of UTC.

use crate::refusal::Refusal;
use jiff::tz::Offset;
use jiff::{Timestamp, civil};
use std::fmt;

/// A month, `2026-11`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period {
    year: i16,
    month: i8,
}

impl Period {
    /// The month in which a moment lies (milliseconds since 1970).
    pub fn at(now_ms: i64) -> Self {
        let date = Offset::UTC.to_datetime(timestamp(now_ms)).date();
        Self { year: date.year(), month: date.month() }
    }

    /// Reads `YYYY-MM`; `None` for anything else, and for years before 1970 or beyond 9998.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        let digits = |text: &str, count| text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(year, 4) || !digits(month, 2) {
            return None;
        }
        let (year, month) = (year.parse().ok()?, month.parse().ok()?);
        ((1970..=9998).contains(&year) && (1..=12).contains(&month)).then_some(Self { year, month })
    }

    /// Reads the parameter `period` of a request.
    pub(crate) fn asked(text: &str) -> Result<Self, Refusal> {
        let message = "`period` is not a month; write it like `2026-11`";
        Self::parse(text).ok_or_else(|| Refusal::invalid("period", message))
    }

    /// When the month before this one began, in milliseconds since 1970.
    pub(crate) fn start_of_last_ms(self) -> i64 {
        let (year, month) = if self.month == 1 { (self.year - 1, 12) } else { (self.year, self.month - 1) };
        let start = civil::date(year, month, 1).at(0, 0, 0, 0);
        Offset::UTC.to_timestamp(start).map_or(0, Timestamp::as_millisecond)
    }

    /// When the month begins and when the next one does, in milliseconds since 1970.
    pub(crate) fn span_ms(self) -> (i64, i64) {
        let start = |year: i16, month: i8| {
            let start = civil::date(year, month, 1).at(0, 0, 0, 0);
            Offset::UTC.to_timestamp(start).map_or(i64::MAX, Timestamp::as_millisecond)
        };
        let (year, month) = if self.month == 12 { (self.year + 1, 1) } else { (self.year, self.month + 1) };
        (start(self.year, self.month), start(year, month))
    }

    /// When the next period begins: the reset, ISO 8601.
    pub fn reset(self) -> String {
        let (year, month) = if self.month == 12 { (self.year + 1, 1) } else { (self.year, self.month + 1) };
        let start = civil::date(year.min(9999), month, 1).at(0, 0, 0, 0);
        Offset::UTC.to_timestamp(start).map(|timestamp| timestamp.to_string()).unwrap_or_default()
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

/// A moment as ISO 8601 in UTC.
pub fn iso(ms: i64) -> String {
    timestamp(ms).to_string()
}

fn timestamp(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or(if ms < 0 { Timestamp::MIN } else { Timestamp::MAX })
}

/// What to write where an end was meant and [`parse_moment`] finds none. The last moment is that of the library behind it.
pub const MOMENT_WANTED: &str =
    "write a time such as 2027-01-31T12:00:00Z, a date, or never; at the latest 9999-12-30";

/// Reads a moment, ISO 8601 with an offset, or a date (its beginning in UTC); `None` for anything else.
pub fn parse_moment(text: &str) -> Option<i64> {
    let moment = text.parse::<Timestamp>().ok().or_else(|| {
        let date = text.parse::<civil::Date>().ok()?;
        Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()
    });
    moment.map(Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_begin_at_midnight_utc() {
        let last = parse_moment("2026-11-30T23:59:59.999Z").expect("is a moment");
        assert_eq!(Period::at(last).to_string(), "2026-11");
        assert_eq!(Period::at(last).reset(), "2026-12-01T00:00:00Z");
        assert_eq!(Period::at(last + 1).to_string(), "2026-12");
        assert_eq!(Period::at(last + 1).reset(), "2027-01-01T00:00:00Z");
        assert_eq!(iso(Period::at(last).start_of_last_ms()), "2026-10-01T00:00:00Z");
        assert_eq!(iso(last), "2026-11-30T23:59:59.999Z");
        assert_eq!(parse_moment("2026-12-01"), Some(last + 1));
    }

    #[test]
    fn reads_months_and_nothing_else() {
        assert_eq!(Period::parse("2026-02").map(|p| p.to_string()).as_deref(), Some("2026-02"));
        for bad in
            ["", "2026", "2026-00", "2026-13", "2026-1", "26-01", "2026-011", "2026/01", "+026-01", "9999-01"]
        {
            assert_eq!(Period::parse(bad), None, "{bad}");
        }
    }
}
