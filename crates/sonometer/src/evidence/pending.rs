//! Judging while an interaction still comes in: which verdicts can no longer change.

use super::companions::Companions;
use super::relation;
use super::{Candidate, Findings, Setting, condition, judge_place, lack, readings};
use crate::names;
use crate::protocol::{Deadline, End, Extent, LineList, Reach};
use crate::sensor::Plan;
use std::borrow::Cow;

/// What is known of an interaction that still comes in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Front {
    /// The turn that comes in; those before it are complete.
    pub(crate) turn: u32,
    /// Whether further turns can follow: it is no plain text.
    pub(crate) turns_follow: bool,
}

/// A candidate with its verdict if the interaction ended now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged {
    pub(crate) candidate: Candidate,
    /// Whether what follows can still change the verdict.
    pub(crate) is_open: bool,
    /// Whether the clock of an absent marker started here and has run out.
    pub(crate) is_overdue: bool,
}

/// The candidates whose verdict has not been passed on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    /// How many candidates, and how many matches of companions, have been taken in.
    candidates: usize,
    said: usize,
    /// The candidates not passed on yet, as they came: they are judged anew each time, since turns and companions have come in.
    waiting: Vec<Candidate>,
    /// Only where relations name markers: the candidates that counted when they were judged last, and of these the ones that no
    /// longer wait and are not among the companions yet.
    counted: Vec<Candidate>,
    past: Vec<Candidate>,
    companions: Companions,
    /// By marker, of absent ones: the first match that starts the clock, and the first turn in which it was said.
    clocks: Vec<Option<Candidate>>,
    first_said: Vec<Option<u32>>,
}

impl Pending {
    /// About the bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<Candidate>()
    }

    /// Takes in what was found since the last time.
    pub(crate) fn take_in(&mut self, plan: &Plan, setting: &Setting, findings: &Findings) {
        let mut new = findings.candidates[self.candidates..].to_vec();
        self.candidates = findings.candidates.len();
        readings::leave_out(plan, &findings.joined, &mut new);
        self.waiting.append(&mut new);
        if plan.relates.any {
            self.companions.add(plan, setting, &findings.said[self.said..]);
            self.said = findings.said.len();
        }
    }

    /// All that wait, as they would be judged if the interaction ended here.
    pub(crate) fn judge(
        &mut self,
        plan: &Plan,
        setting: &Setting,
        findings: &Findings,
        front: Front,
    ) -> Vec<Judged> {
        let mut candidates = self.waiting.clone();
        if plan.has_places {
            candidates.iter_mut().for_each(|candidate| judge_place(plan, setting, candidate));
        }
        if plan.relates.any {
            let Findings { joined, layouts, .. } = findings;
            // Empty without an order, since then no relation names a marker; else `order` has all markers.
            for marker in 0..plan.order.len() as u32 {
                let past = self.past.iter().filter(|candidate| candidate.marker == marker);
                relation::tell(plan, setting, joined, &mut self.companions, marker, past);
            }
            self.past.clear();
            // Lent: what waits is only judged for now. What it adds to companions is in a copy, made only if something is added.
            let companions = Cow::Borrowed(&self.companions);
            relation::Scene::new(plan, setting, joined, layouts, companions).judge(&mut candidates);
        }
        if !plan.order.is_empty() {
            self.counted = candidates.iter().filter(|candidate| plan.counts(candidate)).copied().collect();
        }
        let mut open = Openness { plan, setting, findings, front, unsettled: Vec::new() };
        open.look_at_markers(&candidates);
        let judge =
            |candidate: Candidate| Judged { is_open: open.is_open(&candidate), candidate, is_overdue: false };
        let mut judged: Vec<Judged> = candidates.into_iter().map(judge).collect();
        if plan.protocol.markers.iter().any(|marker| marker.absence.is_some()) {
            self.read_clocks(plan, front, &mut judged);
        }
        judged
    }

    /// Forgets what stands before a place (turn, byte), where nothing is open any more.
    pub(crate) fn release(&mut self, before: (u32, u32)) {
        let is_past = |candidate: &Candidate| (candidate.turn, candidate.start) < before;
        self.waiting.retain(|candidate| !is_past(candidate));
        // Moved, since it may be asked again before they are judged anew.
        self.past.extend(self.counted.extract_if(.., |candidate| is_past(candidate)));
    }

    /// Sets how the clocks of absent markers stand.
    fn read_clocks(&mut self, plan: &Plan, front: Front, judged: &mut [Judged]) {
        let list = |c: &Candidate| plan.line(c.marker, c.line).list;
        let mut undecided: Vec<u32> = Vec::new();
        for Judged { candidate, is_open, .. } in judged.iter() {
            match list(candidate) {
                // Another marker's match can still turn out to be none, or an earlier one to count.
                LineList::When if *is_open => {}
                LineList::When if candidate.failed == 0 => {
                    let clock = names::at(&mut self.clocks, candidate.marker).get_or_insert(*candidate);
                    let place = |c: &Candidate| (c.turn, c.start, c.end, c.line);
                    if place(candidate) < place(clock) {
                        *clock = *candidate;
                    }
                }
                LineList::Absent if *is_open => undecided.push(candidate.marker),
                LineList::Absent if candidate.failed == 0 => {
                    let turn =
                        names::at(&mut self.first_said, candidate.marker).get_or_insert(candidate.turn);
                    *turn = candidate.turn.min(*turn);
                }
                _ => {}
            }
        }
        for Judged { candidate, is_open, is_overdue } in judged {
            let Some(absence) = &plan.protocol.markers[candidate.marker as usize].absence else { continue };
            let marker = candidate.marker as usize;
            let starts = self.clocks.get(marker).and_then(Option::as_ref).is_some_and(|clock| {
                (clock.turn, clock.start, clock.end, clock.line)
                    == (candidate.turn, candidate.start, candidate.end, candidate.line)
            });
            if list(candidate) != LineList::When || !starts {
                continue;
            }
            let first_said = self.first_said.get(marker).copied().flatten();
            (*is_open, *is_overdue) = match absence.until {
                Deadline::End => (first_said.is_none(), false),
                // A turn that comes later may have an earlier time, so seconds are decided at the end.
                Deadline::Seconds(_) => (true, false),
                Deadline::Turns(n) => {
                    let due = candidate.turn.saturating_add(n);
                    let is_met = first_said.is_some_and(|turn| turn <= due);
                    let is_over = front.turn > due && !undecided.contains(&candidate.marker);
                    (!is_met && !is_over, !is_met && is_over)
                }
            };
        }
    }
}

