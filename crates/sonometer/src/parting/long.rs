//! Long turns that are known as a whole.

use super::classes::Classes;
use super::frontier::{Cut, Frontier, Rules};
use super::watch::Watch;
use crate::matcher::{Disguise, Piece};
use crate::sensor::Plan;
use crate::text::fold::{Folded, floor_char_boundary};

/// A piece has at least so many bytes, but for the last: with fewer, what each costs by itself shows; with more, more text is read a second
/// time that has no disguise.
const PIECE: usize = 512;
/// Shorter turns are read as a whole.
const LONG: usize = 4 * PIECE;

/// Passes on the pieces of a turn that some protocols read, with these and their numbers; without numbers where all read it. Those that undo
/// nothing read it as a whole, and so do those with expressions that must be followed: to follow them costs as much as it saves.
pub(crate) fn each_piece(
    plans: &[&Plan],
    text: &str,
    mut read: impl FnMut(Option<&[usize]>, &[&Plan], Piece<'_>),
) {
    if text.len() < LONG || !plans.iter().any(|plan| is_parted(plan)) {
        return read(None, plans, Piece::whole(text));
    }
    let (parted, whole): (Vec<usize>, Vec<usize>) = (0..plans.len()).partition(|at| is_parted(plans[*at]));
    let of = |numbers: &[usize]| numbers.iter().map(|at| plans[*at]).collect::<Vec<_>>();
    if !whole.is_empty() {
        read(Some(&whole), &of(&whole), Piece::whole(text));
    }
    let plans = of(&parted);
    Long::new(&plans, text).each(|piece| read(Some(&parted), &plans, piece));
}

fn is_parted(plan: &Plan) -> bool {
    plan.unfolding.is_some() && !plan.bounds().must_follow()
}

struct Long<'l> {
    plans: &'l [&'l Plan],
    text: &'l str,
    rules: Rules,
    classes: Vec<Classes>,
    watches: Vec<Watch>,
}

impl<'l> Long<'l> {
    fn new(plans: &'l [&'l Plan], text: &'l str) -> Self {
        let rules = Rules::of(plans.iter().copied());
        let watch = |plan: &&Plan| {
            let mut watch = Watch::new(plan);
            if watch.has_twin() {
                watch.know(disguise(plan, &rules, text));
            }
            watch
        };
        let watches = plans.iter().map(watch).collect();
        Self { plans, text, rules, classes: vec![Classes::default(); plans.len()], watches }
    }

    fn each(self, mut read: impl FnMut(Piece<'_>)) {
        let Self { plans, text, rules, mut classes, mut watches } = self;
        let disguises: Vec<Disguise> = watches.iter().map(Watch::disguise).collect();
        let mut rest = Cut::default();
        Frontier::default().advance(&rules, text, &mut |cut| {
            watches.iter_mut().zip(plans).for_each(|(watch, plan)| watch.note(plan, text, cut));
            if cut.at < rest.at + PIECE {
                return;
            }
            let own = &text[rest.gap..cut.next];
            let piece = Piece {
                base: rest.gap,
                from: rest.at - rest.gap,
                to: cut.at - rest.gap,
                disguises: &disguises,
                starts: rest.at == 0,
                ends: false,
                ..Piece::whole(own)
            };
            let mut each = plans.iter().zip(&mut classes).zip(&mut watches);
            let is_free = each.all(|((plan, classes), watch)| {
                classes.allow(plan, text, rest.gap, cut.at) && watch.allows(plan, piece, cut)
            });
            if is_free {
                read(piece);
                watches.iter_mut().for_each(|watch| watch.parted(cut));
                rest = cut;
            }
        });
        let own = &text[rest.gap..];
        let from = rest.at - rest.gap;
        let starts = rest.at == 0;
        read(Piece { base: rest.gap, from, disguises: &disguises, starts, ..Piece::whole(own) });
    }
}

/// Whether there is a disguise in a turn: it is read up to the first.
fn disguise(plan: &Plan, rules: &Rules, text: &str) -> Disguise {
    let Some(unfolding) = &plan.unfolding else { return Disguise::Nowhere };
    let has = |text: &str| unfolding.unfold(Folded::new(text).text()).is_some();
    let (mut frontier, mut rest, mut found) = (Frontier::default(), Cut::default(), false);
    let mut known = 0;
    while known < text.len() {
        known = floor_char_boundary(text, known + LONG);
        frontier.advance(rules, &text[..known], &mut |cut| {
            found = found
                || cut.at >= rest.at + PIECE && {
                    let piece = &text[rest.gap..cut.next];
                    rest = cut;
                    has(piece)
                };
        });
        if found {
            return Disguise::Somewhere;
        }
    }
    if has(&text[rest.gap..]) { Disguise::Somewhere } else { Disguise::Nowhere }
}
