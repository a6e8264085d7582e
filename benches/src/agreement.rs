//! Whether the engine and the reference found the same, and if not, why.

use crate::baseline::Baseline;
use crate::corpus::Corpus;
use crate::patterns::PatternSet;
use crate::peers::Span;
use sonometer::Sensor;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Matches of a set of plain phrases in a corpus, counted by who found them and why the other did not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Found by both.
    pub both: usize,
    /// By the reference only, inside a longer word (`i don` in "I don't").
    pub inside_a_word: usize,
    /// By the reference only, beside a character that is not ASCII (it may be a letter, which the reference cannot tell).
    pub beside_other_script: usize,
    /// By the reference only, overlapping an earlier match of the same phrase (`ha ha` in "ha ha ha").
    pub overlapping_itself: usize,
    /// By the engine only, written with other spaces, line ends, apostrophes or signs between the words.
    pub written_otherwise: usize,
    /// Differences nothing explains. There must be none.
    pub unexplained: Vec<String>,
}

impl Agreement {
    /// Compares a whole corpus.
    pub fn of(corpus: &Corpus, set: &PatternSet, sensor: &Sensor, baseline: &Baseline) -> Self {
        let mut agreement = Self::default();
        let markers: BTreeMap<String, usize> =
            (0..set.markers).map(|marker| (set.label(marker), marker)).collect();
        let phrases: BTreeSet<(usize, &str)> =
            set.lines.iter().enumerate().map(|(line, text)| (set.marker_of(line), text.as_str())).collect();
        for interaction in &corpus.interactions {
            let reading = sensor.sense(interaction).expect("the sets read texts and transcripts");
            let mut ours: Vec<BTreeSet<Place>> = vec![BTreeSet::new(); interaction.turns().len()];
            for found in reading.evidence() {
                ours[found.turn].insert((markers[found.metamarker], found.range.start, found.range.end));
            }
            for (turn, ours) in interaction.turns().iter().zip(&mut ours) {
                agreement.compare(&turn.content, set, baseline, &phrases, ours);
            }
        }
        agreement
    }

    fn compare(
        &mut self,
        text: &str,
        set: &PatternSet,
        baseline: &Baseline,
        phrases: &BTreeSet<(usize, &str)>,
        ours: &BTreeSet<Place>,
    ) {
        let mut spans = Vec::new();
        baseline.find(text, &mut spans);
        let theirs: BTreeSet<Place> =
            spans.iter().map(|span| (set.marker_of(span.phrase), span.start, span.end)).collect();
        for span in &spans {
            let place = (set.marker_of(span.phrase), span.start, span.end);
            if ours.contains(&place) {
                self.both += 1;
            } else if joins(text, span) {
                self.inside_a_word += 1;
            } else if is_beside_other_script(text, span) {
                self.beside_other_script += 1;
            } else if overlaps_itself(text, &place, ours) {
                self.overlapping_itself += 1;
            } else {
                self.unexplained.push(format!("only the reference found {:?}", &text[span.start..span.end]));
            }
        }
        for place in ours.difference(&theirs) {
            let found = &text[place.1..place.2];
            if phrases.contains(&(place.0, &*found.to_ascii_lowercase())) {
                self.unexplained.push(format!("only the engine found {found:?}"));
            } else {
                self.written_otherwise += 1;
            }
        }
    }
}

/// Marker, first byte, one past the last byte.
type Place = (usize, usize, usize);

/// Whether an apostrophe joins the match to a letter before or after it.
fn joins(text: &str, span: &Span) -> bool {
    let bytes = text.as_bytes();
    let is = |at: usize, wanted: fn(&u8) -> bool| bytes.get(at).is_some_and(wanted);
    let apostrophe = |b: &u8| *b == b'\'';
    is(span.end, apostrophe) && is(span.end + 1, u8::is_ascii_alphabetic)
        || is(span.start.wrapping_sub(1), apostrophe)
            && is(span.start.wrapping_sub(2), u8::is_ascii_alphabetic)
}

fn is_beside_other_script(text: &str, span: &Span) -> bool {
    let before = text[..span.start].chars().rev().take(2).any(|c| !c.is_ascii());
    before || text[span.end..].chars().take(2).any(|c| !c.is_ascii())
}

fn overlaps_itself(text: &str, place: &Place, ours: &BTreeSet<Place>) -> bool {
    let &(marker, start, end) = place;
    let same =
        |other: &&Place| text[other.1..other.2].eq_ignore_ascii_case(&text[start..end]) && other.2 > start;
    ours.range((marker, 0, 0)..(marker, start, 0)).any(|other| same(&other))
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "both {}; reference only: inside a word {}, beside another script {}, overlapping itself {}; \
             engine only: written otherwise {}; unexplained {}",
            self.both,
            self.inside_a_word,
            self.beside_other_script,
            self.overlapping_itself,
            self.written_otherwise,
            self.unexplained.len()
        )
    }
}
