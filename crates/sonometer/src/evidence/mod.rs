//! Judging: which matches are evidence, and why the others are not.

mod companions;
mod exclusion;
mod layout;
mod negation;
pub(crate) mod pending;
pub(crate) mod readings;
mod relation;
pub(crate) mod search;

pub(crate) mod window;

pub(crate) use relation::strength;

use crate::interaction::Interaction;
use crate::matcher::{Count, Hit, TurnText, extent, place};
#[cfg(feature = "perf")]
use crate::order;
use crate::protocol::{End, Extent, LineList, Place};
use crate::sensor::{Owner, Plan};
use crate::unit::Unit;
use readings::Manner;
use std::ops::Range;
use std::sync::Arc;
use window::{Joined, Stretch, Window};

/// The conditions of a candidate, as bits of [`Candidate::failed`]. All are judged though one failure drops a candidate, since a
/// candidate that fails exactly one is a weak signal, which a set with one bit shows. All eight bits of the byte are taken.
pub(crate) mod condition {
    /// A turn of another role, or without a role.
    pub(crate) const ROLE: u8 = 1;
    /// It stands outside the part that counts.
    pub(crate) const WHERE: u8 = 2;
    /// An exclusion overlaps it.
    pub(crate) const EXCEPT: u8 = 4;
    /// It is negated.
    pub(crate) const NEGATED: u8 = 8;
    /// Its check digits are wrong (such candidates are only ever near misses).
    pub(crate) const CHECKSUM: u8 = 16;
    /// What must come before it does not.
    pub(crate) const AFTER: u8 = 32;
    /// What must follow does not.
    pub(crate) const BEFORE: u8 = 64;
    /// Its gap is too long (such candidates are only ever near misses).
    pub(crate) const GAP: u8 = 128;
}

/// What a candidate that counts can lack, as bits of [`Candidate::lacks`]. It still counts: these change its strength.
pub(crate) mod lack {
    /// What would complete it.
    pub(crate) const PAIR: u8 = 1;
    /// The other side's words.
    pub(crate) const ECHO: u8 = 2;
}

/// A match of an evidence line with the verdict on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) marker: u32,
    pub(crate) line: u32,
    pub(crate) turn: u32,
    /// Bytes of the turn's original text.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The number of its further stretches in [`Joined`], from 1; 0: it stands in one turn. Not an `Option`, which would take
    /// eight bytes: a turn can have many candidates, and they are copied and sorted.
    pub(crate) joined: u32,
    /// The first turn of the window that it was found in, counted from 1; 0: it was found in a turn.
    pub(crate) window: u32,
    /// How many tokens it consumed, at least 1.
    pub(crate) tokens: u32,
    /// How the text was read in which it was found.
    pub(crate) manner: Manner,
    /// What its line is worth, with what `echo` and `pair` make of it.
    pub(crate) strength: Unit,
    /// Bits of [`condition`]; 0: it counts.
    pub(crate) failed: u8,
    /// Bits of [`lack`].
    pub(crate) lacks: u8,
    /// Of a negated candidate whose marker flips: the conditions of the other marker that it fails.
    pub(crate) fails_flipped: u8,
    /// What it adds to its marker's evidence; set when the marker is measured.
    pub(crate) contribution: Unit,
}

impl Plan {
    /// Whether a candidate counts as a match of its marker for others: nothing speaks against it, and its line speaks for the marker.
    pub(crate) fn counts(&self, candidate: &Candidate) -> bool {
        candidate.failed == 0 && self.line(candidate.marker, candidate.line).strength > Unit::ZERO
    }

    /// Whether a candidate is of a line of its own marker, not of one that another marker flips to it.
    pub(crate) fn is_own(&self, candidate: &Candidate) -> bool {
        (candidate.line as usize) < self.protocol.markers[candidate.marker as usize].lines.len()
    }

    /// Whether a candidate stands for a match of another marker, one that starts the clock of its own.
    pub(crate) fn is_borrowed(&self, candidate: &Candidate) -> bool {
        let own = &self.protocol.markers[candidate.marker as usize];
        let is_behind = candidate.line as usize >= own.lines.len() + own.side_lines().len();
        is_behind && self.markers[candidate.marker as usize].borrowed.is_some()
    }
}

