//! The evidence in a part of an interaction: what signal, flow and temporal analysis are made of.

use crate::evidence::Candidate;
use crate::protocol::Marker;
use crate::resonance::contribution;
use crate::sensor::Plan;
use crate::unit::Unit;
use std::collections::BTreeMap;

/// The most evidence a marker has in a part, 1,000,000: no sum and no square of it can overflow.
const MOST: i128 = 1_000_000_000_000;

/// What a marker has in a part, if anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Portion {
    /// The part.
    pub(crate) part: usize,
    /// The marker.
    pub(crate) marker: usize,
    /// Its evidence there, above 0.
    pub(crate) evidence: Unit,
}

/// The evidence of each marker in each part, by part and marker; `part_of` tells the part of a turn, if it is in one.
/// `candidates` are those of a reading, measured, by marker, line and place.
///
/// What later uses of a line are worth is counted within the part: what was said before it takes nothing away.
pub(crate) fn portions(
    plan: &Plan,
    candidates: &[Candidate],
    part_of: impl Fn(usize) -> Option<usize>,
) -> Vec<Portion> {
    let mut portions = Vec::new();
    for of_marker in candidates.chunk_by(|a, b| a.marker == b.marker) {
        let marker = of_marker[0].marker as usize;
        let mut sums: BTreeMap<usize, i128> = BTreeMap::new();
        for of_line in of_marker.chunk_by(|a, b| a.line == b.line) {
            let mut uses: BTreeMap<usize, u32> = BTreeMap::new();
            for candidate in of_line.iter().filter(|c| c.failed == 0) {
                let Some(part) = part_of(candidate.turn as usize) else { continue };
                let uses = uses.entry(part).or_default();
                *sums.entry(part).or_default() +=
                    i128::from(worth(&plan.protocol.markers[marker], candidate, *uses).0);
                *uses += 1;
            }
        }
        let positive = sums.into_iter().filter(|(_, sum)| *sum > 0);
        portions.extend(positive.map(|(part, sum)| Portion {
            part,
            marker,
            evidence: Unit(sum.min(MOST) as i64),
        }));
    }
    portions.sort_unstable();
    portions
}

/// What a candidate adds in a part where its line was used `uses` times before it.
fn worth(marker: &Marker, candidate: &Candidate, uses: u32) -> Unit {
    match marker.absence.is_some() || marker.ratio.is_some() {
        true => candidate.contribution,
        false => contribution(marker.repeat, candidate.strength, uses),
    }
}
