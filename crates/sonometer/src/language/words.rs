//! Lists of words, each written as one text: `"about, after, again"`.
//!
//! Beside every string of a slice stand its address and its length, eight bytes for a word of five letters; the lists of
//! the languages were an eighth of the constants of the module for browsers so. An entry is found by halving the text and
//! going on to the next comma, so a list needs no index either.

/// Words or phrases, sorted by bytes and without repetitions; between two of them a comma and white space.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words(&'static str);

impl Words {
    /// No words.
    pub const NONE: Self = Self("");

    pub(crate) const fn new(text: &'static str) -> Self {
        Self(text)
    }

    /// The words in their order.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        entries(self.0)
    }

    /// Is `word` in the list?
    pub fn contains(self, word: &str) -> bool {
        find(self.0, word, |entry| entry).is_some()
    }

    /// Of some words in the order of a list, those that are not in this one.
    pub(super) fn leave_out(
        self,
        words: impl Iterator<Item = &'static str>,
    ) -> impl Iterator<Item = &'static str> {
        // Both go the same way, which costs a tenth of looking each word up.
        let mut own = self.iter().peekable();
        words.filter(move |word| {
            while own.next_if(|known| known < word).is_some() {}
            own.peek() != Some(word)
        })
    }

    /// Has the list no words?
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

/// Words with a number from 0 to 255 behind each (`"able 8, about 11"`), sorted by word and without repetitions.
#[derive(Clone, Copy, Debug, Default)]
pub struct NumberedWords(Pairs);

impl NumberedWords {
    /// No words.
    pub const NONE: Self = Self::new("");

    pub(super) const fn new(text: &'static str) -> Self {
        Self(Pairs::new(text))
    }

    /// The words in their order, each with its number.
    pub fn iter(self) -> impl Iterator<Item = (&'static str, u8)> {
        self.0.iter().map(|(word, number)| (word, Self::read(number)))
    }

    /// The number of `word`; `None` if it is not in the list.
    pub fn get(self, word: &str) -> Option<u8> {
        self.0.get(word).map(Self::read)
    }

    /// Tests read every list, so what is no number does not come up.
    fn read(number: &str) -> u8 {
        number.parse().unwrap_or_default()
    }
}

/// Words with a text without spaces behind each (`"AD 08n12c, AE 19n"`), sorted by word and without repetitions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pairs(&'static str);

impl Pairs {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self(text)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        entries(self.0).map(parted)
    }

    /// What stands behind `word`.
    pub(crate) fn get(self, word: &str) -> Option<&'static str> {
        find(self.0, word, |entry| parted(entry).0).map(|entry| parted(entry).1)
    }
}

/// `able 8`: the word, and what stands behind it. Byte by byte, since the space is one of the last few.
fn parted(entry: &'static str) -> (&'static str, &'static str) {
    match entry.bytes().rposition(|byte| byte == b' ') {
        Some(space) => (&entry[..space], &entry[space + 1..]),
        None => (entry, ""),
    }
}

fn entries(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(',').map(str::trim_ascii).filter(|entry| !entry.is_empty())
}

/// The entry of `list` whose key is `key`.
fn find(list: &'static str, key: &str, key_of: fn(&'static str) -> &'static str) -> Option<&'static str> {
    let mut rest = list;
    while !rest.is_empty() {
        // The entry in which the middle lies, or which ends there. A comma is one byte, so both cuts are between characters.
        let middle = rest.len() / 2;
        let comma = |byte: &u8| *byte == b',';
        let start = rest.as_bytes()[..middle].iter().rposition(comma).map_or(0, |at| at + 1);
        let end = rest.as_bytes()[middle..].iter().position(comma).map_or(rest.len(), |at| middle + at);
        let entry = rest[start..end].trim_ascii();
        match key.cmp(key_of(entry)) {
            std::cmp::Ordering::Equal => return Some(entry),
            std::cmp::Ordering::Less => rest = &rest[..start.saturating_sub(1)],
            std::cmp::Ordering::Greater => rest = rest.get(end + 1..).unwrap_or(""),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn an_empty_list_has_no_words() {
        assert_eq!(Words::NONE.iter().count(), 0);
        assert!(Words::NONE.is_empty() && !Words::NONE.contains(""));
        assert_eq!(NumberedWords::NONE.get(""), None);
    }

    #[test]
    fn words_of_one_text() {
        let words = Words::new("ain't,\n    ain't no, lack of, 不, 从 来");
        assert_eq!(words.iter().collect::<Vec<_>>(), ["ain't", "ain't no", "lack of", "不", "从 来"]);
        assert!(words.contains("ain't no") && words.contains("从 来") && !words.contains("lack"));
    }

    proptest! {
        #[test]
        fn what_is_left_out_is_what_the_list_has(all in prop::collection::btree_set("[a-c']{1,3}", 0..30), own in prop::collection::btree_set("[a-c']{1,3}", 0..30)) {
            let text = |words: &BTreeSet<String>| Words::new(words.iter().cloned().collect::<Vec<_>>().join(", ").leak());
            let left: Vec<&str> = text(&own).leave_out(text(&all).iter()).collect();
            prop_assert_eq!(left, all.difference(&own).collect::<Vec<_>>());
        }

        #[test]
        fn every_word_is_found_and_no_other(words in prop::collection::btree_map("[a-c'不]{1,4}", any::<u8>(), 0..40), other in "[a-c'不]{0,4}") {
            let text: Vec<String> = words.iter().map(|(word, number)| format!("{word} {number}")).collect();
            let list = NumberedWords::new(text.join(",\n    ").leak());
            prop_assert_eq!(list.iter().map(|(w, n)| (w.to_owned(), n)).collect::<BTreeMap<_, _>>(), words.clone());
            for (word, number) in &words {
                prop_assert_eq!(list.get(word), Some(*number));
            }
            prop_assert_eq!(list.get(&other), words.get(&other).copied());
        }
    }
}
