//! Runs one program at one start: the longest match. Most programs are done after a few points, for which remembering them
//! would cost more than visiting some twice; the others are left to [`super::memo`].

use super::step::{Point, step};
use super::turn::TurnText;
use crate::protocol::FIRST_LOOK;
use crate::sensor::Plan;
use crate::sensor::program::{Next, Op, Program};
use crate::text::gap::GapKind;

/// How a run ended.
pub(super) enum Run {
    /// The end (one past the last token) of the longest match.
    Match(usize),
    /// The end of the longest match of the program with its gap widened; the program itself has none.
    Wide(usize),
    Nothing,
    /// It takes too many steps.
    Unknown,
}

/// Working memory of [`Runner::run`], kept between calls.
#[derive(Default)]
pub(super) struct Runner {
    /// The points to go on from. The order in which they are visited does not matter: the longest match counts.
    todo: Vec<Point>,
    /// The gaps that were tried, if the program asks: from which token, its n, and the instruction behind it.
    gaps: Vec<(u32, u8, Next)>,
    /// How many ways may still be gone.
    left: u32,
}

/// After this many ways a run gives up, with those of one instruction more. The bound on the cost of a line
/// (`protocol/cost.rs`) is made of both.
const MOST_WAYS: u32 = FIRST_LOOK as u32;

impl Runner {
    /// Looks for the longest match of `program` that begins at token `start`; where there is none, and the program asks
    /// for it, for that of the program with its gap widened.
    #[cfg_attr(small_build, optimize(speed))]
    pub(super) fn run(&mut self, plan: &Plan, turn: &TurnText<'_>, program: &Program, start: usize) -> Run {
        // A run that gave up has left points behind.
        self.todo.clear();
        self.gaps.clear();
        self.left = MOST_WAYS;
        self.todo.push(Point::first(program, start));
        match self.longest(plan, turn, program) {
            Ok(Some(end)) => return Run::Match(end),
            Err(()) => return Run::Unknown,
            Ok(None) if self.gaps.is_empty() => return Run::Nothing,
            Ok(None) => {}
        }
        self.push_beyond(turn);
        match self.longest(plan, turn, program) {
            Ok(Some(end)) => Run::Wide(end),
            Ok(None) => Run::Nothing,
            Err(()) => Run::Unknown,
        }
    }

    /// The points behind each gap that was tried, from n + 1 to 2n + 2 tokens.
    fn push_beyond(&mut self, turn: &TurnText<'_>) {
        let Self { todo, gaps, .. } = self;
        for (at, max, op) in gaps.drain(..) {
            let (at, max) = (at as usize, usize::from(max));
            for to in at + 1..=at + 2 * max + 2 {
                if to > turn.tokens.len() || turn.tokens[to - 1].gap() == GapKind::End {
                    break;
                }
                // 0 to n were tried by the program itself; stepping over an end stops both.
                if to > at + max {
                    todo.push(Point { at: to as u32, op, bridge: true, begun: true });
                }
            }
        }
    }

    #[cfg_attr(small_build, optimize(speed))]
    fn longest(&mut self, plan: &Plan, turn: &TurnText<'_>, program: &Program) -> Result<Option<usize>, ()> {
        let mut best = None;
        while let Some(point) = self.todo.pop() {
            if program.one_gap
                && let Op::Gap(max, next) = program.ops[point.op as usize]
            {
                self.gaps.push((point.at, max, next));
            }
            let Self { todo, left, .. } = self;
            let before = todo.len();
            best = best.max(step(plan, turn, program, point, usize::from, |next| todo.push(next)));
            *left = left.checked_sub((todo.len() - before) as u32).ok_or(())?;
        }
        Ok(best)
    }
}
