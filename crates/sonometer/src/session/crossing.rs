//! Whether a regular expression reaches over a place where a turn could be parted. An expression can match anything, over
//! sentences too, so this is not known from the text alone: every way of matching that begins before the place is followed
//! until it has died.

use crate::sensor::Plan;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input, MatchKind};
use std::sync::Arc;

/// Follows a match so far; a turn in which one lives longer is read as a whole.
const LONGEST: usize = 4096;

/// All regular expressions of a protocol at once.
#[derive(Clone, Debug)]
pub(crate) struct Reaches {
    automaton: Option<Arc<DFA>>,
}

impl Reaches {
    /// `None` inside where nothing can be said before a turn ends.
    pub(crate) fn of(regexes: &[regex::Regex]) -> Self {
        let patterns: Vec<&str> = regexes.iter().map(regex::Regex::as_str).collect();
        let config = DFA::config().match_kind(MatchKind::All).unicode_word_boundary(true);
        let automaton = DFA::builder()
            .configure(config)
            .thompson(thompson::Config::new().utf8(true))
            .build_many(&patterns)
            .ok();
        Self { automaton: automaton.map(Arc::new) }
    }
}

/// The watch over one turn for one protocol.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    reaches: Option<(Arc<DFA>, Cache)>,
    /// Every way of matching that begins before this byte of the turn has died.
    dead_before: usize,
    /// Nothing can be said of this turn any more.
    has_given_up: bool,
    /// There is nothing to watch.
    is_idle: bool,
}

impl Watch {
    pub(super) fn new(plan: &Plan) -> Self {
        if reads_disguises_as_written(plan) {
            return Self { reaches: None, dead_before: 0, has_given_up: true, is_idle: false };
        }
        let reaches = plan.reaches().and_then(|reaches| reaches.automaton.clone());
        let reaches = reaches.map(|automaton| {
            let cache = automaton.create_cache();
            (automaton, cache)
        });
        let is_idle = plan.regexes.is_empty();
        Self { has_given_up: !is_idle && reaches.is_none(), reaches, dead_before: 0, is_idle }
    }

    /// A new turn begins.
    pub(super) fn reset(&mut self) {
        self.dead_before = 0;
        self.has_given_up = !self.is_idle && self.reaches.is_none();
    }

    /// About the bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.reaches.as_ref().map_or(0, |(_, cache)| cache.memory_usage())
    }

    /// Whether it is certain that no match reaches over byte `cut` of a turn; `known` is the turn from byte `base` on, as far
    /// as it is known.
    pub(super) fn allows(&mut self, known: &str, base: usize, cut: usize) -> bool {
        if self.is_idle {
            return true;
        }
        while !self.has_given_up && self.dead_before < cut {
            let start = self.dead_before.max(base);
            if known.is_char_boundary(start - base) {
                match self.follow(known, start - base) {
                    Fate::Dead { reached } if base + reached > cut => return false,
                    Fate::Dead { .. } => {}
                    Fate::Alive { length } => {
                        self.has_given_up = length > LONGEST;
                        return false;
                    }
                    Fate::Unknown => {
                        self.has_given_up = true;
                    }
                }
            }
            if !self.has_given_up {
                self.dead_before = start + 1;
            }
        }
        !self.has_given_up
    }

    /// Follows every way of matching from a byte of `known` on.
    fn follow(&mut self, known: &str, start: usize) -> Fate {
        let Some((automaton, cache)) = &mut self.reaches else { return Fate::Unknown };
        let input = Input::new(known).anchored(Anchored::Yes).range(start..);
        let Ok(mut state) = automaton.start_state_forward(cache, &input) else { return Fate::Unknown };
        let mut reached = start;
        for (at, &byte) in known.as_bytes().iter().enumerate().skip(start) {
            let Ok(next) = automaton.next_state(cache, state, byte) else { return Fate::Unknown };
            state = next;
            if state.is_tagged() {
                if state.is_match() {
                    // A match is told one byte later.
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
}

/// Whether a protocol undoes disguises and looks at how the result is written: a turn is read a second time if there is a
/// disguise anywhere in it, which nobody knows before it ends.
fn reads_disguises_as_written(plan: &Plan) -> bool {
    plan.unfolding.is_some() && (plan.shout || !plan.exacts.is_empty() || !plan.regexes.is_empty())
}

/// What became of the ways of matching from one place.
enum Fate {
    /// None is left; the longest match ends there.
    Dead { reached: usize },
    /// Some could go on where the known text ends, after so many bytes.
    Alive { length: usize },
    /// The automaton cannot tell.
    Unknown,
}
