//! The reference: one pass of a multi-pattern automaton, raw spans and word boundaries, nothing else.

use crate::patterns::PatternSet;
use crate::peers::{Peer, Span, has_plain_edges};
use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// An automaton over phrases, case-insensitive, all (overlapping) matches.
#[derive(Debug)]
pub struct Baseline {
    name: &'static str,
    automaton: AhoCorasick,
}

impl Baseline {
    /// Builds the reference of a set of plain phrases: the contiguous automaton.
    pub fn new(set: &PatternSet) -> Self {
        Self::of("aho-corasick", AhoCorasickKind::ContiguousNFA, set)
    }

    /// The same as a table of every state and byte, which takes much memory.
    pub fn full_table(set: &PatternSet) -> Self {
        Self::of("aho-corasick, DFA", AhoCorasickKind::DFA, set)
    }

    fn of(name: &'static str, kind: AhoCorasickKind, set: &PatternSet) -> Self {
        let mut builder = AhoCorasick::builder();
        builder.kind(Some(kind)).ascii_case_insensitive(true);
        let automaton = builder.build(&set.lines).expect("the sets are far below the automaton's limits");
        Self { name, automaton }
    }

    /// All matches in a turn that neither follow nor precede a letter or digit of ASCII.
    #[inline]
    pub fn find(&self, text: &str, spans: &mut Vec<Span>) {
        for found in self.automaton.find_overlapping_iter(text) {
            if has_plain_edges(text.as_bytes(), found.start(), found.end()) {
                let phrase = found.pattern().as_usize();
                spans.push(Span { phrase, start: found.start(), end: found.end() });
            }
        }
    }

    /// Bytes the automaton holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.automaton.memory_usage()
    }
}

impl Peer for Baseline {
    fn name(&self) -> &str {
        self.name
    }

    fn find(&mut self, text: &str, spans: &mut Vec<Span>) {
        Self::find(self, text, spans);
    }
}
