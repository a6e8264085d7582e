//! Section 8, masks: what is hidden wherever text is shown.

use crate::candidate::{Candidate, Scene};
use crate::characters::is_letter_or_digit;
use crate::marker::MarkerReading;
use crate::near::{checksum_misses, gap_misses};
use crate::reading::Stretch;
use crate::turn::Turn;
use sonometer::protocol::{HintKind, Mask};
use std::collections::BTreeSet;
use std::ops::Range;

/// The hidden characters of each turn, by their byte offsets in the original.
pub(crate) type Hidden = Vec<BTreeSet<usize>>;

/// The places of all candidates of a marker with `mask`, and of its gap and checksum near misses, but for excepted ones.
pub(crate) fn hidden(scene: &Scene<'_>, readings: &[MarkerReading]) -> Hidden {
    let mut hidden = vec![BTreeSet::new(); scene.turns.len()];
    for (marker, reading) in scene.protocol.markers.iter().zip(readings) {
        let Some(mask) = marker.mask else { continue };
        let matched = reading.candidates.iter().cloned();
        let missed = gap_misses(scene, marker).into_iter().chain(checksum_misses(scene, marker));
        let excepted = |candidate: &Candidate| candidate.failed.contains(&HintKind::Except);
        for Candidate { hit, .. } in matched.chain(missed).filter(|candidate| !excepted(candidate)) {
            for (turn, at) in hidden_in(scene, &hit.stretches, mask) {
                hidden[turn].insert(at);
            }
        }
    }
    hidden
}

/// Every letter or digit of a place, by turn and byte, but for the first or last n.
fn hidden_in(scene: &Scene<'_>, stretches: &[Stretch], mask: Mask) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    for Stretch { turn, place } in stretches {
        let inside = scene.turns[*turn].original.char_indices().filter(|(at, _)| place.contains(at));
        all.extend(inside.filter(|(_, c)| is_letter_or_digit(*c)).map(|(at, _)| (*turn, at)));
    }
    match mask {
        Mask::All => all,
        Mask::First(n) => all.into_iter().skip(n.into()).collect(),
        Mask::Last(n) => all[..all.len().saturating_sub(n.into())].to_vec(),
    }
}

/// A part of a turn as it may be shown.
pub(crate) fn shown(turn: &Turn, place: &Range<usize>, hidden: &Hidden) -> String {
    let inside = turn.original.char_indices().filter(|(at, _)| place.contains(at));
    inside.map(|(at, c)| if hidden[turn.index].contains(&at) { '*' } else { c }).collect()
}
