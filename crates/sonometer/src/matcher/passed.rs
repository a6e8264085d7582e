//! Which tests of words (prefix, stem, misspelling) the tokens of a turn pass.

use super::known::KnownWords;
use crate::sensor::tests::TokenTests;

/// (token, test) pairs, sorted. Most tokens pass none.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    pairs: Vec<(u32, u32)>,
    /// Where the pairs of each token begin: a program asks at nearly every step. No entry behind the last token that has a pair.
    starts: Vec<u32>,
    /// What words pass; it stays from turn to turn.
    known: KnownWords,
}

impl Passed {
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.starts.clear();
    }

    /// Notes the tests that a token passes, the one behind all others.
    #[cfg_attr(small_build, optimize(speed))]
    pub(super) fn note(&mut self, tests: &TokenTests, token: u32, word: &str) {
        let Self { pairs, starts, known } = self;
        known.each(tests, word, |test| push(pairs, starts, token, test));
    }

    /// All pairs, from the first token to the last.
    pub(super) fn all(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// The pairs of a token, in the order of the tests.
    #[inline]
    pub(super) fn at(&self, token: usize) -> &[(u32, u32)] {
        let Some(&from) = self.starts.get(token) else { return &[] };
        let to = self.starts.get(token + 1).map_or(self.pairs.len(), |to| *to as usize);
        &self.pairs[from as usize..to]
    }

    /// Whether a token passes a test.
    #[inline]
    pub(super) fn has(&self, token: usize, test: u32) -> bool {
        self.at(token).iter().any(|(_, passed)| *passed == test)
    }

    /// Bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<(u32, u32)>()
            + self.starts.capacity() * size_of::<u32>()
            + self.known.heap_bytes()
    }
}

fn push(pairs: &mut Vec<(u32, u32)>, starts: &mut Vec<u32>, token: u32, test: u32) {
    if starts.len() <= token as usize {
        starts.resize(token as usize + 1, pairs.len() as u32);
    }
    pairs.push((token, test));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_has_its_own() {
        let mut passed = Passed::default();
        assert!(passed.at(0).is_empty() && !passed.has(7, 0));
        let all = [(0, 3), (0, 5), (15, 1), (16, 0), (100, 2), (100, 4), (101, 2), (4_000, 9)];
        for (token, test) in all {
            push(&mut passed.pairs, &mut passed.starts, token, test);
        }
        assert_eq!(passed.all(), all);
        for token in 0..5_000_usize {
            let own: Vec<_> = all.iter().filter(|(other, _)| *other as usize == token).copied().collect();
            assert_eq!(passed.at(token), own, "{token}");
            for test in 0..10 {
                assert_eq!(passed.has(token, test), own.contains(&(token as u32, test)), "{token} {test}");
            }
        }
        passed.clear();
        assert!(passed.at(0).is_empty() && passed.all().is_empty());
    }
}
