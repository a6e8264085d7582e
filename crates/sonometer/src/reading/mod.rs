//! The one result of sensing, whatever was sensed by: what each protocol measured, put together.

mod columns;
mod ledger;
pub(crate) mod offset;
pub(crate) mod profile;
mod write;

pub use columns::{Columns, Further};
pub use ledger::{Ledger, MarkerEntry, MatchEntry, ScopeEntry};
pub use offset::OffsetUnit;
pub use profile::{Profile, View};

use crate::evidence::Candidate;
use crate::instrument::Instrument;
use crate::interaction::Interaction;
use crate::json::Json;
use crate::measure::actant::ActantFlow;
use crate::measure::fidelity::{self, Fidelity};
use crate::measure::hearing::Unheard;
use crate::measure::ics::Ics;
use crate::measure::resonance::Resonance;
use crate::measure::signal::Signal;
use crate::measure::temporal::Temporal;
use crate::measure::weak::{Near, WeakSignal};
use crate::measure::{Evidence, FlowOptions, Measured, SenseOptions, TemporalOptions};
use crate::protocol::Protocol;
use crate::unit::Unit;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::Write as _;
use std::ops::Range;

/// What an instrument found in an interaction. A [`View`] only shows more or less of it.
#[derive(Clone, Debug)]
pub struct Reading {
    instrument: Instrument,
    /// By sensor of the instrument; at least one.
    parts: Vec<Measured>,
    fidelity: Fidelity,
    ics: Ics,
}

impl Reading {
    /// Puts together what the sensors of an instrument measured in one interaction.
    pub(crate) fn new(instrument: Instrument, parts: Vec<Measured>, options: SenseOptions) -> Self {
        let fidelity = fidelity::together(parts.iter().map(Measured::fidelity));
        // A protocol that stands in several parts of a blueprint is sensed once, so its markers cost once.
        let triggered = parts.iter().flat_map(|part| &part.resonances).filter(|(_, found)| found.triggered);
        let ics = Ics::of(triggered.count(), options.usd_per_ics);
        Self { instrument, parts, fidelity, ics }
    }

    /// What it was sensed by.
    pub fn instrument(&self) -> &Instrument {
        &self.instrument
    }

    /// What each protocol measured, in the order of [`Instrument::sensors`]. There is at least one; what one of them masks none
    /// of them shows.
    pub fn parts(&self) -> &[Measured] {
        &self.parts
    }

    /// The protocol that was sensed; of a metric or a blueprint the first of its protocols, see [`Reading::parts`].
    pub fn protocol(&self) -> &Protocol {
        self.parts[0].protocol()
    }

    /// The interaction that was sensed.
    pub fn interaction(&self) -> &Interaction {
        &self.parts[0].interaction
    }

    /// The overall score, 0 to 1; `None` when the content is insufficient: nothing was measured.
    pub fn score(&self) -> Option<Unit> {
        self.instrument.score(|sensor| self.parts[sensor].score())
    }

    /// The score of a part, as [`Instrument::parts`] counts them; `None` when the content is insufficient.
    pub fn part_score(&self, part: usize) -> Option<Unit> {
        self.instrument.part_score(part, |sensor| self.parts[sensor].score())
    }

    /// How far the reading can be trusted: sufficient if it is for every protocol; the index is the least of those for
    /// which it is not, else of all.
    pub fn fidelity(&self) -> Fidelity {
        self.fidelity.clone()
    }

    /// What it consumed: one ICS (Interaction Computed Signal) for each triggered marker of each protocol, however many parts of a
    /// blueprint share it.
    pub fn ics(&self) -> Ics {
        self.ics
    }

    /// The same reading at another price: what it costs may depend on an account that only a service knows.
    #[must_use]
    pub fn with_cost(mut self, cost_usd: Unit) -> Self {
        self.ics.cost_usd = cost_usd;
        self
    }

    /// Every marker's key (its label, or that of [`Instrument::key`]) with what it came to, in the order of
    /// [`Instrument::markers`].
    pub fn resonance(&self) -> impl Iterator<Item = (&str, Resonance)> {
        self.parts.iter().enumerate().flat_map(move |(at, part)| {
            (0..)
                .zip(part.resonance())
                .map(move |(marker, (_, found))| (self.instrument.key(at, marker), found))
        })
    }

    /// The keys of the markers that triggered, in the order of [`Instrument::markers`]: what [`Reading::ics`] counts.
    pub fn triggered(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().enumerate().flat_map(move |(at, part)| {
            let triggered = part.resonances.iter().filter(|(_, resonance)| resonance.triggered);
            triggered.map(move |(marker, _)| self.instrument.key(at, *marker as usize))
        })
    }

