//! What could still become a match when text goes on: ways through a pattern that stand where the known tokens end.

use super::step::{Point, step};
use super::turn::TurnText;
use crate::class::ClassSet;
use crate::sensor::compile::Body;
use crate::sensor::phrases::Phrases;
use crate::sensor::program::{Op, Program};
use crate::sensor::{Plan, Rule};
use crate::text::gap::{Ahead, GapKind, ahead};
use std::collections::BTreeSet;

/// Where knowledge of a text ends, for tokens, for classes and for regular expressions. All in tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Horizon {
    /// The tokens before this one stay as they are. If this one is there, the gap before it stays too.
    pub(crate) tokens: usize,
    /// Occurrences of classes that begin before this token stay as they are.
    pub(crate) classes: usize,
    /// Likewise matches of regular expressions.
    pub(crate) regexes: usize,
    /// What is certain of the gap before the token `tokens`.
    gap: Ahead,
    /// The kind of that gap, if the token is there.
    kind: Option<GapKind>,
}

impl Horizon {
    /// The horizon of a text that goes on. Its last token may go on, unless something follows that ends it.
    pub(crate) fn of(plan: &Plan, turn: &TurnText<'_>) -> Self {
        let count = turn.tokens.len();
        let rest = turn.gap(count);
        let mut signs = rest.chars();
        let is_complete = match signs.next() {
            // These join letters or digits around them (`don't`, `3.5`) or begin a gap: the character behind decides.
            Some('\'' | '.' | ',') => signs.next().is_some(),
            next => next.is_some(),
        };
        // Without anything behind it the last token may still grow (`refund` to `refunds`), so it is not certain.
        let tokens = if is_complete || count == 0 { count } else { count - 1 };
        let kind = turn.tokens.get(tokens).map(|token| token.gap());
        let gap = match kind {
            Some(_) => Ahead::Any,
            None => ahead(rest, turn.may_be_abbreviated(plan)),
        };
        Self { tokens, classes: tokens, regexes: tokens, gap, kind }
    }

    /// Whether a pattern may go over the gap at the horizon to the next token.
    fn may_step(&self, bridge: bool) -> bool {
        match (self.kind, self.gap) {
            (Some(GapKind::Join), _) | (None, Ahead::Any) => true,
            (Some(GapKind::Break), _) | (None, Ahead::NoJoin) => bridge,
            (Some(GapKind::End), _) | (None, Ahead::End) => false,
        }
    }
}

/// Whether what begins at token `first` may become a match, or another match, of some rule.
pub(crate) fn begins(plan: &Plan, turn: &TurnText<'_>, horizon: &Horizon, first: usize) -> bool {
    if goes_on(&plan.phrases, turn, horizon, first) {
        return true;
    }
    let here = turn.classes_at(first);
    let some = |classes: ClassSet| first >= horizon.classes || !classes.intersection(here).is_empty();
    let mut todo = Vec::new();
    // Not those at anchors: an anchor may not have come in yet.
    plan.openers().at(turn.tokens[first].word(), some).any(|rule| {
        let Rule { body: Body::Program(program), wide, .. } = &plan.rules[rule as usize] else {
            return false;
        };
        Way { plan, turn, horizon, program, is_wide: wide.is_some() }.is_open(first, &mut todo)
    })
}

/// Whether a plain phrase of a tree may go on at the horizon.
fn goes_on(phrases: &Phrases, turn: &TurnText<'_>, horizon: &Horizon, first: usize) -> bool {
    let mut node = phrases.root(turn.tokens[first].word());
    for at in first + 1.. {
        if node == 0 {
            return false;
        }
        if at >= horizon.tokens {
            return phrases.goes_on(node) && horizon.may_step(false);
        }
        let token = turn.tokens[at];
        if token.gap() != GapKind::Join || token.word() == 0 {
            return false;
        }
        node = phrases.step(node, token.word());
    }
    false
}

/// The ways through one program.
struct Way<'w> {
    plan: &'w Plan,
    turn: &'w TurnText<'w>,
    horizon: &'w Horizon,
    program: &'w Program,
    /// Whether its gap is tried widened too, for near misses.
    is_wide: bool,
}

