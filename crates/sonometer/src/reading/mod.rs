//! The one result of sensing, and its one JSON form.

mod write;

pub(crate) use write::write_ics;

use crate::evidence::Candidate;
use crate::evidence::window::{self, Joined};
use crate::fidelity::Fidelity;
use crate::ics::Ics;
use crate::interaction::Interaction;
use crate::json::Json;
use crate::mask::Cover;
use crate::profile::View;
use crate::protocol::Protocol;
use crate::resonance::Resonance;
use crate::sensor::Sensor;
use crate::text::compose::Ways;
use crate::unit::Unit;
use crate::weak::Near;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// What a sensor found in an interaction. A [`View`] only shows more or less of it.
#[derive(Clone, Debug)]
pub struct Reading {
    pub(crate) sensor: Sensor,
    pub(crate) interaction: Interaction,
    pub(crate) score: Unit,
    /// The markers that have candidates or a bias, in the order of the protocol; the others are silent.
    pub(crate) resonances: Vec<(u32, Resonance)>,
    /// All candidates, by marker, line and place.
    pub(crate) candidates: Vec<Candidate>,
    /// Where those over several turns go on.
    pub(crate) joined: Joined,
    /// Places of candidates are in composed turns; these lead back to the turns of the interaction.
    pub(crate) ways: Ways,
    /// Those of triggered markers that add something, in the order of the text.
    pub(crate) evidence: Vec<Candidate>,
    /// What each marker that did not trigger missed most narrowly, in the order of the protocol.
    pub(crate) near_misses: Vec<Near>,
    /// What is hidden wherever text is shown; `None` if nothing is.
    pub(crate) cover: Option<Arc<Cover>>,
    pub(crate) fidelity: Fidelity,
    /// Whether it was measured at all: the content is sufficient, or nobody asks.
    pub(crate) measured: bool,
    /// The words of each turn; only on SGM 1.5.
    pub(crate) turn_words: Vec<u64>,
    /// What each of `resonances` would be without a match; only on SGM 1.5.
    pub(crate) rests: Vec<Resonance>,
    pub(crate) ics: Ics,
}

/// A match that adds to its marker, or takes away from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence<'r> {
    /// The label of the metamarker.
    pub metamarker: &'r str,
    /// What it adds to its marker, above 0, at most 1; below 0 in [`Reading::against`].
    pub score: Unit,
    /// The turn it stands in, from 0.
    pub turn: usize,
    /// Bytes of that turn's content.
    pub range: Range<usize>,
    /// Where it goes on in later turns, for metamarkers with `join`.
    pub joined: Vec<Stretch>,
    /// The matched text, masked where the protocol says so; that of several turns joined by line breaks.
    pub source: Cow<'r, str>,
}

/// A stretch of one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The turn, from 0.
    pub turn: usize,
    /// Bytes of that turn's content.
    pub range: Range<usize>,
}

impl Reading {
    /// The protocol that was sensed.
    pub fn protocol(&self) -> &Protocol {
        self.sensor.protocol()
    }

    /// The interaction that was sensed.
    pub fn interaction(&self) -> &Interaction {
        &self.interaction
    }

    /// The overall score, 0 to 1; `None` when the content is insufficient: nothing was measured.
    pub fn score(&self) -> Option<Unit> {
        self.measured.then_some(self.score)
    }

    /// Every marker's label with what it came to, in the order of the protocol.
    pub fn resonance(&self) -> impl Iterator<Item = (&str, Resonance)> {
        let mut worked = self.resonances.iter().peekable();
        (0..).zip(&self.protocol().markers).map(move |(number, marker)| {
            let found = worked.next_if(|(at, _)| *at == number);
            (marker.label.as_str(), found.map_or_else(Resonance::default, |(_, resonance)| *resonance))
        })
    }

    /// The markers that triggered, in the order of the protocol: what [`Reading::ics`] counts.
    pub fn triggered(&self) -> impl Iterator<Item = &str> {
        let triggered = self.resonances.iter().filter(|(_, resonance)| resonance.triggered);
        triggered.map(|(marker, _)| self.label(*marker))
    }

