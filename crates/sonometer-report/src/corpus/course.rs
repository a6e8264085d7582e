//! Scores by time, where talks have dates. Periods grow with the time that a corpus spans, so that they fit side by side into a drawing, and
//! their number is bounded.

use sonometer::Unit;
use std::collections::BTreeMap;

/// Seconds of 1973-03-03: times before it count from the beginning of a talk and are no dates.
const FIRST_DATE: i64 = 100_000_000;
/// The most periods from the first to the last, empty ones included; where there are more, each becomes longer.
const MOST: u64 = 60;
/// The lengths of periods in seconds, with what they are called.
const LENGTHS: [(i64, &str); 6] = [
    (3_600, "hour"),
    (86_400, "day"),
    (7 * 86_400, "week"),
    (28 * 86_400, "four weeks"),
    (364 * 86_400, "52 weeks"),
    (3_640 * 86_400, "520 weeks"),
];
/// 1969-12-29 was a Monday: weeks begin there.
const MONDAY: i64 = -3 * 86_400;

/// What was measured in each period.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    /// The length of a period, as a place in `LENGTHS`.
    length: usize,
    /// By the number of the period: how many talks, and the sum of their scores in millionths.
    periods: BTreeMap<i64, (u64, i128)>,
}

/// A period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Period {
    /// When it begins, for programs: `2026-11-24`, with the hour where periods are hours. In UTC.
    pub(crate) from: String,
    /// The same for people: `24 Nov 2026`, `24 Nov 2026, 17:00`.
    pub(crate) shown: String,
    /// Talks with a score.
    pub(crate) count: u64,
    pub(crate) mean: Unit,
}

impl Course {
    /// Counts a talk that began then, if that is a date.
    pub(crate) fn add(&mut self, time: Unit, score: Unit) {
        let seconds = time.0.div_euclid(1_000_000);
        if seconds < FIRST_DATE {
            return;
        }
        let period = self.periods.entry(number(seconds, self.length)).or_default();
        period.0 += 1;
        period.1 += i128::from(score.0);
        while self.span() > MOST && self.length + 1 < LENGTHS.len() {
            self.lengthen();
        }
    }

    fn lengthen(&mut self) {
        let before = self.length;
        self.length += 1;
        for (period, (count, sum)) in std::mem::take(&mut self.periods) {
            let longer = self.periods.entry(number(begin(period, before), self.length)).or_default();
            longer.0 += count;
            longer.1 += sum;
        }
    }

    /// From the first period to the last.
    fn span(&self) -> u64 {
        match (self.periods.keys().next(), self.periods.keys().next_back()) {
            (Some(first), Some(last)) => (last - first + 1).unsigned_abs(),
            _ => 0,
        }
    }

    /// `day`
    pub(crate) fn length(&self) -> &'static str {
        LENGTHS[self.length].1
    }

    /// The periods that have talks, in order; with those between them that have none there would be this many.
    pub(crate) fn periods(&self) -> (Vec<Period>, u64) {
        let period = |(at, (count, sum)): (&i64, &(u64, i128))| Period {
            from: Moment::of(begin(*at, self.length)).for_programs(self.length == 0),
            shown: Moment::of(begin(*at, self.length)).for_people(self.length == 0),
            count: *count,
            mean: Unit::ratio(*sum, 1_000_000 * i128::from(*count)),
        };
        (self.periods.iter().map(period).collect(), self.span())
    }

    /// Where each period stands on the way from the first to the last, with its mean.
    pub(crate) fn places(&self) -> Vec<(u64, Unit)> {
        let first = self.periods.keys().next().copied().unwrap_or(0);
        let place = |(at, (count, sum)): (&i64, &(u64, i128))| {
            ((at - first).unsigned_abs(), Unit::ratio(*sum, 1_000_000 * i128::from(*count)))
        };
        self.periods.iter().map(place).collect()
    }
}

