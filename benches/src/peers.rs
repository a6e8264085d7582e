//! What else finds phrases and rules in text, each by its own fastest way to every span.

use crate::patterns::PatternSet;
use daachorse::DoubleArrayAhoCorasick;
use regex::Regex;
use std::collections::BTreeSet;

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

/// Somebody who finds spans.
pub trait Peer {
    /// Its name in the table.
    fn name(&self) -> &str;

    /// Adds every span it finds in a turn.
    fn find(&mut self, text: &str, spans: &mut Vec<Span>);
}

/// Whether neither a letter nor a digit of ASCII stands directly before or behind.
#[inline]
pub fn has_plain_edges(text: &[u8], start: usize, end: usize) -> bool {
    let plain = |at: usize| text.get(at).is_none_or(|b| !b.is_ascii_alphanumeric());
    plain(start.wrapping_sub(1)) && plain(end)
}

/// Everything one peer finds in some turns: the number of the turn, then the span.
pub fn all_spans<'t>(peer: &mut dyn Peer, turns: impl Iterator<Item = &'t str>) -> BTreeSet<(usize, Span)> {
    let (mut all, mut spans) = (BTreeSet::new(), Vec::new());
    for (turn, text) in turns.enumerate() {
        spans.clear();
        peer.find(text, &mut spans);
        all.extend(spans.iter().map(|span| (turn, *span)));
    }
    all
}

/// `daachorse`: it knows no case, so the text is made small first.
pub struct DoubleArray {
    automaton: DoubleArrayAhoCorasick<u32>,
    small: Vec<u8>,
}

impl DoubleArray {
    /// Builds the automaton of a set of plain phrases.
    pub fn new(set: &PatternSet) -> Self {
        let automaton = DoubleArrayAhoCorasick::new(&set.lines).expect("the phrases differ");
        Self { automaton, small: Vec::new() }
    }
}

impl Peer for DoubleArray {
    fn name(&self) -> &str {
        "daachorse"
    }

    fn find(&mut self, text: &str, spans: &mut Vec<Span>) {
        self.small.clear();
        self.small.extend_from_slice(text.as_bytes());
        self.small.make_ascii_lowercase();
        for found in self.automaton.find_overlapping_iter(&self.small) {
            if has_plain_edges(&self.small, found.start(), found.end()) {
                let phrase = found.value() as usize;
                spans.push(Span { phrase, start: found.start(), end: found.end() });
            }
        }
    }
}

/// `regex`: one alternation of all phrases. Matches do not overlap, and which phrase it was is not told.
pub struct Alternation {
    regex: Regex,
}

impl Alternation {
    /// Builds the expression of a set of plain phrases.
    pub fn new(set: &PatternSet) -> Self {
        let phrases: Vec<String> = set.lines.iter().map(|line| regex::escape(line)).collect();
        let pattern = format!(r"(?i-u:\b(?:{})\b)", phrases.join("|"));
        Self { regex: build(&pattern) }
    }
}

impl Peer for Alternation {
    fn name(&self) -> &str {
        "regex, one alternation"
    }

    fn find(&mut self, text: &str, spans: &mut Vec<Span>) {
        let found = self.regex.find_iter(text);
        spans.extend(found.map(|m| Span { phrase: 0, start: m.start(), end: m.end() }));
    }
}

/// `regex`: expressions one after the other.
pub struct OneByOne {
    regexes: Vec<Regex>,
}

impl OneByOne {
    /// Builds some expressions, which ignore case.
    pub fn new(patterns: &[String]) -> Self {
        Self { regexes: patterns.iter().map(|pattern| build(&format!("(?i){pattern}"))).collect() }
    }
}

impl Peer for OneByOne {
    fn name(&self) -> &str {
        "regex, one by one"
    }

    fn find(&mut self, text: &str, spans: &mut Vec<Span>) {
        for (phrase, regex) in self.regexes.iter().enumerate() {
            spans.extend(regex.find_iter(text).map(|m| Span { phrase, start: m.start(), end: m.end() }));
        }
    }
}

fn build(pattern: &str) -> Regex {
    // As large as it must be: 3,000 phrases are beyond what is built without asking.
    let mut builder = regex::RegexBuilder::new(pattern);
    builder.size_limit(1 << 30).dfa_size_limit(1 << 27).build().expect("the patterns of the bench are sound")
}
