//! What many talks came to. Talks are counted one by one and forgotten: memory holds sums, and the numbers of the few talks that are
//! shown. These are read and sensed once more, which gives the same readings.

mod course;
mod drawings;
mod figures;
mod groups;
mod picks;
mod reasons;
mod scores;
mod sheet;
mod speakers;

use crate::names::{Hidden, Names};
use course::Course;
use groups::Groups;
use picks::{Picks, SHOWN};
use reasons::Reasons;
pub(crate) use reasons::insufficient;
use scores::Scores;
use sonometer::protocol::{Better, Effect};
use sonometer::{Error, Instrument, Reading, Unit};
use speakers::Speakers;
use std::fmt;

/// Parts that a talk is cut into, to see where evidence stands.
const TENTHS: usize = 10;

/// One talk of a corpus, as it comes in.
#[derive(Clone, Copy, Debug)]
pub struct Heard<'t> {
    /// Its id, or where it was read; may be empty.
    pub name: &'t str,
    /// The value by which it is grouped, where talks are grouped.
    pub group: Option<&'t str>,
    /// What was sensed, or why nothing was.
    pub outcome: Result<&'t Reading, &'t Error>,
}

/// A talk that is shown.
#[derive(Debug)]
pub struct Picked {
    /// Its place among all talks, from 0, as [`Corpus::wanted`] gave it.
    pub number: u64,
    /// Its name, as it came in.
    pub name: String,
    /// What was sensed.
    pub reading: Reading,
}

/// Sums over talks, in the order in which they come in.
pub struct Corpus<'i> {
    instrument: &'i Instrument,
    effects: Vec<Effect>,
    names: Names,
    /// What the talks are grouped by.
    by: Option<String>,
    items: u64,
    insufficient: Reasons,
    errors: Reasons,
    ics: u64,
    fidelity: i128,
    scores: Scores,
    markers: Vec<Found>,
    speakers: Speakers,
    groups: Groups,
    course: Course,
    tenths: [[u64; 2]; TENTHS],
    /// Talks that were cut into tenths.
    long: u64,
    turns: u64,
    picks: Picks,
    /// Names that may not be shown.
    withheld: u64,
    /// What some talk hides of the file that it is in.
    source: Option<String>,
    source_hidden: bool,
}

/// What a marker came to.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    triggered: u64,
    pieces: u64,
    /// The sum of its activations in millionths.
    activation: i128,
}

impl fmt::Debug for Corpus<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Corpus").field("items", &self.items).finish_non_exhaustive()
    }
}

impl<'i> Corpus<'i> {
    /// An empty corpus. `source`: what the talks are read from, as the heading names it; `by`: the column that they are grouped by.
    pub fn new(instrument: &'i Instrument, source: &str, by: Option<&str>) -> Self {
        Self {
            instrument,
            effects: instrument.effects().collect(),
            names: Names::of(instrument),
            by: by.map(str::to_owned),
            items: 0,
            insufficient: Reasons::default(),
            errors: Reasons::default(),
            ics: 0,
            fidelity: 0,
            scores: Scores::default(),
            markers: vec![Found::default(); instrument.markers().count()],
            speakers: Speakers::default(),
            groups: Groups::default(),
            course: Course::default(),
            tenths: [[0; 2]; TENTHS],
            long: 0,
            turns: 0,
            picks: Picks::default(),
            withheld: 0,
            source: (!source.is_empty()).then(|| source.to_owned()),
            source_hidden: false,
        }
    }

    /// How many talks came in.
    pub fn len(&self) -> u64 {
        self.items
    }

    /// Whether none did.
    pub fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// Counts a talk.
    pub fn add(&mut self, talk: Heard<'_>) {
        let number = self.items;
        self.items += 1;
        let hidden = match talk.outcome {
            Ok(reading) if self.names.is_asked() => Hidden::of(reading),
            _ => Hidden::default(),
        };
        if let Some(source) = &self.source {
            self.source_hidden = self.source_hidden || !self.names.allows_beside(source, &hidden);
        }
        self.withheld += u64::from(!self.names.allows_beside(talk.name, &hidden));
        if self.by.is_some() {
            let score = talk.outcome.ok().and_then(|reading| reading.score().map(|score| (reading, score)));
            self.groups.add(talk.group, score, &mut self.names, &hidden);
        }
        match talk.outcome {
            Err(error) => self.errors.add(error.code.as_str(), &error.to_string(), &mut self.names),
            Ok(reading) => self.reading(number, reading, &hidden),
        }
    }

    fn reading(&mut self, number: u64, reading: &Reading, hidden: &Hidden) {
        self.ics += reading.ics().consumed;
        self.turns += reading.interaction().turns().len() as u64;
        let fidelity = reading.fidelity();
        let Some(score) = reading.score() else {
            let (why, detail) = reasons::insufficient(&fidelity);
            self.insufficient.add(why, &detail, &mut self.names);
            return;
        };
        self.fidelity += i128::from(fidelity.index.0);
        self.scores.add(score, number);
        self.picks.add(score, self.instrument.better(), number);
        if let Some(time) = reading.interaction().turns().first().and_then(|turn| turn.timestamp) {
            self.course.add(time, score);
        }
        for (own, (_, found)) in self.markers.iter_mut().zip(reading.resonance()) {
            own.triggered += u64::from(found.triggered);
            own.activation += i128::from(found.activation.0);
        }
        let turns = reading.interaction().turns().len();
        let is_long = turns >= TENTHS;
        self.long += u64::from(is_long);
        self.speakers.talk(reading, &mut self.names, hidden);
        for evidence in reading.evidence() {
            let marker = self.instrument.marker_number(evidence.part, evidence.marker);
            self.markers[marker].pieces += 1;
            let worsens = usize::from(self.effects[marker] == Effect::Worsens);
            if is_long {
                self.tenths[evidence.turn * TENTHS / turns][worsens] += 1;
            }
            self.speakers.evidence(reading.interaction().turns()[evidence.turn].role.as_deref(), worsens);
        }
    }

    /// The talks that are to be sensed once more because the report shows them, ascending.
    pub fn wanted(&self) -> Vec<u64> {
        let mut all: Vec<u64> = [self.picks.worst(), self.picks.best(), self.median()].concat();
        all.sort_unstable();
        all
    }

    /// The talks in the middle that are neither among the best nor the worst.
    fn median(&self) -> Vec<u64> {
        let (worst, best) = (self.picks.worst(), self.picks.best());
        self.scores.in_the_middle(SHOWN, |number| worst.contains(&number) || best.contains(&number))
    }

    fn measured(&self) -> u64 {
        self.scores.count()
    }

    fn better(&self) -> Better {
        self.instrument.better()
    }

    /// What the talks are read from, if that may be shown.
    fn source(&self) -> &str {
        match &self.source {
            None => "",
            Some(_) if self.source_hidden => "data whose name is not shown",
            Some(source) => source,
        }
    }

    /// The mean of a sum of millionths over all that was measured.
    fn mean(&self, sum: i128) -> Unit {
        Unit::ratio(sum, 1_000_000 * i128::from(self.measured().max(1)))
    }
}
