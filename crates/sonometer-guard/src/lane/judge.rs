//! Rules that read an answer as it comes: those that end it, for which text waits until they have settled, and those that measure it.

use super::text::engine;
use crate::blocked::{Blocked, Kind};
use crate::guard::Judge;
use crate::policy::{Action, Limits, On};
use crate::report::{Report, Sensed};
use sonometer::protocol::Modality;
use sonometer::{Error, Event, Instrument, Reading, Session, SessionOptions, Unit};

/// The most readings of one exchange that are reported: an answer may have thousands of texts, and its headers are to arrive.
const MOST_SENSED: usize = 256;
/// The most pieces of evidence whose places are reported.
const MOST_PLACES: usize = 20;
/// Up to so many bytes of a text a rule is asked at every place that settles. Each asking reads all of the text so far.
const ASKED_AT_EACH: usize = 16 << 10;
/// Beyond that it is asked once for each such part of the text, so that all askings together read it about so many times, and not with the
/// square of its length.
const PART: usize = 32;

/// One rule that reads an answer as it comes.
#[derive(Clone)]
pub(super) struct Judging {
    session: Session,
    /// Up to where it has nothing against the text.
    passed: usize,
    /// The most bytes that may wait for it to be asked.
    most_waiting: usize,
    /// Whether no verdict changes without an event, so that it need not be asked for: a reading costs all of the text so far.
    reports_all: bool,
    has_news: bool,
    markers: Vec<String>,
    at_least: Option<Unit>,
    at_most: Option<Unit>,
    name: String,
}

impl Judging {
    pub(super) fn of(judge: &Judge, limits: Limits) -> Result<Self, Blocked> {
        Ok(Self {
            session: begin(&judge.instrument)?,
            passed: 0,
            // The other half is for what waits to settle.
            most_waiting: limits.held_bytes / 2,
            reports_all: reports_all(&judge.instrument),
            has_news: true,
            markers: judge.markers.clone(),
            at_least: judge.at_least,
            at_most: judge.at_most,
            name: judge.name.clone(),
        })
    }

    /// Reads on. Gives the place up to which the rule has nothing against the text.
    pub(super) fn push(&mut self, text: &str) -> Result<usize, Blocked> {
        let step = self.session.push(text.as_bytes()).map_err(|error| engine(&error))?;
        let is_news = |event: &Event| matches!(event, Event::Resonance { .. } | Event::Fidelity(_));
        self.has_news |= !self.reports_all || step.events.iter().any(is_news);
        let settled = step.settled_to.offset;
        let is_due = settled >= self.passed + self.step_at(settled);
        if self.has_news && is_due {
            let reading = self.session.so_far().map_err(|error| engine(&error))?;
            self.check(&reading)?;
            self.has_news = false;
        }
        if !self.has_news {
            self.passed = settled;
        }
        Ok(self.passed)
    }

    /// How many bytes are to settle before it is asked again.
    fn step_at(&self, settled: usize) -> usize {
        match settled > ASKED_AT_EACH {
            true => (settled / PART).min(self.most_waiting).max(1),
            false => 1,
        }
    }

    pub(super) fn finish(&mut self) -> Result<(), Blocked> {
        let reading = self.session.so_far().map_err(|error| engine(&error))?;
        self.check(&reading)
    }

    fn check(&self, reading: &Reading) -> Result<(), Blocked> {
        match applies(reading, &self.markers, self.at_least, self.at_most) {
            true => Err(refused(&self.name)),
            false => Ok(()),
        }
    }
}

/// One rule that measures an answer.
#[derive(Clone)]
pub(super) struct Measuring {
    session: Session,
    /// The rule's number.
    pub(super) rule: usize,
}

impl Measuring {
    pub(super) fn of(rule: usize, judge: &Judge) -> Result<Self, Blocked> {
        Ok(Self { session: begin(&judge.instrument)?, rule })
    }

    pub(super) fn push(&mut self, text: &str) -> Result<(), Blocked> {
        self.session.push(text.as_bytes()).map(drop).map_err(|error| engine(&error))
    }

    pub(super) fn finish(&mut self) -> Result<Reading, Blocked> {
        let end = self.session.end().and_then(|_| self.session.so_far());
        end.map_err(|error| engine(&error))
    }
}

/// A session for what a model says: a text, or the one turn of a conversation where the instrument reads nothing else.
fn begin(instrument: &Instrument) -> Result<Session, Blocked> {
    let mut session = instrument.session(SessionOptions::default());
    if !instrument.modalities().contains(&Modality::Text) {
        session.begin_segment("assistant", None).map_err(|error: Error| engine(&error))?;
    }
    Ok(session)
}

/// Notes what a rule that lets text pass has measured.
pub(crate) fn note(judge: &Judge, on: On, reading: &Reading, report: &mut Report) {
    match judge.action {
        Action::Tag => {
            let is_met = applies(reading, &judge.markers, judge.at_least, judge.at_most);
            if is_met && !report.tags.contains(&judge.name) {
                report.tags.push(judge.name.clone());
            }
        }
        Action::Sense if report.sensed.len() < MOST_SENSED => report.sensed.push(Sensed {
            on,
            target: judge.instrument.id().to_owned(),
            version: judge.instrument.version().to_owned(),
            digest: judge.digest.clone(),
            score: reading.score(),
            triggered: reading.triggered().map(str::to_owned).collect(),
            places: reading.places(MOST_PLACES),
        }),
        Action::Sense | Action::Block | Action::Mask | Action::Replace => {}
    }
}

/// Whether sessions of an instrument report every change of its markers: a rate or a share changes with words in which nothing is found.
fn reports_all(instrument: &Instrument) -> bool {
    let markers = instrument.sensors().iter().flat_map(|sensor| &sensor.protocol().markers);
    markers.into_iter().all(|marker| {
        marker.per.is_none()
            && marker.share.is_none()
            && marker.scope.is_none()
            && marker.ratio.is_none()
            && marker.absence.is_none()
    })
}

pub(crate) fn refused(name: &str) -> Blocked {
    Blocked::new(Kind::Rule, format!("a rule about `{name}` refuses it"))
}

/// Whether a rule applies to what was measured. Nothing applies where there was too little to measure.
pub(crate) fn applies(
    reading: &Reading,
    markers: &[String],
    at_least: Option<Unit>,
    at_most: Option<Unit>,
) -> bool {
    if reading.score().is_none() {
        return false;
    }
    let is_meant = |key: &str| {
        markers.is_empty() || markers.iter().any(|name| name == key || key.rsplit('/').next() == Some(name))
    };
    let within =
        |score: Unit| at_least.is_none_or(|least| score >= least) && at_most.is_none_or(|most| score <= most);
    match (markers.is_empty(), at_least.is_some() || at_most.is_some()) {
        (_, false) => reading.triggered().any(is_meant),
        (true, true) => reading.score().is_some_and(within),
        (false, true) => reading.resonance().any(|(key, found)| is_meant(key) && within(found.activation)),
    }
}
