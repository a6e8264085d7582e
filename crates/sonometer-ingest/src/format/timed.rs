//! Transcripts and chats in which each turn has a name and a time, as programs for meetings and live chats write or copy them:
//!
//! ```text
//! Ann Lee  0:05            [09:14:22] Ann Lee: Good morning.        09:14:22 From Ann Lee to Everyone:
//! Good morning.            09:14 <Ann> Good morning.                        Good morning.
//! ```
//!
//! Lines without a head go on with the turn before.

use super::captions::{lines, role};
use crate::draft::{Draft, counted};
use crate::error::{ReadError, Reason};
use crate::map::Place;
use crate::{Hints, Ingested, Kind, Limits};
use sonometer::Unit;
use sonometer::interaction::moment::{self, number};

/// The lines that are looked at to see whether a text is such a transcript, and in how many of the first a turn must begin: above it
/// stand a title and a date.
const LOOKED_AT: (usize, usize) = (400, 10);
/// The longest name, in characters and in words.
const NAME: (usize, usize) = (60, 6);
/// Where a log has these, a chat has a name.
const LEVELS: [&str; 10] =
    ["trace", "debug", "info", "notice", "warn", "warning", "error", "critical", "fatal", "panic"];

/// The beginning of a turn.
#[derive(Debug, PartialEq)]
pub(crate) struct Head<'l> {
    pub(crate) name: &'l str,
    pub(crate) clock: Clock,
    /// What is said on the same line; may be empty.
    pub(crate) said: &'l str,
}

/// A time as it is written: `9:14`, `0:09:14`, `9:14 PM`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clock {
    /// Hours, minutes and seconds. Two numbers are the last two, until [`Times::of`] has seen all.
    numbers: [i64; 3],
    has_hours: bool,
}

/// Whether lines of a text begin turns with a name and a time: `Ann  0:05`, `[09:14] Ann: Good morning.`
pub fn is_timed(text: &str) -> bool {
    is_one(text.lines())
}

/// Whether a turn begins near the top, and somebody speaks twice. Lists with times, such as a timetable, have a name once.
pub(crate) fn is_one<'l>(lines: impl Iterator<Item = &'l str>) -> bool {
    let mut names: Vec<&str> = Vec::new();
    let filled = lines.filter(|line| !line.trim().is_empty());
    for (at, line) in filled.take(LOOKED_AT.0).enumerate() {
        match head(line) {
            Some(Head { name, .. }) if names.contains(&name) => return true,
            Some(Head { name, .. }) => names.push(name),
            None if names.is_empty() && at + 1 >= LOOKED_AT.1 => return false,
            None => {}
        }
    }
    false
}

/// Reads it.
pub(crate) fn read(text: &str, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let heads: Vec<Option<Head<'_>>> = lines(text).map(head).collect();
    let clocks: Vec<Clock> = heads.iter().flatten().map(|head| head.clock).collect();
    if clocks.is_empty() {
        let message = "no line begins a turn with a name and a time, like `Ann  0:05` or `[09:14] Ann: text`; read it as text, or \
                       as `turns` if lines begin like `Ann: text`";
        return Err(ReadError::new(Reason::Broken, "", message));
    }
    let mut draft = Draft::new(limits);
    let all = Times::of(&clocks);
    let mut times = all.iter().flat_map(|times| &times.seconds);
    let (mut before, mut notices) = (0, 0);
    for (number, (line, head)) in (1..).zip(lines(text).zip(&heads)) {
        match head {
            Some(Head { name, said, .. }) => {
                draft.turn(Some((*name).to_owned()), times.next().copied().flatten())?;
                draft.further("\n", said, Place::line(number))?;
            }
            None if line.trim().is_empty() => {}
            None if is_notice(line) => notices += 1,
            None if draft.last_role().is_none() => before += 1,
            None => draft.further("\n", line, Place::line(number))?,
        }
    }
    notes(before, notices, all.as_ref()).into_iter().for_each(|note| draft.note(note));
    draft.finish(Kind::Timed, hints)
}

/// What programs for meetings write among the turns.
pub(crate) fn is_notice(line: &str) -> bool {
    let line = line.trim();
    line.ends_with("started transcription")
        || line.ends_with("stopped transcription")
        || line.starts_with("Transcribed by https://")
}

