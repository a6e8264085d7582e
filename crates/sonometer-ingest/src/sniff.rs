//! What a file is, by its content. A name decides only where content cannot: plain text, Markdown, tables, JSON.

use crate::Kind;
use crate::error::{ReadError, Reason};
use crate::text;

/// What begins with these bytes is known, and not read.
const FOREIGN: [(&[u8], &str); 15] = [
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"BM", "a picture"),
    (b"II*\0", "a picture"),
    (b"MM\0*", "a picture"),
    (b"\x1f\x8b", "a packed file"),
    (b"BZh", "a packed file"),
    (b"\xfd7zXZ", "a packed file"),
    (b"7z\xbc\xaf", "a packed file"),
    (b"Rar!", "a packed file"),
    (b"(\xb5/\xfd", "a packed file"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3\0", "a database"),
];

/// What a file is.
///
/// # Errors
/// `unsupported` or `encrypted`, with what it is instead.
pub fn sniff(bytes: &[u8], name: Option<&str>) -> Result<Kind, ReadError> {
    let head = &bytes[..bytes.len().min(1024)];
    if find(head, b"%PDF-").is_some() {
        return Ok(Kind::Pdf);
    }
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return archive(bytes);
    }
    if is_sound(head) {
        return Ok(Kind::Audio);
    }
    if head.starts_with(b"{\\rtf") {
        return Ok(Kind::Rtf);
    }
    if head.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return compound(bytes);
    }
    if let Some((_, what)) = FOREIGN.iter().find(|(begin, _)| head.starts_with(begin)).filter(|(begin, _)| {
        // Two letters begin many a text.
        *begin != b"BM" || head.get(6..10) == Some(b"\0\0\0\0")
    }) {
        return Err(foreign(what));
    }
    match text::decode(bytes) {
        Ok(decoded) => written(&decoded.text, name),
        // Each line is an item of its own: one that is broken must not cost the others.
        Err(_) if matches!(extension(name).as_str(), "jsonl" | "ndjson") => Ok(Kind::Jsonl),
        Err(failure) => Err(failure),
    }
}

/// What stands behind the last dot of a name, in small letters.
fn extension(name: Option<&str>) -> String {
    name.and_then(|name| name.rsplit_once('.')).map(|(_, end)| end.to_ascii_lowercase()).unwrap_or_default()
}

/// Whether it begins as recordings do. Those with pictures count: their sound is read.
fn is_sound(head: &[u8]) -> bool {
    let form = |outer: &[u8], inner: &[u8]| head.starts_with(outer) && head.get(8..12) == Some(inner);
    [b"ID3".as_slice(), b"fLaC", b"OggS", b"\x1aE\xdf\xa3"].iter().any(|begin| head.starts_with(begin))
        || form(b"RIFF", b"WAVE")
        || form(b"RF64", b"WAVE")
        || form(b"FORM", b"AIFF")
        || form(b"FORM", b"AIFC")
        || head.get(4..8) == Some(b"ftyp")
        // A frame of MP3, or of AAC, without anything before it; the mark of UTF-16 is neither.
        || matches!(head, [0xff, second, ..] if second & 0xe6 == 0xe2 || second & 0xf6 == 0xf0)
}

fn foreign(what: &str) -> ReadError {
    let fix = match what {
        "a picture" => "recognise its text (OCR) and give that",
        "a packed file" => "unpack it and give the file in it",
        _ => "give a document or text",
    };
    ReadError::new(Reason::Unsupported, "", format!("the file is {what}; {fix}"))
}

