//! Which tests the words of earlier texts passed, so that no common word is stemmed and compared anew each time it stands there.

use crate::sensor::tests::TokenTests;

/// Words by what they are, each in the one place where it can stand: another that needs the place takes it. Part of the working memory of
/// a thread, so that nothing is locked; what is there shows in no result, as an entry is used only where word and tests are the same.
#[derive(Debug, Default)]
pub(super) struct KnownWords {
    /// [`PLACES`] of them, or none before the first word comes.
    places: Vec<Known>,
    /// The tests that the words pass, one list behind the other.
    tests: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// The word in lower case, its bytes packed; 0: none.
    word: u128,
    /// The number of the tests ([`TokenTests::number`]).
    of: usize,
    /// Its tests: from, and how many.
    from: u32,
    count: u32,
}

/// Above the different words of a long talk that are worth a look; 32 bytes each.
const PLACES: usize = 2048;
/// The most bytes of a word that is remembered: longer ones are rare.
const MOST_BYTES: usize = 16;
/// The most tests that are kept: all is forgotten then, which a few words that pass hundreds each could bring about.
const MOST_TESTS: usize = 1 << 16;

impl KnownWords {
    /// Calls `found` with the number of every test that a folded word passes, in order.
    pub(super) fn each(&mut self, tests: &TokenTests, word: &str, found: impl FnMut(u32)) {
        let mut bytes = [0; MOST_BYTES];
        let Some(own) = bytes.get_mut(..word.len()) else { return tests.each(word, found) };
        own.copy_from_slice(word.as_bytes());
        bytes.make_ascii_lowercase();
        // No word holds a NUL, so zeros tell the length too.
        let key = u128::from_le_bytes(bytes);
        let place = index(key ^ tests.number() as u128);
        if !self.places.get(place).is_some_and(|known| known.word == key && known.of == tests.number()) {
            self.learn(tests, word, key, place);
        }
        let Known { from, count, .. } = self.places[place];
        self.tests[from as usize..][..count as usize].iter().copied().for_each(found);
    }

    #[inline(never)]
    fn learn(&mut self, tests: &TokenTests, word: &str, key: u128, place: usize) {
        if self.places.is_empty() || self.tests.len() > MOST_TESTS {
            self.places.clear();
            self.places.resize(PLACES, Known::default());
            self.tests.clear();
        }
        let from = self.tests.len();
        tests.each(word, |test| self.tests.push(test));
        let count = (self.tests.len() - from) as u32;
        self.places[place] = Known { word: key, of: tests.number(), from: from as u32, count };
    }

    /// Bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.places.capacity() * size_of::<Known>() + self.tests.capacity() * size_of::<u32>()
    }
}

/// The upper bits of a product with 2^64 / golden ratio, of both halves.
fn index(key: u128) -> usize {
    let halves = (key as u64) ^ ((key >> 64) as u64).rotate_left(23);
    (halves.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PLACES.ilog2())) as usize
}

#[cfg(test)]
mod checks {
    use super::*;
    use crate::language::english_stem::stem;
    use crate::protocol::phrase::WordKind;
    use crate::sensor::compile::TokenTest;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_word_passes_what_it_passed_whatever_came_between(
            words in prop::collection::vec("[a-zA-Z]{1,4}(s|ed|ing)?|[a-z]{14,18}|[à-ä]{2,9}", 1..300),
            texts in prop::collection::vec("[a-z]{1,3}", 1..40),
        ) {
            let of = |kind| {
                let tests: Vec<_> = texts.iter().map(|text| TokenTest { text: text.as_str().into(), kind }).collect();
                TokenTests::new(&tests, Some(stem))
            };
            let both = [of(WordKind::Prefix), of(WordKind::Inflection)];
            let mut known = KnownWords::default();
            for word in words.iter().chain(&words) {
                for tests in &both {
                    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
                    known.each(tests, word, |test| ours.push(test));
                    tests.each(word, |test| theirs.push(test));
                    prop_assert_eq!(ours, theirs, "{}", word);
                }
            }
        }
    }
}
