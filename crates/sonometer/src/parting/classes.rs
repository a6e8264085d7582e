//! Whether an occurrence of a class depends on what stands behind a place: `$` before an amount, a month before its day. Which
//! signs lead in, join and follow is known to the scanners alone, so they are asked ([`first_open`]).

use crate::class::{Vocabulary, first_open};
use crate::sensor::Plan;
use crate::text::fold::Folded;

/// How far before a place scanners look at most, in bytes: the longest word of a number and what joins it to the next. A turn is
/// scanned again from there on and not from its beginning, or each sentence would cost the whole turn.
pub(crate) const LOOK_BACK: usize = 64;

/// The watch over the classes of one protocol in one turn.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Classes {
    /// What begins before this byte of the turn depends on nothing behind the places that were asked about.
    clear: usize,
    /// Of a protocol that unfolds: ends of sentences that were allowed, the last one, and one at least [`LOOK_BACK`] before it. From there
    /// on the turn unfolds as it does as a whole.
    ends: [usize; 2],
    /// Places before this byte are refused without a look: scanning again what goes on for long pays only when there is
    /// more of it.
    again: usize,
}

impl Classes {
    /// Whether everything before byte `cut` of a turn is the same, whatever stands behind it. The places asked about come in
    /// order; `rest` is the last one that parted the turn.
    pub(crate) fn allow(&mut self, plan: &Plan, turn: &str, rest: usize, cut: usize) -> bool {
        if plan.classes.is_empty() && plan.checked.is_empty() {
            return true;
        }
        if cut < self.again {
            return false;
        }
        self.clear = self.clear.max(rest);
        let from = match plan.unfolding {
            Some(_) => self.ends[0].max(rest),
            None => base(turn, rest, self.clear),
        };
        let folded = Folded::new(&turn[from..cut]);
        let clear = folded.folded_offset(self.clear - from);
        let open = |text: &str, at| first_open(text, at, plan.classes, plan.checked, words(plan));
        let unfolded =
            plan.unfolding.as_ref().and_then(|unfolding| unfolding.unfold(folded.text(), &plan.vocabulary));
        if unfolded.is_some_and(|unfolded| open(unfolded.text(), unfolded.offset(clear)).is_some()) {
            // Only when there is an eighth more: however long something stays open, all scans together cost at most about
            // nine times its length.
            self.again = cut + (cut - from) / 8;
            return false;
        }
        match open(folded.text(), clear) {
            Some(at) => {
                if plan.unfolding.is_none() {
                    self.clear = from + folded.original_range(at, at + 1).start;
                }
                self.again = cut + (cut - from) / 8;
                false
            }
            None => {
                self.clear = cut;
                if cut - self.ends[1] >= LOOK_BACK {
                    self.ends = [self.ends[1], cut];
                }
                true
            }
        }
    }
}

/// Whether everything before byte `cut` of a turn is the same, whatever stands behind it. The turn is known and not read unfolded, so only what follows
/// the last question or exclamation is looked at: whatever a scanner reads, it reads no further than one.
pub(super) fn are_clear(plan: &Plan, turn: &str, rest: usize, cut: usize) -> bool {
    if plan.classes.is_empty() && plan.checked.is_empty() {
        return true;
    }
    let ends = turn.as_bytes()[rest..cut].windows(2).rposition(|two| matches!(two, b"? " | b"! "));
    let clear = ends.map_or(rest, |at| rest + at + 2);
    let from = base(turn, rest, clear);
    let folded = Folded::new(&turn[from..cut]);
    let clear = folded.folded_offset(clear - from);
    first_open(folded.text(), clear, plan.classes, plan.checked, words(plan)).is_none()
}

fn words(plan: &Plan) -> Vocabulary {
    plan.class_words
}

/// Where to begin to fold, so that scanners see all that they look back at from `clear`: behind white space, or at `rest`.
fn base(turn: &str, rest: usize, clear: usize) -> usize {
    let far = clear.saturating_sub(LOOK_BACK).max(rest);
    let white = turn.as_bytes()[rest..far].iter().rposition(|byte| *byte == b' ' || *byte == b'\n');
    white.map_or(rest, |white| rest + white + 1)
}
