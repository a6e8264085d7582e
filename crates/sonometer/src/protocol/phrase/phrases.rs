//! The phrases of a list file: plain words and nothing else, kept as one text. A tree for each of 50,000 names would be 5 MB.

use super::parse::{self, Context, MAX_LINE_BYTES, strip_comment};
use super::plain::is_plain;
use super::{Pattern, WordKind, WordTest};
use crate::diagnostic::excerpt;
use crate::keys::canonical::sha256;
use std::sync::{Arc, OnceLock};

/// The most bytes that a list file may have.
pub const MAX_LIST_FILE_BYTES: usize = 4 << 20;
/// The most phrases that a list file may have.
pub const MAX_LIST_FILE_PHRASES: usize = 200_000;

/// The phrases of a list file, folded and in lower case, sorted, each once. Shared: a copy costs nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrases(Arc<Kept>);

#[derive(Debug)]
struct Kept {
    /// A phrase a line, with one space between its words. All else follows from it.
    text: Box<str>,
    shortest: u32,
    longest: u32,
    /// Where its different words stand in `text`, in their order; made when one is first asked for. Going through 4 MiB for each cue of
    /// negation would take seconds for a text of a megabyte.
    words: OnceLock<Box<[(u32, u32)]>>,
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Kept {}

impl Kept {
    fn word(&self, (start, end): (u32, u32)) -> &str {
        &self.text[start as usize..end as usize]
    }

    fn words(&self) -> &[(u32, u32)] {
        self.words.get_or_init(|| {
            let mut words = Vec::new();
            let mut start = 0;
            // The text has at most 2^22 bytes, of which folding makes at most eleven each, so places fit into 32 bits.
            for (at, byte) in (0..).zip(self.text.bytes()) {
                if matches!(byte, b' ' | b'\n') {
                    words.push((start, at));
                    start = at + 1;
                }
            }
            words.sort_unstable_by(|a, b| self.word(*a).cmp(self.word(*b)));
            words.dedup_by(|a, b| self.word(*a) == self.word(*b));
            words.into()
        })
    }
}

/// A phrase while a file is read.
struct Place {
    /// Its first eight bytes: most phrases differ here already, and are put in order without a look at the others.
    begins: u64,
    /// Its place in the text of all.
    start: u32,
    end: u32,
}

/// The first eight bytes of a text, the first one highest, so that numbers are in the order of the texts; zeros where it is shorter, which
/// is below every byte of a phrase.
fn first_eight(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = text.len().min(8);
    bytes[..len].copy_from_slice(&text[..len]);
    u64::from_be_bytes(bytes)
}

/// What is wrong with a list file.
#[derive(Debug)]
pub(crate) struct Wrong {
    /// The line, counted from 1; `None`: the file as a whole.
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
    pub(crate) fix: String,
}

impl Phrases {
    /// Reads a list file: a phrase a line, `# ` begins a comment.
    pub(crate) fn read(text: &str) -> Result<Self, Wrong> {
        if text.len() > MAX_LIST_FILE_BYTES {
            let message = format!("it has {} bytes; the limit is {MAX_LIST_FILE_BYTES}", text.len());
            return Err(Wrong { line: None, message, fix: "split it into two lists".into() });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // Folded, a phrase behind the other, and where each begins: most are as long as they are written.
        let mut folded = String::with_capacity(text.len());
        let mut places: Vec<Place> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let (own, _) = strip_comment(line);
            if own.is_empty() {
                continue;
            }
            let from = folded.len();
            folded.push_str(own);
            folded[from..].make_ascii_lowercase();
            if !is_plain(&folded[from..]) {
                folded.truncate(from);
                let words = plain_words(own).map_err(|wrong| Wrong { line: Some(at + 1), ..wrong })?;
                folded.push_str(&words);
            }
            // At most 2^22 bytes, of which folding makes at most eleven each (`matcher/mod.rs`).
            places.push(Place {
                begins: first_eight(&folded.as_bytes()[from..]),
                start: from as u32,
                end: folded.len() as u32,
            });
        }
        let phrase = |place: &Place| &folded[place.start as usize..place.end as usize];
        if places.is_empty() || places.len() > MAX_LIST_FILE_PHRASES {
            let message = format!("it has {} phrases, not 1 to {MAX_LIST_FILE_PHRASES}", places.len());
            return Err(Wrong { line: None, message, fix: "write one phrase on each line".into() });
        }
        places.sort_unstable_by(|a, b| a.begins.cmp(&b.begins).then_with(|| phrase(a).cmp(phrase(b))));
        places.dedup_by(|a, b| phrase(a) == phrase(b));
        let mut text = String::with_capacity(folded.len() + places.len());
        let (mut shortest, mut longest) = (u32::MAX, 1);
        for phrase in places.iter().map(phrase) {
            let words = 1 + phrase.bytes().filter(|byte| *byte == b' ').count() as u32;
            (shortest, longest) = (words.min(shortest), words.max(longest));
            text.push_str(phrase);
            text.push('\n');
        }
        Ok(Self(Arc::new(Kept { text: text.into(), shortest, longest, words: OnceLock::new() })))
    }