/// What a line says of a turn that begins in it.
pub(crate) fn head(line: &str) -> Option<Head<'_>> {
    let line = line.trim();
    let head = time_first(line).or_else(|| name_first(line))?;
    let is_level = LEVELS.iter().any(|level| head.name.eq_ignore_ascii_case(level));
    (!is_level).then_some(head)
}

/// `[09:14:22] Ann: text`, `09:14 <Ann> text`, `09:14:22 From Ann to Everyone: text`.
fn time_first(line: &str) -> Option<Head<'_>> {
    let (clock, rest) = match line.strip_prefix(['[', '(']) {
        Some(inner) => {
            let (inside, rest) = inner.split_once([']', ')'])?;
            (Clock::of(inside.trim())?, rest)
        }
        None => Clock::before(line)?,
    };
    let rest = rest.trim_start_matches([' ', '\t', '-', '–', '|']);
    if let Some(rest) = rest.strip_prefix('<') {
        let (name, said) = rest.split_once('>')?;
        return is_name(name).then(|| Head { name, clock, said: said.trim() });
    }
    let from = rest.strip_prefix("From ").and_then(|rest| rest.split_once(':'));
    let (name, said) = match from {
        Some((who, said)) => (who.split_once(" to ").map_or(who, |(from, _)| from).trim(), said.trim()),
        None => role(rest)?,
    };
    is_name(name).then_some(Head { name, clock, said })
}

/// `Ann Lee  0:05`, `Ann Lee (00:05):`, `[Ann Lee] 09:14:22`: a line by itself.
fn name_first(line: &str) -> Option<Head<'_>> {
    let line = line.strip_suffix(':').unwrap_or(line);
    let (name, clock) = match line.strip_suffix([')', ']']) {
        Some(inner) => {
            let (name, inside) = inner.rsplit_once(['(', '['])?;
            (name, Clock::of(inside.trim())?)
        }
        None => Clock::behind(line)?,
    };
    // With one space only, `we met at 9:14` would be a head, too.
    let is_apart =
        name.ends_with(['\t', '|', '—', '–']) || name.ends_with("  ") || line.ends_with([')', ']']);
    let name = name.trim_end_matches([' ', '\t', '|', '—', '–', '-', ',']);
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    let is_title = !name.split_whitespace().any(|word| word.starts_with(char::is_lowercase));
    (is_name(name) && (is_apart || is_title)).then_some(Head { name, clock, said: "" })
}

/// Dates have two numbers (`March 12, 2026`), names at most one (`Speaker 1`).
fn is_name(name: &str) -> bool {
    name.starts_with(char::is_alphabetic)
        && name.split_whitespace().filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).count() < 2
        && name.chars().count() <= NAME.0
        && name.split_whitespace().count() <= NAME.1
        && !name.contains([':', '!', '?', '"', '\t'])
}

