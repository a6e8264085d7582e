//! Runs one program at one start: the longest match, in a bounded number of steps.

use super::turn::TurnText;
use crate::sensor::Plan;
use crate::sensor::program::{Next, Op, Program};
use crate::text::gap::GapKind;
use std::collections::BTreeMap;

/// A point of execution: the instruction, the next token, whether a break gap may be stepped over.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    at: u32,
    op: Next,
    bridge: bool,
}

/// Working memory of [`Runner::longest`], kept between calls.
#[derive(Default)]
pub(crate) struct Runner {
    todo: Stack,
    seen: Seen,
    /// The gaps that were tried, if the program asks: from which token, how many, and what comes behind.
    gaps: Vec<(u32, u8, Next)>,
    /// How many points may still be gone to without a look whether they were visited.
    unseen: u32,
}

/// The points that are still to be gone on from. Its `push` is inlined where that of `Vec` is a call, in builds for size.
#[derive(Default)]
struct Stack {
    points: Vec<Point>,
    len: usize,
}

impl Stack {
    fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    fn push(&mut self, point: Point) {
        match self.points.get_mut(self.len) {
            Some(place) => *place = point,
            None => self.points.push(point),
        }
        self.len += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Point> {
        self.len = self.len.checked_sub(1)?;
        Some(self.points[self.len])
    }
}

/// Most programs are done after so many points: visiting some of them twice costs less than remembering them all.
const UNSEEN: u32 = 32;

impl Runner {
    /// The end (one past the last token) of the longest match of `program` that begins at token `start`.
    pub(crate) fn longest(
        &mut self,
        plan: &Plan,
        turn: &TurnText<'_>,
        program: &Program,
        start: usize,
    ) -> Option<usize> {
        self.todo.clear();
        self.seen.clear();
        self.gaps.clear();
        self.unseen = UNSEEN;
        self.todo.push(Point { at: start as u32, op: program.entry, bridge: true });
        self.run(plan, turn, program, start)
    }

    /// The same with the gap of the program widened from n to 2n + 2 tokens, directly after [`Runner::longest`] has found no
    /// match there. The program has one gap on every way.
    pub(crate) fn longest_beyond(
        &mut self,
        plan: &Plan,
        turn: &TurnText<'_>,
        program: &Program,
        start: usize,
    ) -> Option<usize> {
        for gap in 0..self.gaps.len() {
            let (at, max, op) = self.gaps[gap];
            let (at, max) = (at as usize, usize::from(max));
            for to in at + 1..=at + 2 * max + 2 {
                if to > turn.tokens.len() || turn.tokens[to - 1].gap() == GapKind::End {
                    break;
                }
                if to > at + max {
                    self.go(Point { at: to as u32, op, bridge: true });
                }
            }
        }
        self.gaps.clear();
        self.run(plan, turn, program, start)
    }

