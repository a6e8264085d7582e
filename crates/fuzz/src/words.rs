//! Dictionaries for libFuzzer: the literals of a reader's source are the words of its format.

use crate::readers::Reader;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The words of a format, one in each line, as libFuzzer's `-dict` takes them.
pub fn dictionary(reader: &Reader) -> String {
    let mut lines = String::new();
    for word in words(reader) {
        lines.push('"');
        for byte in word.bytes() {
            let _ = write!(lines, "\\x{byte:02x}");
        }
        lines.push_str("\"\n");
    }
    lines
}

/// The words of a format.
pub(crate) fn words(reader: &Reader) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for source in reader.sources {
        let path = crate::root().join("crates/sonometer-ingest/src").join(source);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        // What stands in tests is no longer a word.
        let own = text.split("#[cfg(test)]").next().unwrap_or_default();
        words.extend(literals(own));
    }
    words
}

/// Literals of strings and letters that are short enough to be words of a format, not messages.
fn literals(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once('"') {
            let Some((word, next)) = closed(after) else { break };
            if !word.is_empty() && word.len() <= 32 && word.split(' ').count() <= 3 && !word.contains('{') {
                found.insert(word);
            }
            rest = next;
        }
    }
    found
}

/// A literal up to its quote, without its escapes, and what follows.
fn closed(text: &str) -> Option<(String, &str)> {
    let (mut word, mut letters) = (String::new(), text.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((word, &text[at + 1..])),
            '\\' => match letters.next()?.1 {
                'n' => word.push('\n'),
                'r' => word.push('\r'),
                't' => word.push('\t'),
                '0' => word.push('\0'),
                // Numbers of letters: too few to matter.
                'x' | 'u' => return None,
                other => word.push(other),
            },
            other => word.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_from_the_source() {
        let words = literals("match \"w:p\" | \"say \\\"x\\\"\" => // \"a\"\nformat!(\"{at} is\")");
        assert_eq!(words.into_iter().collect::<Vec<_>>(), ["a", "say \"x\"", "w:p"]);
        let html = dictionary(crate::named("rtf").expect("is there"));
        assert!(html.contains("\\x74\\x72\\x6f\\x77\\x64"), "{html}");
    }
}
