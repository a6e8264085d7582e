//! Mails, and mailboxes of several: who wrote, when, and what is new in it.

use super::html;
use crate::draft::Draft;
use crate::error::{ReadError, Reason};
use crate::map::Place;
use crate::{Hints, Ingested, Kind, Limits, Quoted};
use mail_parser::{Address, Message, MessageParser, MimeHeaders, PartType};
use sonometer::interaction::moment;

/// Reads it.
pub(super) fn read(bytes: &[u8], hints: &Hints, limits: &Limits) -> Result<Ingested, ReadError> {
    let messages = mailbox(bytes);
    if messages.len() > limits.paragraphs {
        return Err(ReadError::too_large(
            "",
            format!("the mailbox has {} messages", messages.len()),
            limits.paragraphs,
        ));
    }
    let mut letters = Vec::new();
    for (number, bytes) in (1..).zip(&messages) {
        let message = (messages.len() > 1).then_some(number);
        letters.push(letter(bytes, message, hints, limits)?);
    }
    // By time, where every message has one.
    if letters.iter().all(|letter| letter.time.is_some()) {
        letters.sort_by_key(|letter| letter.time);
    }
    let mut draft = Draft::new(limits);
    let mut left_out = (0, 0, 0);
    for letter in letters {
        draft.turn(Some(letter.from), letter.time.and_then(moment::seconds))?;
        for (between, text, place) in letter.paragraphs {
            draft.further(between, &text, place)?;
        }
        left_out = (
            left_out.0 + letter.quoted,
            left_out.1 + letter.attachments,
            left_out.2 + usize::from(letter.signed),
        );
    }
    let (quoted, attachments, signatures) = left_out;
    if quoted > 0 {
        let (lines, them) = if quoted == 1 { ("line", "it") } else { ("lines", "them") };
        draft.note(format!("left out {quoted} quoted {lines}; to keep {them}, use `--quoted keep`"));
    }
    if signatures > 0 {
        draft.note("left out the signature");
    }
    if attachments > 0 {
        draft.note(match attachments {
            1 => "left out 1 attachment; give it as a separate file".to_owned(),
            _ => format!("left out {attachments} attachments; give them as separate files"),
        });
    }
    draft.finish(Kind::Mail, hints)
}

