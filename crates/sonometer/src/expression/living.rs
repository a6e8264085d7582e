//! Whether a match of an expression without a greatest length can reach over a place of a text, wherever it began: told by a little text before
//! the place, which is gone through with every state that a way of matching could be in where this text begins.
//!
//! Most such expressions read words, spaces or one line, so that all ways have ended after some bytes. A way that has not ended may be impossible, as
//! nobody looks where it began. Then the text is parted elsewhere, and what is found stays the same.

use regex_automata::PatternID;
use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;
use regex_syntax::hir::Hir;
use std::mem;

/// How long matches of several expressions can be.
#[derive(Debug)]
pub(crate) struct Lengths {
    /// The greatest length in bytes, of those expressions that have one.
    pub(crate) longest: usize,
    /// The numbers of the others.
    pub(crate) endless: Vec<usize>,
}

/// An expression whose matches can be longer counts as one of the others: to try every byte where one may have begun would take too long.
const LONGEST: usize = 2 << 10;

impl Lengths {
    pub(super) fn of(expressions: &[Hir]) -> Self {
        let mut lengths = Self { longest: 0, endless: Vec::new() };
        for (number, expression) in expressions.iter().enumerate() {
            match expression.properties().maximum_len().filter(|length| *length <= LONGEST) {
                Some(length) => lengths.longest = lengths.longest.max(length),
                None => lengths.endless.push(number),
            }
        }
        lengths
    }
}

/// The ways of matching that may live at a byte of a text.
#[derive(Debug)]
pub(crate) struct Living<'r> {
    nfa: &'r NFA,
    /// All states of the expressions.
    all: Vec<StateID>,
    /// Where they are once they have read a space.
    spaced: Vec<StateID>,
    now: Vec<StateID>,
    before: Vec<StateID>,
    /// By state: whether it is in `now`.
    has: Vec<bool>,
    /// How many states of `now` read a byte; the others only lead to such.
    reading: usize,
    /// States that are still to be entered: expressions nest too deep for calls.
    open: Vec<StateID>,
    /// How many states were looked at so far.
    steps: usize,
}

impl<'r> Living<'r> {
    /// Of some of the expressions of an automaton.
    pub(super) fn of(nfa: &'r NFA, expressions: &[usize]) -> Self {
        let starts = expressions.iter().filter_map(|of| nfa.start_pattern(PatternID::new_unchecked(*of)));
        let mut living = Self {
            nfa,
            all: Vec::new(),
            spaced: Vec::new(),
            now: Vec::new(),
            before: Vec::new(),
            has: vec![false; nfa.states().len()],
            reading: 0,
            open: starts.collect(),
            steps: 0,
        };
        // Whatever is read: one after the other, and what follows from each.
        living.enter_open();
        let mut at = 0;
        while let Some(state) = living.now.get(at) {
            match nfa.state(*state) {
                State::ByteRange { trans } => living.open.push(trans.next),
                State::Sparse(several) => living.open.extend(several.transitions.iter().map(|to| to.next)),
                State::Dense(all) => living.open.extend(&*all.transitions),
                _ => {}
            }
            living.enter_open();
            at += 1;
        }
        living.all.clone_from(&living.now);
        living.read(b' ');
        living.spaced.clone_from(&living.now);
        living.leave();
        living
    }

    /// How many states were looked at so far, which is what it has cost.
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// Whether a match that begins before `text` may reach over its byte `at`; what follows is known to the end of `text`. Much less is looked at where
    /// it begins with a space.
    pub(crate) fn may_reach_over(&mut self, text: &[u8], at: usize) -> bool {
        let Some((&first, others)) = text.split_first() else { return false };
        let is_space = first == b' ';
        self.open.extend(if is_space { &self.spaced } else { &self.all });
        self.enter_open();
        if !is_space {
            self.read(first);
        }
        let mut ended = false;
        for (read, &byte) in (1..).zip(others) {
            if self.reading == 0 || ended {
                break;
            }
            // A match that ends at `at` reaches over nothing.
            ended = self.read(byte) && read >= at;
        }
        let may = ended || self.reading > 0;
        self.leave();
        may
    }

    /// Reads a byte by all ways, and tells whether one has ended in a match.
    fn read(&mut self, byte: u8) -> bool {
        self.leave();
        self.steps += self.before.len();
        for state in &self.before {
            match self.nfa.state(*state) {
                State::ByteRange { trans } if trans.matches_byte(byte) => self.open.push(trans.next),
                State::Sparse(several) => self.open.extend(several.matches_byte(byte)),
                State::Dense(all) => self.open.extend(all.matches_byte(byte)),
                _ => {}
            }
        }
        self.enter_open()
    }

    /// What lives now is what lived before.
    fn leave(&mut self) {
        mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        self.reading = 0;
        self.before.iter().for_each(|state| self.has[state.as_usize()] = false);
    }

    /// Enters the open states and all that follow from them without reading, and tells whether a match is among them. What looks around is taken
    /// for true, so more is followed than there is.
    fn enter_open(&mut self) -> bool {
        let mut has_match = false;
        while let Some(state) = self.open.pop() {
            if mem::replace(&mut self.has[state.as_usize()], true) {
                continue;
            }
            self.now.push(state);
            match self.nfa.state(state) {
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) => self.reading += 1,
                State::Match { .. } => has_match = true,
                State::Fail => {}
                State::Look { next, .. } | State::Capture { next, .. } => self.open.push(*next),
                State::Union { alternates } => self.open.extend(alternates),
                State::BinaryUnion { alt1, alt2 } => self.open.extend([alt1, alt2]),
            }
        }
        has_match
    }
}
