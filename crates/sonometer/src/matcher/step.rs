//! One step of a program: where a point of execution leads.

use super::turn::TurnText;
use crate::sensor::Plan;
use crate::sensor::program::{Dispatch, Next, Op, Program};
use crate::text::gap::GapKind;

/// A point of execution: the instruction, the next token, whether a break gap may be stepped over, whether a token has
/// been consumed. What follows depends on nothing else, so it is the same for every start that leads here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    pub(super) at: u32,
    pub(super) op: Next,
    pub(super) bridge: bool,
    pub(super) begun: bool,
}

impl Point {
    /// Where a program begins.
    #[inline]
    pub(super) fn first(program: &Program, start: usize) -> Self {
        Self { at: start as u32, op: program.entry, bridge: true, begun: false }
    }

    /// As a number of 50 bits, different for each point of one program and turn: 32 of the token, 16 of the instruction
    /// ([`Next`]), one each for `bridge` and `begun`. `matcher/memo.rs` has 14 bits left of 64 for its own use.
    pub(super) fn key(self) -> u64 {
        u64::from(self.at) << 18
            | u64::from(self.op) << 2
            | u64::from(self.bridge) << 1
            | u64::from(self.begun)
    }
}

/// Passes on every point that one leads to; returns the end of the match at [`Op::Match`]. A gap of n skips 0 to `most(n)` tokens: n,
/// or 2n + 2 where it is widened.
#[inline(always)]
pub(super) fn step(
    plan: &Plan,
    turn: &TurnText<'_>,
    program: &Program,
    point: Point,
    most: impl Fn(u8) -> usize,
    mut go: impl FnMut(Point),
) -> Option<usize> {
    let at = point.at as usize;
    // Before the first token of a match the gap does not matter: nothing is stepped over.
    let open = !point.begun || may_step(turn, at, point.bridge);
    let behind = |at: usize, op: Next| Point { at: at as u32, op, bridge: false, begun: true };
    match &program.ops[point.op as usize] {
        Op::Match => return point.begun.then_some(at),
        Op::Word(word, next) => {
            if open && turn.tokens.get(at).is_some_and(|t| t.word() == *word) {
                go(behind(at + 1, *next));
            }
        }
        Op::Exact(word, exact, next) => {
            let same = |t: &crate::text::Token| {
                t.word() == *word
                    && turn.own[turn.own_range(t.start as usize, t.end as usize)]
                        == *plan.exacts[*exact as usize]
            };
            if open && turn.tokens.get(at).is_some_and(same) {
                go(behind(at + 1, *next));
            }
        }
        Op::Test(test, next) => {
            if open && turn.passed.has(at, *test) {
                go(behind(at + 1, *next));
            }
        }
        Op::Dispatch(ways) => {
            let Dispatch { words, tests } = &**ways;
            if open && let Some(token) = turn.tokens.get(at) {
                let word = token.word();
                // Sorted: alternatives that begin with the same word are neighbours, and all of them are tried.
                let from = words.partition_point(|(w, _)| *w < word);
                for (_, next) in words[from..].iter().take_while(|(w, _)| *w == word) {
                    go(behind(at + 1, *next));
                }
                for (_, test) in turn.passed.at(at) {
                    let from = tests.partition_point(|(t, _)| t < test);
                    for (_, next) in tests[from..].iter().take_while(|(t, _)| t == test) {
                        go(behind(at + 1, *next));
                    }
                }
            }
        }
        Op::List(list, next) => {
            if open {
                each_of_lists(plan, turn, at, |of, end| {
                    if of.contains(list) {
                        go(behind(end, *next));
                    }
                });
            }
        }
        Op::Any(next) => {
            if open && at < turn.tokens.len() {
                go(behind(at + 1, *next));
            }
        }
        Op::Class(class, next) => {
            if open {
                for occurrence in turn.occurrences_at(*class, at) {
                    go(behind(occurrence.last as usize, *next));
                }
            }
        }
        Op::Regex(regex, next) => {
            if open && let Some(end) = aligned_match(turn, *regex, at) {
                go(behind(end, *next));
            }
        }
        Op::Gap(max, next) => {
            // To every token within reach. Nothing skips over an end, nor beyond the last token.
            for to in at..=at + most(*max) {
                if to > at && (to > turn.tokens.len() || turn.tokens[to - 1].gap() == GapKind::End) {
                    break;
                }
                // A gap may end at a break: what follows it may step over one.
                if may_go_on(turn, &program.ops[*next as usize], to) {
                    go(Point { at: to as u32, op: *next, bridge: true, ..point });
                }
            }
        }
        Op::Split(one, other) => {
            go(Point { op: *one, ..point });
            go(Point { op: *other, ..point });
        }
        Op::Open(next) | Op::Close(next) => go(Point { op: *next, ..point }),
        Op::TurnStart(next) => {
            if at == 0 && turn.starts {
                go(Point { op: *next, ..point });
            }
        }
        Op::TurnEnd(next) => {
            if at == turn.tokens.len() && turn.ends {
                go(Point { op: *next, ..point });
            }
        }
        Op::SentenceStart(next) => {
            // Before the first token of a later piece the gap is the end of a sentence.
            if !point.begun && (at == 0 || turn.gap_kind(at) == GapKind::End) {
                go(Point { op: *next, ..point });
            }
        }
        Op::SentenceEnd(next) => {
            if point.begun && (at == turn.tokens.len() || turn.gap_kind(at) == GapKind::End) {
                go(Point { op: *next, ..point });
            }
        }
        Op::Mark(mark, next) => {
            if turn.gap(at).contains(*mark) {
                go(Point { op: *next, bridge: true, ..point });
            }
        }
        Op::Question(next) => {
            if point.begun && turn.is_question(at - 1) {
                go(Point { op: *next, ..point });
            }
        }
    }
    None
}

