//! Captions of recordings: WebVTT and SubRip.

use crate::draft::Draft;
use crate::error::{ReadError, Reason};
use crate::map::Place;
use crate::{Hints, Ingested, Kind, Limits};
use sonometer::Unit;

/// The role where captions and recordings name nobody.
pub(crate) const NOBODY: &str = "speaker";
/// The longest role before a colon, in characters and in words; longer ones are what is said.
const ROLE: (usize, usize) = (40, 4);

/// Reads WebVTT: the captions of one voice (`<v name>`, or `name:` before the words) that follow each other are one turn, at
/// the time of the first.
///
/// # Errors
/// `broken` without the head `WEBVTT`, and as [`srt`].
pub fn vtt(text: &str, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let head = lines(text).next().unwrap_or_default();
    if !head.strip_prefix("WEBVTT").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
        let message = "the file does not begin with `WEBVTT`; is it SubRip (.srt)?";
        return Err(ReadError::new(Reason::Broken, "line 1", message));
    }
    captions(text, Kind::Vtt, hints, limits)
}

/// Reads SubRip, as [`vtt`].
///
/// # Errors
/// `broken` with its line for a time that is none; `no_text` where there are no captions.
pub fn srt(text: &str, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    captions(text, Kind::Srt, hints, limits)
}

/// A line of a caption.
pub(crate) struct Said {
    /// When the caption begins.
    pub(crate) start: Unit,
    /// When it ends, where that is said.
    #[cfg_attr(not(feature = "audio"), allow(dead_code))]
    pub(crate) end: Option<Unit>,
    /// Who speaks; whoever spoke last goes on where a caption names nobody.
    pub(crate) speaker: Option<String>,
    /// What is said; never blank.
    pub(crate) text: String,
}

/// The captions, line by line: in both forms, a line with an arrow between times, and the lines below it up to an empty one.
/// `names`: a line may begin with `name:`.
pub(crate) fn each(
    text: &str,
    names: bool,
    mut take: impl FnMut(Said) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut lines = (1..).zip(lines(text));
    let mut last: Option<String> = None;
    let mut is_any = false;
    while let Some((number, line)) = lines.next() {
        // Numbers, names, notes and styles have no arrow.
        let Some((start, rest)) = line.split_once("-->") else { continue };
        let Some(start) = seconds(start.trim()) else {
            let message = format!("`{}` is not a time; write for example 00:01:02.500", start.trim());
            return Err(ReadError::new(Reason::Broken, format!("line {number}"), message));
        };
        let end = rest.split_whitespace().next().and_then(seconds);
        let mut speaker = last.clone();
        for (_, line) in lines.by_ref().take_while(|(_, line)| !line.trim().is_empty()) {
            let shown = Shown::of(line);
            let (named, said) = match (shown.voice, role(&shown.text).filter(|_| names)) {
                (Some(voice), _) => (Some(voice), shown.text.trim()),
                (None, Some((role, said))) => (Some(role.to_owned()), said),
                (None, None) => (None, shown.text.trim()),
            };
            speaker = named.or(speaker);
            if said.is_empty() {
                continue;
            }
            is_any = true;
            last.clone_from(&speaker);
            take(Said { start, end, speaker: speaker.clone(), text: said.to_owned() })?;
        }
    }
    if !is_any {
        let message =
            "the file has no captions; each caption needs a line such as `00:00:01.000 --> 00:00:02.000`";
        return Err(ReadError::new(Reason::NoText, "", message));
    }
    Ok(())
}

/// The captions as turns.
fn captions(text: &str, kind: Kind, hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let mut draft = Draft::new(limits);
    each(text, true, |Said { start, speaker, text, .. }| {
        let speaker = speaker.unwrap_or_else(|| NOBODY.to_owned());
        if draft.last_role() != Some(speaker.as_str()) {
            draft.turn(Some(speaker), Some(start))?;
        }
        draft.further(" ", &text, Place::time(start))
    })?;
    draft.finish(kind, hints)
}

pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.strip_prefix('\u{feff}').unwrap_or(text).lines()
}

/// A role and what it says: `agent: Good morning.`
pub fn role(line: &str) -> Option<(&str, &str)> {
    let (role, said) = line.split_once(':')?;
    let role = role.trim();
    let is_role = role.starts_with(|first: char| first.is_alphabetic())
        && role.chars().count() <= ROLE.0
        && role.split_whitespace().count() <= ROLE.1
        && !role.contains(['.', ',', '!', '?', '"'])
        // `https://…` and `12:30` have no space.
        && (said.is_empty() || said.starts_with([' ', '\t']));
    is_role.then(|| (role, said.trim()))
}

