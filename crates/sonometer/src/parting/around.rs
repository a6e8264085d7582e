//! Whether a long turn that is known as a whole can be parted at the end of a sentence: told by the text around it, so that the text between two
//! parts need not be followed.

use super::frontier::{Cut, Rules};
use super::reach::Reach;
use super::twin::near_end_unfolded;
use crate::sensor::Plan;
use crate::text::fold::Folded;

/// The look around the ends of sentences of one turn for one protocol.
pub(super) struct Around<'p> {
    plan: &'p Plan,
    /// Of the expressions that may reach over; `None` if there are none.
    reach: Option<Reach<'p>>,
    /// Whether the turn is read unfolded too.
    is_unfolded: bool,
}

impl<'p> Around<'p> {
    /// `None` where the turn cannot be parted: its expressions cannot be followed.
    pub(super) fn new(plan: &'p Plan) -> Option<Self> {
        let (bounds, is_unfolded) = (plan.bounds(), plan.looks_at_writing());
        let reach = if bounds.must_follow() { Some(Reach::of(bounds, is_unfolded)?) } else { None };
        Some(Self { plan, reach, is_unfolded })
    }

    /// Nothing in the turn is disguised.
    pub(super) fn is_read_once(&mut self) {
        self.is_unfolded = false;
    }

    /// Whether it is certain that no match reaches over `cut` of `turn`, of which expressions see no more. None reaches over `rest`, an earlier end of a
    /// sentence or where the turn begins.
    pub(super) fn allows(&mut self, rules: &Rules, turn: &str, rest: Cut, cut: Cut) -> bool {
        let bounds = self.plan.bounds();
        let gap = &turn[cut.gap..cut.at];
        if !bounds.near_end_in(gap, &|_| true) || self.is_unfolded && !near_end_unfolded(self.plan, gap) {
            return false;
        }
        let Some(reach) = &mut self.reach else { return true };
        reach.is_free(turn, rest.at, cut.at)
            && (!self.is_unfolded || self.is_free_unfolded(rules, turn, rest, cut))
    }

    /// The same for those expressions that may, in the unfolded text. No disguise reaches over the end of a sentence, so from `rest`, or from a nearer
    /// one that is far enough back, the text unfolds as it does as a whole.
    fn is_free_unfolded(&mut self, rules: &Rules, turn: &str, rest: Cut, cut: Cut) -> bool {
        let (Some(reach), Some(unfolding)) = (&mut self.reach, &self.plan.unfolding) else { return true };
        // Twice as far, since a text can be shorter unfolded.
        let near = cut.at.checked_sub(2 * reach.before()).filter(|near| *near > rest.at);
        let near = near.and_then(|near| rules.next_cut(turn, near)).filter(|near| near.at < cut.at);
        let first = near.unwrap_or(rest);
        let folded = Folded::new(&turn[first.gap..]);
        let unfolded = unfolding.unfold(folded.text());
        let place = |at: usize| {
            let folded = folded.folded_offset(at - first.gap);
            unfolded.as_ref().map_or(folded, |unfolded| unfolded.offset(folded))
        };
        let text = unfolded.as_ref().map_or(folded.text(), |unfolded| unfolded.text());
        let (from, at) = (place(first.at), place(cut.at));
        (first == rest || from + reach.before() < at) && reach.is_free(text, from, at)
    }
}