fn number(seconds: i64, length: usize) -> i64 {
    (seconds - MONDAY).div_euclid(LENGTHS[length].0)
}

fn begin(number: i64, length: usize) -> i64 {
    number * LENGTHS[length].0 + MONDAY
}

/// A moment in UTC.
#[derive(Clone, Copy, Debug)]
struct Moment {
    year: i64,
    /// From 1.
    month: i64,
    day: i64,
    hour: i64,
}

/// As people write them beside a day.
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl Moment {
    /// By the calendar of days since 1970 (Howard Hinnant, *chrono-compatible low-level date algorithms*).
    fn of(seconds: i64) -> Self {
        let days = seconds.div_euclid(86_400) + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self { year, month, day, hour: seconds.rem_euclid(86_400) / 3_600 }
    }

    /// `2026-11-24`, `2026-11-24 17:00`
    fn for_programs(self, with_hour: bool) -> String {
        let Self { year, month, day, hour } = self;
        let clock = if with_hour { format!(" {hour:02}:00") } else { String::new() };
        format!("{year:04}-{month:02}-{day:02}{clock}")
    }

    /// `24 Nov 2026`, `24 Nov 2026, 17:00`
    fn for_people(self, with_hour: bool) -> String {
        let Self { year, month, day, hour } = self;
        let clock = if with_hour { format!(", {hour:02}:00") } else { String::new() };
        let month = MONTHS[usize::try_from(month - 1).unwrap_or(0)];
        format!("{day} {month} {year}{clock}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_dates() {
        assert_eq!(Moment::of(0).for_programs(true), "1970-01-01 00:00");
        assert_eq!(Moment::of(951_782_400).for_programs(false), "2000-02-29");
        assert_eq!(Moment::of(1_795_543_199).for_programs(true), "2026-11-24 17:00");
        assert_eq!(Moment::of(1_795_543_199).for_people(true), "24 Nov 2026, 17:00");
        let monday = Moment::of(begin(number(1_795_543_199, 2), 2));
        assert_eq!(monday.for_people(false), "23 Nov 2026", "weeks begin on Mondays");
    }

    #[test]
    fn periods_grow_with_the_time_they_span() {
        let mut course = Course::default();
        course.add(Unit(5_000_000), Unit::ONE);
        assert_eq!(course.periods(), (Vec::new(), 0), "five seconds into a talk are no date");
        for day in 0..59 {
            course.add(Unit((1_767_225_600 + day * 86_400) * 1_000_000), Unit(day * 10_000));
        }
        let (periods, span) = course.periods();
        assert_eq!((course.length(), periods.len(), span), ("day", 59, 59));
        for day in 59..400 {
            course.add(Unit((1_767_225_600 + day * 86_400) * 1_000_000), Unit::ONE);
        }
        let (periods, span) = course.periods();
        assert_eq!((course.length(), periods.len(), span), ("week", 58, 58));
        assert_eq!((periods[0].from.as_str(), periods[0].count), ("2025-12-29", 4));
        assert_eq!(periods.iter().map(|period| period.count).sum::<u64>(), 400);
        let mut few = Course::default();
        [0, 5, 30]
            .iter()
            .for_each(|hour| few.add(Unit((1_767_225_600 + hour * 3_600) * 1_000_000), Unit::ONE));
        assert_eq!((few.length(), few.periods().1), ("hour", 31));
        few.add(Unit((1_767_225_600 + 300 * 86_400) * 1_000_000), Unit::ONE);
        let (periods, span) = few.periods();
        assert_eq!(
            (few.length(), periods.len(), span),
            ("week", 2, 44),
            "few talks over a long time are not by hours"
        );
        let mut far = Course::default();
        (1..9_000).for_each(|step| far.add(Unit(step * 1_000_000_000_000_000), Unit::ONE));
        assert!(far.periods().0.len() < 9_000, "is bounded by the longest period");
    }
}
