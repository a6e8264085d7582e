//! Which tests of words (prefix, stem, misspelling) the tokens of a turn pass.

use super::known::KnownWords;
use crate::sensor::tests::TokenTests;

/// (token, test) pairs, sorted. Most tokens pass none.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    pairs: Vec<(u32, u32)>,
    /// Where the pairs of each block of tokens begin: a program asks at nearly every step, and a search through all pairs would take
    /// longer the longer the turn is. No entry behind the last block that has a pair.
    blocks: Vec<u32>,
    /// What words pass; it stays from turn to turn.
    known: KnownWords,
}

/// Tokens of a block, as a shift: 16, so that the pairs of one are a look or two.
const BLOCK: u32 = 4;

impl Passed {
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.blocks.clear();
    }

    /// Notes the tests that a token passes, the one behind all others.
    #[cfg_attr(small_build, optimize(speed))]
    pub(super) fn note(&mut self, tests: &TokenTests, token: u32, word: &str) {
        let Self { pairs, blocks, known } = self;
        known.each(tests, word, |test| push(pairs, blocks, token, test));
    }

    /// All pairs, from the first token to the last.
    pub(super) fn all(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// The pairs of a token, in the order of the tests.
    #[inline]
    pub(super) fn at(&self, token: usize) -> &[(u32, u32)] {
        let block = token >> BLOCK;
        let Some(&from) = self.blocks.get(block) else { return &[] };
        let to = self.blocks.get(block + 1).map_or(self.pairs.len(), |to| *to as usize);
        let here = &self.pairs[from as usize..to];
        let first = here.iter().take_while(|(other, _)| (*other as usize) < token).count();
        let count = here[first..].iter().take_while(|(other, _)| *other as usize == token).count();
        &here[first..first + count]
    }

    /// Whether a token passes a test.
    #[inline]
    pub(super) fn has(&self, token: usize, test: u32) -> bool {
        self.at(token).iter().any(|(_, passed)| *passed == test)
    }

    /// Bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<(u32, u32)>()
            + self.blocks.capacity() * size_of::<u32>()
            + self.known.heap_bytes()
    }
}

fn push(pairs: &mut Vec<(u32, u32)>, blocks: &mut Vec<u32>, token: u32, test: u32) {
    let block = (token >> BLOCK) as usize;
    if blocks.len() <= block {
        blocks.resize(block + 1, pairs.len() as u32);
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
            push(&mut passed.pairs, &mut passed.blocks, token, test);
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
