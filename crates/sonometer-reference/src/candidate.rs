//! Section 3: candidates, and the conditions that are judged of each.

use crate::fold::fold_name;
use crate::language::Language;
use crate::matching::{Match, exclusions, matches};
use crate::negation::{Negation, is_negated, negation};
use crate::number::{Number, U};
use crate::reading::{Hit, Reading, Stretch, hits, lengths, of_turns, of_windows};
use crate::turn::Turn;
use sonometer::protocol::phrase::Pattern;
use sonometer::protocol::{End, Extent, HintKind, Line, Marker, NegationMode, Place, Protocol};
use std::cell::RefCell;
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
    /// The counted matches of the markers that others asked for, by label.
    counted: RefCell<BTreeMap<String, Rc<Vec<Hit>>>>,
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
        Self { protocol, language, turns, of_turns, of_windows: windows, counted: RefCell::default() }
    }

    /// The readings in which the lines of a marker are looked for.
    pub(crate) fn readings(&self, marker: &Marker) -> Vec<Rc<Reading>> {
        let windows = marker.join.and_then(|most| self.of_windows.get(&most));
        self.of_turns.iter().chain(windows.into_iter().flatten()).cloned().collect()
    }

    /// The matches of a line in all readings of a marker.
    pub(crate) fn hits(&self, marker: &Marker, line: &Line) -> Vec<Hit> {
        hits(&self.readings(marker), |text| matches(text, &line.pattern(), self.language))
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

    /// The counted matches of these markers, of lines that speak for them.
    pub(crate) fn counted(&self, labels: &[String]) -> Vec<Hit> {
        let named = self.protocol.markers.iter().filter(|marker| labels.contains(&marker.label));
        named.flat_map(|marker| self.counted_of(marker).as_ref().clone()).collect()
    }

    fn counted_of(&self, marker: &Marker) -> Rc<Vec<Hit>> {
        // Kept, because every match of a marker that waits for them asks for all of them.
        if let Some(known) = self.counted.borrow().get(&marker.label) {
            return known.clone();
        }
        let counted = self.candidates(marker).into_iter();
        let counted = counted.filter(|candidate| candidate.failed.is_empty() && candidate.strength > 0);
        let hits = Rc::new(counted.map(|candidate| candidate.hit).collect::<Vec<Hit>>());
        self.counted.borrow_mut().insert(marker.label.clone(), hits.clone());
        hits
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
                failed: self.failed(to, &candidate.hit, &around(&candidate.hit, &against)),
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
                let around = around(&hit, &against);
                let mut failed = self.failed(marker, &hit, &around);
                let negates = |against: &&Against| against.negates(&hit, &line.pattern(), self.language);
                if marker.heeds_negation() && around.iter().any(negates) {
                    failed.insert(HintKind::Negated);
                }
                let strength = Number::from(line.strength.0);
                candidates.push(Candidate { line: index, hit, strength, failed });
            }
        }
        candidates
    }

    /// The conditions that a match fails, but for negation.
    fn failed(&self, marker: &Marker, hit: &Hit, around: &[&Against]) -> BTreeSet<HintKind> {
        let turn = &self.turns[hit.turn()];
        let mut exclusions = around.iter().flat_map(|against| &against.exclusions);
        let excluded = exclusions.any(|exclusion| hit.extent.iter().any(|s| s.overlaps(exclusion)));
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
                let role = same_role(self.protocol, role);
                by.iter().any(|wanted| same_role(self.protocol, wanted) == role)
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
            let found = lines.flat_map(|line| exclusions(&reading.text, &line.pattern(), self.language));
            Against {
                reading: Rc::clone(reading),
                exclusions: found.flat_map(|exclusion| reading.stretches(&exclusion.extent)).collect(),
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
    /// The reading.
    reading: Rc<Reading>,
    /// The places of the exclusions.
    exclusions: Vec<Stretch>,
    /// The cues and stops.
    negation: Negation,
}

impl Against {
    /// Whether its cues negate a match of this reading, or of the same text as written.
    fn negates(&self, hit: &Hit, pattern: &Pattern, language: &Language) -> bool {
        let found = if self.reading.number == hit.reading.number {
            hit.found.clone()
        } else {
            Match::plain(self.reading.tokens_for(&hit.found.extent), hit.found.extent.clone())
        };
        let is_there = self.reading.number == hit.reading.number || !found.tokens.is_empty();
        is_there && is_negated(&self.reading.text, &found, pattern, &self.negation, language)
    }
}

/// What stands around a match: in its reading and, if that is a text as written, in the same text unfolded.
fn around<'a>(hit: &Hit, against: &'a BTreeMap<usize, Against>) -> Vec<&'a Against> {
    [Some(hit.reading.number), hit.reading.unfolded].iter().flatten().map(|n| &against[n]).collect()
}