/// A turn among the others: what conditions, rates and fidelity need once its text is done with.
#[derive(Clone, Debug, Default)]
pub(crate) struct TurnFacts {
    /// The protocol's name of the speaker; `None` also where the protocol names no roles, so that nothing asks.
    pub(crate) role: Option<Arc<str>>,
    pub(crate) timestamp: Option<Unit>,
    /// How sure a recogniser is of it, where one heard it.
    pub(crate) confidence: Option<Unit>,
    pub(crate) count: Count,
}

/// What a companion matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Said {
    pub(crate) companion: u32,
    pub(crate) turn: u32,
    /// Bytes of the turn's original text.
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// What the turns of an interaction hold for a sensor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) joined: Joined,
    said: Vec<Said>,
    layouts: layout::Layouts,
    /// Of a protocol that unfolds: the candidates of the text that was read as written last, and what they cover of it.
    written: Vec<(usize, Range<usize>)>,
}

/// The interaction as the conditions see it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setting {
    pub(crate) turns: Vec<TurnFacts>,
    /// The earliest and the latest time of a turn.
    pub(crate) earliest: Option<Unit>,
    pub(crate) latest: Option<Unit>,
    /// The one turn that is measured, where that is not all of them.
    pub(crate) only: Option<usize>,
}

impl Setting {
    /// Who speaks when; counts are filled in turn by turn.
    pub(crate) fn of(plan: &Plan, interaction: &Interaction) -> Self {
        // A conversation has many turns and few roles: a short list saves folding each role again. Beyond 16 roles it is not
        // made longer, as looking through it for every turn would cost roles times turns.
        let mut seen: Vec<(&str, Arc<str>)> = Vec::new();
        let mut name_of = |role| match seen.iter().find(|(written, _)| *written == role) {
            Some((_, name)) => name.clone(),
            None => {
                let name: Arc<str> = plan.role_name(role).into();
                if seen.len() < 16 {
                    seen.push((role, name.clone()));
                }
                name
            }
        };
        let asked = !plan.roles.is_empty() || !plan.joins.is_empty();
        let turns = interaction.turns().iter().enumerate().map(|(at, turn)| TurnFacts {
            role: turn.role.as_deref().filter(|_| asked).map(&mut name_of),
            timestamp: turn.timestamp,
            confidence: interaction.confidence(at),
            count: Count::default(),
        });
        let times = || interaction.turns().iter().filter_map(|turn| turn.timestamp);
        Self { turns: turns.collect(), earliest: times().min(), latest: times().max(), only: None }
    }

    /// A turn of which nothing but its head is known.
    pub(crate) fn begin_turn(&mut self, plan: &Plan, role: Option<&str>, timestamp: Option<Unit>) {
        let asked = !plan.roles.is_empty() || !plan.joins.is_empty();
        let role = role.filter(|_| asked).map(|role| plan.role_name(role).into());
        self.turns.push(TurnFacts { role, timestamp, confidence: None, count: Count::default() });
        if let Some(time) = timestamp {
            self.earliest = Some(self.earliest.map_or(time, |earliest| earliest.min(time)));
            self.latest = Some(self.latest.map_or(time, |latest| latest.max(time)));
        }
    }

    /// Whether a turn is said by one of these roles (any role where the list is empty).
    pub(crate) fn is_by(&self, turn: usize, roles: &[String]) -> bool {
        roles.is_empty()
            || self.turns[turn].role.as_ref().is_some_and(|role| roles.iter().any(|name| **name == **role))
    }

    /// Whether a turn lies in the part of the interaction that counts.
    pub(crate) fn is_within(&self, turn: usize, place: Option<Place>) -> bool {
        if self.only.is_some_and(|only| only != turn) {
            return false;
        }
        let Some(place) = place else { return true };
        match (place.extent, place.from) {
            (Extent::Turns(n), End::First) => turn < n as usize,
            (Extent::Turns(n), End::Last) => turn + n as usize >= self.turns.len(),
            (Extent::Seconds(n), from) => {
                let edge = if from == End::First { self.earliest } else { self.latest };
                let times = self.turns[turn].timestamp.zip(edge);
                times.is_some_and(|(time, edge)| time.0.abs_diff(edge.0) <= n.0.unsigned_abs())
            }
        }
    }
}