impl Way<'_> {
    /// Whether some way from token `first` on depends on what lies behind the horizon. `todo` is memory for its work.
    fn is_open(&self, first: usize, todo: &mut Vec<Point>) -> bool {
        todo.clear();
        todo.push(Point::first(self.program, first));
        let mut seen = BTreeSet::new();
        while let Some(point) = todo.pop() {
            // A class or an expression has led beyond what is certain.
            if point.at as usize > self.horizon.tokens {
                return true;
            }
            // Most ways end at their first word, which need not be remembered.
            if point.begun && !seen.insert(point.key()) {
                continue;
            }
            if self.follow(point, todo) {
                return true;
            }
        }
        false
    }

    /// Follows a point to those behind it. Whether that depends on what is not known yet.
    fn follow(&self, point: Point, todo: &mut Vec<Point>) -> bool {
        let Self { turn, horizon, .. } = self;
        let at = point.at as usize;
        let is_behind = |tokens: usize| at >= tokens && (!point.begun || self.may_go_on(point));
        let op = &self.program.ops[point.op as usize];
        match op {
            Op::Class(..) if is_behind(horizon.classes) => return true,
            Op::Regex(..) if is_behind(horizon.regexes) => return true,
            Op::List(..) if self.list_is_open(point) => return true,
            Op::Gap(max, next) => return self.skip(point, self.most(*max), *next, todo),
            _ => {}
        }
        if at < horizon.tokens {
            step(self.plan, turn, self.program, point, usize::from, |next| todo.push(next));
            return false;
        }
        let is_there = horizon.kind.is_some();
        match op {
            Op::Word(..) | Op::Exact(..) | Op::Test(..) | Op::Dispatch(_) | Op::Any(_) => {
                is_behind(horizon.tokens)
            }
            Op::List(..) | Op::Class(..) | Op::Regex(..) | Op::Gap(..) | Op::Match => false,
            Op::Split(one, other) => {
                todo.extend([Point { op: *one, ..point }, Point { op: *other, ..point }]);
                false
            }
            Op::Open(next) | Op::Close(next) => {
                todo.push(Point { op: *next, ..point });
                false
            }
            Op::TurnStart(_) | Op::SentenceStart(_) => !point.begun,
            Op::TurnEnd(_) => !is_there,
            Op::SentenceEnd(next) => {
                let is_end = horizon.kind == Some(GapKind::End) || !is_there && horizon.gap == Ahead::End;
                if is_end {
                    todo.push(Point { op: *next, ..point });
                }
                !is_end && !is_there
            }
            Op::Mark(mark, next) => {
                let is_known = turn.gap(at).contains(*mark);
                if is_known {
                    todo.push(Point { op: *next, bridge: true, ..point });
                }
                !is_known && !is_there
            }
            Op::Question(_) => true,
        }
    }

    /// Whether a phrase of a list file that begins at a point may go on at the horizon. Which list it is of is not asked: at worst a
    /// little more text waits.
    fn list_is_open(&self, point: Point) -> bool {
        let at = point.at as usize;
        let may_begin = !point.begun || self.may_go_on(point);
        may_begin && (at >= self.horizon.tokens || goes_on(&self.plan.lists, self.turn, self.horizon, at))
    }

    /// Whether the token at a point may follow the one before it.
    fn may_go_on(&self, point: Point) -> bool {
        if point.at as usize == self.horizon.tokens {
            return self.horizon.may_step(point.bridge);
        }
        match self.turn.tokens[point.at as usize].gap() {
            GapKind::Join => true,
            GapKind::Break => point.bridge,
            GapKind::End => false,
        }
    }

    /// Skips up to `most` tokens. Whether there may be more of them behind the horizon.
    fn skip(&self, point: Point, most: usize, next: u16, todo: &mut Vec<Point>) -> bool {
        let at = point.at as usize;
        for to in at..=at + most {
            if to > at {
                let skipped = to - 1;
                if skipped >= self.horizon.tokens {
                    return self.horizon.may_step(true);
                }
                if self.turn.tokens[skipped].gap() == GapKind::End {
                    break;
                }
            }
            todo.push(Point { at: to as u32, op: next, bridge: true, ..point });
        }
        false
    }

    fn most(&self, gap: u8) -> usize {
        if self.is_wide { 2 * usize::from(gap) + 2 } else { usize::from(gap) }
    }
}