/// The name under which two spellings of a role are the same: folded, in lower case, aliases resolved, those that are
/// usual included.
pub(crate) fn same_role(protocol: &Protocol, role: &str) -> String {
    let folded = fold_name(role);
    if let Some(head) = alias_of(protocol, &folded) {
        return head;
    }
    if named_roles(protocol).iter().any(|named| fold_name(named) == folded) {
        return folded;
    }
    usual(protocol, &folded).unwrap_or(folded)
}

/// The head of the aliases that a folded role is one of.
fn alias_of(protocol: &Protocol, folded: &str) -> Option<String> {
    let aliases = &protocol.actants.aliases;
    let named = aliases.iter().find(|(_, others)| others.iter().any(|other| fold_name(other) == folded));
    named.map(|(head, _)| fold_name(head))
}

/// The first role of the protocol that a usual word stands for: one of the same group without aliases of its own.
fn usual(protocol: &Protocol, folded: &str) -> Option<String> {
    let groups = [["agent", "assistant", "ai", "bot"], ["customer", "client", "user", "human"]];
    let group = groups.into_iter().find(|group| group.contains(&folded))?;
    let is_head = |role: &str| protocol.actants.aliases.iter().any(|(head, _)| fold_name(head) == role);
    named_roles(protocol)
        .iter()
        .map(|role| fold_name(role))
        .find(|role| group.contains(&role.as_str()) && !is_head(role) && alias_of(protocol, role).is_none())
}

/// The roles that a protocol names, in the order of section 8.
pub(crate) fn named_roles(protocol: &Protocol) -> Vec<String> {
    let actants = &protocol.actants;
    let heads = actants.aliases.iter().map(|(head, _)| head);
    let needs = protocol.fidelity.roles.iter().map(|(role, _)| role);
    let by = protocol.markers.iter().flat_map(roles_of);
    heads
        .chain(&actants.primary)
        .chain(&actants.secondary)
        .chain(&actants.others)
        .chain(needs)
        .chain(by)
        .cloned()
        .collect()
}

/// The roles that a marker names: its `by`, then those of its other keys.
fn roles_of(marker: &Marker) -> impl Iterator<Item = &String> {
    let companions = [&marker.after, &marker.before].into_iter().flatten();
    let then = marker.pair.iter().map(|pair| &pair.then);
    let when = marker.absence.iter().filter_map(|absence| absence.when.as_ref());
    (marker.by.iter())
        .chain(marker.share.iter().flat_map(|share| &share.by))
        .chain(companions.chain(then).flat_map(|companion| &companion.by))
        .chain(marker.echo.iter().flat_map(|echo| &echo.of))
        .chain(when.flat_map(|when| &when.by))
        .chain(marker.ratio.iter().flat_map(|ratio| &ratio.by))
}

/// The number of tokens a candidate consumed, at least 1, as n ÷ (n+1).
pub(crate) fn nearly(candidate: &Candidate) -> Number {
    let n = candidate.hit.found.tokens.len().max(1) as Number;
    crate::number::divide(n, n + 1).min(U)
}