/// One message.
struct Letter {
    from: String,
    time: Option<i64>,
    paragraphs: Vec<(&'static str, String, Place)>,
    /// Lines that were left out because they are quoted.
    quoted: usize,
    attachments: usize,
    signed: bool,
}

fn letter(bytes: &[u8], number: Option<u32>, hints: &Hints, limits: &Limits) -> Result<Letter, ReadError> {
    let at = number.map(|number| format!("message {number}")).unwrap_or_default();
    let Some(message) = MessageParser::default().parse(bytes) else {
        return Err(ReadError::broken(at, "not a mail"));
    };
    if message.parts.len() > limits.entries {
        return Err(ReadError::too_large(
            at,
            format!("the mail has {} parts", message.parts.len()),
            limits.entries,
        ));
    }
    let kind = message.content_type();
    let is_kind = |kinds: &[&str]| {
        kind.is_some_and(|kind| {
            kinds.iter().any(|known| kind.subtype().is_some_and(|sub| sub.eq_ignore_ascii_case(known)))
        })
    };
    if is_kind(&["encrypted", "pkcs7-mime", "x-pkcs7-mime"]) {
        return Err(ReadError::new(
            Reason::Encrypted,
            at,
            "the mail is encrypted; decrypt it and save it again",
        ));
    }
    let mut letter = Letter {
        from: sender(&message),
        time: message.date().map(mail_parser::DateTime::to_timestamp),
        paragraphs: Vec::new(),
        quoted: 0,
        attachments: message.attachment_count(),
        signed: false,
    };
    // An answer repeats the subject of what it answers.
    if let Some(subject) =
        message.subject().filter(|subject| !subject.trim().is_empty() && !is_answer(subject))
    {
        let place = Place { message: number, part: Some("subject".into()), ..Place::default() };
        letter.paragraphs.push(("\n\n", subject.trim().to_owned(), place));
    }
    let mut paragraph = 0;
    for part in message.text_bodies() {
        match &part.body {
            PartType::Text(text) => letter.text(text, number, &mut paragraph, hints),
            PartType::Html(page) => letter.page(page, number, &mut paragraph, hints, limits)?,
            _ => {}
        }
    }
    Ok(letter)
}

fn sender(message: &Message<'_>) -> String {
    let address = match message.from() {
        Some(Address::List(list)) => list.first(),
        Some(Address::Group(groups)) => groups.iter().find_map(|group| group.addresses.first()),
        None => None,
    };
    let named = address.and_then(|address| address.name.as_deref().or(address.address.as_deref()));
    named.map(str::trim).filter(|name| !name.is_empty()).unwrap_or("unknown").to_owned()
}

fn is_answer(subject: &str) -> bool {
    let prefix = subject.split(':').next().unwrap_or_default().trim().to_lowercase();
    subject.contains(':')
        && matches!(prefix.as_str(), "re" | "aw" | "sv" | "antw" | "vs" | "res" | "rv" | "回复" | "答复")
}

impl Letter {
    /// A plain part: without quotes and signature, its lines joined to paragraphs.
    fn text(&mut self, text: &str, message: Option<u32>, paragraph: &mut u32, hints: &Hints) {
        let lines: Vec<&str> = text.lines().collect();
        let (mut open, mut wraps) = (String::new(), false);
        let mut at = 0;
        while at <= lines.len() {
            let line = lines.get(at).copied();
            at += 1;
            let Some(mut line) = line else {
                self.end_paragraph(&mut open, message, paragraph);
                break;
            };
            if hints.quoted == Quoted::Cut {
                if line.trim_start().starts_with('>') {
                    self.quoted += 1;
                    continue;
                }
                if let Some(length) = announces_quote(&lines[at - 1..]) {
                    self.quoted += length;
                    at += length - 1;
                    continue;
                }
                if begins_history(&lines[at - 1..]) {
                    self.quoted += lines.len() - (at - 1);
                    self.end_paragraph(&mut open, message, paragraph);
                    break;
                }
            } else {
                line = line.trim_start_matches(['>', ' ']);
            }
            if line == "-- " || line == "--" {
                self.signed = lines[at..].iter().any(|line| !line.trim().is_empty());
                self.end_paragraph(&mut open, message, paragraph);
                break;
            }
            if line.trim().is_empty() {
                self.end_paragraph(&mut open, message, paragraph);
                continue;
            }
            let begins_item = line.trim_start().starts_with(['-', '*', '•']);
            if !open.is_empty() {
                open.push(if wraps && !begins_item { ' ' } else { '\n' });
            }
            open.push_str(line.trim());
            // A line that is nearly full was broken because it was full.
            wraps = line.chars().count() >= 55 || line.ends_with(' ');
        }
    }

    fn end_paragraph(&mut self, open: &mut String, message: Option<u32>, paragraph: &mut u32) {
        let text = std::mem::take(open);
        if !text.trim().is_empty() {
            *paragraph += 1;
            let place = Place { message, paragraph: Some(*paragraph), ..Place::default() };
            self.paragraphs.push(("\n\n", text, place));
        }
    }

