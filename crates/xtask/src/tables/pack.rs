//! Packs class and fold of every character into a three-stage table, and prints it as Rust.
//!
//! `GROUPS[c >> GROUP_SHIFT]` names a group of blocks in `BLOCKS`, that a block of `1 << BLOCK_SHIFT` entries
//! in `ENTRIES`, and an entry is an index into `RECORDS`. Characters from `END` on, few kinds for many code
//! points, are in the ranges of `HIGH`. (Two stages would be half as large again.) A record has, from the low
//! end: class (3 bits), upper case (1), letter (1), kind of fold (2), unused (1), and 24 bits that depend on
//! the kind: 0 unchanged (canonical combining class), 1 dropped, 2 another character (signed distance to it),
//! 3 a text (length in `POOL` in 8 bits, then its start in 16).

use super::class::{self, Class, class, is_letter, is_upper};
use super::fold::fold;
use std::collections::BTreeMap;
use std::fmt::Write;
use unicode_normalization::char::canonical_combining_class;

/// Code points in a block, as a power of two; this pair gives the smallest table.
const BLOCK_SHIFT: u32 = 3;
/// Code points in a group of blocks, as a power of two.
const GROUP_SHIFT: u32 = 7;
/// One past the last block with properties of its own; the end of the assigned ideographs.
const END: u32 = 0x32400;
const LAST: u32 = char::MAX as u32;

const SAME: u32 = 0;
const DROPPED: u32 = 1;
const SHIFTED: u32 = 2;
const TEXT: u32 = 3;

/// The generated file.
pub(crate) struct Table {
    pub(crate) source: String,
    /// Size of the data in the binary.
    pub(crate) compiled_bytes: usize,
}

/// Computes the table of the engine's `text::fold_table`.
pub(crate) fn fold_table() -> Table {
    let folds: Vec<String> =
        (0..=LAST).map(|code| char::from_u32(code).map(fold).unwrap_or_default()).collect();
    let pool = pool(&folds);
    let mut records = Records::default();
    let entries: Vec<u16> = (0..=LAST)
        .map(|code| {
            // Surrogates are no chars; any neighbour will do.
            let c = char::from_u32(code).unwrap_or('\u{FFFD}');
            let fold = if char::from_u32(code).is_some() { &folds[code as usize] } else { "\u{FFFD}" };
            records.index(record(c, fold, &pool))
        })
        .collect();

    let (table, high) = entries.split_at(END as usize);
    let (blocks, entries) = share_chunks(table, BLOCK_SHIFT);
    let (groups, blocks) = share_chunks(&blocks, GROUP_SHIFT - BLOCK_SHIFT);
    let packed = Packed { groups, blocks, entries, records: records.list, high: ranges(high), pool };
    Table { source: packed.print(), compiled_bytes: packed.bytes() }
}

/// The arrays of the generated file.
struct Packed {
    groups: Vec<u16>,
    blocks: Vec<u16>,
    entries: Vec<u16>,
    records: Vec<u32>,
    high: Vec<(u32, u16)>,
    pool: String,
}

/// The record of `c`, whose fold is `fold`.
fn record(c: char, fold: &str, pool: &str) -> u32 {
    let mut chars = fold.chars();
    let (kind, payload, class) = match (chars.next(), chars.next()) {
        (None, _) => (DROPPED, 0, if class(c) == Class::Mark { Class::Mark } else { Class::Ignorable }),
        (Some(only), None) if only == c => (SAME, u32::from(kept_combining_class(c)), class(c)),
        (Some(only), None) => {
            let distance = i64::from(u32::from(only)) - i64::from(u32::from(c));
            (SHIFTED, distance as u32 & 0xFF_FFFF, class(only))
        }
        _ => {
            let start = pool.find(fold).expect("the pool holds every text") as u32;
            assert!(start <= 0xFFFF && fold.len() <= 0xFF, "the pool outgrew its record");
            (TEXT, start << 8 | fold.len() as u32, class(c))
        }
    };
    class as u32 | u32::from(is_upper(c)) << 3 | u32::from(is_letter(c)) << 4 | kind << 5 | payload << 8
}

fn kept_combining_class(c: char) -> u8 {
    if class::is_mark(c) { canonical_combining_class(c) } else { 0 }
}

/// One string that contains every fold of more than one character.
fn pool(folds: &[String]) -> String {
    let mut texts: Vec<&str> =
        folds.iter().map(String::as_str).filter(|fold| fold.chars().nth(1).is_some()).collect();
    // Longest first, so that shorter ones are found inside.
    texts.sort_by_key(|text| (std::cmp::Reverse(text.len()), *text));
    let mut pool = String::new();
    for text in texts {
        if !pool.contains(text) {
            pool.push_str(text);
        }
    }
    pool
}

