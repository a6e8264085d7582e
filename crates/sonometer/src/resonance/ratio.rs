//! Markers of how often one thing is said for another.

use super::Resonance;
use crate::evidence::{Candidate, Setting};
use crate::protocol::Ratio;
use crate::sensor::Plan;
use crate::unit::{Unit, div_half_up};

/// The activation of a ratio; `candidates` are those of all markers, by marker, measured.
pub(crate) fn measure(
    plan: &Plan,
    setting: &Setting,
    number: usize,
    ratio: &Ratio,
    candidates: &[Candidate],
) -> Resonance {
    let marker_plan = &plan.markers[number];
    let evidence_of = |marker: u32| {
        let by = &marker_plan.side_by;
        of_marker(candidates, marker)
            .filter(move |c| c.contribution > Unit::ZERO && setting.is_by(c.turn as usize, by))
    };
    let counted = |marker: Option<u32>| marker.map_or(0, |marker| places(evidence_of(marker)));
    let of = counted(marker_plan.ratio_of);
    let to = match marker_plan.ratio_to {
        Some(marker) => counted(Some(marker)),
        None => places(of_marker(candidates, number as u32).filter(|c| c.failed == 0)),
    };
    let activation = activation(ratio, of, to);
    let marker = &plan.protocol.markers[number];
    Resonance { evidence: activation, activation, triggered: activation >= marker.trigger }
}

fn of_marker(candidates: &[Candidate], marker: u32) -> impl Iterator<Item = &Candidate> {
    let from = candidates.partition_point(|c| c.marker < marker);
    candidates[from..].iter().take_while(move |c| c.marker == marker)
}

/// How many places there are; those that overlap are one.
fn places<'c>(candidates: impl Iterator<Item = &'c Candidate>) -> i128 {
    let mut all: Vec<(u32, u32, u32)> = candidates.map(|c| (c.turn, c.start, c.end)).collect();
    all.sort_unstable();
    let mut count = 0;
    let mut reached = None;
    for (turn, start, end) in all {
        match reached {
            Some((t, e)) if t == turn && start < e => reached = Some((turn, e.max(end))),
            _ => {
                count += 1;
                reached = Some((turn, end));
            }
        }
    }
    count
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
