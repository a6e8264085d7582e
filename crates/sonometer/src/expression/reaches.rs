//! How far the matches that begin at a place could still reach. An expression can match anything, over sentences too, so this
//! is not known from the text alone: every way of matching from the place on is followed until it has died.

use super::{Expression, Kept};
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input, MatchKind};
use std::sync::Arc;

/// All regular expressions of a protocol at once, shared by its sessions.
#[derive(Debug)]
pub(crate) struct Reaches {
    automaton: DFA,
    /// What sessions have worked out of the automaton so far.
    caches: Kept<Cache>,
}

/// What one cache holds at most, in bytes; up to four are kept for a protocol ([`Kept`]), so 32 MiB. A full one is begun anew, which
/// costs time and changes nothing.
const CACHE: usize = 8 << 20;

impl Reaches {
    /// `None` where nothing can be said before a turn ends.
    pub(crate) fn of(expressions: &[Arc<Expression>]) -> Option<Self> {
        let patterns: Vec<&str> = expressions.iter().map(|expression| expression.as_str()).collect();
        // All matches and not the first: a way that is still open matters though a shorter match has been found. With Unicode `\b`
        // the automaton stops at a byte beyond ASCII and says so (`is_quit`).
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .unicode_word_boundary(true)
            .cache_capacity(CACHE)
            .skip_cache_capacity_check(true);
        let nfa = thompson::Config::new().utf8(true);
        let automaton = DFA::builder().configure(config).thompson(nfa).build_many(&patterns).ok()?;
        Some(Self { automaton, caches: Kept::default() })
    }

    /// Lends a cache.
    pub(crate) fn with_cache<T>(&self, work: impl FnOnce(&DFA, &mut Cache) -> T) -> T {
        self.caches.lend(|| self.automaton.create_cache(), |cache| work(&self.automaton, cache))
    }
}

/// Follows every way of matching from a byte of `known` on.
pub(crate) fn follow(automaton: &DFA, cache: &mut Cache, known: &str, start: usize) -> Fate {
    let input = Input::new(known).anchored(Anchored::Yes).range(start..);
    let Ok(mut state) = automaton.start_state_forward(cache, &input) else { return Fate::Unknown };
    let mut reached = start;
    for (at, &byte) in known.as_bytes().iter().enumerate().skip(start) {
        let Ok(next) = automaton.next_state(cache, state, byte) else { return Fate::Unknown };
        state = next;
        if state.is_tagged() {
            if state.is_match() {
                // The automaton reports a match one byte late, so that `$` and `\b` can look ahead.
                reached = at;
            } else if state.is_dead() {
                return Fate::Dead { reached };
            } else if state.is_quit() {
                return Fate::Unknown;
            }
        }
    }
    Fate::Alive { length: known.len() - start }
}

/// What became of the ways of matching from one place.
pub(crate) enum Fate {
    /// None is left; the longest match ends there.
    Dead { reached: usize },
    /// Some could go on where the known text ends, after this number of bytes.
    Alive { length: usize },
    /// The automaton cannot tell.
    Unknown,
}
