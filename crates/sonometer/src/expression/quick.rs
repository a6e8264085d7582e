//! By all machines of the `regex` crate, from which its engine chooses.

use super::{MAX_BYTES, PLACE_GROUP, Refusal, ascii, parse, size};
use regex_automata::meta::{Config, Regex};
use regex_automata::{Anchored, Input, PatternID};
use regex_syntax::hir::Hir;
use std::ops::Range;

/// A compiled regular expression.
#[derive(Debug)]
pub(super) struct Machine {
    regex: Regex,
    /// The number of the group that is the place.
    group: Option<usize>,
}

impl Machine {
    /// Builds it, of automata of at most `limit` bytes each.
    pub(super) fn new(pattern: &str, limit: usize) -> Result<Self, Refusal> {
        Self::build(&parse(pattern)?, limit)
    }

    /// Builds one that finds the same in texts of ASCII.
    pub(super) fn of_ascii(pattern: &str) -> Result<Self, Refusal> {
        Self::build(&ascii::narrowed(&parse(pattern)?), size::LIMIT_BEHIND)
    }

    fn build(parsed: &Hir, limit: usize) -> Result<Self, Refusal> {
        let config = Config::new().nfa_size_limit(Some(limit)).hybrid_cache_capacity(MAX_BYTES);
        let built = Regex::builder().configure(config).build_from_hir(parsed);
        let regex = built.map_err(|error| match error.size_limit() {
            Some(_) => Refusal::TooLarge,
            None => Refusal::Unreadable(error.to_string()),
        })?;
        let group = regex.group_info().to_index(PatternID::ZERO, PLACE_GROUP);
        Ok(Self { regex, group })
    }

    /// All matches from left to right, not overlapping.
    pub(super) fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        self.regex.find_iter(text).map(|found| found.range()).collect()
    }

    /// The first match that begins at byte `at` or behind it; what stands before counts for `^` and `\b`.
    pub(super) fn find_at(&self, text: &str, at: usize) -> Option<Range<usize>> {
        self.regex.search(&Input::new(text).range(at..)).map(|found| found.range())
    }

    /// The match that begins at byte `at`.
    pub(super) fn find_beginning(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let input = Input::new(text).range(at..).anchored(Anchored::Yes);
        self.regex.search(&input).map(|found| found.range())
    }

    /// What the group that is the place covers of a match in `text`; `None` without such a group, and where it took no part.
    pub(super) fn place(&self, text: &str, found: &Range<usize>) -> Option<Range<usize>> {
        let group = self.group?;
        let mut groups = self.regex.create_captures();
        self.regex.search_captures(&Input::new(text).range(found.start..), &mut groups);
        groups.get_group(group).map(|span| span.range())
    }
}