/// Each end of a phrase of a list file that begins at token `first`, with the numbers of the lists that have it.
pub(super) fn each_of_lists(
    plan: &Plan,
    turn: &TurnText<'_>,
    first: usize,
    mut found: impl FnMut(&[u32], usize),
) {
    let Some(token) = turn.tokens.get(first) else { return };
    let (mut node, mut end) = (plan.lists.root(token.word()), first + 1);
    while node != 0 {
        found(plan.lists.rules_at(node), end);
        match turn.tokens.get(end) {
            Some(next) if next.gap() == GapKind::Join && next.word() != 0 => {
                node = plan.lists.step(node, next.word())
            }
            _ => return,
        }
        end += 1;
    }
}

/// Whether an instruction may lead anywhere from token `at`: a look that spares most of the points behind a gap.
#[inline]
#[cfg_attr(small_build, optimize(speed))]
fn may_go_on(turn: &TurnText<'_>, op: &Op, at: usize) -> bool {
    let is = |word: u32| turn.tokens.get(at).is_some_and(|token| token.word() == word);
    match op {
        Op::Word(word, _) | Op::Exact(word, ..) => is(*word),
        Op::Test(test, _) => turn.passed.has(at, *test),
        Op::Dispatch(ways) => {
            let passes = || !ways.tests.is_empty() && !turn.passed.at(at).is_empty();
            let known = turn.tokens.get(at).map(|token| token.word()).filter(|word| *word != 0);
            known.is_some_and(|word| ways.words.binary_search_by_key(&word, |(w, _)| *w).is_ok()) || passes()
        }
        Op::Regex(regex, _) => !turn.matches_of(*regex).is_empty(),
        _ => true,
    }
}

/// Whether token `at` may follow the token before it.
fn may_step(turn: &TurnText<'_>, at: usize, bridge: bool) -> bool {
    match turn.tokens.get(at).map(|t| t.gap()) {
        Some(GapKind::Join) => true,
        Some(GapKind::Break) => bridge,
        Some(GapKind::End) | None => false,
    }
}

/// The end of the match of a regular expression that covers whole tokens from token `at` on.
#[cfg_attr(small_build, optimize(speed))]
fn aligned_match(turn: &TurnText<'_>, regex: u32, at: usize) -> Option<usize> {
    let matches = turn.matches_of(regex);
    if matches.is_empty() {
        // Most expressions have no match in most texts, and programs ask at many tokens.
        return None;
    }
    let token = turn.tokens.get(at)?;
    let start = turn.own_range(token.start as usize, token.end as usize).start;
    let found = matches.get(matches.partition_point(|m| m.start < start)).filter(|m| m.start == start)?;
    let tokens = turn.tokens_over_own(found);
    let last = turn.tokens[tokens.clone()].last()?;
    // Two tokens can stand for one character (½): the match begins at the first of them.
    let whole = tokens.start == at && turn.own_range(last.start as usize, last.end as usize).end == found.end;
    whole.then_some(tokens.end)
}
