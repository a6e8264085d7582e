//! The evidence in a part of an interaction: what signal, flow and temporal analysis are made of.

use crate::evidence::Candidate;
use crate::measure::resonance::contribution;
use crate::protocol::Marker;
use crate::sensor::Plan;
use crate::unit::Unit;

/// The most evidence a marker has in a part, 1,000,000 or 10^12 millionths. With 2,000 markers (`MAX_MARKERS`) a sum is at most
/// 2·10^15 and a product of two sums 4·10^30; times the 10^6 of `Unit::ratio` that is still below 1.7·10^38, the most of an `i128`.
const MOST_EVIDENCE: i128 = 1_000_000_000_000;

/// What a marker has in a part, if anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Portion {
    /// The number of the part, as `part_of` gives it: a turn, a side, a run or a window.
    pub(crate) part: usize,
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
        let mut worths: Vec<(usize, Unit)> = Vec::new();
        for of_line in of_marker.chunk_by(|a, b| a.line == b.line) {
            let counted = of_line.iter().filter(|candidate| candidate.failed == 0);
            let in_parts =
                counted.filter_map(|candidate| Some((part_of(candidate.turn as usize)?, candidate)));
            let mut in_parts: Vec<(usize, &Candidate)> = in_parts.collect();
            // Stable: within a part, uses are counted in the order of the text.
            in_parts.sort_by_key(|(part, _)| *part);
            for of_part in in_parts.chunk_by(|(a, _), (b, _)| a == b) {
                let worth = |(uses, (part, candidate)): (u32, &(usize, &Candidate))| {
                    (*part, worth(&plan.protocol.markers[marker], candidate, uses))
                };
                worths.extend((0..).zip(of_part).map(worth));
            }
        }
        // Only their sum is asked for, so the order within a part does not matter.
        worths.sort_unstable_by_key(|(part, _)| *part);
        let sums = worths.chunk_by(|(a, _), (b, _)| a == b);
        let sums = sums.map(|of_part| {
            (of_part[0].0, of_part.iter().map(|(_, worth)| i128::from(worth.0)).sum::<i128>())
        });
        let positive = sums.filter(|(_, sum)| *sum > 0);
        portions.extend(positive.map(|(part, sum)| Portion {
            part,
            marker,
            evidence: Unit(sum.min(MOST_EVIDENCE) as i64),
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