    fn run(&mut self, plan: &Plan, turn: &TurnText<'_>, program: &Program, start: usize) -> Option<usize> {
        let mut best = None;
        while let Some(point) = self.todo.pop() {
            let at = point.at as usize;
            let open = at == start || may_step(turn, at, point.bridge);
            match &program.ops[point.op as usize] {
                Op::Match => best = best.max((at > start).then_some(at)),
                Op::Word(word, next) => {
                    if open && turn.tokens.get(at).is_some_and(|t| t.word() == *word) {
                        self.consume(at + 1, *next);
                    }
                }
                Op::Exact(word, exact, next) => {
                    let same = |t: &crate::text::Token| {
                        let range = turn.own_range(t.start as usize, t.end as usize);
                        t.word() == *word && turn.own[range] == *plan.exacts[*exact as usize]
                    };
                    if open && turn.tokens.get(at).is_some_and(same) {
                        self.consume(at + 1, *next);
                    }
                }
                Op::Test(test, next) => {
                    if open && turn.passed.binary_search(&(at as u32, *test)).is_ok() {
                        self.consume(at + 1, *next);
                    }
                }
                Op::Dispatch { words, tests } => {
                    if open && let Some(token) = turn.tokens.get(at) {
                        let word = token.word();
                        let from = words.partition_point(|(w, _)| *w < word);
                        for (_, next) in words[from..].iter().take_while(|(w, _)| *w == word) {
                            self.consume(at + 1, *next);
                        }
                        for (_, test) in turn.passed_at(at) {
                            let from = tests.partition_point(|(t, _)| t < test);
                            for (_, next) in tests[from..].iter().take_while(|(t, _)| t == test) {
                                self.consume(at + 1, *next);
                            }
                        }
                    }
                }
                Op::Any(next) => {
                    if open && at < turn.tokens.len() {
                        self.consume(at + 1, *next);
                    }
                }
                Op::Class(class, next) => {
                    if open {
                        for occurrence in turn.occurrences_at(*class, at) {
                            self.consume(occurrence.last as usize, *next);
                        }
                    }
                }
                Op::Regex(regex, next) => {
                    if open && let Some(end) = aligned_match(turn, *regex, at) {
                        self.consume(end, *next);
                    }
                }
                Op::Gap(max, next) => {
                    for to in at..=at + usize::from(*max) {
                        if to > at && (to > turn.tokens.len() || turn.tokens[to - 1].gap() == GapKind::End) {
                            break;
                        }
                        self.go(Point { at: to as u32, op: *next, bridge: true });
                    }
                    if program.one_gap {
                        self.gaps.push((at as u32, *max, *next));
                    }
                }
                Op::Split(one, other) => {
                    self.go(Point { op: *one, ..point });
                    self.go(Point { op: *other, ..point });
                }
                Op::TurnStart(next) => {
                    if at == 0 && turn.starts {
                        self.todo.push(Point { op: *next, ..point });
                    }
                }
                Op::TurnEnd(next) => {
                    if at == turn.tokens.len() && turn.ends {
                        self.todo.push(Point { op: *next, ..point });
                    }
                }
                Op::Mark(mark, next) => {
                    if turn.gap(at).contains(*mark) {
                        self.todo.push(Point { op: *next, bridge: true, ..point });
                    }
                }
                Op::Question(next) => {
                    if at > start && turn.is_question(at - 1) {
                        self.todo.push(Point { op: *next, ..point });
                    }
                }
            }
        }
        best
    }

    fn consume(&mut self, at: usize, op: Next) {
        self.go(Point { at: at as u32, op, bridge: false });
    }

    /// Goes on from a point that several ways can reach, once (twice if it was among the first).
    fn go(&mut self, point: Point) {
        if self.unseen > 0 {
            self.unseen -= 1;
            self.todo.push(point);
        } else if self.seen.insert(point) {
            self.todo.push(point);
        }
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
fn aligned_match(turn: &TurnText<'_>, regex: u32, at: usize) -> Option<usize> {
    let token = turn.tokens.get(at)?;
    let start = turn.own_range(token.start as usize, token.end as usize).start;
    let matches = &turn.regex_matches[regex as usize];
    let found = matches.get(matches.partition_point(|m| m.start < start)).filter(|m| m.start == start)?;
    let tokens = turn.tokens_over_own(found);
    let last = turn.tokens[tokens.clone()].last()?;
    // Two tokens can stand for one character (½): the match begins at the first of them.
    let whole = tokens.start == at && turn.own_range(last.start as usize, last.end as usize).end == found.end;
    whole.then_some(tokens.end)
}

/// The points already visited: a short list, then a sorted one, so that every point is worked on once.
#[derive(Default)]
struct Seen {
    few: Vec<Point>,
    /// By token, and by instruction with the bridge in its last bit.
    many: BTreeMap<(u32, u32), u32>,
}

impl Seen {
    const FEW: usize = 24;

    fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    fn insert(&mut self, point: Point) -> bool {
        if self.few.contains(&point) {
            return false;
        }
        if self.few.len() < Self::FEW {
            self.few.push(point);
            return true;
        }
        let place = (point.at, u32::from(point.op) << 1 | u32::from(point.bridge));
        self.many.insert(place, 0).is_none()
    }
}
