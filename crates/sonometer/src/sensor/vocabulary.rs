//! The words of all patterns, numbered, in one flat hash table.
//!
//! A word of up to eight bytes is its own key (its bytes, packed), so a look-up that finds the key is exact; a longer
//! word is hashed and confirmed against the stored text. Keys are of lower-case text.

use crate::names::Numbered;

/// What a word number stands for in the sensor.
pub(crate) mod role {
    /// A function word of the protocol's language.
    pub(crate) const FUNCTION: u8 = 1;
    /// It is a phrase by itself.
    pub(crate) const PHRASE: u8 = 2;
    /// Some rule is looked for where it stands.
    pub(crate) const ANCHOR: u8 = 4;
    /// After it a full stop does not end the sentence.
    pub(crate) const ABBREVIATION: u8 = 16;
    /// Likewise, before a digit.
    pub(crate) const NUMBER_ABBREVIATION: u8 = 32;
    /// Marks that a passage cannot be heard, when in brackets.
    pub(crate) const PLACEHOLDER: u8 = 8;
    /// A word that another language than the protocol's is told by. The highest bit, so that one shift counts it.
    pub(crate) const FOREIGN: u8 = 128;
}

/// Word numbers by word. Number 0 stands for every word that no pattern has.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// A power of two of places, at most a quarter of them taken; 0 where no word is. Apart from what stands in them,
    /// so that more of them stay in the cache.
    keys: Vec<u64>,
    places: Vec<Place>,
    words: Vec<Box<str>>,
    roles: Vec<u8>,
}

/// A word number, and whether the word has more than eight bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Place(u32);

impl Place {
    const LONG: u32 = 1 << 31;

    fn word(self) -> u32 {
        self.0 & !Self::LONG
    }

    fn is_long(self) -> bool {
        self.0 & Self::LONG != 0
    }
}

/// Collects words before the table is built.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    /// The words, and the roles of each.
    words: Numbered<(Box<str>, u8)>,
}

impl Builder {
    /// The number of a folded, lower-case word.
    pub(crate) fn number(&mut self, word: &str) -> u32 {
        1 + self.words.number(word, || (word.into(), 0))
    }

    /// Adds a role to a word.
    pub(crate) fn mark(&mut self, number: u32, role: u8) {
        self.words.value(number - 1).1 |= role;
    }

    /// How many numbers there are, 0 included.
    pub(crate) fn len(&self) -> usize {
        self.words.values().len() + 1
    }

    /// The finished table.
    pub(crate) fn build(self) -> Vocabulary {
        let (words, roles): (Vec<Box<str>>, Vec<u8>) = self.words.into_values().into_iter().unzip();
        let size = (4 * words.len()).next_power_of_two().max(16);
        let (mut keys, mut places) = (vec![0; size], vec![Place::default(); size]);
        for (number, word) in (1..).zip(&words) {
            let key = key_of(word.as_bytes());
            let mut at = index(key) & (size - 1);
            while keys[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            keys[at] = key;
            places[at] = Place(number | if word.len() > 8 { Place::LONG } else { 0 });
        }
        let roles = std::iter::once(0).chain(roles).collect();
        Vocabulary { keys, places, words, roles }
    }
}

impl Vocabulary {
    /// The number of the token `text[start..end]` of a folded turn, in any case; 0 if no pattern has the word.
    #[inline(always)]
    pub(crate) fn number(&self, text: &[u8], start: usize, end: usize) -> u32 {
        let len = end - start;
        if len > 8 {
            return self.long_number(&text[start..end]);
        }
        let key = short_key(text, start, len);
        let at = index(key) & (self.keys.len() - 1);
        let found = self.keys[at];
        // The word or nothing (key 0, number 0)? Which of the two cannot be foreseen, so both are asked in one comparison:
        // only that another word holds the place, which is rare, costs a mispredicted branch.
        if found.wrapping_sub(key).min(found) == 0 {
            let place = self.places[at];
            if !place.is_long() {
                return place.word();
            }
        }
        self.further(key, |place| !place.is_long())
    }

