//! Files that were checked when a catalogue was made. A program that knows them reads one of them without looking for faults of the protocol as a
//! whole again (`lint.rs`), a tenth of the time until its first reading. A finding would be the same each time, and these have none.
//!
//! A table is a header of eight bytes and sorted keys, the first 16 bytes of the SHA-256 of a file. A text with the key of a given file takes about
//! 2^128 tries. A file that is not in the table is looked through.

use super::{ListFiles, read_text};
use sha2::{Digest, Sha256};
use std::sync::OnceLock;

/// The last byte is the version: raise it when there are new findings, so that an older table is refused.
const MAGIC: [u8; 8] = *b"SNMSEEN\x01";
const KEY: usize = 16;

static TABLE: OnceLock<&'static [u8]> = OnceLock::new();

/// Uses a table that [`work_out`] made for everything that this process reads from now on. `false` if the process uses another table
/// already, or if another version made this one: all files are then looked through.
pub fn take(table: &'static [u8]) -> bool {
    table.starts_with(&MAGIC) && *TABLE.get_or_init(|| table) == table
}

/// The table of those files, given with their list files, in which nothing is found, for [`take`].
pub fn work_out<'t, 'l>(files: impl IntoIterator<Item = (&'t str, &'l ListFiles<'l>)>) -> Vec<u8> {
    let has_no_findings = |text: &str, lists: &ListFiles<'_>| {
        read_text(text, lists, false).is_ok_and(|(_, found)| found.is_empty())
    };
    let sound = files.into_iter().filter(|(text, lists)| has_no_findings(text, lists));
    let mut keys: Vec<[u8; KEY]> = sound.map(|(text, _)| key(text)).collect();
    keys.sort_unstable();
    [&MAGIC, keys.as_flattened()].concat()
}

/// Whether nothing is found in a file, by the table in use.
pub(crate) fn is_checked(text: &str) -> bool {
    TABLE.get().is_some_and(|table| has(table, text))
}

fn has(table: &[u8], text: &str) -> bool {
    let keys = table.get(MAGIC.len()..).unwrap_or_default().as_chunks::<KEY>().0;
    keys.binary_search(&key(text)).is_ok()
}

fn key(text: &str) -> [u8; KEY] {
    let mut key = [0; KEY];
    key.copy_from_slice(&Sha256::digest(text)[..KEY]);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::no_list_files;

    fn protocol(id: &str, hit: &str) -> String {
        format!(
            "sonometer: 1\nid: {id}\nversion: 1\ntaxonomy: Signal\nmarkers:\n- label: thanks\n  strong: thank you\n{hit}"
        )
    }

    #[test]
    fn only_files_without_a_finding_are_in_a_table() {
        let sound = protocol("sound", "  hit: Thank you.\n");
        let warned = protocol("warned", "");
        let refused = protocol("refused", "  hit: Thank you.\n  strength: 1\n");
        let texts = [&sound, &warned, &refused].map(|text| (text.as_str(), &no_list_files as &ListFiles<'_>));
        let table = work_out(texts);
        assert_eq!(table.len(), MAGIC.len() + KEY);
        assert!(has(&table, &sound));
        for other in [&warned, &refused, &format!("{sound} "), ""] {
            assert!(!has(&table, other), "{other}");
        }
        for end in 0..table.len() {
            assert!(!has(&table[..end], &sound), "{end}");
        }
        assert!(!take(b"SNMSEEN\0 of an older version"));
    }
}
