//! `except`: the stretches of a turn in which a marker finds no evidence.

use crate::matcher::{Hit, TurnText, extent};
use crate::sensor::{Owner, Plan};
use std::ops::Range;

/// The excluded stretches of a turn: by marker, then place; those of one marker never touch. Stretches that touch are made one,
/// which changes no answer and leaves starts and ends in the same order, so that one search by halves finds an overlap.
pub(super) struct Exclusions {
    stretches: Vec<(u32, Range<usize>)>,
}

impl Exclusions {
    pub(super) fn of(plan: &Plan, turn: &TurnText<'_>, hits: &[Hit]) -> Self {
        let mut all: Vec<(u32, Range<usize>)> = Vec::new();
        for hit in hits {
            if let Owner::Except { marker } = plan.rules[hit.rule as usize].owner {
                all.push((marker, extent(plan, turn, hit)));
            }
        }
        all.sort_unstable_by_key(|(marker, range)| (*marker, range.start, range.end));
        let mut stretches: Vec<(u32, Range<usize>)> = Vec::with_capacity(all.len());
        for (marker, range) in all {
            match stretches.last_mut() {
                Some((m, last)) if *m == marker && range.start <= last.end => {
                    last.end = last.end.max(range.end)
                }
                _ => stretches.push((marker, range)),
            }
        }
        Self { stretches }
    }

    /// Whether an exclusion of `marker` overlaps `range`.
    pub(super) fn overlap(&self, marker: u32, range: &Range<usize>) -> bool {
        let at = self.stretches.partition_point(|(m, r)| (*m, r.end) <= (marker, range.start));
        self.stretches.get(at).is_some_and(|(m, r)| *m == marker && r.start < range.end)
    }
}
