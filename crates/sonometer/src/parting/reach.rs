//! Whether a match of the expressions that may do so reaches over a place of a text, told by a little text around it.

use crate::expression::{Bounds, Fate, Living, Reaches, Way};

/// So many bytes before the end of a sentence are looked at for expressions without a greatest length. Of most nothing lives for longer; where
/// something does, the turn is not parted.
const BEFORE: usize = 128;
/// The steps that may be taken for each byte of a turn, and how many more in all. A step is a byte that ways are followed over, or a state that is
/// looked at for one. Ordinary expressions take about one; where thousands live for long, the rest of the turn is read as a whole.
const STEPS: usize = 32;
const MORE_STEPS: usize = 1 << 20;

/// How far the expressions reach in one turn that may do so over the end of a sentence.
pub(super) struct Reach<'p> {
    reaches: &'p Reaches,
    /// Of those without a greatest length.
    living: Living<'p>,
    /// The bytes before a place in which all ways are followed.
    before: usize,
    /// The steps that following has taken.
    steps: usize,
}

impl<'p> Reach<'p> {
    /// `None` where the expressions cannot be followed.
    pub(super) fn of(bounds: &'p Bounds) -> Option<Self> {
        let reaches = bounds.far()?;
        let before = BEFORE.max(reaches.lengths().longest);
        Some(Self { reaches, living: reaches.living(), before, steps: 0 })
    }

    /// Whether it is certain that no match reaches over byte `at` of a text. None reaches over byte `rest`.
    pub(super) fn is_free(&mut self, text: &str, rest: usize, at: usize) -> bool {
        let most = STEPS.saturating_mul(at).saturating_add(MORE_STEPS);
        if self.steps + self.living.steps() > most {
            return false;
        }
        let far = at.saturating_sub(self.before);
        let space = text.as_bytes()[..far].iter().rev().take(BEFORE).position(|byte| *byte == b' ');
        let from = rest.max(space.map_or(far, |back| far - back - 1));
        // Those without a greatest length may have begun anywhere between.
        if from > rest && self.living.may_reach_over(&text.as_bytes()[from..], at - from) {
            return false;
        }
        let Self { reaches, steps, .. } = self;
        reaches.lend(|follower| {
            let mut start = from;
            loop {
                start = reaches.next_start(text, start, at);
                if start >= at {
                    return true;
                }
                if text.is_char_boundary(start) {
                    let mut way = Way::of_all(start);
                    let Some((Fate::Dead, taken)) = follower.follow(text, 0, &mut way) else {
                        return false;
                    };
                    *steps += taken;
                    let ends_by = |expression: &usize| {
                        let found = way.found(&reaches.expressions[*expression], text, 0);
                        found.is_none_or(|found| found.end <= at)
                    };
                    if way.at() > at && !way.matched.iter().all(ends_by) {
                        return false;
                    }
                }
                start += 1;
            }
        })
    }
}
