//! Conversations in the forms that recorders and people write: lines with a role, WebVTT, SubRip.

use sonometer::{Error, Interaction, Turn, Unit};

/// The role where captions name nobody.
const NOBODY: &str = "speaker";
/// The longest role before a colon, in characters and in words; longer ones are what is said.
const ROLE: (usize, usize) = (40, 4);

/// Reads lines such as `agent: Good morning.`; a line without a role goes on with what was said before.
///
/// # Errors
/// `invalid_request` where the first line has no role.
pub(crate) fn turns(text: &str) -> Result<Interaction, Error> {
    let mut turns: Vec<(String, String)> = Vec::new();
    for (number, line) in (1..).zip(lines(text)) {
        match (role(line), turns.last_mut()) {
            (Some((role, said)), _) => turns.push((role.to_owned(), said.to_owned())),
            (None, _) if line.trim().is_empty() => {}
            (None, Some((_, before))) => {
                if !before.is_empty() {
                    before.push('\n');
                }
                before.push_str(line.trim());
            }
            (None, None) => {
                let message = "no role stands before the first words; write `role: text`";
                return Err(Error::invalid(format!("line {number}"), message));
            }
        }
    }
    transcript(turns.into_iter().map(|(role, said)| (role, said, None)))
}

/// Reads WebVTT: the captions of one voice (`<v name>`, or `name:` before the words) that follow each other are one turn, at
/// the time of the first.
///
/// # Errors
/// `invalid_request` without the head `WEBVTT`, and as [`srt`].
pub(crate) fn vtt(text: &str) -> Result<Interaction, Error> {
    let head = lines(text).next().unwrap_or_default();
    if !head.strip_prefix("WEBVTT").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return Err(Error::invalid("line 1", "the file does not begin with `WEBVTT`; is it SubRip (.srt)?"));
    }
    captions(text)
}

/// Reads SubRip, as [`vtt`].
///
/// # Errors
/// `invalid_request` with its line for a time that is none, and where there are no captions.
pub(crate) fn srt(text: &str) -> Result<Interaction, Error> {
    captions(text)
}

/// The captions: in both forms, a line with an arrow between times, and the lines below it up to an empty one.
fn captions(text: &str) -> Result<Interaction, Error> {
    let mut turns: Vec<(String, String, Option<Unit>)> = Vec::new();
    let mut lines = (1..).zip(lines(text));
    while let Some((number, line)) = lines.next() {
        // Numbers, names, notes and styles have no arrow.
        let Some((start, _)) = line.split_once("-->") else { continue };
        let Some(time) = seconds(start.trim()) else {
            let message = format!("`{}` is no time; write 00:01:02.500", start.trim());
            return Err(Error::invalid(format!("line {number}"), message));
        };
        // Who spoke last goes on where a caption names nobody.
        let mut voice = turns.last().map_or_else(|| NOBODY.to_owned(), |(role, ..)| role.clone());
        for (_, line) in lines.by_ref().take_while(|(_, line)| !line.trim().is_empty()) {
            let shown = Shown::of(line);
            let (named, said) = match (shown.voice, role(&shown.text)) {
                (Some(voice), _) => (Some(voice), shown.text.trim()),
                (None, Some((role, said))) => (Some(role.to_owned()), said),
                (None, None) => (None, shown.text.trim()),
            };
            voice = named.unwrap_or(voice);
            match turns.last_mut() {
                _ if said.is_empty() => {}
                Some((role, before, _)) if *role == voice => {
                    before.push(' ');
                    before.push_str(said);
                }
                _ => turns.push((voice.clone(), said.to_owned(), Some(time))),
            }
        }
    }
    if turns.is_empty() {
        return Err(Error::invalid(
            "",
            "there are no captions; each needs a line `00:00:01.000 --> 00:00:02.000`",
        ));
    }
    transcript(turns.into_iter())
}

fn transcript(turns: impl Iterator<Item = (String, String, Option<Unit>)>) -> Result<Interaction, Error> {
    let turn = |(role, said, timestamp): (String, String, Option<Unit>)| Turn {
        role: Some(role.into()),
        content: said.into(),
        timestamp,
    };
    Interaction::transcript(turns.map(turn).collect())
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.strip_prefix('\u{feff}').unwrap_or(text).lines()
}

