//! Where the words of a segment stand in its text.

use super::transcript::Word;

/// How far behind the word before one is looked for, in bytes. Thousands of words that are not there would otherwise each be
/// looked for to the end of the text.
const NEAR: usize = 4096;

/// The first byte of each word, from left to right; `None` for one that is not there.
pub(super) fn words(text: &str, words: &[Word]) -> Vec<Option<usize>> {
    let mut from = 0;
    let mut places = Vec::with_capacity(words.len());
    for word in words {
        let mut to = text.len().min(from + NEAR + word.text.len());
        while !text.is_char_boundary(to) {
            to += 1;
        }
        let found = text[from..to].find(&word.text).or_else(|| loosely(&text[from..], &word.text));
        places.push(found.map(|at| from + at));
        if let Some(at) = found {
            // Past its first letter: the rest may be written in another way.
            let first = text[from + at..].chars().next().map_or(0, char::len_utf8);
            let whole = from + at + word.text.len();
            from = if text[from + at..].starts_with(&word.text) { whole } else { from + at + first };
        }
    }
    places
}

/// The word without its marks, whatever its capitals, where a word begins.
fn loosely(text: &str, word: &str) -> Option<usize> {
    let bare = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let wanted = bare(word);
    if wanted.is_empty() {
        return None;
    }
    let mut at = 0;
    // Only the next few: a word that was left out does not take a later one's place.
    for part in text.split_inclusive(char::is_whitespace).take(4) {
        if bare(part) == wanted {
            return Some(at + (part.len() - part.trim_start().len()));
        }
        at += part.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Unit;

    #[test]
    fn words_are_found_from_left_to_right() {
        let word =
            |text: &str| Word { text: text.into(), start: Unit::ZERO, end: Unit::ZERO, confidence: None };
        let places =
            |text: &str, list: &[&str]| words(text, &list.iter().map(|text| word(text)).collect::<Vec<_>>());
        assert_eq!(places("no, no way", &["no,", "no", "way"]), [Some(0), Some(4), Some(7)]);
        assert_eq!(places("No, no way.", &["NO", "no", "way"]), [Some(0), Some(4), Some(7)]);
        assert_eq!(places("a b", &["c", "b"]), [None, Some(2)]);
        assert_eq!(places("谢谢你", &["谢谢", "你"]), [Some(0), Some(6)]);
        // The window ends between letters, and a long word has room in it.
        let long = format!("{}x", "谢".repeat(2_000));
        assert_eq!(places(&long, &["x", &long]), [None, Some(0)]);
    }
}
