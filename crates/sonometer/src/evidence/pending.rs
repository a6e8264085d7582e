//! Judging while an interaction still comes in: which verdicts can no longer change.

use super::companions::Companions;
use super::relation;
use super::{Candidate, Findings, Setting, condition, judge_place, lack, readings};
use crate::numbers;
use crate::protocol::{Deadline, End, Extent, LineList, Reach};
use crate::sensor::Plan;

/// What is known of an interaction that still comes in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Front {
    /// The turn that comes in; those before it are complete.
    pub(crate) turn: u32,
    /// Whether further turns can follow: it is no plain text.
    pub(crate) turns_follow: bool,
}

/// A candidate as it stands.
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
    /// How many of the findings have been taken in.
    candidates: usize,
    said: usize,
    waiting: Vec<Candidate>,
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
            relation::Scene::new(plan, setting, joined, layouts, &self.companions).judge(&mut candidates);
        }
        let open = Openness { plan, setting, findings, front };
        let judge =
            |candidate: Candidate| Judged { is_open: open.is_open(&candidate), candidate, is_overdue: false };
        let mut judged: Vec<Judged> = candidates.into_iter().map(judge).collect();
        if plan.protocol.markers.iter().any(|marker| marker.absence.is_some()) {
            self.read_clocks(plan, front, &mut judged);
        }
        judged
    }

    /// Forgets what stands before a place (turn, byte).
    pub(crate) fn release(&mut self, before: (u32, u32)) {
        self.waiting.retain(|candidate| (candidate.turn, candidate.start) >= before);
    }

    /// Sets how the clocks of absent markers stand.
    fn read_clocks(&mut self, plan: &Plan, front: Front, judged: &mut [Judged]) {
        let list = |c: &Candidate| plan.line(c.marker, c.line).list;
        let mut undecided: Vec<u32> = Vec::new();
        for Judged { candidate, is_open, .. } in judged.iter() {
            match list(candidate) {
                LineList::When if candidate.failed == 0 => {
                    let clock = numbers::at(&mut self.clocks, candidate.marker).get_or_insert(*candidate);
                    let place = |c: &Candidate| (c.turn, c.start, c.end, c.line);
                    if place(candidate) < place(clock) {
                        *clock = *candidate;
                    }
                }
                LineList::Absent if *is_open => undecided.push(candidate.marker),
                LineList::Absent if candidate.failed == 0 => {
                    let turn =
                        numbers::at(&mut self.first_said, candidate.marker).get_or_insert(candidate.turn);
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
}

impl Openness<'_> {
    fn is_open(&self, candidate: &Candidate) -> bool {
        let marker_plan = &self.plan.markers[candidate.marker as usize];
        if matches!(self.plan.line(candidate.marker, candidate.line).list, LineList::When | LineList::To) {
            return false;
        }
        // What cannot change any more and speaks against it; one that is negated can count for another marker.
        let flips = if marker_plan.flips_to.is_some() { condition::NEGATED } else { 0 };
        if candidate.failed & !(condition::BEFORE | flips) != 0 {
            return false;
        }
        let waits = |companion: Option<u32>, is_missing: bool| {
            is_missing && companion.is_some_and(|companion| self.can_follow(companion, candidate))
        };
        let before = waits(marker_plan.before, candidate.failed & condition::BEFORE != 0);
        if candidate.failed & condition::BEFORE != 0 && !before {
            return false;
        }
        let other = marker_plan.flips_to.map(|(other, _)| other);
        before
            || self.place_can_go(candidate.marker)
            || other
                .is_some_and(|other| candidate.failed & condition::NEGATED != 0 && self.place_can_go(other))
            || waits(marker_plan.pair, candidate.lacks & lack::PAIR != 0)
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
