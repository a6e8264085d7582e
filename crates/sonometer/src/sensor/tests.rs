//! Tests of words that no look-up decides (prefix, stem, one edit), behind a filter on the first two bytes: stemming and
//! comparing cost far more than a bit, and most words pass no test.

use super::compile::TokenTest;
use crate::protocol::phrase::WordKind;
use crate::text::edit::within_one_edit;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many have been made in this process. It only tells them apart; no result depends on it.
static TESTS_MADE: AtomicUsize = AtomicUsize::new(0);

/// The token tests of a sensor.
#[derive(Debug, Default)]
pub(crate) struct TokenTests {
    /// No others have it: see [`TokenTests::number`].
    number: usize,
    /// By first byte, in lower case: the tests that a word beginning with it may pass, in the order of their numbers.
    by_letter: Vec<Vec<(u32, TokenTest)>>,
    /// The tests that allow an edit, which may be in the first letter.
    misspelt: Vec<(u32, Box<str>)>,
    /// One bit for each pair of a first and a second byte that a word with these may pass some test; 0 for the second byte of a
    /// word of one. 2^16 bits, 8 KiB. Empty where there are no tests.
    pairs: Vec<u64>,
    stem: Option<fn(&str, &mut String)>,
}

impl TokenTests {
    /// Tests in the order of their numbers; `stem` is the stemmer of the language.
    pub(crate) fn new(tests: &[TokenTest], stem: Option<fn(&str, &mut String)>) -> Self {
        if tests.is_empty() {
            return Self::default();
        }
        let mut by_letter = vec![Vec::new(); 256];
        let mut misspelt = Vec::new();
        let mut pairs = vec![0u64; 65_536 / 64];
        let mut allow = |first: u8, second: u8| {
            let pair = usize::from(first) << 8 | usize::from(second);
            pairs[pair / 64] |= 1 << (pair % 64);
        };
        for (number, test) in tests.iter().enumerate() {
            if test.kind == WordKind::Misspelt {
                misspelt.push((number as u32, test.text.clone()));
                edited_heads(test.text.as_bytes(), &mut allow);
                continue;
            }
            let head = head(test).as_bytes();
            // Every stem keeps the first letter of its word, also one so short that it has no certain head.
            let Some(&first) = test.text.as_bytes().first() else { continue };
            by_letter[first as usize].push((number as u32, test.clone()));
            let seconds = match head.get(1) {
                Some(&second) => second..=second,
                None => 0..=255,
            };
            for second in seconds {
                allow(first, second);
            }
        }
        by_letter.iter_mut().for_each(Vec::shrink_to_fit);
        let number = TESTS_MADE.fetch_add(1, Ordering::Relaxed) + 1;
        Self { number, by_letter, misspelt, pairs, stem }
    }

    /// A number that no other tests of this process have: what a thread remembers of words belongs to it.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Whether there are no tests at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Whether the token `text[start..end]` is worth a look. There must be tests.
    #[inline]
    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn may_pass(&self, text: &[u8], start: usize, end: usize) -> bool {
        let second = if end - start > 1 { text[start + 1].to_ascii_lowercase() } else { 0 };
        let pair = usize::from(text[start].to_ascii_lowercase()) << 8 | usize::from(second);
        self.pairs[pair / 64] >> (pair % 64) & 1 != 0
    }

    /// Calls `found` with the number of every test that the folded word passes, in order.
    #[cfg_attr(small_build, optimize(speed))]
    pub(crate) fn each(&self, word: &str, mut found: impl FnMut(u32)) {
        if self.misspelt.is_empty() {
            return self.each_certain(word, found);
        }
        let lower = word.to_ascii_lowercase();
        let near = self.misspelt.iter().filter(|(_, test)| within_one_edit(test, &lower));
        let mut passed: Vec<u32> = near.map(|(number, _)| *number).collect();
        self.each_certain(word, |number| passed.push(number));
        // `TurnText::passed` is sorted by test.
        passed.sort_unstable();
        passed.into_iter().for_each(&mut found);
    }

