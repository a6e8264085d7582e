//! By the `regex` crate, which chooses among its machines.

use super::{MAX_BYTES, Refusal};
use std::ops::Range;

/// A compiled regular expression.
#[derive(Debug)]
pub(crate) struct Expression(regex::Regex);

impl Expression {
    pub(crate) fn new(pattern: &str) -> Result<Self, Refusal> {
        let built = regex::RegexBuilder::new(pattern).size_limit(MAX_BYTES).dfa_size_limit(MAX_BYTES).build();
        built.map(Self).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => Refusal::TooLarge,
            error => {
                let text = error.to_string();
                let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
                Refusal::Unreadable(reason.to_owned())
            }
        })
    }

    /// The pattern as it was written.
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// All matches from left to right, not overlapping.
    pub(crate) fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        self.0.find_iter(text).map(|found| found.range()).collect()
    }

    /// The first match that begins at byte `at` or behind it; what stands before counts for `^` and `\b`.
    pub(crate) fn find_at(&self, text: &str, at: usize) -> Option<Range<usize>> {
        self.0.find_at(text, at).map(|found| found.range())
    }
}
