//! The readings of a text: as written and, where the protocol asks for it, unfolded.

use super::window::Joined;
use super::{Candidate, Findings, condition};
use crate::matcher::{Count, Disguise, Held, Hit, Matcher, Piece, Spare, TurnText, count_all};
use crate::sensor::Plan;
use crate::text::fold::Folded;
use crate::text::unfold::Unfolded;
use std::collections::BTreeMap;

/// How a text was read. The order of the two decides which match is kept of the same thing found twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Manner {
    /// Without any change but folding.
    Written,
    /// With disguises undone.
    Unfolded,
}

/// Working memory of [`each`], kept from turn to turn: three texts can be read at the same time.
#[derive(Default)]
pub(crate) struct Desk {
    matcher: Matcher,
    spare: Spare,
    /// For the unfolded text, which needs the written one beside it.
    second: Spare,
    /// For the same text read for a further protocol.
    further: Spare,
}

impl Desk {
    /// About the bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.matcher.heap_bytes()
            + self.spare.heap_bytes()
            + self.second.heap_bytes()
            + self.further.heap_bytes()
    }
}

/// Passes on every reading of a turn, or of a piece of one, with what was found in it.
pub(crate) fn each(
    plan: &Plan,
    piece: Piece<'_>,
    desk: &mut Desk,
    mut take: impl FnMut(Manner, &TurnText<'_>, &[Hit]),
) {
    let Desk { matcher, spare, second, .. } = desk;
    let written = TurnText::read(plan, piece, spare);
    take_written(plan, (piece, 0), &written, matcher, second, &mut take);
    written.recycle(spare);
}

/// Reads text that a guard holds back; `look` gets it with the matcher that finds in it.
pub(crate) fn held<T>(
    plan: &Plan,
    held: Held<'_>,
    desk: &mut Desk,
    look: impl FnOnce(&TurnText<'_>, &mut Matcher) -> T,
) -> T {
    let text = TurnText::read_held(plan, held, &mut desk.spare);
    let seen = look(&text, &mut desk.matcher);
    text.recycle(&mut desk.spare);
    seen
}

/// As [`each`] for several plans, each with its number; the text is folded and cut once.
pub(crate) fn each_of(
    plans: &[&Plan],
    piece: Piece<'_>,
    desk: &mut Desk,
    mut take: impl FnMut(usize, Manner, &TurnText<'_>, &[Hit]),
) {
    let Desk { matcher, spare, second, further } = desk;
    let Some((first, others)) = plans.split_first() else { return };
    let written = TurnText::read(first, piece, spare);
    take_written(first, (piece, 0), &written, matcher, second, &mut |manner, text, hits| {
        take(0, manner, text, hits)
    });
    for (at, plan) in (1..).zip(others) {
        let text = TurnText::read_again(plan, piece, &written, further);
        take_written(plan, (piece, at), &text, matcher, second, &mut |manner, text, hits| {
            take(at, manner, text, hits)
        });
        text.recycle(further);
    }
    written.recycle(spare);
}

/// Passes on what there is to count in `content` for several plans.
pub(crate) fn count(plans: &[&Plan], content: &str, desk: &mut Desk, take: impl FnMut(usize, Count)) {
    count_all(plans, content, &mut desk.spare, take);
}

/// Passes on a text as written and, where the plan asks for it, unfolded.
#[inline(always)]
fn take_written(
    plan: &Plan,
    (piece, at): (Piece<'_>, usize),
    written: &TurnText<'_>,
    matcher: &mut Matcher,
    second: &mut Spare,
    take: &mut impl FnMut(Manner, &TurnText<'_>, &[Hit]),
) {
    take(Manner::Written, written, matcher.find(plan, written));
    if let Some(unfolding) = &plan.unfolding {
        let disguise = piece.disguises.get(at).copied().unwrap_or_default();
        // Of a turn in pieces more may be sure than the piece: what stands behind it can matter to an expression there.
        let longer = (piece.sure.len() > piece.text.len()).then(|| Folded::new(piece.sure));
        let folded = longer.as_ref().unwrap_or(&written.folded);
        let unfolded = match disguise {
            Disguise::Nowhere => None,
            Disguise::Unknown | Disguise::Somewhere => unfolding.unfold(folded.text(), &plan.vocabulary),
        };
        let unchanged = || {
            // What is written as its fold is has been read as that.
            let is_told = disguise != Disguise::Somewhere
                || folded.text() == folded.original()
                || written.says_the_same_folded(plan, piece, folded);
            (!is_told).then(|| Unfolded::unchanged(folded.text()))
        };
        if let Some(unfolded) = unfolded.or_else(unchanged) {
            let text = TurnText::read_unfolded(plan, piece, &unfolded, folded, second);
            take(Manner::Unfolded, &text, matcher.find(plan, &text));
            text.recycle(second);
        }
    }
}

/// Leaves out of the candidates what an earlier reading has found already: a match that overlaps one of the same line there, a
/// near miss that overlaps a match of its line anywhere or a near miss of it in an earlier reading.
pub(crate) fn settle(plan: &Plan, findings: &mut Findings) {
    let Findings { candidates, joined, .. } = findings;
    leave_out(plan, joined, candidates);
}

/// The same for some of the candidates.
pub(super) fn leave_out(plan: &Plan, joined: &Joined, candidates: &mut Vec<Candidate>) {
    if plan.unfolding.is_some() || !plan.joins.is_empty() || plan.captures_widened {
        let is_near = |c: &Candidate| c.failed & (condition::GAP | condition::CHECKSUM) != 0;
        // The key decides what gives way to what. Near misses come last, as they give way to the matches of every reading; then
        // turns before windows, as written before unfolded, and earlier windows before later ones.
        let within = |c: &Candidate| if c.window > 0 { c.window } else { c.turn };
        let reading = |c: &Candidate| (is_near(c), c.window > 0, c.manner, within(c));
        // Stable: of two at the same place the one with the earlier token stays first.
        candidates.sort_by_key(|c| (c.marker, c.line, reading(c), c.start, c.end));
        let mut taken = Taken::default();
        let mut kept = Vec::with_capacity(candidates.len());
        for line in candidates.chunk_by(|a, b| (a.marker, a.line) == (b.marker, b.line)) {
            taken.0.clear();
            for same in line.chunk_by(|a, b| reading(a) == reading(b)) {
                // All of a reading are looked at before any is taken: matches of one reading leave each other alone.
                let first = kept.len();
                kept.extend(same.iter().filter(|candidate| !taken.overlap(joined, candidate)));
                kept[first..].iter().for_each(|candidate| taken.add(joined, candidate));
            }
        }
        *candidates = kept;
    }
}

/// The places of one line that are taken: (turn, start) -> end.
#[derive(Default)]
struct Taken(BTreeMap<(u32, u32), u32>);

impl Taken {
    fn overlap(&self, joined: &Joined, candidate: &Candidate) -> bool {
        // Of those that begin before its end the last one ends last: what one reading finds is in order, and what a later
        // one adds touches none of it.
        joined.place(candidate).any(|stretch| {
            let before = self.0.range((stretch.turn, 0)..(stretch.turn, stretch.end));
            before.last().is_some_and(|(_, end)| *end > stretch.start)
        })
    }

    fn add(&mut self, joined: &Joined, candidate: &Candidate) {
        for stretch in joined.place(candidate) {
            let end = self.0.entry((stretch.turn, stretch.start)).or_default();
            *end = stretch.end.max(*end);
        }
    }
}
