//! Which tokens the braces of a line hold. They are looked for only where a match is known, so finding a match costs the
//! same with braces and without.

use super::Hit;
use super::memo::Memo;
use super::step::{Point, step};
use super::turn::TurnText;
use crate::sensor::Plan;
use crate::sensor::program::{Op, Program};
use std::collections::BTreeSet;
use std::ops::Range;

/// The tokens between the braces, of the ways that match just what `hit` does: those that begin first, and of these the
/// longest. `wide`: the match is one of the pattern with its gap widened.
pub(super) fn captured(
    plan: &Plan,
    turn: &TurnText<'_>,
    program: &Program,
    hit: &Hit,
    wide: bool,
) -> Range<u32> {
    let mut memo = Memo::default();
    // No way goes further than the longest match, so a point lies on a way that consumes exactly the tokens of the match if
    // and only if the longest way from it ends where the match does.
    let mut ends_there =
        |point: &Point| memo.longest(plan, turn, program, wide, *point) == Some(hit.last as usize);
    let opens = |op: &Op| matches!(op, Op::Open(_));
    let closes = |op: &Op| matches!(op, Op::Close(_));
    let first = Point::first(program, hit.first as usize);
    let mut opened = stops(plan, turn, program, wide, vec![first], opens);
    opened.retain(&mut ends_there);
    let start = opened.iter().map(|point| point.at).min().unwrap_or(hit.first);
    // The braces that begin first win; among these, below, those that hold the most tokens (semantics, section 2).
    opened.retain(|point| point.at == start);
    let closed = stops(plan, turn, program, wide, opened, closes);
    let end = closed.iter().filter(|point| ends_there(point)).map(|point| point.at).max();
    start..end.unwrap_or(hit.last)
}

/// The first points with an instruction of that kind on every way from `from`. Nothing is followed beyond them, so what a
/// second brace holds is not looked at: every way passes one pair.
fn stops(
    plan: &Plan,
    turn: &TurnText<'_>,
    program: &Program,
    wide: bool,
    from: Vec<Point>,
    is_stop: impl Fn(&Op) -> bool,
) -> Vec<Point> {
    let most = |n: u8| if wide { 2 * usize::from(n) + 2 } else { usize::from(n) };
    // Two ways can lead to the same point (`(a|b)? ..2..`), from which everything is the same.
    let mut seen = BTreeSet::new();
    let mut todo = from;
    let mut found = Vec::new();
    while let Some(point) = todo.pop() {
        if !seen.insert(point.key()) {
            continue;
        }
        if is_stop(&program.ops[point.op as usize]) {
            found.push(point);
        } else {
            step(plan, turn, program, point, most, |next| todo.push(next));
        }
    }
    found
}
