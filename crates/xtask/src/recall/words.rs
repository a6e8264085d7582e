//! Words of two readers of one file, compared as multisets: which reader keeps more does not hang on the order of columns.

use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;

/// How often each word stands in a text.
pub(super) type Words = HashMap<String, u64>;

/// The words of a text: runs of letters, digits and marks. Scripts without spaces give each sign as a word. Letters that were
/// joined for print are several (NFKC), so that no reader wins by what it does to them.
pub(super) fn words(text: &str) -> Words {
    let mut words = Words::new();
    let mut open = String::new();
    for c in text.nfkc() {
        if is_sign(c) {
            end(&mut open, &mut words);
            *words.entry(c.to_string()).or_default() += 1;
        } else if c.is_alphanumeric() || is_mark(c) {
            open.push(c);
        } else if !is_unseen(c) {
            end(&mut open, &mut words);
        }
    }
    end(&mut open, &mut words);
    words
}

fn end(open: &mut String, words: &mut Words) {
    if !open.is_empty() {
        *words.entry(std::mem::take(open)).or_default() += 1;
    }
}

/// Han, kana, and the signs beside them.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
        && c.is_alphanumeric()
}

fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// What a person does not see within a word: soft hyphens, joiners, signs of direction.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// What one reader found of the words of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Score {
    /// Words of the reference.
    pub(super) words: u64,
    /// Those that are found.
    pub(super) found: u64,
    /// Words that the reference does not have.
    pub(super) more: u64,
}

impl Score {
    pub(super) fn of(own: &Words, reference: &Words) -> Self {
        let found: u64 = reference
            .iter()
            .map(|(word, count)| (*count).min(own.get(word).copied().unwrap_or_default()))
            .sum();
        Self { words: reference.values().sum(), found, more: own.values().sum::<u64>() - found }
    }

    /// The share of the reference's words that are found, to four places, as it stands in the table.
    pub(super) fn recall(self) -> String {
        share(self.found, self.words)
    }

    /// Further words, as a share of the reference's.
    pub(super) fn surplus(self) -> String {
        share(self.more, self.words)
    }
}

/// Rounded down: 1 is only said of all.
fn share(part: u64, whole: u64) -> String {
    let share = if whole == 0 { 0 } else { u128::from(part) * 10_000 / u128::from(whole) };
    match (share / 10_000, share % 10_000) {
        (0, rest) => format!(".{rest:04}"),
        (whole, rest) => format!("{whole}.{rest:04}"),
    }
}

/// The words whose counts differ most, for whoever looks for the reason: `word -3` is missing three times, `word +1` one too
/// many.
pub(super) fn differences(own: &Words, reference: &Words, most: usize) -> Vec<String> {
    let count =
        |words: &Words, word: &str| i64::try_from(words.get(word).copied().unwrap_or(0)).unwrap_or(i64::MAX);
    let mut all: Vec<(i64, &str)> = own
        .keys()
        .chain(reference.keys().filter(|word| !own.contains_key(*word)))
        .map(|word| (count(own, word) - count(reference, word), word.as_str()))
        .filter(|(difference, _)| *difference != 0)
        .collect();
    all.sort_by_key(|(difference, word)| (std::cmp::Reverse(difference.abs()), *word));
    all.iter().take(most).map(|(difference, word)| format!("{word} {difference:+}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(own: &str, reference: &str) -> (u64, u64, u64) {
        let Score { words, found, more } = Score::of(&words(own), &words(reference));
        (words, found, more)
    }

    #[test]
    fn words_are_compared_as_multisets() {
        assert_eq!(score("the harbour, the ferry", "the ferry the harbour."), (4, 4, 0));
        assert_eq!(score("the harbour", "the harbour of the north"), (5, 2, 0));
        assert_eq!(score("the the the", "the"), (1, 1, 2));
        assert_eq!(score("", "the"), (1, 0, 0));
    }

    #[test]
    fn print_and_direction_do_not_count() {
        assert_eq!(score("efficient\u{200f} of\u{ad}fice", "eﬃcient office"), (2, 2, 0));
        assert_eq!(score("第二段です。", "第二 段 です"), (5, 5, 0));
        assert_eq!(score("well-known", "wellknown"), (1, 0, 2));
    }

    #[test]
    fn shares_are_rounded_down() {
        let told = |found, words| Score { words, found, more: 0 }.recall();
        assert_eq!(
            [told(99_999, 100_000), told(5, 5), told(0, 7), told(1, 3)],
            [".9999", "1.0000", ".0000", ".3333"]
        );
        assert_eq!(Score { words: 4, found: 4, more: 6 }.surplus(), "1.5000");
    }

    #[test]
    fn what_differs_most_is_named_first() {
        let told = differences(&words("a a b c"), &words("b d d d c"), 2);
        assert_eq!(told, ["d -3", "a +2"]);
    }
}
