//! Facts about expressions that were worked out when a catalogue was made. A program that has them reads a protocol without parsing its expressions.
//!
//! A table is a header of eight bytes, the number of rows (u32), the rows sorted by key, and the facts. A row is a key, the first 16 bytes of the
//! SHA-256 of the pattern, and where its facts begin (u32). A text with the key of a given pattern takes about 2^128 tries. Numbers
//! are little-endian, so the same bytes serve on every platform. A pattern that is not in the table, or whose facts cannot be read, is parsed.

use super::facts::{self, Facts};
use sha2::{Digest, Sha256};
use std::sync::OnceLock;

/// The last byte is the version: raise it when the facts or their encoding change, so that an older table is refused.
const MAGIC: [u8; 8] = *b"SNMEXPR\x02";
const KEY: usize = 16;
/// A key, and where its facts begin behind the rows.
const ROW: usize = KEY + 4;
const HEAD: usize = MAGIC.len() + 4;

static TABLE: OnceLock<&'static [u8]> = OnceLock::new();

/// Uses a table that [`work_out`] made for everything that this process reads from now on. `false` if the process uses another table
/// already, or if another version made this one: expressions are then parsed, which takes longer and gives the same facts.
pub fn take(table: &'static [u8]) -> bool {
    table.starts_with(&MAGIC) && *TABLE.get_or_init(|| table) == table
}

/// The table of all expressions that `read` meets, for [`take`].
pub fn work_out(read: impl FnOnce()) -> Vec<u8> {
    let facts = facts::met_by(read);
    let mut rows: Vec<_> = facts.iter().map(|(pattern, facts)| (key(pattern), facts)).collect();
    rows.sort_unstable_by_key(|(key, _)| *key);
    let mut table = MAGIC.to_vec();
    table.extend((rows.len() as u32).to_le_bytes());
    let mut written = Writer::default();
    for (key, facts) in rows {
        table.extend(key);
        table.extend((written.0.len() as u32).to_le_bytes());
        facts.write(&mut written);
    }
    table.extend(written.0);
    table
}

/// The facts about a pattern in the table in use.
pub(super) fn facts_of(pattern: &str) -> Option<Facts> {
    find(TABLE.get()?, pattern)
}

fn find(table: &[u8], pattern: &str) -> Option<Facts> {
    let count = u32::from_le_bytes(table.get(MAGIC.len()..HEAD)?.try_into().ok()?) as usize;
    let (rows, facts) = table.get(HEAD..)?.split_at_checked(count.checked_mul(ROW)?)?;
    let (rows, _) = rows.as_chunks::<ROW>();
    let key = key(pattern);
    let row = rows[rows.binary_search_by(|row| row[..KEY].cmp(&key)).ok()?];
    let at = u32::from_le_bytes(row[KEY..].try_into().ok()?) as usize;
    Facts::read(&mut Reader(facts.get(at..)?))
}

fn key(pattern: &str) -> [u8; KEY] {
    let mut key = [0; KEY];
    key.copy_from_slice(&Sha256::digest(pattern)[..KEY]);
    key
}

/// Numbers one behind the other.
#[derive(Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn flag(&mut self, is_set: bool) {
        self.byte(u8::from(is_set));
    }

    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    pub(super) fn number(&mut self, number: usize) {
        let mut rest = number as u64;
        while rest >= 0x80 {
            self.byte(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.byte(rest as u8);
    }

    pub(super) fn bits(&mut self, bits: u128) {
        self.0.extend(bits.to_le_bytes());
    }
}

/// What a [`Writer`] wrote; `None` where it ends too soon.
pub(super) struct Reader<'t>(&'t [u8]);

impl Reader<'_> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn flag(&mut self) -> Option<bool> {
        Some(self.byte()? != 0)
    }

    pub(super) fn number(&mut self) -> Option<usize> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return usize::try_from(number).ok();
            }
        }
        None
    }

    pub(super) fn bits(&mut self) -> Option<u128> {
        let (bits, rest) = self.0.split_first_chunk::<16>()?;
        self.0 = rest;
        Some(u128::from_le_bytes(*bits))
    }

    /// So many of something, none of which takes less than a byte.
    pub(super) fn many<T>(&mut self, one: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number().filter(|count| *count <= self.0.len())?;
        (0..count).map(|_| one(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_the_facts_of_parsing() {
        let patterns = [
            r"a",
            r"(?i)\b(?:order|ticket) ?(?<place>\d{4,})\b",
            r"\p{Lu}\p{L}+ (?:lives|lived) (?:at|in) [0-9]",
            r"(\S+\s+){100}",
            r"x*",
            r"[。！]+é?",
        ];
        let table = work_out(|| patterns.iter().for_each(|pattern| drop(facts::of(pattern).expect(pattern))));
        for pattern in patterns {
            assert_eq!(
                find(&table, pattern).expect(pattern),
                *facts::of(pattern).expect(pattern),
                "{pattern}"
            );
        }
        assert!(find(&table, "b").is_none());
        // A table that is cut off has fewer facts and no wrong ones, and nothing panics.
        for end in 0..table.len() {
            for pattern in patterns {
                let found = find(&table[..end], pattern);
                assert!(
                    found.is_none_or(|found| found == *facts::of(pattern).expect(pattern)),
                    "{pattern}, {end}"
                );
            }
        }
    }

    #[test]
    fn numbers_are_read_as_they_were_written() {
        for number in [0, 1, 127, 128, 300, 1 << 20, usize::MAX] {
            let mut writer = Writer::default();
            writer.number(number);
            assert_eq!(Reader(&writer.0).number(), Some(number));
        }
        assert!(!take(b"SNMEXPR\0 of an older version"));
    }
}