/// What was read: where it stands in the interaction, and how it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'w> {
    /// The turn; of a window the first.
    pub(crate) turn: usize,
    pub(crate) window: Option<&'w Window>,
    pub(crate) manner: Manner,
}

impl Findings {
    /// Judges the matches of one reading of a turn; candidates come out in the order of the rules, which is by marker and line,
    /// then by place; near misses of check digits come behind all others.
    pub(crate) fn judge(
        &mut self,
        plan: &Plan,
        setting: &Setting,
        scene: Scene<'_>,
        turn: &TurnText<'_>,
        hits: &[Hit],
    ) {
        self.candidates.reserve(hits.len());
        let judge = Judge {
            plan,
            setting,
            turn,
            scene,
            exclusions: exclusion::Exclusions::of(plan, turn, hits),
            cues: negation::Cues::of(plan, turn, hits),
        };
        match scene.manner {
            Manner::Written => self.written.clear(),
            Manner::Unfolded => self.judge_again(&judge),
        }
        for (at, hit) in hits.iter().enumerate() {
            match plan.rules[hit.rule as usize].owner {
                Owner::Line { marker, line } => {
                    let extent = extent(plan, turn, hit);
                    let place = place(plan, turn, hit, &extent);
                    self.add(&judge, marker, line, hit, (extent, place), 0);
                }
                // The rule of a line stands directly before that of the line widened, and so do its hits. Unfolded, some of
                // them will be left out for what is written, and then hide no near miss; where a line has braces, its places
                // can lie apart though its matches overlap: that is seen when all are there.
                Owner::Wide { marker, line }
                    if scene.window.is_none()
                        && (scene.manner == Manner::Unfolded
                            || plan.captures_widened
                            || !overlaps_rule_before(&hits[..at], hit)) =>
                {
                    let extent = extent(plan, turn, hit);
                    let place = place(plan, turn, hit, &extent);
                    self.add(&judge, marker, line, hit, (extent, place), condition::GAP);
                }
                Owner::Companion(companion) if scene.window.is_none() => {
                    let Range { start, end } = extent(plan, turn, hit);
                    let (start, end) = ((turn.base + start) as u32, (turn.base + end) as u32);
                    self.said.push(Said { companion, turn: scene.turn as u32, start, end });
                }
                _ => {}
            }
        }
        for (marker, line, hit, range) in near_misses(plan, turn) {
            self.add(&judge, marker, line, &hit, (range.clone(), range), condition::CHECKSUM);
        }
        if plan.relates.layout && scene.window.is_none() && scene.manner == Manner::Written {
            self.layouts.add(plan, scene.turn, turn);
        }
    }

    /// Adds a match or near miss, all that it covers and its place, with the verdict on it; of a window only what its markers find
    /// over several turns.
    fn add(
        &mut self,
        judge: &Judge<'_>,
        marker: u32,
        line: u32,
        hit: &Hit,
        (extent, place): (Range<usize>, Range<usize>),
        failed: u8,
    ) {
        let (first, further) = match judge.scene.window {
            None => {
                let base = judge.turn.base;
                (Stretch::of(judge.scene.turn, &(base + place.start..base + place.end)), Vec::new())
            }
            Some(window) if judge.plan.protocol.markers[marker as usize].join == Some(window.join) => {
                let Some(place) = window.place(&extent, &place) else { return };
                place
            }
            Some(_) => return,
        };
        let verdict = judge.verdict(marker, line, hit, &extent);
        if judge.plan.unfolding.is_some() && judge.scene.manner == Manner::Written {
            self.written.push((self.candidates.len(), extent));
        }
        self.candidates.push(Candidate {
            marker,
            line,
            turn: first.turn,
            start: first.start,
            end: first.end,
            joined: self.joined.keep(further),
            window: judge.scene.window.map_or(0, |window| window.turn() as u32 + 1),
            tokens: (hit.last - hit.first).max(1),
            manner: judge.scene.manner,
            strength: judge.plan.line(marker, line).strength,
            failed: failed | verdict.failed,
            lacks: 0,
            fails_flipped: verdict.fails_flipped,
            contribution: Unit::ZERO,
        });
    }

