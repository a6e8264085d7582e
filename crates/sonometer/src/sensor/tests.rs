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
    /// Tests in the order of their numbers; `stem` is the stemmer of the language. A stem begins with the first letter of its word.
    pub(crate) fn new(tests: &[TokenTest], stem: Option<fn(&str, &mut String)>) -> Self {
        if tests.is_empty() {
            return Self::default();
        }
        let mut by_letter = vec![Vec::new(); 256];
        let mut pairs = vec![0u64; 65_536 / 64];
        for (number, test) in tests.iter().enumerate() {
            let bytes = test.text.as_bytes();
            let Some(&first) = bytes.first() else { continue };
            by_letter[first as usize].push((number as u32, test.clone()));
            let seconds = match bytes.get(1) {
                Some(&second) if !test.stem => second..=second,
                _ => 0..=255,
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
        let lower = word.to_ascii_lowercase();
        let Some(tests) = lower.bytes().next().and_then(|first| self.by_letter.get(first as usize)) else {
            return;
        };
        let mut stemmed: Option<String> = None;
        for (number, test) in tests {
            let passes = if test.stem {
                let stemmed = stemmed.get_or_insert_with(|| {
                    let mut stem = String::new();
                    if let Some(of) = self.stem {
                        of(&lower, &mut stem);
                    }
                    stem
                });
                *stemmed == *test.text
            } else {
                lower.starts_with(&*test.text)
            };
            if passes {
                found(*number);
            }
        }
    }

    /// Bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let lists = self.by_letter.iter().flatten().map(|(_, t)| t.text.len() + 32).sum::<usize>();
        lists + 8 * self.pairs.len() + 24 * self.by_letter.len()
    }
}
