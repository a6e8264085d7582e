//! Whether a long turn that is known as a whole can be parted at the end of a sentence: told by the text around it, so that the text between two
//! parts need not be followed.

use super::frontier::Cut;
use super::reach::Reach;
use super::twin::near_end_unfolded;
use crate::sensor::Plan;

/// The look around the ends of sentences of one turn for one protocol.
pub(super) struct Around<'p> {
    plan: &'p Plan,
    /// Of the expressions that may reach over; `None` if there are none.
    reach: Option<Reach<'p>>,
    /// Whether the turn is read unfolded too.
    is_unfolded: bool,
}

impl<'p> Around<'p> {
    /// `is_unfolded`: something in the turn is disguised. `None` where the turn cannot be parted: its expressions cannot be followed, or would have to be
    /// looked for in the unfolded text, too, which takes more than it spares.
    pub(super) fn new(plan: &'p Plan, is_unfolded: bool) -> Option<Self> {
        let bounds = plan.bounds();
        let reach = match bounds.must_follow() {
            false => None,
            true if is_unfolded => return None,
            true => Some(Reach::of(bounds)?),
        };
        Some(Self { plan, reach, is_unfolded })
    }

    /// Whether it is certain that no match reaches over `cut` of `turn`, of which expressions see no more. None reaches over `rest`, an earlier end of a
    /// sentence or where the turn begins.
    pub(super) fn allows(&mut self, turn: &str, rest: Cut, cut: Cut) -> bool {
        let bounds = self.plan.bounds();
        let gap = &turn[cut.gap..cut.at];
        if !bounds.near_end_in(gap, &|_| true) || self.is_unfolded && !near_end_unfolded(self.plan, gap) {
            return false;
        }
        self.reach.as_mut().is_none_or(|reach| reach.is_free(turn, rest.at, cut.at))
    }
}
