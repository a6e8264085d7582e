//! The signal of a reading on SGM 1.5: how its evidence is spread, whether it holds, and what prevails.

use crate::json::Json;
use crate::measure::Measured;
use crate::measure::part::portions;
use crate::protocol::Sgm;
use crate::unit::Unit;

/// How evidence is spread over the markers and over the turns of an interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal<'r> {
    /// From 0 (one marker has all the evidence) to 1 (all markers have the same).
    pub spread: Unit,
    /// From 0 (no two turns of a speaker that follow each other share a marker) to 1 (they are all alike).
    pub coherence: Unit,
    /// The label of the marker that weighs most; `None` where none rises above its bias.
    pub dominant_mode: Option<&'r str>,
}

impl Measured {
    /// The signal; `None` on SGM 1.0.
    pub fn signal(&self) -> Option<Signal<'_>> {
        if self.protocol().sgm < Sgm::V1_5 {
            return None;
        }
        let evidence: Vec<Unit> = self.risen().map(|(_, _, evidence)| evidence).collect();
        Some(Signal {
            spread: spread(&evidence, self.protocol().markers.len()),
            coherence: self.coherence(),
            dominant_mode: self.dominant_mode(),
        })
    }

    fn coherence(&self) -> Unit {
        let portions = portions(self.sensor.plan(), &self.candidates, Some);
        // The turns with evidence of each speaker; turns without a role have one speaker.
        let mut turns = Vec::new();
        for turn in portions.chunk_by(|a, b| a.part == b.part) {
            let role = self.interaction().turns()[turn[0].part].role.as_deref();
            let role = role.map(|role| self.sensor.plan().role_name(role));
            let evidence: Vec<(usize, Unit)> = turn.iter().map(|p| (p.marker, p.evidence)).collect();
            turns.push((role, evidence));
        }
        turns.sort_by(|a, b| a.0.cmp(&b.0));
        let speakers = turns.chunk_by(|a, b| a.0 == b.0);
        let pairs = speakers.flat_map(|turns| turns.windows(2));
        let (sum, count) = pairs.fold((0, 0), |(sum, count), pair| {
            (sum + i128::from(overlap(&pair[0].1, &pair[1].1).0), count + 1)
        });
        match (portions.is_empty(), count) {
            (true, _) => Unit::ZERO,
            (false, 0) => Unit::ONE,
            (false, count) => Unit::ratio(sum, count * 1_000_000),
        }
    }

    /// The greatest weight times activation; of equal ones the one with more evidence, then the first of the file.
    fn dominant_mode(&self) -> Option<&str> {
        let markers = &self.protocol().markers;
        let risen = self.risen().filter(|(_, activation, _)| *activation > Unit::ZERO);
        let strongest = risen.max_by_key(|(number, activation, evidence)| {
            let weight = markers[*number as usize].importance.weight();
            (weight * activation.0, *evidence, std::cmp::Reverse(*number))
        });
        strongest.map(|(number, _, _)| markers[number as usize].label.as_str())
    }

    /// How far the activation and the evidence of each marker rose above what its bias alone gives. A bias is where a
    /// marker starts, and nothing that anybody said.
    fn risen(&self) -> impl Iterator<Item = (u32, Unit, Unit)> {
        self.resonances.iter().zip(&self.rests).map(|((number, found), rest)| {
            let above = |found: Unit, rest: Unit| Unit((found.0 - rest.0).max(0));
            (*number, above(found.activation, rest.activation), above(found.evidence, rest.evidence))
        })
    }
}

impl Signal<'_> {
    /// The members of the result; the ledger shows the same.
    pub(crate) fn write(&self, json: &mut Json) {
        json.key("spread").number(self.spread);
        json.key("coherence").number(self.coherence);
        match self.dominant_mode {
            Some(label) => json.key("dominant_mode").string(label),
            None => json.key("dominant_mode").null(),
        }
    }
}

/// How evenly evidence is spread over `markers` markers: the inverse Simpson index (Hill's number of order 2, the
/// "effective number" of markers), scaled so that one marker gives 0 and all alike give 1. Unlike Pielou's evenness it
/// needs no logarithm. 0 for fewer than two markers and for no evidence.
pub fn spread(evidence: &[Unit], markers: usize) -> Unit {
    let capped = || evidence.iter().map(|e| i128::from(e.0).clamp(0, 1_000_000_000_000));
    let sum: i128 = capped().sum();
    let squares: i128 = capped().map(|e| e * e).sum();
    Unit::ratio(sum * sum - squares, squares * (markers.max(1) as i128 - 1))
}

/// How much two turns share: the overlap of the two histograms of (marker, evidence above 0), each scaled to 1; entries
/// by marker. Prior art: histogram intersection (Swain and Ballard).
pub fn overlap(one: &[(usize, Unit)], other: &[(usize, Unit)]) -> Unit {
    let total = |turn: &[(usize, Unit)]| turn.iter().map(|(_, e)| i128::from(e.0)).sum::<i128>();
    let (of_one, of_other) = (total(one), total(other));
    let shared = one.iter().map(|(marker, e)| {
        let found = other.binary_search_by_key(marker, |(marker, _)| *marker);
        let their = found.map_or(0, |at| i128::from(other[at].1.0));
        (i128::from(e.0) * of_other).min(their * of_one)
    });
    Unit::ratio(shared.sum(), of_one * of_other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_that_of_known_shapes() {
        let of = |evidence: &[i64], markers| {
            let evidence: Vec<Unit> = evidence.iter().map(|e| Unit(*e)).collect();
            spread(&evidence, markers).0
        };
        assert_eq!(of(&[5, 5], 4), 333_333); // two effective markers of four: (2 − 1) ÷ (4 − 1)
        assert_eq!(of(&[7, 7, 7], 3), 1_000_000);
        assert_eq!(of(&[7], 3), 0);
        assert_eq!(of(&[], 3), 0);
        assert_eq!(of(&[7], 1), 0);
        assert_eq!(of(&[3_000_000, 1_000_000], 2), 600_000); // 16 ÷ 10 = 1.6 effective
        // The largest evidence of the largest protocol.
        assert_eq!(of(&[i64::MAX; 2_000], 2_000), 1_000_000);
    }

    #[test]
    fn overlap_is_that_of_shares() {
        let turn = |entries: &[(usize, i64)]| -> Vec<(usize, Unit)> {
            entries.iter().map(|(marker, e)| (*marker, Unit(*e))).collect()
        };
        let of = |one: &[(usize, i64)], other: &[(usize, i64)]| overlap(&turn(one), &turn(other)).0;
        assert_eq!(of(&[(0, 1), (1, 1), (2, 1)], &[(0, 9), (1, 9), (2, 9)]), 1_000_000);
        assert_eq!(of(&[(0, 1)], &[(1, 1)]), 0);
        assert_eq!(of(&[(0, 1), (1, 3)], &[(0, 1), (1, 1)]), 750_000); // ¼ + ½
        assert_eq!(of(&[(0, 1)], &[(0, 2), (3, 1)]), 666_667);
    }
}
