//! Maps from the codes of a font to letters, in a form that the built-in reader takes: it gives up a page at the first range
//! whose letters have another length than two or four bytes, such as `ffi`, or one byte for a letter.

use crate::sniff::find;
use pdf_extract::{Document, Object, ObjectId};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

const BEGIN: &[u8] = b"beginbfrange";
const END: &[u8] = b"endbfrange";

/// The most codes of a range; by the standard only the last byte counts up.
const MOST_CODES: usize = 256;

/// Rewrites the maps of all fonts. What cannot be read stays as it is.
pub(super) fn known(document: &mut Document) {
    let map_of = |object: &Object| object.as_dict().ok()?.get(b"ToUnicode").ok()?.as_reference().ok();
    let maps: Vec<ObjectId> = document.objects.values().filter_map(map_of).collect();
    for id in maps {
        if let Some(Object::Stream(stream)) = document.objects.get_mut(&id)
            // The library panics on what it does not expect.
            && let Ok(Some(content)) =
                catch_unwind(AssertUnwindSafe(|| rewritten(&stream.decompressed_content().ok()?)))
        {
            stream.set_plain_content(content);
        }
    }
}

/// The map with ranges that are known; `None` if it has no others.
fn rewritten(map: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(map.len());
    let (mut rest, mut is_other) = (map, false);
    while let Some(at) = find(rest, BEGIN) {
        let (before, section) = rest.split_at(at + BEGIN.len());
        let (section, after) = section.split_at(find(section, END)?);
        out.extend_from_slice(before);
        match ranges(section) {
            Some(ranges) => {
                out.extend_from_slice(ranges.as_bytes());
                is_other = true;
            }
            None => out.extend_from_slice(section),
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    is_other.then_some(out)
}

/// The ranges of a section, where one of them has to be told in another way.
fn ranges(section: &[u8]) -> Option<String> {
    let section = std::str::from_utf8(section).ok()?;
    let mut out = String::from("\n");
    let mut is_other = false;
    let mut rest = section.trim_start();
    while !rest.is_empty() {
        let mut next = |begin: char, end: char| {
            let (inside, after) = rest.strip_prefix(begin)?.split_once(end)?;
            rest = after.trim_start();
            Some(inside)
        };
        let (from, to) = (next('<', '>')?, next('<', '>')?);
        if let Some(letters) = next('[', ']') {
            writeln!(out, "<{from}> <{to}> [{letters}]").ok()?;
            continue;
        }
        let letters = next('<', '>')?;
        let digits = letters.chars().filter(char::is_ascii_hexdigit).count();
        if matches!(digits, 4 | 8) {
            writeln!(out, "<{from}> <{to}> <{letters}>").ok()?;
            continue;
        }
        // A parser of numbers would take a sign for a digit.
        let code = |code: &str| usize::from_str_radix(code, 16).ok().filter(|_| !code.starts_with('+'));
        let count = code(to)?.checked_sub(code(from)?)? + 1;
        let units = units(letters)?;
        if count > MOST_CODES {
            return None;
        }
        is_other = true;
        write!(out, "<{from}> <{to}> [").ok()?;
        for nth in 0..count {
            out.push('<');
            let (last, before) = units.split_last()?;
            for unit in before {
                write!(out, "{unit:04X}").ok()?;
            }
            write!(out, "{:04X}>", last.wrapping_add(u16::try_from(nth).ok()?)).ok()?;
        }
        out.push_str("]\n");
    }
    is_other.then_some(out)
}

/// Letters as units of UTF-16: a single byte is one.
fn units(letters: &str) -> Option<Vec<u16>> {
    let digits: String = letters.chars().filter(char::is_ascii_hexdigit).collect();
    let zeros = "0".repeat(digits.len().next_multiple_of(4).max(4) - digits.len());
    let digits = zeros + &digits;
    (0..digits.len()).step_by(4).map(|at| u16::from_str_radix(&digits[at..at + 4], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(map: &str) -> Option<String> {
        rewritten(map.as_bytes()).map(|map| String::from_utf8(map).expect("is text"))
    }

    #[test]
    fn letters_of_any_length_are_listed() {
        let map = "x\n2 beginbfrange\n<02><03><006600660069>\n<4f> <4f> <41>\nendbfrange\ny";
        let listed = "<02> <03> [<006600660069><00660066006A>]\n<4f> <4f> [<0041>]\n";
        assert_eq!(told(map), Some(format!("x\n2 beginbfrange\n{listed}endbfrange\ny")));
        // What is known stands beside it as it was.
        let map = "beginbfrange <00> <01> <0041> <05> <06> [<0041> <0042>] <07> <07> <> endbfrange";
        let listed = "<00> <01> <0041>\n<05> <06> [<0041> <0042>]\n<07> <07> [<0000>]\n";
        assert_eq!(told(map), Some(format!("beginbfrange\n{listed}endbfrange")));
    }

    #[test]
    fn maps_that_are_known_or_broken_are_left_alone() {
        for map in [
            "1 beginbfrange <00> <ff> <0041> endbfrange",
            "1 beginbfchar <00> <006600660069> endbfchar",
            "1 beginbfrange <00> <ffff> <41> endbfrange",
            "1 beginbfrange <05> <00> <41> endbfrange",
            "1 beginbfrange <00> <41",
            "beginbfrange <zz> <zz> <41> endbfrange",
            "beginbfrange <+2> <+3> <41> endbfrange",
            "",
        ] {
            assert_eq!(told(map), None, "{map}");
        }
    }
}
