//! The words of all patterns, numbered, in one flat hash table.
//!
//! A word of up to eight bytes is its own key (its bytes, packed into a `u64`), so a look-up that finds the key is exact; a longer
//! word is hashed to 64 bits and confirmed against the stored text. Keys are of lower-case text: folded text keeps ASCII
//! capitals, which are lowered here, eight bytes at once.

/// What a word number stands for in the sensor, as bits of one byte. Two have a place that counting relies on
/// (`matcher/turn.rs`): [`FUNCTION`](role::FUNCTION) is bit 0, [`FOREIGN`](role::FOREIGN) bit 7. All eight are taken.
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
    /// A phrase of a list file begins with it, for which some program asks.
    pub(crate) const LIST: u8 = 64;
    /// An everyday word of another language than the protocol's.
    pub(crate) const FOREIGN: u8 = 128;
}

/// Word numbers by word. Number 0 stands for every word that no pattern has.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// As many places as a power of two, few of them taken ([`places_for`]), so that one look nearly always decides; 0 where no word is.
    /// Apart from `places`, so that more keys stay in the cache: most words of a text are in no pattern, and read no more than a key.
    keys: Vec<u64>,
    places: Vec<Place>,
    /// All words, one behind the other: a text of its own for each of 50,000 takes four times as much memory.
    text: Vec<u8>,
    /// Word n is `text[ends[n - 1]..ends[n]]`. 32 bits are enough: 64 list files of 4 MiB, folded to at most eleven times that, are 2.8 GiB.
    ends: Vec<u32>,
    /// By word number, 0 included.
    roles: Vec<u8>,
}

/// How many places so many words have: at most a quarter is taken, of large vocabularies a half. A table of 2,048 words has 48 KiB then,
/// and its keys fit into the first cache. With two fifths at most, those of everything that ships had 1.2 MiB more.
fn places_for(words: usize) -> usize {
    const LARGE: usize = 1_000;
    (if words <= LARGE { 4 * words } else { 2 * words }).next_power_of_two()
}

/// A word number, and whether the word has more than eight bytes: the key of a long word can be that of a short one, and only
/// this bit tells them apart.
#[derive(Clone, Copy, Debug, Default)]
struct Place(u32);

impl Place {
    /// Free, since word numbers have 28 bits (`text/token.rs`).
    const LONG: u32 = 1 << 31;

    fn word(self) -> u32 {
        self.0 & !Self::LONG
    }

    fn is_long(self) -> bool {
        self.0 & Self::LONG != 0
    }
}

/// Collects words: a vocabulary that grows. Its table is larger than a map of texts and asked twice as fast, which is most of what it
/// takes to compile long lists.
#[derive(Debug)]
pub(crate) struct Builder(Vocabulary);

impl Default for Builder {
    fn default() -> Self {
        Self(Vocabulary {
            keys: vec![0; 64],
            places: vec![Place::default(); 64],
            text: Vec::new(),
            ends: vec![0],
            roles: vec![0],
        })
    }
}

impl Builder {
    /// The number of a folded, lower-case word.
    pub(crate) fn number(&mut self, word: &str) -> u32 {
        let known = self.0.number(word.as_bytes(), 0, word.len());
        if known != 0 {
            return known;
        }
        let words = &mut self.0;
        words.text.extend_from_slice(word.as_bytes());
        words.ends.push(words.text.len() as u32);
        words.roles.push(0);
        let count = words.count();
        let places = places_for(count);
        if places > words.keys.len() {
            words.lay_out(places);
        } else {
            words.put(count as u32);
        }
        count as u32
    }

    /// Adds a role to a word.
    pub(crate) fn mark(&mut self, number: u32, role: u8) {
        self.0.roles[number as usize] |= role;
    }

    /// How many numbers there are, 0 included.
    pub(crate) fn len(&self) -> usize {
        self.0.roles.len()
    }

    pub(crate) fn build(mut self) -> Vocabulary {
        self.0.text.shrink_to_fit();
        self.0.ends.shrink_to_fit();
        self.0.roles.shrink_to_fit();
        // Large vocabularies have grown to this very size.
        let size = places_for(self.0.count()).max(16);
        if size != self.0.keys.len() {
            self.0.lay_out(size);
        }
        self.0
    }
}

/// Some words of a vocabulary: a bit for each number.
#[derive(Debug, Default)]
pub(crate) struct WordSet(Vec<u64>);

impl WordSet {
    /// Adds the word with a number.
    pub(crate) fn insert(&mut self, number: u32) {
        let at = number as usize / 64;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (number % 64);
    }

    /// Whether it has the word with a number; never number 0, which is no word's.
    pub(crate) fn has(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
    }
}

impl Vocabulary {
    /// How many words there are.
    fn count(&self) -> usize {
        self.ends.len() - 1
    }

    /// The bytes of a word, in lower case.
    #[inline]
    fn word(&self, number: u32) -> &[u8] {
        let number = number as usize;
        &self.text[self.ends[number - 1] as usize..self.ends[number] as usize]
    }