impl Clock {
    /// All of a text.
    fn of(text: &str) -> Option<Self> {
        let lower = text.to_ascii_lowercase();
        let half =
            ["am", "pm"].into_iter().find_map(|half| Some((lower.strip_suffix(half)?.trim_end(), half)));
        let (digits, half) = half.map_or((lower.as_str(), None), |(digits, half)| (digits, Some(half)));
        // Fractions of a second are left out.
        let (digits, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        number(fraction)?;
        let parts: Vec<i64> = digits.split(':').map(number).collect::<Option<_>>()?;
        let has_hours = half.is_some() || parts.len() == 3;
        let [hour, minute, second] = match *parts.as_slice() {
            [hour, minute] if has_hours => [hour, minute, 0],
            [first, second] => [0, first, second],
            [hour, minute, second] => [hour, minute, second],
            _ => return None,
        };
        let hour = match half {
            Some("pm") if hour < 12 => hour + 12,
            Some("am") if hour == 12 => 0,
            _ => hour,
        };
        let holds = hour < 100 && second < 60 && minute < if has_hours { 60 } else { 1_000 };
        holds.then_some(Self { numbers: [hour, minute, second], has_hours })
    }

    /// One that a line begins with, and what follows behind a gap.
    fn before(line: &str) -> Option<(Self, &str)> {
        let (first, rest) = line.split_once([' ', '\t'])?;
        let half =
            rest.get(..2).filter(|half| half.eq_ignore_ascii_case("am") || half.eq_ignore_ascii_case("pm"));
        match half {
            Some(half) if rest[2..].starts_with([' ', '\t']) => {
                Some((Self::of(&format!("{first} {half}"))?, &rest[2..]))
            }
            _ => Some((Self::of(first)?, rest)),
        }
    }

    /// One that a line ends with, and what stands before it, up to and with the gap.
    fn behind(line: &str) -> Option<(&str, Self)> {
        let cut = |line: &str| line.rfind([' ', '\t']).map(|at| at + 1);
        let at = cut(line)?;
        let is_half = ["am", "pm"].iter().any(|half| line[at..].eq_ignore_ascii_case(half));
        let at = if is_half { cut(line[..at].trim_end())? } else { at };
        Some((&line[..at], Self::of(&line[at..])?))
    }
}

/// The times of all turns.
pub(crate) struct Times {
    pub(crate) seconds: Vec<Option<Unit>>,
    /// Two numbers were taken for hours and minutes.
    are_hours: bool,
}

impl Times {
    /// `None` if they go back.
    ///
    /// Two numbers are minutes and seconds beside times with hours, if the first of all is 0 or one is too large for an hour.
    pub(crate) fn of(clocks: &[Clock]) -> Option<Self> {
        let are_hours = clocks.iter().all(|clock| !clock.has_hours && clock.numbers[1] < 24)
            && clocks.first().is_some_and(|first| first.numbers[1] > 0);
        let seconds = |clock: &Clock| {
            let [hours, minutes, seconds] = clock.numbers;
            match are_hours {
                true => minutes * 3_600 + seconds * 60,
                false => hours * 3_600 + minutes * 60 + seconds,
            }
        };
        let all: Vec<i64> = clocks.iter().map(seconds).collect();
        all.is_sorted().then(|| Self { seconds: all.into_iter().map(moment::seconds).collect(), are_hours })
    }
}

/// What a person should know: how many lines stand before the first name, how many notices were left out, how times were read.
pub(crate) fn notes(before: usize, notices: usize, times: Option<&Times>) -> Vec<String> {
    let before = (before > 0).then(|| format!("left out {} before the first name", counted(before, "line")));
    let notices = (notices > 0).then(|| format!("left out {} of the program", counted(notices, "notice")));
    let how = match times {
        None => Some("the times go back, so they are left out".to_owned()),
        Some(Times { are_hours: true, .. }) => {
            Some("times such as 9:14 are read as hours and minutes".to_owned())
        }
        Some(_) => None,
    };
    [before, notices, how].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let read = match read(text, &Hints::default(), &Limits::default()) {
            Ok(read) => read,
            Err(failure) => return vec![failure.to_string()],
        };
        let turn = |turn: &sonometer::Turn| {
            let time = turn.timestamp.map_or_else(|| "?".to_owned(), |time| time.to_string());
            format!("{time} {}: {}", turn.role.as_deref().unwrap_or_default(), turn.content)
        };
        read.interaction.turns().iter().map(turn).chain(read.notes).collect()
    }

    #[test]
    fn transcripts_of_meetings() {
        let copied = "Weekly call\nMarch 12, 2026, 9:14AM\n\nAnn Lee started transcription\n\nAnn Lee   0:03\nGood morning.\nHow are you?\n\n\
                      bo van Dam\t1:00:05\nFine: thanks.\n\nAnn Lee   1:00:09\nGood.\n\nTranscribed by https://otter.example\n";
        assert!(is_timed(copied));
        assert_eq!(
            told(copied),
            [
                "3 Ann Lee: Good morning.\nHow are you?",
                "3605 bo van Dam: Fine: thanks.",
                "3609 Ann Lee: Good.",
                "left out 2 lines before the first name",
                "left out 2 notices of the program"
            ]
        );
        let bracketed = "Speaker 1 (00:01):\nHi.\n\nSpeaker 2 (00:04):\nHello.\n\nSpeaker 1 (00:07):\nBye.\n";
        assert!(is_timed(bracketed));
        assert_eq!(told(bracketed), ["1 Speaker 1: Hi.", "4 Speaker 2: Hello.", "7 Speaker 1: Bye."]);
        let named = "[Ann Lee] 09:14:22\nHi.\n\n[Bo] 09:14:30\nHello.\n\n[Ann Lee] 09:15:00\nBye.\n";
        assert!(is_timed(named));
        assert_eq!(told(named)[1], "33270 Bo: Hello.");
    }

