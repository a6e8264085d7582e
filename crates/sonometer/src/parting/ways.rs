//! The matches of the regular expressions while their turn comes in: every way of matching is followed from where it begins until it
//! has died. What begins before the first one that lives is certain.
//!
//! A match takes part of the text from its expression: the search goes on behind it (semantics: not overlapping). So the ways of that
//! expression which begin within are none, and what is open within a match keeps nothing waiting.

use crate::expression::{Fate, Follower, Reaches, Way};
use std::ops::Range;

/// The steps that may be taken for each byte of a turn, and how many more in all. A step is a byte that a way is followed over, so
/// from n places over up to n bytes each they could be n². Ordinary ways end after a few bytes; a text that takes 1,024 for each
/// byte and 2^20 more is not followed any further.
const STEPS: usize = 1 << 10;
const MORE_STEPS: usize = 1 << 20;

/// The ways of matching in one turn. All places are bytes of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ways {
    /// Every way that begins before this byte has died, or is none.
    dead_before: usize,
    /// By expression: where its last match ends. Empty as long as there is none.
    ends: Vec<usize>,
    /// The least of them: no match of any expression begins before.
    free_from: usize,
    /// The way that lives, as far as it was followed.
    open: Option<Way>,
    /// The bytes that ways were followed over so far.
    steps: usize,
}

/// What the expressions match in this turn cannot be told before it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blind;

impl Ways {
    /// Goes on at byte `from` of the turn, if it is not there yet: nothing reaches over it.
    pub(crate) fn restart(&mut self, from: usize) {
        self.dead_before = self.dead_before.max(from);
    }

    /// Follows all ways of some expressions that begin before byte `to`; `known` is the turn from byte `base` on. Gives the byte where the
    /// first one that lives begins, at least `to` if there is none, and says which matches have become certain: their expression and
    /// place. Without `reaches` nothing can be told.
    pub(crate) fn follow(
        &mut self,
        reaches: Option<&Reaches>,
        known: Known<'_>,
        to: usize,
        found: &mut dyn FnMut(usize, Range<usize>),
    ) -> Result<usize, Blind> {
        let reaches = reaches.ok_or(Blind)?;
        if reaches.expressions.is_empty() {
            return Ok(to);
        }
        if self.dead_before >= to {
            return Ok(self.dead_before);
        }
        reaches.lend(|follower| {
            self.dead_before = self.dead_before.max(known.base);
            while self.dead_before < to {
                if self.dead_before < self.free_from {
                    self.dead_before = self.free_from;
                    continue;
                }
                if self.open.is_none() {
                    let from = self.dead_before - known.base;
                    self.dead_before = known.base + reaches.next_start(known.text, from, to - known.base);
                    if self.dead_before >= to {
                        break;
                    }
                }
                // No match begins within a character.
                let is_start = known.text.is_char_boundary(self.dead_before - known.base);
                if is_start && self.follow_from(reaches, follower, known, found)? == Fate::Alive {
                    break;
                }
                self.dead_before += 1;
            }
            Ok(self.dead_before)
        })
    }

    /// Follows the ways from the first byte that is not dead.
    fn follow_from(
        &mut self,
        reaches: &Reaches,
        follower: &mut Follower<'_>,
        known: Known<'_>,
        found: &mut dyn FnMut(usize, Range<usize>),
    ) -> Result<Fate, Blind> {
        let start = self.dead_before;
        let mut way = match self.open.take().filter(|open| open.start == start) {
            Some(open) if open.is_of_all() => open,
            // The one expression that was open: the others are asked when it has died.
            Some(mut open) => {
                if self.go_on(follower, known, &mut open)? == Fate::Alive {
                    self.open = Some(open);
                    return Ok(Fate::Alive);
                }
                Way::of_all(start)
            }
            None => Way::of_all(start),
        };
        if self.go_on(follower, known, &mut way)? == Fate::Dead {
            self.take(reaches, known, &way, found);
            return Ok(Fate::Dead);
        }
        if self.ends.iter().all(|end| *end <= start) {
            self.open = Some(way);
            return Ok(Fate::Alive);
        }
        // What lives may be of an expression that has a match around this place, so each of the others is asked by itself.
        for expression in 0..reaches.expressions.len() {
            if start < self.ends[expression] {
                continue;
            }
            let mut way = Way::of_one(expression, start);
            if self.go_on(follower, known, &mut way)? == Fate::Alive {
                self.open = Some(way);
                return Ok(Fate::Alive);
            }
            self.take(reaches, known, &way, found);
        }
        Ok(Fate::Dead)
    }

    fn go_on(&mut self, follower: &mut Follower<'_>, known: Known<'_>, way: &mut Way) -> Result<Fate, Blind> {
        let (fate, steps) = follower.follow(known.text, known.base, way).ok_or(Blind)?;
        self.steps += steps;
        let most = STEPS.saturating_mul(known.base + known.text.len()).saturating_add(MORE_STEPS);
        if self.steps > most { Err(Blind) } else { Ok(fate) }
    }

    /// Takes the matches of a way that has died, but for those that begin within one of the same expression.
    fn take(
        &mut self,
        reaches: &Reaches,
        known: Known<'_>,
        way: &Way,
        found: &mut dyn FnMut(usize, Range<usize>),
    ) {
        for &expression in &way.matched {
            if self.ends.get(expression).is_some_and(|end| way.start < *end) {
                continue;
            }
            if let Some(place) = way.found(&reaches.expressions[expression], known.text, known.base) {
                self.ends.resize(reaches.expressions.len(), 0);
                self.ends[expression] = place.end;
                self.free_from = self.ends.iter().copied().min().unwrap_or(0);
                found(expression, place);
            }
        }
    }
}

/// A turn as far as it is known, from byte `base` on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'t> {
    pub(crate) text: &'t str,
    pub(crate) base: usize,
}
