//! Chats that WhatsApp exported as text, from phones of either kind and with dates of several countries.
//!
//! A message begins with a date and a time, in brackets (iPhone) or before ` - ` (Android), and a name with a colon; other lines
//! go on with the message before. What has a date and no name is the program speaking (encryption, who joined) and is left out.

use crate::draft::{Draft, counted};
use crate::error::{ReadError, Reason};
use crate::map::Place;
use crate::{Hints, Ingested, Kind, Limits};
use sonometer::Unit;
use sonometer::interaction::moment::{self, number};

/// What stands in the place of things that were sent without text.
const OMITTED: [&str; 12] = [
    "<media omitted>",
    "<medien ausgeschlossen>",
    "<multimedia omitido>",
    "image omitted",
    "video omitted",
    "audio omitted",
    "sticker omitted",
    "gif omitted",
    "document omitted",
    "bild weggelassen",
    "audio weggelassen",
    "video weggelassen",
];

/// What the program itself says with a colon after it, by what follows the name.
const NOTICES: [&str; 3] = [
    "messages and calls are end-to-end encrypted",
    "nachrichten und anrufe sind ende-zu-ende-verschlüsselt",
    "los mensajes y las llamadas están cifrados de extremo a extremo",
];

/// Whether the first line is a message or a notice with a date, and a second one follows or it names somebody.
pub(crate) fn is_one(text: &str) -> bool {
    let mut lines = text.lines().map(clean).filter(|line| !line.trim().is_empty());
    let Some((_, rest)) = lines.next().as_deref().and_then(stamp).map(|(date, rest)| (date, rest.to_owned()))
    else {
        return false;
    };
    rest.contains(": ") && !rest.starts_with(':') || lines.take(50).any(|line| stamp(&line).is_some())
}

/// Reads it.
pub(crate) fn read(text: &str, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let mut draft = Draft::new(limits);
    let lines: Vec<(u32, String)> = (1..).zip(text.lines().map(clean)).collect();
    let stamps: Vec<[i64; 3]> =
        lines.iter().filter_map(|(_, line)| stamp(line)).map(|(stamp, _)| stamp.date).collect();
    if stamps.is_empty() {
        let message = "no line has the form of a WhatsApp export, `[31/12/24, 10:15:00] Name: text` or `31/12/24, 10:15 \
                       - Name: text`; read it as text";
        return Err(ReadError::new(Reason::Broken, "", message));
    }
    let order = Order::of(&stamps);
    if let Order::Unclear = order {
        draft.note("the dates are ambiguous; read with the day first");
    }
    let (mut omitted, mut notices) = (0, 0);
    let mut is_open = false;
    for (number, line) in &lines {
        match stamp(line) {
            Some((stamp, rest)) => {
                let named = rest.split_once(": ").or_else(|| rest.strip_suffix(':').map(|name| (name, "")));
                let named = named.filter(|(name, said)| {
                    !name.is_empty()
                        && name.chars().count() <= 60
                        && !NOTICES.iter().any(|notice| said.to_lowercase().contains(notice))
                });
                match named {
                    Some((_, said)) if is_omitted(said) => {
                        omitted += 1;
                        is_open = false;
                    }
                    Some((name, said)) => {
                        draft.turn(Some(name.trim().to_owned()), order.time(&stamp))?;
                        draft.further("\n", said, Place::line(*number))?;
                        is_open = true;
                    }
                    None => {
                        notices += 1;
                        is_open = false;
                    }
                }
            }
            None if is_open => draft.further("\n", line, Place::line(*number))?,
            None => {}
        }
    }
    if omitted > 0 {
        draft.note(format!("left out {} without text (such as pictures)", counted(omitted, "message")));
    }
    if notices > 0 {
        draft.note(format!("left out {} of the program", counted(notices, "notice")));
    }
    draft.finish(Kind::WhatsApp, hints)
}

/// A line without the direction marks and odd spaces that phones put in.
fn clean(line: &str) -> String {
    let line = line.trim_start_matches('\u{feff}');
    let kept = line.chars().filter(|c| !matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202c}'));
    kept.map(|c| if matches!(c, '\u{202f}' | '\u{a0}') { ' ' } else { c }).collect()
}

fn is_omitted(said: &str) -> bool {
    let said = said.trim().to_lowercase();
    OMITTED.contains(&said.as_str()) || said.starts_with("<attached:") || said.starts_with("<anhang:")
}

/// A date as three numbers in the order in which they are written, and the seconds of the day.
struct Stamp {
    date: [i64; 3],
    time: i64,
}

