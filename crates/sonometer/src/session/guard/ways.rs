//! The matches of the regular expressions that decide about masks, while their turn comes in: every way of matching is followed from
//! where it begins until it has died. What begins before the first one that lives is certain.

use crate::sensor::Plan;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::{Anchored, Input};
use std::ops::Range;

/// The steps that may be taken for each byte of a turn, and how many more in all. A step is a byte that a way is followed over, so
/// from n places over up to n bytes each they could be n². Ordinary ways end after a few bytes; a text that takes 1,024 for each
/// byte and 2^20 more is read by sentences from there on.
const STEPS: usize = 1 << 10;
const MORE_STEPS: usize = 1 << 20;

/// The ways of matching in one turn. All places are bytes of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// Every way that begins before this byte has died.
    dead_before: usize,
    /// The matches that begin before, by expression, not overlapping.
    matches: Vec<Vec<Range<usize>>>,
    /// Where the last match of each expression ends.
    ends: Vec<usize>,
    /// The bytes that ways were followed over so far.
    steps: usize,
}

/// What an expression matches in this text cannot be told before it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blind;

impl Ways {
    pub(super) fn new(plan: &Plan) -> Self {
        let count = plan.regexes.len();
        Self { matches: vec![Vec::new(); count], ends: vec![0; count], ..Self::default() }
    }

    /// Goes on at byte `from` of the turn, if it is not there yet: nothing reaches over it.
    pub(super) fn restart(&mut self, from: usize) {
        self.dead_before = self.dead_before.max(from);
        self.forget(from);
    }

    /// Forgets the matches that end before a byte.
    pub(super) fn forget(&mut self, before: usize) {
        for found in &mut self.matches {
            let gone = found.partition_point(|found| found.end <= before);
            found.drain(..gone);
        }
    }

    /// Follows all ways that begin before the end of `known`, the turn so far. The byte where the first one that lives begins.
    pub(super) fn follow(&mut self, plan: &Plan, known: &str) -> Result<usize, Blind> {
        if plan.regexes.is_empty() {
            return Ok(known.len());
        }
        let reaches = plan.reaches().ok_or(Blind)?;
        let mut matched = Vec::new();
        reaches.with_cache(|automaton, cache| {
            while let Some(c) = known[self.dead_before..].chars().next() {
                let start = self.dead_before;
                matched.clear();
                let fate = follow(automaton, cache, known, start, &mut matched)?;
                let (Fate::Dead { steps } | Fate::Alive { steps }) = fate;
                self.steps += steps;
                if self.steps > STEPS.saturating_mul(known.len()).saturating_add(MORE_STEPS) {
                    return Err(Blind);
                }
                if matches!(fate, Fate::Alive { .. }) {
                    // The next chunk follows this one again, from where it begins.
                    break;
                }
                for &expression in &matched {
                    self.take(plan, known, expression, start);
                }
                self.dead_before = start + c.len_utf8();
            }
            Ok(self.dead_before)
        })
    }

    /// Notes the match of an expression that begins at a byte, unless the one before goes on there.
    fn take(&mut self, plan: &Plan, known: &str, expression: usize, start: usize) {
        if start < self.ends[expression] {
            return;
        }
        let found = plan.regexes[expression].find_at(known, start);
        if let Some(found) = found.filter(|found| found.start == start && !found.is_empty()) {
            self.ends[expression] = found.end;
            self.matches[expression].push(found);
        }
    }

    /// The matches by expression.
    pub(super) fn matches(&self) -> &[Vec<Range<usize>>] {
        &self.matches
    }
}

/// What became of the ways of matching from one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// None is left after this number of bytes.
    Dead { steps: usize },
    /// Some could go on where the known text ends, after this number of bytes.
    Alive { steps: usize },
}

/// Follows every way of matching from a byte of `known` on, and notes the expressions that have matched.
fn follow(
    automaton: &DFA,
    cache: &mut Cache,
    known: &str,
    start: usize,
    matched: &mut Vec<usize>,
) -> Result<Fate, Blind> {
    let input = Input::new(known).anchored(Anchored::Yes).range(start..);
    let mut state = automaton.start_state_forward(cache, &input).map_err(|_| Blind)?;
    for (steps, &byte) in (1..).zip(&known.as_bytes()[start..]) {
        state = automaton.next_state(cache, state, byte).map_err(|_| Blind)?;
        if state.is_tagged() {
            if state.is_match() {
                for at in 0..automaton.match_len(cache, state) {
                    let expression = automaton.match_pattern(cache, state, at).as_usize();
                    if !matched.contains(&expression) {
                        matched.push(expression);
                    }
                }
            } else if state.is_dead() {
                return Ok(Fate::Dead { steps });
            } else if state.is_quit() {
                return Err(Blind);
            }
        }
    }
    Ok(Fate::Alive { steps: known.len() - start })
}
