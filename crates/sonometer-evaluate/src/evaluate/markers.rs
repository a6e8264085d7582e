//! What each marker alone is worth against the positive class, so that its author sees which one helps and which one hurts.

use super::measure::{Case, Counts};
use super::question::{Basis, Question};
use super::sensed::Outcome;
use sonometer::Unit;
use sonometer::protocol::{Effect, Pole, Protocol};

/// One marker as a classifier of its own.
#[derive(Clone, Debug)]
pub(crate) struct MarkerFigures {
    pub(crate) label: String,
    pub(crate) pole: Pole,
    /// What finding it means for the score.
    pub(crate) effect: Effect,
    /// Whether the question asks it.
    pub(crate) asked: bool,
    /// Whether it raises the ranking value, lowers it, or does not touch it.
    pub(crate) pull: Option<bool>,
    /// Predicted: the marker is triggered (of a segment: has evidence in it).
    pub(crate) counts: Counts,
    /// Positive and negative cases that it triggers alone among the markers that are asked: what would change without it.
    pub(crate) alone_right: u64,
    pub(crate) alone_wrong: u64,
}

impl MarkerFigures {
    /// Whether it pulls cases to the wrong side: it raises the value, and its cases are less often positive than others; or the
    /// other way round.
    pub(crate) fn hurts(&self) -> bool {
        match (self.pull, self.counts.lift()) {
            (Some(true), Some(lift)) => lift < Unit::ONE,
            (Some(false), Some(lift)) => lift > Unit::ONE,
            _ => false,
        }
    }
}

/// Every marker, in the order of the protocol.
pub(crate) fn figures(
    protocol: &Protocol,
    question: &Question,
    outcomes: &[Outcome],
    cases: &[Case],
) -> Vec<MarkerFigures> {
    let new = |(marker, asked): (&sonometer::protocol::Marker, &bool)| MarkerFigures {
        label: marker.label.clone(),
        pole: marker.pole,
        effect: protocol.effect_of(marker),
        asked: *asked,
        pull: match question.basis {
            _ if *asked => Some(true),
            Basis::Score if marker.pole == Pole::Against => Some(false),
            _ => None,
        },
        counts: Counts::default(),
        alone_right: 0,
        alone_wrong: 0,
    };
    let mut figures: Vec<MarkerFigures> = protocol.markers.iter().zip(&question.asked).map(new).collect();
    for case in cases {
        let triggered = triggered(&outcomes[case.item], case.segment);
        for (at, figures) in figures.iter_mut().enumerate() {
            figures.counts.add(case.truth, triggered.contains(&at), 1);
        }
        let mut asked = triggered.iter().filter(|marker| question.asked[**marker]);
        if let (Some(alone), None) = (asked.next(), asked.next()) {
            let figures = &mut figures[*alone];
            *if case.truth { &mut figures.alone_right } else { &mut figures.alone_wrong } += 1;
        }
    }
    figures
}

/// The markers that speak in a case, each once.
fn triggered(outcome: &Outcome, segment: Option<usize>) -> Vec<usize> {
    match segment {
        None => {
            let triggered = outcome.markers.iter().filter(|(_, resonance)| resonance.triggered);
            triggered.map(|(marker, _)| *marker).collect()
        }
        Some(segment) => {
            let found = outcome.evidence.iter().filter(|found| found.turn == segment);
            let mut markers: Vec<usize> = found.map(|found| found.marker).collect();
            markers.sort_unstable();
            markers.dedup();
            markers
        }
    }
}