/// The date and time that a line begins with, and what follows.
fn stamp(line: &str) -> Option<(Stamp, &str)> {
    let (head, rest) = match line.strip_prefix('[') {
        Some(inner) => inner.split_once(']').map(|(head, rest)| (head, rest.trim_start()))?,
        None => line.split_once(" - ")?,
    };
    if head.len() > 40 || !head.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (date, time) = match head.split_once(',') {
        Some(parts) => parts,
        None => head.split_once(' ')?,
    };
    let numbers: Vec<i64> =
        date.trim().trim_end_matches('.').split(['/', '.', '-']).map(number).collect::<Option<_>>()?;
    let date: [i64; 3] = numbers.try_into().ok()?;
    let time = time.trim().to_lowercase().replace('.', ":");
    let time = time.strip_prefix("um ").unwrap_or(&time);
    let (clock, half) = match time.find(|c: char| !c.is_ascii_digit() && c != ':') {
        Some(at) => (&time[..at], time[at..].replace([':', ' '], "")),
        None => (time, String::new()),
    };
    let mut parts = clock.trim_end_matches(':').split(':').map(number);
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    let hour = match half.as_str() {
        "pm" if hour < 12 => hour + 12,
        "am" if hour == 12 => 0,
        "am" | "pm" | "" | "uhr" => hour,
        _ => return None,
    };
    let holds = hour < 24 && minute < 60 && second < 60 && parts.next().is_none();
    holds.then_some((Stamp { date, time: hour * 3600 + minute * 60 + second }, rest))
}

/// What the numbers of a date are.
enum Order {
    DayMonthYear,
    MonthDayYear,
    YearMonthDay,
    /// Day first, for want of anything better.
    Unclear,
}

impl Order {
    fn of(dates: &[[i64; 3]]) -> Self {
        if dates.iter().all(|date| date[0] > 99) {
            Self::YearMonthDay
        } else if dates.iter().any(|date| date[0] > 12) {
            Self::DayMonthYear
        } else if dates.iter().any(|date| date[1] > 12) {
            Self::MonthDayYear
        } else {
            // Dates do not go back: of the two readings one may.
            let sorted =
                |day: usize, month: usize| dates.is_sorted_by_key(|date| (date[2], date[month], date[day]));
            match (sorted(0, 1), sorted(1, 0)) {
                (true, false) => Self::DayMonthYear,
                (false, true) => Self::MonthDayYear,
                _ => Self::Unclear,
            }
        }
    }

    fn time(&self, stamp: &Stamp) -> Option<Unit> {
        let [a, b, c] = stamp.date;
        let (year, month, day) = match self {
            Self::DayMonthYear | Self::Unclear => (c, b, a),
            Self::MonthDayYear => (c, a, b),
            Self::YearMonthDay => (a, b, c),
        };
        let year = if year < 100 { year + 2000 } else { year };
        moment::seconds(moment::civil(year, month, day, stamp.time)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let read = read(text, &Hints::default(), &Limits::default()).expect("is sound");
        let turn = |turn: &sonometer::Turn| {
            let time = turn.timestamp.map_or_else(|| "?".to_owned(), |time| time.to_string());
            format!("{time} {}: {}", turn.role.as_deref().unwrap_or_default(), turn.content)
        };
        read.interaction.turns().iter().map(turn).chain(read.notes).collect()
    }

    #[test]
    fn exports_of_both_kinds_of_phones() {
        let iphone = "\u{200e}[31.12.24, 23:59:58] Ann: Happy\nnew year\n\u{200e}[01.01.25, 00:00:03] Bo Lee: \u{200e}image omitted\n[01.01.25, 00:01:00] Bo Lee: Thanks: you too\n";
        assert!(is_one(iphone));
        assert_eq!(
            told(iphone),
            [
                "1735689598 Ann: Happy\nnew year",
                "1735689660 Bo Lee: Thanks: you too",
                "left out 1 message without text (such as pictures)"
            ]
        );
        let android = "12/31/24, 11:59\u{202f}PM - Messages and calls are end-to-end encrypted. Tap to learn more.\n12/31/24, 11:59\u{202f}PM - Ann: Hi\n";
        assert!(is_one(android));
        assert_eq!(told(android), ["1735689540 Ann: Hi", "left out 1 notice of the program"]);
        assert_eq!(told("2024-05-01, 9:05 a.m. - Ann: Hi\n")[0], "1714554300 Ann: Hi");
        assert_eq!(told("01.05.24 um 09:05 Uhr - Ann: Hi\n")[0], "? Ann: Hi".replace('?', "1714554300"));
    }

    #[test]
    fn order_of_days_and_months() {
        let days = "03/04/24, 10:00 - A: x\n04/04/24, 10:00 - A: y\n01/05/24, 10:00 - A: z\n";
        assert_eq!(told(days)[0], "1712138400 A: x");
        assert!(told("03/04/24, 10:00 - A: x\n").iter().any(|note| note.contains("day first")));
    }

    #[test]
    fn other_texts_are_no_chats() {
        for text in [
            "[1] a footnote: x",
            "1 - a list: of things",
            "Dear all,\n12/31/24, 10:15 - A: x",
            "12/31/24 - x",
        ] {
            assert!(!is_one(text), "{text:?}");
        }
    }
}
