//! Long turns that are known as a whole: they are read in pieces, which stay in the nearer caches, and of which only those with a disguise are read
//! a second time.

use super::around::Around;
use super::classes::{Classes, are_clear};
use super::frontier::{Cut, Rules};
use crate::matcher::{Disguise, Piece};
use crate::sensor::Plan;
use crate::text::fold::{Folded, floor_char_boundary};
use crate::text::several;

/// A piece has at least so many bytes, but for the last, where a protocol undoes disguises: with fewer, what each costs by itself shows; with
/// more, more text is read a second time that has no disguise. In tests pieces are small, so that short texts have many.
const FINE: usize = if cfg!(test) { 24 } else { 512 };
/// Where nothing is read twice: with fewer, what each costs shows; with more, words and matches leave the nearer caches.
const COARSE: usize = if cfg!(test) { 25 } else { 128 << 10 };
/// Not parted at all.
const WHOLE: usize = usize::MAX;
/// Turns of fewer pieces are read as a whole.
const PIECES: usize = 4;
/// Up to the end of a sentence within so many bytes, expressions see what follows a piece.
const AHEAD: usize = 512;

/// Passes on the pieces of a turn that some protocols read, with these and their numbers; without numbers where all read it.
pub(crate) fn each_piece(
    plans: &[&Plan],
    text: &str,
    mut read: impl FnMut(Option<&[usize]>, &[&Plan], Piece<'_>),
) {
    if text.len() < PIECES * FINE {
        return read(None, plans, Piece::whole(text));
    }
    let size = |plan: &&Plan| Some(piece(plan)).filter(|size| *size <= text.len() / PIECES).unwrap_or(WHOLE);
    let sizes: Vec<usize> = plans.iter().map(size).collect();
    for size in [FINE, COARSE, WHOLE] {
        let numbers: Vec<usize> = (0..plans.len()).filter(|at| sizes[*at] == size).collect();
        let plans: Vec<&Plan> = numbers.iter().map(|at| plans[*at]).collect();
        if plans.is_empty() {
            continue;
        }
        match (size != WHOLE).then(|| Long::new(&plans, text, size)).flatten() {
            Some(long) => long.each(&mut |piece| read(Some(&numbers), &plans, piece)),
            None => read(Some(&numbers), &plans, Piece::whole(text)),
        }
    }
}

/// The least bytes of a piece for a protocol.
fn piece(plan: &Plan) -> usize {
    if plan.unfolding.is_none() || plan.bounds().must_follow() { COARSE } else { FINE }
}

struct Long<'l> {
    text: &'l str,
    size: usize,
    rules: Rules,
    disguises: Vec<Disguise>,
    /// By protocol: what tells whether the turn can be parted.
    watches: Vec<(Classes, Around<'l>)>,
    plans: &'l [&'l Plan],
}

impl<'l> Long<'l> {
    /// `None` where the turn cannot be parted for one of them.
    fn new(plans: &'l [&'l Plan], text: &'l str, size: usize) -> Option<Self> {
        let rules = Rules::of(plans.iter().copied());
        let (mut disguises, mut watches) = (Vec::new(), Vec::new());
        let has_several = || several::first_in(text).is_some();
        for plan in plans {
            let disguise = match plan.looks_at_writing() || plan.unfolding.is_some() && has_several() {
                true => disguise(plan, &rules, text),
                // Each piece tells of itself.
                false => Disguise::Unknown,
            };
            let around = Around::new(plan, disguise == Disguise::Somewhere)?;
            disguises.push(disguise);
            watches.push((Classes::default(), around));
        }
        Some(Self { text, size, rules, disguises, watches, plans })
    }

    fn each(mut self, read: &mut dyn FnMut(Piece<'_>)) {
        let mut rest = Cut::default();
        while let Some((cut, known)) = self.next(rest) {
            let text = &self.text[rest.gap..cut.next];
            let ahead = &self.text[rest.gap..known];
            let piece =
                Piece { to: cut.at - rest.gap, ahead, sure: ahead, ends: false, ..self.piece(rest, text) };
            read(piece);
            rest = cut;
        }
        read(self.piece(rest, &self.text[rest.gap..]));
    }

    /// The last piece, were it this text from an end of a sentence on.
    fn piece<'t>(&'t self, rest: Cut, text: &'t str) -> Piece<'t> {
        let from = rest.at - rest.gap;
        Piece { base: rest.gap, from, disguises: &self.disguises, starts: rest.at == 0, ..Piece::whole(text) }
    }

    /// The end of the piece that begins at `rest`, and up to where expressions see what follows; `None` for the last one.
    fn next(&mut self, rest: Cut) -> Option<(Cut, usize)> {
        let Self { text, size, rules, disguises, watches, plans } = self;
        let mut next = rest.at + *size;
        loop {
            let cut = rules.next_cut(text, next)?;
            let ahead = floor_char_boundary(text, cut.next + AHEAD);
            let known = rules.next_cut(&text[..ahead], cut.next).map_or(cut.next, |cut| cut.next);
            let mut each = watches.iter_mut().zip(disguises.iter()).zip(*plans);
            let is_free = each.all(|(((classes, around), disguise), plan)| {
                let is_read_once = plan.unfolding.is_none() || *disguise == Disguise::Nowhere;
                around.allows(&text[..known], rest, cut)
                    && match is_read_once {
                        true => are_clear(plan, text, rest.gap, cut.at),
                        false => classes.allow(plan, text, rest.gap, cut.at),
                    }
            });
            if is_free {
                return Some((cut, known));
            }
            // Not asked again at the very next end, and ever later: what lives for long would be looked at over and over.
            next = cut.at + (cut.at - rest.at) / 8;
        }
    }
}

/// Whether there is a disguise in a turn: it is read up to the first.
fn disguise(plan: &Plan, rules: &Rules, text: &str) -> Disguise {
    let Some(unfolding) = &plan.unfolding else { return Disguise::Nowhere };
    let has = |text: &str| unfolding.unfold(Folded::new(text).text(), &plan.vocabulary).is_some();
    let mut rest = Cut::default();
    while let Some(cut) = rules.next_cut(text, rest.at + FINE) {
        if has(&text[rest.gap..cut.next]) {
            return Disguise::Somewhere;
        }
        rest = cut;
    }
    if has(&text[rest.gap..]) { Disguise::Somewhere } else { Disguise::Nowhere }
}