    /// The phrases, each with one space between its words.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.text.lines()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.iter().count()
    }

    /// The list file that says the same and no more: a phrase a line, each folded, in order.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// `sha256:` and the hexadecimal SHA-256 of [`Phrases::text`]: comments, order, capitals and line ends do not matter.
    pub fn digest(&self) -> String {
        sha256(self.0.text.as_bytes())
    }

    /// The fewest words of a phrase, and the most.
    pub(crate) fn words(&self) -> (u32, u32) {
        (self.0.shortest, self.0.longest)
    }

    /// Whether some phrase has this word.
    pub fn has_word(&self, word: &str) -> bool {
        self.0.words().binary_search_by(|place| self.0.word(*place).cmp(word)).is_ok()
    }
}

/// The words of a phrase that is written with other signs than small letters, with one space between.
fn plain_words(phrase: &str) -> Result<String, Wrong> {
    let none = Context { list: &|_| None, names: &[], stem: None };
    let wrong = |message, fix: &str| Wrong { line: None, message, fix: fix.into() };
    let plain = "write one phrase on each line, in plain words";
    if phrase.len() > MAX_LINE_BYTES {
        return Err(wrong(format!("the phrase has {} bytes", phrase.len()), plain));
    }
    // What the parser says to type is for patterns.
    let pattern = parse::parse(phrase, &none)
        .map_err(|error| wrong(format!("`{}`: {}", excerpt(phrase), error.message), plain))?;
    let mut words = String::new();
    if !collect(&pattern, &mut words) {
        let message = format!("`{}` has pattern syntax; a list file has plain words only", excerpt(phrase));
        return Err(wrong(message, "write one phrase on each line, or move the pattern into `lists`"));
    }
    Ok(words)
}

fn collect(pattern: &Pattern, words: &mut String) -> bool {
    match pattern {
        Pattern::Word(WordTest { kind: WordKind::Equal, folded }) => {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(folded);
            true
        }
        Pattern::Sequence(items) => items.iter().all(|item| collect(item, words)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_phrases_in_any_order_and_case() {
        let phrases =
            Phrases::read("\u{feff}# Names\nZoë\r\n  anna  # twice\n\nAnna\nJean-Pierre\nO'Neil\nde la Cruz")
                .expect("reads");
        assert_eq!(
            phrases.iter().collect::<Vec<_>>(),
            ["anna", "de la cruz", "jean pierre", "o'neil", "zoe"]
        );
        assert_eq!(phrases.words(), (1, 3));
        let again = Phrases::read(phrases.text()).expect("reads");
        assert_eq!((again.digest(), &again), (phrases.digest(), &phrases));
        for word in ["anna", "cruz", "de", "jean", "la", "o'neil", "pierre", "zoe"] {
            assert!(phrases.has_word(word), "{word}");
        }
        assert!(["", "ann", "annab", "de la", "zz"].iter().all(|word| !phrases.has_word(word)));
    }

    #[test]
    fn no_pattern_is_proposed_for_what_is_no_phrase() {
        for text in ["Paris|Sankt Gallen", "Paris, Sankt Gallen", "Paris ...", "St.", "rue [a-z]+"] {
            let wrong = Phrases::read(text).expect_err(text);
            assert!(wrong.fix.starts_with("write one phrase on each line"), "{text}: {}", wrong.fix);
        }
    }

    #[test]
    fn what_is_no_phrase_is_told_with_its_line() {
        for (text, line) in
            [("anna\n(a|b)\n", Some(2)), ("a\nb\npre*", Some(3)), ("# nothing\n", None), ("@list", Some(1))]
        {
            assert_eq!(Phrases::read(text).expect_err(text).line, line, "{text}");
        }
        assert!(Phrases::read(&"a\n".repeat(MAX_LIST_FILE_BYTES)).is_err());
    }
}
