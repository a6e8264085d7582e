//! The worst errors: the false positives that rank highest and the false negatives that rank lowest, with what was found.

use super::measure::Case;
use super::question::{Basis, Question};
use super::sensed::sense;
use crate::Error;
use crate::labels::{Item, Labelled};
use sonometer::{Evidence, Reading, Sensor, WeakSignal};
use std::cmp::Reverse;

/// The errors of one sign.
#[derive(Clone, Debug)]
pub(crate) struct Errors {
    /// How many there are.
    pub(crate) count: usize,
    /// The worst of them.
    pub(crate) worst: Vec<Wrong>,
}

/// One error.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) case: Case,
    pub(crate) item: Item,
    pub(crate) reading: Reading,
    /// Whether the computation of the reading is shown with it.
    pub(crate) explained: bool,
    /// Whose evidence is shown: by the place of the marker in the protocol.
    shown: Vec<bool>,
}

/// Weak signals shown with an error.
const NEAREST: usize = 3;

impl Wrong {
    /// The evidence that speaks to the question, in the order of the text.
    pub(crate) fn evidence(&self) -> Vec<Evidence<'_>> {
        let here = |found: &Evidence<'_>| self.case.segment.is_none_or(|segment| segment == found.turn);
        let asked = |found: &Evidence<'_>| {
            let markers = &self.reading.protocol().markers;
            markers.iter().zip(&self.shown).any(|(marker, shown)| *shown && marker.label == found.metamarker)
        };
        self.reading.evidence().filter(here).filter(asked).collect()
    }

    /// What nearly triggered, the nearest first, each marker once. Weak signals are of whole interactions.
    pub(crate) fn nearest(&self) -> Vec<WeakSignal<'_>> {
        let mut nearest: Vec<WeakSignal<'_>> = Vec::new();
        let whole = self.case.segment.is_none();
        for weak in self.reading.weak_signals().filter(|weak| whole && self.shown[weak.marker]) {
            if nearest.len() < NEAREST && nearest.iter().all(|nearer| nearer.marker != weak.marker) {
                nearest.push(weak);
            }
        }
        nearest
    }
}

/// The worst false positives and false negatives, at most so many of each; of equal ones, the first of the data.
pub(crate) fn worst(
    sensor: &Sensor,
    question: &Question,
    labels: &Labelled,
    items: &[Item],
    cases: &[Case],
    (most, explained): (usize, bool),
) -> Result<[Errors; 2], Error> {
    // A score rests on all markers, also on those that speak against.
    let shown = match question.basis {
        Basis::Markers => question.asked.clone(),
        Basis::Score | Basis::Complement => vec![true; question.asked.len()],
    };
    let of = |truth: bool| {
        let mut wrong: Vec<&Case> =
            cases.iter().filter(|case| case.truth == truth && case.predicted != truth).collect();
        match truth {
            true => wrong.sort_by_key(|case| case.value),
            false => wrong.sort_by_key(|case| Reverse(case.value)),
        }
        let count = wrong.len();
        let worst = wrong.into_iter().take(most).map(|case| {
            let item = items[case.item].clone();
            let reading = sense(sensor, labels, &item)?;
            Ok(Wrong { case: *case, item, reading, explained, shown: shown.clone() })
        });
        Ok(Errors { count, worst: worst.collect::<Result<_, Error>>()? })
    };
    Ok([of(false)?, of(true)?])
}