    /// A part in HTML.
    fn page(
        &mut self,
        page: &str,
        message: Option<u32>,
        paragraph: &mut u32,
        hints: &Hints,
        limits: &Limits,
    ) -> Result<(), ReadError> {
        let (mut blocks, quoted) = html::of_mail(page, hints.quoted == Quoted::Cut);
        if blocks.len() > limits.paragraphs {
            return Err(ReadError::too_large("", "the mail has too many paragraphs", limits.paragraphs));
        }
        self.quoted += quoted;
        if hints.quoted == Quoted::Cut {
            // Outlook marks earlier mails by their head alone, as in plain text.
            let begins = |at: &usize| {
                let lines: Vec<&str> =
                    blocks[*at..].iter().flat_map(|(_, text)| text.lines()).take(6).collect();
                begins_history(&lines)
            };
            let end = (0..blocks.len()).find(begins).unwrap_or(blocks.len());
            self.quoted += blocks.drain(end..).map(|(_, text)| text.lines().count()).sum::<usize>();
        }
        for (goes_on, text) in blocks {
            *paragraph += 1;
            let place = Place { message, paragraph: Some(*paragraph), ..Place::default() };
            self.paragraphs.push((if goes_on { " | " } else { "\n\n" }, text, place));
        }
        Ok(())
    }
}

/// How many lines announce a quote that follows: `On Monday … Ann wrote:`, over at most three lines.
fn announces_quote(lines: &[&str]) -> Option<usize> {
    const WROTE: [&str; 8] =
        ["wrote:", "schrieb:", "escribió:", "a écrit :", "a écrit:", "ha scritto:", "写道：", "写道:"];
    const BEGINS: [&str; 7] = ["On ", "Am ", "El ", "Le ", "Il ", "在", "于"];
    let first = lines.first()?.trim();
    let length = (1..=3.min(lines.len())).find(|length| {
        let last = lines[length - 1].trim();
        WROTE.iter().any(|word| last.ends_with(word)) || last.contains("schrieb ") && last.ends_with(':')
    })?;
    let begins = BEGINS.iter().any(|begin| first.starts_with(begin)) || length == 1 && first.contains('@');
    let quote_follows = lines[length..]
        .iter()
        .find(|line| !line.trim().is_empty())
        .is_some_and(|line| line.trim_start().starts_with('>'));
    (begins && quote_follows).then_some(length)
}

/// Whether the earlier messages begin here, without marks: `-----Original Message-----`, or a head of their own.
fn begins_history(lines: &[&str]) -> bool {
    const TITLES: [&str; 5] =
        ["original message", "ursprüngliche nachricht", "mensaje original", "message d'origine", "原始邮件"];
    let Some(first) = lines.first().map(|line| line.trim()) else { return false };
    let inner = first.trim_matches(['-', ' ']).to_lowercase();
    if first.starts_with("--") && TITLES.contains(&inner.as_str()) {
        return true;
    }
    let heads = ["From:", "Von:", "De:", "发件人:", "发件人："];
    let others = [
        "Sent:",
        "Gesendet:",
        "Enviado",
        "Date:",
        "Datum:",
        "To:",
        "An:",
        "Para:",
        "发送时间",
        "Subject:",
        "Betreff:",
    ];
    let lines: Vec<&str> = lines.iter().take(6).map(|line| line.trim()).collect();
    let has_head = heads.iter().any(|head| first.starts_with(head));
    has_head
        && others.iter().filter(|head| lines[1..].iter().any(|line| line.starts_with(*head))).count() >= 2
}

/// The messages of a mailbox, or the only one.
fn mailbox(bytes: &[u8]) -> Vec<Vec<u8>> {
    if !bytes.starts_with(b"From ") {
        return vec![bytes.to_vec()];
    }
    let mut messages: Vec<Vec<u8>> = Vec::new();
    let mut is_blank_before = true;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if is_blank_before && line.starts_with(b"From ") {
            messages.push(Vec::new());
        } else if let Some(message) = messages.last_mut() {
            let quoted = line.iter().take_while(|byte| **byte == b'>').count();
            let is_escaped = quoted > 0 && line[quoted..].starts_with(b"From ");
            message.extend_from_slice(if is_escaped { &line[1..] } else { line });
        }
        is_blank_before = line.trim_ascii().is_empty();
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(mail: &str, quoted: Quoted) -> Vec<String> {
        let read = read(mail.as_bytes(), &Hints { quoted, ..Hints::default() }, &Limits::default())
            .expect("is sound");
        let turn = |turn: &sonometer::Turn| {
            let time = turn.timestamp.map_or_else(|| "?".to_owned(), |time| time.to_string());
            format!("{time} {}: {}", turn.role.as_deref().unwrap_or_default(), turn.content)
        };
        read.interaction.turns().iter().map(turn).chain(read.notes).collect()
    }

    const REPLY: &str = "From: =?utf-8?q?J=C3=BCrgen?= <j@a.example>\r\nTo: b@a.example\r\nDate: Wed, 1 May 2024 12:00:00 +0200\r\nSubject: Re: Router\r\n\
        Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nThank you, that was a very quick answer indeed, and I think that it=\r\n helped\r\n\
        us all.\r\n\r\nOn Tue, 30 Apr 2024 at 10:00, Bo\r\n<b@a.example> wrote:\r\n> Have you tried it?\r\n\r\nYes.\r\n\r\n-- \r\nJ=C3=BCrgen\r\n";

    #[test]
    fn what_is_new_in_a_reply() {
        assert_eq!(
            told(REPLY, Quoted::Cut),
            [
                "1714557600 Jürgen: Thank you, that was a very quick answer indeed, and I think that it helped us all.\n\nYes.",
                "left out 3 quoted lines; to keep them, use `--quoted keep`",
                "left out the signature"
            ]
        );
        assert!(told(REPLY, Quoted::Keep)[0].contains("wrote:\nHave you tried it?"));
        let short = "From: a@b.c\nTo: d@e.f\nMIME-Version: 1.0\n\nYes.\n\n> Will you?\n";
        let note = "left out 1 quoted line; to keep it, use `--quoted keep`";
        assert_eq!(told(short, Quoted::Cut), ["? a@b.c: Yes.", note]);
    }

    #[test]
    fn history_without_marks_is_cut() {
        let mail = "From: a@b.c\nSubject: Hello\nTo: x@y.z\n\nNew text.\n\n-----Original Message-----\nFrom: x\n\nOld text.\n";
        assert_eq!(told(mail, Quoted::Cut)[0], "? a@b.c: Hello\n\nNew text.");
        let mail = "From: a@b.c\nTo: x@y.z\nMIME-Version: 1.0\nContent-Type: text/html\n\n<p>New</p><div class=\"gmail_quote\">On x wrote<blockquote>Old</blockquote></div>\n";
        assert_eq!(told(mail, Quoted::Cut)[0], "? a@b.c: New");
        assert!(told(mail, Quoted::Keep)[0].contains("Old"));
        // As Outlook writes it.
        let mail = "From: a@b.c\nTo: x@y.z\nMIME-Version: 1.0\nContent-Type: text/html\n\n<p>New</p><hr><div><b>From:</b> x<br><b>Sent:</b> \
                    Monday<br><b>To:</b> a<br><b>Subject:</b> y</div><p>Old</p>\n";
        assert_eq!(
            told(mail, Quoted::Cut),
            ["? a@b.c: New", "left out 5 quoted lines; to keep them, use `--quoted keep`"]
        );
        assert!(told(mail, Quoted::Keep)[0].contains("Old"));
    }

    #[test]
    fn mailboxes_are_told_by_time() {
        let mail = |from: &str, day: u32, text: &str| {
            format!(
                "From x@y Wed May  1 12:00:00 2024\nFrom: {from}\nTo: z@y.x\nDate: {day} May 2024 12:00:00 +0000\n\n{text}\n\n"
            )
        };
        let both = mail("Bo <b@c>", 2, ">From here on") + &mail("Ann <a@c>", 1, "Hi");
        assert_eq!(told(&both, Quoted::Keep), ["1714564800 Ann: Hi", "1714651200 Bo: From here on"]);
    }
}
