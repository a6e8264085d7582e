//! Bytes into text: UTF-8, UTF-16, and what older programs wrote.

use crate::error::{ReadError, Reason};

/// A text, and what a person should know of how it came about.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) note: Option<String>,
}

/// The text of a whole file.
///
/// # Errors
/// `unsupported` if it is no text at all.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, ReadError> {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return utf8(rest);
    }
    if bytes.starts_with(b"\xff\xfe\0\0") || bytes.starts_with(b"\0\0\xfe\xff") {
        let message = "the file is UTF-32, which is not supported; save it as UTF-8";
        return Err(ReadError::new(Reason::Unsupported, "", message));
    }
    match bytes {
        [0xff, 0xfe, rest @ ..] => return utf16(rest, u16::from_le_bytes, "UTF-16"),
        [0xfe, 0xff, rest @ ..] => return utf16(rest, u16::from_be_bytes, "UTF-16"),
        _ => {}
    }
    if bytes.contains(&0) {
        return match zeros(bytes) {
            Some(Half::Second) => utf16(bytes, u16::from_le_bytes, "UTF-16 without its mark"),
            Some(Half::First) => utf16(bytes, u16::from_be_bytes, "UTF-16 without its mark"),
            None => Err(binary()),
        };
    }
    utf8(bytes)
}

fn utf8(bytes: &[u8]) -> Result<Decoded, ReadError> {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_binary(text) => Err(binary()),
        Ok(text) => Ok(Decoded { text: text.to_owned(), note: None }),
        Err(error) => older(bytes, error.valid_up_to()),
    }
}

/// What older programs wrote, by what the letters would be.
#[cfg(feature = "documents")]
fn older(bytes: &[u8], _: usize) -> Result<Decoded, ReadError> {
    use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let (text, _, is_damaged) = encoding.decode(bytes);
    if is_damaged && text.chars().filter(|c| *c == '\u{fffd}').count() * 50 > text.chars().count()
        || is_binary(&text)
    {
        return Err(binary());
    }
    let damaged = if is_damaged { ", with some unreadable characters" } else { "" };
    Ok(Decoded {
        note: Some(format!("not UTF-8; read as {}{damaged} (guessed)", encoding.name())),
        text: text.into_owned(),
    })
}

#[cfg(not(feature = "documents"))]
fn older(bytes: &[u8], at: usize) -> Result<Decoded, ReadError> {
    let found = bytes.get(at).copied().unwrap_or_default();
    let message = format!("not UTF-8: byte {at} is 0x{found:02x}; save the file as UTF-8");
    Err(ReadError::new(Reason::Unsupported, "", message))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, name: &str) -> Result<Decoded, ReadError> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let text: Result<String, _> = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect();
    match text {
        Ok(text) if rest.is_empty() && !is_binary(&text) => {
            Ok(Decoded { text, note: Some(format!("read as {name}")) })
        }
        _ => Err(ReadError::new(
            Reason::Broken,
            "",
            format!("the file looks like {name} but is not valid {name}; save it as UTF-8"),
        )),
    }
}

enum Half {
    First,
    Second,
}

/// Which half of the pairs is zero nearly always, as in UTF-16 of Western text.
fn zeros(bytes: &[u8]) -> Option<Half> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let count = |half: usize| pairs.iter().filter(|pair| pair[half] == 0).count();
    let (first, second) = (count(0), count(1));
    match rest {
        [] if first == 0 && second * 10 >= pairs.len() * 6 => Some(Half::Second),
        [] if second == 0 && first * 10 >= pairs.len() * 6 => Some(Half::First),
        _ => None,
    }
}

/// Text holds hardly any control characters.
fn is_binary(text: &str) -> bool {
    let is_control = |c: &char| {
        c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}' | '\u{85}' | '\u{b}')
    };
    let sample = || text.chars().take(1 << 16);
    sample().filter(is_control).count() * 10 > sample().count()
}

fn binary() -> ReadError {
    let message = "unknown kind of file; give a PDF, Word, OpenDocument, HTML, RTF, mail, \
                   table, chat or text file";
    ReadError::new(Reason::Unsupported, "", message)
}

/// A text in the encoding that its own label names, as mails and web pages have it.
#[cfg(feature = "documents")]
pub(crate) fn labelled(bytes: &[u8], label: &[u8]) -> Option<String> {
    let encoding = encoding_rs::Encoding::for_label(label)?;
    Some(encoding.decode(bytes).0.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        decode(bytes).expect("is text").text
    }

    #[test]
    fn marks_tell_the_encoding() {
        assert_eq!(text("\u{feff}grün".as_bytes()), "grün");
        let little: Vec<u8> = "grün 客".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "grün 客".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(text(&[b"\xff\xfe", &little[..]].concat()), "grün 客");
        assert_eq!(text(&[b"\xfe\xff", &big[..]].concat()), "grün 客");
        let bare: Vec<u8> = "a plain line of text".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(text(&bare), "a plain line of text");
    }

    #[test]
    fn bytes_are_no_text() {
        for bytes in [&b"\0\x01\x02\x03"[..], b"\xff\xfea", b"\xff\xfe\0\0a\0\0\0", b"ab\0cd"] {
            assert!(decode(bytes).is_err(), "{bytes:?}");
        }
    }

    #[cfg(feature = "documents")]
    #[test]
    fn letters_tell_older_encodings() {
        let latin =
            decode(b"Der \xc4rger \xfcber die versp\xe4tete Lieferung war gro\xdf.").expect("is text");
        assert_eq!(latin.text, "Der Ärger über die verspätete Lieferung war groß.");
        assert!(latin.note.expect("is told").contains("windows-1252"));
        let (bytes, _, _) =
            encoding_rs::WINDOWS_1251.encode("Спасибо большое за вашу помощь и терпение сегодня");
        assert_eq!(text(&bytes), "Спасибо большое за вашу помощь и терпение сегодня");
        let (bytes, _, _) = encoding_rs::GBK.encode("非常感谢您的耐心等待，我们会尽快处理您的问题");
        assert_eq!(text(&bytes), "非常感谢您的耐心等待，我们会尽快处理您的问题");
    }
}