    #[inline(never)]
    fn long_number(&self, word: &[u8]) -> u32 {
        self.further(long_key(word), |place| {
            place.is_long() && self.words[place.word() as usize - 1].as_bytes().eq_ignore_ascii_case(word)
        })
    }

    /// Probes place by place.
    #[inline(never)]
    fn further(&self, key: u64, is_it: impl Fn(Place) -> bool) -> u32 {
        let mask = self.keys.len() - 1;
        let mut at = index(key) & mask;
        while self.keys[at] != 0 {
            if self.keys[at] == key && is_it(self.places[at]) {
                return self.places[at].word();
            }
            at = (at + 1) & mask;
        }
        0
    }

    /// What the word stands for.
    #[inline]
    pub(crate) fn roles(&self, word: u32) -> u8 {
        self.roles[word as usize]
    }

    /// Bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.keys.len() * 12 + self.words.iter().map(|w| w.len() + 16).sum::<usize>() + self.roles.len()
    }
}

#[inline(always)]
fn index(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

fn key_of(lower: &[u8]) -> u64 {
    if lower.len() <= 8 { short_key(lower, 0, lower.len()) } else { long_key(lower) }
}

/// The bytes of a word of at most eight bytes in lower case, packed. Words hold no NUL, so the key tells the length too.
#[inline(always)]
fn short_key(text: &[u8], start: usize, len: usize) -> u64 {
    let bytes = match text.get(start..start + 8) {
        Some(chunk) => u64::from_le_bytes(chunk.try_into().unwrap_or_default()),
        None => last_bytes(&text[start..start + len]),
    };
    lower(bytes & KEPT[len & 15])
}

/// The mask of the first n bytes.
const KEPT: [u64; 16] = {
    let mut masks = [!0; 16];
    let mut len = 0;
    while len < 8 {
        masks[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    masks
};

/// A word within the last eight bytes of the text.
#[cold]
fn last_bytes(word: &[u8]) -> u64 {
    let mut chunk = [0; 8];
    chunk[..word.len()].copy_from_slice(word);
    u64::from_le_bytes(chunk)
}

/// A mix of all bytes in lower case; words of nine bytes and more are confirmed after it.
fn long_key(word: &[u8]) -> u64 {
    let (chunks, rest) = word.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mut key = word.len() as u64;
    for chunk in chunks.iter().chain(std::iter::once(&last)) {
        key = (key.rotate_left(26) ^ lower(u64::from_le_bytes(*chunk))).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    // 0 stands for an empty place.
    key | 1
}

/// ASCII capitals in lower case, eight bytes at once; other bytes stay.
#[inline(always)]
fn lower(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let low = bytes & (0x7f * ONES);
    let capital = (low + (0x80 - b'A') as u64 * ONES)
        & !(low + (0x80 - (b'Z' + 1)) as u64 * ONES)
        & !bytes
        & (0x80 * ONES);
    bytes | capital >> 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_words_in_any_case_and_only_them() {
        let mut builder = Builder::default();
        let words = ["a", "don't", "eightlet", "ninelette", "acknowledgement", "über", "привет-", "中"];
        let numbers: Vec<u32> = words.iter().map(|w| builder.number(w)).collect();
        assert_eq!(builder.number("a"), numbers[0]);
        let vocabulary = builder.build();
        for (word, number) in words.iter().zip(numbers) {
            let text = format!("xx {} yy", word.to_ascii_uppercase());
            assert_eq!(vocabulary.number(text.as_bytes(), 3, 3 + word.len()), number, "{word}");
            assert_eq!(
                vocabulary.number(word.as_bytes(), 0, word.len()),
                number,
                "{word} at the end of the text"
            );
        }
        for other in ["b", "don", "eightlets", "ninelettf", "acknowledgements"] {
            assert_eq!(vocabulary.number(other.as_bytes(), 0, other.len()), 0, "{other}");
        }
    }

    #[test]
    fn lowers_capitals_only() {
        let all: Vec<u8> = (0..=255).collect();
        for chunk in all.as_chunks::<8>().0 {
            assert_eq!(
                lower(u64::from_le_bytes(*chunk)).to_le_bytes(),
                chunk.map(|b| b.to_ascii_lowercase())
            );
        }
    }
}