/// The seconds of `1:02:03.500`, `02:03.5` or `00:02:03,500`.
fn seconds(time: &str) -> Option<Unit> {
    let (whole, fraction) = time.split_once(['.', ',']).unwrap_or((time, "0"));
    let parts: Vec<&str> = whole.split(':').collect();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !(2..=3).contains(&parts.len()) || !parts.iter().all(|part| digits(part)) || !digits(fraction) {
        return None;
    }
    let mut total = 0_u64;
    for part in &parts {
        total = total.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    Unit::parse(&format!("{total}.{fraction}"))
}

/// A line of a caption as it is shown.
struct Shown {
    /// The name in `<v name>`.
    voice: Option<String>,
    text: String,
}

impl Shown {
    fn of(line: &str) -> Self {
        let mut shown = Self { voice: None, text: String::with_capacity(line.len()) };
        let mut rest = line;
        while let Some(at) = rest.find('<') {
            shown.text.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            // Tags begin with a letter, `/` or a time.
            if !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/') {
                shown.text.push('<');
                continue;
            }
            let Some((tag, after)) = rest.split_once('>') else {
                // No other one ends either: to look for each of them would take a line of thousands too long.
                shown.text.push('<');
                break;
            };
            if let Some((name, annotation)) = tag.split_once([' ', '\t'])
                && (name == "v" || name.starts_with("v."))
            {
                shown.voice = Some(entities(annotation.trim()));
            }
            rest = after;
        }
        shown.text.push_str(rest);
        shown.text = entities(&shown.text);
        shown
    }
}

/// The text with the entities of WebVTT replaced.
fn entities(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&lrm;", ""), ("&rlm;", ""), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::turns::turns;

    type Reader = fn(&str, &Hints, &Limits) -> Result<Ingested, ReadError>;

    fn told(reader: Reader, text: &str) -> Vec<String> {
        match reader(text, &Hints::default(), &Limits::default()) {
            Err(failure) => vec![failure.to_string()],
            Ok(read) => (0..read.interaction.turns().len()).map(|at| show(&read, at)).collect(),
        }
    }

    fn show(read: &Ingested, at: usize) -> String {
        let turn = &read.interaction.turns()[at];
        let time = turn.timestamp.map_or_else(String::new, |time| format!("{time} "));
        format!("{time}{}: {}", turn.role.as_deref().unwrap_or_default(), turn.content)
    }

    #[test]
    fn lines_with_roles() {
        let text = "\u{feff}Agent: Good morning.\r\ncustomer: Hi: it is dead\nsee https://a.b at 12:30\n\nagent:\nI'm sorry.\n";
        assert_eq!(
            told(turns, text),
            [
                "Agent: Good morning.",
                "customer: Hi: it is dead\nsee https://a.b at 12:30",
                "agent: I'm sorry."
            ]
        );
        assert!(told(turns, "hello\na: b")[0].contains("line 1"));
        assert!(told(turns, "\n\n")[0].contains("no text"));
        let read = turns(text, &Hints::default(), &Limits::default()).expect("is sound");
        assert_eq!(read.place(1, 18).expect("has a place").to_string(), "line 3");
    }

    #[test]
    fn captions_of_webvtt() {
        let text = "WEBVTT - a talk\n\nNOTE\nwritten by hand\n\nSTYLE\n::cue { color: red }\n\nfirst\n00:01.500 --> 00:02.000 align:start\n\
                    <v.loud Ann Lee>Good <i>morning</i>,</v>\n<00:01.700>everyone\n\n00:03.000 --> 00:04.000\n<v Ann Lee>and welcome.\n\n\
                    01:00:05.000 --> 01:00:06.000\n<v Bo>3 &lt; 4 &amp; 2 < 3\n";
        assert_eq!(
            told(vtt, text),
            ["1.5 Ann Lee: Good morning, everyone and welcome.", "3605 Bo: 3 < 4 & 2 < 3"]
        );
        let read = vtt(text, &Hints::default(), &Limits::default()).expect("is sound");
        let place = |offset| read.place(0, offset).expect("has a place").to_string();
        assert_eq!((place(0), place(27)), ("00:00:01.5".to_owned(), "00:00:03".to_owned()));
        assert!(told(vtt, "1\n00:01.0 --> 00:02.0\nHi\n")[0].contains("WEBVTT"));
        assert!(told(vtt, "WEBVTT\n\n")[0].contains("no captions"));
    }

    #[test]
    fn captions_of_subrip() {
        let text = "1\r\n00:00:01,250 --> 00:00:02,000\r\nANN: Hello,\r\nhow are you?\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nBo: Fine.\r\n";
        assert_eq!(told(srt, text), ["1.25 ANN: Hello, how are you?", "3 Bo: Fine."]);
        assert_eq!(told(srt, "1\n00:00:01,000 --> 00:00:02,000\nHello.\n"), ["1 speaker: Hello."]);
        assert!(told(srt, "1\nsoon --> later\nHello.\n")[0].contains("(at line 2)"));
    }
}
