//! Regular expressions: leftmost matches, in linear time. By all machines of the `regex` crate (feature `perf`), or by two of them, which
//! find the same and take less room, as counts in wasm32.

mod kept;
#[cfg(feature = "perf")]
mod quick;
mod reaches;
#[cfg(any(not(feature = "perf"), test))]
mod small;
#[cfg(test)]
mod tests;

pub(crate) use kept::Kept;
#[cfg(feature = "perf")]
pub(crate) use quick::Expression;
pub(crate) use reaches::{Fate, Reaches, follow};
#[cfg(not(feature = "perf"))]
pub(crate) use small::Expression;

/// The name of the group of a regular expression that is the place of its evidence: `(?<place>…)`.
pub(crate) const PLACE_GROUP: &str = "place";

/// The most bytes of a compiled regular expression.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// Why a regular expression is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It grows beyond [`MAX_BYTES`].
    TooLarge,
    /// What is wrong with how it is written, on one line.
    Unreadable(String),
}