#[derive(Default)]
struct Records {
    list: Vec<u32>,
    index: BTreeMap<u32, u16>,
}

impl Records {
    fn index(&mut self, record: u32) -> u16 {
        *self.index.entry(record).or_insert_with(|| {
            self.list.push(record);
            u16::try_from(self.list.len() - 1).expect("fewer than 65536 records")
        })
    }
}

/// Cuts `table` into chunks of `1 << shift` and keeps one of each kind: the number of each chunk, and the
/// chunks kept.
fn share_chunks(table: &[u16], shift: u32) -> (Vec<u16>, Vec<u16>) {
    let mut known: BTreeMap<&[u16], u16> = BTreeMap::new();
    let mut kept = Vec::new();
    let numbers = table.chunks(1 << shift).map(|chunk| {
        *known.entry(chunk).or_insert_with(|| {
            kept.extend_from_slice(chunk);
            u16::try_from((kept.len() >> shift) - 1).expect("fewer than 65536 chunks")
        })
    });
    (numbers.collect(), kept)
}

/// The stretches of equal entries from `END` on: last code point and entry.
fn ranges(high: &[u16]) -> Vec<(u32, u16)> {
    let mut ranges: Vec<(u32, u16)> = Vec::new();
    for (code, &entry) in (END..).zip(high) {
        match ranges.last_mut() {
            Some((last, same)) if *same == entry => *last = code,
            _ => ranges.push((code, entry)),
        }
    }
    ranges
}

impl Packed {
    fn bytes(&self) -> usize {
        (self.groups.len() + self.blocks.len() + self.entries.len()) * size_of::<u16>()
            + self.records.len() * size_of::<u32>()
            + self.high.len() * size_of::<(u32, u16)>()
            + self.pool.len()
    }

    fn print(&self) -> String {
        let (major, minor, _) = unicode_general_category::UNICODE_VERSION;
        let mut source = format!(
            "// Generated by `cargo xtask tables` from the characters of Unicode {major}.{minor}; do not edit.\n\
             // The inputs are the exactly pinned Unicode crates of crates/xtask and the case mappings of the\n\
             // standard library, all limited to characters that {major}.{minor} assigns, so that a newer compiler\n\
             // gives the same file.\n\
             // Layout: see crates/xtask/src/tables/pack.rs.\n\n\
             pub(super) const BLOCK_SHIFT: u32 = {BLOCK_SHIFT};\n\
             pub(super) const GROUP_SHIFT: u32 = {GROUP_SHIFT};\n\
             pub(super) const END: u32 = {END:#x};\n"
        );
        let high = self.high.iter().map(|(last, entry)| format!("({last:#x},{entry})"));
        print_array(&mut source, "GROUPS", "u16", &self.groups);
        print_array(&mut source, "BLOCKS", "u16", &self.blocks);
        print_array(&mut source, "ENTRIES", "u16", &self.entries);
        print_array(&mut source, "RECORDS", "u32", &self.records);
        print_array(&mut source, "HIGH", "(u32, u16)", &high.collect::<Vec<_>>());
        print_text(&mut source, "POOL", &self.pool);
        source
    }
}

/// Widest line of the generated file.
const WIDTH: usize = 110;

fn print_array<N: std::fmt::Display>(source: &mut String, name: &str, element: &str, numbers: &[N]) {
    let _ = write!(source, "#[rustfmt::skip]\npub(super) static {name}: [{element}; {}] = [", numbers.len());
    let mut line = String::new();
    for number in numbers {
        let shown = format!("{number},");
        if line.len() + shown.len() > WIDTH {
            let _ = write!(source, "\n{line}");
            line.clear();
        }
        line.push_str(&shown);
    }
    let _ = writeln!(source, "\n{line}\n];");
}

fn print_text(source: &mut String, name: &str, text: &str) {
    let _ = write!(source, "#[rustfmt::skip]\npub(super) static {name}: &str = \"\\\n");
    let mut width = 0;
    for c in text.chars() {
        // Escaped, so that no editor reorders or joins what it shows.
        let shown = match c {
            '"' | '\\' => format!("\\{c}"),
            ' '..='~' => c.to_string(),
            _ => c.escape_unicode().to_string(),
        };
        // A continued line swallows the spaces that it begins with.
        if width + shown.len() > WIDTH && c != ' ' {
            source.push_str("\\\n");
            width = 0;
        }
        width += shown.len();
        source.push_str(&shown);
    }
    source.push_str("\";\n");
}
