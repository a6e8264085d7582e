//! Prefix and stem tests, behind a filter on the first two letters.

use super::compile::TokenTest;

/// The prefix and stem tests of a sensor.
#[derive(Debug, Default)]
pub(crate) struct TokenTests {
    /// By first letter: the tests that a word beginning with it may pass.
    by_letter: Vec<Vec<(u32, TokenTest)>>,
    /// One bit per pair of first and second byte (0 for words of one byte) that some test may pass.
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
        let mut pairs = vec![0u64; 65_536 / 64];
        for (number, test) in tests.iter().enumerate() {
            let head = head(test).as_bytes();
            // Every stem keeps the first letter of its word, also one so short that it has no certain head.
            let Some(&first) = test.text.as_bytes().first() else { continue };
            by_letter[first as usize].push((number as u32, test.clone()));
            let seconds = match head.get(1) {
                Some(&second) => second..=second,
                None => 0..=255,
            };
            for second in seconds {
                let pair = usize::from(first) << 8 | usize::from(second);
                pairs[pair / 64] |= 1 << (pair % 64);
            }
        }
        Self { by_letter, pairs, stem }
    }

    /// Whether there are no tests at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Whether the token `text[start..end]` is worth a look. There must be tests.
    #[inline]
    pub(crate) fn may_pass(&self, text: &[u8], start: usize, end: usize) -> bool {
        let second = if end - start > 1 { text[start + 1].to_ascii_lowercase() } else { 0 };
        let pair = usize::from(text[start].to_ascii_lowercase()) << 8 | usize::from(second);
        self.pairs[pair / 64] >> (pair % 64) & 1 != 0
    }

    /// Calls `found` with the number of every test that the folded word passes, in order.
    pub(crate) fn each(&self, word: &str, mut found: impl FnMut(u32)) {
        let Some(first) = word.bytes().next() else { return };
        let mut stemmed: Option<String> = None;
        for (number, test) in &self.by_letter[first.to_ascii_lowercase() as usize] {
            let head = head(test).as_bytes();
            let begins =
                word.as_bytes().get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head));
            let passes = begins
                && (!test.stem || {
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
        lists + 8 * self.pairs.len() + 24 * self.by_letter.len()
    }
}

/// What every word that passes the test begins with: the prefix; or the stem without its last two letters, which
/// stemming may have changed (`sensibility` -> `sensibl`, `hoping` -> `hope`, `dying` -> `die`).
fn head(test: &TokenTest) -> &str {
    match test.stem {
        false => &test.text,
        true => test.text.get(..test.text.len().saturating_sub(2)).unwrap_or_default(),
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
            let tests = TokenTests::new(&[TokenTest { text: text.into(), stem: true }], Some(stem));
            let padded = format!("{word} ");
            prop_assert!(tests.may_pass(padded.as_bytes(), 0, word.len()));
            let mut passed = Vec::new();
            tests.each(&word.to_ascii_uppercase(), |test| passed.push(test));
            prop_assert_eq!(passed, vec![0]);
        }
    }
}
