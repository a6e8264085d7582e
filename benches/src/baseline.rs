//! The reference: one pass of a multi-pattern automaton, raw spans and word boundaries, nothing else.

use crate::patterns::PatternSet;
use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// A contiguous automaton over phrases, case-insensitive, all (overlapping) matches.
#[derive(Debug)]
pub struct Baseline {
    automaton: AhoCorasick,
}

/// A match: the number of the phrase and its bytes in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Which phrase of the set.
    pub phrase: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Baseline {
    /// Builds the automaton of a set of plain phrases.
    pub fn new(set: &PatternSet) -> Self {
        let mut builder = AhoCorasick::builder();
        builder.kind(Some(AhoCorasickKind::ContiguousNFA)).ascii_case_insensitive(true);
        Self { automaton: builder.build(&set.lines).expect("the sets are far below the automaton's limits") }
    }

    /// All matches in a turn that neither follow nor precede a letter or digit of ASCII.
    #[inline]
    pub fn find(&self, text: &str, spans: &mut Vec<Span>) {
        let bytes = text.as_bytes();
        let plain = |at: usize| bytes.get(at).is_none_or(|b| !b.is_ascii_alphanumeric());
        for found in self.automaton.find_overlapping_iter(text) {
            if plain(found.start().wrapping_sub(1)) && plain(found.end()) {
                spans.push(Span {
                    phrase: found.pattern().as_usize(),
                    start: found.start(),
                    end: found.end(),
                });
            }
        }
    }

    /// Bytes the automaton holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.automaton.memory_usage()
    }
}
