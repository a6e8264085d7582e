//! By the `regex` crate, which chooses among its machines.

use super::{MAX_BYTES, PLACE_GROUP, Refusal};
use std::ops::Range;

/// A compiled regular expression.
#[derive(Debug)]
pub(super) struct Machine {
    regex: regex::Regex,
    /// The number of the group that is the place.
    group: Option<usize>,
}

impl Machine {
    /// Builds it, of automata of at most `limit` bytes each.
    pub(super) fn new(pattern: &str, limit: usize) -> Result<Self, Refusal> {
        let pattern = &super::folded::written_out(pattern);
        let built = regex::RegexBuilder::new(pattern).size_limit(limit).dfa_size_limit(MAX_BYTES).build();
        let regex = built.map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => Refusal::TooLarge,
            error => {
                let text = error.to_string();
                let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
                Refusal::Unreadable(reason.to_owned())
            }
        })?;
        let group = regex.capture_names().position(|name| name == Some(PLACE_GROUP));
        Ok(Self { regex, group })
    }

    /// All matches from left to right, not overlapping.
    pub(super) fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        self.regex.find_iter(text).map(|found| found.range()).collect()
    }

    /// The first match that begins at byte `at` or behind it; what stands before counts for `^` and `\b`.
    pub(super) fn find_at(&self, text: &str, at: usize) -> Option<Range<usize>> {
        self.regex.find_at(text, at).map(|found| found.range())
    }

    /// What the group that is the place covers of a match in `text`; `None` without such a group, and where it took no part.
    pub(super) fn place(&self, text: &str, found: &Range<usize>) -> Option<Range<usize>> {
        let groups = self.regex.captures_at(text, found.start)?;
        groups.get(self.group?).map(|group| group.range())
    }
}
