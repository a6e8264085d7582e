//! By the `regex` crate, which chooses among its machines.

use super::{MAX_BYTES, PLACE_GROUP, Refusal};
use std::ops::Range;

/// A compiled regular expression.
#[derive(Debug)]
pub(crate) struct Expression {
    regex: regex::Regex,
    /// The number of the group that is the place.
    group: Option<usize>,
}

impl Expression {
    pub(crate) fn new(pattern: &str) -> Result<Self, Refusal> {
        let built = regex::RegexBuilder::new(pattern).size_limit(MAX_BYTES).dfa_size_limit(MAX_BYTES).build();
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

    /// The pattern as it was written.
    pub(crate) fn as_str(&self) -> &str {
        self.regex.as_str()
    }

    /// All matches from left to right, not overlapping.
    pub(crate) fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        self.regex.find_iter(text).map(|found| found.range()).collect()
    }

    /// The first match that begins at byte `at` or behind it; what stands before counts for `^` and `\b`.
    pub(crate) fn find_at(&self, text: &str, at: usize) -> Option<Range<usize>> {
        self.regex.find_at(text, at).map(|found| found.range())
    }

    /// Whether a group of it is the place.
    pub(crate) fn has_place(&self) -> bool {
        self.group.is_some()
    }

    /// What the group that is the place covers of a match in `text`; `None` without such a group, and where it took no part.
    pub(crate) fn place(&self, text: &str, found: &Range<usize>) -> Option<Range<usize>> {
        let groups = self.regex.captures_at(text, found.start)?;
        groups.get(self.group?).map(|group| group.range())
    }
}