/// Says which verdicts can still change.
struct Openness<'o> {
    plan: &'o Plan,
    setting: &'o Setting,
    findings: &'o Findings,
    front: Front,
    /// By marker: whether some match that is there can still come to count, or cease to. Empty where no relation names markers.
    unsettled: Vec<bool>,
}

impl Openness<'_> {
    /// Finds out which markers are unsettled, those that decide about others first.
    fn look_at_markers(&mut self, candidates: &[Candidate]) {
        if self.plan.order.is_empty() {
            return;
        }
        self.unsettled = vec![false; self.plan.markers.len()];
        for &marker in &self.plan.order {
            let sources = self.plan.flips_from(marker);
            let own = |candidate: &&Candidate| {
                candidate.marker == marker
                    || sources.contains(&candidate.marker) && self.plan.is_own(candidate)
            };
            let is_unsettled = candidates.iter().filter(own).any(|candidate| self.may_change(candidate));
            self.unsettled[marker as usize] = is_unsettled;
        }
    }

    /// Whether the matches of a companion that are there can still change, because they are those of markers.
    fn is_unsettled(&self, companion: Option<u32>) -> bool {
        let markers =
            companion.map_or(&[][..], |companion| &self.plan.companions[companion as usize].markers);
        markers.iter().any(|marker| self.unsettled[*marker as usize])
    }

    /// Whether what follows can still change the verdict on a candidate, or what it is worth.
    fn is_open(&self, candidate: &Candidate) -> bool {
        let marker_plan = &self.plan.markers[candidate.marker as usize];
        if self.plan.is_borrowed(candidate) {
            let by = &marker_plan.started_by;
            return candidate.failed == 0 && by.iter().any(|marker| self.unsettled[*marker as usize]);
        }
        let is_missing = candidate.lacks & lack::PAIR != 0;
        let pair_waits =
            is_missing && marker_plan.pair.is_some_and(|companion| self.can_follow(companion, candidate));
        let counts = candidate.failed == 0;
        self.may_change(candidate) || counts && (pair_waits || self.is_unsettled(marker_plan.pair))
    }

    /// Whether what follows can still change whether a candidate counts.
    fn may_change(&self, candidate: &Candidate) -> bool {
        let marker_plan = &self.plan.markers[candidate.marker as usize];
        if matches!(self.plan.line(candidate.marker, candidate.line).list, LineList::When | LineList::To) {
            return false;
        }
        let other = marker_plan.flips_to.map(|(other, _)| other);
        let (after, before) = (self.is_unsettled(marker_plan.after), self.is_unsettled(marker_plan.before));
        // What cannot change any more and speaks against it; one that is negated can count for another marker.
        let flips = if other.is_some() { condition::NEGATED } else { 0 };
        // `before` can still be met by what follows, `after` only by matches of markers that can still come to count.
        let by_markers = if after { condition::AFTER } else { 0 };
        if candidate.failed & !(condition::BEFORE | flips | by_markers) != 0 {
            return false;
        }
        let waits = candidate.failed & condition::BEFORE != 0
            && marker_plan.before.is_some_and(|companion| self.can_follow(companion, candidate));
        if candidate.failed & condition::BEFORE != 0 && !waits && !before {
            return false;
        }
        let negated = candidate.failed & condition::NEGATED != 0;
        waits
            || after
            || before
            || self.place_can_go(candidate.marker)
            || other.is_some_and(|other| negated && self.place_can_go(other))
    }

    /// Whether a turn that lies in the part that counts can come to lie outside. The other way round none can: the first and
    /// the last turns and times only ever move away.
    fn place_can_go(&self, marker: u32) -> bool {
        let Some(place) = self.plan.markers[marker as usize].place else { return false };
        self.front.turns_follow
            && match (place.extent, place.from) {
                (Extent::Turns(_), End::First) => false,
                (Extent::Turns(_), End::Last) | (Extent::Seconds(_), _) => true,
            }
    }

    /// Whether a companion that is not there yet can still come to stand behind a candidate within reach.
    fn can_follow(&self, companion: u32, candidate: &Candidate) -> bool {
        let last = self.findings.joined.further(candidate).last();
        let (turn, start, end) = match last {
            Some(last) => (last.turn, last.start, last.end),
            None => (candidate.turn, candidate.start, candidate.end),
        };
        let is_here = turn >= self.front.turn;
        match self.plan.companions[companion as usize].within {
            Reach::Turns(n) => {
                if self.front.turns_follow {
                    self.front.turn <= turn.saturating_add(n)
                } else {
                    is_here
                }
            }
            Reach::Seconds(_) => {
                self.setting.turns[turn as usize].timestamp.is_some() && (is_here || self.front.turns_follow)
            }
            Reach::Words(n) => is_here && self.findings.layouts.tokens_behind(turn, start, end) <= n as usize,
            Reach::Sentences(n) => {
                is_here && self.findings.layouts.sentences_behind(turn, start, end) <= n as usize
            }
        }
    }
}