    /// What triggered markers: the evidence of those that triggered, in the order of the text.
    pub fn evidence(&self) -> impl Iterator<Item = Evidence<'_>> {
        self.evidence.iter().map(|found| self.evidence_of(found, self.label(found.marker)))
    }

    /// What counts against a marker, by the negative weights of its lines, in the order of the text.
    pub fn against(&self) -> impl Iterator<Item = Evidence<'_>> {
        let found = self.candidates_against().into_iter();
        found.map(|found| self.evidence_of(found, self.label(found.marker)))
    }

    /// How far the reading can be trusted.
    pub fn fidelity(&self) -> Fidelity {
        self.fidelity.clone()
    }

    /// What it consumed.
    pub fn ics(&self) -> Ics {
        self.ics
    }

    /// The same reading at another price: what it costs may depend on an account that only a service knows.
    #[must_use]
    pub fn with_cost(mut self, cost_usd: Unit) -> Self {
        self.ics.cost_usd = cost_usd;
        self
    }

    /// The protocol's name of who speaks in a turn; `None` for a plain text.
    pub fn actant(&self, turn: usize) -> Option<String> {
        let role = self.interaction.turns()[turn].role.as_deref();
        role.map(|role| self.sensor.plan().role_name(role))
    }

    /// The content of a turn with everything hidden that a mask covers.
    pub fn masked_turn(&self, turn: usize) -> Cow<'_, str> {
        self.shown(turn as u32, 0..self.interaction.turns()[turn].content.len())
    }

    /// What is shown for each character of a turn, one after the other: the character itself, what stands for it, or nothing
    /// where what stands for it has been shown. Together they are [`Reading::masked_turn`].
    pub fn masked_characters(&self, turn: usize) -> Vec<Cow<'_, str>> {
        self.cover().by_character(turn as u32, &self.interaction.turns()[turn].content)
    }

    /// The canonical JSON of a view: the same bytes from every door.
    pub fn to_json(&self, view: View<'_>) -> String {
        let mut json = Json::with_capacity(self.json_size());
        json.object(|json| self.write(json, view));
        json.into_text()
    }

    pub(crate) fn label(&self, marker: u32) -> &str {
        &self.protocol().markers[marker as usize].label
    }

    /// The candidates that take away from their marker, in the order of the text.
    pub(crate) fn candidates_against(&self) -> Vec<&Candidate> {
        let mut against: Vec<&Candidate> =
            self.candidates.iter().filter(|candidate| candidate.contribution < Unit::ZERO).collect();
        against.sort_by_key(|candidate| candidate.in_text());
        against
    }

    /// A match as evidence of a marker that is called `metamarker`.
    pub(crate) fn evidence_of<'r>(&'r self, found: &Candidate, metamarker: &'r str) -> Evidence<'r> {
        Evidence {
            metamarker,
            score: found.contribution.min(Unit::ONE),
            turn: found.turn as usize,
            range: self.range(found),
            joined: self.joined_to(found),
            source: self.source(found),
        }
    }

    /// The bytes of its turn where a match, or the first stretch of it, stands.
    pub(crate) fn range(&self, found: &Candidate) -> Range<usize> {
        self.ways.back(found.turn, found.range())
    }

    /// The stretches of a match beyond the first.
    pub(crate) fn joined_to(&self, found: &Candidate) -> Vec<Stretch> {
        let stretch =
            |s: &window::Stretch| Stretch { turn: s.turn as usize, range: self.ways.back(s.turn, s.range()) };
        self.joined.further(found).iter().map(stretch).collect()
    }

    /// The text of a match as it may be shown.
    pub(crate) fn source(&self, found: &Candidate) -> Cow<'_, str> {
        self.by_turn(found, |stretch| self.shown(stretch.turn, self.ways.back(stretch.turn, stretch.range())))
    }

    /// Something of each turn of a match, joined by line breaks.
    fn by_turn<'r>(
        &'r self,
        found: &Candidate,
        text: impl Fn(window::Stretch) -> Cow<'r, str>,
    ) -> Cow<'r, str> {
        let mut stretches = self.joined.place(found).map(text);
        let first = stretches.next().unwrap_or_default();
        stretches.fold(first, |all, next| all + "\n" + next)
    }

    pub(crate) fn cover(&self) -> &Cover {
        static NOTHING: Cover = Cover::nothing();
        self.cover.as_deref().unwrap_or(&NOTHING)
    }

    /// Bytes of a turn as they may be shown.
    pub(crate) fn shown(&self, turn: u32, range: Range<usize>) -> Cow<'_, str> {
        self.cover().show(turn, &self.interaction.turns()[turn as usize].content, range)
    }
}

impl Candidate {
    /// Its place in the order of the text; where two stand at one place, the marker and the line decide.
    pub(crate) fn in_text(&self) -> (u32, u32, u32, u32, u32) {
        (self.turn, self.start, self.end, self.marker, self.line)
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
