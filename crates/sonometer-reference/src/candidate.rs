//! Section 3: candidates, and the conditions that are judged of each.

use crate::fold::fold_name;
use crate::language::Language;
use crate::matching::{exclusions, matches};
use crate::negation::{Negation, is_negated, negation};
use crate::number::{Number, U};
use crate::reading::{Hit, Reading, Stretch, hits, lengths, of_turns, of_windows};
use crate::turn::Turn;
use sonometer::protocol::{Actants, End, Extent, HintKind, Line, Marker, NegationMode, Place, Protocol};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A match of a line that gives evidence, or a near miss of one.
#[derive(Clone)]
pub(crate) struct Candidate {
    /// The line: those of the marker, then those that other markers flip to it.
    pub(crate) line: usize,
    /// Where it is.
    pub(crate) hit: Hit,
    /// What one match of the line is worth.
    pub(crate) strength: Number,
    /// The conditions it fails; none of them: it counts.
    pub(crate) failed: BTreeSet<HintKind>,
}

/// Everything that judging needs to see.
pub(crate) struct Scene<'a> {
    /// The protocol.
    pub(crate) protocol: &'a Protocol,
    /// Its language.
    pub(crate) language: &'a Language,
    /// The interaction.
    pub(crate) turns: &'a [Turn],
    /// The turns as written, and unfolded.
    pub(crate) of_turns: Vec<Rc<Reading>>,
    /// The windows as written, and unfolded, by the number of turns that a marker joins.
    of_windows: BTreeMap<u32, Vec<Rc<Reading>>>,
}

impl<'a> Scene<'a> {
    /// The scene of an interaction.
    pub(crate) fn new(protocol: &'a Protocol, language: &'a Language, turns: &'a [Turn]) -> Self {
        let of_turns = of_turns(turns, protocol, language);
        let mut number = of_turns.len();
        let mut windows = BTreeMap::new();
        for most in lengths(protocol) {
            let readings = of_windows(turns, most, protocol, language, number);
            number += readings.len();
            windows.insert(most, readings);
        }
        Self { protocol, language, turns, of_turns, of_windows: windows }
    }

    /// The readings in which the lines of a marker are looked for.
    pub(crate) fn readings(&self, marker: &Marker) -> Vec<Rc<Reading>> {
        let windows = marker.join.and_then(|most| self.of_windows.get(&most));
        self.of_turns.iter().chain(windows.into_iter().flatten()).cloned().collect()
    }

    /// The matches of a line in all readings of a marker.
    pub(crate) fn hits(&self, marker: &Marker, line: &Line) -> Vec<Hit> {
        hits(&self.readings(marker), |text| matches(text, &line.pattern, self.language))
    }

    /// The candidates of a marker, in the order of its lines and of the text, all conditions judged: its own, then those
    /// of all markers that flip to it.
    pub(crate) fn candidates(&self, marker: &Marker) -> Vec<Candidate> {
        let mut candidates = self.own_candidates(marker);
        let mut first_line = marker.lines.len();
        for other in &self.protocol.markers {
            if other.negation == NegationMode::Flip(marker.label.clone()) {
                candidates.extend(self.flipped(other, marker, first_line));
                first_line += other.lines.len();
            }
        }
        candidates
    }

    fn own_candidates(&self, marker: &Marker) -> Vec<Candidate> {
        self.judged(marker, &marker.lines, |line| self.hits(marker, line))
    }

    /// The candidates that fail *negation* and nothing else, judged by everything but negation at the marker that they
    /// are flipped to.
    fn flipped(&self, from: &Marker, to: &Marker, first_line: usize) -> Vec<Candidate> {
        let against = self.against(to, &self.readings(from));
        self.own_candidates(from)
            .into_iter()
            .filter(|candidate| candidate.failed == BTreeSet::from([HintKind::Negated]))
            .map(|candidate| Candidate {
                line: first_line + candidate.line,
                failed: self.failed(to, &candidate.hit, &against[&candidate.hit.reading.number]),
                ..candidate
            })
            .collect()
    }

