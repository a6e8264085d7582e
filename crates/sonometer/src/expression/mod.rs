//! Regular expressions: leftmost matches, in linear time. By all machines of the `regex` crate (feature `perf`), or by few of them,
//! which find the same and are less to download, for the module for browsers.
//!
//! Building a machine costs a hundred times what parsing does, and most texts need few of those that a protocol has. So an
//! expression is parsed when it is made, which tells whether it is refused ([`size`]) and what its matches need ([`needs`]), and its
//! machine is built when a text first has what it needs: one for texts of ASCII, one for all others, where that pays ([`ascii`]).

#[cfg(feature = "perf")]
mod ascii;
mod bounds;
mod edges;
mod facts;
#[cfg(feature = "perf")]
mod folded;
#[cfg(feature = "perf")]
mod heads;
mod kept;
#[cfg(feature = "perf")]
pub mod known;
#[cfg(feature = "perf")]
mod living;
mod near;
mod needs;
mod pieces;
#[cfg(feature = "perf")]
mod quick;
mod reaches;
mod size;
#[cfg(any(not(feature = "perf"), test))]
mod small;
#[cfg(test)]
mod tests;

pub(crate) use bounds::Bounds;
pub(crate) use kept::Kept;
#[cfg(feature = "perf")]
pub(crate) use living::Living;
pub(crate) use needs::Seen;
#[cfg(feature = "perf")]
use quick::Machine;
pub(crate) use reaches::{Fate, Follower, Reaches, Way};
#[cfg(not(feature = "perf"))]
use small::Machine;

use facts::Facts;
use regex_syntax::hir::Hir;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The name of the group of a regular expression that is the place of its evidence: `(?<place>…)`.
pub(crate) const PLACE_GROUP: &str = "place";

/// The most bytes of a compiled regular expression. A protocol with a larger one is refused when it is read, so that neither memory
/// nor the time to compile depends on counts such as `{60000}`.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// Why a regular expression is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It grows beyond [`MAX_BYTES`].
    TooLarge,
    /// What is wrong with how it is written, on one line.
    Unreadable(String),
}

/// Which characters a text may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Characters {
    Ascii,
    All,
}

impl Characters {
    /// Those of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self::seen_from(text, 0)
    }

    /// Those that a search from byte `at` on sees: the one before it too.
    pub(crate) fn seen_from(text: &str, at: usize) -> Self {
        let seen = &text.as_bytes()[at.saturating_sub(1)..];
        if seen.is_ascii() { Self::Ascii } else { Self::All }
    }
}

impl From<regex_syntax::ast::Error> for Refusal {
    fn from(error: regex_syntax::ast::Error) -> Self {
        Self::Unreadable(error.kind().to_string())
    }
}

impl From<regex_syntax::hir::Error> for Refusal {
    fn from(error: regex_syntax::hir::Error) -> Self {
        Self::Unreadable(error.kind().to_string())
    }
}

impl From<regex_syntax::Error> for Refusal {
    fn from(error: regex_syntax::Error) -> Self {
        match error {
            regex_syntax::Error::Parse(error) => error.into(),
            regex_syntax::Error::Translate(error) => error.into(),
            error => Self::Unreadable(error.to_string()),
        }
    }
}

/// A regular expression that is sound. What it finds does not depend on when its machine is built, or by which thread.
#[derive(Debug)]
pub(crate) struct Expression {
    pattern: String,
    facts: Arc<Facts>,
    /// Built when it is first asked. `None` inside where that fails, which [`size::LIMIT_BEHIND`] rules out.
    machine: OnceLock<Option<Machine>>,
    /// Likewise, for texts of ASCII; for an expression that is [`ascii::is_worth`] it.
    #[cfg(feature = "perf")]
    ascii: OnceLock<Option<Machine>>,
}

impl Expression {
    pub(crate) fn new(pattern: &str) -> Result<Self, Refusal> {
        let facts = facts::of(pattern)?;
        Ok(Self {
            pattern: pattern.to_owned(),
            facts,
            machine: OnceLock::new(),
            #[cfg(feature = "perf")]
            ascii: OnceLock::new(),
        })
    }

    /// The pattern as it was written.
    pub(crate) fn as_str(&self) -> &str {
        &self.pattern
    }

    /// Whether it matches the empty text.
    pub(crate) fn matches_nothing(&self) -> bool {
        self.facts.can_be_empty && self.find_at("", 0, Characters::Ascii).is_some()
    }

    /// Whether a text can hold a match: where it cannot, nothing needs to be asked, and no machine is built.
    pub(crate) fn can_match(&self, seen: &Seen<'_>) -> bool {
        self.facts.needs.are_in(seen)
    }

    /// All matches in a text that begin before byte `to`, where it is known where they can stand; `None` where it is not.
    pub(crate) fn find_seen(&self, seen: &Seen<'_>, to: usize) -> Option<Vec<Range<usize>>> {
        let (mut found, characters) = (Vec::new(), seen.characters());
        #[cfg(feature = "perf")]
        if let Some(starts) = self.facts.needs.starts(seen) {
            let machine = self.machine(characters)?;
            let mut end = 0;
            for start in starts.into_iter().take_while(|start| *start < to) {
                // Within the last match no other begins.
                if start < end {
                    continue;
                }
                if let Some(next) = machine.find_beginning(seen.text(), start) {
                    end = next.end;
                    found.push(next);
                }
            }
            return Some(found);
        }
        for stretch in self.facts.needs.stretches(seen)? {
            let text = seen.text().get(..stretch.end).unwrap_or(seen.text());
            let mut at = stretch.start;
            while let Some(next) = self.find_at(text, at, characters).filter(|next| next.start < to) {
                // Behind it, as it holds a digit.
                at = next.end;
                found.push(next);
            }
        }
        Some(found)
    }

    /// All matches from left to right, not overlapping, in a text of these characters.
    pub(crate) fn find_all(&self, text: &str, characters: Characters) -> Vec<Range<usize>> {
        self.machine(characters).map_or_else(Vec::new, |machine| machine.find_all(text))
    }

    /// The first match that begins at byte `at` or behind it; what stands before counts for `^` and `\b`.
    pub(crate) fn find_at(&self, text: &str, at: usize, characters: Characters) -> Option<Range<usize>> {
        self.machine(characters)?.find_at(text, at)
    }

    /// Whether a group of it is the place.
    pub(crate) fn has_place(&self) -> bool {
        self.facts.has_place
    }

    /// What the group that is the place covers of a match in `text`; `None` without such a group, and where it took no part.
    pub(crate) fn place(
        &self,
        text: &str,
        found: &Range<usize>,
        characters: Characters,
    ) -> Option<Range<usize>> {
        self.machine(characters)?.place(text, found)
    }

    fn machine(&self, characters: Characters) -> Option<&Machine> {
        #[cfg(feature = "perf")]
        if characters == Characters::Ascii && self.facts.is_worth_ascii {
            return self.ascii.get_or_init(|| Machine::of_ascii(&self.pattern).ok()).as_ref();
        }
        #[cfg(not(feature = "perf"))]
        let _ = characters;
        self.machine.get_or_init(|| Machine::new(&self.pattern, size::LIMIT_BEHIND).ok()).as_ref()
    }
}

/// The expression as the machines read it.
fn parse(pattern: &str) -> Result<Hir, Refusal> {
    #[cfg(feature = "perf")]
    return folded::parse(pattern);
    #[cfg(not(feature = "perf"))]
    regex_automata::util::syntax::parse(pattern).map_err(Refusal::from)
}