    #[test]
    fn paragraphs_of_a_document() {
        let text = b"Weekly call\n\nAnn Lee   0:03\nHi.\n\nBo   0:05\nFine: thanks.\n\nAnn Lee   0:09\nMenu:\nLunch at 12:30\n";
        let hints = Hints { turns: true, ..Hints::default() };
        let read = crate::format::read(Kind::Text, text, &hints, &Limits::default()).expect("is sound");
        let turns: Vec<_> = read.interaction.turns().iter().collect();
        assert_eq!(turns.len(), 3);
        assert_eq!((turns[1].role.as_deref(), &*turns[1].content), (Some("Bo"), "Fine: thanks."));
        assert_eq!(turns[2].timestamp.map(|time| time.to_string()), Some("9".to_owned()));
        assert_eq!(read.notes, ["left out 1 line before the first name"]);
        // Where roles have no times, a line with one is what is said.
        let text = b"agent: The menu:\nLunch 12:30\nagent: Bye\n";
        let read = crate::format::read(Kind::Text, text, &hints, &Limits::default()).expect("is sound");
        assert_eq!(&*read.interaction.turns()[0].content, "The menu:\nLunch 12:30");
    }

    #[test]
    fn live_chats() {
        let chat = "(09:14:22 AM) Visitor 123: Hi: my router is dead\n(01:00:02 PM) Ann: Good morning.\nHow can I help?\n(1:00:10 PM) Visitor 123: Thanks\n";
        assert!(is_timed(chat));
        assert_eq!(
            told(chat),
            [
                "33262 Visitor 123: Hi: my router is dead",
                "46802 Ann: Good morning.\nHow can I help?",
                "46810 Visitor 123: Thanks"
            ]
        );
        let meeting = "09:14:22 From Ann Lee to Everyone:\n\tGood morning\n09:15:00 From  Bo : hello\n09:16:00 From Ann Lee  to  Bo(Direct Message) : hi\n";
        assert!(is_timed(meeting));
        assert_eq!(told(meeting), ["33262 Ann Lee: Good morning", "33300 Bo: hello", "33360 Ann Lee: hi"]);
        let lines = "09:14 <ann> hi all\n09:15 <bo> hello\n09:15 <ann> bye\n";
        assert!(is_timed(lines));
        assert_eq!(
            told(lines),
            [
                "33240 ann: hi all",
                "33300 bo: hello",
                "33300 ann: bye",
                "times such as 9:14 are read as hours and minutes"
            ]
        );
        let slack = "Ann Lee  11:59 PM\nhi\nBo  12:01 AM\nhello\nAnn Lee  12:02 AM\nbye\n";
        assert!(is_timed(slack));
        assert_eq!(
            told(slack),
            ["? Ann Lee: hi", "? Bo: hello", "? Ann Lee: bye", "the times go back, so they are left out"]
        );
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "Breakfast  8:00\nToast\nLunch  12:30\nSoup\nDinner  19:00\nRice\n",
            "[09:14:22] INFO: started\n[09:14:23] INFO: ready\n",
            "We met at 9:14\nand we met again at 9:20\nwe met at 9:14\nwe met at 9:14\n",
            "Ann: hi\nBo: hello\nAnn: bye\n",
            "1:1 In the beginning\n1:2 And\n1:3 And\n",
            "",
        ] {
            assert!(!is_timed(text), "{text:?}");
        }
        let late = "x\n".repeat(LOOKED_AT.1) + "Ann  0:01\nHi\nAnn  0:02\nHi\n";
        assert!(!is_timed(&late));
        assert!(told("hello")[0].contains("no line begins a turn with a name and a time"));
    }
}
