//! What was said, with what was found in it.

use crate::cited::{Cited, cited};
use crate::paint::Tone;
use sonometer::protocol::Effect;
use sonometer::{Reading, Unit};
use std::collections::BTreeMap;
use std::ops::Range;

/// The turns of a reading with places marked. Only what the reading may show is shown: what its protocols mask stays masked.
#[derive(Debug)]
pub struct Talk<'r> {
    /// The reading.
    pub reading: &'r Reading,
    /// The places.
    pub marks: Vec<Mark<'r>>,
    /// The turn that is meant; `None`: all of them.
    pub judged: Option<usize>,
    /// What nearly triggered.
    pub near: Vec<String>,
    /// Whether every turn is shown, or those around the marks.
    pub whole: bool,
    /// Whether the score of each place stands under its turn.
    pub scores: bool,
    /// Whether a terminal leaves it out.
    pub page_only: bool,
}

/// A place that is marked.
#[derive(Clone, Debug)]
pub struct Mark<'r> {
    /// The turn.
    pub turn: usize,
    /// Bytes of the turn as it was written.
    pub range: Range<usize>,
    /// What it means.
    pub tone: Tone,
    /// What was found: the label of a marker.
    pub label: &'r str,
    /// What it adds, if that is known.
    pub score: Option<Unit>,
    /// Whether it began in an earlier turn.
    pub goes_on: bool,
}

impl Mark<'_> {
    /// `gratitude 0.5`
    pub fn title(&self) -> String {
        match self.score {
            Some(score) => format!("{} {score}", self.label),
            None => self.label.to_owned(),
        }
    }
}

impl<'r> Talk<'r> {
    /// These places of a reading.
    pub fn with(reading: &'r Reading, marks: Vec<Mark<'r>>) -> Self {
        Self { reading, marks, judged: None, near: Vec::new(), whole: false, scores: false, page_only: false }
    }

    /// All evidence of a reading, in the tones of its markers; evidence that spans turns in each of them.
    pub fn of(reading: &'r Reading) -> Self {
        let tones = tones(reading);
        let mut marks = Vec::new();
        for Cited { marker: label, evidence, .. } in cited(reading) {
            let tone = tones.get(label).copied().unwrap_or_default();
            let Range { start, end } = evidence.range;
            let (turn, score) = (evidence.turn, Some(evidence.score));
            marks.push(Mark { turn, range: start..end, tone, label, score, goes_on: false });
            marks.extend(evidence.joined.iter().map(|stretch| Mark {
                turn: stretch.turn,
                range: stretch.range.clone(),
                tone,
                label,
                score: None,
                goes_on: true,
            }));
        }
        marks.sort_by_key(|mark| (mark.turn, mark.range.start, mark.range.end));
        Self::with(reading, marks)
    }

    /// The marks of a turn, by place.
    pub(crate) fn marks_of(&self, turn: usize) -> Vec<&Mark<'r>> {
        let mut own: Vec<&Mark<'r>> = self.marks.iter().filter(|mark| mark.turn == turn).collect();
        own.sort_by_key(|mark| (mark.range.start, mark.range.end));
        own
    }
}

/// The tone of each marker that resonates, by its label in evidence: markers that mean the same are told apart.
pub fn tones(reading: &Reading) -> BTreeMap<&str, Tone> {
    let (mut good, mut bad) = (0, 0);
    let mut tones = BTreeMap::new();
    let parts = reading
        .parts()
        .iter()
        .flat_map(|part| part.protocol().markers.iter().map(move |marker| (part.protocol(), marker)));
    for ((protocol, marker), (label, resonance)) in parts.zip(reading.resonance()) {
        if resonance.activation == Unit::ZERO {
            continue;
        }
        let effect = protocol.effect_of(marker);
        let nth = match effect {
            Effect::Improves => &mut good,
            Effect::Worsens => &mut bad,
        };
        tones.insert(label, Tone::Marker(effect, *nth));
        *nth += 1;
    }
    tones
}
