//! Lines of plain words, read without a tree: they are nearly all of a long set.

use super::ast::{Pattern, WordKind, WordTest};
use super::check::MAX_REACH;

/// Whether a line is words of small letters of ASCII with one space between, such as `thank you`: each is one token and is its own folded
/// form, so that the line reads as it is written. Others may be plain too; they are read by the parser.
pub(crate) fn is_plain(line: &str) -> bool {
    let (mut words, mut before) = (1, b' ');
    for byte in line.bytes() {
        match byte {
            b'a'..=b'z' => {}
            b' ' if before != b' ' => words += 1,
            _ => return false,
        }
        before = byte;
    }
    // What is too long for a line has more than 128 words, or one that nobody says.
    before != b' ' && words <= MAX_REACH && line.len() <= MAX_BYTES
}

/// Whether a text is one word that is its own folded form, by the same signs.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Longer lines are left to the parser, which refuses them above its own limit.
const MAX_BYTES: usize = 1_000;

/// What a plain line means.
pub(crate) fn plain(line: &str) -> Pattern {
    let word = |word: &str| Pattern::Word(WordTest { kind: WordKind::Equal, folded: word.into() });
    match line.contains(' ') {
        true => Pattern::Sequence(line.split(' ').map(word).collect()),
        false => word(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::phrase::{Context, parse};
    use proptest::prelude::*;

    fn read(line: &str) -> Option<Pattern> {
        parse(line, &Context { list: &|_| None, names: &[], stem: None }).ok()
    }

    #[test]
    fn the_parser_reads_the_same() {
        for line in ["a", "thank you", "i do not think so", &"word ".repeat(128)[..639]] {
            assert!(is_plain(line), "{line}");
            assert_eq!(read(line), Some(plain(line)));
        }
        for line in
            ["", " a", "a ", "a  b", "A", "don't", "a?", "a-b", "été", "b2", "_", &"word ".repeat(129)[..644]]
        {
            assert!(!is_plain(line), "{line}");
        }
    }

    proptest! {
        #[test]
        fn the_parser_reads_the_same_of_any_words(line in "[a-z ]{1,30}") {
            if is_plain(&line) {
                prop_assert_eq!(read(&line), Some(plain(&line)));
            }
        }
    }
}
