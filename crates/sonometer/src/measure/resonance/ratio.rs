//! Markers of how often one thing is said for another.

use super::{Basis, Resonance};
use crate::evidence::window::Joined;
use crate::evidence::{Candidate, Setting};
use crate::protocol::Ratio;
use crate::sensor::Plan;
use crate::unit::{Unit, div_half_up};

/// The activation of a ratio; `candidates` are those of all markers, by marker, measured, with their further stretches.
pub(crate) fn measure(
    plan: &Plan,
    setting: &Setting,
    number: usize,
    ratio: &Ratio,
    (candidates, joined): (&[Candidate], &Joined),
) -> (Resonance, Basis) {
    let marker_plan = &plan.markers[number];
    let evidence_of = |marker: u32| {
        let by = &marker_plan.side_by;
        of_marker(candidates, marker)
            .filter(move |c| c.contribution > Unit::ZERO && setting.is_by(c.turn as usize, by))
    };
    let counted = |marker: Option<u32>| marker.map_or(0, |marker| places(evidence_of(marker), joined));
    let of = counted(marker_plan.ratio_of);
    let to = match marker_plan.ratio_to {
        Some(marker) => counted(Some(marker)),
        None => places(of_marker(candidates, number as u32).filter(|c| c.failed == 0), joined),
    };
    let activation = activation(ratio, of, to);
    let marker = &plan.protocol.markers[number];
    let places = |count: i128| u64::try_from(count).unwrap_or(u64::MAX);
    (
        Resonance { evidence: activation, activation, triggered: activation >= marker.trigger },
        Basis { places: (places(of), places(to)), ..Basis::default() },
    )
}

fn of_marker(candidates: &[Candidate], marker: u32) -> impl Iterator<Item = &Candidate> {
    let from = candidates.partition_point(|c| c.marker < marker);
    candidates[from..].iter().take_while(move |c| c.marker == marker)
}

/// How many places there are; those that overlap in some turn are one.
fn places<'c>(candidates: impl Iterator<Item = &'c Candidate>, joined: &Joined) -> i128 {
    let mut stretches = Vec::new();
    let mut count = 0;
    for candidate in candidates {
        stretches.extend(joined.place(candidate).map(|s| (s.turn, s.start, s.end, count)));
        count += 1;
    }
    // By place, so that one pass finds all overlaps: a stretch overlaps what came before it if it begins before the farthest end.
    stretches.sort_unstable();
    // Union by pointers: each candidate points to another one of the same place, the last of a chain to itself.
    let mut same: Vec<usize> = (0..count).collect();
    let mut apart = count;
    let mut reached = None;
    for (turn, start, end, candidate) in stretches {
        match reached {
            Some((t, e, before)) if t == turn && start < e => {
                let (one, other) = (root(&same, before), root(&same, candidate));
                apart -= usize::from(one != other);
                same[one] = other;
                reached = Some((turn, e.max(end), candidate));
            }
            _ => reached = Some((turn, end, candidate)),
        }
    }
    apart as i128
}

/// The candidate that stands for the place of this one.
fn root(same: &[usize], mut candidate: usize) -> usize {
    while same[candidate] != candidate {
        candidate = same[candidate];
    }
    candidate
}

fn activation(ratio: &Ratio, of: i128, to: i128) -> Unit {
    if of + to < i128::from(ratio.at_least) {
        return Unit::ZERO;
    }
    if to == 0 {
        return Unit::ONE;
    }
    let (floor, full) = (i128::from(ratio.floor.0), i128::from(ratio.full.0));
    let above = (of * 1_000_000 - floor * to).max(0);
    let activation = div_half_up(above * 1_000_000, (full - floor) * to);
    Unit(activation.min(1_000_000) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::RatioTo;

    #[test]
    fn rises_from_floor_to_full() {
        let ratio = Ratio {
            of: "reflection".into(),
            to: RatioTo::Marker("question".into()),
            by: Vec::new(),
            floor: Unit(500_000),
            full: Unit(2_000_000),
            at_least: 3,
        };
        let cases =
            [(1, 1, 0), (1, 2, 0), (2, 2, 333_333), (5, 4, 500_000), (4, 2, 1_000_000), (9, 2, 1_000_000)];
        for (of, to, expected) in cases {
            assert_eq!(activation(&ratio, of, to).0, expected, "{of} : {to}");
        }
        assert_eq!(activation(&ratio, 3, 0), Unit::ONE);
        assert_eq!(activation(&ratio, 0, 0), Unit::ZERO);
    }
}