    /// What triggered markers: the evidence of those that triggered, in the order of the text, then of the protocols.
    pub fn evidence(&self) -> impl Iterator<Item = Evidence<'_>> {
        self.found().into_iter().map(|(at, found)| self.evidence_of(at, found))
    }

    /// Where the evidence is, in a line: metamarkers with turn and code points, such as `gratitude 0:0-9, tact 1:4-11`; of more pieces
    /// than `most`, how many more there are. It holds no text.
    pub fn places(&self, most: usize) -> String {
        let mut places = String::new();
        let found = self.evidence().count();
        for piece in self.evidence().take(most) {
            let content = &self.interaction().turns()[piece.turn].content;
            let points = |end: usize| content.get(..end).map_or(0, |before| before.chars().count());
            let (start, end) = (points(piece.range.start), points(piece.range.end));
            let comma = if places.is_empty() { "" } else { ", " };
            let _ = write!(places, "{comma}{} {}:{start}-{end}", piece.metamarker, piece.turn);
        }
        if found > most {
            let _ = write!(places, ", {} more", found - most);
        }
        places
    }

    /// What counts against a marker, by the negative weights of its lines, in the order of the text, then of the protocols.
    pub fn against(&self) -> impl Iterator<Item = Evidence<'_>> {
        self.found_against().into_iter().map(|(at, found)| self.evidence_of(at, found))
    }

    /// What the markers that did not trigger have found, and what each of them missed most narrowly; the nearest first.
    pub fn weak_signals(&self) -> impl Iterator<Item = WeakSignal<'_>> {
        self.near().into_iter().map(|(at, near)| {
            let key = self.instrument.key(at, near.marker as usize);
            self.parts[at].weak_signal(at, &near, key)
        })
    }

    /// The markers that could hear nobody, in the order of [`Instrument::markers`]; none where nothing was measured.
    pub fn unheard(&self) -> impl Iterator<Item = Unheard<'_>> {
        self.parts.iter().enumerate().flat_map(move |(at, part)| {
            let all = part.markers_in_vain().into_iter();
            all.map(move |(marker, roles)| Unheard {
                metamarker: self.instrument.key(at, marker as usize),
                roles,
            })
        })
    }

    /// The signal of a protocol on SGM 1.5 (SGM: the version of the measuring rules); `None` of others, of metrics and of
    /// blueprints.
    pub fn signal(&self) -> Option<Signal<'_>> {
        self.only()?.signal()
    }

    /// The actant flow of a protocol on SGM 1.5; `None` of others, of metrics and of blueprints.
    pub fn actant_flow(&self, options: FlowOptions<'_>) -> Option<ActantFlow<'_>> {
        self.only()?.actant_flow(options)
    }

    /// The temporal analysis of a protocol on SGM 1.5; `None` of others, of metrics and of blueprints.
    pub fn temporal(&self, options: TemporalOptions) -> Option<Temporal> {
        self.only()?.temporal(options)
    }

    /// The computation of a protocol's reading, for the owner of the protocol; that of a metric or a blueprint has one for each of
    /// [`Reading::parts`], and here that of the first.
    pub fn ledger(&self) -> Ledger<'_> {
        self.parts[0].ledger()
    }

    /// The name of who speaks in a turn, as the first protocol calls it; `None` for a plain text.
    pub fn actant(&self, turn: usize) -> Option<String> {
        self.parts[0].actant(turn)
    }

    /// The content of a turn with everything hidden that a mask covers.
    pub fn masked_turn(&self, turn: usize) -> Cow<'_, str> {
        self.parts[0].shown(turn as u32, 0..self.interaction().turns()[turn].content.len())
    }

    /// The stretches of a turn that masks hide, in bytes and in order, each with what is shown in its place. They do not overlap, and a
    /// session reports the same ones ([`crate::Event::Mask`]).
    pub fn masks(&self, turn: usize) -> Vec<(Range<usize>, Cow<'_, str>)> {
        let spans = self.parts[0].cover().spans().iter().filter(|(of, _)| *of as usize == turn);
        spans.map(|(of, range)| (range.clone(), self.parts[0].shown(*of, range.clone()))).collect()
    }

    /// What is shown for each character of a turn, in order: the character itself, its replacement, or nothing
    /// if the replacement was already shown. Together they are [`Reading::masked_turn`].
    pub fn masked_characters(&self, turn: usize) -> Vec<Cow<'_, str>> {
        self.parts[0].cover().by_character(turn as u32, &self.interaction().turns()[turn].content)
    }

    /// The canonical JSON of a view: the same bytes from every interface.
    pub fn to_json(&self, view: View<'_>) -> String {
        let mut json = Json::with_capacity(self.json_size());
        json.object(|json| self.write(json, view));
        json.into_text()
    }

    /// What the only protocol measured; `None` of a metric or a blueprint, also of one with a single protocol.
    fn only(&self) -> Option<&Measured> {
        self.instrument.sensor().map(|_| &self.parts[0])
    }

    fn evidence_of(&self, at: usize, found: &Candidate) -> Evidence<'_> {
        self.parts[at].evidence_of(at, found, self.instrument.key(at, found.marker as usize))
    }

    /// The matches that are evidence with the place of their protocol, in the order of the text, then of the protocols.
    fn found(&self) -> Vec<(usize, &Candidate)> {
        self.in_text(|part| part.evidence.iter())
    }

    /// The same of what counts against a marker.
    fn found_against(&self) -> Vec<(usize, &Candidate)> {
        self.in_text(|part| part.candidates_against().into_iter())
    }

    fn in_text<'r, I: Iterator<Item = &'r Candidate>>(
        &'r self,
        of: impl Fn(&'r Measured) -> I,
    ) -> Vec<(usize, &'r Candidate)> {
        let all = self.parts.iter().enumerate();
        let mut all: Vec<_> = all.flat_map(|(at, part)| of(part).map(move |found| (at, found))).collect();
        // Stable: within a protocol all stands in the order of the text already.
        if self.parts.len() > 1 {
            all.sort_by_key(|(_, found)| (found.turn, found.start, found.end));
        }
        all
    }

    /// All weak signals with the place of their protocol, in their order.
    fn near(&self) -> Vec<(usize, Near)> {
        let all = self.parts.iter().enumerate();
        let mut all: Vec<_> =
            all.flat_map(|(at, part)| part.near().into_iter().map(move |near| (at, near))).collect();
        all.sort_by_key(|(_, near)| Reverse(near.proximity));
        all
    }
}