    /// Judges the candidates of a text as written by what stands around them in the unfolded text: `n0t happy`.
    fn judge_again(&mut self, judge: &Judge<'_>) {
        for (at, extent) in self.written.drain(..) {
            judge.verdict_unfolded(&mut self.candidates[at], &extent);
        }
    }

    /// Puts all candidates in the order of marker, line and place, each set in relation to what stands in other places.
    pub(crate) fn settle(&mut self, plan: &Plan, setting: &Setting) {
        readings::settle(plan, self);
        if plan.has_places {
            self.candidates.iter_mut().for_each(|candidate| judge_place(plan, setting, candidate));
        }
        if plan.relates.any {
            relation::settle(plan, setting, self);
        }
        #[cfg(feature = "perf")]
        sort_by_line(&mut self.candidates);
        // Everything behind this relies on the order: `halve` and `once` count uses of a line in it, evidence is shown in it, and
        // markers are found in it by halves. Stable, so that of two at the same place (½ is two tokens) the one with the
        // earlier token stays first.
        self.candidates.sort_by_key(|c| (c.marker, c.line, c.turn, c.start, c.end));
    }
}

/// Sorts candidates by marker, line and place, where there are many of few lines.
#[cfg(feature = "perf")]
fn sort_by_line(candidates: &mut [Candidate]) {
    let markers = candidates.iter().map(|candidate| candidate.marker as usize + 1).max().unwrap_or(0);
    if !order::is_worth_counting(candidates.len(), markers) {
        return;
    }
    // By marker: how many lines have candidates at most; then, summed up, the number of its first line among those of all.
    let mut first = vec![0; markers];
    for Candidate { marker, line, .. } in &*candidates {
        let lines = &mut first[*marker as usize];
        *lines = (*line as usize + 1).max(*lines);
    }
    let mut lines = 0;
    for first in &mut first {
        lines += std::mem::replace(first, lines);
    }
    let number = |c: &Candidate| first[c.marker as usize] + c.line as usize;
    order::by_number(candidates, &mut Default::default(), lines, number, |c| (c.turn, c.start, c.end));
}

/// Whether a candidate stands in the part of the interaction that counts, which is known when the interaction is.
fn judge_place(plan: &Plan, setting: &Setting, candidate: &mut Candidate) {
    if matches!(plan.line(candidate.marker, candidate.line).list, LineList::When | LineList::To) {
        return;
    }
    let outside = |marker: u32| {
        let place = plan.markers[marker as usize].place;
        if setting.is_within(candidate.turn as usize, place) { 0 } else { condition::WHERE }
    };
    let marker_plan = &plan.markers[candidate.marker as usize];
    let of_other = match marker_plan.flips_to {
        Some((other, _)) if candidate.failed & condition::NEGATED != 0 => outside(other),
        _ => 0,
    };
    candidate.failed |= outside(candidate.marker);
    candidate.fails_flipped |= of_other;
}

/// Whether a match of the rule before that of `hit` overlaps it. Hits are sorted by rule and place; those of a line lie
/// apart.
fn overlaps_rule_before(before: &[Hit], hit: &Hit) -> bool {
    // Of a rule whose hits lie apart, starts and ends are in the same order: the first that ends behind `hit.first` decides.
    let end = before.partition_point(|other| other.rule < hit.rule);
    let start = before[..end].partition_point(|other| other.rule + 1 < hit.rule);
    let strict = &before[start..end];
    let next = strict.get(strict.partition_point(|other| other.last <= hit.first));
    next.is_some_and(|other| other.first < hit.last)
}