/// What a ZIP archive is, by the names of its parts. They stand in the clear at its end.
fn archive(bytes: &[u8]) -> Result<Kind, ReadError> {
    let has = |name: &[u8]| find(bytes, name).is_some();
    if has(b"word/document") {
        return Ok(Kind::Docx);
    }
    if has(b"xl/workbook") || has(b"opendocument.spreadsheet") {
        return Ok(Kind::Sheet);
    }
    // The kind is meant to stand unpacked; not all programs keep to that.
    let is_open_document = has(b"mimetype") && has(b"content.xml");
    if has(b"opendocument.text") || is_open_document && !has(b"opendocument.") {
        return Ok(Kind::Odt);
    }
    let what = if has(b"ppt/presentation") || has(b"opendocument.presentation") {
        "a presentation, which is not supported; export it as PDF"
    } else if has(b"application/epub+zip") {
        "an e-book, which is not supported; convert it to HTML or PDF"
    } else if has(b"_chat.txt") || has(b"WhatsApp Chat") {
        "a packed chat; unpack it and give the .txt file in it"
    } else {
        "a ZIP archive, not a document; unpack it and give the file in it"
    };
    Err(ReadError::new(Reason::Unsupported, "", format!("the file is {what}")))
}

/// What a file of the older Office programs is, by the names of its streams.
fn compound(bytes: &[u8]) -> Result<Kind, ReadError> {
    let has = |name: &str| {
        let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        find(bytes, &wide).is_some()
    };
    if has("EncryptedPackage") || has("EncryptionInfo") {
        let message = "the document has a password; save it without one";
        return Err(ReadError::new(Reason::Encrypted, "", message));
    }
    if has("Workbook") || has("Book") {
        return Ok(Kind::Sheet);
    }
    let message = if has("WordDocument") {
        "the file is an old Word document (.doc), which is not supported; save it as .docx"
    } else if has("__substg1.0_") || has("__properties_version1.0") {
        "the file is an Outlook message (.msg), which is not supported; save it as .eml"
    } else if has("PowerPoint Document") {
        "the file is an old presentation (.ppt), which is not supported; export it as PDF"
    } else {
        "the file is from an old Office program, which is not supported; save it in a newer format"
    };
    Err(ReadError::new(Reason::Unsupported, "", message))
}

/// What a text is.
fn written(text: &str, name: Option<&str>) -> Result<Kind, ReadError> {
    let start = text.trim_start();
    let first = start.lines().next().unwrap_or_default();
    if first.strip_prefix("WEBVTT").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return Ok(Kind::Vtt);
    }
    if is_subrip(start) {
        return Ok(Kind::Srt);
    }
    if is_mail(text) {
        return Ok(Kind::Mail);
    }
    if crate::format::whatsapp::is_one(text) {
        return Ok(Kind::WhatsApp);
    }
    let lower: String = start.chars().take(512).flat_map(char::to_lowercase).collect();
    if lower.starts_with("<!doctype html")
        || lower.starts_with("<html")
        || lower.starts_with("<?xml") && lower.contains("<html")
    {
        return Ok(Kind::Html);
    }
    if lower.starts_with("<?xml") || lower.starts_with("<!doctype") {
        let message = "the file is XML, but not a web page; give the original document, or its text";
        return Err(ReadError::new(Reason::Unsupported, "", message));
    }
    Ok(match extension(name).as_str() {
        // What is meant to be JSON is read strictly, so that a misspelt key is not sensed as a text.
        "json" => crate::format::chat::of_json(text),
        "jsonl" | "ndjson" => Kind::Jsonl,
        "vtt" => Kind::Vtt,
        "srt" => Kind::Srt,
        "md" | "markdown" => Kind::Markdown,
        "csv" | "tsv" => Kind::Csv,
        "htm" | "html" | "xhtml" => Kind::Html,
        "eml" | "mbox" => Kind::Mail,
        "txt" | "text" => of_lines(text),
        "log" => Kind::Text,
        _ => of_braces(text),
    })
}

/// JSON where a name says nothing.
fn of_braces(text: &str) -> Kind {
    let is_object = |text: &str| {
        text.trim_start().starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
    };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    if is_object(text)
        || text.trim_start().starts_with('[') && crate::format::chat::of_json(text) == Kind::Chat
    {
        crate::format::chat::of_json(text)
    } else if lines.all(is_object) {
        Kind::Jsonl
    } else {
        of_lines(text)
    }
}

/// A text that is nothing else.
fn of_lines(text: &str) -> Kind {
    if crate::format::timed::is_timed(text) { Kind::Timed } else { Kind::Text }
}