    /// The same for the tests with a certain beginning.
    fn each_certain(&self, word: &str, mut found: impl FnMut(u32)) {
        let Some(first) = word.bytes().next() else { return };
        // Stemmed once for all tests, and not at all where no test of a stem begins like the word.
        let mut stemmed: Option<String> = None;
        for (number, test) in &self.by_letter[first.to_ascii_lowercase() as usize] {
            let head = head(test).as_bytes();
            let begins =
                word.as_bytes().get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head));
            let passes = begins
                && (test.kind != WordKind::Inflection || {
                    let stemmed = stemmed.get_or_insert_with(|| self.stem_of(word));
                    *stemmed == *test.text
                });
            if passes {
                found(*number);
            }
        }
    }

    fn stem_of(&self, word: &str) -> String {
        let mut stem = String::new();
        if let Some(of) = self.stem {
            of(&word.to_ascii_lowercase(), &mut stem);
        }
        stem
    }

    /// Bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let lists = self.by_letter.iter().flatten().map(|(_, t)| t.text.len() + 32).sum::<usize>();
        let misspelt = self.misspelt.iter().map(|(_, text)| text.len() + 24).sum::<usize>();
        lists + misspelt + 8 * self.pairs.len() + 24 * self.by_letter.len()
    }
}

/// What every word that passes the test begins with: the prefix; or the stem without its last two letters, which
/// stemming may have changed (`sensibility` -> `sensibl`, `hoping` -> `hope`, `dying` -> `die`).
fn head(test: &TokenTest) -> &str {
    match test.kind {
        WordKind::Inflection => test.text.get(..test.text.len().saturating_sub(2)).unwrap_or_default(),
        _ => &test.text,
    }
}

/// The first two bytes that a word can have which is `text` but for one edit.
fn edited_heads(text: &[u8], allow: &mut impl FnMut(u8, u8)) {
    let is_plain = |byte: u8| byte.is_ascii();
    // A word that may be misspelt has five letters or more, so there are three bytes to look at.
    for other in 0..=255 {
        // An edit behind the first byte; another first byte; a byte before it.
        allow(text[0], other);
        allow(other, text[1]);
        allow(other, text[0]);
    }
    // Another first letter of several bytes.
    (0xc2..=0xf4).for_each(|first| (0x80..=0xbf).for_each(|second| allow(first, second)));
    // The first left out; the first two swapped.
    allow(text[1], text[2]);
    allow(text[1], text[0]);
    if !text[..3].iter().copied().all(is_plain) {
        // Letters of several bytes: no beginning is certain.
        (0..=255).for_each(|first| (0..=255).for_each(|second| allow(first, second)));
    }
}

#[cfg(test)]
mod checks {
    use super::*;
    use crate::language::english_stem::stem;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn every_word_passes_the_test_of_its_own_stem(
            root in "[a-z]{1,8}",
            ending in "(s|es|ed|ing|ly|y|ies|ied|ational|ization|izer|fulness|ousli|ability|iviti|bli|logi|ation|ement|'s)?",
        ) {
            let word = root + &ending;
            let mut text = String::new();
            stem(&word, &mut text);
            prop_assume!(!text.is_empty());
            let tests = TokenTests::new(&[TokenTest { text: text.into(), kind: WordKind::Inflection }], Some(stem));
            let padded = format!("{word} ");
            prop_assert!(tests.may_pass(padded.as_bytes(), 0, word.len()));
            let mut passed = Vec::new();
            tests.each(&word.to_ascii_uppercase(), |test| passed.push(test));
            prop_assert_eq!(passed, vec![0]);
        }

        #[test]
        fn every_edit_of_a_word_passes_its_test(word in "[a-zд]{5,9}", at in 0usize..9, other in "[a-zд]", edit in 0..4) {
            let mut letters: Vec<char> = word.chars().collect();
            let at = at.min(letters.len() - 1);
            let new = other.chars().next().unwrap_or('x');
            match edit {
                0 => letters[at] = new,
                1 => letters.insert(at, new),
                2 => drop(letters.remove(at)),
                _ => letters.swap(at, (at + 1).min(word.chars().count() - 1)),
            }
            let edited: String = letters.into_iter().collect();
            let tests = TokenTests::new(&[TokenTest { text: word.into(), kind: WordKind::Misspelt }], None);
            let padded = edited.clone() + " ";
            prop_assert!(tests.may_pass(padded.as_bytes(), 0, edited.len()));
            let mut passed = Vec::new();
            tests.each(&edited.to_ascii_uppercase(), |test| passed.push(test));
            prop_assert_eq!(passed, vec![0]);
        }
    }
}