    /// What is found of these lines, as candidates of the marker.
    pub(crate) fn judged(
        &self,
        marker: &Marker,
        lines: &[Line],
        find: impl Fn(&Line) -> Vec<Hit>,
    ) -> Vec<Candidate> {
        let against = self.against(marker, &self.readings(marker));
        let mut candidates = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            for hit in find(line) {
                let against = &against[&hit.reading.number];
                let mut failed = self.failed(marker, &hit, against);
                if marker.heeds_negation()
                    && is_negated(
                        &hit.reading.text,
                        &hit.found,
                        &line.pattern,
                        &against.negation,
                        self.language,
                    )
                {
                    failed.insert(HintKind::Negated);
                }
                let strength = Number::from(line.strength.0);
                candidates.push(Candidate { line: index, hit, strength, failed });
            }
        }
        candidates
    }

    /// The conditions that a match fails, but for negation.
    fn failed(&self, marker: &Marker, hit: &Hit, against: &Against) -> BTreeSet<HintKind> {
        let turn = &self.turns[hit.turn()];
        let excluded =
            against.exclusions.iter().any(|exclusion| hit.stretches.iter().any(|s| s.overlaps(exclusion)));
        [
            (HintKind::Role, !self.passes_role(&marker.by, turn)),
            (HintKind::Where, !self.passes_where(marker.place, turn)),
            (HintKind::Except, excluded),
            (HintKind::After, marker.after.as_ref().is_some_and(|after| !self.comes_after(after, hit))),
            (HintKind::Before, marker.before.as_ref().is_some_and(|before| !self.comes_before(before, hit))),
        ]
        .into_iter()
        .filter_map(|(condition, fails)| fails.then_some(condition))
        .collect()
    }

    /// *role*: the turn's role is one of these; without any, every turn passes.
    pub(crate) fn passes_role(&self, by: &[String], turn: &Turn) -> bool {
        by.is_empty()
            || turn.role.as_ref().is_some_and(|role| {
                let role = same_role(&self.protocol.actants, role);
                by.iter().any(|wanted| same_role(&self.protocol.actants, wanted) == role)
            })
    }

    /// *where*: the turn lies in the part of the interaction that counts.
    pub(crate) fn passes_where(&self, place: Option<Place>, turn: &Turn) -> bool {
        let Some(Place { from, extent }) = place else { return true };
        let times = || self.turns.iter().filter_map(|turn| turn.time);
        match (from, extent) {
            (End::First, Extent::Turns(n)) => turn.index < n as usize,
            (End::Last, Extent::Turns(n)) => turn.index + n as usize >= self.turns.len(),
            (End::First, Extent::Seconds(n)) => turn
                .time
                .zip(times().min())
                .is_some_and(|(time, earliest)| time - earliest <= Number::from(n.0)),
            (End::Last, Extent::Seconds(n)) => {
                turn.time.zip(times().max()).is_some_and(|(time, latest)| latest - time <= Number::from(n.0))
            }
        }
    }

    /// What each reading holds against the candidates of a marker.
    fn against(&self, marker: &Marker, readings: &[Rc<Reading>]) -> BTreeMap<usize, Against> {
        let of_one = |reading: &Rc<Reading>| {
            let lines = marker.except.iter();
            let found = lines.flat_map(|line| exclusions(&reading.text, &line.pattern, self.language));
            Against {
                exclusions: found.flat_map(|exclusion| reading.stretches(&exclusion.place)).collect(),
                negation: negation(&reading.text, &self.protocol.negation, self.language),
            }
        };
        readings.iter().map(|reading| (reading.number, of_one(reading))).collect()
    }

    /// The turns that pass *role* (of these roles) and *where*.
    pub(crate) fn side(&self, by: &[String], place: Option<Place>) -> Vec<&Turn> {
        self.turns
            .iter()
            .filter(|turn| self.passes_role(by, turn) && self.passes_where(place, turn))
            .collect()
    }
}

/// What a reading holds against the candidates of a marker.
struct Against {
    /// The places of the exclusions.
    exclusions: Vec<Stretch>,
    /// The cues and stops.
    negation: Negation,
}

/// The name under which two spellings of a role are the same: folded, in lower case, aliases resolved.
pub(crate) fn same_role(actants: &Actants, role: &str) -> String {
    let folded = fold_name(role);
    let named =
        actants.aliases.iter().find(|(_, others)| others.iter().any(|other| fold_name(other) == folded));
    named.map_or(folded, |(name, _)| fold_name(name))
}

/// The number of tokens a candidate consumed, at least 1, as n ÷ (n+1).
pub(crate) fn nearly(candidate: &Candidate) -> Number {
    let n = candidate.hit.found.tokens.len().max(1) as Number;
    crate::number::divide(n, n + 1).min(U)
}