/// A number, then a line with an arrow between times; or that line first.
fn is_subrip(start: &str) -> bool {
    let mut lines = start.lines();
    let (first, second) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let is_time = |line: &str| {
        line.split_once("-->").is_some_and(|(from, to)| {
            let digits =
                |part: &str| part.trim().starts_with(|c: char| c.is_ascii_digit()) && part.contains(':');
            digits(from) && digits(to)
        })
    };
    let is_number = !first.trim().is_empty() && first.trim().bytes().all(|byte| byte.is_ascii_digit());
    is_time(first) || is_number && is_time(second)
}

/// Header lines as mails have them: only such up to an empty line, one that only mails have among them, and at least two.
fn is_mail(text: &str) -> bool {
    const OF_MAILS: [&str; 7] =
        ["message-id", "received", "mime-version", "return-path", "delivered-to", "content-type", "reply-to"];
    const COMMON: [&str; 4] = ["from", "to", "date", "subject"];
    let mut lines = text.lines().peekable();
    if lines.peek().is_some_and(|line| line.starts_with("From ") && line.contains(':')) {
        lines.next();
    }
    let (mut own, mut common) = (0, 0);
    for line in lines.take(200) {
        if line.trim().is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) && own + common > 0 {
            continue;
        }
        let Some((name, _)) = line.split_once(':') else { return false };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return false;
        }
        let name = name.to_ascii_lowercase();
        own += usize::from(OF_MAILS.contains(&name.as_str()));
        common += usize::from(COMMON.contains(&name.as_str()));
    }
    own >= 1 && common >= 1 || common >= 3
}

/// Where `part` stands first.
pub(crate) fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    let first = *part.first()?;
    let mut from = 0;
    while let Some(at) = bytes.get(from..)?.iter().position(|byte| *byte == first) {
        if bytes[from + at..].starts_with(part) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_goes_before_the_name() {
        let kind =
            |bytes: &[u8], name: &str| sniff(bytes, Some(name)).map_err(|failure| failure.error.message);
        assert_eq!(kind(b"%PDF-1.7\n", "a.txt"), Ok(Kind::Pdf));
        assert_eq!(kind(b"WEBVTT\n\n", "a.txt"), Ok(Kind::Vtt));
        assert_eq!(kind(b"1\n00:00:01,000 --> 00:00:02,000\nHi\n", "a.txt"), Ok(Kind::Srt));
        assert_eq!(kind(b"From: a@b.c\nTo: d@e.f\nSubject: x\n\nHi", "a.txt"), Ok(Kind::Mail));
        assert_eq!(kind(b"From: here\nwe went on", "a.txt"), Ok(Kind::Text));
        assert_eq!(kind(b"# Title\n", "a.md"), Ok(Kind::Markdown));
        assert_eq!(kind(b"# Title\n", "a.pdf"), Ok(Kind::Text));
        assert_eq!(kind(b"{\"content\": \"x\"}", "a.txt"), Ok(Kind::Text));
        assert!(kind(b"\x89PNG\r\n", "a.txt").expect_err("is a picture").contains("OCR"));
        assert!(kind(b"PK\x03\x04 things", "a.docx").expect_err("is no document").contains("ZIP"));
    }

    #[test]
    fn json_without_a_name() {
        let kind = |text: &str| of_braces(text);
        assert_eq!(kind("hello {you}"), Kind::Text);
        assert_eq!(kind("{braced} text"), Kind::Text);
        assert_eq!(kind("[1, 2]"), Kind::Text);
        assert_eq!(kind(" {\"content\": \"x\"}\n"), Kind::Json);
        assert_eq!(kind("{\n\"content\":\n\"x\"}\n"), Kind::Json);
        assert_eq!(kind("{\"content\": \"x\"}\n\n{\"content\": \"y\"}\n"), Kind::Jsonl);
        assert_eq!(kind("[{\"role\": \"user\", \"content\": \"x\"}]"), Kind::Chat);
    }
}