/// A role and what it says.
pub(crate) fn role(line: &str) -> Option<(&str, &str)> {
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

/// Lines out of bytes that come in bit by bit.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    bytes: Vec<u8>,
    /// How many lines were taken out.
    taken: u64,
    /// Where the next line begins in `bytes`.
    from: usize,
}

impl Lines {
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.bytes.drain(..std::mem::take(&mut self.from));
        self.bytes.extend_from_slice(bytes);
    }

    /// The next line that is complete, with its number from 1.
    pub(crate) fn next_line(&mut self) -> Option<(u64, Vec<u8>)> {
        let rest = &self.bytes[self.from..];
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let line = rest[..end].to_vec();
        self.from += end + 1;
        Some(self.numbered(line))
    }

    /// What stands behind the last line end.
    pub(crate) fn last_line(&mut self) -> Option<(u64, Vec<u8>)> {
        let line = self.bytes.split_off(self.from);
        (!line.is_empty()).then(|| self.numbered(line))
    }

    fn numbered(&mut self, mut line: Vec<u8>) -> (u64, Vec<u8>) {
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if self.taken == 0 && line.starts_with("\u{feff}".as_bytes()) {
            line.drain(..3);
        }
        self.taken += 1;
        (self.taken, line)
    }
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
            let (tag, after) = match rest[at + 1..].split_once('>') {
                // Tags begin with a letter, `/` or a time.
                Some((tag, after)) if tag.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/') => {
                    (tag, after)
                }
                _ => {
                    shown.text.push('<');
                    rest = &rest[at + 1..];
                    continue;
                }
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

    fn told(interaction: Result<Interaction, Error>) -> Vec<String> {
        match interaction {
            Err(error) => vec![error.to_string()],
            Ok(interaction) => interaction.turns().iter().map(show).collect(),
        }
    }

    fn show(turn: &Turn) -> String {
        let time = turn.timestamp.map_or_else(String::new, |time| format!("{time} "));
        format!("{time}{}: {}", turn.role.as_deref().unwrap_or_default(), turn.content)
    }

    #[test]
    fn lines_with_roles() {
        let text = "\u{feff}Agent: Good morning.\r\ncustomer: Hi: it is dead\nsee https://a.b at 12:30\n\nagent:\nI'm sorry.\n";
        assert_eq!(
            told(turns(text)),
            [
                "Agent: Good morning.",
                "customer: Hi: it is dead\nsee https://a.b at 12:30",
                "agent: I'm sorry."
            ]
        );
        assert!(told(turns("hello\na: b"))[0].contains("line 1"));
        assert!(told(turns("\n\n"))[0].contains("at least one"));
    }

    #[test]
    fn captions_of_webvtt() {
        let text = "WEBVTT - a talk\n\nNOTE\nwritten by hand\n\nSTYLE\n::cue { color: red }\n\nfirst\n00:01.500 --> 00:02.000 align:start\n\
                    <v.loud Ann Lee>Good <i>morning</i>,</v>\n<00:01.700>everyone\n\n00:03.000 --> 00:04.000\n<v Ann Lee>and welcome.\n\n\
                    01:00:05.000 --> 01:00:06.000\n<v Bo>3 &lt; 4 &amp; 2 < 3\n";
        assert_eq!(
            told(vtt(text)),
            ["1.5 Ann Lee: Good morning, everyone and welcome.", "3605 Bo: 3 < 4 & 2 < 3"]
        );
        assert!(told(vtt("1\n00:01.0 --> 00:02.0\nHi\n"))[0].contains("WEBVTT"));
        assert!(told(vtt("WEBVTT\n\n"))[0].contains("no captions"));
    }

    #[test]
    fn captions_of_subrip() {
        let text = "1\r\n00:00:01,250 --> 00:00:02,000\r\nANN: Hello,\r\nhow are you?\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nBo: Fine.\r\n";
        assert_eq!(told(srt(text)), ["1.25 ANN: Hello, how are you?", "3 Bo: Fine."]);
        assert_eq!(told(srt("1\n00:00:01,000 --> 00:00:02,000\nHello.\n")), ["1 speaker: Hello."]);
        assert!(told(srt("1\nsoon --> later\nHello.\n"))[0].contains("(at line 2)"));
    }
}