    /// Puts all words into a table of so many places.
    fn lay_out(&mut self, size: usize) {
        // The old table goes first: that of 50,000 words has 3 MiB.
        (self.keys, self.places) = (Vec::new(), Vec::new());
        (self.keys, self.places) = (vec![0; size], vec![Place::default(); size]);
        (1..=self.count() as u32).for_each(|number| self.put(number));
    }

    /// Puts a word into the table, which has room for it.
    fn put(&mut self, number: u32) {
        let word = self.word(number);
        let (mask, is_long) = (self.keys.len() - 1, word.len() > 8);
        let key = key_of(word);
        let mut at = index(key) & mask;
        while self.keys[at] != 0 {
            at = (at + 1) & mask;
        }
        self.keys[at] = key;
        self.places[at] = Place(number | if is_long { Place::LONG } else { 0 });
    }
}

impl Vocabulary {
    /// The number of the token `text[start..end]` of a folded turn, in any case; 0 if no pattern has the word.
    #[inline(always)]
    pub(crate) fn number(&self, text: &[u8], start: usize, end: usize) -> u32 {
        match end - start {
            len @ ..=8 => self.short_number(lower(first_bytes(text, start, len)), |place| !place.is_long()),
            _ => self.long_number(&text[start..end]),
        }
    }

    /// The same for a word of ASCII: letters, digits and the signs that join them, which are all lowered by one bit.
    #[inline(always)]
    pub(crate) fn number_of_ascii(&self, text: &[u8], start: usize, end: usize) -> u32 {
        match end - start {
            // No key of a long word is that of a short one in ASCII, see `long_key`.
            len @ ..=8 => self.short_number(first_bytes(text, start, len) | SMALL & KEPT[len & 15], |_| true),
            _ => self.long_number(&text[start..end]),
        }
    }

    /// The number of a word of at most eight bytes; `is_it` tells whether the place of its key can be its own.
    #[inline(always)]
    fn short_number(&self, key: u64, is_it: impl Fn(Place) -> bool) -> u32 {
        let at = index(key) & (self.keys.len() - 1);
        let found = self.keys[at];
        // The word or nothing (key 0, number 0)? Which of the two cannot be foreseen, so both are asked in one comparison:
        // only that another word holds the place, which is rare, costs a mispredicted branch.
        if found.wrapping_sub(key).min(found) == 0 {
            let place = self.places[at];
            if is_it(place) {
                return place.word();
            }
        }
        self.further(key, is_it)
    }

    #[inline(never)]
    fn long_number(&self, word: &[u8]) -> u32 {
        self.further(long_key(word), |place| {
            place.is_long() && self.word(place.word()).eq_ignore_ascii_case(word)
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
        self.keys.len() * 12 + self.text.len() + self.ends.len() * 4 + self.roles.len()
    }
}

/// The upper half of a product with 2^64 / golden ratio: packed words differ in few bytes, which it spreads over 32 bits.
#[inline(always)]
fn index(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

fn key_of(lower: &[u8]) -> u64 {
    if lower.len() <= 8 { first_bytes(lower, 0, lower.len()) } else { long_key(lower) }
}

/// The bytes of a word of at most eight bytes, packed, the first one lowest. No word holds a NUL, so zeros tell the length too, and no word
/// has the key 0 of an empty place.
#[inline(always)]
fn first_bytes(text: &[u8], start: usize, len: usize) -> u64 {
    let bytes = match text[start..].first_chunk() {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => last_bytes(&text[start..start + len]),
    };
    // `& 15` tells the compiler that the index is within bounds; `len` is at most 8.
    bytes & KEPT[len & 15]
}

/// The bit that makes small letters of capitals, in every byte.
const SMALL: u64 = 0x2020_2020_2020_2020;

/// By n, the mask of the first n bytes, all of them from 8 on.
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
    // The last eight bytes overlap those before them, which costs less than filling a chunk up. Each chunk is mixed in by a rotation, so that the
    // order of chunks matters, and an odd factor (that of MurmurHash3), which loses no bits. Collisions cost a comparison, never a match.
    let mut key = word.len() as u64;
    for chunk in word.as_chunks::<8>().0.iter().chain(word.last_chunk()) {
        key = (key.rotate_left(26) ^ lower(u64::from_le_bytes(*chunk))).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    // Not 0, which stands for an empty place, and with a first byte that is not ASCII, as no short word of ASCII has one.
    key | 0x80
}

/// ASCII capitals in lower case, eight bytes at once; other bytes stay.
#[inline(always)]
fn lower(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Without its high bit a byte is below 0x80, and the numbers added are at most 0x3f, so nothing carries over to the next
    // byte. The first sum sets the high bit from `A` on, the second from behind `Z` on; `!bytes` leaves bytes beyond ASCII out.
    // A capital and its small letter differ by 0x20, the high bit shifted by 2.
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