/// What a verdict depends on that is judged within one reading of a turn. Places, relations and strengths depend on other turns
/// and are judged when all are read ([`Findings::settle`]).
struct Judge<'j> {
    plan: &'j Plan,
    setting: &'j Setting,
    turn: &'j TurnText<'j>,
    scene: Scene<'j>,
    exclusions: exclusion::Exclusions,
    cues: negation::Cues,
}

/// What the text around a match says of it.
struct Verdict {
    failed: u8,
    fails_flipped: u8,
}

impl Judge<'_> {
    /// Judges a match at `range` of the text that was read.
    fn verdict(&self, marker: u32, line: u32, hit: &Hit, range: &Range<usize>) -> Verdict {
        let marker_plan = &self.plan.markers[marker as usize];
        // Lines of `when` and `to` ask for their own side and nothing else (semantics, Absent and Ratio).
        if matches!(self.plan.line(marker, line).list, LineList::When | LineList::To) {
            let heard = self.setting.is_by(self.scene.turn, &marker_plan.side_by);
            return Verdict { failed: if heard { 0 } else { condition::ROLE }, fails_flipped: 0 };
        }
        let mut verdict = Verdict { failed: self.simple_conditions(marker, range), fails_flipped: 0 };
        if marker_plan.heeds_negation && self.cues.negate(self.plan, self.turn, (marker, line), hit) {
            verdict.failed |= condition::NEGATED;
        }
        if let Some((other, _)) = marker_plan.flips_to {
            verdict.fails_flipped = self.simple_conditions(other, range);
        }
        verdict
    }

    /// Adds what the unfolded text says of a candidate of the same text as written.
    fn verdict_unfolded(&self, candidate: &mut Candidate, extent: &Range<usize>) {
        let Candidate { marker, line, .. } = *candidate;
        if matches!(self.plan.line(marker, line).list, LineList::When | LineList::To) {
            return;
        }
        let marker_plan = &self.plan.markers[marker as usize];
        if self.exclusions.overlap(marker, extent) {
            candidate.failed |= condition::EXCEPT;
        }
        if marker_plan.flips_to.is_some_and(|(other, _)| self.exclusions.overlap(other, extent)) {
            candidate.fails_flipped |= condition::EXCEPT;
        }
        // Its tokens are looked for by halves, each step over two maps, so only where they are asked for.
        if marker_plan.heeds_negation && !self.cues.is_empty() {
            let tokens = self.turn.tokens_over_original(extent);
            if !tokens.is_empty()
                && self.cues.negate(self.plan, self.turn, (marker, line), &Hit::of_tokens(tokens))
            {
                candidate.failed |= condition::NEGATED;
            }
        }
    }

    /// The conditions of a marker on who says something, and in which words.
    fn simple_conditions(&self, marker: u32, range: &Range<usize>) -> u8 {
        let marker_plan = &self.plan.markers[marker as usize];
        let mut failed = 0;
        if !self.setting.is_by(self.scene.turn, &marker_plan.by) {
            failed |= condition::ROLE;
        }
        if self.exclusions.overlap(marker, range) {
            failed |= condition::EXCEPT;
        }
        failed
    }
}

/// Occurrences with the right shape and wrong check digits, for lines that are a checked class and nothing else.
fn near_misses(plan: &Plan, turn: &TurnText<'_>) -> Vec<(u32, u32, Hit, Range<usize>)> {
    let mut found = Vec::new();
    if plan.checked.is_empty() {
        return found;
    }
    let mut occurrences = Vec::new();
    crate::class::find_near_from(turn.folded.text(), turn.from_byte, plan.checked, &mut occurrences);
    for (marker, marker_plan) in plan.markers.iter().enumerate() {
        for (line, class) in marker_plan.checked.iter().enumerate() {
            for o in occurrences.iter().filter(|o| Some(o.class) == *class) {
                let tokens = turn.tokens_over(o.start as usize, o.end as usize);
                let hit = Hit::of_tokens(tokens);
                let range = turn.original_range(o.start as usize, o.end as usize);
                found.push((marker as u32, line as u32, hit, range));
            }
        }
    }
    found
}
